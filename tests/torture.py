#!/usr/bin/env python3
"""Runs the command under bad conditions: files, arguments, outputs, signals, disks, limits.

    tests/torture.py --binary target/debug/heddle [--quick] [--only TEXT] [--keep FOLDER]

No run may panic, abort, hang, take much memory, end with an unknown code, print control
characters or leave a half-written file. The last line counts the cases; each that failed is
listed with the line that repeats it. Cases that need root (devices, small disks) are skipped
without it.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from torture_files import make_good
from torture_inputs import inputs
from torture_run import command_line, most_mib, run
from torture_surroundings import surroundings


def in_own_mounts():
    """Starts again where mounts are this process's own and end with it; returns whether it may."""
    if os.environ.get("TORTURE_MOUNTS") == "own":
        return True
    probe = "mount -t tmpfs -o size=64k none /mnt && mknod /mnt/null c 1 3"
    try:
        allowed = subprocess.run(["unshare", "--mount", "sh", "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False
    if allowed:
        os.environ["TORTURE_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True, help="the command")
    parser.add_argument("--quick", action="store_true", help="only the cases of ./test")
    parser.add_argument("--only", default="", help="only cases whose names contain this")
    parser.add_argument("--keep", type=Path, help="keep the folders of failed cases in this one")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2))
    parser.add_argument("--verbose", action="store_true", help="print every case")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    if not os.access(binary, os.X_OK):
        sys.exit(f"error: {arguments.binary} is no program")
    # A shell's background job ignores interrupts, and so would the command.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    may_mount = in_own_mounts()

    chosen, names = [], set()
    for case in (*inputs(), *surroundings()):
        if arguments.only in case.name and (case.quick or not arguments.quick):
            assert case.name not in names, f"two cases named {case.name}"
            names.add(case.name)
            chosen.append(case)
    cases = [case for case in chosen if may_mount or not case.mounts]
    with tempfile.TemporaryDirectory(prefix="heddle-torture-") as scratch:
        failed = run_all(cases, binary, Path(scratch), arguments)
    skipped = len(chosen) - len(cases)
    if skipped:
        print(f"not run: {skipped} cases need root: devices and small disks")
    print(f"torture cases: {len(cases)} ran, {failed} failed, {skipped} not run")
    return 1 if failed else 0


def run_all(cases, binary, scratch, arguments):
    make_good(scratch / "good", binary)
    lock = threading.Lock()
    failed = 0
    peaks = []

    def one(numbered):
        nonlocal failed
        number, case = numbered
        folder = scratch / f"case-{number}"
        began = time.monotonic()
        try:
            found, result = run(case, binary, folder, scratch / "good")
        except OSError as error:
            found, result = [f"could not be run: {error}"], None
        with lock:
            if arguments.verbose or found:
                peak = f", {result.mib:.0f} of {most_mib(case)} MiB" if result else ""
                print(f"{'FAILED' if found else 'passed'} {case.name} ({time.monotonic() - began:.1f} s{peak})")
            if result:
                peaks.append((result.mib / most_mib(case), result.mib, case))
            if found:
                failed += 1
                print_failure(case, binary, found, result)
        clear(folder, arguments.keep if found else None)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, enumerate(cases)))
    if arguments.verbose:
        print("most memory, as a share of what the case may hold:")
        for share, mib, case in sorted(peaks, key=lambda peak: -peak[0])[:20]:
            print(f"  {share:4.0%} {mib:5.0f} of {most_mib(case)} MiB: {case.name}")
    return failed


def print_failure(case, binary, found, result):
    for problem in found:
        print(f"  {problem}")
    said = (result.stderr.strip().splitlines() if result else [])[:3]
    for line in said:
        print(f"  | {line[:200].encode('unicode_escape').decode()}")
    print(f"  repeat: {command_line(case, binary)[:500]}")
    print(f"  or: tests/torture.py --binary {binary} --keep kept --only {case.name[:100]!r}", flush=True)


def clear(folder, keep):
    disk = folder / "disk"
    if disk.is_dir() and os.path.ismount(disk):
        subprocess.run(["umount", disk], check=False, capture_output=True)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(keep / folder.name, ignore_errors=True)
        shutil.copytree(folder, keep / folder.name, symlinks=True, ignore=ignore_special)
    shutil.rmtree(folder, ignore_errors=True)


def ignore_special(folder, names):
    """Pipes and devices, which a copy would read."""
    paths = ((name, Path(folder) / name) for name in names)
    return [name for name, path in paths if not (path.is_file() or path.is_dir() or path.is_symlink())]


if __name__ == "__main__":
    sys.exit(main())
