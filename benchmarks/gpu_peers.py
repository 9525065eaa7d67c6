#!/usr/bin/env python3
"""Compares Heddle with PyTorch and CuPy on this machine's GPU, in one run.

Rounds alternate, Heddle, PyTorch, CuPy, so that a machine that slows down slows
all of them. A ratio is taken within a round. The verdict is on the median of the
rounds' ratios; their minimum and maximum are shown beside it.

Times are medians of single calls that end with waiting for the GPU ("wall"), and of
the GPU's own clock (events around the kernel, "device"). The peers' device times are
taken after a copy that keeps the GPU busy until everything is queued, so they are
the kernel's alone. Heddle's are those of its ordinary calls on an idle GPU, which
include the 2 to 4 µs a launch takes to arrive; comparisons of the two favour the peers.

Needs PyTorch, CuPy and NumPy, and a `heddle` built on this machine or another:

    python3 benchmarks/gpu_peers.py --heddle target/dist/heddle
"""

import argparse
import datetime
import importlib
import json
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"

SMALL = 1024
LARGE = 256 << 20
LEAST_ROUNDS = 3
# Milliseconds spent on each case in each round.
CASE_MS = 400

PEERS = ("torch", "cupy")

# The cases, by the names and sizes of `heddle bench gpu`.
XOR_SMALL = ("xor-resident", SMALL)
XOR_LARGE = ("xor-resident", LARGE)
HOST_SMALL = ("xor-host-to-host", SMALL)
HOST_LARGE = ("xor-host-to-host", LARGE)
COPY = ("copy-resident", LARGE)
MATMULS = (("matmul-resident", 1024), ("matmul-resident", 4096))
BATCH = ("batch-matmul-resident", 256)

HEDDLE_CASES = (XOR_SMALL, XOR_LARGE, HOST_SMALL, HOST_LARGE, *MATMULS, BATCH)
# Heddle has no copy from device to device; PyTorch's is the driver's.
TORCH_CASES = (*HEDDLE_CASES, COPY)
CUPY_CASES = (XOR_SMALL, XOR_LARGE, HOST_SMALL, HOST_LARGE, COPY)

# How many times an operation moves its bytes over the GPU's memory bus: a xor reads
# data and key, which are equally long, and writes the result; a copy reads and writes.
XOR_PASSES = 3
COPY_PASSES = 2


class Unusable(Exception):
    """Something the comparison needs is missing or has the wrong form."""


def module(name, product):
    """Imports a module that only this comparison needs."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unusable(f"{product} cannot be imported ({error}); install it beside this Python") from error


def median_ns(call, budget_ms=CASE_MS, least=7):
    """Returns the median time of one call, after some that are not counted."""
    warm = time.perf_counter() + budget_ms / 8000
    for _ in range(3):
        call()
    while time.perf_counter() < warm:
        call()
    times = []
    end = time.perf_counter() + budget_ms / 1000
    while len(times) < least or time.perf_counter() < end:
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times)


def median_device_ns(timed, budget_ms=CASE_MS, least=7):
    """Returns the median time by the GPU's clock; `timed` returns milliseconds."""
    for _ in range(3):
        timed()
    times = []
    end = time.perf_counter() + budget_ms / 1000
    while len(times) < least or time.perf_counter() < end:
        times.append(timed() * 1e6)
    return statistics.median(times)


class Peer:
    """The calls of one library: those from host to host, which wait for the GPU, and those
    on resident operands, which do not."""

    def __init__(self):
        self.hosted, self.resident = {}, {}

    def measure(self):
        wall = {case: median_ns(call) for case, call in self.hosted.items()}
        device = {}
        for case, call in self.resident.items():
            wall[case] = median_ns(lambda call=call: self.call_and_wait(call))
            device[case] = median_device_ns(lambda call=call: self.timed(call))
        return {"wall": wall, "device": device}


