import os
import signal
import tempfile
import unittest
from pathlib import Path

from torture_files import CONTENTS
from torture_run import Case, Result, command_line, problems, run


class Runs(unittest.TestCase):
    """What a run may not do is found in a program that does it."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        (self.scratch / "good").mkdir()

    def found(self, script, **options):
        binary = self.scratch / "command"
        binary.write_text(f"#!/bin/sh\n{script}\n")
        binary.chmod(0o755)
        folder = self.scratch / f"run-{len(list(self.scratch.iterdir()))}"
        return " ".join(run(Case("a case", ["an argument"], **options), binary, folder, self.scratch / "good")[0])

    def test_a_good_run_has_no_problem(self):
        self.assertEqual(self.found('test "$1" = "an argument" && echo fine'), "")

    def test_a_failure_with_a_message_is_no_problem(self):
        self.assertEqual(self.found("echo 'error: no' >&2; exit 1"), "")

    def test_a_failure_without_a_message(self):
        self.assertIn("without an error", self.found("exit 1"))

    def test_a_panic(self):
        self.assertIn("panicked at", self.found("echo \"thread 'main' panicked at a.rs\" >&2; exit 101"))

    def test_an_abort(self):
        self.assertIn("ended with -6", self.found("kill -ABRT $$"))

    def test_an_unknown_code(self):
        self.assertIn("ended with 7", self.found("echo error: >&2; exit 7"))

    def test_a_run_that_hangs(self):
        self.assertIn("still running", self.found("exec sleep 30", seconds=0.2))

    def test_arguments_that_are_refused(self):
        script = "echo 'error: no\n\nUsage: heddle' >&2; exit 2"
        self.assertIn("arguments are refused", self.found(script))
        self.assertEqual(self.found(script, misused=True), "")
        self.assertEqual(self.found("echo 'error: no such task' >&2; exit 2"), "")

    def test_a_limit_is_set_and_may_not_be_passed_twice(self):
        self.assertEqual(self.found('test "$HEDDLE_MEMORY_HOST_LIMIT" = 10MiB', limit=10), "")
        script = "x=$(head -c 30000000 /dev/zero | tr '\\0' x); exec sleep 1"
        self.assertIn("more than 20 MiB", self.found(script, limit=10))

    def test_a_run_that_takes_too_much_memory(self):
        script = "x=$(head -c 30000000 /dev/zero | tr '\\0' x); exec sleep 1"
        self.assertIn("more than 20 MiB", self.found(script, mib=20))

    def test_control_characters(self):
        self.assertIn("control character", self.found("printf '\\033]0;title\\007'"))

    def test_colours_are_no_control_characters(self):
        self.assertEqual(self.found("printf '\\033[31mred\\033[0m\\n'"), "")

    def test_a_file_left_behind(self):
        self.assertIn(".tmpX", self.found("touch .tmpX"))

    def test_a_signal_is_sent_and_may_end_the_run(self):
        self.assertEqual(self.found("exec sleep 30", send=(signal.SIGTERM, 0.1)), "")

    def test_what_a_case_expects_of_its_files(self):
        after = lambda folder, result: None if (folder / "out").exists() else "no out"
        self.assertIn("no out", self.found("true", after=after))

    def test_limits_are_set(self):
        self.assertEqual(self.found('test "$(ulimit -n)" = 17', limits={"n": 17}), "")


class Cases(unittest.TestCase):
    def test_the_line_that_repeats_a_case(self):
        case = Case("a case", ["eval", "a b", "\x1b[2J"], {"A": "1", "B": None}, limits={"v": 5}, stdout="/dev/full")
        line = "ulimit -v 5; unset B; A=1 heddle eval 'a b' $'\\x1b[2J' > /dev/full"
        self.assertEqual(command_line(case, "heddle"), line)

    def test_contents_differ_from_the_good_one(self):
        good = b'{"heddle": 12, "a": [1, 2, 3], "threads": "solve_a"}\n' * 4
        for name, change in CONTENTS.items():
            self.assertNotEqual(change(good), good, name)

    def test_a_result_within_its_bounds(self):
        self.assertEqual(problems(Case("a case", []), Path(os.devnull).parent / "none", Result(code=0)), [])


if __name__ == "__main__":
    unittest.main()
