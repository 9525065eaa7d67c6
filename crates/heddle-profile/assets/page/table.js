// A table that can be sorted by any column and filtered by a text.

const MOST_ROWS = 100;

/**
 * A column is `{key, label, value(row), show(value, row), numeric, about, onPaper}`;
 * `value` is the sort key, `show` the displayed text or element. Columns with
 * `onPaper: false` are left out when printing, because paper is narrow.
 */
function sortedTable({label, columns, rows, sortBy, filterLabel, filterText, empty}) {
  const state = {key: sortBy, down: true, sought: "", all: false};
  const said = element("p", {class: "quiet", role: "status"});
  const body = element("tbody");
  const heads = columns.map((column) => {
    const button = element("button", {type: "button", title: column.about ?? null, onclick: () => sort(column)}, column.label,
      element("span", {class: "arrow", "aria-hidden": "true"}));
    return element("th", {scope: "col", class: cellClass(column)}, button);
  });
  const more = element("button", {type: "button", class: "more", onclick: () => {
    state.all = true;
    fill();
  }});
  const input = element("input", {type: "search", placeholder: filterLabel, "aria-label": filterLabel, oninput: () => {
    state.sought = input.value.trim().toLowerCase();
    fill();
  }});

  function sort(column) {
    // Numbers sort descending at first, names ascending.
    state.down = state.key === column.key ? !state.down : Boolean(column.numeric);
    state.key = column.key;
    fill();
    announce(`Sorted by ${column.label}, ${state.down ? "largest" : "smallest"} first.`);
  }

  function fill() {
    const column = columns.find(({key}) => key === state.key);
    for (const [index, head] of heads.entries()) {
      const sorted = columns[index] === column;
      if (sorted) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    const words = state.sought.split(/\s+/).filter(Boolean);
    const kept = rows.filter((row) => {
      const text = filterText(row).toLowerCase();
      return words.every((word) => text.includes(word));
    });
    kept.sort((a, b) => ordered(column.value(a), column.value(b), state.down));
    const shown = state.all ? kept : kept.slice(0, MOST_ROWS);
    body.replaceChildren(...shown.map((row) => element("tr", {}, columns.map((each, index) =>
      element(index === 0 ? "th" : "td", {scope: index === 0 ? "row" : null, class: cellClass(each)},
        each.show(each.value(row), row))))));
    more.hidden = shown.length === kept.length;
    more.textContent = `Show all ${count(kept.length)} rows`;
    said.textContent = kept.length === rows.length ? plural(rows.length, "row")
      : kept.length ? `${count(kept.length)} of ${plural(rows.length, "row")}` : `No row holds “${input.value.trim()}”.`;
  }

  if (!rows.length) return element("p", {class: "missing"}, empty);
  fill();
  return element("div", {class: "table"},
    element("div", {class: "table-head"}, input, said),
    element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label},
      element("table", {}, element("caption", {class: "unseen"}, label), element("thead", {}, element("tr", {}, heads)), body)),
    more);
}

function cellClass({numeric, onPaper}) {
  return [numeric ? "number" : "", onPaper === false ? "screen-only" : ""].join(" ").trim() || null;
}

/** Missing values sort last in both directions. */
function ordered(a, b, down) {
  const [noA, noB] = [a, b].map((value) => value === null || Number.isNaN(value));
  if (noA || noB) return Number(noA) - Number(noB);
  const order = typeof a === "string" ? a.localeCompare(b, "en", {numeric: true, sensitivity: "base"}) : a - b;
  return down ? -order : order;
}

/** The columns that name an operation. */
function nameColumns() {
  return [
    {
      key: "operation", label: "Operation", value: operationName,
      show: (value) => element("span", {class: "name", title: oneLine(value)}, shortened(value, 40)),
    },
    {key: "device", label: "Device", value: ({device}) => device, show: (value) => deviceChip(value)},
  ];
}

function operationsFigure(run) {
  const rows = operationsOf(run);
  const number = (key, label, show, about, onPaper = true) =>
    ({key, label, numeric: true, about, onPaper, value: (row) => row[key], show: (value) => (value === null ? "–" : show(value))});
  const columns = [
    ...nameColumns(),
    {key: "backend", label: "Backend", onPaper: false, value: ({backend}) => backend, show: (value) => shortened(value, 24)},
    number("calls", "Calls", count),
    number("self", "Self", time, "Total less the time of what it called"),
    number("share", "Share", share, "Part of all self time"),
    number("total", "Total", time, "What it called included"),
    number("mean", "Mean", time),
    number("deviation", "Std dev", time, null, false),
    number("min", "Min", time, null, false),
    number("p50", "p50", time, "Half of the calls took no longer"),
    number("p95", "p95", time, null, false),
    number("p99", "p99", time),
    number("max", "Max", time),
    ...WAYS.map(({key, label, short}) => number(key, short === "GPU" || short === "CPU" ? short : label, time, null, false)),
    number("moved", "Moved", bytes, "Bytes carried between memories", false),
    number("bandwidth", "Bandwidth", rate, "Bytes read and written per second of computing", false),
    number("utilisation", "Est. utilisation", share, "Bandwidth against the best rate measured on the device in this run, or its known ceiling", false),
    number("allocated", "Admitted", bytes, "Most bytes of the device’s memory that one call was admitted with", false),
    number("peak", "Peak memory", bytes, "Most bytes in use on the device while one call ran", false),
    number("proof", "Device clock", share, "Share of the calls on a GPU with a time by its own clock"),
  ];
  return figure({
    id: "operations",
    wide: true,
    title: rows.length === 1 ? "One operation, with every figure" : rows.length ? `All ${plural(rows.length, "operation")}, with every figure` : "All operations",
    about: "A row for each operation, element type and device. Click a column’s name to sort by it.",
    missing: rows.length ? null : "No spans were recorded.",
    body: sortedTable({
      label: "Operations", columns, rows, sortBy: "self", filterLabel: "Filter by operation, device or backend",
      filterText: (row) => `${operationName(row)} ${row.device} ${row.backend}`, empty: "",
    }),
  });
}
