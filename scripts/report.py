#!/usr/bin/python3
"""report.py - a run's folder as one page, report.html, that needs nothing else.

Usage: report.py OUT/RUN [-o FILE.html] [--figure NAME (--svg|--png) FILE]
Figures: overview, against, curves, by_name, boxes, violins, ecdf, machine, matrix, timeline,
path. Same files in,
same bytes out.
"""

import argparse
import csv
import html
import io
import json
import math
import os
import pathlib
import re
import statistics
import sys

os.environ["MPLBACKEND"] = "Agg"    # whatever is set there: a wrong name is a traceback
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap, Normalize  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

import baseline  # noqa: E402
import categories  # noqa: E402
import plot  # noqa: E402
import samples  # noqa: E402
import critical_path  # noqa: E402

INK = "#010203"    # stands for the page's colour of text until the figure is in the page
SCALE = Normalize(0, 1)    # shares of the run
HEAT = LinearSegmentedColormap.from_list("heat", ["#ffeda0", "#feb24c", "#f03b20", "#800026"])
LEAST_DENSITY = 20    # iterations of a violin
RADIAL_FROM = 24   # parts on a circle whose names still stand level
MOST_NAMES = 96    # names around a circle
SCHEMA_VERSION = 2    # of summary.json: DN_SUMMARY_SCHEMA_VERSION
MOST_ROWS = 40     # boxes and lines that a figure can still tell apart

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "darner", "font.family": "sans-serif",
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.facecolor": "none", "figure.facecolor": "none",
    "legend.facecolor": "none", "legend.edgecolor": "none",
})


def fail(message):
    sys.exit(message)


