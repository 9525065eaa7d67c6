#!/usr/bin/env python3
"""Tests the report in a headless Chromium.

    python3 tests/report_in_browser.py                       # what ./test runs
    python3 tests/report_in_browser.py --screenshots docs    # and keep the pictures
    python3 tests/report_in_browser.py -k phone              # one test, as in unittest

Chromium is installed where it is missing and a package manager can do so. Without
a Chromium the script prints why and exits with status 77: skipped. `--maker
PROGRAM` names a program that takes a recording and the page to write; without it,
the example `report` is built.
"""

import argparse
import subprocess
import sys
import unittest

from browser import BrowserError, find_or_install
from report_appearance import AppearanceTest
from report_comparison import ComparisonTest
from report_page import OPTIONS, build_maker
from report_recordings import RecordingsTest
from report_table import TableTest
from report_timeline import TimelineTest

# The exit status of a check that could not run on this machine.
SKIPPED = 77

# The test cases that `unittest.main` finds in this module.
__all__ = ["AppearanceTest", "ComparisonTest", "RecordingsTest", "TableTest", "TimelineTest"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maker", help="a program that makes pages: MAKER [RECORDING] PAGE")
    parser.add_argument("--screenshots", help="the folder to keep report-{light,dark,phone}.png in")
    parser.parse_known_args(namespace=OPTIONS)
    _, rest = parser.parse_known_args()
    try:
        OPTIONS.maker = OPTIONS.maker or build_maker()
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    try:
        find_or_install()
    except (BrowserError, OSError, subprocess.CalledProcessError) as problem:
        print(problem, file=sys.stderr)
        return SKIPPED
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
