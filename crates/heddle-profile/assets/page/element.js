// Builds elements from code: text is never parsed as markup.

/** `element("p", {class: "note", onclick: f}, "text", child)`; null children are left out. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

let lastNumber = 0;

/** An id that is unique in the document. */
function freshId(stem) {
  lastNumber += 1;
  return `${stem}-${lastNumber}`;
}

/** Announces a change of the page to screen readers. */
function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** A row of buttons of which one is pressed. `choices` are `[value, label]`. */
function choice(label, choices, chosen, onchoose) {
  const buttons = choices.map(([value, text]) =>
    element("button", {
      type: "button",
      "aria-pressed": String(value === chosen),
      onclick: () => {
        for (const [index, button] of buttons.entries()) {
          button.setAttribute("aria-pressed", String(choices[index][0] === value));
        }
        onchoose(value);
      },
    }, text));
  return element("div", {class: "choice", role: "group", "aria-label": label}, buttons);
}
