// The timeline: every span by track and time. Only rows and times in view are read,
// and spans narrower than a pixel are merged, so that a quarter of a million of them
// scroll as smoothly as ten.

const OVERVIEW = 34;
const RULER = 22;
const HEAD = OVERVIEW + RULER;
const TRACK_LABEL = 17;
const ROW = 17;
const TRACK_GAP = 7;
/** Narrower than this on the screen, a span is merged with its neighbours. */
const MERGED_BELOW = 1;
const CLOSEST_NS = 20;

const TIMELINE_HELP =
  "Drag to move, Ctrl + wheel or pinch to zoom, double-click to zoom in. Keys: ← → ↑ ↓ from span to span, " +
  "+ and − zoom, Shift + ← → move, Enter zooms to the span, 0 shows all.";

function timelineFigure(run) {
  const tracks = tracksOf(run);
  const missing = run.size ? null : "No spans were recorded.";
  if (missing) return figure({id: "timeline", wide: true, title: "Timeline", missing});
  const timeline = new Timeline(run, tracks);
  const button = (text, label, act) =>
    element("button", {type: "button", "aria-label": label, onclick: act}, text);
  const threads = tracks.filter(({isStream}) => !isStream).length;
  const streams = tracks.length - threads;
  const where = plural(threads, "thread") + (streams ? ` and ${plural(streams, "GPU stream")}` : "");
  return figure({
    id: "timeline",
    wide: true,
    title: `${plural(run.size, "span")} on ${where}, ${time(run.end - run.begin)} from first start to last end`,
    about: "A track for each thread and each GPU stream; spans inside a span lie under it. " +
      "Pale bars are scopes. Streams are timed by the device’s own clock.",
    controls: [element("div", {class: "choice", role: "group", "aria-label": "Zoom"},
      button("−", "Zoom out", () => timeline.zoom(2)),
      button("+", "Zoom in", () => timeline.zoom(0.5)),
      button("All", "Show all", () => timeline.show(run.begin, run.end)))],
    body: element("div", {}, deviceLegend(devicesOf(run).filter((device) => operationsOf(run).some((each) => each.device === device))),
      timeline.stage.host),
  });
}

class Timeline {
  constructor(run, tracks) {
    this.run = run;
    this.from = run.begin;
    this.to = Math.max(run.end, run.begin + CLOSEST_NS);
    this.whole = [this.from, this.to];
    this.selected = null;
    this.scope = run.strings.indexOf("scope");
    this.devices = new Set(run.device);
    this.gpus = new Set([...this.devices].filter((index) => isGpu(run.strings[index])));
    this.rows = [];
    this.labels = [];
    let top = HEAD;
    for (const track of tracks) {
      this.labels.push({text: track.label, top});
      top += TRACK_LABEL;
      for (const row of track.rows) {
        this.rows.push({row, top});
        top += ROW;
      }
      top += TRACK_GAP;
    }
    this.tall = top;
    this.stage = stage(
      `Timeline of ${plural(run.size, "span")} on ${plural(tracks.length, "track")}`, TIMELINE_HELP, this,
    );
    listenForGestures(this);
  }

  height() {
    return this.tall;
  }

  show(from, to) {
    const [begin, end] = this.whole;
    const width = Math.max(Math.min(to - from, end - begin), Math.min(CLOSEST_NS, end - begin));
    this.from = Math.max(begin, Math.min(from, end - width));
    this.to = this.from + width;
    this.stage.repaint();
  }

  /** Shows `factor` times as much time, keeping the moment at `part` of the width in place. */
  zoom(factor, part = 0.5) {
    const width = this.to - this.from;
    const still = this.from + width * part;
    this.show(still - width * factor * part, still + width * factor * (1 - part));
  }

  draw(context, view) {
    this.view = view;
    const colours = this.colours();
    const scale = view.width / (this.to - this.from);
    context.font = canvasFont(11);
    context.textBaseline = "middle";
    context.save();
    context.beginPath();
    context.rect(0, HEAD, view.width, view.height - HEAD);
    context.clip();
    this.grid(context, view, colours);
    for (const {text, top} of this.labels) {
      const y = top - view.top;
      if (y < HEAD - TRACK_LABEL || y > view.height) continue;
      context.fillStyle = colours.muted;
      context.fillText(fitted(context, text, view.width - 12), 4, y + TRACK_LABEL / 2 + 1);
    }
    for (const [index, {row, top}] of this.rows.entries()) {
      const y = top - view.top;
      if (y < HEAD - ROW || y > view.height) continue;
      view.marks += this.drawRow(context, row, y, scale, view.width, colours);
      if (this.selected?.row === index) this.outline(context, row, y, scale, colours);
    }
    context.restore();
    this.overview(context, view, colours);
    this.ruler(context, view, colours);
  }

