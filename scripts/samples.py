"""samples.py - the times of all iterations of a run, from its samples.csv or samples.csv.gz."""

import csv
import gzip
import io


def read(folder):
    """{(point, job): [s, ...]} of the runs among the other jobs; empty without such a file."""
    for name, opened in (("samples.csv", open), ("samples.csv.gz", gzip.open)):
        path = folder / name
        if path.is_file():
            with opened(path, "rb") as file:
                return grouped(io.TextIOWrapper(file, newline=""))
    return {}


def grouped(file):
    found = {}
    for row in csv.DictReader(file):
        if row["alone"] == "no" and not row.get("flow"):
            found.setdefault((int(row["point"]), row["job"]), []).append(float(row["time_s"]))
    return found
