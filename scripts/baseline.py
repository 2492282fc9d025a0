"""baseline.py - what a run's results are held against, for report.py: bound, peak, measured."""

import math

from matplotlib.ticker import AutoLocator, FuncFormatter

import plot

MEASURED = {  # metric of time and goodput: to time in s of a row
    "time_us": lambda value, row: value * 1e-6,
    "goodput_gbps": lambda value, row: (plot.number(row["goodput_bps"])
                                        * plot.number(row["time_median_s"]) / (value * 1e9)),
}
EVIDENCE = {"input": "read from a machine file", "computed": "from the machine's graph",
            "calibrated": "a parameter was fitted to it, or to a value from which it follows",
            "developed": "the model was changed after the value had been seen",
            "predicted": "parameters and model were fixed before the value was seen",
            "observed": "shown only, for a reason about the measurement"}


class Held:
    """One row of results.csv and what stands beside it; times in s, NAN when unknown."""

    def __init__(self, run, row):
        job = run.job(row)
        self.row = row
        self.time = plot.number(row["time_median_s"])
        self.work = plot.number(row["goodput_bps"]) * self.time    # bits an iteration
        self.bound = job.get("bound_us", math.nan) * 1e-6
        self.peak = job.get("peak_bps", math.nan)
        self.peak_text = job.get("peak", "")
        self.others = job.get("measured", [])
        times = [m for m in self.others if m["metric"] in MEASURED]
        self.measured = MEASURED[times[0]["metric"]](times[0]["measured"], row) if times \
            else math.nan
        self.evidence = times[0].get("evidence", times[0].get("role", "")) if times else ""

    def known(self):
        return bool(self.others) or not math.isnan(self.bound)


def of(run):
    """A Held for each row; empty when no row has anything beside it."""
    held = [Held(run, row) for row in run.rows]
    return held if any(h.known() for h in held) else []


def series(run, held):
    """(label, [(x, Held), ...]) for each line, and the column of x."""
    column = plot.axis_column(run.rows, run.swept) or "bytes"
    by_row = {id(h.row): h for h in held}
    lines = plot.read_series(run.rows, run.swept, column)
    return [(label, [(row["x"], by_row[id(row)]) for row in rows])
            for label, rows in lines.items()], column


def draw_axis(axes, column, writer, label):
    if column == "bytes":
        plot.size_axis(axes)
    else:
        axes.set_xlabel(column)
    plot.finish(axes, writer, label)


def draw(axes, lines, column, value, ink):
    """Simulated, bound and measured of each line; @value: (Held, time) to what is drawn."""
    for index, (label, points) in enumerate(lines):
        color = plot.COLORS[index % 6]
        name = f"{label}: " if len(lines) > 1 else ""
        for words, time, style in (
                ("bound", lambda h: h.bound, {"linestyle": "--", "linewidth": 1.2}),
                ("simulated", lambda h: h.time, {"marker": ".", "linewidth": 1.6}),
                ("measured", lambda h: h.measured,
                 {"linestyle": "", "marker": plot.MARKS[index % 8], "markersize": 8,
                  "markerfacecolor": "none"})):
            shown = [(x, value(h, time(h))) for x, h in points if time(h) > 0]
            if shown:
                axes.plot(*zip(*shown), color=ink if words == "bound" else color,
                          label=name + words, **style)


def draw_goodput(axes, lines, column, ink):
    draw(axes, lines, column, lambda h, time: h.work / time, ink)
    peaks = {h.peak for _, points in lines for _, h in points if not math.isnan(h.peak)}
    for peak in sorted(peaks):
        axes.axhline(peak, color=plot.COLORS[1], linewidth=1.2, linestyle=":",
                     label=f"peak expected of the links: {plot.rate_text(peak)}")
    draw_axis(axes, column, plot.rate_text, "goodput")
    if peaks:    # how close to it matters, not the decades below
        axes.set_yscale("linear")
        axes.yaxis.set_major_locator(AutoLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(plot.rate_text))
        axes.set_ylim(0, 1.1 * max(peaks))
    axes.legend(fontsize=8, loc="best")


def draw_time(axes, lines, column, ink):
    draw(axes, lines, column, lambda h, time: time, ink)
    draw_axis(axes, column, plot.time_text, "time of an iteration (median)")
    axes.legend(fontsize=8, loc="best")


