import contextlib
import datetime
import io
import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
import gpu_peers as peers  # noqa: E402


def round_of(**changes):
    """A round in which every bar is met; `changes` are times by side, clock and case."""
    heddle = dict.fromkeys(peers.HEDDLE_CASES, 1000.0)
    torch = dict.fromkeys(peers.TORCH_CASES, 2000.0)
    cupy = dict.fromkeys(peers.CUPY_CASES, 2000.0)
    one = {
        "heddle": {"wall": heddle, "device": dict(heddle)},
        "torch": {"wall": torch, "device": dict(torch)},
        "cupy": {"wall": cupy, "device": dict(cupy)},
    }
    for place, times in changes.items():
        side, clock = place.split("_")
        one[side][clock].update(times)
    return one


def row_of(taken, start):
    return next(row for row in peers.judge(taken) if row["line"].startswith(start))


def script(folder, text):
    path = Path(folder) / "heddle"
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class Bars(unittest.TestCase):
    def verdict(self, start, **changes):
        return row_of([round_of(**changes)] * 3, start)["verdict"]

    def test_every_bar_can_be_met_and_missed(self):
        self.assertNotIn("MISS", [row["verdict"] for row in peers.judge([round_of()] * 3)])
        slow = dict.fromkeys(peers.HEDDLE_CASES, 1e6)
        rows = peers.judge([round_of(heddle_wall=slow, heddle_device=slow)] * 3)
        judged = [row for row in rows if row["relation"]]
        self.assertEqual({row["verdict"] for row in judged}, {"MISS"})
        self.assertEqual(len(judged), 8)

    def test_a_xor_moves_one_and_a_half_times_the_bytes_of_a_copy(self):
        line = "xor 256 MiB resident"
        # In the time of a copy the xor moved half as much again.
        same = round_of(heddle_device={peers.XOR_LARGE: 100.0}, torch_device={peers.COPY: 100.0})
        self.assertAlmostEqual(row_of([same], line)["value"], 1.5)
        for copy, verdict in ((90.01, "PASS"), (89.0, "MISS")):
            one = {"heddle_device": {peers.XOR_LARGE: 150.0}, "torch_device": {peers.COPY: copy}}
            self.assertEqual(self.verdict(line, **one), verdict)

    def test_the_xor_is_compared_with_the_fastest_copy(self):
        copies = {"torch_device": {peers.COPY: 100.0}, "cupy_device": {peers.COPY: 50.0}}
        one = round_of(heddle_device={peers.XOR_LARGE: 150.0}, **copies)
        self.assertAlmostEqual(row_of([one], "xor 256 MiB resident")["value"], 0.5)

    def test_the_wall_clock_replaces_a_missing_device_clock(self):
        one = round_of(heddle_wall={peers.XOR_LARGE: 300.0}, torch_wall={peers.COPY: 100.0})
        del one["heddle"]["device"][peers.XOR_LARGE]
        self.assertAlmostEqual(peers.xor_share_of_copy(one), 0.5)

    def test_limits_are_met_exactly_at_the_bar(self):
        for line, case, limit in (
            ("xor 1 kB resident", peers.XOR_SMALL, 10_000.0),
            ("xor 1 kB host to host", peers.HOST_SMALL, 35_000.0),
        ):
            self.assertEqual(self.verdict(line, heddle_wall={case: limit}), "PASS")
            self.assertEqual(self.verdict(line, heddle_wall={case: limit * 1.001}), "MISS")

    def test_host_to_host_is_compared_with_the_faster_peer(self):
        times = {"torch_wall": {peers.HOST_LARGE: 1400.0}, "cupy_wall": {peers.HOST_LARGE: 9000.0}}
        self.assertEqual(self.verdict("xor 256 MiB host to host", **times), "MISS")

    def test_a_ratio_is_taken_within_each_round_and_the_median_judged(self):
        # The second round ran on a machine half as fast, the third is an outlier.
        case = peers.MATMULS[1]
        taken = [
            round_of(heddle_wall={case: ours}, torch_wall={case: theirs})
            for ours, theirs in ((100, 98), (200, 196), (100, 50))
        ]
        row = row_of(taken, "matmul f32 4096 resident")
        self.assertAlmostEqual(row["value"], 0.98)
        self.assertEqual((row["least"], row["verdict"]), (0.5, "PASS"))

    def test_lines_by_the_device_clock_are_shown_and_not_judged(self):
        slow = {peers.MATMULS[0]: 1e9}
        self.assertIsNone(self.verdict("matmul f32 1024 by the device", heddle_device=slow))


class Tables(unittest.TestCase):
    def test_every_line_has_its_bar_and_verdict(self):
        taken = [round_of(heddle_wall={peers.HOST_SMALL: 40_000.0})] * 3
        text = peers.table(peers.cases(taken), peers.judge(taken))
        self.assertRegex(text, r"xor 1 kB host to host +40 µs +\(40 µs-40 µs\) +<= 35 µs  MISS\n")
        self.assertRegex(text, r"bmm f32 10x256x256 resident.* 2\.00 .*>= 1\.00  PASS\n")
        self.assertRegex(text, r"copy-resident 268435456 +- +- +2 µs")

    def test_raw_rounds_and_arithmetic_are_recorded(self):
        taken = [round_of()] * 3
        now = datetime.datetime(2030, 1, 2, tzinfo=datetime.timezone.utc)
        rows = peers.cases(taken), peers.judge(taken)
        written = peers.record(taken, *rows, {"torch": {"gpu": "x"}}, "abc", now)
        json.dumps(written)
        self.assertEqual((written["date"], written["commit"]), ("2030-01-02", "abc"))
        self.assertEqual(len(written["rounds"]), 3)
        self.assertEqual((written["traffic"]["xor_passes"], written["traffic"]["copy_passes"]), (3, 2))
        self.assertEqual(len(written["rounds"][0]["torch"]["wall"]), len(peers.TORCH_CASES))

    def test_results_are_named_by_date_and_gpu(self):
        path = peers.result_path(Path("r"), datetime.date(2030, 1, 2), "NVIDIA H200")
        self.assertEqual(path, Path("r/2030-01-02-gpu-peers-nvidia-h200.json"))


