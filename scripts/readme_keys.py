#!/usr/bin/python3
"""readme_keys.py - tables of keys, types and libraries in READMEs, as `darner help` has them.

Usage: readme_keys.py PROJECT DARNER [--check]
They stand between <!-- help TOPIC --> and <!-- /help -->; --check: exit status 1 when they would
change.
"""

import pathlib
import re
import subprocess
import sys

PAGES = ["configs/README.md", "workloads/README.md", "topologies/README.md", "traces/README.md"]
BLOCK = re.compile(r"(<!-- help (.*?) -->\n).*?(<!-- /help -->)", re.DOTALL)


def filled(text, darner):
    def table(match):
        says = subprocess.run([darner, "help", "--markdown", *match[2].split()], check=True,
                              capture_output=True, text=True).stdout
        return f"{match[1]}{says}{match[3]}"
    return BLOCK.sub(table, text)


def main():
    project, darner = pathlib.Path(sys.argv[1]), sys.argv[2]
    for page in PAGES:
        path = project / page
        old = path.read_text()
        new = filled(old, darner)
        if sys.argv[3:] != ["--check"]:
            path.write_text(new)
        elif new != old:
            sys.exit(f"{page}: its tables are old; scripts/readme writes them anew")


if __name__ == "__main__":
    main()
