// Changes between two runs: per operation with its confidence interval, and of memory
// and routing.

const MOST_CHANGES = 14;
const VERDICT_MARKS = {worse: "▲", better: "▼", inconclusive: "?", "no change": "=", gone: "−", new: "+"};

function changeFigure(before, after) {
  const rows = compareRuns(before, after);
  const verdict = overallVerdict(before, after);
  const tally = new Map(VERDICTS.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]));
  const drawn = rows.filter(({change: difference}) => difference !== null).slice(0, MOST_CHANGES);
  const said = VERDICTS.filter((verdict) => tally.get(verdict)).map((verdict) => `${count(tally.get(verdict))} ${verdict}`);
  const changes = figure({
    id: "changes",
    wide: true,
    title: rows.length ? `Overall ${verdict}; of ${plural(rows.length, "operation")}: ${said.join(", ")}` : "What changed",
    about: `The undisturbed time of the same work (the mean of the faster half of its calls), ${shortened(runName(after), 40)} against ${shortened(runName(before), 40)}. ` +
      `The line is the ${RULES.confidence * 100} % confidence interval; it must lie entirely beyond ±${RULES.noise * 100} % (shaded) to count as a change. ` +
      "“heddle profile compare” gives the same verdicts.",
    missing: rows.length ? null : "Neither run has any spans.",
    body: element("div", {},
      wholeChange(before, after),
      drawn.length
        ? element("div", {},
          legend([["worse", "worse"], ["better", "better"], ["faint", "no change, or inconclusive"]]),
          chart(`Change of ${plural(drawn.length, "operation")}`, (width) => changeChart(drawn, width)))
        : element("p", {class: "missing"}, "The two runs have no operation in common."),
      changeTable(rows),
      otherChanges(before, after)),
  });
  // Unrounded, for the test that compares the page with the crate.
  changes.dataset.changes = JSON.stringify({
    verdict,
    operations: rows.map((row) => ({operation: row.operation, element: row.element, change: row.change, low: row.low, high: row.high, verdict: row.verdict})),
  });
  return changes;
}

/** Wall time, self time and memory of the two runs, side by side. */
function wholeChange(before, after) {
  const pair = (label, old, now, show) => element("div", {class: "card"},
    element("div", {class: "card-label"}, label),
    element("div", {class: "card-value"}, old ? change(now / old - 1) : "–"),
    element("div", {class: "card-note"}, `${show(old)} → ${show(now)}`));
  const peaks = peaksOf(before, after);
  return element("div", {class: "cards inner"},
    pair("Wall time", before.end - before.begin, after.end - after.begin, time),
    pair("Time in spans", totalsOf(before).self, totalsOf(after).self, time),
    pair("Transfer time", totalsOf(before).transfer, totalsOf(after).transfer, time),
    sortedDevices(new Set([...peaks[0].keys(), ...peaks[1].keys()])).slice(0, 5)
      .map((device) => pair(`Peak memory, ${device}`, peaks[0].get(device) ?? 0, peaks[1].get(device) ?? 0, bytes)));
}

function verdictColour(verdict) {
  return verdict === "worse" || verdict === "better" ? verdict : "faint";
}

/**
 * From the largest gain to the largest loss. A wide interval must not compress the
 * others, so intervals are cut at 1.5 times the range of the changes.
 */
function changeReach(rows) {
  const least = Math.min(...rows.map(({change: middle}) => middle));
  const most = Math.max(...rows.map(({change: middle}) => middle));
  const lowest = Math.min(...rows.map(({change: middle, low}) => low ?? middle));
  const highest = Math.max(...rows.map(({change: middle, high}) => high ?? middle));
  const margin = Math.max(most - least, 0.2) * 0.08;
  return {
    least: Math.min(-0.1, Math.max(lowest, least * 1.5)) - margin,
    most: Math.max(0.1, Math.min(highest, most * 1.5)) + margin,
  };
}

