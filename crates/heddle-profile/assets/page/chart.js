// Charts drawn by plotly, and drawn again when the width or the colours change.

const CONFIG = {displayModeBar: false, displaylogo: false, responsive: false, showTips: false, doubleClick: "reset"};
const FONT_SIZE = 12;

/** The charts of the page, which are redrawn when the colours change. */
const repaints = new Set();
/** Drawings under way; the page is ready when none is left. */
const drawings = new Set();

function repaintAll() {
  for (const repaint of repaints) repaint();
}

/**
 * `build(width)` returns `{data, layout}`. Labels in them must already be escaped
 * with `plain`: plotly takes a few tags in texts.
 */
function chart(label, build) {
  const host = element("div", {class: "chart", role: "img", "aria-label": label});
  let width = 0;
  const draw = () => {
    if (!host.isConnected || host.clientWidth === 0) return;
    width = host.clientWidth;
    const {data, layout} = build(width);
    const drawing = Plotly.react(host, data, {...baseLayout(width), ...layout}, CONFIG);
    drawings.add(drawing);
    drawing.finally(() => drawings.delete(drawing));
  };
  new ResizeObserver(() => {
    if (host.clientWidth !== width) draw();
  }).observe(host);
  repaints.add(draw);
  return host;
}

function baseLayout(width) {
  const text = colour("text");
  return {
    width,
    margin: {l: 8, r: 8, t: 8, b: 8},
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: {family: getComputedStyle(document.body).fontFamily, size: FONT_SIZE, color: text},
    hoverlabel: {
      bgcolor: colour("raised"),
      bordercolor: colour("line"),
      font: {color: text, size: FONT_SIZE, family: getComputedStyle(document.body).fontFamily},
      align: "left",
    },
    showlegend: false,
    // A finger that drags on a chart scrolls the page.
    dragmode: false,
    hovermode: "closest",
  };
}

/** An axis in the page's colours. */
function axis(more = {}) {
  return {
    gridcolor: colour("grid"),
    linecolor: colour("line"),
    zerolinecolor: colour("line"),
    tickfont: {color: colour("muted")},
    fixedrange: true,
    automargin: true,
    ...more,
    title: {font: {color: colour("muted"), size: FONT_SIZE}, standoff: 10, ...more.title},
  };
}

/** A linear axis of times from 0, marked at round numbers of one unit. */
function timeAxis(most, width, more = {}) {
  const [unit, scale] = timeUnit(most);
  const steps = most > 0 ? roundSteps(most / scale, Math.max(2, Math.min(8, width / 90))) : [0];
  return axis({
    tickvals: steps.map((step) => step * scale),
    ticktext: steps.map((step) => (step === 0 ? "0" : `${Number(step.toPrecision(6))} ${unit}`)),
    range: [0, most > 0 ? most * 1.02 : 1],
    ...more,
  });
}

/** A logarithmic axis of times, marked at powers of ten. */
function timeLogAxis(least, most, more = {}) {
  const from = Math.floor(Math.log10(Math.max(least, 0.1)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(most, 1))));
  const powers = Array.from({length: to - from + 1}, (_, index) => 10 ** (from + index));
  return axis({
    type: "log",
    tickvals: powers,
    ticktext: powers.map((power) => {
      const [unit, scale] = timeUnit(power);
      return `${power / scale} ${unit}`;
    }),
    range: [from, to],
    ...more,
  });
}

const ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"};

/** Text escaped for plotly. */
function plain(text) {
  return oneLine(text).replace(/[&<>]/g, (found) => ESCAPES[found]);
}

/** As `plain`, and short enough for an axis of a chart this wide. */
function axisLabel(text, width) {
  return plain(shortened(text, width < 480 ? 16 : 26));
}

/** Resolves when no drawing is under way. */
async function drawn() {
  while (drawings.size) await Promise.allSettled([...drawings]);
}
