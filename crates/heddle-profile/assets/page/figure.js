// The frame of every chart: a title that is a sentence, a line that says how to read
// the chart, the chart, and its figures as a table.

/**
 * `figures`, where given, returns `{head: [text], rows: [[text]]}`; the table is
 * made when it is opened. `missing` replaces the chart when there is nothing to draw.
 */
function figure({id, title, about, controls = [], body = null, figures = null, missing = null, wide = false}) {
  const heading = freshId("title");
  return element("section", {class: `figure${wide ? " wide" : ""}`, id, "aria-labelledby": heading},
    element("div", {class: "figure-head"},
      element("h2", {id: heading}, title),
      controls.length && !missing ? element("div", {class: "controls"}, controls) : null),
    about && !missing ? element("p", {class: "about"}, about) : null,
    missing ? element("p", {class: "missing"}, missing) : body,
    figures && !missing ? figuresTable(figures) : null);
}

function figuresTable(figures) {
  const details = element("details", {class: "figures"}, element("summary", {}, "Show the numbers"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const {head, rows} = figures();
    details.append(element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "The numbers of this chart"},
      element("table", {},
        element("thead", {}, element("tr", {}, head.map((text) => element("th", {scope: "col"}, text)))),
        element("tbody", {}, rows.map(([first, ...rest]) =>
          element("tr", {}, element("th", {scope: "row"}, first), rest.map((text) => element("td", {}, text))))))));
  });
  return details;
}

/** A legend of colours. `entries` are `[colour name, label]`. */
function legend(entries) {
  return element("ul", {class: "legend"}, entries.map(([name, label]) =>
    element("li", {}, element("span", {class: "swatch", style: {background: `var(--${name})`}}), label)));
}

function deviceLegend(devices) {
  return legend(devices.map((device) => [deviceColourName(device), device]));
}
