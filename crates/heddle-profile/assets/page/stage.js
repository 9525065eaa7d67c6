// A canvas inside a scrolling window, for the two charts that have too many marks for
// elements: the timeline and the flame graph. Only what is in view is drawn.

const STAGE_TALLEST = 460;

/**
 * `scene` has `height(width)`, `draw(context, view)`, `hit(x, y)` (a mark or null),
 * `describe(mark)` (lines of text), and `key(event)` which returns true when it used
 * the key. `y` counts from the top of the whole content.
 */
function stage(label, help, scene) {
  const canvas = element("canvas", {"aria-hidden": "true"});
  const spacer = element("div", {class: "stage-spacer"});
  const tip = element("div", {class: "tip", hidden: true});
  const helpId = freshId("help");
  const said = element("p", {class: "said", "aria-live": "polite"});
  const frame = element("div", {
    class: "stage", tabindex: "0", role: "application", "aria-label": label, "aria-describedby": helpId,
  }, canvas, spacer);
  const host = element("div", {class: "stage-host"},
    frame, tip, said, element("p", {class: "help", id: helpId}, help));
  const view = {width: 0, height: 0, top: 0, marks: 0};
  let waiting = 0;

  const measure = () => {
    const width = frame.clientWidth;
    if (width === 0) return false;
    const whole = scene.height(width);
    const height = Math.min(STAGE_TALLEST, whole);
    frame.style.height = `${height}px`;
    spacer.style.height = `${Math.max(0, whole - height)}px`;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    Object.assign(view, {width, height, top: frame.scrollTop, ratio});
    return true;
  };

  const paint = () => {
    waiting = 0;
    if (!host.isConnected || !measure()) return;
    const context = canvas.getContext("2d");
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    const began = performance.now();
    view.marks = 0;
    scene.draw(context, view);
    // The number of marks and the time of a paint are public, for tests.
    canvas.dataset.marks = String(view.marks);
    canvas.dataset.paintMs = (performance.now() - began).toFixed(2);
  };
  const repaint = () => {
    waiting ||= requestAnimationFrame(paint);
  };

  const at = (event) => {
    const box = frame.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top + frame.scrollTop};
  };
  const showTip = (event) => {
    const {x, y} = at(event);
    const mark = scene.hit(x, y);
    tip.hidden = mark === null;
    if (mark === null) return;
    const [first, ...rest] = scene.describe(mark);
    tip.replaceChildren(element("strong", {}, first), ...rest.map((line) => element("div", {}, line)));
    const left = Math.max(4, Math.min(x + 14, view.width - tip.offsetWidth - 4));
    const below = y - frame.scrollTop + 18;
    const fits = below + tip.offsetHeight < view.height + 40;
    tip.style.left = `${left}px`;
    tip.style.top = `${fits ? below : Math.max(0, below - tip.offsetHeight - 32)}px`;
  };
  frame.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 0) showTip(event);
  });
  frame.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  frame.addEventListener("scroll", () => {
    tip.hidden = true;
    repaint();
  });
  frame.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !scene.key(event)) return;
    event.preventDefault();
    tip.hidden = true;
    repaint();
  });
  new ResizeObserver(repaint).observe(frame);
  repaints.add(paint);

  return {
    host,
    window: frame,
    repaint,
    at,
    say: (lines) => said.replaceChildren(...(lines ? [element("strong", {}, lines[0]), ` ${lines.slice(1).join(" · ")}`] : [])),
    hideTip: () => {
      tip.hidden = true;
    },
    /** Scrolls so that a band of the content is in view. */
    reveal: (top, height) => {
      if (top < frame.scrollTop + 60) frame.scrollTop = Math.max(0, top - 60);
      else if (top + height > frame.scrollTop + view.height) frame.scrollTop = top + height - view.height + 8;
    },
  };
}

/** A label cut to fit, or nothing where not even three letters would. */
function fitted(context, name, width) {
  if (width < 22) return "";
  const line = oneLine(name);
  if (context.measureText(line).width <= width) return line;
  // Letters are some 6 px wide at this size: close enough to aim at, then corrected.
  for (let limit = Math.floor(width / 5.5); limit >= 3; limit = Math.floor(limit * 0.85)) {
    const text = `${Array.from(line).slice(0, limit - 1).join("")}…`;
    if (context.measureText(text).width <= width) return text;
  }
  return "";
}

function canvasFont(size) {
  return `${size}px ${getComputedStyle(document.body).fontFamily}`;
}
