#!/usr/bin/env python3
"""What the counters of a machine's routers saw: flits that came in, and stalled cycles.

Usage: router_counters.py FOLDER SECONDS [CLOCK [FLIT [ROUTERS]]]
FOLDER is that of `darner run --links=0`, a run of SECONDS; CLOCK in Hz (800e6), FLIT in bytes (16),
ROUTERS as many as are counted together (5). For each seed the mean over all routers, and over
those whose nodes hardly send: less than a flit a microsecond.
"""

import collections
import csv
import os
import re
import sys

INTO = re.compile(r'-> switch (\d+) ')
FROM_NODE = re.compile(r'^node .* -> switch (\d+) ')
TO_NODE = re.compile(r'^switch (\d+) .* -> node ')


def read(path, flit, clock):
    """{seed: {router: [flits in, cycles stalled on the way in, flits of its nodes]}}."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0.0, 0.0, 0.0]))
    with open(path, encoding='utf-8', newline='') as f:
        for row in csv.DictReader(f):
            routers = found[row.get('seed', '')]
            flits = int(row['wire_bytes']) / flit
            into = INTO.search(row['name'])
            node = FROM_NODE.search(row['name']) or TO_NODE.search(row['name'])
            if into:
                routers[int(into.group(1))][0] += flits
                routers[int(into.group(1))][1] += float(row['stalled_s']) * clock
            if node:
                routers[int(node.group(1))][2] += flits
    return found


def main():
    """Prints a line for each seed and set of routers."""
    if not 3 <= len(sys.argv) <= 6:
        print(__doc__.split('\n\n')[1], file=sys.stderr)
        return 2
    given = [float(a) for a in sys.argv[2:]]
    seconds, clock, flit, count = given + [0, 800e6, 16, 5][len(given) :]
    found = read(os.path.join(sys.argv[1], 'links.csv'), flit, clock)
    for seed, routers in sorted(found.items()):
        quiet = [r for r in routers.values() if r[2] < 1e6 * seconds]
        for name, chosen in (('all', list(routers.values())), ('of idle nodes', quiet)):
            flits, stalls = (sum(r[i] for r in chosen) for i in (0, 1))
            scale = count / len(chosen) / seconds / 1e6 if chosen else 0.0
            ratio = stalls / flits if flits > 0 else 0.0
            print(
                f'seed {seed}, {len(chosen)} routers, {name}: {count:g} of them {flits * scale:.4g}'
                f' Mflit/s, {stalls * scale:.4g} Mcycle/s, {ratio:.3g} cycles a flit'
            )
    return 0


if __name__ == '__main__':
    sys.exit(main())
