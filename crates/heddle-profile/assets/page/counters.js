// Counts: fallbacks, batches and pools. Shown only if the recording has any.

function countersFigure(run) {
  const {fallbacks, batches, pools} = run.counters;
  if (!fallbacks.length && !batches.length && !pools.length) return null;
  const times = fallbacks.reduce((sum, each) => sum + each.count, 0);
  const name = (text) => shortened(nameOrNone(text), 40);
  return figure({
    id: "counters",
    wide: true,
    title: times ? `${plural(times, "operation")} ran on another device than routed` : "Every operation ran on the device it was routed to",
    about: null,
    body: element("div", {class: "columns"},
      counted("Fallbacks", fallbacks, (each) =>
        `${name(each.operation)}: ${each.from} → ${each.to}, ${plural(each.count, "time")} (${shortened(each.cause, 40)})`),
      counted("Batches", batches, (each) =>
        `${name(each.operation)} on ${each.device}: ${plural(each.items, "item")} in ${count(each.batches)} ` +
        `${each.batches === 1 ? "launch" : "launches"}, ${count(Math.round(each.items / each.batches))} each`),
      counted("Memory pools", pools, (each) =>
        `${each.device}: ${share(each.hits / (each.hits + each.misses))} of ${plural(each.hits + each.misses, "request")} served from memory kept for reuse`)),
  });
}

function counted(title, rows, say) {
  return rows.length
    ? element("div", {}, element("h3", {}, title), element("ul", {}, rows.map((row) => element("li", {}, say(row)))))
    : null;
}