class Run:
    """What a run's folder holds."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.summary = json.loads((self.folder / "summary.json").read_text())
        except OSError as error:
            fail(f"{folder}: cannot read summary.json: {error.strerror}; wanted: the folder a run "
                 "wrote, e.g. out/quickstart")
        except (RecursionError, ValueError) as error:
            fail(f"{folder}/summary.json: {error}")
        version = self.summary.get("schema_version", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            fail(f"{folder}/summary.json: another version of darner wrote it (schema_version "
                 f"{version}, wanted {SCHEMA_VERSION}); run it again")
        self.points = self.summary.get("points", [])
        if not self.points:
            fail(f"{folder}: no point of this run is complete yet")
        self.rows, self.swept = plot.read_rows(self.folder / "results.csv")
        self.samples = samples.read(self.folder)
        with (self.folder / "links.csv").open(newline="") as file:
            self.links = list(csv.DictReader(file))

    def label(self, row):
        values = [f"{plot.short_key(key)} {plot.short_value(row[key])}" for key in self.swept]
        return ", ".join([row["job"]] + values)

    def job(self, row):
        """What summary.json has of a row of results.csv."""
        at, name = int(row["point"]), row["job"]
        for point in self.points:
            for job in point["jobs"]:
                if point["point"] == at and job["name"] == name:
                    return job
        raise LookupError(f"point {at} of summary.json has no job {name}")

    def busiest(self):
        """The point to draw the machine of: the one with the busiest link."""
        busy = {}
        for row in self.rows:
            share = plot.number(row.get("bottleneck_busy"))
            busy[int(row["point"])] = -1 if math.isnan(share) else share
        at = max(busy, key=lambda point: (busy[point], point))
        return next(point for point in self.points if point["point"] == at)


# ---- figures: each returns a matplotlib figure, or None when the run has nothing to show ----

def curves(run):
    x_column = plot.axis_column(run.rows, run.swept)
    if not run.swept or x_column is None or not plot.varies(run.rows, x_column):
        return None
    return plot.draw_lines(run.rows, run.swept, x_column)


def by_name(run):
    if not run.swept or plot.axis_column(run.rows, run.swept) is not None:
        return None
    return categories.figure(run.rows, run.swept, run.samples)


def iterations(run):
    """(label, times) of each job at each point whose iterations differ."""
    found = [(run.label(row), run.samples.get((int(row["point"]), row["job"]), []))
             for row in run.rows]
    return [(label, values) for label, values in found if len(set(values)) > 1][:MOST_ROWS]


def latencies(run):
    """(label, percentiles) of the latencies of messages; their samples are not kept."""
    rows = {(int(row["point"]), row["job"]): row for row in run.rows}
    found = []
    for point in run.points:
        for job in point["jobs"]:
            row = rows.get((point["point"], job["name"]))
            values = job.get("latency_percentiles_us") or []
            if row is not None and len(values) == 101 and values[0] < values[100]:
                found.append((run.label(row), [value * 1e-6 for value in values]))
    return found[:MOST_ROWS]


LINE = {"color": INK}


def boxes(run):
    found, what = iterations(run), "time of an iteration"
    if not found:
        found, what = latencies(run), "message latency"
    if not found:
        return None
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.32 * len(found)), layout="constrained")
    axes.boxplot([values for _, values in found[::-1]], vert=False, whis=(5, 95),
                 labels=[label for label, _ in found[::-1]], patch_artist=True,
                 boxprops={"facecolor": plot.COLORS[5], "edgecolor": INK},
                 medianprops={"color": plot.COLORS[1], "linewidth": 2}, whiskerprops=LINE,
                 capprops=LINE, flierprops={"marker": ".", "markeredgecolor": INK,
                                            "markersize": 4})
    spread(axes, [value for _, values in found for value in values])
    axes.set_xlabel(f"{what} (box: quartiles, whiskers: 5th and 95th percentile)", fontsize=9)
    return figure


def violins(run):
    """Of samples that are large enough for a density."""
    found = [(label, values) for label, values in iterations(run) if len(values) >= LEAST_DENSITY]
    if not found:
        return None
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.55 * len(found)), layout="constrained")
    data = [values for _, values in found[::-1]]
    log = min(map(min, data)) > 0 and max(map(max, data)) / min(map(min, data)) > 10
    drawn = [[math.log10(value) for value in values] for values in data] if log else data
    parts = axes.violinplot(drawn, vert=False, showextrema=False, widths=0.9)
    for body in parts["bodies"]:
        body.set_facecolor(plot.COLORS[5])
        body.set_alpha(0.6)
    for at, values in enumerate(drawn, 1):
        step = max(1, len(values) // 200)
        shown = sorted(values)[::step]
        axes.plot(shown, [at + 0.25 * ((i * 0.618) % 1 - 0.5) for i in range(len(shown))], ".",
                  color=INK, markersize=2, alpha=0.5)
        axes.plot([statistics.median(values)] * 2, [at - 0.3, at + 0.3], color=plot.COLORS[1],
                  linewidth=2)
    axes.set_yticks(range(1, len(found) + 1))
    axes.set_yticklabels([label for label, _ in found[::-1]])
    time_axis(axes, log)
    axes.set_xlabel("time of an iteration: density, all iterations, median")
    return figure


def time_axis(axes, log10=False):
    """At least three labelled ticks; @log10: what is drawn are logarithms of s."""
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(plot.FuncFormatter(
        (lambda value, _=None: plot.time_text(10 ** value)) if log10 else plot.time_text))
    axes.grid(True, axis="x", linewidth=0.4, alpha=0.6)


def spread(axes, values):
    """The axis of times: logarithmic when they reach over more than a decade."""
    if min(values) <= 0 or max(values) / min(values) <= 10:
        time_axis(axes)
        return
    axes.set_xscale("log")
    decades = math.log10(max(values) / min(values))
    axes.xaxis.set_major_locator(plot.LogLocator(base=10, subs=(1, 2, 5) if decades < 3 else (1,)))
    axes.xaxis.set_minor_formatter(plot.NullFormatter())
    axes.xaxis.set_major_formatter(plot.FuncFormatter(plot.time_text))
    axes.grid(True, axis="x", linewidth=0.4, alpha=0.6)


def steps(values):
    """Of samples: (value, share of them no longer than it), from 0 on."""
    values = sorted(values)
    return [values[0], *values], [i / len(values) for i in range(len(values) + 1)]


def few(found):
    """As many lines as there are colours: of more, evenly from the first to the last."""
    most = len(plot.COLORS)
    if len(found) <= most:
        return found
    return [found[round(i * (len(found) - 1) / (most - 1))] for i in range(most)]


def ecdf(run):
    times, latency = iterations(run), latencies(run)
    panels = [("time of an iteration", [(label, *steps(values)) for label, values in few(times)],
               len(times)),
              ("message latency (101 percentiles)",
               [(label, values, [p / 100 for p in range(101)]) for label, values in few(latency)],
               len(latency))]
    panels = [(name if n == len(found) else f"{name}; {len(found)} of {n} lines", found)
              for name, found, n in panels if found]
    if not panels:
        return None
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(10, 3.8 * len(panels)),
                                    layout="constrained", squeeze=False)
    for axes, (name, found) in zip(all_axes[:, 0], panels):
        for index, (label, values, shares) in enumerate(found):
            axes.step(values, shares, where="post", label=label, color=line_color(index))
        spread(axes, [value for _, values, _ in found for value in values])
        axes.set_xlabel(name)
        axes.set_ylabel("share no longer than this")
        axes.set_ylim(0, 1.02)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    return figure


def line_color(index):
    color = plot.COLORS[index % len(plot.COLORS)]
    return INK if color == "#000000" else color


def places(n):
    return [(math.sin(2 * math.pi * i / n), math.cos(2 * math.pi * i / n)) for i in range(n)]


SHARES = {"busy": "sending", "stalled": "waiting for credit"}


def views(loads):
    """(title, share of a cell) of each picture of the machine: load, stall, load by lane."""
    shown = [(f"share of the run: {words}", lambda cell, key=key: cell[key])
             for key, words in SHARES.items() if any(cell[key] > 0 for cell in loads["cells"])]
    for lane, name in enumerate(loads.get("lanes", [])):
        shown.append((f"sending, {name}", lambda cell, lane=lane: cell["lanes"][lane]))
    return [view for view in shown if any(view[1](cell) > 0 for cell in loads["cells"])]


def loads_of(run):
    loads = run.busiest().get("loads")
    return loads if loads and views(loads) else None


def grid_of(n, width, height):
    """A figure of @n panels, at most two in a row; its axes."""
    columns = min(n, 2)
    figure, axes = plt.subplots(math.ceil(n / columns), columns, squeeze=False,
                                figsize=(width * columns, height * math.ceil(n / columns)),
                                layout="constrained")
    for spare in list(axes.flat)[n:]:
        spare.axis("off")
    return figure, list(axes.flat)[:n]


def radial_name(axes, x, y, name):
    """On a crowded circle: a name outward from its part, upright on either side."""
    angle = math.degrees(math.atan2(y, x))
    left = x < -1e-9
    axes.text(1.04 * x, 1.04 * y, name, ha="right" if left else "left", va="center", fontsize=6,
              rotation=angle + 180 if left else angle, rotation_mode="anchor")


def draw_machine(axes, loads, share):
    """Parts on a circle; links coloured by @share of a cell."""
    seen = sorted({cell[end] for cell in loads["cells"] for end in ("from", "to")})
    at = dict(zip(seen, places(len(seen))))
    named = set(seen[::math.ceil(len(seen) / MOST_NAMES)])
    for cell in sorted(loads["cells"], key=share):
        if share(cell) > 0:
            draw_edge(axes, at[cell["from"]], at[cell["to"]], HEAT(SCALE(share(cell))),
                      0.6 + 2.4 * share(cell))
    for part, (x, y) in at.items():
        axes.plot([x], [y], "o", color=INK, markersize=4)
        if len(seen) <= RADIAL_FROM:
            axes.text(1.13 * x, 1.1 * y, short(loads["names"][part]), ha="center", va="center",
                      fontsize=9)
        elif part in named:
            radial_name(axes, x, y, short(loads["names"][part]))
    axes.set_xlim(-1.3, 1.3)
    axes.set_ylim(-1.25, 1.25)
    axes.set_aspect("equal")
    axes.axis("off")


def point_name(point):
    """What was swept at @point; empty without a sweep."""
    return ", ".join(value if key.endswith("bytes") else f"{key.split('.')[-1]} {value}"
                     for key, value in point["sweep"].items())


def links_at(run):
    """Which point of the sweep the pictures of the machine are of; empty without a sweep."""
    name = point_name(run.busiest())
    return f"links at {name}" if name else ""


PARTS = {"group": "groups", "switch": "switches", "vertex": "devices"}


def color_bar(figure, axes, label):
    figure.colorbar(plt.cm.ScalarMappable(SCALE, HEAT), ax=axes, shrink=0.7, label=label)


def each_view(run, draw, alone, among):
    """A panel by @draw for each view of the loads; its size alone and among others."""
    loads = loads_of(run)
    if loads is None:
        return None
    shown = views(loads)
    figure, panels = grid_of(len(shown), *(among if len(shown) > 1 else alone))
    for axes, (title, share) in zip(panels, shown):
        draw(axes, loads, share)
        axes.set_title(title, fontsize=10)
    color_bar(figure, panels,
              f"share of the run, of the busiest link between two {PARTS[loads['parts']]}")
    figure.suptitle(links_at(run), fontsize=11)
    return figure


def machine(run):
    return each_view(run, draw_machine, alone=(8, 7), among=(6, 6))


def short(name):
    return name[len("node 0 "):] if name.startswith("node 0 ") else name


def draw_edge(axes, a, b, color, width):
    """Either direction bends its own way; traffic within a part is a ring beside it."""
    if a == b:
        axes.add_patch(plt.Circle((1.02 * a[0], 1.02 * a[1]), 0.05, fill=False, color=color,
                                  linewidth=width))
        return
    axes.annotate("", xy=b, xytext=a, arrowprops={
        "arrowstyle": "-", "color": color, "linewidth": width,
        "connectionstyle": "arc3,rad=0.12"})


def draw_matrix(axes, loads, share):
    seen = sorted({cell[end] for cell in loads["cells"] for end in ("from", "to")})
    index = {part: i for i, part in enumerate(seen)}
    grid = [[math.nan] * len(seen) for _ in seen]
    for cell in loads["cells"]:
        grid[index[cell["from"]]][index[cell["to"]]] = share(cell)
    axes.imshow(grid, cmap=HEAT, vmin=0, vmax=1)
    names = [short(loads["names"][part]) for part in seen]
    step = max(1, len(seen) // 24)
    for axis, label in ((axes.xaxis, "to"), (axes.yaxis, "from")):
        axis.set_ticks(range(0, len(seen), step), names[::step], fontsize=7)
        axis.set_label_text(f"{label} {loads['parts']}")
    axes.tick_params(axis="x", labelrotation=90)


def matrix(run):
    return each_view(run, draw_matrix, alone=(7, 6), among=(6, 5.5))


def overview(run):
    """The machine under load, and beside it what it yields, could yield, and did yield."""
    held = baseline.of(run)
    loads = loads_of(run)
    if not held or not plot.varies(run.rows, plot.axis_column(run.rows, run.swept) or "bytes"):
        return None
    lines, column = baseline.series(run, held)
    figure, panels = plt.subplots(1, 2 if loads else 1, figsize=(13 if loads else 8, 5.5),
                                  layout="constrained", squeeze=False)
    baseline.draw_goodput(panels[0][-1], lines, column, INK)
    if loads:
        draw_machine(panels[0][0], loads, lambda cell: cell["busy"])
        color_bar(figure, panels[0][0], "share of the run in which the busiest link sends")
        panels[0][0].set_title(links_at(run), fontsize=11)
    return figure


def against(run):
    held = baseline.of(run)
    if not held:
        return None
    if not plot.varies(run.rows, plot.axis_column(run.rows, run.swept) or "bytes"):
        return baseline.bars(run, held, INK)
    lines, column = baseline.series(run, held)
    errors = any(h.measured > 0 for h in held)
    figure, panels = plt.subplots(1, 2 if errors else 1, figsize=(13 if errors else 8, 4.5),
                                  layout="constrained", squeeze=False)
    baseline.draw_time(panels[0][0], lines, column, INK)
    if errors:
        baseline.draw_errors(panels[0][1], lines, column)
    return figure


FIGURES = {
    "overview": (overview, "At a glance",
                 "Left, every pair of parts between which something moved, coloured by its busiest "
                 "link. Right, goodput as simulated and as measured, the bound of this run, and "
                 "the peak expected of the links."),
    "against": (against, "Against bound and measured",
                "Simulated time, the time no engine can beat, and measured times; and how far the "
                "simulated are off."),
    "curves": (curves, "Time, latency and goodput",
               "Medians against what was swept; the shade reaches to the quartiles, or to the 95th "
               "percentile."),
    "by_name": (by_name, "Side by side",
                "What was swept by name: boxes of the iterations' times with the samples as dots, "
                "or bars where there is one; goodput of the median."),
    "boxes": (boxes, "Spread", "How far the times of iterations (of messages, where no iteration "
              "differs from another) spread at each point."),
    "violins": (violins, "Densities", "Every iteration as a dot, their density and median; of "
                "points with 20 iterations or more."),
    "ecdf": (ecdf, "Distributions", "Share of iterations that took no longer: each step is one "
             "that happened. Of messages' latencies 101 percentiles are kept."),
    "machine": (machine, "The machine under load",
                "Every pair of parts between which something moved, coloured by its busiest link, "
                "at the point with the busiest link of all."),
    "matrix": (matrix, "Who loads what", "The same as a table: rows send, columns receive."),
    "timeline": (critical_path.timeline, "Time lines",
                 "What ranks did, and when the busiest links were "
                 "sending, and for whom, or waited for credit; the fainter, the less of the time."),
    "path": (critical_path.path, "The critical path",
             "What the iteration's time went into, on the chain of "
             "causes that ends with it."),
}


def figure_svg(figure):
    """For the page: text takes the page's colour, ids do not collide with other figures'."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None},
                   bbox_inches="tight", pad_inches=0.1)    # nothing is cut
    plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    return svg.replace(INK, "currentColor")


