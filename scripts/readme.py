#!/usr/bin/python3
"""readme.py - computes lines of README.md (the picture's numbers, the totals) and the errors that
validation/sc24-scale/source.md lists; checks that README.md explains the run file there is.

Usage: readme.py PROJECT SUMMARY.json VALIDATE.json [--check]
The lines stand between <!-- NAME --> and <!-- /NAME -->. --check: exit status 1 when a line would
change.
"""

import csv
import json
import pathlib
import re
import statistics
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


PAIRS = "messages"    # of validation/questions.csv: two questions, by size
ORDER = ["latency: messages below 64 KiB", "bandwidth: messages from 64 KiB on",
         "collectives in a node", "collectives between nodes", "applications",
         "noise and congestion", "load of a network"]
CLASSES = ["calibrated", "developed", "predicted"]


def kind_of(kinds, case, point):
    """(kind of question, source); @kinds: rows of validation/questions.csv."""
    kind, source = next((row["question"], row["source"]) for row in kinds
                        if case.startswith(row["case"]))
    if kind == PAIRS:
        large = point["metric"] == "goodput_gbps" or point["bytes"] >= 65536
        kind = ORDER[1] if large else ORDER[0]
    return kind, source


def error_cell(errors):
    return f"{len(errors)}: {statistics.median(errors):.1f} %" if errors else ""


def totals(page, report, kinds):
    """Numbers of the papers, and the errors of all compared values by kind of question."""
    counts = next(cells(line) for line in page.splitlines() if line.startswith("| all |"))
    out = [f"Of {counts[1]} numbers that five papers state, {counts[2]} have one of Darner's "
           f"beside them: {counts[3]} simulated,",
           f"{counts[4]} computed from a machine's graph, {counts[5]} read from machine files "
           f"(which only says that the file holds",
           f"what the paper says); {counts[7]} are out of a simulator's reach" +
           (f", {counts[6]} not simulated yet." if counts[6] != "0" else "."), "",
           "| question | values from | " + " | ".join(CLASSES) +
           " | vacuous | known misses |", "|" + "---|" * (len(CLASSES) + 4)]
    errors, sources, vacuous, known = {}, {}, {}, {}
    for case in report["cases"]:
        for point in case["points"]:
            if point["evidence"] not in CLASSES or point["simulated"] is None:
                continue
            kind, source = kind_of(kinds, case["name"], point)
            sources.setdefault(kind, []).append(source)
            vacuous[kind] = vacuous.get(kind, 0) + point["vacuous"]
            known[kind] = known.get(kind, 0) + ("known_cause" in point)
            if point["relation"] == "=":
                errors.setdefault((kind, point["evidence"]), []).append(
                    abs(point["error_percent"]))
    for kind in ORDER:
        if kind in sources:
            row = [kind, "; ".join(dict.fromkeys(sources[kind]))]
            row += [error_cell(errors.get((kind, name))) for name in CLASSES]
            out.append("| " + " | ".join(row + [str(vacuous[kind]), str(known[kind])]) + " |")
    out += ["", "A cell is the number of values and their median |error|, known misses included. "
            "Calibrated: a parameter was",
            "fitted to the value or to one from which it follows. Developed: the model was changed "
            "after the value had been",
            "seen. Predicted: neither. Vacuous: developed or predicted within what the "
            "measurement allows, and just as good",
            "without contention, so that it tests what messages cost and not the network. Known "
            "misses lie beyond what the",
            "measurement allows; `validation/known-misses.csv` names each with its cause."]
    return "\n".join(out)


SCALE = "validation/sc24-scale/source.md"
SCALE_CASES = ["sc24-scale-small", "sc24-scale"]
SCALE_SIZES = {"a2a": ("alltoall of 2 MiB", 2**21), "ar": ("allreduce of 1 GiB", 2**30)}
NAMES = {"alps": "Alps", "leonardo": "Leonardo", "lumi": "LUMI", "mpi": "MPI"}


def scale(report):
    """Errors in sc24-scale and sc24-scale-small, a column for each number of nodes."""
    errors = {}
    for case in report["cases"]:
        for point in case["points"] if case["name"] in SCALE_CASES else []:
            machine, kind, library, ranks = point["run"].split("-")[:4]
            what, size = SCALE_SIZES[kind]
            if point["bytes"] == size and point["evidence"] == "developed":
                name = NAMES.get(library, "RCCL" if machine == "lumi" else "NCCL")
                row = errors.setdefault(f"{NAMES[machine]}, {what}, {name}", {})
                row[int(ranks) // (8 if machine == "lumi" else 4)] = point["error_percent"]
    nodes = sorted({n for row in errors.values() for n in row})
    out = ["| nodes | " + " | ".join(map(str, nodes)) + " |", "|" + "---|" * (len(nodes) + 1)]
    for what in sorted(errors, key=str.casefold):
        row = [f"{round(errors[what][n]):+d} %" if n in errors[what] else "" for n in nodes]
        out.append(f"| {what} | " + " | ".join(row) + " |")
    return "\n".join(out)


def put(text, name, lines):
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"no <!-- {name} --> ... <!-- /{name} --> in the page")
    return pattern.sub(lambda match: f"{match[1]}{lines}\n{match[2]}", text)


def explained(text):
    """The run file that is shown with comments."""
    return yaml.safe_load(re.search("```yaml\n(.*?)```", text, re.DOTALL)[1])


def main():
    project, summary = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    path = project / "README.md"
    old = path.read_text()
    new = put(old, "picture", picture(summary))
    report = json.loads(pathlib.Path(sys.argv[3]).read_text())
    with (project / "validation" / "questions.csv").open(newline="") as file:
        kinds = list(csv.DictReader(file))
    new = put(new, "totals",
              totals((project / "validation" / "README.md").read_text(), report, kinds))
    scale_old = (project / SCALE).read_text()
    scale_new = put(scale_old, "errors", scale(report))
    if sys.argv[4:] != ["--check"]:
        path.write_text(new)
        (project / SCALE).write_text(scale_new)
        return
    if new != old:
        sys.exit("README.md: its picture's numbers or its totals are old; scripts/readme writes "
                 "them anew")
    if scale_new != scale_old:
        sys.exit(f"{SCALE}: its errors are old; scripts/readme writes them anew")
    if explained(old) != yaml.safe_load((project / CONFIG).read_text()):
        sys.exit(f"README.md explains another run file than {CONFIG}")


if __name__ == "__main__":
    main()