class Turns(unittest.TestCase):
    def test_sides_take_turns(self):
        order = []

        class Side:
            def __init__(self, name):
                self.name = name

            def measure(self):
                order.append(self.name)
                return round_of()[self.name]

        names = ["heddle", "torch", "cupy"]
        with contextlib.redirect_stderr(io.StringIO()):
            taken = peers.measure({name: Side(name) for name in names}, 3)
        self.assertEqual((order, len(taken)), (names * 3, 3))

    def test_a_case_left_out_is_named(self):
        one = round_of()
        del one["heddle"]["wall"][peers.BATCH]
        message = "heddle reported no time for batch-matmul-resident:256"
        with self.assertRaisesRegex(peers.Unusable, message):
            peers.check_complete(one)


class Libraries(unittest.TestCase):
    """The calls themselves, on mocked libraries."""

    def times(self, side, **modules):
        with (
            mock.patch.dict(sys.modules, {"numpy": mock.MagicMock(), **modules}),
            mock.patch.object(peers, "median_ns", lambda call: call() or 5.0),
            mock.patch.object(peers, "median_device_ns", lambda timed: timed()),
        ):
            return side("cuda:0").measure()

    def assert_all_timed(self, times, cases):
        self.assertEqual(set(times["wall"]), set(cases))
        hosted = {peers.HOST_SMALL, peers.HOST_LARGE}
        self.assertEqual(set(times["device"]), set(cases) - hosted)
        self.assertEqual(set(times["device"].values()), {3.0})

    def test_pytorch_times_all_its_cases_without_tf32(self):
        torch = mock.MagicMock()
        tensor = torch.from_numpy.return_value.to.return_value
        tensor.__xor__ = mock.MagicMock()
        torch.rand.return_value.__matmul__ = mock.MagicMock()
        torch.cuda.Event.return_value.elapsed_time.return_value = 3.0
        self.assert_all_timed(self.times(peers.Torch, torch=torch), peers.TORCH_CASES)
        self.assertIs(torch.backends.cuda.matmul.allow_tf32, False)
        self.assertTrue(torch.cuda.synchronize.called and torch.bmm.called)

    def test_cupy_times_all_its_cases(self):
        cupy = mock.MagicMock()
        cupy.asarray.return_value.__xor__ = mock.MagicMock()
        cupy.cuda.get_elapsed_time.return_value = 3.0
        self.assert_all_timed(self.times(peers.Cupy, cupy=cupy), peers.CUPY_CASES)
        self.assertTrue(cupy.cuda.Device.return_value.synchronize.called)

    def test_a_machine_without_a_gpu_is_reported(self):
        torch = mock.MagicMock()
        torch.cuda.is_available.return_value = False
        with self.assertRaisesRegex(peers.Unusable, "finds no CUDA GPU"):
            self.times(peers.Torch, torch=torch)


class HeddleTimes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_missing_peer_is_reported_in_one_line(self):
        heddle = script(self.folder, "#!/bin/sh\n")
        errors = io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["gpu_peers.py", "--heddle", str(heddle)]),
            mock.patch.dict(sys.modules, {"numpy": mock.MagicMock(), "torch": None}),
            contextlib.redirect_stderr(errors),
        ):
            self.assertEqual(peers.main(), 2)
        self.assertRegex(errors.getvalue(), r"^error: PyTorch cannot be imported .*\n$")

    def test_a_missing_heddle_is_named_in_full(self):
        with self.assertRaisesRegex(peers.Unusable, r"no heddle at /.*/nowhere/heddle"):
            peers.Heddle(Path("nowhere/heddle"), "cuda:0")

    def test_a_relative_path_becomes_absolute(self):
        heddle = script(self.folder, "")
        found = peers.Heddle(Path(os.path.relpath(heddle)), "cuda:0").path
        self.assertEqual(found, heddle.resolve())

    def test_rows_of_other_devices_are_left_out(self):
        row = {"name": "xor-resident", "size": 1024, "device": "cuda:0", "median_ns": 5.0}
        rows = [{**row, "device_ns": 3}, {**row, "device": "cuda:1", "median_ns": 9.0}]
        output = json.dumps({"rows": rows})
        heddle = script(self.folder, f"#!{sys.executable}\nprint({output!r})\n")
        measured = peers.Heddle(heddle, "cuda:0").measure()
        case = ("xor-resident", 1024)
        self.assertEqual(measured, {"wall": {case: 5.0}, "device": {case: 3}})

    def test_a_failure_of_heddle_is_reported(self):
        heddle = script(self.folder, "#!/bin/sh\necho no such device >&2\nexit 2\n")
        with self.assertRaisesRegex(peers.Unusable, "ended with 2: no such device"):
            peers.Heddle(heddle, "cuda:0").measure()


if __name__ == "__main__":
    unittest.main()
