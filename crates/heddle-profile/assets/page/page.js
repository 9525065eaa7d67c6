// The page: its runs, the run it shows, and the order of its parts.

const state = {
  /** The run of the page or the first one opened, then the second one. */
  runs: [],
  shown: 0,
  /** The index of the earlier of two runs. */
  before: 0,
};

const SECTIONS = [
  ["changes", "Changes"], ["bottlenecks", "Bottlenecks"], ["shares", "Operations"], ["breakdown", "Breakdown"],
  ["timeline", "Timeline"], ["flame", "Flame graph"], ["memory", "Memory"], ["routing", "Routing"], ["operations", "Table"],
];

function startPage() {
  document.getElementById("theme").append(themeChoice());
  document.getElementById("print").addEventListener("click", () => window.print());
  const input = document.getElementById("file");
  document.getElementById("open").addEventListener("click", () => input.click());
  listenForFiles(input, takeRun, complain);
  const embedded = document.getElementById("recording").textContent.trim();
  try {
    state.runs = [embedded ? readRecording(embedded, document.title) : demoRun()];
    showRuns();
  } catch (problem) {
    if (!(problem instanceof RecordingError)) throw problem;
    complain(problem.message);
  }
}

/** A recording replaces the demo; a second recording is compared with the first. */
function takeRun(run) {
  const [first] = state.runs;
  if (!first || first.isDemo) {
    state.runs = [run];
    announce(`Opened ${runName(run)}.`);
  } else {
    state.runs = [first, run];
    state.before = first.createdMs && run.createdMs && run.createdMs > first.createdMs ? 0 : 1;
    announce(`Comparing with ${runName(run)}.`);
  }
  state.shown = 0;
  complain(null);
  showRuns();
  window.scrollTo({top: 0});
}

function complain(message) {
  const box = document.getElementById("complaint");
  box.hidden = !message;
  box.textContent = message ?? "";
}

function showRuns() {
  document.documentElement.dataset.state = "drawing";
  repaints.clear();
  const run = state.runs[state.shown];
  const other = state.runs[1 - state.shown] ?? null;
  showHeader(run);
  const parts = [
    comparisonBar(),
    other ? changeFigure(state.runs[state.before], state.runs[1 - state.before]) : null,
    run.isDemo ? demoBanner() : null,
    ...notices(run),
    cards(run),
    spentBar(run),
    bottlenecksFigure(run),
    sharesFigure(run),
    meansFigure(run),
    breakdownFigure(run),
    timelineFigure(run),
    flameFigure(run, other),
    memoryFigure(run),
    routingFigure(run),
    countersFigure(run),
    operationsFigure(run),
  ].filter(Boolean);
  document.getElementById("parts").replaceChildren(...parts);
  showContents();
  repaintAll();
  drawn().then(() => {
    document.documentElement.dataset.state = "ready";
  });
}

function showHeader(run) {
  document.getElementById("run-name").textContent = run.isDemo ? "Demo: a made-up run" : shortened(runName(run), 80);
  const {cpu, cores, system, devices} = run.machine;
  const gpus = (devices ?? []).filter(({id}) => isGpu(id)).map(({id, name}) => (name ? `${name} (${id})` : id));
  const about = [
    run.createdMs ? new Date(run.createdMs).toISOString().replace("T", " ").slice(0, 16) + " UTC" : null,
    cpu ? `${cpu}${cores ? `, ${plural(cores, "core")}` : ""}` : null,
    ...gpus,
    system || null,
  ].filter(Boolean);
  document.getElementById("run-about").textContent = about.join(" · ") || "The machine is not recorded.";
  document.getElementById("open").textContent = run.isDemo ? "Open a recording…" : state.runs[1] ? "Compare another…" : "Compare with…";
}

function demoBanner() {
  return element("p", {class: "notice demo"},
    element("b", {}, "Demo. "),
    "Nothing here was measured. Drop a recording onto the page, or open one with the button above. It stays on this machine.");
}

function comparisonBar() {
  const [first, second] = state.runs;
  if (!second) return null;
  const names = [first, second].map((run) => shortened(runName(run), 30));
  return element("div", {class: "comparison"},
    element("div", {}, element("b", {}, names[state.before]), " before, ", element("b", {}, names[1 - state.before]), " after"),
    element("button", {type: "button", onclick: () => {
      state.before = 1 - state.before;
      showRuns();
    }}, "Swap"),
    element("div", {class: "labelled"}, element("span", {}, "Charts show"),
      choice("Charts show", names.map((name, index) => [index, name]), state.shown, (chosen) => {
        state.shown = chosen;
        showRuns();
      })),
    element("button", {type: "button", onclick: () => {
      state.runs = [first];
      state.shown = 0;
      showRuns();
    }}, "End comparison"));
}

function showContents() {
  document.getElementById("contents").replaceChildren(...SECTIONS
    .filter(([id]) => document.getElementById(id))
    .map(([id, label]) => element("a", {href: `#${id}`}, label)));
}

startPage();
