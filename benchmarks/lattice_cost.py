#!/usr/bin/env python3
"""Plots the time and memory of lattice queries against the size of the lattice.

Each case of `heddle bench scale` runs in a process of its own, so that the peak
resident memory is that of the case. Writes results as JSON and a plot as SVG.
"""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = (
    "neighbours",
    "path",
    "path-around-blocked",
    "distances",
    "distances-around-blocked",
)
SITES = tuple(side**3 for side in (10, 22, 46, 100, 215, 464))


def measure(heddle, name, sites, milliseconds):
    """Measures the time of one query and the peak memory of its process."""
    command = [heddle, "bench", "scale", "--case", f"{name}:{sites}"]
    command += ["--time", str(milliseconds), "--json"]
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(command)} ended with {child.returncode}")
        output.seek(0)
        result = json.load(output)
    row = result["rows"][0]
    return result["machine"], {
        "name": name,
        "sites": sites,
        "median_ns": row["median_ns"],
        "p10_ns": row["p10_ns"],
        "p90_ns": row["p90_ns"],
        "resident_bytes": used.ru_maxrss * 1024,
    }


def plot(rows, caption, file):
    """Plots two panels over the same sizes: time and memory."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "heddle", "font.size": 10})
    figure, (times, memory) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name in NAMES:
        of_name = [row for row in rows if row["name"] == name]
        sites = [row["sites"] for row in of_name]
        style = {"marker": "o", "markersize": 4, "label": name.replace("-", " ")}
        times.plot(sites, [row["median_ns"] / 1e3 for row in of_name], **style)
        memory.plot(sites, [row["resident_bytes"] / 2**20 for row in of_name], **style)
    for axes, title in ((times, "time of one query, µs"), (memory, "memory of the process, MiB")):
        axes.set(xscale="log", yscale="log", xlabel="sites (three dimensions)", title=title)
        axes.grid(alpha=0.3)
    memory.set_ylim(1, 1000)
    times.legend(frameon=False, fontsize=9)
    figure.suptitle(caption, fontsize=9, color="gray")
    figure.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", default="target/release/heddle")
    parser.add_argument("--time", type=int, default=200, help="milliseconds per case")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--plot", type=Path, default=Path("docs/lattice-cost.svg"))
    arguments = parser.parse_args()
    heddle = str(Path(arguments.heddle).resolve())
    date = datetime.date.today().isoformat()
    rows, machine = [], None
    for name in NAMES:
        for sites in SITES:
            machine, row = measure(heddle, name, sites, arguments.time)
            rows.append(row)
            print(
                f"{name:26} {sites:>10} sites  {row['median_ns'] / 1e3:>14.3f} µs"
                f"  {row['resident_bytes'] / 2**20:>9.1f} MiB"
            )
    result = {
        "date": date,
        "commit": arguments.commit,
        "machine": machine,
        "python": platform.python_version(),
        "rows": rows,
    }
    arguments.results.mkdir(parents=True, exist_ok=True)
    file = arguments.results / f"{date}-lattice-cost.json"
    file.write_text(json.dumps(result, indent=1) + "\n")
    caption = f"{machine['cpu']}, {machine['threads']} threads, {date}, commit {arguments.commit}"
    plot(rows, caption, arguments.plot)
    print(f"{file} and {arguments.plot}")


if __name__ == "__main__":
    main()
