// Parses a recording's file into a run: typed columns with every default filled in.
// No other file of the page knows the format.

const FORMAT = "heddle-profile";
const NEWEST_VERSION = 2;

const NUMBER_COLUMNS = [
  "start_ns", "total_ns", "self_ns", "gpu_ns", "cpu_ns", "transfer_ns", "overhead_ns",
  "bytes_in", "bytes_out", "bytes_moved", "work", "mem_allocated", "mem_peak",
];
// NaN stands for null in a typed column.
const OPTIONAL_COLUMNS = ["device_ns", "device_start_ns", "stream"];
const NAME_COLUMNS = ["operation", "element", "device", "backend"];

/** The error for a file that cannot be shown; its message says what was found and what to do. */
class RecordingError extends Error {}

/** Reads a recording of any version this page knows. */
function readRecording(text, fileName) {
  let file;
  try {
    file = JSON.parse(text);
  } catch (problem) {
    throw new RecordingError(`${fileName} is not JSON (${problem.message}). Choose a file that heddle wrote.`);
  }
  if (file === null || typeof file !== "object" || file.format !== FORMAT) {
    throw new RecordingError(
      `${fileName} is JSON, but not a recording of Heddle: it has no "format": "${FORMAT}". ` +
        "Choose a file that heddle wrote.",
    );
  }
  if (file.version === 1) return runOf(fromVersion1(file), fileName);
  if (file.version === NEWEST_VERSION) return runOf(file, fileName);
  throw new RecordingError(
    `${fileName} has format version ${JSON.stringify(file.version)}; this page reads up to ${NEWEST_VERSION}. ` +
      "Make the report again with the heddle that recorded it.",
  );
}

/** Version 1 has plain objects and no parents: every span is its own root. */
function fromVersion1(file) {
  const spans = Array.isArray(file.spans) ? file.spans : [];
  const strings = [];
  const known = new Map();
  const number = (text) => {
    if (!known.has(text)) known.set(text, strings.push(text) - 1);
    return known.get(text);
  };
  const column = (of) => spans.map(of);
  const computing = (span) => Math.max(0, span.total_ns - span.transfer_ns - span.overhead_ns);
  const threads = [...new Set(column((span) => span.thread))].sort((a, b) => a - b);
  return {
    ...file,
    label: "",
    counts: {
      recorded: spans.length + file.overwritten,
      kept: spans.length,
      written: spans.length,
      overwritten: file.overwritten,
      sampled_one_in: 1,
      cap_reached: false,
    },
    threads: threads.map((id) => ({id, name: ""})),
    strings,
    spans: {
      count: spans.length,
      ...Object.fromEntries(NAME_COLUMNS.map((name) => [name, column((span) => number(span[name]))])),
      ...Object.fromEntries(
        ["start_ns", "total_ns", "device_ns", "transfer_ns", "overhead_ns", "bytes_in", "bytes_out",
          "bytes_moved", "work", "thread"].map((name) => [name, column((span) => span[name])]),
      ),
      self_ns: column((span) => span.total_ns),
      gpu_ns: column((span) => (isGpu(span.device) ? computing(span) : 0)),
      cpu_ns: column((span) => (isGpu(span.device) ? 0 : computing(span))),
    },
  };
}

function runOf(file, fileName) {
  const damaged = (what) =>
    new RecordingError(`${fileName} is damaged: ${what}. Record the run again, or write the file again.`);
  const {spans, strings} = file;
  const size = spans?.count;
  if (!Number.isInteger(size) || size < 0) throw damaged("its spans have no count");
  if (!Array.isArray(strings)) throw damaged("it has no table of strings");

  const column = (name, Type, missing) => {
    const values = spans[name];
    if (values === undefined) return new Type(size).fill(missing);
    if (!Array.isArray(values) || values.length !== size) throw damaged(`column ${name} does not have ${size} values`);
    return Number.isNaN(missing) ? Type.from(values, (value) => value ?? missing) : new Type(values);
  };
  const columns = {};
  for (const name of NUMBER_COLUMNS) columns[name] = column(name, Float64Array, 0);
  for (const name of OPTIONAL_COLUMNS) columns[name] = column(name, Float64Array, NaN);
  for (const name of NAME_COLUMNS) {
    columns[name] = column(name, Uint32Array, 0);
    if (columns[name].some((index) => index >= strings.length)) throw damaged(`column ${name} refers to a missing string`);
  }
  columns.thread = column("thread", Float64Array, 0);
  columns.parent = column("parent", Int32Array, -1);
  // A parent that does not come first would allow a cycle.
  for (let row = 0; row < size; row += 1) if (columns.parent[row] >= row) columns.parent[row] = -1;

  let begin = Infinity;
  let end = -Infinity;
  for (let row = 0; row < size; row += 1) {
    begin = Math.min(begin, columns.start_ns[row]);
    end = Math.max(end, columns.start_ns[row] + columns.total_ns[row]);
    if (columns.device_ns[row] >= 0 && columns.device_start_ns[row] >= 0) {
      begin = Math.min(begin, columns.device_start_ns[row]);
      end = Math.max(end, columns.device_start_ns[row] + columns.device_ns[row]);
    }
  }
  const counts = {recorded: size, kept: size, written: size, overwritten: 0, sampled_one_in: 1, cap_reached: false, ...file.counts};
  return {
    fileName,
    label: file.label || "",
    createdMs: file.created_unix_ms || 0,
    machine: file.machine ?? {},
    counts,
    threadNames: new Map((file.threads ?? []).map(({id, name}) => [id, name || `thread ${id}`])),
    strings: strings.map(String),
    size,
    ...columns,
    begin: size ? begin : 0,
    end: size ? end : 0,
    memory: file.memory ?? [],
    routing: file.routing ?? [],
    counters: {fallbacks: [], batches: [], pools: [], ...file.counters},
    isDemo: false,
  };
}

/** The run's display name: its label, else its file. */
function runName(run) {
  return run.label || run.fileName;
}

function threadName(run, id) {
  return run.threadNames.get(id) ?? `thread ${id}`;
}

/** Spans that computed for less than this are shorter than the clock can measure. */
const LEAST_COMPUTING_NS = 1000;

/** A device's largest memory rate: from its description, else the best rate of this run, else null. */
function bandwidthCeiling(run, device) {
  run.ceilings ??= bestRates(run);
  return run.machine.devices?.find(({id}) => id === device)?.bandwidth_bytes_per_s ?? run.ceilings.get(device) ?? null;
}

function bestRates(run) {
  const best = new Map();
  for (let row = 0; row < run.size; row += 1) {
    const computing = run.device_ns[row] >= 0 ? run.device_ns[row] : run.gpu_ns[row] + run.cpu_ns[row];
    const moved = run.bytes_in[row] + run.bytes_out[row];
    if (computing < LEAST_COMPUTING_NS || moved === 0 || run.strings[run.backend[row]] === "scope") continue;
    const device = run.strings[run.device[row]];
    best.set(device, Math.max(best.get(device) ?? 0, (moved / computing) * 1e9));
  }
  return best;
}
