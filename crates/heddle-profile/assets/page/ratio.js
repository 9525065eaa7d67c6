// The ratio of the times of the same work, with its interval: the rule of the crate's
// `compare`, with its constants, so that the page and `heddle profile compare` reach
// the same verdict. A browser test compares the two.

const RULES = JSON.parse(document.getElementById("rules").textContent);

/** Calls that did the same work before and after, paired by their order. */
function stratumOf(before, after) {
  const pairs = Math.min(before.length, after.length);
  const side = (times) => {
    const calls = [];
    for (let index = 0; index < pairs; index += 1) {
      calls.push({ns: Math.max(1, times[index]), stretch: Math.floor((index * RULES.stretches) / pairs)});
    }
    return calls.sort((a, b) => a.ns - b.ns);
  };
  return {pairs, sides: [side(before), side(after)]};
}

/** The mean of the faster part of sorted calls, without one stretch; null if none is left. */
function fasterPart(calls, without) {
  let kept = 0;
  for (const {stretch} of calls) kept += stretch === without ? 0 : 1;
  const wanted = kept * RULES.faster_part;
  if (wanted <= 0) return null;
  let sum = 0;
  let weight = 0;
  for (const {ns, stretch} of calls) {
    if (stretch === without) continue;
    const part = Math.min(1, wanted - weight);
    if (part <= 0) break;
    sum += part * ns;
    weight += part;
  }
  return sum / weight;
}

/** The mean of the faster half of some times; null if there are none. */
function typicalOf(times) {
  return fasterPart([...times].sort((a, b) => a - b).map((ns) => ({ns, stretch: 0})), null);
}

function logRatio(strata, without) {
  let before = 0;
  let after = 0;
  for (const {pairs, sides} of strata) {
    const times = sides.map((side) => fasterPart(side, without));
    if (times[0] === null || times[1] === null) continue;
    before += pairs * times[0];
    after += pairs * times[1];
  }
  return before > 0 ? Math.log(after / before) : null;
}

/**
 * After as a multiple of before, with its interval where there are enough calls, and
 * the verdict among this many ratios.
 */
function ratioOf(strata, ratios) {
  const log = logRatio(strata, null);
  if (log === null) return {ratio: null, low: null, high: null, verdict: "inconclusive"};
  if (strata.every(({sides: [before, after]}) => before.every(({ns}, index) => ns === after[index].ns))) {
    return {ratio: Math.exp(log), low: 1, high: 1, verdict: "no change"};
  }
  const reached = new Set(strata.flatMap(({sides}) => [...new Set(sides[0].map(({stretch}) => stretch))]));
  const without = [];
  for (let stretch = 0; stretch < RULES.stretches; stretch += 1) {
    const left = reached.has(stretch) ? logRatio(strata, stretch) : null;
    if (left !== null) without.push(left);
  }
  const pairs = strata.reduce((sum, stratum) => sum + stratum.pairs, 0);
  if (pairs < RULES.least_count || without.length < RULES.least_stretches) {
    return {ratio: Math.exp(log), low: null, high: null, verdict: "inconclusive"};
  }
  const mean = without.reduce((sum, each) => sum + each, 0) / without.length;
  const squares = without.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const error = Math.sqrt((squares * (without.length - 1)) / without.length);
  const interval = (doubt) => {
    const margin = student(1 - doubt, without.length - 1) * error;
    return {low: Math.exp(log - margin), high: Math.exp(log + margin)};
  };
  const doubt = 1 - RULES.confidence;
  const found = interval(doubt);
  return {ratio: Math.exp(log), ...found, verdict: verdictOf(found, interval(doubt / Math.max(1, ratios)))};
}

/** A change needs the interval that holds among all ratios, no change the plain one. */
function verdictOf({low, high}, amongAll) {
  const slower = 1 + RULES.noise;
  const faster = 1 / slower;
  if (amongAll.low > slower) return "worse";
  if (amongAll.high < faster) return "better";
  return low >= faster && high <= slower ? "no change" : "inconclusive";
}

/** Student’s distribution, two-sided: Abramowitz and Stegun 26.7.5 on 26.2.23. */
function student(confidence, freedom) {
  const t = Math.sqrt(-2 * Math.log((1 - Math.min(Math.max(confidence, 0), 0.999999)) / 2));
  const z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return z + (z ** 3 + z) / (4 * freedom) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * freedom ** 4);
}
