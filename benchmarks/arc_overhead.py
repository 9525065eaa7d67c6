#!/usr/bin/env python3
"""Compares what two builds of `heddle` spend on an evaluation beside evaluating.

One program that takes next to nothing, `vmirror`, runs on 170,000 grids of the sizes
of ARC: once as the pairs of one task and once as 42,500 tasks of four. Every second
output is right. Rounds alternate, before then after, so that a machine that slows down
slows both. Reported are medians of the evaluate phase in evaluations per second, their
ratio, and how fast the file was read.

    cargo build --profile dist
    benchmarks/arc_overhead.py path/to/heddle-before target/dist/heddle
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = "def solve_x(I):\n    O = vmirror(I)\n    return O\n"
PAIRS = 170_000
PAIRS_OF_A_TASK = 4


def data_files(folder):
    """The file with one task and the file with many; made once."""
    files = {name: folder / f"overhead-{name}.json" for name in ("one-task", "many-tasks")}
    if all(file.exists() for file in files.values()):
        return files
    rng = random.Random(1)

    def side():
        return max(1, min(30, int(rng.lognormvariate(2.31, 0.5))))

    def grid():
        height, width = side(), side()
        return [rng.choices(range(10), k=width) for _ in range(height)]

    def pair(number):
        shown = grid()
        mirrored = [row[::-1] for row in shown]
        return {"input": shown, "output": mirrored if number % 2 == 0 else grid()}

    pairs = [pair(number) for number in range(PAIRS)]
    half = PAIRS // 2
    one = {"task": {"train": pairs[:half], "test": pairs[half:]}}
    many = {
        f"{first:06}": {
            "train": pairs[first : first + PAIRS_OF_A_TASK - 1],
            "test": pairs[first + PAIRS_OF_A_TASK - 1 : first + PAIRS_OF_A_TASK],
        }
        for first in range(0, PAIRS, PAIRS_OF_A_TASK)
    }
    for name, tasks in (("one-task", one), ("many-tasks", many)):
        files[name].write_text(json.dumps(tasks))
    return files


def run(binary, program, data, threads):
    """Evaluations per second, and megabytes of JSON read per second."""
    command = [binary, "--device", "cpu", "--threads", str(threads), "arc", "eval"]
    command += ["--all-pairs", "--programs", program, "--data", data, "--json"]
    # An exit status of 1 says that not all tasks are solved.
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{binary} gave no report:\n{done.stderr}")
    if report["evaluations"] != PAIRS:
        sys.exit(f"{binary} made {report['evaluations']} evaluations instead of {PAIRS}")
    outcome = {key: report[key] for key in ("evaluations", "solved", "tasks") if key in report}
    reading = report["seconds"]["reading"]
    return report["evaluations_per_second"], data.stat().st_size / 1e6 / reading, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, help="keep the data files in this folder")
    options = parser.parse_args()
    threads = sorted({1, len(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.data or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "overhead.py"
        program.write_text(PROGRAM)
        print("million evaluations/s (median), ratio of medians; MB/s of JSON read")
        for name, file in data_files(folder).items():
            for count in threads:
                rates, reading = {}, {}
                for _ in range(options.rounds):
                    outcomes = []
                    for side in ("before", "after"):
                        binary = getattr(options, side)
                        rate, read, outcome = run(binary, program, file, count)
                        rates.setdefault(side, []).append(rate)
                        reading.setdefault(side, []).append(read)
                        outcomes.append(outcome)
                    if outcomes[0] != outcomes[1]:
                        sys.exit(f"{name}: the results differ: {outcomes}")
                before, after = (statistics.median(rates[side]) for side in ("before", "after"))
                read = [statistics.median(reading[side]) for side in ("before", "after")]
                print(
                    f"{name:10} {count:3} threads  {before / 1e6:6.2f} -> {after / 1e6:6.2f}"
                    f"  x{after / before:5.1f}   read {read[0]:4.0f} -> {read[1]:4.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
