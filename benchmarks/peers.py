#!/usr/bin/env python3
"""Compares Heddle with NumPy on this machine, in one run.

Rounds alternate, NumPy then Heddle, so that a machine that slows down slows both.
A ratio is NumPy's median over Heddle's median of the same round. The report shows
the median of these ratios with their minimum and maximum.

Set up once:

    python3 -m venv .venv && .venv/bin/pip install -r benchmarks/requirements.txt
    cargo build --release
"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
RESULTS = ROOT / "benchmarks" / "results"

CASES = (
    ("xor", 5),
    ("xor", 100_000),
    ("xor", 10_000_000),
    ("matmul", 64),
    ("matmul", 256),
    ("matmul", 1024),
)
LEAST_ROUNDS = 7
# Long enough to make the clock's own time (tens of ns) negligible, short enough
# that a pause of the system affects one batch and not the round.
BATCH_NS = 2_000_000
BATCHES = 15


class Unusable(Exception):
    """Something the comparison needs is missing or has the wrong form."""


def enter_venv():
    """Restarts the script in the private environment, which has the pinned NumPy."""
    python = VENV / "bin" / "python"
    if python.exists() and Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(python, [str(python), *sys.argv])


def batch_median_ns(call):
    """Returns the median over batches of the time of one call."""
    call()
    calls = 1
    while True:
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        elapsed = time.perf_counter_ns() - start
        if elapsed >= BATCH_NS:
            break
        calls = max(calls * 2, calls * BATCH_NS // max(elapsed, 1))
    samples = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter_ns() - start) / calls)
    return statistics.median(samples)


def numpy_calls(cases):
    """Returns NumPy's call for each case: out of place, with its default threads."""
    import numpy as np

    random = np.random.default_rng(0)
    calls = {}
    for name, size in cases:
        if name == "xor":
            a = random.integers(0, 256, size, dtype=np.uint8)
            key = random.integers(0, 256, size, dtype=np.uint8)
            calls[name, size] = lambda a=a, key=key: np.bitwise_xor(a, key)
        else:
            a = random.random((size, size), dtype=np.float32)
            b = random.random((size, size), dtype=np.float32)
            calls[name, size] = lambda a=a, b=b: a @ b
    return calls


def numpy_facts():
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {"version": np.__version__, "blas": f"{blas['name']} {blas['version']}"}


def heddle_report(heddle, cases):
    """Runs `heddle bench ops` and returns its report."""
    wanted = ",".join(f"{name}:{size}" for name, size in cases)
    command = [str(heddle), "bench", "ops", "--json", "--case", wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unusable(f"cannot run {heddle}: {error.strerror}") from error
    if done.returncode:
        raise Unusable(f"`{' '.join(command)}` ended with {done.returncode}: {done.stderr.strip()}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise Unusable(f"`{' '.join(command)}` did not write JSON: {error}") from error


def medians(report, device, cases):
    """Returns the median of each case on `device`."""
    found = {
        (row["name"], row["size"]): row["median_ns"]
        for row in report["rows"]
        if row["device"] == device
    }
    missing = [f"{name}:{size}" for name, size in cases if (name, size) not in found]
    if missing:
        raise Unusable(f"heddle reported no time on {device} for {', '.join(missing)}")
    return {case: found[case] for case in cases}


def measure(heddle, device, rounds, cases=CASES):
    """Runs alternating rounds; each holds every case's medians and Heddle's report."""
    calls = numpy_calls(cases)
    taken = []
    for number in range(rounds):
        print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr, flush=True)
        theirs = {case: batch_median_ns(call) for case, call in calls.items()}
        report = heddle_report(heddle, cases)
        taken.append((theirs, medians(report, device, cases), report))
    print(file=sys.stderr)
    return taken


def compare(taken, cases=CASES):
    """Returns one row for each case."""
    rows = []
    for case in cases:
        ratios = [theirs[case] / ours[case] for theirs, ours, _ in taken]
        ratio = statistics.median(ratios)
        rows.append(
            {
                "name": case[0],
                "size": case[1],
                "numpy_median_ns": statistics.median(theirs[case] for theirs, _, _ in taken),
                "heddle_median_ns": statistics.median(ours[case] for _, ours, _ in taken),
                "ratio": ratio,
                "ratio_min": min(ratios),
                "ratio_max": max(ratios),
                "verdict": "slower" if ratio < 1 else "faster",
                "within_spread": min(ratios) < 1 < max(ratios),
            }
        )
    return rows


def show_time(ns):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def table(rows):
    """Formats the rows as text."""
    lines = [f"{'case':<14}{'NumPy':>10}{'Heddle':>10}  NumPy/Heddle (min–max)   Heddle is"]
    for row in rows:
        spread = f"{row['ratio']:.2f} ({row['ratio_min']:.2f}–{row['ratio_max']:.2f})"
        lines.append(
            f"{row['name'] + ' ' + str(row['size']):<14}"
            f"{show_time(row['numpy_median_ns']):>10}"
            f"{show_time(row['heddle_median_ns']):>10}"
            f"  {spread:<25}{row['verdict']}"
            f"{', within the spread' if row['within_spread'] else ''}"
        )
    return "\n".join(lines)


def cpu_name():
    """Returns the model name of the CPU."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.cpu_name() or platform.machine()


def threads():
    """Returns the number of hardware threads this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def commit():
    """Returns the measured commit, with `-dirty` when the checkout differs; None outside git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() or None


def record(taken, rows, device, today):
    """Returns everything that was measured, for the results folder."""
    return {
        "date": today.isoformat(),
        "machine": {
            "cpu": cpu_name(),
            "threads": threads(),
            "system": f"{platform.system()} {platform.release()}",
        },
        "numpy": numpy_facts(),
        "commit": commit(),
        "device": device,
        "cases": rows,
        "rounds": [
            {
                "numpy": [
                    {"name": name, "size": size, "median_ns": ns}
                    for (name, size), ns in theirs.items()
                ],
                "heddle": report,
            }
            for theirs, _, report in taken
        ],
    }


def result_path(folder, today, cpu):
    machine = re.sub(r"[^a-z0-9]+", "-", cpu.lower()).strip("-") or "unknown"
    return folder / f"{today.isoformat()}-peers-{machine}.json"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, default=ROOT / "target/release/heddle")
    parser.add_argument("--device", default="cpu", help="the device of Heddle to compare")
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--no-check", action="store_true", help="exit 0 even if Heddle is slower")
    parsed = parser.parse_args()
    if parsed.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds must be at least {LEAST_ROUNDS}")
    return parsed


def main():
    enter_venv()
    options = arguments()
    try:
        import numpy  # noqa: F401
    except ImportError:
        setup = "python3 -m venv .venv && .venv/bin/pip install -r benchmarks/requirements.txt"
        print(f"error: NumPy is not installed\nhint: {setup}", file=sys.stderr)
        return 2
    try:
        taken = measure(options.heddle, options.device, options.rounds)
    except Unusable as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rows = compare(taken)
    print(table(rows))
    today = datetime.date.today()
    path = result_path(options.results, today, cpu_name())
    path.parent.mkdir(parents=True, exist_ok=True)
    written = json.dumps(record(taken, rows, options.device, today), indent=1, ensure_ascii=False)
    path.write_text(written + "\n", encoding="utf-8")
    print(f"written to {path}")
    slower = any(row["verdict"] == "slower" for row in rows)
    return 1 if slower and not options.no_check else 0


if __name__ == "__main__":
    sys.exit(main())