  colours() {
    const panel = colour("panel");
    const devices = new Map([...this.devices].map((index) => [index, deviceColour(this.run.strings[index])]));
    const scopes = new Map([...devices].map(([index, full]) => [index, mixed(full, panel, 0.62)]));
    return {
      fill: (span) => (this.run.backend[span] === this.scope ? scopes : devices).get(this.run.device[span]),
      text: colour("text"), muted: colour("muted"), line: colour("line"), grid: colour("grid"),
      panel, cpu: colour("cpu"), gpu: colour("gpu"),
    };
  }

  drawRow(context, {starts, ends, spans}, y, scale, width, colours) {
    const {device, operation, strings} = this.run;
    let marks = 0;
    // Merged spans: columns on the screen, pixels covered on the CPU and on GPUs,
    // and a span of each kind for its colour.
    let merged = null;
    let drawnTo = 0;
    const flush = () => {
      if (!merged) return;
      const across = merged.right - merged.left;
      const [onCpu, onGpu] = merged.covered;
      // Opacity follows the density, with a minimum; height follows the share of each kind.
      context.globalAlpha = Math.max(0.35, Math.min(1, (onCpu + onGpu) / across));
      const part = onCpu + onGpu > 0 ? onCpu / (onCpu + onGpu) : Number(merged.spans[0] !== null);
      const high = Math.round((ROW - 2) * part);
      for (const [kind, top, tall] of [[0, 0, high], [1, high, ROW - 2 - high]]) {
        if (merged.spans[kind] === null || tall === 0) continue;
        context.fillStyle = colours.fill(merged.spans[kind]);
        context.fillRect(merged.left, y + 1 + top, across, tall);
        marks += 1;
      }
      context.globalAlpha = 1;
      drawnTo = merged.right;
      merged = null;
    };
    for (let at = firstEndingAfter({ends}, this.from); at < starts.length && starts[at] < this.to; at += 1) {
      const left = (starts[at] - this.from) * scale;
      const size = (ends[at] - starts[at]) * scale;
      if (size < MERGED_BELOW) {
        if (merged && left > merged.right + 1) flush();
        const column = Math.max(Math.floor(left), drawnTo);
        merged ??= {left: column, right: column + 1, covered: [0, 0], spans: [null, null]};
        merged.right = Math.max(merged.right, column + 1);
        const kind = Number(this.gpus.has(device[spans[at]]));
        merged.covered[kind] += size;
        merged.spans[kind] ??= spans[at];
        // Eight columns at a time, so that the shade follows the density.
        if (merged.right - merged.left >= 8) flush();
        continue;
      }
      flush();
      const shown = Math.max(left, 0);
      const across = Math.min(left + size, width) - shown;
      const gap = across > 3 ? 0.6 : 0;
      const fill = colours.fill(spans[at]);
      context.fillStyle = fill;
      context.fillRect(shown, y + 1, across - gap, ROW - 2);
      marks += 1;
      if (across > 26) {
        context.fillStyle = inkOn(fill);
        context.fillText(fitted(context, nameOrNone(strings[operation[spans[at]]]), across - 7), shown + 4, y + ROW / 2 + 0.5);
      }
    }
    flush();
    return marks;
  }

  outline(context, {starts, ends}, y, scale, colours) {
    const {at} = this.selected;
    const left = Math.max(-4, (starts[at] - this.from) * scale);
    const right = Math.min(this.view.width + 4, (ends[at] - this.from) * scale);
    context.strokeStyle = colours.text;
    context.lineWidth = 2;
    context.strokeRect(left, y + 1, Math.max(3, right - left), ROW - 2);
  }

