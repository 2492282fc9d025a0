#!/usr/bin/python3
"""readme.py - the lines of README.md that are worked out: the picture's numbers, the totals;
and whether the run file it explains is the one there is.

Usage: readme.py PROJECT SUMMARY.json [--check]
They stand between <!-- NAME --> and <!-- /NAME -->; --check: exit status 1 when they would change.
"""

import json
import pathlib
import re
import sys

import yaml

CONFIG = "configs/lumi-node-measured.yaml"


def picture(summary):
    """The last point: the largest size."""
    point = summary["points"][-1]
    job = point["jobs"][0]
    work = job["goodput_bps"] * job["time_us"]["median"]
    measured = next(m["measured"] for m in job["measured"] if m["metric"] == "time_us")
    size = next(iter(point["sweep"].values()))
    return (f"\nAt {size} the links are expected to give {job['peak_bps'] / 1e9:.0f} Gb/s, Darner "
            f"simulates {job['goodput_bps'] / 1e9:.0f} Gb/s, and\n"
            f"{work / measured / 1e9:.0f} Gb/s were measured.")


def cells(line):
    """Of a line of a Markdown table; \\| is no border."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def totals(page):
    """Of the scoreboard's tables, the rows of all papers."""
    lines = page.splitlines()
    counts = next(cells(line) for line in lines if line.startswith("| all |"))
    heads = next(cells(line) for line in lines if line.startswith("| paper | evidence |"))
    rows = [cells(line) for line in lines if line.startswith("| all |")][1:]
    out = [f"Of {counts[1]} numbers that the five papers state, {counts[2]} have one of Darner's "
           f"beside them: {counts[3]} simulated,",
           f"{counts[4]} computed from a machine's graph, {counts[5]} read from machine files "
           f"(which only says that the file holds",
           f"what the paper says); {counts[7]} are out of a simulator's reach, {counts[6]} not "
           "simulated yet.", "",
           "| " + " | ".join(heads[1:]) + " |", "|" + "---|" * (len(heads) - 1)]
    return "\n".join(out + ["| " + " | ".join(row[1:]) + " |" for row in rows])


def put(text, name, lines):
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"README.md: no <!-- {name} --> ... <!-- /{name} -->")
    return pattern.sub(lambda match: f"{match[1]}{lines}\n{match[2]}", text)


def explained(text):
    """The run file that is shown with comments."""
    return yaml.safe_load(re.search("```yaml\n(.*?)```", text, re.DOTALL)[1])


def main():
    project, summary = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    path = project / "README.md"
    old = path.read_text()
    new = put(old, "picture", picture(summary))
    new = put(new, "totals", totals((project / "validation" / "README.md").read_text()))
    if sys.argv[3:] != ["--check"]:
        path.write_text(new)
        return
    if new != old:
        sys.exit("README.md: its picture's numbers or its totals are old; scripts/readme writes "
                 "them anew")
    if explained(old) != yaml.safe_load((project / CONFIG).read_text()):
        sys.exit(f"README.md explains another run file than {CONFIG}")


if __name__ == "__main__":
    main()
