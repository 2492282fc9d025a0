#!/usr/bin/python3
"""Which algorithm of an allreduce is fastest on one node with four GPUs, by size.

Reads like a notebook: each step shows what it made. With --plot FILE the last one draws.
"""

import sys

import darner

# %% The machine
node = darner.machine("h200x4")
print(node)

# %% One run, as a dictionary: the same keys as in a run file
ring = {"machine": "h200x4",
        "jobs": [{"name": "allreduce",
                  "workload": {"type": "allreduce", "bytes": "1 MiB", "algorithm": "ring"}}]}
once = darner.run(ring)
print(once.table()[["job", "time_median_s", "goodput_bps"]])

# %% The same over sizes and algorithms
both = darner.sweep(ring, {"jobs[0].workload.algorithm": ["ring", "recursive_doubling"],
                           "jobs[0].workload.bytes": ["8 KiB", "512 KiB", "32 MiB"]})
times = both.table().pivot(index="jobs[0].workload.bytes", columns="jobs[0].workload.algorithm",
                           values="time_median_s")
print(times * 1e6)

# %% An error says what is wrong, and what is allowed
try:
    darner.run(ring, set={"jobs[0].workload.byts": "1 MiB"})
except darner.Error as error:
    print(f"{error.kind} error: {error}")

# %% A picture
if len(sys.argv) == 3 and sys.argv[1] == "--plot":
    axes = both.plot(x="jobs[0].workload.bytes")
    axes.figure.savefig(sys.argv[2])
