#!/usr/bin/python3
"""plot.py - draws what a run or a validation wrote, as SVG and PNG beside it.

    out/x or out/x/results.csv   latency and goodput against message size or another number that
                                 was swept, a line per job and per value of the other swept keys;
                                 the shade is the quartiles. A key swept by name (routing, machine,
                                 placement, service level) is a category: boxes side by side
    validate.json                (darner validate --json FILE) measured and simulated of each case,
                                 with the error of each point under it
Usage: plot.py PATH...
"""

import csv
import json
import math
import os
import pathlib
import re
import sys

os.environ["MPLBACKEND"] = "Agg"    # draws into files: no display needed, whatever is set there
import matplotlib.pyplot as plt  # noqa: E402
import samples  # noqa: E402
from matplotlib.ticker import (FixedLocator, FuncFormatter, LogLocator,  # noqa: E402
                               NullFormatter, NullLocator)

# Okabe & Ito's palette: told apart by colour-blind readers too.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
          "#7F7F7F"]
MARKS = ["o", "s", "^", "D", "v", "P", "X", "<"]


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


LEAST_TICK_GAP = 0.17    # of the axis, so that labels do not overlap


def size_axis(axes):
    """Ticks stand at the sizes that are drawn, but for those without room for their label."""
    axes.set_xscale("log", base=2)
    sizes = sorted({x for line in axes.lines for x in line.get_xdata() if x >= 1})
    ticks = sizes[:1]
    for size in sizes[1:]:
        if math.log2(size / ticks[-1]) >= LEAST_TICK_GAP * math.log2(sizes[-1] / sizes[0]):
            ticks.append(size)
    if len(ticks) > 1:
        axes.xaxis.set_major_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(size_text))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("message size")
    axes.tick_params(axis="x", labelrotation=30)


def finish(axes, formatter, label):
    """The value's axis: logarithmic against sizes, else from zero."""
    if axes.get_xscale() == "log":
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        subs = (1.0, 2.0, 5.0) if high / low < 1e3 else (1.0,)
        axes.yaxis.set_major_locator(LogLocator(base=10, subs=subs))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
    axes.yaxis.set_major_formatter(FuncFormatter(formatter))
    axes.set_ylabel(label)
    axes.grid(True, which="major", linewidth=0.4, alpha=0.6)


# What reading a damaged file may raise.
DAMAGE = (AttributeError, csv.Error, LookupError, OSError, RuntimeError, StopIteration, TypeError,
          ValueError)


def guarded(path, draw):
    """What @draw returns; a file that is damaged ends the program with one line."""
    try:
        return draw()
    except DAMAGE as error:
        what = " ".join(f"{type(error).__name__} {error}".split())[:120]
        sys.exit(f"{path}: damaged, or not what a run wrote ({what}); run it again")


def read_rows(path):
    """Rows of results.csv and the swept keys: the columns before `job`."""
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        columns = reader.fieldnames or []
    missing = {"job", "bytes", "goodput_bps", "time_median_s"} - set(columns)
    if missing:
        sys.exit(f"{path}:1: no column {', '.join(sorted(missing))}; is this a run's results.csv?")
    return rows, columns[:columns.index("job")]


def varies(rows, column):
    return len({row[column] for row in rows}) > 1


NAMES = ("service_level", "seed", "placement")    # numbers that are names all the same


def is_category(rows, key):
    """TRUE: its values have no order or distances."""
    return key.split(".")[-1] in NAMES or any(math.isnan(number(row[key])) for row in rows)


def short_key(key):
    return key.split(".")[-1].replace("_", " ")


def short_value(value, most=28):
    """On one line: a mapping that was swept is written as one by its type or name."""
    words = " ".join(str(value).split())
    if words.endswith(".yaml"):    # a machine's file
        words = pathlib.PurePath(words).stem
    named = re.search(r"\b(?:type|name|algorithm): ([^,}\s]+)", words)
    if ": " in words and named:
        rest = re.search(r"\bbytes: ([^,}]+?)(?= \w+:|[,}]|$)", words)
        words = named[1] + (f" {rest[1]}" if rest else "")
    return words if len(words) <= most else words[:most - 1] + "…"


def axis_column(rows, swept):
    """What the points are drawn against: the size, or else the first swept key of numbers; None
    where keys were swept by name alone, or the size only follows a name."""
    if varies(rows, "bytes") and any(key.endswith("bytes") for key in swept):
        return "bytes"
    for key in swept:
        if varies(rows, key) and not is_category(rows, key):
            return key
    swept_by_name = any(varies(rows, key) for key in swept)
    return "bytes" if varies(rows, "bytes") and not swept_by_name else None


