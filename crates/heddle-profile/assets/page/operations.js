// The spans of a run, grouped by operation, element type and device: the figures
// behind every chart but the timeline and the flame graph.

/**
 * One group per operation, element and device, largest self time first.
 * Computed once per run.
 */
function operationsOf(run) {
  run.operations ??= gather(run);
  return run.operations;
}

function gather(run) {
  const groups = new Map();
  const groupOf = new Uint32Array(run.size);
  const list = [];
  const base = run.strings.length || 1;
  for (let row = 0; row < run.size; row += 1) {
    const key = (run.operation[row] * base + run.element[row]) * base + run.device[row];
    let index = groups.get(key);
    if (index === undefined) {
      index = list.length;
      groups.set(key, index);
      list.push(emptyGathering(run, row));
    }
    groupOf[row] = index;
    addSpan(list[index], run, row);
  }
  for (const gathering of list) gathering.durations = new Float64Array(gathering.calls);
  const filled = new Uint32Array(list.length);
  for (let row = 0; row < run.size; row += 1) {
    const index = groupOf[row];
    list[index].durations[filled[index]] = run.total_ns[row];
    filled[index] += 1;
  }
  const all = list.reduce((sum, gathering) => sum + gathering.self, 0);
  for (const gathering of list) finish(gathering, run, all);
  return list.sort((a, b) => b.self - a.self || (a.key < b.key ? -1 : 1));
}

function emptyGathering(run, row) {
  const operation = nameOrNone(run.strings[run.operation[row]]);
  const elementType = run.strings[run.element[row]];
  const device = run.strings[run.device[row]];
  return {
    operation,
    element: elementType,
    device,
    key: `${operation}\u0000${elementType}\u0000${device}`,
    backends: new Set(),
    calls: 0, total: 0, self: 0, gpu: 0, cpu: 0, transfer: 0, overhead: 0,
    min: Infinity, max: 0,
    clocked: 0, computing: 0, computed: 0, moved: 0, allocated: 0, peak: 0,
  };
}

function addSpan(to, run, row) {
  const total = run.total_ns[row];
  to.calls += 1;
  to.total += total;
  to.self += run.self_ns[row];
  to.gpu += run.gpu_ns[row];
  to.cpu += run.cpu_ns[row];
  to.transfer += run.transfer_ns[row];
  to.overhead += run.overhead_ns[row];
  to.min = Math.min(to.min, total);
  to.max = Math.max(to.max, total);
  to.moved += run.bytes_moved[row];
  to.allocated = Math.max(to.allocated, run.mem_allocated[row]);
  to.peak = Math.max(to.peak, run.mem_peak[row]);
  to.backends.add(run.strings[run.backend[row]]);
  const onDevice = run.device_ns[row];
  if (onDevice >= 0) to.clocked += 1;
  to.computed += run.bytes_in[row] + run.bytes_out[row];
  to.computing += onDevice >= 0 ? onDevice : run.gpu_ns[row] + run.cpu_ns[row];
}

function finish(gathering, run, all) {
  const {durations, calls} = gathering;
  durations.sort();
  gathering.mean = gathering.total / calls;
  let squares = 0;
  for (const duration of durations) squares += (duration - gathering.mean) ** 2;
  gathering.deviation = calls > 1 ? Math.sqrt(squares / (calls - 1)) : 0;
  gathering.p50 = quantile(durations, 0.5);
  gathering.p95 = quantile(durations, 0.95);
  gathering.p99 = quantile(durations, 0.99);
  gathering.share = all > 0 ? gathering.self / all : 0;
  gathering.isScope = gathering.backends.has("scope");
  gathering.backend = [...gathering.backends].sort().join(", ");
  gathering.bandwidth = gathering.computed > 0 && gathering.computing > 0
    ? (gathering.computed / gathering.computing) * 1e9
    : null;
  const ceiling = bandwidthCeiling(run, gathering.device);
  gathering.utilisation = ceiling && gathering.bandwidth !== null ? Math.min(1, gathering.bandwidth / ceiling) : null;
  // Only a GPU has a clock of its own.
  gathering.proof = isGpu(gathering.device) ? gathering.clocked / calls : null;
}

/** The smallest value with at least `part` of the sorted values at or below it. */
function quantile(sorted, part) {
  return sorted.length ? sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] : NaN;
}

/** The displayed name, which is never empty. */
function nameOrNone(name) {
  return name || "(no name)";
}

/** `matmul f32`: the operation with its element type, where it has one. */
function operationName(gathering) {
  const name = nameOrNone(gathering.operation);
  return gathering.element ? `${name} ${gathering.element}` : name;
}

/** The name with its device, where another device ran the same. */
function nameAmong(list, gathering) {
  const name = operationName(gathering);
  return list.some((other) => other !== gathering && operationName(other) === name) ? `${name} · ${gathering.device}` : name;
}

/** Sums over a whole run. */
function totalsOf(run) {
  run.totals ??= operationsOf(run).reduce(
    (sums, each) => {
      for (const key of ["self", "gpu", "cpu", "transfer", "overhead", "moved"]) sums[key] += each[key];
      if (isGpu(each.device)) {
        sums.onGpu += each.calls;
        sums.clocked += each.clocked;
      }
      return sums;
    },
    {self: 0, gpu: 0, cpu: 0, transfer: 0, overhead: 0, moved: 0, onGpu: 0, clocked: 0},
  );
  return run.totals;
}

/** Devices of a run: the CPU first, then GPUs by name and number. */
function devicesOf(run) {
  const names = new Set(operationsOf(run).map(({device}) => device));
  for (const sample of run.memory) names.add(sample.device);
  return sortedDevices(names);
}

function sortedDevices(names) {
  return [...names].sort(
    (a, b) => Number(isGpu(a)) - Number(isGpu(b)) || a.localeCompare(b, "en", {numeric: true}),
  );
}
