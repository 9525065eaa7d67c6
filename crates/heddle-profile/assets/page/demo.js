// A made-up run for a page without a recording. The numbers are the same every time:
// the generator has a fixed seed.

const DEMO_FRAMES = 24;
const DEMO_SEED = 0x5eed;

/** Mulberry32: small, and good enough to look natural. */
function demoRandom() {
  let state = DEMO_SEED;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296;
  };
}

function demoRun() {
  const recording = new DemoRecording();
  for (let frame = 0; frame < DEMO_FRAMES; frame += 1) recording.frame(frame);
  const run = runOf(recording.file(), "demo");
  run.isDemo = true;
  return run;
}

class DemoRecording {
  constructor() {
    this.random = demoRandom();
    this.now = 150_000;
    this.spans = [];
    this.memory = [];
    this.pooled = 2 ** 28;
    this.workers = [0, 0, 0];
  }

  /** About `middle`, now and then much longer, as real times are. */
  near(middle) {
    const slow = this.random() > 0.97 ? 1.5 + this.random() : 1;
    return Math.round(middle * (0.85 + 0.3 * this.random()) * slow);
  }

  scope(name, parent, body) {
    const span = {operation: name, element: "", device: "cpu", backend: "scope", parent, thread: 0, start_ns: this.now};
    this.spans.push(span);
    this.now += this.near(4_000);
    body(span);
    this.now += this.near(3_000);
    span.total_ns = this.now - span.start_ns;
    const inside = this.spans.filter((each) => each.parent === span).reduce((sum, each) => sum + each.total_ns, 0);
    span.self_ns = span.total_ns - inside;
    span.cpu_ns = span.self_ns;
  }

  onCpu(operation, elementType, middle, size, parent, thread = 0, start = this.now) {
    const total = this.near(middle);
    const overhead = Math.min(total, this.near(450));
    this.spans.push({
      operation, element: elementType, device: "cpu", backend: "native", parent, thread, start_ns: start,
      total_ns: total, self_ns: total, cpu_ns: total - overhead, overhead_ns: overhead,
      bytes_in: size, bytes_out: size / 2, work: size,
    });
    if (thread === 0) this.now += total + this.near(600);
    return start + total;
  }

  onGpu(operation, elementType, kernel, moved, parent, {backend = "native", stream = 7} = {}) {
    const device = this.near(kernel);
    const transfer = moved ? this.near(6_000 + moved / 22) : 0;
    const overhead = this.near(7_500);
    const total = device + transfer + overhead;
    this.spans.push({
      operation, element: elementType, device: "cuda:0", backend, parent, thread: 0, start_ns: this.now,
      total_ns: total, self_ns: total, gpu_ns: device, transfer_ns: transfer, overhead_ns: overhead,
      device_ns: device, device_start_ns: this.now + transfer + Math.round(overhead * 0.7), stream, device_clocked: 5,
      bytes_in: 2 ** 24, bytes_out: 2 ** 22, bytes_moved: moved, work: 2 ** 24,
      mem_allocated: 2 ** 24, mem_peak: 2 ** 25,
    });
    this.now += total + this.near(900);
  }

  sample(frame, busy) {
    const filling = 0.25 + 0.68 * Math.min(1, frame / 17);
    const limit = 8 * 2 ** 30;
    const allocated = Math.round(limit * filling * (busy ? 0.92 : 0.55));
    const part = allocated / limit;
    const pressure = part > 0.84 ? "high" : part > 0.68 ? "moderate" : "low";
    this.memory.push({
      at_ns: this.now, device: "cuda:0", allocated, reserved: busy ? 2 ** 27 : 0, pooled: busy ? this.pooled / 2 : this.pooled,
      free: limit - allocated - this.pooled, limit, pressure,
    });
  }

  frame(number) {
    this.scope("frame", null, (frame) => {
      this.sample(number, false);
      this.scope("prepare", frame, (prepare) => {
        for (let piece = 0; piece < 5; piece += 1) this.onCpu("xor", "u8", 9_000, 2 ** 18, prepare);
        this.onCpu("normalize", "f32", 38_000, 2 ** 20, prepare);
      });
      this.help();
      this.sample(number, true);
      this.scope("search", frame, (search) => {
        for (let step = 0; step < 4; step += 1) {
          this.scope("candidate", search, (candidate) => {
            this.onGpu("matmul", "f32", 92_000, step === 0 ? 2 ** 21 : 0, candidate, {backend: "cublas"});
            this.onGpu("normalize", "f32", 11_000, 0, candidate);
            if (step === 3) this.onGpu("sum", "f32", 6_000, 2 ** 12, candidate, {stream: 8});
          });
        }
        this.onGpu("arc.run", "cells", 64_000, 2 ** 20, search, {stream: 8});
        if (number % 9 === 4) this.onCpu("matmul", "f32", 900_000, 2 ** 22, search);
      });
      this.scope("score", frame, (score) => {
        this.onCpu("sum", "f32", 27_000, 2 ** 20, score);
        this.onCpu("sort", "u32", 61_000, 2 ** 19, score);
      });
      this.sample(number, false);
    });
    this.now += this.near(26_000);
  }