function changeChart(rows, width) {
  const places = rows.map((_, index) => index);
  const {least, most} = changeReach(rows);
  const held = (value) => Math.max(least, Math.min(most, value));
  const step = roundSteps(most - least, width < 480 ? 3 : 7)[1];
  const marks = [];
  for (let index = Math.ceil(least / step); index * step <= most; index += 1) marks.push(index * step);
  return {
    data: [
      {
        type: "scatter", mode: "lines", hoverinfo: "skip", line: {color: colour("muted"), width: 2},
        x: rows.flatMap(({low, high}) => [low === null ? null : held(low), high === null ? null : held(high), null]),
        y: places.flatMap((place) => [place, place, null]),
      },
      {
        type: "scatter", mode: "markers+text", x: rows.map(({change: middle}) => held(middle)), y: places,
        marker: {color: rows.map(({verdict}) => colour(verdictColour(verdict))), size: 12, line: {color: colour("panel"), width: 1.5}},
        text: rows.map(({change: middle}) => change(middle)), textposition: "top center", textfont: {size: 11, color: colour("text")},
        cliponaxis: false,
        customdata: rows.map((row) =>
          `<b>${plain(shortened(operationName(row), 60))}</b> on ${plain(row.device)}: ${row.verdict}<br>` +
          `${time(row.old.typical)} → ${time(row.now.typical)}, ${change(row.change)} for the same work` +
          (row.low === null ? "<br>too few calls for an interval" : `<br>between ${change(row.low)} and ${change(row.high)}`)),
        hovertemplate: "%{customdata}<extra></extra>",
      },
    ],
    layout: {
      height: rows.length * 38 + 60,
      margin: {l: 8, r: 20, t: 12, b: 8},
      shapes: [{type: "rect", xref: "x", yref: "paper", x0: 1 / (1 + RULES.noise) - 1, x1: RULES.noise, y0: 0, y1: 1, fillcolor: colour("grid"), line: {width: 0}, layer: "below"}],
      xaxis: axis({
        range: [least, most], tickvals: marks, ticktext: marks.map((mark) => (mark ? change(mark) : "0")),
        title: {text: "← faster      slower →"},
      }),
      yaxis: axis({
        tickvals: places, ticktext: rows.map((row) => axisLabel(`${operationName(row)} · ${row.device}`, width < 480 ? 400 : 900)),
        range: [rows.length - 0.4, -0.7], showgrid: false, zeroline: false, tickfont: {color: colour("text")},
      }),
    },
  };
}

function changeTable(rows) {
  const columns = [
    ...nameColumns(),
    {
      key: "verdict", label: "Verdict", value: ({verdict}) => verdict,
      show: (value) => element("span", {class: `verdict ${verdictColour(value)}`}, `${VERDICT_MARKS[value]} ${value}`),
    },
    {key: "change", label: "Change", numeric: true, value: (row) => row.change, show: (value) => change(value)},
    {
      key: "interval", label: `${RULES.confidence * 100} % interval`, numeric: true, value: (row) => (row.low === null ? null : row.high - row.low),
      show: (value, row) => (value === null ? "–" : `${change(row.low)} to ${change(row.high)}`),
    },
    {key: "before", label: "Typical before", numeric: true, about: "Mean of the faster half of all its calls", value: (row) => row.old?.typical ?? null, show: (value) => time(value)},
    {key: "after", label: "Typical after", numeric: true, about: "Mean of the faster half of all its calls", value: (row) => row.now?.typical ?? null, show: (value) => time(value)},
    {
      key: "calls", label: "Calls", numeric: true, value: (row) => row.now?.calls ?? 0,
      show: (_, row) => `${count(row.old?.calls ?? 0)} → ${count(row.now?.calls ?? 0)}`,
    },
    {
      key: "stake", label: "Total", numeric: true, value: (row) => row.stake, about: "Sorted by how much the total changed",
      show: (_, row) => `${time(row.old?.total ?? 0)} → ${time(row.now?.total ?? 0)}`,
    },
  ];
  return sortedTable({
    label: "Change by operation", columns, rows, sortBy: "stake", filterLabel: "Filter by operation, device or verdict",
    filterText: (row) => `${operationName(row)} ${row.device} ${row.verdict}`, empty: "",
  });
}

function otherChanges(before, after) {
  const moved = routingChanges(before, after).slice(0, 8);
  if (!moved.length) return element("p", {class: "quiet"}, "Routing: no class of work that both runs had went to another device.");
  const went = (route) => sortedDevices(route.devices.keys())
    .map((device) => `${device} ${share(partOf(route, device))}`).join(", ");
  return element("div", {},
    element("h3", {}, `Routing: ${moved.length === 1 ? "one class of work" : `${moved.length} classes of work`} went to other devices`),
    element("ul", {class: "moves"}, moved.map(({old, now}) => element("li", {},
      element("span", {class: "name"}, shortened(operationName(now), 40)), ` work ${powerOfTwo(now.size)}: ${went(old)} → ${went(now)}`))));
}
