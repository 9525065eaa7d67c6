// The time of one call and the number of calls: a slow operation and a frequent one
// need different remedies.

const MOST_BARS = 12;

function meansFigure(run) {
  const shown = operationsOf(run).slice(0, MOST_BARS);
  const dearest = shown.reduce((most, each) => (each.mean > (most?.mean ?? -1) ? each : most), null);
  return figure({
    id: "means",
    title: dearest
      ? `One call costs up to ${time(dearest.mean)} on average (${shortened(operationName(dearest), 24)})`
      : "Mean time and calls",
    about: "Dot: mean of a call; line: from the median to the 99th percentile, on a logarithmic scale. Bar: number of calls.",
    missing: shown.length ? null : "No calls were recorded.",
    body: element("div", {},
      deviceLegend(sortedDevices(new Set(shown.map(({device}) => device)))),
      chart(`Mean time and number of calls of ${plural(shown.length, "operation")}`, (width) => meansChart(shown, width))),
    figures: () => ({
      head: ["Operation", "Device", "Calls", "Mean", "Median", "99th percentile"],
      rows: operationsOf(run).map((each) =>
        [operationName(each), each.device, count(each.calls), time(each.mean), time(each.p50), time(each.p99)]),
    }),
  });
}

function meansChart(shown, width) {
  const narrow = width < 480;
  // Pixels. Side by side, or one under the other on a phone.
  const margin = 26;
  const gap = 52;
  const panel = shown.length * 26 + 14;
  const inner = narrow ? 2 * panel + gap : panel;
  const rows = shown.map((_, index) => index);
  const names = shown.map((each) => axisLabel(nameAmong(shown, each), width));
  const colours = shown.map(({device}) => deviceColour(device));
  const least = Math.min(...shown.map(({mean, p50}) => Math.min(mean, p50)));
  const most = Math.max(...shown.map(({mean, p99}) => Math.max(mean, p99)));
  const calls = shown.map((each) => each.calls);
  const about = shown.map((each) =>
    `<b>${plain(shortened(operationName(each), 60))}</b><br>on ${plain(each.device)}<br>` +
    `${plural(each.calls, "call")}, mean ${time(each.mean)}<br>median ${time(each.p50)}, 99th percentile ${time(each.p99)}`);
  const vertical = (more) => axis({
    tickvals: rows, ticktext: names, range: [shown.length - 0.4, -0.6], showgrid: false, zeroline: false, ...more,
  });
  return {
    data: [
      {
        type: "scatter", mode: "lines", hoverinfo: "skip",
        x: shown.flatMap(({p50, p99}) => [Math.max(p50, 0.1), Math.max(p99, 0.1), null]),
        y: rows.flatMap((row) => [row, row, null]),
        line: {color: colour("faint"), width: 3},
      },
      {
        type: "scatter", mode: "markers", x: shown.map(({mean}) => Math.max(mean, 0.1)), y: rows,
        marker: {color: colours, size: 11, line: {color: colour("panel"), width: 1.5}},
        customdata: about, hovertemplate: "%{customdata}<extra></extra>",
      },
      {
        type: "bar", orientation: "h", x: calls, y: rows, xaxis: "x2", yaxis: "y2",
        marker: {color: colours}, width: 0.55,
        text: calls.map(count), textposition: "outside", cliponaxis: false,
        textfont: {color: colour("text")},
        customdata: about, hovertemplate: "%{customdata}<extra></extra>",
      },
    ],
    layout: {
      height: 2 * margin + inner,
      margin: {l: 8, r: 12, t: margin, b: margin},
      // Heads of the two panels; an axis title this close to its ticks upsets plotly.
      annotations: [
        {text: "time of a call", x: 0, y: 1},
        {text: "calls", x: narrow ? 0 : 0.68, y: narrow ? 1 - (panel + gap) / inner : 1},
      ].map((head) => ({
        ...head, xref: "paper", yref: "paper", xanchor: "left", yanchor: "bottom", showarrow: false,
        font: {color: colour("muted"), size: FONT_SIZE},
      })),
      xaxis: timeLogAxis(least, most, {domain: narrow ? [0, 1] : [0, 0.62], anchor: "y"}),
      yaxis: vertical({domain: narrow ? [1 - panel / inner, 1] : [0, 1]}),
      xaxis2: axis({
        domain: narrow ? [0, 1] : [0.68, 1], anchor: "y2", rangemode: "tozero", range: [0, Math.max(...calls) * 1.35],
        showticklabels: false, showgrid: false,
      }),
      yaxis2: vertical({domain: narrow ? [0, panel / inner] : [0, 1], anchor: "x2", showticklabels: narrow}),
    },
  };
}
