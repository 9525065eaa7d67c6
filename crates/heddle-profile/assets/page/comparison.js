// Two runs, operation by operation. A verdict needs a confidence interval: a change
// that the scatter of the measurements could explain is not called one.

const CONFIDENCE_95 = 1.96;
/** Changes smaller than this are noise between two runs of one program. */
const NOISE = 0.05;
const VERDICTS = ["worse", "better", "inconclusive", "no change", "gone", "new"];

/** One row per operation, element and device of either run, the most time at stake first. */
function compareRuns(before, after) {
  const olds = new Map(operationsOf(before).map((each) => [each.key, each]));
  const news = new Map(operationsOf(after).map((each) => [each.key, each]));
  const rows = [];
  for (const key of new Set([...olds.keys(), ...news.keys()])) {
    const old = olds.get(key) ?? null;
    const now = news.get(key) ?? null;
    const either = now ?? old;
    rows.push({
      key,
      operation: either.operation,
      element: either.element,
      device: either.device,
      old,
      now,
      ...changeOf(old, now),
      stake: Math.abs((now?.total ?? 0) - (old?.total ?? 0)),
    });
  }
  return rows.sort((a, b) => b.stake - a.stake || (a.key < b.key ? -1 : 1));
}

/** How the mean time of one call changed, with the interval that holds it 95 times in 100. */
function changeOf(old, now) {
  if (old === null || now === null) {
    return {change: null, low: null, high: null, verdict: old === null ? "new" : "gone"};
  }
  if (old.mean === 0 || now.mean === 0) return {change: null, low: null, high: null, verdict: "inconclusive"};
  const ratio = now.mean / old.mean;
  if (old.calls < 2 || now.calls < 2) {
    return {change: ratio - 1, low: null, high: null, verdict: "inconclusive"};
  }
  // On the logarithm of the ratio, where an interval is symmetric; the delta method.
  const spread = Math.sqrt(relativeVariance(old) + relativeVariance(now));
  const low = ratio * Math.exp(-CONFIDENCE_95 * spread) - 1;
  const high = ratio * Math.exp(CONFIDENCE_95 * spread) - 1;
  return {change: ratio - 1, low, high, verdict: verdictOf(low, high)};
}

function relativeVariance({deviation, mean, calls}) {
  return (deviation / mean) ** 2 / calls;
}

function verdictOf(low, high) {
  if (low > NOISE) return "worse";
  if (high < -NOISE) return "better";
  if (low >= -NOISE && high <= NOISE) return "no change";
  return "inconclusive";
}

/** Most bytes in use at once, by device. */
function peaksOf(run) {
  const peaks = new Map();
  for (const {device, allocated} of run.memory) peaks.set(device, Math.max(peaks.get(device) ?? 0, allocated));
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
