// Memory over time, a panel for each device, with the periods of memory pressure.

const PRESSURES = ["low", "moderate", "high", "critical"];
const LAYERS = [
  {key: "allocated", label: "in use", fade: 0},
  {key: "reserved", label: "reserved", fade: 0.4},
  {key: "pooled", label: "kept for reuse", fade: 0.72},
];
/** About as many points as a screen has columns. */
const MOST_SAMPLES = 1500;
/** Pixels: a panel, from one to the next, the strip of pressure and its height with margins. */
const PANEL = 120;
const PANEL_GAP = 46;
const STRIP = 9;
const STRIP_HEIGHT = 16;

function worstPressure(samples) {
  return PRESSURES[samples.reduce((worst, {pressure}) => Math.max(worst, PRESSURES.indexOf(pressure)), 0)];
}

function memoryFigure(run) {
  const panels = memoryPanels(run);
  return figure({
    id: "memory",
    wide: true,
    title: panels.length ? memoryTitle(panels) : "Memory over time",
    about: "From the bottom: bytes in use, reserved for operations about to run, and kept for reuse. The strip under each panel is the pressure.",
    missing: panels.length ? null : "This recording has no memory samples. Only GPUs give them.",
    body: element("div", {},
      legend([["pressure-low", "low"], ["pressure-moderate", "moderate"], ["pressure-high", "high"], ["pressure-critical", "critical pressure"]]),
      chart(memoryTitle(panels), (width) => memoryChart(run, panels, width))),
    figures: () => ({
      head: ["Device", "Peak in use", "Peak held", "Limit", "Highest pressure", "Samples"],
      rows: panels.map((panel) => [panel.device, bytes(panel.peak), bytes(panel.held), panel.limit ? bytes(panel.limit) : "–",
        panel.worst, count(panel.count)]),
    }),
  });
}

function memoryTitle(panels) {
  const top = panels.reduce((most, panel) => (panel.peak > (most?.peak ?? -1) ? panel : most), null);
  if (!top) return "Memory over time";
  const pressed = panels.reduce((worst, panel) =>
    (PRESSURES.indexOf(panel.worst) > PRESSURES.indexOf(worst.worst) ? panel : worst));
  const short = pressed.worst === "low" ? "without memory pressure"
    : `with ${pressed.worst} pressure at peak${pressed === top ? "" : ` (${pressed.device})`}`;
  return `Memory in use peaked at ${bytes(top.peak)} on ${top.device}, ${short}`;
}

function memoryPanels(run) {
  const byDevice = new Map();
  for (const sample of run.memory) {
    if (!byDevice.has(sample.device)) byDevice.set(sample.device, []);
    byDevice.get(sample.device).push(sample);
  }
  return sortedDevices(byDevice.keys()).map((device) => {
    const samples = byDevice.get(device);
    return {
      device,
      samples: thinned(samples),
      count: samples.length,
      peak: samples.reduce((most, {allocated}) => Math.max(most, allocated), 0),
      held: samples.reduce((most, sample) => Math.max(most, held(sample)), 0),
      limit: samples.at(-1).limit,
      worst: worstPressure(samples),
    };
  });
}

function held({allocated, reserved, pooled}) {
  return allocated + reserved + pooled;
}

/** Of each group of samples the first, the highest and the one with the highest pressure. */
function thinned(samples) {
  if (samples.length <= MOST_SAMPLES) return samples;
  const kept = new Set([0, samples.length - 1]);
  const stretch = samples.length / (MOST_SAMPLES / 3);
  for (let from = 0; from < samples.length; from += stretch) {
    const start = Math.floor(from);
    let highest = start;
    let pressed = start;
    for (let at = start; at < Math.min(samples.length, Math.floor(from + stretch)); at += 1) {
      if (samples[at].allocated > samples[highest].allocated) highest = at;
      if (PRESSURES.indexOf(samples[at].pressure) > PRESSURES.indexOf(samples[pressed].pressure)) pressed = at;
    }
    kept.add(start).add(highest).add(pressed);
  }
  return [...kept].sort((a, b) => a - b).map((at) => samples[at]);
}

