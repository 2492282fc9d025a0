#!/usr/bin/python3
"""plot.py - draws what a run or a validation wrote, as SVG and PNG beside it.

    out/x or out/x/results.csv   latency and goodput against message size, a line per job and per
                                 value of the other swept keys; the shade is the quartiles
    validate.json                (darner validate --json FILE) measured and simulated of each case,
                                 with the error of each point under it
Usage: plot.py PATH...
"""

import csv
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # draws into files: no display needed
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

# Okabe & Ito's palette: told apart by colour-blind readers too.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKS = ["o", "s", "^", "D", "v", "P", "X"]


def scaled(value, prefixes, step, unit):
    index = 0
    while abs(value) >= step and index + 1 < len(prefixes):
        value /= step
        index += 1
    return f"{value:.3g} {prefixes[index]}{unit}"


def size_text(value, _=None):
    return scaled(value, ["", "Ki", "Mi", "Gi", "Ti"], 1024, "B")


def time_text(value, _=None):
    return scaled(value * 1e9, ["n", "µ", "m", ""], 1000, "s")


def rate_text(value, _=None):
    return scaled(value, ["", "k", "M", "G", "T"], 1000, "b/s")


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def save(figure, path):
    for suffix in (".svg", ".png"):
        figure.savefig(path.with_suffix(suffix), dpi=150)
        print(path.with_suffix(suffix))
    plt.close(figure)


def size_axis(axes):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(size_text))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("message size")
    axes.tick_params(axis="x", labelrotation=30)


def finish(axes, formatter, label):
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(formatter))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(label)
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)


def read_series(path):
    """{label: rows} of results.csv; the columns before `job` are the swept keys."""
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        columns = reader.fieldnames or []
    missing = {"job", "bytes", "goodput_bps", "time_median_s"} - set(columns)
    if missing:
        sys.exit(f"{path}:1: no column {', '.join(sorted(missing))}; is this a run's results.csv?")
    swept = [c for c in columns[:columns.index("job")]
             if not c.endswith(".bytes") and len({row[c] for row in rows}) > 1]
    series = {}
    for row in rows:
        label = ", ".join([row["job"]] + [f"{key.split('.')[-1]} {row[key]}" for key in swept])
        series.setdefault(label, []).append(row)
    for rows in series.values():
        rows.sort(key=lambda row: number(row["bytes"]))
    return series


def line(axes, index, label, rows, column, low=None, high=None):
    points = [(number(r["bytes"]), number(r[column]), number(r.get(low)), number(r.get(high)))
              for r in rows]
    points = [p for p in points if p[0] > 0 and p[1] > 0]
    if not points:
        return
    color = COLORS[index % len(COLORS)]
    x, y, below, above = zip(*points)
    axes.plot(x, y, color=color, marker=MARKS[index % len(MARKS)], markersize=4, linewidth=1.4,
              label=label)
    if not any(math.isnan(v) for v in below + above):
        axes.fill_between(x, below, above, color=color, alpha=0.2, linewidth=0)


def plot_run(path):
    series = read_series(path)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), constrained_layout=True)
    for index, (label, rows) in enumerate(series.items()):
        line(left, index, label, rows, "time_median_s", "time_q1_s", "time_q3_s")
        line(right, index, label, rows, "goodput_bps")
    for axes in (left, right):
        size_axis(axes)
    finish(left, time_text, "time (median)")
    finish(right, rate_text, "goodput")
    if len(series) > 1:
        right.legend(fontsize=8, loc="best")
    figure.suptitle(path.resolve().parent.name)
    save(figure, path.with_name("plot"))


METRICS = {  # of the case's points: scale to base units, text, axis label
    "time_us": (1e-6, time_text, "time"),
    "latency_us": (1e-6, time_text, "latency"),
    "goodput_gbps": (1e9, rate_text, "goodput"),
}


def plot_validation(path):
    with path.open() as file:
        data = json.load(file)
    for case in data["cases"]:
        metrics = sorted({point["metric"] for point in case["points"]})
        for metric in metrics:
            points = [p for p in case["points"] if p["metric"] == metric]
            name = f"{path.stem}-{case['name']}"
            if len(metrics) > 1:
                name += f"-{metric}"
            plot_case(case, metric, points, path.with_name(name))


def compared(axes, errors, index, label, x, points, scale, connect):
    """Measured as open marks, simulated as a line with dots; the error of each point below."""
    color, mark = COLORS[index % len(COLORS)], MARKS[index % len(MARKS)]
    known = [(at, p["simulated"] * scale) for at, p in zip(x, points) if p["simulated"] is not None]
    axes.plot(x, [p["measured"] * scale for p in points], linestyle="", marker=mark, markersize=8,
              markerfacecolor="none", color=color, label=f"{label} measured")
    if known:
        axes.plot(*zip(*known), linestyle="-" if connect else "", marker=".", linewidth=1.2,
                  color=color, label=f"{label} simulated")
    known = [(at, p["error_percent"]) for at, p in zip(x, points) if p["error_percent"] is not None]
    if known:
        errors.plot(*zip(*known), linestyle="-" if connect else "", marker=mark, markersize=4,
                    linewidth=0.8, color=color)


def plot_case(case, metric, points, path):
    scale, formatter, label = METRICS[metric]
    figure, (axes, errors) = plt.subplots(2, 1, figsize=(8, 7), sharex=True,
                                          constrained_layout=True,
                                          gridspec_kw={"height_ratios": [3, 1]})
    by_size = len({p["bytes"] for p in points if p["bytes"] > 0}) > 1
    if by_size:
        series = {}
        for point in points:
            if point["bytes"] > 0:
                others = [value for key, value in point["keys"].items()
                          if not key.endswith(".bytes")]
                series.setdefault(", ".join([point["run"]] + others), []).append(point)
        for index, (name, members) in enumerate(series.items()):
            members.sort(key=lambda point: point["bytes"])
            compared(axes, errors, index, name, [p["bytes"] for p in members], members, scale, True)
        size_axis(errors)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        finish(axes, formatter, label)
    else:
        compared(axes, errors, 0, "", range(len(points)), points, scale, False)
        errors.set_xticks(range(len(points)))
        errors.set_xticklabels([p["label"] for p in points], rotation=60, ha="right", fontsize=7)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(FuncFormatter(formatter))
        axes.set_ylabel(label)
        axes.grid(True, linewidth=0.4, alpha=0.6)
    limits = [p["tolerance_percent"] for p in points if p["tolerance_percent"] is not None]
    if limits and min(limits) == max(limits):
        errors.axhspan(-limits[0], limits[0], color="#999999", alpha=0.2, linewidth=0)
    errors.axhline(0, color="black", linewidth=0.6)
    errors.set_ylabel("error (%)")
    errors.grid(True, linewidth=0.4, alpha=0.6)
    axes.legend(fontsize=7, ncol=2)
    axes.set_title(f"{case['name']}: measured and simulated")
    save(figure, path)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    for argument in sys.argv[1:]:
        path = pathlib.Path(argument)
        if path.is_dir():
            path = path / "results.csv"
        if not path.is_file():
            sys.exit(f"{path}: no such file")
        if path.suffix == ".json":
            plot_validation(path)
        else:
            plot_run(path)


if __name__ == "__main__":
    main()
