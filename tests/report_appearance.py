"""Tests of a report's appearance and accessibility: contrast, colours, phone, print and keyboard."""

import shutil
import subprocess
from pathlib import Path

from report_page import OPTIONS, PHONE, READY, ReportTest

TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0

# The contrast of every visible text with its background, lowest first.
CONTRASTS = """(() => {
  const parse = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return {rgb: parts.slice(0, 3), alpha: parts[3] ?? 1};
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const backgroundOf = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const {rgb, alpha} = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return rgb;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const holder = walker.currentNode.parentElement;
    if (!text || !holder.checkVisibility() || holder.closest("script, style, .unseen, .skip, .drop-hint")) continue;
    const style = getComputedStyle(holder);
    const inSvg = holder.closest("svg") !== null;
    const bar = inSvg && holder.closest(".barlayer .point")?.querySelector("path");
    const inside = bar && holder.closest(".bartext")?.getAttribute("text-anchor") === "middle" && holder.closest(".bartext-inside");
    const background = inside ? parse(getComputedStyle(bar).fill).rgb : backgroundOf(holder.closest(".chart") ?? holder);
    found.push([contrast(parse(inSvg ? style.fill : style.color).rgb, background), text.slice(0, 40)]);
  }
  return found.sort((a, b) => a[0] - b[0]);
})()"""


class AppearanceTest(ReportTest):
    def test_every_control_is_reached_by_keyboard_and_shows_its_focus(self):
        page = self.open("ordinary")
        wanted = page.evaluate("""[...document.querySelectorAll('button, a[href], input:not([hidden]), summary, [tabindex="0"]')]
            .filter((each) => each.checkVisibility()).length""")
        reached = set()
        unmarked = set()
        for _ in range(wanted + 5):
            page.press("Tab")
            number, marked, words = page.evaluate("""(() => {
                const focused = document.activeElement;
                const style = getComputedStyle(focused);
                return [[...document.querySelectorAll('*')].indexOf(focused),
                    style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, focused.outerHTML.slice(0, 80)];
            })()""")
            reached.add(number)
            if not marked and "<body" not in words:
                unmarked.add(words)
        self.assertGreaterEqual(len(reached), wanted)
        self.assertEqual(unmarked, set())

    def test_controls_and_charts_have_names(self):
        page = self.open("ordinary")
        nameless = page.evaluate("""[...document.querySelectorAll('button, input:not([hidden]), [role=img], [role=application], [role=region]')]
            .filter((each) => !(each.ariaLabel || each.textContent.trim())).map((each) => each.outerHTML.slice(0, 80))""")
        self.assertEqual(nameless, [])

    def test_a_phone_scrolls_vertically_only(self):
        for name in ("ordinary", "awkward", None):
            with self.subTest(recording=name):
                page = self.open(name, size=PHONE)
                self.assert_no_sideways_scrolling(page)
                self.assert_marks(page, without=("memory",) if name == "awkward" else ())
        page = self.open("ordinary", size=PHONE)
        page.drop(self.recording("awkward"))
        page.wait(f"{READY} && document.getElementById('changes') !== null")
        self.assert_no_sideways_scrolling(page)

    def test_text_and_marks_contrast_with_their_background_in_light_and_dark(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                page = self.open("ordinary", dark=dark)
                page.drop(self.recording("ordinary", slower=("sum",), label="later", seed=6))
                page.wait(f"{READY} && document.getElementById('changes') !== null")
                worst = page.evaluate(CONTRASTS)
                self.assertGreater(len(worst), 200)
                self.assertGreaterEqual(worst[0][0], TEXT_CONTRAST, worst[:5])
                for name in ("cpu", "transfer", "overhead", "simt", "worse", "better", "faint", "pressure-high", "pressure-critical",
                             *(f"gpu-{index}" for index in range(8))):
                    found = page.evaluate(f"""(() => {{
                        const style = getComputedStyle(document.documentElement);
                        const light = (hex) => {{
                            const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
                                .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
                            return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
                        }};
                        const [a, b] = ['{name}', 'panel'].map((name) => light(style.getPropertyValue('--' + name).trim()));
                        return Math.max(a, b) / Math.min(a, b);
                    }})()""")
                    self.assertGreaterEqual(found, MARK_CONTRAST, name)

    def test_colours_follow_the_system_and_the_switch(self):
        page = self.open("ordinary")
        background = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(background)
        page.set_color_scheme(dark=True)
        page.wait("document.documentElement.dataset.theme === 'dark'")
        dark = page.evaluate(background)
        self.assertNotEqual(light, dark)
        page.click("#theme button:nth-child(2)")
        self.assertEqual(page.evaluate(background), light)
        page.click("#theme button:nth-child(1)")
        self.assertEqual(page.evaluate(background), dark)
        self.assert_quiet(page)

    def test_the_report_prints_on_white_with_every_chart_inside_the_page(self):
        page = self.open("ordinary", dark=True)
        page.evaluate("""window.addEventListener('beforeprint', () => {
            const widths = [...document.querySelectorAll('.chart svg.main-svg, canvas')].map((each) => each.getBoundingClientRect().right);
            window.printed = [document.documentElement.dataset.theme, Math.max(...widths), document.querySelector('main').getBoundingClientRect().right];
        })""")
        pdf = Path(self.folder.name) / "report.pdf"
        page.pdf(pdf)
        self.assertTrue(pdf.read_bytes().startswith(b"%PDF"))
        theme, right, edge = page.evaluate("window.printed")
        self.assertEqual(theme, "light")
        self.assertLessEqual(right, edge + 1)
        page.wait("document.documentElement.dataset.theme === 'dark'")
        self.assert_quiet(page)

    def test_pictures(self):
        """Screenshots in light, dark and phone size for the README, kept in the folder given by `--screenshots`."""
        for name, dark, size, last in (("light", False, None, "flame"), ("dark", True, None, "flame"), ("phone", False, PHONE, "shares")):
            with self.subTest(picture=name):
                page = self.open(None, dark=dark, size=size)
                path = Path(OPTIONS.screenshots or self.folder.name) / f"report-{name}.png"
                bottom = page.evaluate(f"document.getElementById('{last}').getBoundingClientRect().bottom + window.scrollY")
                page.screenshot(path, height=int(bottom) + 12)
                # A blank image of this size takes a few thousand bytes.
                self.assertGreater(path.stat().st_size, 60_000)
                if OPTIONS.screenshots:
                    shrink(path)


def shrink(path):
    """Reduces the colours with pngquant, if it is installed; images of flat colours lose nothing."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext", ".png", "--quality", "70-95", "--strip", str(path)], check=False)