class Torch(Peer):
    """The calls of PyTorch, in full single precision."""

    def __init__(self, device):
        super().__init__()
        numpy = module("numpy", "NumPy")
        torch = module("torch", "PyTorch")
        if not torch.cuda.is_available():
            raise Unusable("PyTorch finds no CUDA GPU on this machine")
        torch.backends.cuda.matmul.allow_tf32 = False
        self.torch = torch
        self.gpu = torch.device(device)
        torch.cuda.set_device(self.gpu)
        random = numpy.random.default_rng(0)
        for size in (SMALL, LARGE):
            a = random.integers(0, 256, size, dtype=numpy.uint8)
            b = random.integers(0, 256, size, dtype=numpy.uint8)
            self.hosted["xor-host-to-host", size] = lambda a=a, b=b: self.round_trip(a, b)
            ga, gb = torch.from_numpy(a).to(self.gpu), torch.from_numpy(b).to(self.gpu)
            self.resident["xor-resident", size] = lambda ga=ga, gb=gb: ga ^ gb
        target = torch.empty_like(ga)
        self.resident[COPY] = lambda: target.copy_(ga)
        for name, side in MATMULS:
            a = torch.rand(side, side, device=self.gpu)
            b = torch.rand(side, side, device=self.gpu)
            self.resident[name, side] = lambda a=a, b=b: a @ b
        batch = torch.rand(10, 256, 256, device=self.gpu)
        self.resident[BATCH] = lambda: torch.bmm(batch, batch)

    def round_trip(self, a, b):
        """Computes the xor of two NumPy arrays as a NumPy array."""
        resident = [self.torch.from_numpy(array).to(self.gpu) for array in (a, b)]
        return (resident[0] ^ resident[1]).cpu().numpy()

    def call_and_wait(self, call):
        call()
        self.torch.cuda.synchronize(self.gpu)

    def timed(self, call):
        """Returns the milliseconds between two events around the call."""
        self.resident[COPY]()
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)

    def facts(self):
        torch = self.torch
        return {
            "version": torch.__version__,
            "cuda": torch.version.cuda,
            "gpu": torch.cuda.get_device_name(self.gpu),
            "allow_tf32": torch.backends.cuda.matmul.allow_tf32,
        }


class Cupy(Peer):
    """The calls of CuPy."""

    def __init__(self, device):
        super().__init__()
        numpy = module("numpy", "NumPy")
        cupy = module("cupy", "CuPy")
        self.cupy = cupy
        self.gpu = cupy.cuda.Device(int(device.partition(":")[2] or 0))
        self.gpu.use()
        random = numpy.random.default_rng(0)
        for size in (SMALL, LARGE):
            a = random.integers(0, 256, size, dtype=numpy.uint8)
            b = random.integers(0, 256, size, dtype=numpy.uint8)
            self.hosted["xor-host-to-host", size] = lambda a=a, b=b: self.round_trip(a, b)
            ga, gb = cupy.asarray(a), cupy.asarray(b)
            self.resident["xor-resident", size] = lambda ga=ga, gb=gb: ga ^ gb
        target = cupy.empty_like(ga)
        self.resident[COPY] = lambda: target.data.copy_from_device_async(
            ga.data, ga.nbytes, cupy.cuda.get_current_stream()
        )

    def round_trip(self, a, b):
        """Computes the xor of two NumPy arrays as a NumPy array."""
        return self.cupy.asnumpy(self.cupy.asarray(a) ^ self.cupy.asarray(b))

    def call_and_wait(self, call):
        call()
        self.gpu.synchronize()

    def timed(self, call):
        """Returns the milliseconds between two events around the call."""
        self.resident[COPY]()
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end)

    def facts(self):
        return {
            "version": self.cupy.__version__,
            "cuda_runtime": self.cupy.cuda.runtime.runtimeGetVersion(),
            "cuda_driver": self.cupy.cuda.runtime.driverGetVersion(),
        }


class Heddle:
    """The `heddle` command: one `heddle bench gpu` for each round."""

    def __init__(self, path, device):
        if not path.is_file():
            path = Path(shutil.which(path.name) or path) if path.name == str(path) else path
        # Absolute, so that it does not depend on the working folder.
        self.path = path.resolve()
        self.device = device
        if not self.path.is_file():
            raise Unusable(f"there is no heddle at {self.path}; name it with --heddle")

    def run(self, *arguments):
        command = [str(self.path), *arguments, "--json", "--device", self.device]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Unusable(f"cannot run {self.path}: {error.strerror}") from error
        if done.returncode:
            raise Unusable(f"`{' '.join(command)}` ended with {done.returncode}: {done.stderr.strip()}")
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError as error:
            raise Unusable(f"`{' '.join(command)}` did not write JSON: {error}") from error

    def measure(self):
        report = self.run("bench", "gpu", "--time", str(CASE_MS))
        rows = [row for row in report["rows"] if row["device"] == self.device]
        return {
            "wall": {(row["name"], row["size"]): row["median_ns"] for row in rows},
            "device": {
                (row["name"], row["size"]): row["device_ns"] for row in rows if row.get("device_ns")
            },
        }

    def facts(self):
        devices = self.run("devices")
        ours = [row for row in devices["devices"] if row["device"] == self.device]
        return {"machine": devices["machine"], "device": ours[0] if ours else None}


