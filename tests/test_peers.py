import datetime
import importlib.util
import json
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

PEERS = Path(__file__).resolve().parent.parent / "benchmarks" / "peers.py"
sys.path.insert(0, str(PEERS.parent))
import peers  # noqa: E402

HAS_NUMPY = importlib.util.find_spec("numpy") is not None

FAKE_HEDDLE = f"""\
#!{sys.executable}
import json, sys
assert sys.argv[1:5] == ["bench", "ops", "--json", "--case"], sys.argv
rows = []
for case in sys.argv[5].split(","):
    name, size = case.split(":")
    for device, median in (("cpu", MEDIAN), ("cuda:0", 1.0)):
        rows.append({{"name": name, "size": int(size), "device": device, "median_ns": median,
                      "p10_ns": median, "p90_ns": median, "samples": 9}})
print(json.dumps({{"suite": "ops", "machine": {{}}, "rows": rows}}))
"""


def fake_heddle(folder, text):
    path = Path(folder) / "heddle"
    path.write_text(textwrap.dedent(text))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_the_requested_device_is_read(self):
        heddle = fake_heddle(self.folder.name, FAKE_HEDDLE.replace("MEDIAN", "50.0"))
        report = peers.heddle_report(heddle, peers.CASES)
        self.assertEqual(set(peers.medians(report, "cpu", peers.CASES).values()), {50.0})
        self.assertEqual(set(peers.medians(report, "cuda:0", peers.CASES).values()), {1.0})

    def test_a_missing_case_is_named(self):
        report = {"rows": [{"name": "xor", "size": 5, "device": "cpu", "median_ns": 1.0}]}
        with self.assertRaisesRegex(peers.Unusable, "on cpu for matmul:64"):
            peers.medians(report, "cpu", [("xor", 5), ("matmul", 64)])

    def test_failures_of_heddle_are_reported(self):
        for text, message in (
            ("#!/bin/sh\necho no such suite >&2\nexit 2\n", "no such suite"),
            ("#!/bin/sh\necho not json\n", "did not write JSON"),
        ):
            heddle = fake_heddle(self.folder.name, text)
            with self.assertRaisesRegex(peers.Unusable, message):
                peers.heddle_report(heddle, peers.CASES)
        with self.assertRaisesRegex(peers.Unusable, "cannot run"):
            peers.heddle_report(Path(self.folder.name) / "absent", peers.CASES)


class Comparison(unittest.TestCase):
    def rows(self, *rounds):
        case = ("xor", 5)
        taken = [({case: theirs}, {case: ours}, {}) for theirs, ours in rounds]
        return peers.compare(taken, [case])

    def test_a_ratio_is_taken_within_each_round(self):
        # The second round ran on a machine half as fast: the ratio stays 2.
        (row,) = self.rows((200, 100), (400, 200), (200, 100))
        self.assertEqual((row["ratio"], row["ratio_min"], row["ratio_max"]), (2, 2, 2))
        self.assertEqual((row["verdict"], row["within_spread"]), ("faster", False))

    def test_slower_is_called_slower_even_within_the_spread(self):
        (row,) = self.rows((90, 100), (95, 100), (110, 100))
        self.assertEqual((row["verdict"], row["within_spread"]), ("slower", True))
        self.assertIn("slower, within the spread", peers.table([row]))

    def test_results_are_named_by_date_and_machine(self):
        path = peers.result_path(Path("r"), datetime.date(2030, 1, 2), "Some CPU @ 2.0GHz")
        self.assertEqual(path, Path("r/2030-01-02-peers-some-cpu-2-0ghz.json"))


@unittest.skipUnless(HAS_NUMPY, "NumPy is not installed")
class WholeRuns(unittest.TestCase):
    def check(self, median, *options):
        with tempfile.TemporaryDirectory() as folder:
            heddle = fake_heddle(folder, FAKE_HEDDLE.replace("MEDIAN", median))
            done = subprocess.run(
                [sys.executable, PEERS, "--heddle", heddle, "--results", folder, *options],
                capture_output=True,
                text=True,
            )
            (written,) = Path(folder).glob("*-peers-*.json")
            return done.returncode, json.loads(written.read_text(encoding="utf-8"))

    def test_faster_everywhere_succeeds_and_is_recorded(self):
        status, written = self.check("0.001")
        self.assertEqual(status, 0)
        self.assertEqual(len(written["rounds"]), peers.LEAST_ROUNDS)
        self.assertEqual(len(written["cases"]), len(peers.CASES))
        self.assertIn("blas", written["numpy"])

    def test_slower_anywhere_fails_unless_no_check_is_given(self):
        self.assertEqual(self.check("1e12")[0], 1)
        self.assertEqual(self.check("1e12", "--no-check")[0], 0)

    def test_numpy_computes_what_is_compared(self):
        calls = peers.numpy_calls([("xor", 5), ("matmul", 4)])
        self.assertEqual(str(calls["xor", 5]().dtype), "uint8")
        self.assertEqual(calls["matmul", 4]().shape, (4, 4))
        self.assertEqual(str(calls["matmul", 4]().dtype), "float32")


if __name__ == "__main__":
    unittest.main()