function memoryChart(run, panels, width) {
  const end = Math.max(run.end, ...panels.map(({samples}) => samples.at(-1).at_ns));
  const begin = Math.min(run.size ? run.begin : Infinity, ...panels.map(({samples}) => samples[0].at_ns));
  const inner = panels.length * (PANEL + PANEL_GAP) - PANEL_GAP + STRIP_HEIGHT;
  const layout = {
    height: inner + 26 + 30,
    margin: {l: 8, r: 12, t: 26, b: 30},
    shapes: [],
    annotations: [],
    hovermode: "x",
    // Apart from the panels, so that its ticks lie under the lowest strip.
    xaxis: timeAxis(end - begin, width, {anchor: "free", position: 0, showgrid: false, showline: false}),
  };
  const data = panels.flatMap((panel, index) => {
    const top = 1 - (index * (PANEL + PANEL_GAP)) / inner;
    return memoryPanel(panel, index, {begin, end, top, bottom: top - PANEL / inner, strip: STRIP / inner, layout});
  });
  return {data, layout};
}

function memoryPanel(panel, index, {begin, end, top, bottom, strip, layout}) {
  const name = index === 0 ? "y" : `y${index + 1}`;
  const background = colour("panel");
  const base = deviceColour(panel.device);
  // A limit far above the peak would flatten the curve, so it is only given as text.
  const showsLimit = panel.limit > 0 && panel.limit <= panel.held * 3;
  const most = Math.max(panel.held, showsLimit ? panel.limit : 0, 1) * 1.08;
  const steps = byteSteps(most, 4);
  layout[index === 0 ? "yaxis" : `yaxis${index + 1}`] = axis({
    domain: [bottom, top], range: [0, most], tickvals: steps, ticktext: steps.map(byteMark), zeroline: false,
  });
  layout.annotations.push({
    text: `<b>${plain(panel.device)}</b>${panel.limit && !showsLimit ? `  limit ${bytes(panel.limit)}, off this scale` : ""}`,
    xref: "paper", yref: "paper", x: 0, y: top, xanchor: "left", yanchor: "bottom", showarrow: false,
    font: {color: colour("text")},
  });
  if (showsLimit) {
    layout.shapes.push({
      type: "line", xref: "paper", yref: name, x0: 0, x1: 1, y0: panel.limit, y1: panel.limit,
      line: {color: colour("text"), width: 1, dash: "dot"},
    });
    layout.annotations.push({
      text: `limit ${bytes(panel.limit)}`, xref: "paper", yref: name, x: 1, y: panel.limit, xanchor: "right", yanchor: "bottom",
      showarrow: false, font: {color: colour("muted"), size: 11},
    });
  }
  for (const spell of pressurePeriods(panel.samples, end)) {
    layout.shapes.push({
      type: "rect", xref: "x", yref: "paper", x0: spell.from - begin, x1: spell.to - begin, y0: bottom - strip * 1.4, y1: bottom - strip * 0.4,
      line: {width: 0}, fillcolor: colour(`pressure-${spell.pressure}`),
    });
  }
  const times = [...panel.samples.map(({at_ns: at}) => at - begin), end - begin];
  return LAYERS.map(({key, label, fade}) => ({
    type: "scatter", mode: "lines", stackgroup: `memory-${index}`, yaxis: name,
    x: times,
    y: [...panel.samples.map((sample) => sample[key]), panel.samples.at(-1)[key]],
    line: {shape: "hv", width: fade ? 0 : 1.5, color: base},
    fillcolor: mixed(base, background, fade === 0 ? 0.25 : fade),
    customdata: [...panel.samples, panel.samples.at(-1)].map((sample) => `${label} ${bytes(sample[key])}`),
    hovertemplate: "%{customdata}<extra></extra>",
  }));
}

/** Stretches of unchanging pressure. */
function pressurePeriods(samples, end) {
  const found = [];
  for (const {at_ns: at, pressure: level} of samples) {
    const pressure = PRESSURES.includes(level) ? level : "low";
    const last = found.at(-1);
    if (last?.pressure === pressure) continue;
    if (last) last.to = at;
    found.push({from: at, to: end, pressure});
  }
  return found;
}
