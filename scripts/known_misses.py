#!/usr/bin/python3
"""known_misses.py - validation/known-misses.csv against `darner validate --json`.

Usage: known_misses.py VALIDATE.json [--write]; see scripts/known-misses.
"""

import csv
import json
import pathlib
import sys

PATH = pathlib.Path("validation/known-misses.csv")
HEAD = ["case", "run", "point", "job", "metric", "cause"]
UNKNOWN = "not explained yet"


def points(report):
    """(entry, does it miss?) of all points and reported values that count."""
    for case in report["cases"]:
        for point in case["points"]:
            if point["evidence"] == "observed" or point["simulated"] is None:
                continue
            name = ", ".join(f"{key} {value}" for key, value in point["keys"].items())
            entry = (case["name"], point["run"], name, point["job"], point["metric"])
            yield entry, not point["within"]
    for figure in report.get("figures", []):
        yield ("figures", figure["id"], "", "", ""), not figure["within"]


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    write = "--write" in sys.argv[2:]
    lines = PATH.read_text().splitlines()
    rows = list(csv.reader(lines[2:]))
    listed = {tuple(row[:-1]): row[-1] for row in rows}
    misses = {}
    for entry, is_miss in points(report):
        misses[entry] = misses.get(entry, False) or is_miss
    held = [entry for entry in listed if not misses.get(entry, False)]
    new = [entry for entry, is_miss in misses.items() if is_miss and entry not in listed]
    if not write:
        for entry in held:
            print(f"{PATH}: {' '.join(entry)}: holds, and is listed")
        for entry in new:
            print(f"{PATH}: {' '.join(entry)}: misses, and is not listed")
        sys.exit(1 if held or new else 0)
    for entry in held:
        del listed[entry]
    for entry in new:
        same = [cause for other, cause in listed.items() if other[:2] == entry[:2]] + [
            cause for other, cause in listed.items() if other[0] == entry[0] != "figures"]
        listed[entry] = (same + [UNKNOWN])[0]
    with PATH.open("w") as file:
        file.write(lines[0] + "\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEAD)
        out.writerows(entry + (cause,) for entry, cause in sorted(listed.items()))


if __name__ == "__main__":
    main()