def check_complete(one):
    """Raises Unusable if a side of the round has no time for one of its cases."""
    for side, cases in (("heddle", HEDDLE_CASES), ("torch", TORCH_CASES), ("cupy", CUPY_CASES)):
        missing = [f"{name}:{size}" for name, size in cases if (name, size) not in one[side]["wall"]]
        if missing:
            raise Unusable(f"{side} reported no time for {', '.join(missing)}")


def measure(sides, rounds):
    """Runs rounds in which every side is measured once, in the given order."""
    taken = []
    for number in range(rounds):
        print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr, flush=True)
        one = {name: side.measure() for name, side in sides.items()}
        check_complete(one)
        taken.append(one)
    print(file=sys.stderr)
    return taken


def fastest(one, case, clock):
    """Returns the shortest time of the peers, in nanoseconds."""
    return min(one[peer][clock][case] for peer in PEERS if case in one[peer][clock])


def xor_share_of_copy(one):
    """Returns the xor's bytes per second as a share of the copy's, by the GPU's clock, or
    by the wall clock where Heddle reports no device time."""
    clock = "device" if XOR_LARGE in one["heddle"]["device"] else "wall"
    xor = XOR_PASSES * LARGE / one["heddle"][clock][XOR_LARGE]
    copy = COPY_PASSES * LARGE / fastest(one, COPY, clock)
    return xor / copy


def wall(side, case):
    return lambda one: one[side]["wall"][case]


def speed(peer, case, clock="wall"):
    """Returns a function of a round: how many times as fast as the peer Heddle is, or None
    where a time is missing."""

    def ratio(one):
        if case not in one["heddle"][clock] or case not in one[peer][clock]:
            return None
        return one[peer][clock][case] / one["heddle"][clock][case]

    return ratio


# The lines: label, value in a round, whether it must be at least or at most the bar,
# the bar, and the unit. A line without a bar is shown without a verdict.
BARS = (
    ("xor 256 MiB resident: bytes/s (3 x 256 MiB) over copy's (2 x 256 MiB)", xor_share_of_copy, ">=", 0.90, "x"),
    ("xor 1 kB resident, launch and wait", wall("heddle", XOR_SMALL), "<=", 10_000, "ns"),
    ("xor 1 kB host to host", wall("heddle", HOST_SMALL), "<=", 35_000, "ns"),
    (
        "xor 1 kB host to host: time over CuPy's",
        lambda one: one["heddle"]["wall"][HOST_SMALL] / one["cupy"]["wall"][HOST_SMALL],
        "<=",
        0.60,
        "x",
    ),
    (
        "xor 256 MiB host to host: speed over the faster peer's",
        lambda one: fastest(one, HOST_LARGE, "wall") / one["heddle"]["wall"][HOST_LARGE],
        ">=",
        1.50,
        "x",
    ),
    ("matmul f32 1024 resident: speed over PyTorch's", speed("torch", MATMULS[0]), ">=", 0.97, "x"),
    ("matmul f32 1024 by the device's clock", speed("torch", MATMULS[0], "device"), None, None, "x"),
    ("matmul f32 4096 resident: speed over PyTorch's", speed("torch", MATMULS[1]), ">=", 0.97, "x"),
    ("matmul f32 4096 by the device's clock", speed("torch", MATMULS[1], "device"), None, None, "x"),
    ("bmm f32 10x256x256 resident: speed over torch.bmm's", speed("torch", BATCH), ">=", 1.00, "x"),
    ("bmm f32 10x256x256 by the device's clock", speed("torch", BATCH, "device"), None, None, "x"),
)


def verdict(value, relation, bar):
    if relation is None:
        return None
    return "PASS" if (value >= bar if relation == ">=" else value <= bar) else "MISS"


