import unittest

from outcome import count


class Outcome(unittest.TestCase):
    def test_nextest(self):
        log = "     Summary [  86.104s] 893 tests run: 891 passed (2 slow), 2 failed, 51 skipped\n"
        self.assertEqual(count(100, log), (891, 2, 51))
        self.assertEqual(count(0, " Summary [ 1s] 1 test run: 1 passed, 0 skipped\n"), (1, 0, 0))

    def test_cargo_adds_up_its_programs(self):
        line = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 1s\n"
        self.assertEqual(count(0, line + line), (6, 0, 6))

    def test_unittest(self):
        self.assertEqual(count(0, "Ran 7 tests in 0.1s\n\nOK\n"), (7, 0, 0))
        self.assertEqual(count(1, "Ran 7 tests in 1s\n\nFAILED (failures=1, errors=2, skipped=1)\n"), (3, 3, 1))

    def test_more_failures_than_tests_give_no_negative_number(self):
        self.assertEqual(count(1, "Ran 2 tests in 1s\n\nFAILED (failures=5)\n"), (0, 5, 0))

    def test_documented_commands(self):
        self.assertEqual(count(1, "documented blocks: 9 ran, 1 failed, 3 not run\n"), (8, 1, 3))

    def test_torture(self):
        self.assertEqual(count(1, "torture cases: 650 ran, 2 failed, 30 not run\n"), (648, 2, 30))

    def test_output_without_numbers_counts_as_one_check(self):
        self.assertEqual(count(0, "fine\n"), (1, 0, 0))
        self.assertEqual(count(101, "error: could not compile\n"), (0, 1, 0))
        self.assertEqual(count(77, "there is no browser\n"), (0, 0, 1))

    def test_a_check_that_failed_never_counts_as_passed(self):
        line = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n"
        self.assertEqual(count(101, line), (3, 1, 0))


if __name__ == "__main__":
    unittest.main()
