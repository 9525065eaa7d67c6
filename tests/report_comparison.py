"""Tests of two runs compared in one report, and by the crate."""

import json
import subprocess
from pathlib import Path

from report_page import OPTIONS, READY, READY_LIMIT_S, ReportTest, make_page


class ComparisonTest(ReportTest):
    def test_a_second_run_dropped_onto_the_page_is_compared(self):
        page = self.open("ordinary", created_unix_ms=1_000)
        later = self.recording("ordinary", slower=("sum",), created_unix_ms=2_000, label="later", seed=6, matmul_on="cpu")
        page.drop(later)
        page.wait(f"{READY} && document.getElementById('changes') !== null")
        verdicts = dict(zip(self.column(page, "changes", "Operation"), self.column(page, "changes", "Verdict")))
        self.assertEqual(verdicts["sum f32"], "▲ worse")
        self.assertEqual(verdicts["matmul f32"], "= no change")
        self.assertGreater(page.evaluate("document.querySelectorAll('#changes .scatterlayer .points path').length"), 3)
        self.assertIn("cuda:0 100", page.evaluate("document.querySelector('#changes .moves').textContent"))
        # The older run is the baseline; swapped, the slower operation is the faster one.
        page.click(".comparison button")
        page.wait(READY)
        verdicts = dict(zip(self.column(page, "changes", "Operation"), self.column(page, "changes", "Verdict")))
        self.assertEqual(verdicts["sum f32"], "▼ better")
        self.assert_quiet(page)

    def test_a_second_run_can_be_chosen_with_the_button(self):
        page = self.open("ordinary")
        page.choose("#file", self.recording("version_1"))
        page.wait(f"{READY} && document.getElementById('changes') !== null")
        self.assertIn("xor u8", self.column(page, "changes", "Operation"))
        self.assert_quiet(page)

    def test_the_page_and_the_crate_agree(self):
        """Ratio, interval and verdict of every operation, and the overall verdict."""
        for name, before, after in self.pairs():
            with self.subTest(pair=name):
                compared = json.loads(subprocess.run([comparer(), before, after], check=True, capture_output=True).stdout)
                make_page(before, before.with_suffix(".html"))
                page = self.browser.open(before.with_suffix(".html"))
                page.wait(READY, READY_LIMIT_S)
                page.drop(after)
                page.wait(f"{READY} && document.getElementById('changes') !== null", READY_LIMIT_S)
                shown = page.evaluate("JSON.parse(document.getElementById('changes').dataset.changes)")
                page.__exit__()
                self.assertEqual(shown["verdict"].replace(" ", "-"), compared["verdict"])
                operations = {(each["operation"] or "(no name)", each["element"]): each for each in compared["operations"]}
                self.assertEqual(len(shown["operations"]), len(operations))
                for row in shown["operations"]:
                    each = operations[row["operation"], row["element"]]
                    verdict = "inconclusive" if row["verdict"] in ("gone", "new") else row["verdict"].replace(" ", "-")
                    self.assertEqual(verdict, each["verdict"], row)
                    interval = each["interval"] or {"low": None, "high": None}
                    for mine, theirs in ((row["change"], each["ratio"]), (row["low"], interval["low"]), (row["high"], interval["high"])):
                        self.assertEqual(mine is None, theirs is None, row)
                        if mine is not None:
                            self.assertAlmostEqual((mine + 1) / theirs, 1, delta=1e-9)

    def pairs(self):
        """Pairs of files, the older one first: the page takes it as the baseline."""
        early, late = {"created_unix_ms": 1_000}, {"created_unix_ms": 2_000}
        base = self.recording("ordinary", **early)
        for name, other in (
            ("slower", self.recording("ordinary", slower=("sum",), seed=6, **late)),
            ("the same program", self.recording("ordinary", seed=7, **late)),
            ("itself", self.recording("ordinary", **late)),
        ):
            yield name, base, other
        noisy = self.recording("noisy", seed=1, **early)
        yield "noisy", noisy, self.recording("noisy", seed=2, **late)
        yield "noisy and slower", noisy, self.recording("noisy", seed=3, scale=1.2, **late)
        yield "noisy and moved", noisy, self.recording("noisy", seed=4, device="cuda:0", **late)
        yield "few", self.recording("noisy", seed=5, calls=3, **early), self.recording("noisy", seed=6, calls=3, **late)
        yield "one span and nothing", self.recording("one_span"), self.recording("empty")


def comparer():
    """The path of the example that compares with the crate's own code, built beside the page maker."""
    return Path(OPTIONS.maker).with_name("compare")
