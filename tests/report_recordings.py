"""Tests of the recordings that a report opens, and of its messages for those it refuses."""

import json
from pathlib import Path

import recordings
from report_page import PHONE, READY, ReportTest, make_page


class RecordingsTest(ReportTest):
    def test_charts_have_marks_and_nothing_is_requested_from_the_network(self):
        page = self.open("ordinary")
        self.assert_marks(page)
        self.assert_quiet(page)

    def test_network_requests_of_the_page_are_refused(self):
        page = self.open("ordinary")
        outcome = page.evaluate("fetch('https://heddle.invalid/').then(() => 'sent', () => 'refused')")
        self.assertEqual(outcome, "refused")
        page.drain()
        self.assertTrue(any("Content Security Policy" in error for error in page.errors), page.errors)

    def test_a_file_that_is_no_recording_is_refused_with_a_message(self):
        page = self.open("ordinary")
        for name, content, word in (("text.json", "once upon a time", "not JSON"), ("other.json", "[1, 2]", "not a recording"),
                                    ("new.json", '{"format": "heddle-profile", "version": 99}', "version 99"),
                                    ("torn.json", '{"format": "heddle-profile", "version": 2, "strings": [], "spans": {"count": 2, "thread": [1]}}', "damaged")):
            path = Path(self.folder.name) / name
            path.write_text(content)
            page.drop(path)
            page.wait(f"document.getElementById('complaint').textContent.includes({json.dumps(name)})")
            self.assertIn(word, page.evaluate("document.getElementById('complaint').textContent"))
        self.assert_marks(page)
        self.assert_quiet(page)

    def test_a_page_made_from_a_damaged_file_reports_it(self):
        torn = Path(self.folder.name) / "half.json"
        torn.write_text(self.recording("ordinary").read_text()[:1000])
        make_page(torn, torn.with_suffix(".html"))
        page = self.browser.open(torn.with_suffix(".html"))
        self.addCleanup(page.__exit__)
        page.wait("!document.getElementById('complaint').hidden")
        self.assertIn("is not JSON", page.evaluate("document.getElementById('complaint').textContent"))
        self.assert_quiet(page)

    def test_without_a_recording_the_page_shows_the_same_demo_every_time(self):
        page = self.open(None)
        self.assertIn("Nothing here was measured", page.evaluate("document.querySelector('.demo').textContent"))
        self.assertIn("Demo", page.evaluate("document.querySelector('h1').textContent"))
        self.assert_marks(page)
        self.assert_quiet(page)
        again = self.open(None)
        read = "document.getElementById('parts').textContent"
        self.assertEqual(page.evaluate(read), again.evaluate(read))

    def test_a_recording_replaces_the_demo(self):
        page = self.open(None)
        page.drop(self.recording("ordinary"))
        page.wait(f"{READY} && document.querySelector('.demo') === null")
        self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), "ordinary")
        self.assertIsNone(page.evaluate("document.getElementById('changes')"))

    def test_names_stay_text(self):
        page = self.open("awkward")
        self.assertIsNone(page.evaluate("window.escaped ?? null"))
        self.assertEqual(page.evaluate("document.querySelectorAll('main b b, main img').length"), 0)
        self.assertEqual(page.evaluate("document.querySelector('h1').textContent"), recordings.AWKWARD[0])
        self.assert_marks(page, without=("memory",))
        self.assert_quiet(page)

    def test_awkward_recordings_open(self):
        for name in ("empty", "one_span", "instant", "many_threads", "deep", "several_gpus", "version_1"):
            for size in (None, PHONE):
                with self.subTest(recording=name, phone=size is not None):
                    page = self.open(name, size=size)
                    self.assert_quiet(page)
                    self.assert_no_sideways_scrolling(page)

    def test_missing_figures_are_reported(self):
        page = self.open("empty")
        missing = page.evaluate("[...document.querySelectorAll('.figure')].map((figure) => figure.querySelector('.missing') !== null)")
        self.assertTrue(missing and all(missing), missing)
