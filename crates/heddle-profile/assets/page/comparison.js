// Two runs, operation by operation: which calls are compared, as in the crate's
// `compare`. The statistics are in `ratio.js`.

const VERDICTS = ["worse", "better", "inconclusive", "no change", "gone", "new"];

/** One row per operation and element of either run, the largest change of total time first. */
function compareRuns(before, after) {
  const olds = callsOf(before);
  const news = callsOf(after);
  const partOfRun = (key) => Math.max(olds.get(key)?.share ?? 0, news.get(key)?.share ?? 0);
  const lookedAt = [...olds.keys()].filter((key) => news.has(key) && partOfRun(key) >= RULES.least_share).length;
  const rows = [];
  for (const key of new Set([...olds.keys(), ...news.keys()])) {
    const old = olds.get(key) ?? null;
    const now = news.get(key) ?? null;
    const either = now ?? old;
    rows.push({
      key,
      operation: nameOrNone(either.operation),
      element: either.element,
      device: sortedDevices(new Set([...(old?.devices ?? []), ...(now?.devices ?? [])])).join(", "),
      old,
      now,
      ...changeOf(old, now, lookedAt),
      share: partOfRun(key),
      stake: Math.abs((now?.total ?? 0) - (old?.total ?? 0)),
    });
  }
  return rows.sort((a, b) => b.stake - a.stake || (a.key < b.key ? -1 : 1));
}

/** The work of both runs, taken together: by self time, which counts nothing twice. */
function compareWhole(before, after) {
  const olds = callsOf(before);
  const news = callsOf(after);
  const strata = [];
  for (const [key, old] of olds) if (news.has(key)) for (const stratum of strataOf(old.own, news.get(key).own)) strata.push(stratum);
  return ratioOf(strata, 1);
}

/** The overall verdict of `heddle profile compare`: worse if any relevant operation is. */
function overallVerdict(before, after) {
  const memory = memoryVerdicts(before, after);
  const said = new Set([...memory, ...compareRuns(before, after)
    .filter(({share: part}) => part >= RULES.least_share).map(({verdict}) => verdict)]);
  if (said.has("worse")) return "worse";
  return said.has("better") ? "better" : compareWhole(before, after).verdict;
}

/** The calls of each operation and element in order, by amount of work and device. Computed once per run. */
function callsOf(run) {
  run.calls ??= gatherCalls(run);
  return run.calls;
}

function gatherCalls(run) {
  const found = new Map();
  let all = 0;
  for (let row = 0; row < run.size; row += 1) {
    const operation = run.strings[run.operation[row]];
    const elementType = run.strings[run.element[row]];
    const device = run.strings[run.device[row]];
    const key = `${operation}\u0000${elementType}`;
    if (!found.has(key)) {
      found.set(key, {operation, element: elementType, devices: new Set(), times: [], calls: 0, total: 0, self: 0, whole: new Map(), own: new Map()});
    }
    const each = found.get(key);
    each.devices.add(device);
    each.times.push(run.total_ns[row]);
    each.calls += 1;
    each.total += run.total_ns[row];
    each.self += run.self_ns[row];
    all += run.self_ns[row];
    addCall(each.whole, run.work[row], device, run.total_ns[row]);
    addCall(each.own, run.work[row], device, run.self_ns[row]);
  }
  for (const each of found.values()) {
    each.typical = typicalOf(each.times);
    each.share = all > 0 ? each.self / all : 0;
  }
  return found;
}

function addCall(byWork, work, device, ns) {
  if (!byWork.has(work)) byWork.set(work, new Map());
  const devices = byWork.get(work);
  if (!devices.has(device)) devices.set(device, []);
  devices.get(device).push(ns);
}

/** The same with amounts of work rounded to a power of two. */
function coarse(byWork) {
  const classes = new Map();
  for (const work of [...byWork.keys()].sort((a, b) => a - b)) {
    const power = Math.floor(Math.log2(Math.max(1, work)));
    for (const [device, times] of byWork.get(work)) for (const ns of times) addCall(classes, power, device, ns);
  }
  return classes;
}

/** Calls that did the same work before and after. */
function strataOf(before, after) {
  if (new Set([...before.keys(), ...after.keys()]).size > RULES.most_amounts) return matched(coarse(before), coarse(after));
  return matched(before, after);
}

