// The flame graph: the call tree with the time of each path. The root is at the top, so
// that a shallow graph needs no scrolling and a deep one scrolls down.

const FLAME_ROW = 19;
const THINNEST = 0.4;

const FLAME_HELP =
  "Click or press Enter to make a frame the full width, Escape to go back. Keys: ← → between siblings, ↑ to the enclosing span, ↓ to a span inside.";

/** `other` is the run to compare with, or null. */
function flameFigure(run, other) {
  if (!run.size) {
    return figure({id: "flame", wide: true, title: "Flame graph", missing: "No spans were recorded."});
  }
  const flame = new Flame(run, other);
  const {nodes, depth} = treeOf(run);
  const first = nodes[nodes[0].children[0]];
  const nested = depth > 1;
  return figure({
    id: "flame",
    wide: true,
    title: nested
      ? `${share(first.total / (nodes[0].total || 1))} of the time was inside ${shortened(first.name, 32)}`
      : `No span ran inside another; ${shortened(first.name, 32)} took ${share(first.total / (nodes[0].total || 1))} of the time`,
    about: "Enclosing spans above, the spans inside them below; the width is time, all threads together. Colour is the device with most of a frame’s self time.",
    controls: [
      other ? choice("Colour by", [[false, "Device"], [true, "Change"]], false, (chosen) => flame.colourByChange(chosen)) : null,
      element("input", {
        type: "search", placeholder: "Find a name", "aria-label": "Find a name in the flame graph",
        oninput: (event) => flame.find(event.target.value),
      }),
    ].filter(Boolean),
    body: element("div", {}, flame.explanation, flame.stage.host),
  });
}

class Flame {
  constructor(run, other) {
    const {nodes, depth} = treeOf(run);
    this.run = run;
    this.nodes = nodes;
    this.depth = depth;
    this.root = 0;
    this.selected = null;
    this.sought = "";
    this.changes = other ? changesByPath(nodes, treeOf(other).nodes) : null;
    this.byChange = false;
    this.explanation = element("div", {});
    this.stage = stage(`Flame graph of ${plural(nodes.length - 1, "frame")}`, FLAME_HELP, this);
    this.explain();
    this.listen();
  }

  height() {
    return (this.depth + 1) * FLAME_ROW + 4;
  }

  explain() {
    const devices = sortedDevices(new Set(this.nodes.slice(1).map(({device}) => device)));
    this.explanation.replaceChildren(this.byChange
      ? legend([["worse", "more time than before"], ["faint", "about the same"], ["better", "less time than before"]])
      : deviceLegend(devices));
  }

  colourByChange(chosen) {
    this.byChange = chosen;
    this.explain();
    this.stage.repaint();
  }

  find(text) {
    this.sought = text.trim().toLowerCase();
    if (this.sought) {
      const found = this.nodes.filter((node, index) => index > 0 && this.matches(node));
      const inside = found.filter((node) => !this.hasMatchingCaller(node));
      const part = inside.reduce((sum, {total}) => sum + total, 0) / (this.nodes[0].total || 1);
      this.stage.say([`${plural(found.length, "frame")} found,`, `${share(part)} of the time in them, with the spans inside`]);
    } else {
      this.stage.say(null);
    }
    this.stage.repaint();
  }

  matches(node) {
    return node.name.toLowerCase().includes(this.sought);
  }

  hasMatchingCaller(node) {
    for (let at = node.parent; at > 0; at = this.nodes[at].parent) if (this.matches(this.nodes[at])) return true;
    return false;
  }

  /** The frame's position: `[x, width, y]`, or null if it is not in view. */
  frame(index) {
    const node = this.nodes[index];
    const base = this.nodes[this.root];
    if (this.callers.has(index)) return [0, this.view.width, node.depth * FLAME_ROW];
    const scale = this.view.width / (base.total || 1);
    const x = (node.from - base.from) * scale;
    const width = node.total * scale;
    return x + width < 0 || x > this.view.width || width < THINNEST ? null : [x, width, node.depth * FLAME_ROW];
  }

  draw(context, view) {
    this.view = view;
    this.callers = new Set();
    for (let at = this.root; at >= 0; at = this.nodes[at].parent) this.callers.add(at);
    context.font = canvasFont(11.5);
    context.textBaseline = "middle";
    const paint = this.paint();
    // Only children of drawn frames are drawn: a frame too thin hides its whole subtree.
    const waiting = [0];
    while (waiting.length) {
      const index = waiting.pop();
      const place = this.frame(index);
      if (!place) continue;
      const within = this.callers.has(index) && index !== this.root
        ? this.nodes[index].children.filter((child) => this.callers.has(child))
        : this.nodes[index].children;
      waiting.push(...within);
      this.drawFrame(context, index, place, paint);
    }
  }