def draw_errors(axes, lines, column):
    for index, (label, points) in enumerate(lines):
        shown = [(x, 100 * (h.time / h.measured - 1)) for x, h in points if h.measured > 0]
        if shown:
            axes.plot(*zip(*shown), color=plot.COLORS[index % 6], marker=plot.MARKS[index % 8],
                      markersize=4, linewidth=1, label=label)
    if column == "bytes":
        plot.size_axis(axes)
    axes.axhline(0, color=plot.COLORS[7], linewidth=0.8)
    axes.set_ylabel("simulated against measured time (%)")
    axes.grid(True, linewidth=0.4, alpha=0.6)


def bars(run, held, ink):
    """Where nothing is swept: a bar for each job, its bound and its measured value on it."""
    figure, axes = plot.plt.subplots(figsize=(9, 1.6 + 0.5 * len(held)), layout="constrained")
    for index, h in enumerate(held):
        axes.barh(index, h.time, height=0.5, color=plot.COLORS[5],
                  label="simulated" if index == 0 else None)
        axes.plot([h.bound, h.bound], [index - 0.35, index + 0.35], color=ink, linestyle="--",
                  label="bound" if index == 0 and h.bound > 0 else None)
        if h.measured > 0:
            axes.plot([h.measured], [index], "o", markersize=8, markerfacecolor="none",
                      color=plot.COLORS[1], label="measured" if index == 0 else None)
    axes.set_yticks(range(len(held)), [run.label(h.row) for h in held])
    axes.invert_yaxis()
    axes.xaxis.set_major_formatter(FuncFormatter(plot.time_text))
    axes.set_xlabel("time of an iteration (median)")
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1), ncol=3, frameon=False)
    return figure


def text(value, write):
    return "–" if math.isnan(value) else write(value)


def rows(run, held):
    """Heads and rows of the table."""
    heads = ["job", "simulated", "bound", "of bound", "measured", "error", "rests on", "goodput",
             "peak", "of peak"]
    out = []
    for h in held:
        goodput = h.work / h.time
        out.append([run.label(h.row), text(h.time, plot.time_text), text(h.bound, plot.time_text),
                    text(h.time / h.bound, lambda v: f"{v:.3f}"),
                    text(h.measured, plot.time_text),
                    text(100 * (h.time / h.measured - 1), lambda v: f"{v:+.1f} %"),
                    h.evidence or "–",
                    text(goodput, plot.rate_text), text(h.peak, plot.rate_text),
                    text(100 * goodput / h.peak, lambda v: f"{v:.1f} %")])
    empty = [c for c in range(1, len(heads)) if all(row[c] == "–" for row in out)]
    keep = [c for c in range(len(heads)) if c not in empty]
    return [heads[c] for c in keep], [[row[c] for c in keep] for row in out]


def others(run, held):
    """Measured values that are no time and no goodput."""
    return [[run.label(h.row), m["metric"], f"{m['measured']:.4g}", f"{m['simulated']:.4g}",
             f"{m['error_percent']:+.1f} %", m.get("evidence", m.get("role", ""))]
            for h in held for m in h.others
            if m["metric"] not in MEASURED and m["simulated"] is not None]


def sentences(held):
    """What the numbers say, in words."""
    errors = sorted(abs(h.time / h.measured - 1) * 100 for h in held if h.measured > 0)
    if errors:
        middle = errors[len(errors) // 2] if len(errors) % 2 else \
            (errors[len(errors) // 2 - 1] + errors[len(errors) // 2]) / 2
        near = [sum(e <= limit for e in errors) for limit in (5, 10, 20)]
        yield (f"Of {len(errors)} measured times the median error is {middle:.1f} %, the worst "
               f"{errors[-1]:.1f} %; within 5, 10 and 20 % are {near[0]}, {near[1]} and {near[2]}.")
    bounds = [h.time / h.bound for h in held if h.bound > 0]
    if bounds:
        yield (f"Simulated times are {min(bounds):.3f} to {max(bounds):.3f} of what no contention "
               "at all and the busiest link alone would allow.")
    peaks = [(h.work / h.time / h.peak, h) for h in held if h.peak > 0]
    if peaks:
        share, best = max(peaks, key=lambda p: p[0])
        yield (f"The peak that the links allow, {plot.rate_text(best.peak)} ({best.peak_text}), is "
               f"reached to {100 * share:.0f} % at most.")