# ---- the page ----

STYLE = "\n" + (pathlib.Path(__file__).parent / "page.css").read_text()


def escape(value):
    return html.escape(str(value))


def table(caption, heads, rows):
    """Columns of words stand to the left, as the first does."""
    words = [any(not re.match(r"[-+]?\d|–$|$", row[c]) for row in rows) for c in range(len(heads))]
    kind = [' class="text"' if text else "" for text in words]
    out = ['<div class="scroll" tabindex="0"><table>', f"<caption>{escape(caption)}</caption>",
           "<thead><tr>", *(f'<th scope="col"{kind[c]}>{escape(head)}</th>'
                            for c, head in enumerate(heads)), "</tr></thead><tbody>"]
    for row in rows:
        out.append(f'<tr><th scope="row">{escape(row[0])}</th>'
                   + "".join(f"<td{kind[c]}>{escape(cell)}</td>"
                             for c, cell in enumerate(row) if c > 0) + "</tr>")
    return "\n".join(out + ["</tbody></table></div>"])


def cell(row, column, write):
    value = plot.number(row.get(column))
    return "–" if math.isnan(value) else write(value)


def bytes_rate(value):
    return plot.scaled(value / 8, ["", "k", "M", "G", "T"], 1000, "B/s")


RESULT_COLUMNS = [  # head, column, how it is written
    ("time, median", "time_median_s", plot.time_text),
    ("95 % from", "time_ci_low_s", plot.time_text),
    ("to", "time_ci_high_s", plot.time_text),
    ("slowdown", "slowdown", lambda value: f"{value:.3f}"),
    ("slowdown, mean", "slowdown_mean", lambda value: f"{value:.3f}"),
    ("goodput", "goodput_bps", plot.rate_text),
    ("min", "time_min_s", plot.time_text),
    ("mean", "time_mean_s", plot.time_text),
    ("max", "time_max_s", plot.time_text),
    ("between repetitions, MAD", "between_mad_s", plot.time_text),
    ("within", "within_mad_s", plot.time_text),
    ("quartile 1", "time_q1_s", plot.time_text),
    ("quartile 3", "time_q3_s", plot.time_text),
    ("95th percentile", "time_p95_s", plot.time_text),
    ("QCD", "time_qcd", lambda value: f"{value:.3f}"),
    ("algbw", "algbw_bps", bytes_rate),
    ("busbw", "busbw_bps", bytes_rate),
    ("latency, median", "latency_median_s", plot.time_text),
    ("95th percentile of latency", "latency_p95_s", plot.time_text),
]
OF_SEVERAL = {"time_min_s", "time_mean_s", "time_max_s", "time_q1_s", "time_q3_s", "time_p95_s",
              "time_qcd"}    # of one iteration they say what its time says


