"""One run of the command under bad conditions, and what must hold of every run."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# 0 done, 1 failed, 2 usage, 3 regression, 130 interrupted.
CODES = frozenset({0, 1, 2, 3, 130})
# Most of an output that is kept for the checks.
KEPT_BYTES = 1 << 20
# What Rust, the C++ runtime and glibc print when a program gives up.
GAVE_UP = re.compile(
    r"panicked at|RUST_BACKTRACE|memory allocation of \d+ bytes failed|stack overflow"
    r"|fatal runtime error|terminate called|double free|Sanitizer"
)
# How clap ends: with how a command is used, or where to read it.
USAGE = re.compile(r"^Usage: |For more information, try '", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Anything but text, tabs and line ends.
CONTROL = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass
class Case:
    """A command line, the conditions it runs under and what is expected of it."""

    name: str
    arguments: list
    environment: dict = field(default_factory=dict)
    # Puts the folder of the run in order; the folder is the argument.
    prepare: callable = None
    # Returns what is wrong afterwards, or nothing; takes the folder and the result.
    after: callable = None
    # Letters of `ulimit` and their values.
    limits: dict = field(default_factory=dict)
    # A signal, and the seconds until it is sent.
    send: tuple = None
    codes: frozenset = CODES
    seconds: float = 10.0
    mib: int = 512
    # `memory.host_limit` of the run in MiB; no run may hold twice as much, whatever it reads.
    limit: int = None
    # Whether the arguments are wrong on purpose: any other case that ends with the usage tests
    # nothing.
    misused: bool = False
    stdout: str = None
    mounts: bool = False
    # Whether `./test` runs it, or only `./test --thorough`.
    quick: bool = True


@dataclass
class Result:
    code: int = None
    seconds: float = 0.0
    mib: float = 0.0
    stdout: str = ""
    stderr: str = ""
    ended_by: str = ""


def variables_of(case):
    """The variables that are set, or unset, for a case."""
    limit = {"HEDDLE_MEMORY_HOST_LIMIT": f"{case.limit}MiB"} if case.limit else {}
    return {**limit, **case.environment}


def most_mib(case):
    """The most memory that a case may hold."""
    return min(case.mib, 2 * case.limit) if case.limit else case.mib


def command_line(case, binary):
    """The case as a line for a shell, in the folder of its run."""
    environment = variables_of(case)
    limits = "".join(f"ulimit -{letter} {value}; " for letter, value in case.limits.items())
    variables = "".join(f"{name}={quoted(value)} " for name, value in environment.items() if value is not None)
    unset = "".join(f"unset {name}; " for name, value in environment.items() if value is None)
    arguments = " ".join([str(binary), *map(quoted, case.arguments)])
    redirected = f" > {case.stdout}" if case.stdout else ""
    timeout = f"timeout -s {case.send[0].name[3:]} {case.send[1]} " if case.send else ""
    return f"{limits}{unset}{variables}{timeout}{arguments}{redirected}"


def printable(text):
    """A text with its control characters and other bytes written as escapes."""
    bytes_ = os.fsencode(text)
    return "".join(chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in bytes_)


def quoted(argument):
    """An argument as a shell takes it."""
    shown = printable(argument)
    return shlex.quote(shown) if "\\x" not in shown else f"$'{shown}'"


def run(case, binary, folder, good):
    """Runs a case in a new folder and returns what is wrong, and the result."""
    shutil.copytree(good, folder, symlinks=True)
    home = folder / "home"
    home.mkdir()
    if case.prepare:
        case.prepare(folder)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        **variables_of(case),
    }
    environment = {name: value for name, value in environment.items() if value is not None}
    limits = "".join(f"ulimit -{letter} {value} && " for letter, value in case.limits.items())
    argv = ["/bin/sh", "-c", limits + 'exec "$0" "$@"', str(binary), *case.arguments]
    stdout = open(folder / case.stdout, "wb") if case.stdout else subprocess.PIPE
    began = time.monotonic()
    # Waited for below, where its memory is watched.
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    if case.stdout:
        stdout.close()
    kept = {}
    pipes = {"stdout": process.stdout, "stderr": process.stderr}
    readers = [
        threading.Thread(target=drain, args=(name, pipe, kept), daemon=True)
        for name, pipe in pipes.items()
        if pipe
    ]
    for reader in readers:
        reader.start()
    result = watch(process, case, began)
    for reader in readers:
        reader.join(timeout=5)
    result.stdout, result.stderr = kept.get("stdout", ""), kept.get("stderr", "")
    return problems(case, folder, result), result


def drain(name, pipe, kept):
    """Reads a pipe to its end and keeps the beginning."""
    beginning = b""
    with pipe:
        while piece := pipe.read(1 << 16):
            if len(beginning) < KEPT_BYTES:
                beginning += piece
                kept[name] = beginning.decode("utf-8", "replace")


def watch(process, case, began):
    """Waits for the process; ends it when it takes too long or too much memory."""
    result = Result()
    signalled = False
    while True:
        result.mib = max(result.mib, peak_mib(process.pid))
        pid, status = os.waitpid(process.pid, os.WNOHANG)
        elapsed = time.monotonic() - began
        if pid:
            process.returncode = result.code = os.waitstatus_to_exitcode(status)
            result.seconds = elapsed
            return result
        if case.send and not signalled and elapsed >= case.send[1]:
            signalled = True
            process.send_signal(case.send[0])
        if not result.ended_by:
            if elapsed > case.seconds:
                result.ended_by = f"still running after {case.seconds:g} s"
            elif result.mib > most_mib(case):
                result.ended_by = f"more than {most_mib(case)} MiB of memory"
            if result.ended_by:
                os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.002 if elapsed < 0.1 else 0.02)


def peak_mib(pid):
    """The most memory that the process held since it began.

    The figure that the system keeps for its parent also counts the parent before `exec`.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak[1]) / 1024 if peak else 0


def problems(case, folder, result):
    """What no run may do, whatever the conditions."""
    if result.ended_by:
        return [result.ended_by]
    found = []
    codes = set(case.codes)
    if case.send:
        codes.add(-case.send[0])
    if result.code not in codes:
        found.append(f"ended with {result.code}, expected {sorted(codes)}")
    if result.mib > most_mib(case):
        found.append(f"took {result.mib:.0f} MiB, expected at most {most_mib(case)}")
    for name, text in (("stdout", result.stdout), ("stderr", result.stderr)):
        if gave_up := GAVE_UP.search(text):
            found.append(f"{name} says {gave_up[0]!r}")
        if control := CONTROL.search(COLOUR.sub("", text)):
            found.append(f"{name} holds the control character {control[0]!r}")
    if result.code in (1, 2) and not re.search(r"error:|Usage:", result.stderr):
        found.append("failed without an error or the usage on standard error")
    if not case.misused and USAGE.search(result.stderr):
        found.append("its arguments are refused, so nothing is tested")
    # A process that a signal ends at once cannot delete what it was writing.
    killed = case.send and result.code == -case.send[0]
    names = (".tmp*", ".heddle-*")
    left = [path for name in names for path in folder.rglob(name) if not path.is_dir()]
    if left and not killed:
        found.append(f"left {left[0].relative_to(folder)} behind")
    if case.after and (wrong := case.after(folder, result)):
        found.append(wrong)
    return found
