#!/usr/bin/python3
"""readme.py - the lines of README.md that are worked out: the picture's numbers, the totals;
and whether the run file it explains is the one there is.

Usage: readme.py PROJECT SUMMARY.json [--check]
They stand between <!-- NAME --> and <!-- /NAME -->; --check: exit status 1 when they would change.
"""

import csv
import json
import pathlib
import re
import sys

import yaml

CONFIG = "configs/quickstart.yaml"


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


CLASSES = {  # evidence classes of simulated values, in the words of the README
    "calibrated": "a parameter was fitted to this number, or to one from which it follows",
    "developed": "the model was changed after the number had been seen",
    "predicted": "neither",
    "observed": "simulated, but not comparable, for a stated reason",
    "computed": "derived from the machine's graph without simulation",
    "input": "an input of the simulation, read back from a machine file",
}
QUESTIONS = {  # by the unit of the answer
    "What rate is reached?": r".*/s",
    "How long does it take?": r"[npmu]?s(/.*)?",
    "By what factor does it change (speed-up, slowdown, share)?": r".*",
}


def question_of(unit):
    return next(name for name, units in QUESTIONS.items() if re.fullmatch(units, unit))


def middle(values):
    """The median."""
    values, n = sorted(values), len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def row_of(name, errors):
    """Of a table of errors, in percent."""
    if not errors:
        return f"| {name} | 0 | | | | |"
    within = [100 * sum(e <= limit for e in errors) / len(errors) for limit in (10, 20)]
    return (f"| {name} | {len(errors)} | {middle(errors):.3g} | {max(errors):.3g} | "
            f"{within[0]:.0f} % | {within[1]:.0f} % |")


def compared(page):
    """(id, evidence class, |error| in percent) of each number that has an error."""
    for line in page.splitlines():
        row = cells(line) if re.match(r"\| S\d+-\d+ \|", line) else []
        if len(row) > 5 and re.fullmatch(r"[-+][0-9.]+", row[4]):
            yield row[0], row[5], abs(float(row[4]))


def evidence_rows(page):
    """The rows of all papers, as the page counts them."""
    for line in page.splitlines():
        row = cells(line) if line.startswith("| all |") else []
        if len(row) > 7 and row[1] in CLASSES:
            yield (f"| {row[1]}: {CLASSES[row[1]]} | {row[2]} | {row[3]} | {row[4]} | "
                   f"{row[6]} % | {row[7]} % |")


def totals(project, page):
    """Numbers by evidence, question and paper."""
    with (project / "validation" / "figures.csv").open(encoding="utf-8", newline="") as file:
        stated = {row["id"]: row for row in csv.DictReader(file)}
    with (project / "validation" / "papers.csv").open(encoding="utf-8", newline="") as file:
        papers = {row["key"]: row["paper"] for row in csv.DictReader(file)}
    free = [(key, e) for key, evidence, e in compared(page)
            if evidence in ("predicted", "developed") and stated[key]["relation"] in ("", "=")]
    head = ("numbers | median error % | worst % | within 10 % | within 20 % |\n"
            "|---|---|---|---|---|---|")
    out = [f"| evidence | {head}", *evidence_rows(page)]
    out += ["", f"| predicted and developed numbers, by question | {head}"]
    for name in QUESTIONS:
        out.append(row_of(name, [e for key, e in free
                                 if question_of(stated[key]["unit"]) == name]))
    out += ["", f"| predicted and developed numbers, by paper | {head}"]
    for key, paper in papers.items():
        out.append(row_of(paper, [e for name, e in free if name.startswith(key + "-")]))
    return "\n".join(out)


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
    new = put(new, "totals", totals(project, (project / "validation" / "README.md").read_text()))
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