def results_table(run):
    single = all(row["iterations"] == "1" for row in run.rows)
    columns = [c for c in RESULT_COLUMNS
               if any(not math.isnan(plot.number(row.get(c[1]))) for row in run.rows)
               and not (single and c[1] in OF_SEVERAL)]
    choices = [run.job(row).get("chosen", "").replace(" ", "\u00a0") for row in run.rows]
    rows = [[run.label(row), row["ranks"], *([chosen] if any(choices) else []), row["iterations"],
             *(cell(row, column, write) for _, column, write in columns)]
            for row, chosen in zip(run.rows, choices)]
    return table("Each job at each point",
                 ["job", "ranks", *(["chosen"] if any(choices) else []), "iterations",
                  *(head for head, _, _ in columns)], rows)


def lane_shares(link):
    """Of the bytes on each lane, those that carried any; empty with one lane."""
    lanes = [int(word) for word in link.get("lane_bytes", "").split()]
    shares = [f"{lane}: {100 * own / sum(lanes):.0f} %" for lane, own in enumerate(lanes) if own]
    return ", ".join(shares) if len(lanes) > 1 else ""


def links_table(run):
    at = str(run.busiest()["point"])
    links = [link for link in run.links if link["point"] == at][:15]
    lanes = any(lane_shares(link) for link in links)
    rows = [[link["name"], plot.size_text(plot.number(link["wire_bytes"])),
             f"{100 * plot.number(link['busy']):.1f} %",
             plot.time_text(plot.number(link["stalled_s"])),
             *([lane_shares(link)] if lanes else [])]
            for link in links]
    return table("The busiest links at the point with the busiest link of all",
                 ["link", "on the wire", "sending", "waiting for credit",
                  *(["by lane"] if lanes else [])], rows)