SIZES = {"B": 1, **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", 1)},
         **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", 1)}}


def size_number(text):
    """Bytes of a size as run files write it; NaN: it is none."""
    found = re.fullmatch(r"\s*([0-9.eE+]+?)\s*([kKMGT]?i?B)?\s*", str(text))
    return number(found[1]) * SIZES.get(found[2] or "B", math.nan) if found else math.nan


def with_x(rows, swept, x_column):
    """The rows with where each is drawn as `x`. Sizes: those of the job's own messages if they
    vary, else the swept size of another job."""
    keys = [key for key in swept if key.endswith("bytes") and varies(rows, key)]
    sizes = {}
    for row in rows:
        sizes.setdefault(row["job"], set()).add(row["bytes"])
    for row in rows:
        row["x"] = number(row[x_column])
        if x_column == "bytes" and keys and len(sizes[row["job"]]) == 1:
            swept_size = size_number(row[keys[0]])
            row["x"] = row["x"] if math.isnan(swept_size) else swept_size
    return rows


def read_series(rows, swept, x_column):
    """{label: rows}: one for each job and each value of the swept keys that are not the axis."""
    others = [key for key in swept
              if key != x_column and not key.endswith(".bytes") and varies(rows, key)]
    series = {}
    for row in with_x(rows, swept, x_column):
        label = ", ".join([row["job"]] + [f"{short_key(key)} {short_value(row[key])}"
                                          for key in others])
        series.setdefault(label, []).append(row)
    for members in series.values():
        members.sort(key=lambda row: row["x"])
    return series


PANELS = [  # title, value, shade from, to, how to write it
    ("time of an iteration (median)", "time_median_s", "time_q1_s", "time_q3_s", time_text),
    ("message latency (median; shade to p95)", "latency_median_s", "latency_median_s",
     "latency_p95_s", time_text),
    ("goodput", "goodput_bps", None, None, rate_text),
]


def draw_line(axes, index, label, rows, x_column, panel):
    _, column, low, high, _ = panel
    points = [(row["x"], number(row.get(column)), number(row.get(low)),
               number(row.get(high))) for row in rows]
    points = [p for p in points if (p[0] > 0 or x_column != "bytes") and p[1] > 0]
    if not points:
        return
    color = COLORS[index % len(COLORS)]
    x, y, below, above = zip(*points)
    axes.plot(x, y, color=color, marker=MARKS[index % len(MARKS)], markersize=4, linewidth=1.4,
              label=label)
    if not any(math.isnan(v) for v in below + above):
        axes.fill_between(x, below, above, color=color, alpha=0.2, linewidth=0)


def multiples(rows, swept, x_column):
    """(title, rows) of each row of panels: one, unless there are more series than colours; then one
    for each value of the swept keys that tell most series apart."""
    others = [key for key in ["job", *swept]
              if key != x_column and not key.endswith(".bytes") and varies(rows, key)]
    apart = []
    while len(others) > 1 and len({tuple(row[k] for k in others) for row in rows}) > len(COLORS):
        apart.append(others.pop(0))
    titles = {}
    for row in rows:
        titles.setdefault(tuple(row[key] for key in apart), []).append(row)
    return [(", ".join(short_value(v) for v in value), members)
            for value, members in titles.items()][:12]


def shown_panels(rows):
    """Those with anything to show: open-loop jobs have no iterations."""
    return [panel for panel in PANELS if any(number(row.get(panel[1])) > 0 for row in rows)
            ] or PANELS


def draw_lines(rows, swept, x_column):
    """The figure of all panels."""
    groups, shown = multiples(rows, swept, x_column), shown_panels(rows)
    figure, all_axes = plt.subplots(len(groups), len(shown), squeeze=False, layout="constrained",
                                    figsize=(14, 0.6 + 3.9 * len(groups)))
    for axes, (title, members) in zip(all_axes, groups):
        draw_panels(axes, shown, members, swept, x_column)
        if title:
            axes[0].set_title(title, fontsize=9, loc="left")
    return figure


AXIS_LABELS = {"load": "offered load (share of the rate)"}


def draw_panels(panels, shown, rows, swept, x_column):
    series = read_series(rows, swept, x_column)
    for axes, panel in zip(panels, shown):
        for index, (label, members) in enumerate(series.items()):
            draw_line(axes, index, label, members, x_column, panel)
        if x_column == "bytes":
            size_axis(axes)
        else:
            axes.set_xlabel(AXIS_LABELS.get(short_key(x_column), short_key(x_column)))
        finish(axes, panel[4], panel[0])
    if len(series) > 1:    # beside the axes, where it covers nothing
        panels[-1].legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)


def plot_run(path):
    rows, swept = read_rows(path)
    if not rows:
        sys.exit(f"{path}: no point is complete yet")
    x_column = axis_column(rows, swept)
    if x_column is None:
        import categories    # it needs this module
        figure = categories.figure(rows, swept, samples.read(path.parent))
    else:
        figure = draw_lines(rows, swept, x_column)
    if figure is None:    # one point
        figure = draw_lines(rows, swept, "bytes")
    figure.suptitle(path.resolve().parent.name)
    save(figure, path.with_name("plot"))


METRICS = {  # of the case's points: scale to base units, text, axis label
    "time_us": (1e-6, time_text, "time"),
    "latency_us": (1e-6, time_text, "latency"),
    "goodput_gbps": (1e9, rate_text, "goodput"),
}


def metric_of(name):
    """Shares and ratios are written as they are."""
    if name.startswith(("time_", "latency_")) and name.endswith("_us"):
        return 1e-6, time_text, name[:-len("_us")].replace("_", " ")
    return METRICS.get(name, (1.0, lambda value, _=None: f"{value:.3g}", name.replace("_", " ")))


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
    scale, formatter, label = metric_of(metric)
    figure, (axes, errors) = plt.subplots(2, 1, figsize=(10, 7), sharex=True,
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
        size_axis(errors)    # shared with the axes above
        finish(axes, formatter, label)
    else:
        compared(axes, errors, 0, "", range(len(points)), points, scale, False)
        errors.set_xticks(range(len(points)))
        errors.set_xticklabels([p["label"] for p in points], rotation=60, ha="right", fontsize=7)
        finish(axes, formatter, label)
    limits = [p["tolerance_percent"] for p in points if p["tolerance_percent"] is not None]
    if limits and min(limits) == max(limits):
        errors.axhspan(-limits[0], limits[0], color="#999999", alpha=0.2, linewidth=0)
    errors.axhline(0, color="black", linewidth=0.6)
    errors.set_ylabel("error (%)")
    errors.grid(True, linewidth=0.4, alpha=0.6)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
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
        guarded(path, lambda: (plot_validation if path.suffix == ".json" else plot_run)(path))


if __name__ == "__main__":
    main()
