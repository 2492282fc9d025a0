"""critical_path.py - of a run's folder: what ranks and links did when (`darner run --timeline`),
and why an iteration took so long (`darner explain`). For report.py; each part is there when its
file is."""

import csv
import json

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

import plot

MOST_RANKS, MOST_LINKS, COLUMNS = 32, 16, 900
NEEDS = {"timeline": "; it needs `darner run --timeline`",
         "path": "; it needs `darner explain` after the run"}
ACTIVITIES = {  # category in timeline.json: (what it is called, colour); the rest is "sending"
    "compute": ("computing", "#009E73"), "copy": ("copying", "#9BD770"),
    "reduce": ("reducing", "#D4C800"), "send": ("issuing a send", "#0072B2"),
    "recv": ("posting a receive", "#56B4E9"), "wait": ("waiting", "#BBBBBB"),
    "notice": ("noticing", "#9999DD"), "await": ("waiting for its other streams", "#B8A888"),
    "starved": ("waiting for entries", "#E69F00"), "stalled": ("waiting for credit", "#B2182B"),
}


def load(run, name):
    path = run.folder / name
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def rows_of(events):
    """Ranks in order, then the links that were busy longest: {(pid, tid): name}."""
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    busy = {}
    for event in events:
        if event.get("cat") == "sending":
            key = event["pid"], event["tid"]
            busy[key] = busy.get(key, 0) + event["dur"]
    ranks = sorted(key for key in names if processes.get(key[0]) != "links")
    links = sorted(busy, key=lambda key: (-busy[key], key))
    several = len({pid for pid, _ in ranks}) > 1
    found = {key: (f"{processes[key[0]].removeprefix('job ')} " if several else "") + names[key]
             for key in ranks[:MOST_RANKS]}
    return found, {key: names[key] for key in links[:MOST_LINKS]}


def shares(events, rows, end_us):
    """Time of each row in each column, by (activity, name)."""
    index, sums = {key: i for i, key in enumerate(rows)}, {}
    width = end_us / COLUMNS
    for event in events:
        row = index.get((event["pid"], event["tid"]))
        if event["ph"] != "X" or row is None or event["cat"] in ("iteration", "call"):
            continue
        what = event["cat"] if event["cat"] in ACTIVITIES else event["name"]
        grid = sums.setdefault(what, np.zeros((len(rows), COLUMNS)))
        first, last = event["ts"] / width, (event["ts"] + event["dur"]) / width
        low, high = int(first), min(int(last), COLUMNS - 1)
        if low >= high:
            grid[row, min(low, COLUMNS - 1)] += last - first
            continue
        grid[row, low] += low + 1 - first
        grid[row, low + 1:high] += 1
        grid[row, high] += last - high
    return sums


def color_of(what, jobs):
    if what in ACTIVITIES:
        return ACTIVITIES[what][1]
    return plot.COLORS[1:][jobs.index(what) % (len(plot.COLORS) - 1)]


def draw_rows(axes, events, rows, end_us, jobs):
    """Each column in the colour of what took most of it, as strong as it took of it."""
    sums = shares(events, rows, end_us)
    kinds = sorted(sums)
    stack = np.stack([sums[kind] for kind in kinds])
    most = stack.argmax(axis=0)
    picture = np.array([to_rgba(color_of(kind, jobs)) for kind in kinds])[most]
    picture[..., 3] = np.clip(stack.max(axis=0), 0, 1)
    axes.imshow(picture, aspect="auto", interpolation="nearest",
                extent=(0, end_us * 1e-6, len(rows) - 0.5, -0.5))
    axes.set_yticks(range(len(rows)), list(rows.values()), fontsize=6)
    axes.xaxis.set_major_formatter(plot.FuncFormatter(plot.time_text))
    axes.legend(handles=[Patch(color=color_of(kind, jobs),
                               label=ACTIVITIES.get(kind, (f"sending for {kind}",))[0])
                         for kind in kinds], fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def timeline(run):
    found = load(run, "timeline.json") or load(run, f"timeline-{run.busiest()['point']}.json")
    events = found["traceEvents"] if found else []
    slices = [event for event in events if event["ph"] == "X"]
    if not slices:
        return None
    end_us = max(event["ts"] + event["dur"] for event in slices)
    panels = [rows for rows in rows_of(events) if rows]
    jobs = sorted({event["name"] for event in slices if event["cat"] == "sending"})
    figure, all_axes = plt.subplots(
        len(panels), 1, squeeze=False, layout="constrained",
        figsize=(12, sum(0.8 + 0.17 * len(rows) for rows in panels)),
        height_ratios=[4 + len(rows) for rows in panels])
    for axes, rows in zip(all_axes[:, 0], panels):
        draw_rows(axes, slices, rows, end_us, jobs)
    return figure


def path(run):
    found = load(run, "explain.json")
    if not found:
        return None
    parts = [(part["what"], part["ps"]) for part in found["path"] if part["ps"] > 0]
    figure, axes = plt.subplots(figsize=(10, 2.6), layout="constrained")
    at = 0
    for index, (what, ps) in enumerate(parts):
        axes.barh([0], [ps * 1e-12], left=[at], color=plot.COLORS[1:][index],
                  label=f"{what}: {plot.time_text(ps * 1e-12)}")
        at += ps * 1e-12
    axes.set_yticks([])
    axes.set_ylim(-0.5, 0.5)
    axes.set_xlim(0, at)
    axes.xaxis.set_major_formatter(plot.FuncFormatter(plot.time_text))
    axes.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def sentences(found):
    """What was looked at, and what to change first."""
    whole = found["time_ps"]
    slowest = ", the slowest," if found["slowest"] else ""
    yield (f"Iteration {found['iteration']} of {found['iterations']}{slowest} of job "
           f"{found['job']} takes {plot.time_text(whole * 1e-12)}; the median "
           f"{plot.time_text(found['median_ps'] * 1e-12)}.")
    for advice in found["advice"]:
        then = advice.get("iteration_then_ps")
        if then is not None and then > whole:
            yield (f"{advice['what']} makes it slower, as other traffic speeds up as well, or "
                   f"packets meet others: simulated so, the iteration takes "
                   f"{plot.time_text(then * 1e-12)}, {100 * (then - whole) / whole:.1f} % more.")
            continue
        beyond = then is not None and whole - then > advice["at_most_ps"]
        helps = "has a share of" if beyond else "would help at most"
        text = f"{advice['what']} {helps} {100 * advice['at_most_ps'] / whole:.1f} %"
        if then is not None:
            text += (f"; simulated so, the iteration takes {plot.time_text(then * 1e-12)}, "
                     f"{100 * (whole - then) / whole:.1f} % less")
        yield text + "."


DELAY_HEADS = ["whose packets", "pattern", "of", "why", "link", "lane", "who waited for", "time",
               "share"]
OF = {"path": "critical path", "messages": "all messages"}


def delay_attribution(run, most=20):
    """(sentences, rows of a table), or None."""
    found = load(run, "explain.json")
    if not found:
        return None
    rows = []
    try:
        with (run.folder / "delay_attribution.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError:
        pass
    kept = [row for of in OF for row in [r for r in rows if r["of"] == of][:most]]
    return list(sentences(found)), [
        [row["aggressor"], row["pattern"], OF[row["of"]], row["why"], row["link"], row["lane"],
         row["who_waited_for"] or "–", plot.time_text(float(row["time_ps"]) * 1e-12),
         f"{100 * float(row['share']):.1f} %"] for row in kept]