def facts(run):
    point = run.points[0]
    engine, background = point["engine"], point.get("config", {}).get("background")

    def each(read):    # of points that differ, every value once
        return ", ".join(dict.fromkeys(str(read(p)) for p in run.points))

    pairs = [("machine", each(lambda p: p["machine"].get("name", ""))),
             ("nodes", each(lambda p: p["machine"].get("nodes", ""))),
             ("routing", each(lambda p: p["routing"]["algorithm"])),
             *([("background of the first point", plot.short_value(
                 ", ".join(f"{key} {value}" for key, value in background.items()
                           if not isinstance(value, (dict, list))), 120))]
               if isinstance(background, dict) else []),
             ("engine", engine["name"]), ("limits of the engine", engine["limits"]),
             ("packets", engine.get("packet_note", "")), ("seed", point["seed"]),
             ("configuration", point["config_hash"]), ("version", run.summary["darner"]),
             ("points", f"{run.summary['points_done']} of {run.summary['points_total']}")]
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in pairs) + "</dl>"


def doubts(run):
    """What the numbers themselves say against them."""
    if not run.summary.get("complete", True):
        yield (f"{run.summary['points_done']} of {run.summary['points_total']} points are "
               "complete: the run was cut.")
    for point in run.points:
        engine, own = point["engine"], point["machine"].get("own_packet_bytes", 0)
        if engine["name"] == "packet" and engine["packet_bytes"] > own > 0:
            yield (f"Packets of {plot.size_text(engine['packet_bytes'])}, larger than the "
                   f"machine's own {plot.size_text(own)}: queueing below their length is blurred.")
    for row in run.rows:
        if row.get("steady") == "no":
            yield (f"{run.label(row)}: not steady: its latencies are those of the moment, not of "
                   "the network.")
        if row["time_median_s"] == "" and row.get("steady", "") == "":
            yield f"{run.label(row)}: no iteration is complete."
    for held in baseline.of(run):
        if held.time < 0.999 * held.bound:
            yield f"{run.label(held.row)}: faster than its bound: one of the two is wrong."


