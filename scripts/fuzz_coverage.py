#!/usr/bin/python3
"""fuzz_coverage.py - lines of each reader that the fuzz corpora reach, from `llvm-cov export` JSON.

Usage: llvm-cov export --summary-only ... | fuzz_coverage.py
Prints a Markdown table: reader, lines, lines reached in percent, its files below 90 %.
"""

import fnmatch
import json
import pathlib
import sys

GOAL = 90  # %

READERS = {
    "run": ("config/*",),
    "mechanisms": ("endpoint/mechanism.c", "endpoint/apenet.c", "endpoint/c[ct]*.c",
                   "endpoint/device_copy.c", "endpoint/[g-z]*.c"),
    "placements": ("experiment/placement*",),
    "set-up of jobs": ("experiment/setup.c", "experiment/job_mechanism.c",
                       "experiment/background_jobs.c", "experiment/*_machine.c"),
    "machine": ("topology/machine.c", "topology/machine_plan.c", "topology/node_graph.c",
                "topology/parts.c", "topology/hardware.c", "topology/failures.c",
                "topology/edge_list.c", "topology/fabric.c"),
    "graphml": ("topology/import/graphml*",),
    "hwloc_xml": ("topology/import/hwloc*",),
    "ibnetdiscover": ("topology/import/ibnet*",),
    "nccl_xml": ("topology/import/nccl*",),
    "nvidia_topo": ("topology/import/nvidia*",),
    "rocm_topo": ("topology/import/rocm*",),
    "simgrid": ("topology/import/simgrid*",),
    "slurm": ("topology/import/slurm*", "base/hostlist*"),
    "all importers": ("topology/import/*",),
    "ti": ("trace/ti*",),
    "goal": ("trace/goal.c",),
    "goal_binary": ("trace/goal_binary.c",),
    "dumpi": ("trace/dumpi*",),
    "chakra": ("trace/chakra*",),
    "darner": ("trace/darner*",),
    "csv": ("base/csv*",),
    "measurements": ("calibration/measurements*",),
    "results": ("experiment/run_origin*",),
}


def main():
    files = {}
    for file in json.load(sys.stdin)["data"][0]["files"]:
        name = pathlib.PurePath(file["filename"])
        if "src" in name.parts and name.suffix == ".c":
            inside = "/".join(name.parts[name.parts.index("src") + 1:])
            files[inside] = file["summary"]["lines"]
    print("| reader | lines | reached | its files below 90 % |\n|---|---|---|---|")
    for reader, patterns in READERS.items():
        own = {name: lines for name, lines in sorted(files.items())
               if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)}
        count = sum(lines["count"] for lines in own.values())
        covered = sum(lines["covered"] for lines in own.values())
        low = [f"`{pathlib.PurePath(name).name}` {lines['percent']:.0f}"
               for name, lines in own.items() if lines["percent"] < GOAL and lines["count"] > 0]
        share = f"{100 * covered / count:.1f} %" if count > 0 else "no such file"
        print(f"| {reader} | {count} | {share} | {', '.join(low)} |")


if __name__ == "__main__":
    main()
