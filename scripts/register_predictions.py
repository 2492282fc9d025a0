#!/usr/bin/python3
"""register_predictions.py - predictions of runs that nobody has compared with measurements yet.

Usage: register_predictions.py PROJECT PROGRAM [--full] [--seconds N] [NAME...]; see
scripts/register-predictions. validation/blind/predictions.csv has a row for each point, job and
metric (time_us, and slowdown where a run asks for it), with the engine, the CPU seconds of its
run, the date and the version (git) of the program; no measured value stands there.
"""

import argparse
import csv
import datetime
import pathlib
import resource
import subprocess
import sys
import tempfile

import yaml

COLUMNS = ["run", "point", "job", "metric", "predicted", "engine", "cpu_s", "date", "version"]


def swept(run):
    return list((run.get("sweep") or {}).keys())


def results(folder, run):
    """[(point, job, metric, value)] of results.csv."""
    background = {job.get("name") for job in run["jobs"] if job.get("background")}
    for row in csv.DictReader((folder / "results.csv").open()):
        if row["job"] in background:
            continue
        point = ", ".join(f"{key} {row[key]}" for key in swept(run))
        yield point, row["job"], "time_us", 1e6 * float(row["time_median_s"])
        if run.get("slowdown") and row.get("slowdown"):
            yield point, row["job"], "slowdown", float(row["slowdown"])


def simulate(program, path, seconds):
    """(rows, CPU seconds, the run); None instead of rows: it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = yaml.safe_load(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "run", "-q", "-o", folder, str(path)], check=False,
                              capture_output=True, text=True,
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
    parser.add_argument("names", nargs="*")
    return parser.parse_intermixed_args()


def main():
    o = arguments()
    folder = o.project / "validation" / "blind"
    table = folder / "predictions.csv"
    kept = {}
    if table.exists():
        for row in csv.DictReader(table.open()):
            kept.setdefault(row["run"], []).append(row)
    version = subprocess.run(["git", "-C", str(o.project), "describe", "--always", "--dirty"],
                             capture_output=True, text=True, check=False).stdout.strip()
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    total, failed = 0.0, []
    for path in sorted(folder.glob("*.yaml")):
        full = "# tier: full" in path.read_text()
        if (path.stem not in o.names) if o.names else (full and not o.full):
            continue
        rows, cpu_s, run = simulate(o.program, path, o.seconds)
        total += cpu_s
        if rows is None:
            failed.append(path.stem)
            continue
        kept[path.stem] = [
            dict(zip(COLUMNS, (path.stem, point, job, metric, f"{value:.6g}",
                               run.get("engine", "packet"), f"{cpu_s:.1f}", date,
                               version or "unknown")))
            for point, job, metric, value in rows]
    with table.open("w") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        for name in sorted(kept):
            if (folder / f"{name}.yaml").exists():
                out.writerows(kept[name])
    print(f"{sum(map(len, kept.values()))} predictions of {len(kept)} runs, {total:.0f} CPU "
          f"seconds; failed: {', '.join(failed) or 'none'}")


if __name__ == "__main__":
    main()
