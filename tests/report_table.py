"""Tests of a report's table: figures, sorting and filter."""

import recordings
from report_page import ReportTest, seconds


class TableTest(ReportTest):
    def test_figures_match_the_recording(self):
        spans = recordings.ordinary()["spans"]
        page = self.open("ordinary")
        strings = recordings.ordinary()["strings"]
        totals = {}
        for operation, device, total, own in zip(spans["operation"], spans["device"], spans["total_ns"], spans["self_ns"]):
            key = f"{strings[operation]} f32", strings[device]
            calls, sum_, self_ = totals.get(key, (0, 0, 0))
            totals[key] = calls + 1, sum_ + total, self_ + own
        shown = zip(*(self.column(page, "operations", label) for label in ("Operation", "Device", "Calls", "Total", "Self", "Mean")))
        rows = {(operation, device): rest for operation, device, *rest in shown}
        self.assertEqual(set(rows), set(totals))
        for key, (calls, total, own) in totals.items():
            shown_calls, shown_total, shown_self, shown_mean = rows[key]
            self.assertEqual(int(shown_calls), calls)
            self.assertAlmostEqual(seconds(shown_total) / (total / 1e9), 1, delta=0.006)
            self.assertAlmostEqual(seconds(shown_self) / (own / 1e9), 1, delta=0.006)
            self.assertAlmostEqual(seconds(shown_mean) / (total / calls / 1e9), 1, delta=0.006)

    def test_table_sorts_both_ways_by_mouse_and_keyboard(self):
        page = self.open("ordinary")
        own = [seconds(text) for text in self.column(page, "operations", "Self")]
        self.assertEqual(own, sorted(own, reverse=True))
        page.click(self.head("operations", "Calls", page))
        calls = [int(text) for text in self.column(page, "operations", "Calls")]
        self.assertEqual(calls, sorted(calls, reverse=True))
        self.assertEqual(page.evaluate("document.getElementById('sought').parentElement.ariaSort"), "descending")
        page.press("Enter")
        calls = [int(text) for text in self.column(page, "operations", "Calls")]
        self.assertEqual(calls, sorted(calls))
        self.assertEqual(page.evaluate("document.getElementById('sought').parentElement.ariaSort"), "ascending")
        self.assert_quiet(page)

    def test_table_keeps_only_rows_that_contain_the_filter(self):
        page = self.open("ordinary")
        before = self.column(page, "operations", "Operation")
        page.click("#operations input")
        for letter in "MAT cuda":
            page.press(letter)
        self.assertEqual(self.column(page, "operations", "Operation"), ["matmul f32"])
        page.evaluate("document.activeElement.select()")
        for letter in "nowhere":
            page.press(letter)
        self.assertEqual(self.column(page, "operations", "Operation"), [])
        self.assertIn("No row holds “nowhere”", page.evaluate("document.querySelector('#operations [role=status]').textContent"))
        page.evaluate("document.activeElement.select()")
        page.press("Backspace", windowsVirtualKeyCode=8)
        self.assertEqual(self.column(page, "operations", "Operation"), before)
