#!/usr/bin/python3
"""fuzz_count.py - CPU-hours, cases and findings of each fuzz target over all nights.

Usage: fuzz_count.py [--keep] KEPT.csv ROUNDS.csv
KEPT: target,cpu_s,cases,failed, a line a target, of the nights that are over. ROUNDS: the same
columns without a header, a line a round, of the night under way; it may be missing.
Prints a Markdown table of the sum. --keep: the sum is written to KEPT and ROUNDS removed.
"""

import csv
import os
import pathlib
import sys

COLUMNS = ["target", "cpu_s", "cases", "failed"]


def add(total, target, cpu_s, cases, failed):
    before = total.get(target, (0.0, 0, 0))
    total[target] = (before[0] + float(cpu_s), before[1] + int(cases), before[2] + int(failed))


def read(kept, rounds):
    total = {}
    if kept.exists():
        with open(kept, newline="") as file:
            for row in csv.DictReader(file):
                add(total, *(row[name] for name in COLUMNS))
    if rounds.exists():
        with open(rounds, newline="") as file:
            for row in csv.reader(file):
                add(total, *row)
    return total


def write(kept, total):
    beside = kept.with_suffix(".new")
    with open(beside, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for target, (cpu_s, cases, failed) in total.items():
            out.writerow([target, f"{cpu_s:.1f}", cases, failed])
    os.replace(beside, kept)


def main():
    words = sys.argv[1:]
    keep = "--keep" in words
    kept, rounds = (pathlib.Path(word) for word in words if word != "--keep")
    total = read(kept, rounds)
    print("| target | CPU-hours | cases | rounds with a finding |\n|---|---|---|---|")
    for target, (cpu_s, cases, failed) in total.items():
        print(f"| {target} | {cpu_s / 3600:.2f} | {cases:,} | {failed} |")
    sums = [sum(column) for column in zip(*total.values())] if total else [0.0, 0, 0]
    print(f"| all | {sums[0] / 3600:.2f} | {sums[1]:,} | {sums[2]} |")
    if keep:
        write(kept, total)
        rounds.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