def warnings(run):
    of = {}    # the points that a text is of
    for point in run.points:
        for text in point.get("warnings", []):
            of.setdefault(text, []).append(point_name(point))
    texts = sorted({f"at {names[0]}: {text}" if names[0] and len(names) == 1
                    else text for text, names in of.items()} | set(doubts(run)))
    if not texts:
        return "<p>None.</p>"
    return '<ul class="warn">' + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def figure_section(run, name):
    draw, title, caption = FIGURES[name]
    figure = draw(run)
    if figure is not None:
        yield name, title, (f'<figure role="img" aria-label="{escape(title)}: {escape(caption)}">'
                            f"{figure_svg(figure)}<figcaption>{escape(caption)}</figcaption>"
                            "</figure>")


def beside_section(run):
    held = baseline.of(run)
    if not held:
        return
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in baseline.sentences(held))
    heads, rows = baseline.rows(run, held)
    text = said + table("Simulated times beside what they are held against", heads, rows)
    classes = sorted({h.evidence for h in held if h.evidence})
    text += "".join(f"<p>{escape(name)}: {escape(baseline.EVIDENCE[name])}.</p>"
                    for name in classes)
    others = baseline.others(run, held)
    if others:
        text += table("Other measured values",
                      ["job", "what", "measured", "simulated", "error", "rests on"], others)
    yield "beside", "Result, bound and measured", text


