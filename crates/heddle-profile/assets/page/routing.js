// Routing decisions: predicted against measured time, and the recorded reason for each
// class of decisions.

/** A prediction within this factor is a good one: the router compares devices, not nanoseconds. */
const GOOD_FACTOR = 2;

function routingFigure(run) {
  const rows = run.routing;
  const predictedRows = rows.filter(({predicted_ns: predicted, measured_ns: measured}) => predicted > 0 && measured > 0);
  const all = predictedRows.reduce((sum, each) => sum + each.count, 0);
  const good = predictedRows.filter((each) => offBy(each) <= GOOD_FACTOR).reduce((sum, each) => sum + each.count, 0);
  const decisions = rows.reduce((sum, each) => sum + each.count, 0);
  return figure({
    id: "routing",
    wide: true,
    title: all
      ? `${share(good / all)} of ${count(all)} predicted decisions were within a factor of ${GOOD_FACTOR} of the prediction`
      : rows.length ? `${plural(decisions, "routing decision")}, none with both a prediction and a measurement` : "Routing decisions",
    about: "Each dot is a size class of work; its size is the number of decisions. On the line, the prediction was exact; above it, work took longer than predicted.",
    missing: rows.length ? null : "This recording has no routing decisions. Operations that go through the runtime’s router have them.",
    body: element("div", {class: "routing"},
      predictedRows.length
        ? element("div", {},
          deviceLegend(sortedDevices(new Set(predictedRows.map(({device}) => device)))),
          chart(`Predicted against measured time, by class of work (${count(predictedRows.length)})`,
            (width) => routingChart(predictedRows, width)))
        : null,
      routingTable(rows)),
  });
}

function offBy({predicted_ns: predicted, measured_ns: measured}) {
  return Math.max(predicted / measured, measured / predicted);
}

function routingChart(rows, width) {
  const values = rows.flatMap((row) => [row.predicted_ns, row.measured_ns]);
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  const [low, high] = [10 ** from, 10 ** to];
  const most = Math.max(...rows.map((row) => row.count));
  const size = (row) => 8 + 16 * Math.sqrt(row.count / most);
  const height = width < 480 ? 320 : 420;
  return {
    data: [
      {
        type: "scatter", mode: "lines", hoverinfo: "skip", fill: "toself", fillcolor: colour("grid"), line: {width: 0},
        x: [low, high, high, low], y: [low / GOOD_FACTOR, high / GOOD_FACTOR, high * GOOD_FACTOR, low * GOOD_FACTOR],
      },
      {type: "scatter", mode: "lines", hoverinfo: "skip", x: [low, high], y: [low, high], line: {color: colour("muted"), width: 1}},
      {
        type: "scatter", mode: "markers",
        x: rows.map((row) => row.predicted_ns), y: rows.map((row) => row.measured_ns),
        marker: {
          color: rows.map(({device}) => deviceColour(device)), size: rows.map(size), opacity: 0.85,
          symbol: rows.map(({explored, count: times}) => (explored * 2 > times ? "circle-open" : "circle")),
          line: {color: rows.map(({device, explored, count: times}) => (explored * 2 > times ? deviceColour(device) : colour("panel"))), width: 1.5},
        },
        customdata: rows.map(routingAbout), hovertemplate: "%{customdata}<extra></extra>",
      },
    ],
    layout: {
      height,
      margin: {l: 8, r: 16, t: 12, b: 8},
      // Slightly wider than the marks, so that no dot is cut off.
      xaxis: timeLogAxis(low, high, {title: {text: "predicted"}, range: [from - 0.05, to + 0.05]}),
      yaxis: timeLogAxis(low, high, {title: {text: "measured"}, range: [from - 0.05, to + 0.05]}),
      annotations: outlierLabels(rows, {from, to, width, height}),
    },
  };
}

