#!/usr/bin/env python3
"""Counts the results in a check's output, read from standard input: `PASSED FAILED SKIPPED`.

    python3 tests/outcome.py STATUS < log

Understands the output of cargo-nextest, cargo test, unittest,
`documented_commands.py` and `torture.py`. Any other check counts as one that passed, failed or,
with status 77, was skipped.
"""

import re
import sys

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
NEXTEST = re.compile(r"^\s*Summary \[.*?\] .*?tests? run: (?P<rest>.*)$", re.MULTILINE)
CARGO = re.compile(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; (\d+) filtered out",
    re.MULTILINE,
)
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n+(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
OWN_SCRIPT = re.compile(r"^(?:documented blocks|torture cases): (\d+) ran, (\d+) failed, (\d+) not run$", re.MULTILINE)


def numbered(word, text):
    """Returns the number before or after a word: `3 failed`, `failures=3`."""
    found = re.search(rf"(\d+) {word}|{word}=(\d+)", text)
    return int(found[1] or found[2]) if found else 0


def count(status, log):
    """Returns how many passed, failed and were skipped."""
    log = COLOUR.sub("", log)
    if status == 77:
        return 0, 0, 1
    passed = failed = skipped = 0
    reported = False
    for summary in NEXTEST.finditer(log):
        reported = True
        passed += numbered("passed", summary["rest"])
        failed += numbered("failed", summary["rest"]) + numbered("timed out", summary["rest"])
        skipped += numbered("skipped", summary["rest"])
    for result in CARGO.finditer(log):
        reported = True
        passed += int(result[1])
        failed += int(result[2])
        skipped += int(result[3]) + int(result[4])
    for result in UNITTEST.finditer(log):
        reported = True
        bad = numbered("failures", result[2] or "") + numbered("errors", result[2] or "")
        left_out = numbered("skipped", result[2] or "")
        # A test with failing parts counts each of them.
        passed += max(0, int(result[1]) - bad - left_out)
        failed += bad
        skipped += left_out
    for result in OWN_SCRIPT.finditer(log):
        reported = True
        passed += int(result[1]) - int(result[2])
        failed += int(result[2])
        skipped += int(result[3])
    if not reported and status == 0:
        passed = 1
    if status != 0 and failed == 0:
        failed = 1
    return passed, failed, skipped


if __name__ == "__main__":
    print(*count(int(sys.argv[1]), sys.stdin.read()))
