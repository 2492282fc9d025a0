#!/usr/bin/python3
"""hockney.py - an alpha-beta (Hockney) model of the collectives of validation/, to compare with.

Usage: hockney.py [PROJECT]; writes validation/results/hockney/CASE.csv as stored results are.
Alpha is the measured one-way time of the shortest message of the ping-pong of the same system and
mechanism, beta the time a byte takes from there to the longest. An alltoall, allgather or
reduce_scatter of p ranks takes p - 1 messages of a block, a broadcast a binomial tree, an allreduce
the faster of recursive doubling and a ring.
"""

import csv
import math
import pathlib
import re
import sys

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
BYTES = "jobs[0].workload.bytes"
NODE = {"alps": 4, "leonardo": 4, "lumi": 8}


def size(text):
    value, unit = re.fullmatch(r"([\d.]+)\s*(\w+)", text).groups()
    return float(value) * UNITS[unit]


def rows(folder, case):
    return list(csv.DictReader((folder / case / "expected.csv").open()))


def ping_pong(folder, case, run):
    """(alpha in us, beta in us a byte) of the calibrated ping-pong; None: there is none."""
    times = sorted((size(row[BYTES]), float(row["measured"])) for row in rows(folder, case)
                   if row.get("run", run) == run and row["metric"] == "time_us")
    if len(times) < 2:
        return None
    (least, alpha), (most, longest) = times[0], times[-1]
    return alpha, (longest - alpha) / (most - least)


def collective(kind, p, n, alpha, beta):
    steps = math.ceil(math.log2(p))
    if kind == "allreduce":
        return min(steps * (alpha + n * beta), 2 * (p - 1) * (alpha + n / p * beta))
    if kind == "bcast":
        return steps * (alpha + n * beta)
    return (p - 1) * (alpha + n * beta)


def meaning(case, run):
    """(kind, ranks, case of the ping-pong, its run) of a run's name."""
    if case in ("sc24-alltoall-node", "sc24-allreduce-node"):
        return case.split("-")[1], NODE[run.split("-")[0]], "sc24-pairs-node", run
    scale = re.fullmatch(r"(\w+)-(a2a|ar)-(\w+)-(\d+)(?:-april)?", run)
    if scale:
        system, kind, library, p = scale.groups()
        kind = "alltoall" if kind == "a2a" else "allreduce"
        return kind, int(p), "sc24-pairs-network", f"{system}-{library}"
    kind, p = run.split("-")[0], int(run.split("-")[-1])
    return kind, p, "h200x4-nccl-p2p", None


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "validation"
    out = folder / "results" / "hockney"
    out.mkdir(parents=True, exist_ok=True)
    for case in ("sc24-alltoall-node", "sc24-allreduce-node", "sc24-scale", "sc24-scale-small",
                 "h200x4-collectives"):
        with (out / f"{case}.csv").open("w") as file:
            file.write("# inputs hockney program hockney\n")
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["run", "point", "job", "metric", "simulated", "bytes"])
            for row in rows(folder, case):
                kind, p, pairs, run = meaning(case, row["run"])
                fit = ping_pong(folder, pairs, run)
                if fit is None or row["metric"] != "time_us" or not row[BYTES]:
                    continue
                n = size(row[BYTES])
                time = collective(kind, p, n, *fit)
                table.writerow([row["run"], f"{BYTES} {row[BYTES]}", row["job"], row["metric"],
                                f"{time:.9g}", f"{n:.0f}"])


if __name__ == "__main__":
    main()
