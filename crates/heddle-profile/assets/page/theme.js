// Light and dark: the system's setting, unless the user chose one.

const THEMES = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]];
const DARK = window.matchMedia("(prefers-color-scheme: dark)");

function applyTheme(wish) {
  const dark = wish === "dark" || (wish === "auto" && DARK.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  repaintAll();
}

function themeChoice() {
  let wish = "auto";
  DARK.addEventListener("change", () => applyTheme(wish));
  // Paper is white whatever the screen was, and as wide as the style sheet says: charts
  // must have that width before the browser lays out its pages.
  window.addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    document.documentElement.dataset.theme = "light";
    repaintAll();
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    applyTheme(wish);
  });
  applyTheme(wish);
  return choice("Colours", THEMES, wish, (chosen) => {
    wish = chosen;
    applyTheme(wish);
  });
}
