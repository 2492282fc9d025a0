#!/usr/bin/python3
"""register_predictions.py - predictions of runs that nobody has compared with measurements yet.

Usage: register_predictions.py PROJECT PROGRAM [--full] [--seconds N] [--total N] [NAME...]; see
scripts/register-predictions. validation/blind/predictions.csv has a row for each point, job and
metric (time_us, and slowdown where a run asks for it), with the engine, the CPU seconds of its
run, the date and the version (git) of the program, and how much packets larger than the machine's
own change of it, as the run says; no measured value stands there.
"""

import argparse
import csv
import datetime
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import yaml

COLUMNS = ["run", "point", "job", "metric", "predicted", "engine", "cpu_s", "date", "version",
           "packet_bias"]


def swept(run):
    return list((run.get("sweep") or {}).keys())


def biases(folder):
    """[what larger packets change] of the points."""
    points = json.loads((folder / "summary.json").read_text())["points"]
    found = []
    for point in points:
        said = [re.search(r"the machine's own of [^:]*: (.*)", text) for text in
                point.get("warnings", [])]
        found.append(next((text[1] for text in said if text), ""))
    return found


def results(folder, run):
    """[(point, job, metric, value, bias)] of results.csv."""
    background = {job.get("name") for job in run["jobs"] if job.get("background")}
    bias = biases(folder)
    for row in csv.DictReader((folder / "results.csv").open()):
        if row["job"] in background:
            continue
        point = ", ".join(f"{key} {row[key]}" for key in swept(run))
        said = bias[int(row["point"])]
        yield point, row["job"], "time_us", 1e6 * float(row["time_median_s"]), said
        if run.get("slowdown") and row.get("slowdown"):
            yield point, row["job"], "slowdown", float(row["slowdown"]), said


def simulate(program, path, seconds):
    """(rows, CPU seconds, the run); None instead of rows: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = yaml.safe_load(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "run", "-q", "--yes", "-o", folder, str(path)],
                              check=False, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(
                                  resource.RLIMIT_CPU, (seconds, seconds)))
        rows = list(results(pathlib.Path(folder), run)) if done.returncode == 0 else None
        said = done.stderr.strip().split("\n")[-1] or f"stopped after {seconds} CPU seconds"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if rows is None:
        print(f"{path.stem}: {said}", file=sys.stderr)
    return rows, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--total", type=int, default=1200)
    parser.add_argument("names", nargs="*")
    return parser.parse_intermixed_args()


def git(project, *words):
    return subprocess.run(["git", "-C", str(project), *words], capture_output=True, text=True,
                          check=False)


def version_of(project):
    """The commit, and whether anything but the predictions differs from it."""
    commit = git(project, "describe", "--always").stdout.strip()
    same = git(project, "diff", "--quiet", "HEAD", "--", ".",
               ":!validation/blind/predictions.csv").returncode == 0
    return (commit or "unknown") + ("" if same else "-dirty")


class Register:
    """predictions.csv; written after each run, so that an interrupted registration goes on."""

    def __init__(self, project):
        self.project, self.version, self.rows = project, version_of(project), {}
        self.folder = folder = project / "validation" / "blind"
        self.table = folder / "predictions.csv"
        self.date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        if self.table.exists():
            for row in csv.DictReader(self.table.open()):
                self.rows.setdefault(row["run"], []).append(row)

    def cost(self, name):
        """CPU seconds when it was last registered."""
        return float(self.rows[name][0]["cpu_s"]) if name in self.rows else 1e9

    def is_new(self, name):
        """Registered, and neither program, machines nor its run file have changed since."""
        if name not in self.rows or self.version.endswith("-dirty"):
            return False
        since = self.rows[name][0]["version"]
        return not since.endswith("-dirty") and git(
            self.project, "diff", "--quiet", since, "HEAD", "--", "src", ":!src/*_test.c",
            "topologies", "workloads", f"validation/blind/{name}.yaml").returncode == 0

    def add(self, name, engine, cpu_s, rows):
        self.rows[name] = [
            dict(zip(COLUMNS, (name, point, job, metric, f"{value:.6g}", engine, f"{cpu_s:.1f}",
                               self.date, self.version, bias)))
            for point, job, metric, value, bias in rows]
        with self.table.open("w") as file:
            out = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            out.writeheader()
            for other in sorted(self.rows):
                if (self.folder / f"{other}.yaml").exists():
                    out.writerows(self.rows[other])


def chosen(o, register):
    """The run files to simulate, the cheap ones first."""
    found = []
    for path in register.folder.glob("*.yaml"):
        full = "# tier: full" in path.read_text()
        if (path.stem in o.names) if o.names else \
                ((o.full or not full) and not register.is_new(path.stem)):
            found.append(path)
    return sorted(found, key=lambda path: (register.cost(path.stem), path.stem))


def main():
    o = arguments()
    register = Register(o.project)
    total, failed, left = 0.0, [], []
    for path in chosen(o, register):
        if total > o.total:
            left.append(path.stem)
            continue
        rows, cpu_s, run = simulate(o.program, path, o.seconds)
        total += cpu_s
        if rows is None:
            failed.append(path.stem)
        else:
            register.add(path.stem, run.get("engine", "packet"), cpu_s, rows)
    print(f"{sum(map(len, register.rows.values()))} predictions of {len(register.rows)} runs, "
          f"{total:.0f} CPU seconds; failed: {', '.join(failed) or 'none'}")
    if left:
        print(f"left after {o.total} CPU seconds: {', '.join(left)}; the same command goes on")


if __name__ == "__main__":
    main()
