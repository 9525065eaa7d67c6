"""Tests that the plotly bundle in the repository is the downloaded one, byte for byte."""

import hashlib
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "crates" / "heddle-profile" / "assets" / "plotly"


class VendoredPlotlyTest(unittest.TestCase):
    def test_files_have_the_recorded_checksums(self):
        lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            checksum, name = line.split()
            self.assertEqual(hashlib.sha256((FOLDER / name).read_bytes()).hexdigest(), checksum, name)

    def test_the_recorded_version_is_that_of_the_bundle(self):
        first = (FOLDER / "plotly-basic.min.js").read_text(encoding="utf-8")[:200]
        version = first.split("minified) v")[1].split()[0]
        self.assertIn(f"plotly.js {version}", (FOLDER / "README.md").read_text().replace("\n", " "))


if __name__ == "__main__":
    unittest.main()
