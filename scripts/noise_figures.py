#!/usr/bin/env python3
"""Draws docs/figures/noise-*.svg: measured beside simulated, from docs/figures/noise.csv.

Usage: noise_figures.py [FOLDER]
FOLDER holds results of runs of configs/noise by their names, as `darner run --output FOLDER/X
configs/noise/X.yaml` leaves them: the simulated values of their rows are written from samples.csv
first.
A row is figure, run file, points ("key=value; ...", of the sweep; all when empty), jobs (a
pattern), statistic (mean or p25, over the iterations, in us; "mean over alone": over that of the
iterations without the other jobs; "p25 over p50 at key=value": over the median of the point where
the swept key has that value), group, label, measured, simulated. All values of a figure share
one logarithmic axis, whose unit stands in its group names.
"""

import csv
import fnmatch
import math
import os
import sys

from samples_test import quantile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'docs', 'figures')
WIDTH, ROW, LEFT, RIGHT, TOP = 700, 16, 230, 20, 34
# A ring shows the dot of an equal value inside it.
MARKS = {
    'measured': 'r="5" fill="none" stroke="#444444" stroke-width="1.5"',
    'simulated': 'r="3" fill="#1f77b4"',
}


def statistic(name, times):
    """The mean or a quantile of @times."""
    if name == 'mean':
        return sum(times) / len(times)
    return quantile(times, float(name[1:]) / 100)


def times_at(points, job, samples):
    """The times in us of the lines of @job at @points, by whether the other jobs were there."""
    wanted = dict(p.split('=') for p in points.split('; ') if p)
    times = {'yes': [], 'no': []}
    for line in samples:
        if all(line[k] == v for k, v in wanted.items()) and fnmatch.fnmatchcase(line['job'], job):
            times[line['alone']].append(1e6 * float(line['time_s']))
    return times


def simulated(row, samples):
    """The value of @row by the lines of a samples.csv."""
    name, _, over = row['statistic'].partition(' over ')
    base, _, point = over.partition(' at ')
    times = times_at(row['points'], row['job'], samples)
    below = times_at(point, row['job'], samples)['no'] if point else times['yes']
    if not times['no'] or (over and not below):
        raise ValueError(f'{row["run"]}: no iterations of {row["job"]} at "{row["points"]}"')
    value = statistic(name, times['no'])
    return value / statistic(base if point else name, below) if over else value


def update(rows, folder):
    """Writes the simulated values of the runs that @folder has; returns how many."""
    count = 0
    for run in dict.fromkeys(r['run'] for r in rows):
        path = os.path.join(folder, os.path.splitext(run)[0], 'samples.csv')
        if not os.path.isfile(path):
            continue
        with open(path, encoding='utf-8', newline='') as f:
            samples = list(csv.DictReader(f))
        for row in rows:
            if row['run'] == run:
                row['simulated'] = f'{simulated(row, samples):.3g}'
                count += 1
    return count


def axis(values):
    """The marks of an axis that holds @values: powers of ten, or tenths where they are alike."""
    low, high = min(values), max(values)
    if high < 5 * low:
        return [k / 10 for k in range(math.floor(10 * low), math.ceil(10 * high) + 1)]
    return [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def place(value, marks):
    """The horizontal place of @value on the axis of @marks."""
    return LEFT + math.log(value / marks[0]) / math.log(marks[-1] / marks[0]) * (
        WIDTH - LEFT - RIGHT
    )


def draw(title, rows):
    """The SVG of one figure."""
    numbers = [float(r[k]) for r in rows for k in MARKS]
    marks = axis(numbers)
    lines, y, group = [], TOP, None
    for row in rows:
        if row['group'] != group:
            group = row['group']
            y += ROW
            lines.append(f'<text x="8" y="{y}" font-weight="bold">{group}</text>')
        y += ROW
        lines.append(f'<text x="20" y="{y}">{row["label"]}</text>')
        for k, mark in MARKS.items():
            x = place(float(row[k]), marks)
            lines.append(f'<circle cx="{x:.1f}" cy="{y - 4}" {mark}/>')
    bottom = y + 8
    grid = []
    for mark in marks:
        x = place(mark, marks)
        grid.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#cccccc"/>')
        grid.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{mark:g}</text>')
    legend = ''.join(
        f'<circle cx="{WIDTH - 190 + 100 * i}" cy="12" {mark}/>'
        f'<text x="{WIDTH - 182 + 100 * i}" y="16">{k}</text>'
        for i, (k, mark) in enumerate(MARKS.items())
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 22}" '
        f'font-family="sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n'
        f'<text x="8" y="16" font-size="12">{title}</text>{legend}\n'
        + '\n'.join(grid + lines)
        + '\n</svg>\n'
    )


def main():
    """Writes every figure of the table, with a folder of results its simulated values first."""
    table = os.path.join(FOLDER, 'noise.csv')
    with open(table, encoding='utf-8', newline='') as f:
        rows = list(csv.DictReader(f))
    if len(sys.argv) > 1:
        if update(rows, sys.argv[1]) == 0:
            print(f'{sys.argv[1]} has none of the runs in docs/figures/noise.csv', file=sys.stderr)
            return 1
        with open(table, 'w', encoding='utf-8', newline='') as f:
            writer = csv.DictWriter(f, list(rows[0]), lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
    for name in dict.fromkeys(r['figure'] for r in rows):
        own = [r for r in rows if r['figure'] == name]
        path = os.path.join(FOLDER, f'noise-{name}.svg')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(draw(', '.join(dict.fromkeys(r['run'] for r in own)), own))
    return 0


if __name__ == '__main__':
    sys.exit(main())