function routingAbout(row) {
  return `<b>${plain(shortened(operationName(row), 60))}</b>, ${sizeClass(row)}<br>on ${plain(row.device)}, ${plural(row.count, "time")}` +
    `<br>predicted ${time(row.predicted_ns)}, measured ${time(row.measured_ns)}<br>${plain(shortened(row.reason, 70))}`;
}

/** Names beside the worst predictions, as many as fit without touching another or a dot. */
function outlierLabels(rows, {from, to, width, height}) {
  const place = (row) => ({
    x: ((Math.log10(row.predicted_ns) - from) / (to - from)) * (width - 90),
    y: (1 - (Math.log10(row.measured_ns) - from) / (to - from)) * (height - 70),
  });
  const taken = rows.map(place).map(({x, y}) => ({left: x - 8, right: x + 8, top: y - 8, bottom: y + 8}));
  const labels = [];
  const worst = [...rows].sort((a, b) => offBy(b) - offBy(a) || b.count - a.count);
  for (const row of worst) {
    if (labels.length === 6 || offBy(row) < 1.15) break;
    const text = shortened(operationName(row), 18);
    const {x, y} = place(row);
    const onLeft = x > (width - 90) * 0.7;
    const wide = text.length * 7 + 18;
    const box = {left: onLeft ? x - wide : x + 10, right: onLeft ? x - 10 : x + wide, top: y - 9, bottom: y + 9};
    if (taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)) continue;
    taken.push(box);
    labels.push({
      x: Math.log10(row.predicted_ns), y: Math.log10(row.measured_ns), text: plain(text), showarrow: false,
      xanchor: onLeft ? "right" : "left", xshift: onLeft ? -13 : 13, font: {color: colour("text"), size: 11},
    });
  }
  return labels;
}

function sizeClass({size_class: size}) {
  return `work ${powerOfTwo(size)}`;
}

function routingTable(rows) {
  const cheapest = (row) => row.alternatives?.filter((each) => each.predicted_ns !== null)
    .reduce((least, each) => (least === null || each.predicted_ns < least.predicted_ns ? each : least), null) ?? null;
  const columns = [
    ...nameColumns(),
    {
      key: "size", label: "Size", numeric: true, about: "Work from this power of two up to the next, in the operation’s own unit",
      value: (row) => row.size_class, show: (value) => powerOfTwo(value),
    },
    {
      key: "count", label: "Times", numeric: true, about: "Some only to measure another device",
      value: (row) => row.count,
      show: (value, row) => (row.explored ? `${count(value)}, ${count(row.explored)} to measure` : count(value)),
    },
    {key: "predicted", label: "Predicted", numeric: true, value: (row) => row.predicted_ns, show: (value) => time(value)},
    {key: "measured", label: "Measured", numeric: true, value: (row) => row.measured_ns, show: (value) => time(value)},
    {
      key: "off", label: "Off by", numeric: true, about: "Measured against predicted",
      value: (row) => (row.predicted_ns > 0 && row.measured_ns > 0 ? Math.abs(row.measured_ns / row.predicted_ns - 1) : null),
      show: (value, row) => (value === null ? "–" : change(row.measured_ns / row.predicted_ns - 1)),
    },
    {
      key: "other", label: "Next best, predicted", numeric: true, onPaper: false, value: (row) => cheapest(row)?.predicted_ns ?? null,
      show: (value, row) => (value === null ? "–" : `${time(value)} on ${cheapest(row).device}`),
    },
    {
      key: "reason", label: "Why", value: (row) => row.reason,
      show: (value, row) => element("span", {class: "reason"}, oneLine(value),
        row.calibrated === false ? element("span", {class: "badge"}, "not calibrated") : null),
    },
  ];
  return sortedTable({
    label: "Routing decisions", columns, rows, sortBy: "count", filterLabel: "Filter decisions",
    filterText: (row) => `${operationName(row)} ${row.device} ${row.reason} ${row.calibrated === false ? "not calibrated" : ""}`, empty: "",
  });
}
