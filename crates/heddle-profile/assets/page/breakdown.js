// The parts of the time of each operation: computing, transfer, overhead.

function breakdownFigure(run) {
  const all = operationsOf(run).filter(({self}) => self > 0);
  const rows = all.slice(0, MOST_BARS).map((each) => ({...each, label: `${operationName(each)} · ${each.device}`}));
  const totals = totalsOf(run);
  const idle = totals.transfer + totals.overhead;
  let relative = false;
  const drawing = chart(
    `Stacked bars of GPU, CPU, transfer and overhead time of ${plural(rows.length, "operation")}`,
    (width) => breakdownChart(rows, relative, width),
  );
  return figure({
    id: "breakdown",
    wide: true,
    title: totals.self > 0
      ? `Transfer and overhead took ${share(idle / totals.self)} of the time, computing ${share((totals.gpu + totals.cpu) / totals.self)}`
      : "GPU, CPU, transfer and overhead",
    about: "Self time of each operation. The four parts add up to it; no time is counted twice.",
    controls: [choice("Show as", [[false, "Time"], [true, "Share"]], relative, (chosen) => {
      relative = chosen;
      repaintAll();
    })],
    missing: totals.self > 0 ? null : "No time was recorded.",
    body: element("div", {}, legend(WAYS.map(({key, label}) => [key, label])), drawing, smallerOnes(all)),
    figures: () => ({
      head: ["Operation", "Device", ...WAYS.map(({label}) => label), "Self time"],
      rows: operationsOf(run).map((each) =>
        [operationName(each), each.device, ...WAYS.map(({key}) => time(each[key])), time(each.self)]),
    }),
  });
}

/** The operations too small to be drawn; as one bar they could be larger than the others. */
function smallerOnes(all) {
  const rest = all.slice(MOST_BARS);
  const part = rest.reduce((sum, each) => sum + each.share, 0);
  return rest.length ? element("p", {class: "about"}, `${plural(rest.length, "smaller operation")} (${share(part)} of the time) can be found in the table below.`) : null;
}

function breakdownChart(rows, relative, width) {
  const places = rows.map((_, index) => index);
  const most = Math.max(...rows.map(({self}) => self));
  const part = (row, key) => (relative ? row[key] / row.self : row[key]);
  const whole = relative ? 1 : most;
  const least = width < 480 ? 0.16 : 0.06;
  return {
    data: WAYS.map(({key, label, short}) => {
      const background = colour(key);
      return {
        type: "bar", orientation: "h", name: label,
        x: rows.map((row) => part(row, key)), y: places, width: 0.62,
        marker: {color: background, line: {color: colour("panel"), width: 0.5}},
        // A label goes only where it fits: the narrowest takes this part of the width.
        text: rows.map((row) => (part(row, key) / whole >= least ? share(row[key] / row.self) : "")),
        textposition: "inside", insidetextanchor: "middle", textangle: 0, constraintext: "none",
        textfont: {color: inkOn(background), size: 11},
        customdata: rows.map((row) =>
          `<b>${plain(shortened(row.label, 60))}</b><br>${short}: ${time(row[key])}, ${share(row[key] / row.self)} of ${time(row.self)}`),
        hovertemplate: "%{customdata}<extra></extra>",
      };
    }),
    layout: {
      barmode: "stack",
      height: Math.max(110, rows.length * 27 + 50),
      xaxis: relative
        ? axis({range: [0, 1], tickvals: [0, 0.25, 0.5, 0.75, 1], ticktext: ["0", "25 %", "50 %", "75 %", "100 %"]})
        : timeAxis(most, width),
      yaxis: axis({
        tickvals: places,
        ticktext: rows.map(({label}) => axisLabel(label, width < 480 ? 400 : 900)),
        range: [rows.length - 0.4, -0.6], showgrid: false, zeroline: false, tickfont: {color: colour("text")},
      }),
    },
  };
}
