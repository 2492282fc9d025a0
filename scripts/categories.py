"""categories.py - plots of what was swept by name: routing, machine, placement, service level, ...

Such a key has no order and no distances, so its values stand side by side: a group for each value
of the first such key, a colour for each combination of the others, a panel for each value of
another key where there would be more colours than can be told apart. Times are boxes with their
samples as dots, or bars where there is one sample alone.
"""

import math

import matplotlib.pyplot as plt

import plot

MOST_COLORS = len(plot.COLORS)
MOST_DOTS = 60    # of a box; more are a cloud
MOST_PANELS = 9
INK = "#010203"   # as in report.py


def keys_of(rows, swept):
    """Swept keys that vary, those by name first; jobs are one more where there are several."""
    keys = [key for key in swept if plot.varies(rows, key)]
    keys.sort(key=lambda key: (not plot.is_category(rows, key), key.endswith("seed")))
    return keys + (["job"] if plot.varies(rows, "job") else [])


def values_of(rows, keys):
    """Different combinations of @keys' values, in the order of the rows."""
    return list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))


def panels_of(rows, keys):
    """(title, rows) of each panel: by one key more until the colours suffice."""
    others = keys[1:]
    panel_keys = []
    while others and len(values_of(rows, others)) > MOST_COLORS:
        panel_keys.append(others.pop())
    panels = []
    for value in values_of(rows, panel_keys):
        title = ", ".join(f"{plot.short_key(key)} {plot.short_value(v)}"
                          for key, v in zip(panel_keys, value))
        panels.append((title, [row for row in rows
                               if tuple(row[key] for key in panel_keys) == value]))
    return panels[:MOST_PANELS], others


def draw_box(axes, at, width, values, color):
    """A box with its samples; of one sample a bar."""
    if len(values) == 1:
        axes.bar([at], values, width=0.9 * width, color=color)
        return
    axes.boxplot([values], positions=[at], widths=0.8 * width, whis=(5, 95), showfliers=False,
                 patch_artist=True, manage_ticks=False,
                 boxprops={"facecolor": color, "alpha": 0.45, "edgecolor": INK},
                 medianprops={"color": INK, "linewidth": 1.5},
                 whiskerprops={"color": INK}, capprops={"color": INK})
    step = max(1, len(values) // MOST_DOTS)
    shown = sorted(values)[::step]
    spread = [at + width * 0.5 * ((i * 0.618) % 1 - 0.5) for i in range(len(shown))]
    axes.plot(spread, shown, ".", color=color, markersize=3, markeredgecolor=INK,
              markeredgewidth=0.2)


def draw_panel(axes, rows, first, others, of, formatter):
    """Groups by @first, colours by @others; @of a row: its values."""
    groups, colors = values_of(rows, [first]), values_of(rows, others)
    width = 0.8 / max(1, len(colors))
    drawn, bars = [], False
    for g, group in enumerate(groups):
        for c, color in enumerate(colors):
            values = [value for row in rows if row[first] == group[0]
                      and tuple(row[key] for key in others) == color for value in of(row)]
            values = [value for value in values if value > 0]
            if values:
                drawn += values
                bars |= len(values) == 1
                draw_box(axes, g + (c - (len(colors) - 1) / 2) * width, width, values,
                         plot.COLORS[c % MOST_COLORS])
    axes.set_xticks(range(len(groups)))
    names = [plot.short_value(group[0]) for group in groups]
    long = max(map(len, names)) * len(names) > 40
    axes.set_xticklabels(names, rotation=30 if long else 0, ha="right" if long else "center",
                         fontsize=8)
    axes.set_xlim(-0.6, len(groups) - 0.4)
    if drawn and max(drawn) > 20 * min(drawn):
        axes.set_yscale("log")
        axes.yaxis.set_minor_formatter(plot.NullFormatter())
    elif bars or not drawn:    # a bar's length counts, a box's place
        axes.set_ylim(0, 1.08 * max(drawn, default=1))
    axes.yaxis.set_major_formatter(plot.FuncFormatter(formatter))
    axes.set_xlabel(plot.short_key(first))
    axes.grid(True, axis="y", linewidth=0.4, alpha=0.6)


def figure(rows, swept, samples):
    """@samples: as samples.read() gives them. None: there is nothing to tell apart."""
    keys = keys_of(rows, swept)
    if not keys:
        return None

    def times(row):
        return samples.get((int(row["point"]), row["job"])) or [plot.number(row["time_median_s"])]

    def goodput(row):
        return [plot.number(row["goodput_bps"])]

    shown = [(name, of, writer) for name, of, writer in
             (("time of an iteration", times, plot.time_text), ("goodput", goodput, plot.rate_text))
             if any(not math.isnan(value) and value > 0 for row in rows for value in of(row))]
    panels, others = panels_of(rows, keys)
    if not shown:
        return None
    chart, all_axes = plt.subplots(len(panels), len(shown), squeeze=False, layout="constrained",
                                   figsize=(1.5 + 5.2 * len(shown), 0.6 + 3.4 * len(panels)))
    for row_axes, (title, members) in zip(all_axes, panels):
        for axes, (name, of, writer) in zip(row_axes, shown):
            draw_panel(axes, members, keys[0], others, of, writer)
            axes.set_ylabel(name)
            axes.set_title(title, fontsize=9)
    colors = values_of(rows, others)
    if others and len(colors) > 1:
        marks = [plt.Rectangle((0, 0), 1, 1, color=plot.COLORS[c % MOST_COLORS])
                 for c in range(len(colors))]
        names = [", ".join(plot.short_value(v) for v in color) for color in colors]
        all_axes[0][-1].legend(marks, names, fontsize=8, loc="upper left",
                               bbox_to_anchor=(1.01, 1), borderaxespad=0,
                               title=", ".join(map(plot.short_key, others)), title_fontsize=8)
    return chart
