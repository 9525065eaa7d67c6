// The operations with the most self time, and the parts of that time.

const BOTTLENECKS = 6;

function bottlenecksFigure(run) {
  const all = operationsOf(run);
  const top = all.slice(0, BOTTLENECKS);
  const covered = top.reduce((sum, each) => sum + each.share, 0);
  const title = top.length === 0 ? "Bottlenecks"
    : top.length === 1 ? "One operation took all the time"
    : `${top.length === all.length ? "All" : "The first"} ${top.length} operations took ${share(covered)} of the time`;
  return figure({
    id: "bottlenecks",
    wide: true,
    title,
    about: "By self time: an operation’s time without that of the spans inside it. The bar’s length is its share; its colours are the kinds of time.",
    missing: top.length ? null : "No spans were recorded. Run an operation with the profiler enabled.",
    body: element("ol", {class: "bottlenecks"}, top.map((each) => bottleneck(each, top[0].share))),
  });
}

function bottleneck(each, most) {
  const parts = WAYS.filter(({key}) => each[key] > 0);
  return element("li", {},
    element("div", {class: "bottleneck-name", title: oneLine(operationName(each))},
      element("span", {class: "name"}, shortened(operationName(each), 28)), deviceChip(each.device)),
    element("div", {class: "bottleneck-bar", "aria-hidden": "true"},
      element("div", {style: {width: `${(each.share / (most || 1)) * 100}%`}}, parts.map(({key}) =>
        element("div", {style: {flexGrow: each[key] / (each.self || 1), background: `var(--${key})`}})))),
    element("div", {class: "bottleneck-numbers"},
      element("b", {}, share(each.share)), ` ${time(each.self)} in ${plural(each.calls, "call")}`,
      element("span", {class: "quiet"}, ` · ${mostly(each)}`)));
}

/** The largest part of an operation's time. */
function mostly(each) {
  const top = WAYS.reduce((most, way) => (each[way.key] > each[most.key] ? way : most));
  return each.self > 0 ? `${share(each[top.key] / each.self)} ${top.key === "gpu" || top.key === "cpu" ? `${top.short} computing` : top.short}` : "no self time";
}

function deviceChip(device) {
  return element("span", {class: "chip"},
    element("span", {class: "swatch", style: {background: `var(--${deviceColourName(device)})`}}), device);
}
