"""Looks at reports of evidence/ in Chromium.

usage: check_page.py CHROMIUM REPORT.html HOSTILE.html PICTURES; every reason, program and environment
in HOSTILE.html is HOSTILE_TEXT
"""
import pathlib
import re
import sys
import unittest

from browser import Browser
from hostile import HOSTILE_TEXT

CHROMIUM = sys.argv[1]
REPORT, HOSTILE, PICTURES = map(pathlib.Path, sys.argv[2:])
ROUTES = 56
BACKWARD_ROUTES = 28
ROUTE = "#h200_132/bwd_w32_h4096"
HEADER = pathlib.Path(__file__).resolve().parents[2] / "kernels/dispatch/windows/h200_132.h"

# How many pixels of a canvas differ from the first. Read from a copy: Chromium warns of canvases
# that are read.
DRAWN = """((id) => {
  const canvas = document.getElementById(id);
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext('2d', {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
  const {data} = context.getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer);
  return pixels.reduce((count, pixel) => count + (pixel !== pixels[0]), 0);
})"""
COLUMN = """((table, index) => [...document.querySelectorAll(`${table} tbody tr`)]
  .map((row) => row.cells[index].textContent))"""


def windows_of_header():
    """[lo, hi, program, edge] of ROUTE's windows, as the header has them."""
    table = HEADER.read_text().split("kH200_132_bwd_w32_h4096[]", 1)[1].split("};", 1)[0]
    found = re.findall(r"\{ *(\d+), *(\w+), ProgramIndex\(\"(\w+)\"\), *k(\w+),", table)
    assert found, "the header has windows of the route"
    return [[int(lo), 2**31 - 1 if hi == "kMaxRows" else int(hi), program, edge.lower()]
            for lo, hi, program, edge in found]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open(self, width=1400, height=1000, dark=False, at=ROUTE, report=REPORT):
        self.browser.console.clear()
        self.browser.requests.clear()
        self.report = report.as_uri()
        self.browser.open(self.report + at, width, height, dark)

    def tearDown(self):
        self.assertEqual(self.browser.console, [], "the page logs nothing")
        others = [one for one in self.browser.requests
                  if not one.startswith((self.report, "data:", "about:"))]
        self.assertEqual(others, [], "the page fetches nothing")

    def js(self, expression):
        return self.browser.evaluate(expression)

    def test_every_route_is_drawn(self):
        self.open()
        names = self.js("[...document.querySelectorAll('#route option')].map((o) => o.value)")
        self.assertEqual(len(names), ROUTES)
        backward = 0
        for name in names:
            self.js(f"location.hash = '#h200_132/{name}'")
            self.browser.wait(f"document.querySelector('#route').value === '{name}'"
                              f" && document.title.startsWith('{name},')")
            self.assertGreater(self.js(f"{DRAWN}('time-chart')"), 5000, name)
            with_errors = self.js("Boolean(Chart.getChart('error-chart'))")
            self.assertEqual(with_errors, name.startswith("bwd_"), name)
            if with_errors:
                backward += 1
                self.assertGreater(self.js(f"{DRAWN}('error-chart')"), 5000, name)
            self.assertGreater(self.js("document.querySelectorAll('#windows tbody tr').length"), 1)
            self.assertLessEqual(self.js("Object.keys(Chart.instances).length"), 3)
        self.assertEqual(backward, BACKWARD_ROUTES)

    def test_charts_hold_what_the_evidence_says(self):
        self.open()
        labels = self.js("Chart.getChart('time-chart').data.datasets.map((d) => d.label)")
        self.assertIn("stream", labels)
        self.assertIn("bwd_ring_h4096_t512_w16_r2_s4_c1_rr_twoprod", labels)
        bands = self.js("Chart.getChart('time-chart').options.plugins.overlay.windows"
                        ".map((w) => [w.lo, w.hi])")
        self.assertEqual(bands, [window[:2] for window in windows_of_header()])
        lines = self.js("Chart.getChart('error-chart').options.plugins.overlay.lines"
                        ".map((l) => l.y)")
        self.assertEqual(lines, [0.001, 1])
        axes = self.js("['x', 'y'].map((a) => Chart.getChart('time-chart').scales[a].type)")
        self.assertEqual(axes, ["logarithmic", "logarithmic"])

    def test_time_over_the_floor(self):
        self.open()
        self.js("document.querySelector('#unit input[value=true]').click()")
        stream = self.js("Chart.getChart('time-chart').data.datasets"
                         ".find((d) => d.label === 'stream').data.map((p) => p.y)")
        self.assertEqual(set(stream), {1})
        self.assertEqual(self.js("Chart.getChart('time-chart').scales.y.type"), "linear")

    def test_tables_sort_by_keyboard(self):
        self.open()
        self.js("document.querySelector('#routes th:nth-child(6) button').focus()")
        column = f"{COLUMN}('#routes', 5).map(Number)"
        self.browser.press("Enter")
        up = self.js(column)
        self.assertEqual(up, sorted(up))
        self.assertEqual(len(up), ROUTES)
        self.browser.press("Space")
        self.assertEqual(self.js(column), sorted(up, reverse=True))
        self.assertEqual(self.js("document.querySelector('#routes th:nth-child(6)')"
                                 ".getAttribute('aria-sort')"), "descending")

    def test_a_table_copies_as_tab_separated_text(self):
        self.open()
        self.browser.call("Browser.grantPermissions",
                          permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        for clipboard in (True, False):  # where a browser keeps it from files, by selection
            if not clipboard:
                self.js("navigator.clipboard.writeText = () => Promise.reject(new Error('kept'))")
            self.js("document.querySelector('#windows .bar button').focus()")
            self.browser.press("Enter")
            self.browser.wait("document.querySelector('#windows .bar button').textContent "
                              "=== 'Copied'")
            lines = self.js("navigator.clipboard.readText()").split("\n")
            self.assertEqual(lines[0].split("\t")[:2], ["rows", "program"])
            windows = windows_of_header()
            lo, hi, program, edge = windows[0]
            self.assertEqual(lines[1].split("\t")[:3], [f"({lo}, {hi}]", program, edge])
            self.assertEqual(len(lines), 1 + len(windows) + 1)
            self.browser.wait("document.querySelector('#windows .bar button').textContent "
                              "=== 'Copy'")

    def test_filter_and_steps(self):
        self.open()
        self.js("document.querySelector('#filter').focus()")
        self.browser.type("bwd res 512")
        names = self.js("[...document.querySelectorAll('#route option')].map((o) => o.value)")
        self.assertEqual(names, ["bwd_res_w16_h512", "bwd_res_w16_h5120", "bwd_res_w32_h512",
                                 "bwd_res_w32_h5120"])
        self.js("document.querySelector('#next').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.js("location.hash"), "#h200_132/bwd_res_w16_h5120")

    def test_charts_read_out_by_arrow_keys(self):
        self.open()
        self.js("document.querySelector('#time-chart').focus()")
        self.browser.press("ArrowRight", 3)
        reading = self.js("document.querySelector('#time-reading').textContent")
        self.assertTrue(reading.startswith("4 rows"), reading)
        self.assertIn("stream", reading)
        self.assertIn("routed: dual_t512_w16_slab64_fma64", reading)
        self.browser.press("Escape")
        self.assertEqual(self.js("document.querySelector('#time-reading').textContent"), "")

    def test_every_control_is_reached_by_tab_and_shows_it(self):
        self.open()
        seen = set()
        for _ in range(150):
            self.browser.press("Tab")
            seen.add(self.js("document.activeElement.id || document.activeElement.name || "
                             "document.activeElement.dataset.program && 'program' || "
                             "document.activeElement.textContent"))
            outline = self.js("document.activeElement === document.body || "
                              "getComputedStyle(document.activeElement).outlineStyle !== 'none'")
            self.assertTrue(outline, "focus is seen")
        self.assertLessEqual({"filter", "route", "next", "unit", "time-chart", "program",
                              "error-chart", "history-scope", "Copy"}, seen)

    def test_programs_are_hidden_by_keyboard(self):
        self.open()
        name = "bwd_ring_h4096_t512_w16_r2_s4_c1_rr_plain"
        shown = (f"Chart.getChart('time-chart').data.datasets.some((d) => d.label === '{name}')")
        self.assertTrue(self.js(shown))
        self.js(f"document.querySelector('[data-program={name}]').focus()")
        self.browser.press("Space")
        self.assertFalse(self.js(shown))

    def test_published_edges_stand_on_the_timeline(self):
        self.open()
        self.js("document.querySelector('#history-scope input[value=archs]').click()")
        self.assertGreater(self.js(f"{DRAWN}('history-chart')"), 1000)
        after = self.js(f"{COLUMN}('#history', 4)")
        self.assertIn("44032", after)  # #8293 on sm_100a, from 52736

    def test_the_address_is_kept(self):
        self.open(at="#h200_132/fwd_w16_h512")
        self.assertEqual(self.js("document.querySelector('#route').value"), "fwd_w16_h512")
        self.open(at="#no_such_board/none")
        self.assertEqual(self.js("document.querySelector('#board').value"), "h200_132")

    def test_phone_in_dark_mode(self):
        for route in (ROUTE, "#h200_132/bwd_res_w16_h256", "#h200_132/fwd_w32_h256"):
            self.open(390, 844, dark=True, at=route)
            self.assertEqual(self.js("document.documentElement.scrollWidth"), 390)
            self.assertEqual(self.js("getComputedStyle(document.body).backgroundColor"),
                             "rgb(20, 23, 27)")
            self.assertLessEqual(self.js("document.querySelector('#time-chart').clientWidth"), 390)

    def test_tables_of_charts_open(self):
        self.open()
        self.js("document.querySelectorAll('#time-data, #error-data').forEach("
                "(details) => { details.open = true; })")
        self.browser.wait("document.querySelectorAll('#error-data tbody tr').length > 50")
        self.assertGreater(self.js("document.querySelectorAll('#time-data tbody tr').length"), 20)

    def test_hostile_text_is_text(self):
        self.open(report=HOSTILE)
        for index in (1, 9):  # program and reason
            self.assertEqual(set(self.js(f"{COLUMN}('#windows', {index})")), {HOSTILE_TEXT})
        self.assertIn(HOSTILE_TEXT, self.js(f"{COLUMN}('#environments', 0)"))
        self.assertEqual(self.js("document.querySelectorAll('img').length"), 0)

    def test_pictures(self):
        for name, width, height, dark in (("desktop_light", 1400, 1000, False),
                                          ("phone_dark", 390, 844, True)):
            self.open(width, height, dark)
            path = PICTURES / f"{name}.png"
            self.browser.picture(path, whole_page=True)
            self.assertGreater(path.stat().st_size, 50_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
