// Time by operation, as a pie chart. Slices are grouped by device and have its colour;
// neighbours differ in lightness, and each slice carries its label.

/** The most slices, and the smallest share, that can be labelled legibly. */
const WIDE_SLICES = {most: 10, least: 0.015};
const NARROW_SLICES = {most: 6, least: 0.04};

function sharesFigure(run) {
  const all = operationsOf(run);
  const slices = slicesOf(all, devicesOf(run), WIDE_SLICES);
  const first = all[0];
  return figure({
    id: "shares",
    title: first && first.self > 0
      ? `${shortened(operationName(first), 32)} on ${first.device} takes ${share(first.share)} of the time`
      : "Time by operation",
    about: "Self time of every operation, grouped by the device it ran on.",
    missing: first && first.self > 0 ? null : "No time was recorded.",
    body: element("div", {},
      deviceLegend(sortedDevices(new Set(slices.map(({device}) => device)))),
      chart(`Pie chart of self time by operation: ${slices.slice(0, 5).map(({name, part}) => `${name} ${share(part)}`).join(", ")}`,
        (width) => sharesChart(width < 480 ? slicesOf(all, devicesOf(run), NARROW_SLICES) : slices, totalsOf(run).self, width))),
    figures: () => ({
      head: ["Operation", "Device", "Self time", "Share"],
      rows: all.map((each) => [operationName(each), each.device, time(each.self), share(each.share)]),
    }),
  });
}

/** The largest operations; the rest of each device is one slice. */
function slicesOf(all, devices, {most, least}) {
  const slices = [];
  for (const device of devices) {
    const here = all.filter((each) => each.device === device && each.self > 0);
    const shown = here.filter((each) => each.share >= least && all.indexOf(each) < most);
    const rest = here.filter((each) => !shown.includes(each));
    slices.push(...shown.map((each) => sliceOf(all, each)));
    if (rest.length === 1) {
      slices.push(sliceOf(all, rest[0]));
    } else if (rest.length) {
      slices.push({
        name: `${rest.length} others`,
        short: `${rest.length} others`,
        device,
        self: rest.reduce((sum, each) => sum + each.self, 0),
        part: rest.reduce((sum, each) => sum + each.share, 0),
      });
    }
  }
  return slices;
}

/** In a narrow chart the colour alone shows the device, and the hover text the rest. */
function sliceOf(all, each) {
  return {name: nameAmong(all, each), short: nameOrNone(each.operation), device: each.device, self: each.self, part: each.share};
}

function sharesChart(slices, all, width) {
  const panel = colour("panel");
  const order = new Map();
  const colours = slices.map(({device}) => {
    const index = order.get(device) ?? 0;
    order.set(device, index + 1);
    return mixed(deviceColour(device), panel, [0, 0.28, 0.14, 0.42][index % 4]);
  });
  const narrow = width < 480;
  return {
    data: [{
      type: "pie",
      hole: 0.58,
      sort: false,
      direction: "clockwise",
      values: slices.map(({self}) => self),
      labels: slices.map((_, index) => String(index)),
      text: slices.map(({name, short, part}) => `${plain(narrow ? shortened(short, 10) : shortened(name, 24))} ${share(part)}`),
      customdata: slices.map(({name, device, self, part}) =>
        `<b>${plain(shortened(name, 60))}</b><br>on ${plain(device)}<br>${time(self)}, ${share(part)} of all time`),
      textinfo: "text",
      textposition: "outside",
      hovertemplate: "%{customdata}<extra></extra>",
      automargin: true,
      marker: {colors: colours, line: {color: panel, width: 2}},
      outsidetextfont: {color: colour("text"), size: FONT_SIZE},
    }],
    layout: {
      height: narrow ? 270 : 360,
      margin: narrow ? {l: 4, r: 4, t: 18, b: 18} : {l: 12, r: 12, t: 24, b: 24},
      annotations: [
        {text: `<b>${time(all)}</b>`, showarrow: false, x: 0.5, y: 0.5, yshift: 8, font: {size: narrow ? 15 : 18, color: colour("text")}},
        {text: "in all spans", showarrow: false, x: 0.5, y: 0.5, yshift: -12, font: {size: 11, color: colour("muted")}},
      ],
    },
  };
}
