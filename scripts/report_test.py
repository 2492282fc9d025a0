#!/usr/bin/python3
"""report_test.py - a report in headless Chromium: every figure there, no console error, and the
basics that keyboards and screen readers need. One line a check, as scripts/test counts them.

Usage: report_test.py PAGE.html [SECTION...]
With sections: a report, which has them; without: any page, such as the agreement report.
"""

import html
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile

FOREIGN = re.compile(r"""(?:src|href)\s*=\s*["'](?!#|data:)""")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.figures, self.headings, self.links = [], [], [], []
        self.tables = self.captions = self.svgs = self.bare_heads = 0
        self.language = None
        self.targets = set()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.language = attrs.get("lang")
        if "id" in attrs:
            self.targets.add(attrs["id"])
        if tag == "section":
            self.ids.append(attrs.get("id"))
        if tag == "figure":
            self.figures.append(attrs.get("aria-label"))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "a":
            self.links.append(attrs.get("href"))
        self.svgs += tag == "svg"
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.bare_heads += tag == "th" and "scope" not in attrs


def browse(path, *options):
    """The page as the browser holds it, and what its console said."""
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--v=0", *options, "--dump-dom", path.resolve().as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


# Run in the page: what the Tab key reaches, in which order, whether that shows, what scrolls
# without it, and the least contrast of any text with what lies behind it (WCAG 2.1, 1.4.3).
PROBE = """
const rgb = text => text.match(/[0-9.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
  v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = e => { for (; e; e = e.parentElement) {
  const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
  return [255, 255, 255]; };
const all = [...document.querySelectorAll('*')];
const stops = all.filter(e => e.tabIndex >= 0 && e.checkVisibility());
const lost = stops.filter(e => { e.focus(); return document.activeElement !== e; }).length;
const hidden = [...document.styleSheets].flatMap(s => [...s.cssRules]).filter(
  r => /outline[^;]*(none|: *0)/.test(r.cssText)).length;
const stuck = all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 &&
  /auto|scroll/.test(getComputedStyle(e).overflowX)).length;
const least = Math.min(...all.filter(e => [...e.childNodes].some(
  n => n.nodeType === 3 && n.data.trim()) && e.getClientRects().length).map(e => {
  const ink = e.closest('svg') ? getComputedStyle(e).fill : getComputedStyle(e).color;
  const [a, b] = [light(rgb(ink)), light(behind(e))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
document.title = `stops ${stops.length} lost ${lost + hidden} stuck ${stuck} positive ${
  stops.filter(e => e.tabIndex > 0).length} contrast ${least.toFixed(2)}`;
"""


# Text boxes of a drawing that cover each other, or reach out of it; what is wider than the page.
LAYOUT = """
const told = [];
for (const svg of document.querySelectorAll('svg')) {
  const whole = svg.getBoundingClientRect();
  const name = svg.closest('section, figure')?.id || svg.closest('figure')?.ariaLabel || 'svg';
  const boxes = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim()).map(
    t => [t.getBoundingClientRect(), t.textContent.trim()]);
  for (const [b, text] of boxes)
    if (b.left < whole.left - 2 || b.right > whole.right + 2 || b.top < whole.top - 2 ||
        b.bottom > whole.bottom + 2) told.push(`${name}: cut: ${text}`);
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
    const [a, b] = [boxes[i][0], boxes[j][0]];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (wide > 0.15 * Math.min(a.width, b.width) && high > 0.35 * Math.min(a.height, b.height))
      told.push(`${name}: overlap: ${boxes[i][1]} / ${boxes[j][1]}`); } }
const page = document.documentElement;
if (page.scrollWidth > page.clientWidth + 1)
  told.push(`the page is ${page.scrollWidth} px wide on a screen of ${page.clientWidth}`);
const list = document.createElement('pre');
list.id = 'layout-told';
list.textContent = told.slice(0, 20).join('\\n') + '\\nend';
document.body.append(list);
"""


def layout(path, width):
    """What LAYOUT finds on a screen of that width; one line each."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "layout.html"
        copy.write_text(path.read_text().replace("</body>", f"<script>{LAYOUT}</script></body>"))
        text, _ = browse(copy, f"--window-size={width},1000")
    found = re.search('<pre id="layout-told">(.*?)end</pre>', text, re.DOTALL)
    return html.unescape(found[1]).strip() if found else "the probe did not run"


def probe(path, dark):
    """The numbers PROBE leaves in the title of a copy of the page, on a narrow screen."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "probe.html"
        copy.write_text(path.read_text().replace("</body>", f"<script>{PROBE}</script></body>"))
        text, _ = browse(copy, "--window-size=500,800",
                         f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    words = re.search("<title>(stops .*?)</title>", text)
    words = words[1].split() if words else []
    return {key: float(value) for key, value in zip(words[::2], words[1::2])}


def check(name, good, detail=""):
    if not good:
        print(detail)
    print(f"{'ok      ' if good else 'FAILED  '}scripts report: {name}")


def any_page(path, page, console, name):
    """What holds of every page."""
    check(f"{name}: every figure is drawn and named",
          page.svgs == len(page.figures) > 0 and all(page.figures),
          f"{page.svgs} drawings, figures {page.figures}")
    check(f"{name}: no console error", not console, "\n".join(console))
    check(f"{name}: nothing from elsewhere", not FOREIGN.search(path.read_text()),
          str(FOREIGN.search(path.read_text())))
    check(f"{name}: table heads say of what", page.bare_heads == 0 and page.language == "en",
          f"{page.bare_heads} heads without a scope, language {page.language}")
    check(f"{name}: links lead somewhere", {link[1:] for link in page.links} <= page.targets,
          str(page.links))
    for width in (1400, 800):
        found = layout(path, width)
        check(f"{name}, {width} px: no text covers another, nothing is cut", not found, found)
    for dark in (False, True):
        found = probe(path, dark)
        theme = "dark" if dark else "light"
        check(f"{name}, {theme}: the Tab key reaches all that scrolls, and it shows",
              found.get("stops", 0) > 3 and found["lost"] == found["stuck"] == 0
              and found["positive"] == 0, str(found))
        check(f"{name}, {theme}: text can be told from its background",
              found.get("contrast", 0) >= 4.5, str(found))


def main():
    path, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    text, console = browse(path)
    page = Page()
    page.feed(text)
    any_page(path, page, console, path.stem if not wanted else path.parent.name)
    if not wanted:
        steps = [b - a for a, b in zip(page.headings, page.headings[1:])]
        check("a page: headings in order", page.headings[:1] == [1] and max(steps) == 1,
              str(page.headings))
        return
    check("every section", [s for s in wanted if s not in page.ids] == [] and bool(wanted),
          f"wanted {wanted}, there are {page.ids}")
    check("headings in order", page.headings[:1] == [1] and set(page.headings[1:]) == {2},
          str(page.headings))
    check("a way past the menu, and sections to jump to",
          page.links[:1] == ["#main"] and {f"#{key}" for key in page.ids} <= set(page.links),
          str(page.links))
    check("tables with captions", page.tables == page.captions > 0,
          f"{page.tables} tables, {page.captions} captions")


if __name__ == "__main__":
    main()