  paint() {
    const devices = new Map();
    return {
      panel: colour("panel"), text: colour("text"), faint: colour("faint"), worse: colour("worse"), better: colour("better"),
      ofDevice: (name) => {
        if (!devices.has(name)) devices.set(name, deviceColour(name));
        return devices.get(name);
      },
    };
  }

  fill(index, paint) {
    const node = this.nodes[index];
    if (index === 0) return paint.faint;
    if (this.byChange) {
      const difference = this.changes[index];
      const strength = Math.min(1, Math.abs(difference) / 0.5);
      return Math.abs(difference) < RULES.noise ? paint.faint : mixed(paint.faint, difference > 0 ? paint.worse : paint.better, 0.3 + 0.7 * strength);
    }
    // Neighbours of one device differ a little, or a row would be one bar; shades stay
    // away from the text colour, so that names are readable.
    const base = paint.ofDevice(node.device);
    return mixed(base, inkOn(base) === "#ffffff" ? "#000000" : "#ffffff", (index % 3) * 0.12);
  }

  drawFrame(context, index, [x, width, top], paint) {
    const y = top - this.view.top;
    if (y < -FLAME_ROW || y > this.view.height) return;
    const left = Math.max(0, x);
    const across = Math.min(this.view.width, x + width) - left;
    const dimmed = this.sought && index > 0 && !this.matches(this.nodes[index]);
    const fill = dimmed ? mixed(this.fill(index, paint), paint.panel, 0.75) : this.fill(index, paint);
    context.fillStyle = fill;
    context.fillRect(left, y + 1, Math.max(THINNEST, across - (across > 3 ? 1 : 0)), FLAME_ROW - 2);
    this.view.marks += 1;
    if (across > 28) {
      context.fillStyle = inkOn(fill);
      context.fillText(fitted(context, this.nodes[index].name, across - 8), left + 4, y + FLAME_ROW / 2 + 0.5);
    }
    if (this.selected === index) {
      context.strokeStyle = paint.text;
      context.lineWidth = 2;
      context.strokeRect(left + 1, y + 1, Math.max(2, across - 2), FLAME_ROW - 2);
    }
  }

  hit(x, y) {
    if (!this.view) return null;
    const depth = Math.floor(y / FLAME_ROW);
    let index = 0;
    while (this.nodes[index].depth < depth) {
      const next = this.nodes[index].children.find((child) => {
        const place = this.callers.has(index) && index !== this.root && !this.callers.has(child) ? null : this.frame(child);
        return place && x >= place[0] && x < place[0] + Math.max(1, place[1]);
      });
      if (next === undefined) return null;
      index = next;
    }
    return index;
  }

  describe(index) {
    const node = this.nodes[index];
    const whole = this.nodes[0].total || 1;
    if (index === 0) return [node.name, `${time(node.total)} in ${plural(this.run.size, "span")}`];
    const lines = [
      shortened(node.name, 80),
      `${time(node.total)}, ${share(node.total / whole)} of all time, ${plural(node.calls, "call")}`,
      `self time ${time(node.self)}, mostly on ${node.device}`,
    ];
    if (this.changes) {
      const difference = this.changes[index];
      lines.push(difference === Infinity ? "not in the other run" : `${change(difference)} against the other run`);
    }
    return lines;
  }

  select(index) {
    this.selected = index;
    this.stage.say(index === null ? null : this.describe(index));
    if (index !== null) this.stage.reveal(this.nodes[index].depth * FLAME_ROW, FLAME_ROW);
    this.stage.repaint();
  }

  zoomTo(index) {
    this.root = index;
    this.select(index);
  }

  key(event) {
    const at = this.selected ?? this.root;
    const {parent, children} = this.nodes[at];
    const siblings = parent < 0 ? [at] : this.nodes[parent].children;
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (step) this.select(siblings[Math.max(0, Math.min(siblings.length - 1, siblings.indexOf(at) + step))]);
    else if (event.key === "ArrowUp") this.select(Math.max(0, parent));
    else if (event.key === "ArrowDown") this.select(children[0] ?? at);
    else if (event.key === "Enter" || event.key === " ") this.zoomTo(at);
    else if (event.key === "Escape" || event.key === "Home" || event.key === "0") this.zoomTo(0);
    else return false;
    return true;
  }

  listen() {
    this.stage.window.addEventListener("click", (event) => {
      const {x, y} = this.stage.at(event);
      const index = this.hit(x, y);
      if (index !== null) this.zoomTo(index);
    });
  }
}

/** For each node, the change of its time against the node of the same path in the other tree. */
function changesByPath(nodes, others) {
  const totals = new Map(others.map((node, index) => [pathOf(others, index), node.total]));
  return nodes.map((node, index) => {
    const before = totals.get(pathOf(nodes, index));
    return before ? node.total / before - 1 : Infinity;
  });
}
