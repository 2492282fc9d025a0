#!/usr/bin/python3
"""report_test.py - a report in headless Chromium: every figure there, no console error, and the
basics that keyboards and screen readers need. One line a check, as scripts/test counts them.

Usage: report_test.py REPORT.html SECTION...
"""

import html.parser
import pathlib
import re
import subprocess
import sys

FOREIGN = re.compile(r"""(?:src|href)\s*=\s*["'](?!#|data:)""")


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.figures, self.headings, self.links = [], [], [], []
        self.tables = self.captions = self.svgs = self.bare_heads = 0
        self.language = None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "html":
            self.language = attrs.get("lang")
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


def browse(path):
    """The page as the browser holds it, and what its console said."""
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         "--v=0", "--dump-dom", path.resolve().as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


def check(name, good, detail=""):
    if not good:
        print(detail)
    print(f"{'ok      ' if good else 'FAILED  '}scripts report: {name}")


def main():
    path, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    text, console = browse(path)
    page = Page()
    page.feed(text)
    check("every section", [s for s in wanted if s not in page.ids] == [] and bool(wanted),
          f"wanted {wanted}, there are {page.ids}")
    check("every figure is drawn and named",
          page.svgs == len(page.figures) > 0 and all(page.figures),
          f"{page.svgs} drawings, figures {page.figures}")
    check("no console error", not console, "\n".join(console))
    check("nothing from elsewhere", not FOREIGN.search(path.read_text()),
          str(FOREIGN.search(path.read_text())))
    check("headings in order", page.headings[:1] == [1] and set(page.headings[1:]) == {2},
          str(page.headings))
    check("a way past the menu, and sections to jump to",
          page.links[:1] == ["#main"] and {f"#{key}" for key in page.ids} <= set(page.links),
          str(page.links))
    check("tables with captions and heads", page.tables == page.captions > 0
          and page.bare_heads == 0 and page.language == "en",
          f"{page.tables} tables, {page.captions} captions, language {page.language}")


if __name__ == "__main__":
    main()
