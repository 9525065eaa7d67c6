"""The base class of the report's tests, which open it in a headless Chromium.

A program that takes a recording and the page to write makes the pages: the
example `report` unless `--maker` names another.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import recordings
from browser import Browser, find_or_install

ROOT = Path(__file__).resolve().parent.parent
READY = "document.documentElement.dataset.state === 'ready'"
PHONE = {"width": 390, "height": 844, "touch": True}
READY_LIMIT_S = 60

OPTIONS = argparse.Namespace(maker=None, screenshots=None)

# The elements that each plotly chart must have drawn.
PLOTLY_MARKS = {
    "shares": ".slice",
    "means": ".scatterlayer .points path, .barlayer .point",
    "breakdown": ".barlayer .point",
    "memory": ".scatterlayer .js-fill",
    "routing": ".scatterlayer .points path",
}


def make_page(recording, page):
    """Writes the page of a recording's file, or of the demo for None."""
    arguments = [page] if recording is None else [recording, page]
    subprocess.run([OPTIONS.maker, *map(str, arguments)], check=True)


def build_maker():
    command = ["cargo", "build", "--quiet", "--package", "heddle-profile", "--example", "report", "--example", "compare"]
    print("building the page maker:", " ".join(command), flush=True)
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return ROOT / target / "debug" / "examples" / "report"


def seconds(text):
    """Converts a time as the page shows it to seconds."""
    number, unit = text.replace("\u202f", " ").split(" ")
    return float(number) * {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="heddle-report-")
        cls.browser = Browser(find_or_install())
        cls.pages = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def recording(self, name, **arguments):
        """Writes a recording made by `recordings` to a file and returns its path."""
        words = "-".join([name, *(f"{key}-{value}" for key, value in sorted(arguments.items()))])
        path = Path(self.folder.name) / (re.sub(r"[^\w-]", "_", words)[:100] + ".json")
        if not path.exists():
            path.write_text(json.dumps(getattr(recordings, name)(**arguments)))
        return path

    def open(self, name, dark=False, size=None, **arguments):
        """Opens the page of a recording and waits until it has drawn. `None` opens the demo."""
        recording = None if name is None else self.recording(name, **arguments)
        page_path = Path(self.folder.name) / "demo.html" if recording is None else recording.with_suffix(".html")
        if not page_path.exists():
            make_page(recording, page_path)
        page = self.browser.open(page_path, dark=dark, **(size or {}))
        page.wait(READY, READY_LIMIT_S)
        self.addCleanup(page.__exit__)
        return page

    def assert_quiet(self, page):
        """Asserts that the page reported no error and requested nothing but its own file."""
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
        page.drain()
        self.assertEqual(page.errors, [])
        foreign = [url for url in page.requests if not url.startswith(("data:", "blob:"))]
        self.assertEqual(len(foreign), 1, foreign)
        self.assertTrue(foreign[0].startswith("file://"), foreign)

    def assert_marks(self, page, without=()):
        for chart, marks in PLOTLY_MARKS.items():
            if chart not in without:
                drawn = page.evaluate(f"document.querySelectorAll('#{chart} .chart :is({marks})').length")
                self.assertGreater(drawn, 0, f"the chart {chart} is empty")
        for chart in ("timeline", "flame"):
            with self.subTest(chart=chart):
                self.assertGreater(self.painted(page, chart), 0, f"the canvas of {chart} is blank")

    def painted(self, page, chart):
        """The number of different colours on a canvas, without the background."""
        return page.evaluate(f"""(() => {{
            const canvas = document.querySelector('#{chart} canvas');
            if (Number(canvas.dataset.marks) === 0) return 0;
            const pixels = new Uint32Array(
                canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return new Set(pixels).size - 1;
        }})()""")

    def picture(self, page, chart):
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return page.evaluate(f"document.querySelector('#{chart} canvas').toDataURL()")

    def column(self, page, table, label):
        """The texts of a table's column."""
        return page.evaluate(f"""(() => {{
            const table = document.querySelector('#{table} .table table');
            const heads = [...table.querySelectorAll('thead th')].map((head) => head.textContent.trim());
            const at = heads.indexOf({json.dumps(label)});
            return [...table.querySelectorAll('tbody tr')].map((row) => row.children[at].textContent.trim());
        }})()""")

    def head(self, table, label, page):
        """Gives the button in a column's head an id and returns its selector."""
        page.evaluate(f"""[...document.querySelectorAll('#{table} thead button')]
            .find((button) => button.textContent.trim() === {json.dumps(label)}).id = 'sought'""")
        return "#sought"

    def assert_no_sideways_scrolling(self, page):
        scroll, width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        self.assertLessEqual(scroll, width)
        # Every element ends inside the page, or inside a box that scrolls.
        outside = page.evaluate("""[...document.querySelectorAll('main *, header *')].filter((each) =>
            each.getBoundingClientRect().right > window.innerWidth + 1
            && !each.closest('.scroll, nav, .unseen, .skip, svg')).map((each) => each.outerHTML.slice(0, 80))""")
        self.assertEqual(outside, [])
