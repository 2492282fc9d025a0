#!/usr/bin/env python3
"""Draws docs/figures/noise-*.svg: measured beside simulated, from docs/figures/noise.csv.

A row is figure, run file, group, label, measured, simulated; all values of a figure share one
logarithmic axis, whose unit stands in its group names.
"""

import csv
import math
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'docs', 'figures')
WIDTH, ROW, LEFT, RIGHT, TOP = 640, 16, 170, 20, 34
COLORS = {'measured': '#444444', 'simulated': '#1f77b4'}


def axis(values):
    """The least and the largest power of ten that hold @values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def place(value, low, high):
    """The horizontal place of @value on the axis."""
    return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def draw(title, rows):
    """The SVG of one figure."""
    numbers = [float(r[k]) for r in rows for k in COLORS]
    low, high = axis(numbers)
    lines, y, group = [], TOP, None
    for row in rows:
        if row['group'] != group:
            group = row['group']
            y += ROW
            lines.append(f'<text x="8" y="{y}" font-weight="bold">{group}</text>')
        y += ROW
        lines.append(f'<text x="20" y="{y}">{row["label"]}</text>')
        for k, color in COLORS.items():
            x = place(float(row[k]), low, high)
            lines.append(f'<circle cx="{x:.1f}" cy="{y - 4}" r="4" fill="{color}"/>')
    bottom = y + 8
    grid = []
    for power in range(low, high + 1):
        x = place(10.0**power, low, high)
        grid.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#cccccc"/>')
        tick = f'{10.0**power:g}'
        grid.append(f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{tick}</text>')
    legend = ''.join(
        f'<circle cx="{WIDTH - 190 + 100 * i}" cy="12" r="4" fill="{c}"/>'
        f'<text x="{WIDTH - 182 + 100 * i}" y="16">{k}</text>'
        for i, (k, c) in enumerate(COLORS.items())
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
    """Writes every figure of the table."""
    with open(os.path.join(FOLDER, 'noise.csv'), encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    for name in dict.fromkeys(r['figure'] for r in rows):
        own = [r for r in rows if r['figure'] == name]
        path = os.path.join(FOLDER, f'noise-{name}.svg')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(draw(own[0]['run'], own))
    return 0


if __name__ == '__main__':
    sys.exit(main())