  ticks(view) {
    const wanted = Math.max(2, view.width / 110);
    const width = this.to - this.from;
    const step = roundSteps(width, wanted)[1] ?? width;
    const ticks = [];
    const first = Math.ceil((this.from - this.run.begin) / step);
    for (let index = first; ticks.length < 100; index += 1) {
      const offset = index * step;
      if (this.run.begin + offset > this.to) break;
      ticks.push(offset);
    }
    return {ticks, step};
  }

  grid(context, view, colours) {
    context.fillStyle = colours.grid;
    for (const offset of this.ticks(view).ticks) {
      context.fillRect(Math.round(this.across(offset + this.run.begin)), HEAD, 1, view.height);
    }
  }

  ruler(context, view, colours) {
    context.fillStyle = colours.muted;
    const {ticks, step} = this.ticks(view);
    const placesIn = ([, scale]) => Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
    // At high zoom, ticks differ in late digits only; then the unit of the step reads better.
    const large = timeUnit(ticks.at(-1) ?? step);
    const [unit, scale] = placesIn(large) <= 3 ? large : timeUnit(step);
    const places = placesIn([unit, scale]);
    for (const offset of ticks) {
      const text = offset === 0 ? "0" : `${(offset / scale).toFixed(places)} ${unit}`;
      const x = this.across(offset + this.run.begin);
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.max(2, Math.min(view.width - 2 * half - 2, x - half)), OVERVIEW + RULER / 2 + 2);
    }
    context.fillStyle = colours.line;
    context.fillRect(0, HEAD - 1, view.width, 1);
  }

  /** The overview of the whole run, with the part in view framed. */
  overview(context, view, colours) {
    const busy = this.density(Math.max(1, Math.floor(view.width)));
    context.fillStyle = colours.panel;
    context.fillRect(0, 0, view.width, HEAD);
    for (const [x, [onCpu, onGpu]] of busy.entries()) {
      const low = onCpu * (OVERVIEW - 6);
      const high = onGpu * (OVERVIEW - 6);
      context.fillStyle = colours.cpu;
      context.fillRect(x, OVERVIEW - 2 - low, 1, low);
      context.fillStyle = colours.gpu;
      context.fillRect(x, OVERVIEW - 2 - low - high, 1, high);
    }
    const [begin, end] = this.whole;
    const left = ((this.from - begin) / (end - begin)) * view.width;
    const right = ((this.to - begin) / (end - begin)) * view.width;
    context.fillStyle = colours.panel;
    context.globalAlpha = 0.72;
    context.fillRect(0, 0, left, OVERVIEW);
    context.fillRect(right, 0, view.width - right, OVERVIEW);
    context.globalAlpha = 1;
    context.strokeStyle = colours.muted;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), OVERVIEW - 1);
  }

  /** For each of `columns`, self time on the CPU and on GPUs, the busiest column being 1 high. */
  density(columns) {
    if (this.densities?.length === columns) return this.densities;
    const {run} = this;
    const [begin, end] = this.whole;
    const scale = columns / (end - begin);
    const sums = Array.from({length: columns}, () => [0, 0]);
    for (let span = 0; span < run.size; span += 1) {
      const first = Math.max(0, (run.start_ns[span] - begin) * scale);
      const last = Math.min(columns, first + run.total_ns[span] * scale);
      // Self time, spread evenly over the span: accurate to a pixel or two.
      const each = run.self_ns[span] / Math.max(last - first, 1e-9);
      const which = Number(this.gpus.has(run.device[span]));
      for (let x = Math.floor(first); x < last; x += 1) {
        sums[x][which] += each * (Math.min(last, x + 1) - Math.max(first, x));
      }
    }
    const most = sums.reduce((top, [a, b]) => Math.max(top, a + b), 0) || 1;
    this.densities = sums.map(([a, b]) => [a / most, b / most]);
    return this.densities;
  }

  across(when) {
    return ((when - this.from) / (this.to - this.from)) * this.view.width;
  }

  hit(x, y) {
    if (!this.view || y - this.view.top < HEAD) return null;
    const index = this.rows.findIndex(({top}) => y >= top && y < top + ROW);
    if (index < 0) return null;
    const {row} = this.rows[index];
    const nanosPerPixel = (this.to - this.from) / this.view.width;
    const when = this.from + x * nanosPerPixel;
    const at = firstEndingAfter(row, when - nanosPerPixel);
    return at < row.starts.length && row.starts[at] <= when + nanosPerPixel ? {row: index, at} : null;
  }

  describe({row, at}) {
    const {run} = this;
    const span = this.rows[row].row.spans[at];
    const parts = WAYS.filter(({key}) => run[`${key}_ns`][span] > 0)
      .map(({key, short}) => `${short} ${time(run[`${key}_ns`][span])}`);
    const elementType = run.strings[run.element[span]];
    const lines = [
      shortened(nameOrNone(run.strings[run.operation[span]]), 80) + (elementType ? ` ${elementType}` : ""),
      `${time(run.total_ns[span])} on ${run.strings[run.device[span]]}, from ${time(run.start_ns[span] - run.begin)}`,
    ];
    if (run.device_ns[span] >= 0) lines.push(`kernel ${time(run.device_ns[span])} by the device’s clock`);
    else if (isGpu(run.strings[run.device[span]])) lines.push("no time by the device’s clock");
    if (run.stream[span] >= 0) {
      lines.push(run.device_start_ns[span] >= 0
        ? `stream ${run.stream[span]}, started ${time(run.device_start_ns[span] - run.start_ns[span])} after the launch`
        : `stream ${run.stream[span]}`);
    }
    if (run.mem_peak[span]) {
      lines.push(`${bytes(run.mem_allocated[span])} admitted, ${bytes(run.mem_peak[span])} in use on the device at peak`);
    }
    if (parts.length) lines.push(`self time: ${parts.join(", ")}`);
    if (run.bytes_moved[span]) lines.push(`${bytes(run.bytes_moved[span])} moved between memories`);
    return lines;
  }

  select(mark) {
    this.selected = mark;
    this.stage.say(mark && this.describe(mark));
    if (mark) {
      const {row, top} = this.rows[mark.row];
      this.stage.reveal(top, ROW);
      const [start, end] = [row.starts[mark.at], row.ends[mark.at]];
      const width = this.to - this.from;
      if (end < this.from || start > this.to) this.show((start + end - width) / 2, (start + end + width) / 2);
    }
    this.stage.repaint();
  }

  key(event) {
    const width = this.to - this.from;
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step && event.shiftKey) this.show(this.from + (step * width) / 5, this.to + (step * width) / 5);
    else if (step) this.stepAlong(step);
    else if (event.key === "ArrowUp") this.stepAcross(-1);
    else if (event.key === "ArrowDown") this.stepAcross(1);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5, this.selectedPart());
    else if (event.key === "-") this.zoom(2, this.selectedPart());
    else if (event.key === "0" || event.key === "Home") this.show(...this.whole);
    else if (event.key === "Escape") this.select(null);
    else if (event.key === "Enter" && this.selected) this.zoomTo(this.selected);
    else return false;
    return true;
  }

  /** The position of the selected span in the view, which zooming preserves. */
  selectedPart() {
    if (!this.selected) return 0.5;
    const {row} = this.rows[this.selected.row];
    const middle = (row.starts[this.selected.at] + row.ends[this.selected.at]) / 2;
    return Math.max(0, Math.min(1, (middle - this.from) / (this.to - this.from)));
  }

  stepAlong(step) {
    if (!this.selected) return this.select(this.nearest(0));
    const {row} = this.rows[this.selected.row];
    const at = Math.max(0, Math.min(row.starts.length - 1, this.selected.at + step));
    return this.select({row: this.selected.row, at});
  }

  stepAcross(step) {
    if (!this.selected) return this.select(this.nearest(0));
    const row = this.selected.row + step;
    return row < 0 || row >= this.rows.length ? undefined : this.select(this.nearest(row));
  }

  /** The span of a row closest to the selected one, or to the left edge. */
  nearest(row) {
    const lies = this.rows[row].row;
    const when = this.selected ? this.rows[this.selected.row].row.starts[this.selected.at] : this.from;
    return {row, at: Math.min(lies.starts.length - 1, firstEndingAfter(lies, when))};
  }

  zoomTo({row, at}) {
    const {starts, ends} = this.rows[row].row;
    const margin = Math.max((ends[at] - starts[at]) * 0.1, CLOSEST_NS / 4);
    this.show(starts[at] - margin, ends[at] + margin);
  }

  centre(x) {
    const [begin, end] = this.whole;
    const middle = begin + (x / this.view.width) * (end - begin);
    const width = this.to - this.from;
    this.show(middle - width / 2, middle + width / 2);
  }
}
