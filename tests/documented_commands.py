#!/usr/bin/env python3
"""Runs every command in the documentation and fails if one of them fails.

Commands are the lines after `$ ` of ```console blocks and all lines of ```sh
blocks. A block under `<!-- not run: reason -->` is skipped, and the reason is
printed. The commands of a block share one shell, which starts in a scratch
folder of links to the checkout's files, so that files written by a command do
not land in the checkout.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("*.md", "docs/*.md", "crates/*/README.md")
BLOCK_LIMIT_S = 600
RUN_COMMAND = "cargo run --release -- "

FENCE = re.compile(r"^(?P<indent>\s*)(?P<marks>`{3,})(?P<language>[\w-]*)")
HERE_DOCUMENT = re.compile(r"<<\s*['\"]?(?P<word>\w+)")
NOT_RUN = re.compile(r"^\s*<!--\s*not run:\s*(?P<reason>.*?)\s*-->\s*$")


@dataclass
class Block:
    page: str
    line: int
    language: str
    lines: list = field(default_factory=list)
    not_run: str = ""

    def commands(self):
        """Whole commands, including lines continued by a backslash or `<<WORD`."""
        commands, continues, word = [], False, None
        for line in self.lines:
            if self.language == "console":
                if continues or word:
                    line = line.removeprefix("> ")
                elif line.startswith("$ "):
                    line = line.removeprefix("$ ")
                else:
                    continue
            if word:
                commands[-1] += "\n" + line
                word = None if line == word else word
                continue
            if continues:
                commands[-1] += "\n" + line
            elif line.strip() and not line.lstrip().startswith("#"):
                commands.append(line)
            else:
                continue
            continues = line.endswith("\\")
            if here := HERE_DOCUMENT.search(line):
                word = here["word"]
        return commands


def blocks(page, text):
    """The shell blocks of a Markdown page."""
    found, block, closing, reason = [], None, None, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            if line.strip().startswith(closing) and not line.strip().strip("`"):
                closing, block = None, None
            elif block:
                block.lines.append(line.removeprefix(indent))
        elif fence := FENCE.match(line):
            closing, indent = fence["marks"], fence["indent"]
            if fence["language"] in ("sh", "console"):
                block = Block(page, number, fence["language"], not_run=reason)
                found.append(block)
            reason = ""
        elif line.strip():
            marked = NOT_RUN.match(line)
            reason = marked["reason"] if marked else ""
    return found


def plan(commands):
    """Pairs of (command, why it is skipped or None)."""
    planned, cloned = [], False
    for command in commands:
        words = command.split()
        why = None
        if words[0] in ("./test", ".ci/run"):
            why = "it runs this check"
        elif words[:2] == ["cargo", "install"]:
            why = "the tests' build of the command serves here as well"
        elif words[:2] == ["git", "clone"]:
            why, cloned = "this is the clone", True
        elif cloned and words[0] == "cd":
            why, cloned = "this is the clone", False
        planned.append((command, why))
    return planned


def script(planned):
    """Returns a shell script that prints each command before running it."""
    lines = ["set -euo pipefail"]
    for command, why in planned:
        if why:
            lines.append(f"echo {shlex.quote(f'skipped, {why}: $ {command}')}")
            continue
        lines.append(f"echo {shlex.quote(f'$ {command}')}")
        if command.startswith(RUN_COMMAND):
            command = "heddle " + command.removeprefix(RUN_COMMAND)
        # From the scratch folder cargo would treat this as another workspace and
        # build all of it again.
        if command.split()[0] == "cargo":
            command = f'(cd "$CHECKOUT" && {command})'
        lines.append(command)
    return "\n".join(lines) + "\n"


def scratch_view(root, scratch):
    """Fills `scratch` with links to the entries of `root`."""
    for entry in root.iterdir():
        if entry.name != ".git":
            (scratch / entry.name).symlink_to(entry)


def run(block, root, binaries):
    """Runs a block. Returns 0 for success, else the exit status or the reason."""
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        scratch = temporary / "checkout"
        scratch.mkdir()
        scratch_view(root, scratch)
        environment = os.environ | {
            "CARGO_INSTALL_ROOT": str(temporary / "installed"),
            "CHECKOUT": str(root),
            "HEDDLE_CACHE_DIR": str(temporary / "cache"),
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        }
        # A reader has not set it; a page that needs the tasks says how to get them.
        environment.pop("HEDDLE_ARC_DATA", None)
        try:
            done = subprocess.run(
                ["bash", "-c", script(plan(block.commands()))],
                cwd=scratch,
                env=environment,
                stdin=subprocess.DEVNULL,
                timeout=BLOCK_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return f"a timeout of {BLOCK_LIMIT_S} s"
        return done.returncode


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--binaries", type=Path, default=ROOT / "target/debug")
    arguments.add_argument("--root", type=Path, default=ROOT)
    arguments = arguments.parse_args()
    root, binaries = arguments.root.resolve(), arguments.binaries.resolve()

    if not (root / "README.md").is_file():
        sys.exit(f"error: {root} has no README.md")
    ran = failed = skipped = 0
    for page in sorted(path for pattern in PAGES for path in root.glob(pattern)):
        name = str(page.relative_to(root))
        for block in blocks(name, page.read_text(encoding="utf-8")):
            print(f"-- {block.page}:{block.line}", flush=True)
            if block.not_run:
                print(f"not run: {block.not_run}")
                skipped += 1
                continue
            status = run(block, root, binaries)
            ran += 1
            if status:
                print(f"{block.page}:{block.line}: the last command above ended with {status}")
                failed += 1
    print(f"documented blocks: {ran} ran, {failed} failed, {skipped} not run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