  /** The pool threads do their part of the preparation beside the main thread. */
  help() {
    for (let worker = 0; worker < this.workers.length; worker += 1) {
      let at = Math.max(this.now, this.workers[worker]);
      for (let piece = 0; piece < 4; piece += 1) {
        at = this.onCpu("xor", "u8", 12_000, 2 ** 18, null, worker + 1, at) + this.near(20_000);
      }
      this.workers[worker] = at;
    }
  }

  file() {
    const {spans} = this;
    spans.sort((a, b) => a.start_ns - b.start_ns || a.thread - b.thread || b.total_ns - a.total_ns);
    const rowOf = new Map(spans.map((span, row) => [span, row]));
    const strings = [""];
    const number = (text) => (strings.includes(text) ? strings.indexOf(text) : strings.push(text) - 1);
    const columns = {count: spans.length, parent: spans.map(({parent}) => (parent ? rowOf.get(parent) : -1))};
    for (const name of NAME_COLUMNS) columns[name] = spans.map((span) => number(span[name]));
    for (const name of [...NUMBER_COLUMNS, "thread", "device_clocked"]) columns[name] = spans.map((span) => span[name] ?? 0);
    for (const name of OPTIONAL_COLUMNS) columns[name] = spans.map((span) => span[name] ?? null);
    return {
      label: "demo",
      machine: {
        cpu: "an imagined CPU", cores: 4,
        devices: [
          {id: "cpu", name: "an imagined CPU", bandwidth_bytes_per_s: 2e11},
          {id: "cuda:0", name: "an imagined GPU", bandwidth_bytes_per_s: 3e12},
        ],
      },
      threads: [{id: 0, name: "main"}, ...this.workers.map((_, worker) => ({id: worker + 1, name: `heddle-cpu-${worker}`}))],
      strings,
      spans: columns,
      memory: this.memory,
      routing: demoRouting(),
      counters: {
        fallbacks: [{operation: "matmul", from: "cuda:0", to: "cpu", cause: "memory", count: 3}],
        batches: [{operation: "arc.run", device: "cuda:0", batches: 24, items: 61_440}],
        pools: [{device: "cuda:0", hits: 412, misses: 23}],
      },
    };
  }
}

function demoRouting() {
  const row = (operation, elementType, device, size, times, predicted, measured, other, otherPredicted, more = {}) => ({
    operation, element: elementType, device, size_class: size, bytes: 2 ** size, count: times, explored: 0,
    predicted_ns: predicted, measured_ns: measured, alternatives: [{device: other, predicted_ns: otherPredicted}],
    reason: otherPredicted && predicted ? `${device}: ${(otherPredicted / predicted).toFixed(1)}x cheaper than ${other}` : "",
    calibrated: true, ...more,
  });
  return [
    row("xor", "u8", "cpu", 18, 402, 10_800, 11_300, "cuda:0", 41_000),
    row("xor", "u8", "cuda:0", 18, 6, 41_000, 37_500, "cpu", 10_800, {explored: 6, reason: "cuda:0: measured once in a while instead of cpu"}),
    row("matmul", "f32", "cuda:0", 24, 93, 97_000, 104_000, "cpu", 4_100_000),
    row("matmul", "f32", "cpu", 24, 3, 410_000, 930_000, "cuda:0", 97_000, {reason: "cpu: too little free memory on cuda:0 for the operands"}),
    row("normalize", "f32", "cpu", 20, 24, 35_000, 39_000, "cuda:0", 52_000),
    row("normalize", "f32", "cuda:0", 22, 96, 24_000, 19_400, "cpu", 190_000),
    row("sum", "f32", "cpu", 20, 24, 25_500, 27_400, "cuda:0", 31_000),
    row("sum", "f32", "cuda:0", 20, 24, 9_000, 21_600, "cpu", 25_500, {reason: "cuda:0: the operand is already there"}),
    row("arc.run", "cells", "cuda:0", 21, 24, 118_000, 120_000, "cpu", 2_600_000),
    row("sort", "u32", "cpu", 19, 24, null, 62_000, "cuda:0", null,
      {reason: "cpu: no device was measured; the fewest bytes to transfer", calibrated: false}),
  ];
}