def delay_section(run):
    found = critical_path.delay_attribution(run)
    if found is None:
        return
    said, rows = found
    text = "".join(f"<p>{escape(sentence)}</p>" for sentence in said)
    if rows:
        text += table("Whose packets were ahead: on the critical path, and of all messages of the "
                      "iteration", critical_path.DELAY_HEADS, rows)
    else:
        text += "<p>Nothing waited for other packets.</p>"
    yield "delays", "Why it took so long", text


def sections(run):
    yield "what", "What was run", facts(run)
    yield from figure_section(run, "overview")
    limit = run.busiest()["bottleneck"]
    yield "results", "Results", (f"<p>What limited it most: {escape(limit)}.</p>"
                                 + results_table(run))
    yield from beside_section(run)
    for name in FIGURES:
        if name != "overview":
            yield from figure_section(run, name)
    yield from delay_section(run)
    yield "links", "Bottlenecks", links_table(run)
    yield "warnings", "Warnings", warnings(run)
    config = json.dumps(run.points[0]["config"], indent=2, ensure_ascii=False)
    yield "config", "Configuration of the first point", (
        f'<pre tabindex="0">{escape(config)}</pre>')


def page(run):
    parts = list(sections(run))
    title = f"darner: {run.summary['run']}"
    menu = "".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name, _ in parts)
    body = "\n".join(f'<section id="{key}" aria-labelledby="h-{key}"><h2 id="h-{key}">'
                     f"{escape(name)}</h2>\n{text}\n</section>" for key, name, text in parts)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<link rel="icon" href="data:,">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f'<a class="skip" href="#main">Skip to the results</a>\n'
            f'<header><h1>{escape(title)}</h1>\n'
            f'<nav aria-label="Sections"><ul>{menu}</ul></nav></header>\n'
            f'<main id="main">\n{body}\n</main>\n</body>\n</html>\n')


def write(path, data):
    """Whole, or not at all: an earlier file stays until the new one is on the disk."""
    part = None
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            part = path    # a device, or a folder, which is an error
        else:
            path = os.path.realpath(path)    # of a link what it names
            part = f"{path}.part"
        with open(part, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        if part != path:
            os.replace(part, path)
    except OSError as error:
        if part != path and os.path.exists(part):
            os.unlink(part)
        fail(f"{path}: cannot write: {error.strerror}")
    try:
        print(path, flush=True)
    except OSError:
        sys.stdout = open(os.devnull, "w")    # what is left would fail again at the end
        fail("standard output: not all of it could be written")


def write_figure(run, arguments):
    figure = plot.guarded(arguments.run, lambda: FIGURES[arguments.figure][0](run))
    if figure is None:
        fail(f"{arguments.run}: nothing to draw as '{arguments.figure}' in this run"
             + critical_path.NEEDS.get(arguments.figure, ""))
    figure.patch.set_facecolor("white")
    data = io.BytesIO()
    figure.savefig(data, format="svg" if arguments.svg else "png", dpi=150,
                   metadata={"Date": None} if arguments.svg else None)
    write(arguments.svg or arguments.png, data.getvalue())


def main():
    parser = argparse.ArgumentParser(prog="darner report", description=__doc__.split("\n")[0])
    parser.add_argument("run")
    parser.add_argument("-o", "--output")
    parser.add_argument("--figure", choices=list(FIGURES))
    parser.add_argument("--svg")
    parser.add_argument("--png")
    arguments = parser.parse_args()
    if arguments.figure and bool(arguments.svg) == bool(arguments.png):
        fail("--figure: allowed with one of --svg FILE and --png FILE")
    run = plot.guarded(arguments.run, lambda: Run(arguments.run))
    if arguments.figure:
        write_figure(run, arguments)
    else:
        text = plot.guarded(arguments.run, lambda: page(run))
        write(arguments.output or run.folder / "report.html", text)


if __name__ == "__main__":
    main()
