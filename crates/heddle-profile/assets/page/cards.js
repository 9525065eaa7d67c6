// The summary cards: duration, spans, devices, memory, and how far the figures are complete.

function cards(run) {
  const totals = totalsOf(run);
  const list = [wallCard(run), countCard(run), deviceCard(run, totals), proofCard(totals), memoryCard(run),
    transferCard(run, totals), fallbackCard(run), predictionCard(run)];
  return element("section", {class: "cards", "aria-label": "Summary"}, list.map(card));
}

function card({label, value, note, flag = false}) {
  return element("div", {class: `card${flag ? " flag" : ""}`},
    element("div", {class: "card-label"}, label),
    element("div", {class: "card-value"}, value),
    element("div", {class: "card-note"}, flag ? element("span", {class: "warn"}, "⚠\ufe0e ") : null, note));
}

function wallCard(run) {
  const threads = new Set(run.thread).size;
  return {
    label: "Wall time",
    value: run.size ? time(run.end - run.begin) : "–",
    note: run.size ? `first to last span, ${plural(threads, "thread")}` : "no spans in this recording",
  };
}

function countCard(run) {
  const {recorded, kept, written, overwritten} = run.counts;
  const left = [];
  if (overwritten) left.push(`${count(overwritten)} older overwritten`);
  if (kept > written) left.push(`${count(kept - written)} left out by the size cap`);
  return {
    label: "Spans recorded",
    value: count(recorded),
    note: left.length ? `${count(written)} here; ${left.join(", ")}` : recorded ? "all of them are here" : "none",
    flag: left.length > 0,
  };
}

function deviceCard(run, totals) {
  const gpu = totals.self ? totals.gpu / totals.self : 0;
  const gpus = devicesOf(run).filter(isGpu);
  return {
    label: "Time computing on GPU",
    value: totals.self ? share(gpu) : "–",
    note: totals.onGpu
      ? `${time(totals.gpu)}; ${plural(totals.onGpu, "operation")} on ${gpus.length > 3 ? plural(gpus.length, "GPU") : gpus.join(", ")}`
      : "no operation ran on a GPU",
  };
}

function proofCard(totals) {
  if (!totals.onGpu) return {label: "Timed by device clock", value: "–", note: "no GPU operation in this recording"};
  const part = totals.clocked / totals.onGpu;
  const unproven = totals.onGpu - totals.clocked;
  return {
    label: "Timed by device clock",
    value: share(part),
    note: unproven ? `${plural(unproven, "GPU operation")} without a device-side time` : "every GPU operation has a device-side time",
    flag: unproven > 0,
  };
}

function memoryCard(run) {
  if (!run.memory.length) return {label: "Peak memory", value: "–", note: "no memory samples in this recording"};
  const top = run.memory.reduce((most, sample) => (sample.allocated > most.allocated ? sample : most));
  const worst = worstPressure(run.memory);
  return {
    label: "Peak memory",
    value: bytes(top.allocated),
    note: `on ${top.device}${top.limit ? `, ${share(top.allocated / top.limit)} of its limit` : ""}; pressure at most ${worst}`,
    flag: worst === "high" || worst === "critical",
  };
}

function transferCard(run, totals) {
  return {
    label: "Moved between memories",
    value: totals.moved ? bytes(totals.moved) : "0",
    note: totals.transfer
      ? `${time(totals.transfer)}, ${share(totals.transfer / totals.self)} of all time, ${rate((totals.moved / totals.transfer) * 1e9)}`
      : "no time was spent on transfers",
  };
}

function fallbackCard(run) {
  const {fallbacks} = run.counters;
  const times = fallbacks.reduce((sum, each) => sum + each.count, 0);
  const first = fallbacks[0];
  return {
    label: "Fallbacks",
    value: count(times),
    note: times
      ? `${shortened(first.operation, 20)}: ${first.from} → ${first.to} (${first.cause})${fallbacks.length > 1 ? ` and ${fallbacks.length - 1} more` : ""}`
      : "every operation ran on the device it was routed to",
    flag: times > 0,
  };
}

function predictionCard(run) {
  const error = medianPredictionError(run);
  return {
    label: "Median prediction error",
    value: error === null ? "–" : share(error),
    note: error === null ? "no routing decisions in this recording" : "measured against predicted time, per decision",
  };
}

/** The median of the relative errors of the predictions. */
function medianPredictionError(run) {
  const errors = run.routing
    .filter(({predicted_ns: predicted, measured_ns: measured}) => predicted > 0 && measured > 0)
    .map((each) => ({error: Math.abs(each.measured_ns / each.predicted_ns - 1), weight: each.count}))
    .sort((a, b) => a.error - b.error);
  const all = errors.reduce((sum, {weight}) => sum + weight, 0);
  let seen = 0;
  for (const {error, weight} of errors) {
    seen += weight;
    if (seen * 2 >= all) return error;
  }
  return null;
}

/** Notices about what the totals leave out, shown above them. */
function notices(run) {
  const said = [];
  const {sampled_one_in: oneIn, cap_reached: capped, cap_bytes: cap} = run.counts;
  if (oneIn > 1) {
    said.push(`Sampled: 1 span in ${count(oneIn)} was recorded; multiply calls and totals by about ${count(oneIn)}.`);
  }
  if (capped) said.push(`The file reached its cap of ${bytes(cap)}: the newest spans are here, older ones were left out.`);
  return said.map((text) => element("p", {class: "notice"}, text));
}

/** The whole run as one bar of the four kinds of time. */
function spentBar(run) {
  const totals = totalsOf(run);
  if (!totals.self) return null;
  const parts = WAYS.filter(({key}) => totals[key] > 0);
  return element("section", {class: "spent", "aria-label": "Where the time went"},
    element("div", {class: "spent-bar", "aria-hidden": "true"}, parts.map(({key}) =>
      element("div", {style: {flexGrow: totals[key] / totals.self, background: `var(--${key})`}}))),
    element("ul", {class: "spent-labels"}, parts.map(({key, label}) =>
      element("li", {}, element("span", {class: "swatch", style: {background: `var(--${key})`}}),
        `${label} `, element("b", {}, share(totals[key] / totals.self)), ` ${time(totals[key])}`))));
}