function matched(before, after) {
  const strata = [];
  for (const [work, olds] of before) if (after.has(work)) strata.push(...matchDevices(olds, after.get(work)));
  return strata;
}

/** By device; calls that moved to another device are paired with those there, if they are more than a few. */
function matchDevices(olds, news) {
  const strata = [];
  let left = [];
  let came = [];
  let paired = 0;
  for (const device of [...new Set([...olds.keys(), ...news.keys()])].sort()) {
    const old = olds.get(device) ?? [];
    const now = news.get(device) ?? [];
    const both = Math.min(old.length, now.length);
    left = left.concat(old.slice(both));
    came = came.concat(now.slice(both));
    if (both) strata.push(stratumOf(old, now));
    paired += both;
  }
  const moved = Math.min(left.length, came.length);
  if (moved > 0 && moved >= RULES.least_moved * (paired + moved)) strata.push(stratumOf(left, came));
  return strata;
}

/** The change in the time of the same work, with its interval. */
function changeOf(old, now, lookedAt) {
  if (old === null || now === null) {
    return {change: null, low: null, high: null, verdict: old === null ? "new" : "gone"};
  }
  const found = ratioOf(strataOf(old.whole, now.whole), lookedAt);
  const less = (value) => (value === null ? null : value - 1);
  return {change: less(found.ratio), low: less(found.low), high: less(found.high), verdict: found.verdict};
}

/** The verdict on each device's peak memory: a run has one peak, so there is no uncertainty to measure. */
function memoryVerdicts(before, after) {
  const [olds, news] = peaksOf(before, after);
  return [...olds].filter(([device]) => news.has(device)).map(([device, old]) => {
    const now = news.get(device);
    const ratio = old || now ? now / Math.max(1, old) : 1;
    const exactly = {low: ratio, high: ratio};
    return verdictOf(exactly, exactly);
  });
}

/** Peak bytes in use in two runs, by device: from spans where both runs have them, else from samples. */
function peaksOf(before, after) {
  const peaks = [before, after].map(sampledPeaks);
  const seen = [before, after].map(spanPeaks);
  for (const device of peaks[0].keys()) {
    if (peaks[1].has(device) && seen[0].has(device) && seen[1].has(device)) {
      for (const which of [0, 1]) peaks[which].set(device, seen[which].get(device));
    }
  }
  return peaks;
}

function sampledPeaks(run) {
  const peaks = new Map();
  for (const {device, allocated} of run.memory) peaks.set(device, Math.max(peaks.get(device) ?? 0, allocated));
  return peaks;
}

function spanPeaks(run) {
  const peaks = new Map();
  for (let row = 0; row < run.size; row += 1) {
    const device = run.strings[run.device[row]];
    if (run.mem_peak[row] > 0) peaks.set(device, Math.max(peaks.get(device) ?? 0, run.mem_peak[row]));
  }
  return peaks;
}

/** Classes of work that the two runs sent to different devices, most operations first. */
function routingChanges(before, after) {
  const olds = routesOf(before);
  const news = routesOf(after);
  const rows = [];
  for (const [key, now] of news) {
    const old = olds.get(key);
    if (!old) continue;
    const devices = new Set([...old.devices.keys(), ...now.devices.keys()]);
    const moved = Math.max(...[...devices].map((device) => Math.abs(partOf(old, device) - partOf(now, device))));
    if (moved > 0.1) rows.push({old, now, moved, weight: old.count + now.count});
  }
  return rows.sort((a, b) => b.moved * b.weight - a.moved * a.weight);
}

function routesOf(run) {
  const routes = new Map();
  for (const {operation, element: elementType, size_class: size, device, count: times} of run.routing) {
    const key = `${operation}\u0000${elementType}\u0000${size}`;
    if (!routes.has(key)) routes.set(key, {operation, element: elementType, size, count: 0, devices: new Map()});
    const route = routes.get(key);
    route.count += times;
    route.devices.set(device, (route.devices.get(device) ?? 0) + times);
  }
  return routes;
}

function partOf(route, device) {
  return (route.devices.get(device) ?? 0) / route.count;
}
