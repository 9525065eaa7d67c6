// Mouse, wheel and touch input of the timeline. Keys are in timeline.js.

function listenForGestures(timeline) {
  const {window: target, at} = timeline.stage;
  const fingers = new Map();
  let began = null;
  target.addEventListener("wheel", (event) => {
    const {x} = at(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      timeline.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.004))), x / timeline.view.width);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const by = ((event.deltaX || event.deltaY) / timeline.view.width) * (timeline.to - timeline.from);
      timeline.show(timeline.from + by, timeline.to + by);
    }
  }, {passive: false});
  target.addEventListener("pointerdown", (event) => {
    const {x, y} = at(event);
    fingers.set(event.pointerId, x);
    const inOverview = y - target.scrollTop < OVERVIEW;
    began = {x, from: timeline.from, to: timeline.to, inOverview, moved: false};
    if (inOverview) timeline.centre(x);
    if (event.pointerType === "mouse") target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId) || !began) return;
    const {x} = at(event);
    const others = [...fingers].filter(([id]) => id !== event.pointerId);
    if (others.length) {
      const fixed = others[0][1];
      const [was, is] = [Math.abs(fingers.get(event.pointerId) - fixed), Math.abs(x - fixed)];
      if (was > 10 && is > 10) timeline.zoom(was / is, fixed / timeline.view.width);
    } else if (began.inOverview) {
      timeline.centre(x);
    } else if (Math.abs(x - began.x) > 3 || began.moved) {
      began.moved = true;
      timeline.stage.hideTip();
      const by = ((began.x - x) / timeline.view.width) * (began.to - began.from);
      timeline.show(began.from + by, began.to + by);
    }
    fingers.set(event.pointerId, x);
  });
  const lift = (event) => {
    if (event.type === "pointerup" && began && !began.moved && !began.inOverview && fingers.size === 1) {
      const {x, y} = at(event);
      timeline.select(timeline.hit(x, y));
    }
    fingers.delete(event.pointerId);
  };
  target.addEventListener("pointerup", lift);
  target.addEventListener("pointercancel", lift);
  target.addEventListener("dblclick", (event) => {
    const {x, y} = at(event);
    const mark = timeline.hit(x, y);
    if (mark) timeline.zoomTo(mark);
    else timeline.zoom(0.5, x / timeline.view.width);
  });
}
