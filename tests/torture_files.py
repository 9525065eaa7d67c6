"""Good files of every kind, and what can be wrong with a file."""

import json
import os
import random
import subprocess
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "def solve_a(I):\n    x1 = objects(I, T, F, T)\n    O = rot90(I)\n    return O\n"
TASK = {
    "train": [{"input": [[1, 2], [3, 4]], "output": [[3, 1], [4, 2]]}],
    "test": [{"input": [[5, 0]], "output": [[5], [0]]}],
}
LOG = [
    {"heddle_allocation_log": 1, "device": "simt:0", "capacity": 1 << 20},
    {"at": 1, "event": "allocate", "bytes": 1000, "stream": 1, "address": 4096, "site": "a.rs:1"},
    {"at": 2, "event": "free", "address": 4096, "busy": 0},
]
# A task that the program below solves, so that a store keeps it.
MIRROR = {"train": [{"input": [[1, 2]], "output": [[2, 1]]}], "test": [{"input": [[3, 0]], "output": [[0, 3]]}]}
TYPED = "def solve_a(S, I, C):\n    O = vmirror_t(I)\n    return O\n"
MODELS = "models"
# The folder of an evolution.
STORE = "store"


def make_good(folder, binary):
    """Writes a good file of every kind."""
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "several.py").write_text((ROOT / "programs/training_0.py").read_text())
    (folder / "typed.py").write_text(TYPED)
    (folder / "task.json").write_text(json.dumps({"train": {"a": TASK}}))
    (folder / "mirror.json").write_text(json.dumps({"train": {"a": MIRROR}}))
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LOG))
    (folder / "config.toml").write_text('threads = 2\n[memory]\nhost_limit = "50%"\n')
    (folder / "sites.bin").write_bytes(bytes(range(100)))
    golden = ROOT / "crates/heddle-arc/tests/suite/golden/order_free.vectors"
    lines = golden.read_text().splitlines(keepends=True)
    (folder / "vectors.vectors").write_text("".join(lines[:40]))
    environment = {**os.environ, "HOME": str(folder), "HEDDLE_CACHE_DIR": str(folder / MODELS)}
    for arguments in (
        ["arc", "merge", "--programs", "program.py", "-o", "plan.py"],
        ["arc", "merge", "--programs", "typed.py", "--as", "batt", "-o", "merged.py"],
        ["arc", "eval", "--profile", "run.json"],
        ["arc", "evolve", "--rounds", "1", "--store", STORE, "--programs", "typed.py", "--data", "mirror.json"],
        ["calibrate", "--budget", "0.2"],
    ):
        subprocess.run([binary, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    (folder / "other.json").write_bytes((folder / "run.json").read_bytes())


def nest(mark, depth):
    return mark * depth


def damaged(seed):
    """The good file with some bytes changed."""

    def change(good):
        generator = random.Random(seed)
        content = bytearray(good)
        for _ in range(8):
            content[generator.randrange(len(content))] = generator.randrange(256)
        return bytes(content)

    return change


# Contents by name: each a function of the good content.
CONTENTS = {
    "empty": lambda good: b"",
    "a new line": lambda good: b"\n",
    "NULs": lambda good: bytes(4096),
    "random bytes": lambda good: random.Random(1).randbytes(4096),
    "cut in half": lambda good: good[: len(good) // 2],
    "cut at its last byte": lambda good: good[:-2],
    "twice": lambda good: good + good,
    "bytes changed": damaged(1),
    "other bytes changed": damaged(2),
    "UTF-16": lambda good: good.decode().encode("utf-16"),
    "not UTF-8": lambda good: good[:20] + b"\xff\xfe\x80" + good[20:],
    "lists nested 100,000 deep": lambda good: b"[" * 100_000,
    "objects nested 100,000 deep": lambda good: b'{"a":' * 100_000,
    "a large number": lambda good: b"1" * 10_000,
    "numbers replaced by 1e999": lambda good: replaced(good, b"1e999"),
    "numbers replaced by -1": lambda good: replaced(good, b"-1"),
    "numbers replaced by 2^64": lambda good: replaced(good, b"18446744073709551616"),
    "numbers replaced by 2^63-1": lambda good: replaced(good, b"9223372036854775807"),
    "a line of a megabyte": lambda good: b"x" * (1 << 20),
    "terminal escapes": lambda good: escaped(good),
    "terminal escapes alone": lambda good: b"\x1b]0;title\x07\n" + b"\x1b[2J = 1\n" * 4,
}


def replaced(good, number):
    """The numbers of a text after the first line, which is a header in some formats."""
    text, digits = bytearray(), False
    for byte in good:
        if 48 <= byte <= 57:
            if not digits:
                text += number
            digits = True
        else:
            text.append(byte)
            digits = False
    return bytes(text)


def escaped(good):
    """A terminal escape in every name and text, written as each format allows."""
    for name in (b"solve_a", b"simt:0", b"a.rs:1", b'"a"', b"arc-evaluate", b"threads"):
        escape = b"\\u001b]0;title\\u0007" if good.startswith(b"{") else b"\x1b]0;title\x07"
        inside = name.strip(b'"')
        good = good.replace(inside, inside + escape)
    return good


def replace_with(name, content):
    """Preparation of a run: the good file of that name gets another content."""

    def prepare(folder):
        path = folder / name
        path.write_bytes(content(path.read_bytes()))

    return prepare


def as_folder(folder, name):
    (folder / name).unlink()
    (folder / name).mkdir()


def as_missing(folder, name):
    (folder / name).unlink()


def as_loop(folder, name):
    (folder / name).unlink()
    (folder / name).symlink_to(name)


def as_dangling(folder, name):
    (folder / name).unlink()
    (folder / name).symlink_to("nowhere/at/all")


def as_zeros(folder, name):
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")


def as_null(folder, name):
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/null")


def as_fed_pipe(folder, name):
    """A pipe that is fed the good content: the command reads it, or refuses pipes."""
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    os.mkfifo(folder / name)
    threading.Thread(target=feed, args=(folder / name, content), daemon=True).start()


def feed(path, content):
    try:
        # Opened for both, so that it does not wait for a reader that never comes.
        pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        os.write(pipe, content[:4096])
        threading.Event().wait(0.5)
        os.close(pipe)
    except OSError:
        pass


def as_sparse(mib):
    def prepare(folder, name):
        (folder / name).unlink()
        with open(folder / name, "wb") as file:
            file.truncate(mib << 20)

    return prepare


# What stands in the place of a file, by name.
PLACES = {
    "a folder": as_folder,
    "nothing": as_missing,
    "a link to itself": as_loop,
    "a dangling link": as_dangling,
    "/dev/zero": as_zeros,
    "/dev/null": as_null,
    "a pipe": as_fed_pipe,
    "64 MiB of NULs": as_sparse(64),
}
LARGE_PLACES = {
    "2 GiB of NULs": as_sparse(2048),
}