def judge(taken):
    """Returns one row for each line of BARS."""
    rows = []
    for line, number, relation, bar, unit in BARS:
        values = [value for value in map(number, taken) if value is not None]
        if not values:
            continue
        value = statistics.median(values)
        rows.append(
            {
                "line": line,
                "value": value,
                "least": min(values),
                "greatest": max(values),
                "relation": relation,
                "bar": bar,
                "unit": unit,
                "verdict": verdict(value, relation, bar),
            }
        )
    return rows


def cases(taken):
    """Returns the medians over rounds of all times."""
    rows = []
    for case in TORCH_CASES:
        row = {"name": case[0], "size": case[1]}
        for side in ("heddle", *PEERS):
            for clock in ("wall", "device"):
                times = [one[side][clock][case] for one in taken if case in one[side][clock]]
                if times:
                    row[f"{side}_{clock}_ns"] = statistics.median(times)
                    row[f"{side}_{clock}_spread_ns"] = [min(times), max(times)]
        rows.append(row)
    return rows


def show_time(ns):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def show_value(value, unit):
    return show_time(value) if unit == "ns" else f"{value:.2f}"


def table(case_rows, bar_rows):
    """Formats the times, then every line with its bar, as text."""
    columns = [(side, clock) for side in ("heddle", *PEERS) for clock in ("wall", "device")]
    lines = [f"{'case':<36}" + "".join(f"{side + ' ' + clock:>15}" for side, clock in columns)]
    for row in case_rows:
        cells = [row.get(f"{side}_{clock}_ns") for side, clock in columns]
        shown = "".join(f"{show_time(ns) if ns else '-':>15}" for ns in cells)
        lines.append(f"{row['name'] + ' ' + str(row['size']):<36}{shown}")
    lines.append("")
    lines.append(f"{'line':<72}{'median':>10}  {'(least-greatest)':<22}{'bar':>12}")
    for row in bar_rows:
        unit = row["unit"]
        spread = f"({show_value(row['least'], unit)}-{show_value(row['greatest'], unit)})"
        bar = f"{row['relation']} {show_value(row['bar'], unit)}" if row["relation"] else "-"
        line = f"{row['line']:<72}{show_value(row['value'], unit):>10}  {spread:<22}{bar:>12}"
        lines.append(f"{line}  {row['verdict'] or ''}".rstrip())
    return "\n".join(lines)


def commit():
    """Returns the checkout's commit, with `-dirty` when it differs; None outside git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def listed(times):
    return [{"name": name, "size": size, "median_ns": ns} for (name, size), ns in times.items()]


def record(taken, case_rows, bar_rows, facts, measured_commit, now):
    """Returns everything that was measured, for the results folder."""
    return {
        "date": now.date().isoformat(),
        "time": now.isoformat(timespec="seconds"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": measured_commit,
        **facts,
        "traffic": {"xor_passes": XOR_PASSES, "copy_passes": COPY_PASSES, "bytes": LARGE},
        "bars": bar_rows,
        "cases": case_rows,
        "rounds": [
            {side: {clock: listed(times) for clock, times in clocks.items()} for side, clocks in one.items()}
            for one in taken
        ],
    }


def result_path(folder, today, gpu):
    machine = re.sub(r"[^a-z0-9]+", "-", gpu.lower()).strip("-") or "unknown"
    return folder / f"{today.isoformat()}-gpu-peers-{machine}.json"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, default=ROOT / "target/dist/heddle")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--commit", default=None, help="the commit that was built (default: from git)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--no-check", action="store_true", help="exit 0 even if a bar is missed")
    parsed = parser.parse_args()
    if parsed.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds must be at least {LEAST_ROUNDS}")
    return parsed


def main():
    options = arguments()
    try:
        sides = {
            "heddle": Heddle(options.heddle, options.device),
            "torch": Torch(options.device),
            "cupy": Cupy(options.device),
        }
        taken = measure(sides, options.rounds)
        facts = {name: side.facts() for name, side in sides.items()}
    except Unusable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    case_rows, bar_rows = cases(taken), judge(taken)
    print(table(case_rows, bar_rows))
    now = datetime.datetime.now(datetime.timezone.utc)
    path = result_path(options.results, now.date(), facts["torch"]["gpu"])
    path.parent.mkdir(parents=True, exist_ok=True)
    written = record(taken, case_rows, bar_rows, facts, options.commit or commit(), now)
    path.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written to {path}")
    missed = any(row["verdict"] == "MISS" for row in bar_rows)
    return 1 if missed and not options.no_check else 0


if __name__ == "__main__":
    sys.exit(main())
