#!/usr/bin/python3
"""properties_test.py - what holds for any run, held against random machines, routings, workloads.

    bound         engine `bound` is no later than the packet and the flow engine, whatever they draw
    conservation  all engines deliver the same messages
    scaling       twice the bandwidth and half of each latency: half the time
    background    another job beside it helps no job by more than noise
    links         a second cable beside each one does not hurt under adaptive routing, but for noise

Usage: properties_test.py PROGRAM [--machines N] [--seed N]
Each machine is a few runs of a tenth of a second; a failure prints the run file.
"""

import argparse
import concurrent.futures
import csv
import pathlib
import random
import statistics
import subprocess
import tempfile

SEEDS = 5  # random and adaptive choices scatter: a mean is held against the extreme of so many
NOISE = 0.05  # of that extreme
ROUNDING = 50e-12  # s

FABRICS = {
    "torus": (("dimension_order", "valiant", "minimal_adaptive"), ("link",)),
    "full_mesh": (("minimal", "valiant", "ugal_l"), ("link",)),
    "dragonfly": (("minimal", "valiant", "ugal_l", "par"), ("local", "global")),
    "fat_tree": (("minimal",), ("level1",)),
}
WORKLOADS = ("alltoall", "barrier", "allreduce", "ring", "bcast")


def shape(rng, fabric):
    if fabric == "torus":
        dims = [rng.randint(2, 5) for _ in range(rng.randint(1, 3))]
        return {"dims": dims if len(dims) > 1 else [max(3, dims[0] + 2)],
                "terminals_per_switch": rng.randint(1, 2)}
    if fabric == "full_mesh":
        return {"switches": rng.randint(3, 7), "terminals_per_switch": rng.randint(1, 4)}
    if fabric == "dragonfly":
        switches, links = rng.randint(2, 4), rng.randint(1, 2)
        return {"groups": rng.randint(2, min(6, switches * links + 1)),
                "switches_per_group": switches, "terminals_per_switch": rng.randint(1, 2),
                "global_links_per_switch": links}
    children = rng.randint(2, 6)
    return {"levels": 2, "down": [children, rng.randint(2, 4)],
            "up": [rng.randint(1, children)]}


class Case:
    """A random run; text() writes it with some of its parts changed."""

    def __init__(self, rng):
        self.fabric = rng.choice(sorted(FABRICS))
        routings, self.classes = FABRICS[self.fabric]
        self.shape = shape(rng, self.fabric)
        self.routing = rng.choice(routings)
        self.workload = rng.choice(WORKLOADS)
        self.bytes = rng.choice([8, 1000, 4096, 65536])
        self.gbps = {c: rng.choice([20, 40, 80]) for c in ("terminal", *self.classes)}
        self.ns = {c: 2 * rng.randint(5, 100) for c in ("terminal", *self.classes)}
        self.buffer = rng.choice([8, 64])
        self.seed = rng.randint(1, 1000)

    def text(self, engine="packet", scale=1, ranks=0, others=0, parallel=1, seed=0):
        links = "".join(
            f"      {c}: {{bandwidth: {self.gbps[c] * scale} Gb/s, latency: "
            f"{self.ns[c] * 1000 // scale} ps, buffer: {self.buffer} KiB}}\n" for c in self.gbps)
        shape_text = "".join(f"    {key}: {value}\n" for key, value in self.shape.items())
        wide = f"    parallel_links: {parallel}\n" if parallel > 1 else ""
        size = "" if self.workload == "barrier" else f", bytes: {self.bytes} B"
        own = f", ranks: {ranks}" if ranks else ""
        beside = (f"  - {{name: b, ranks: {others}, workload: {{type: alltoall, bytes: 2 KiB}}, "
                  "background: true}\n" if others else "")
        return (f"machine:\n  fabric:\n    type: {self.fabric}\n    assumed: any values do\n"
                f"{shape_text}{wide}    links:\n{links}"
                f"    switch: {{latency: {100000 // scale} ps}}\n"
                f"  hardware: {{lanes: 1, packet: 1 KiB}}\n"
                f"routing: {{algorithm: {self.routing}}}\n"
                f"engine: {engine}\nseed: {self.seed + seed}\n"
                f"jobs:\n  - {{name: a, workload: {{type: {self.workload}{size}}}{own}}}\n{beside}")


class Failure(Exception):
    pass


def simulate(program, text):
    """(seconds, messages, ranks) of job a; None: this machine has no such run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "run.yaml")
        path.write_text(text)
        done = subprocess.run([program, "run", str(path), "-q", "-o", f"{folder}/o"],
                              capture_output=True, text=True, timeout=300)
        if done.returncode == 2 and "run.yaml:" in done.stderr:
            return None
        if done.returncode != 0:
            raise Failure(f"exit status {done.returncode}: {done.stderr}\n{text}")
        with open(f"{folder}/o/results.csv") as rows:
            row = next(csv.DictReader(line for line in rows if not line.startswith("#")))
    return float(row["time_median_s"]), int(row["messages"]), int(row["ranks"])


def check_engines(case, run):
    bound, sent, _ = run(engine="bound")
    for engine in ("packet", "flow"):
        time, messages, _ = run(engine=engine)
        if time < bound - ROUNDING:
            return f"bound: {engine} {time} s, bound {bound} s"
        if messages != sent:
            return f"conservation: {engine} delivers {messages} messages, bound {sent}"
    return None


def check_scaling(case, run):
    for engine in ("packet", "bound"):
        (once, *_), (twice, *_) = run(engine=engine), run(engine=engine, scale=2)
        if abs(2 * twice - once) > ROUNDING:
            return f"scaling: {engine} {once} s, at twice the speed {twice} s"
    return None


def check_background(case, run):
    ranks = run()[2]
    half = ranks // 2
    if half < 2 or ranks - half < 2:
        return None
    alone = min(run(ranks=half, seed=i)[0] for i in range(SEEDS))
    beside = statistics.mean(run(ranks=half, others=ranks - half, seed=i)[0] for i in range(SEEDS))
    if beside < alone * (1 - NOISE):
        return f"background: {alone} s alone, {beside} s beside another job"
    return None


def check_links(case, run):
    if case.fabric not in ("full_mesh", "torus") or case.routing not in ("ugal_l",
                                                                         "minimal_adaptive"):
        return None
    once = max(run(seed=i)[0] for i in range(SEEDS))
    wide = statistics.mean(run(seed=i, parallel=2)[0] for i in range(SEEDS))
    if wide > once * (1 + NOISE):
        return f"links: {once} s, with twice the cables {wide} s"
    return None


def check(program, seed):
    """What is wrong with the case of @seed, or None; "" when there is no such run."""
    case = Case(random.Random(seed))
    if simulate(program, case.text()) is None:
        return ""

    def run(**how):
        result = simulate(program, case.text(**how))
        if result is None:
            raise Failure(f"refused: {how}\n{case.text(**how)}")
        return result

    try:
        for test in (check_engines, check_scaling, check_background, check_links):
            wrong = test(case, run)
            if wrong:
                return f"{wrong}\n{case.text()}"
    except Failure as failure:
        return str(failure)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--machines", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.machines)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda seed: check(options.program, seed), seeds))
    for seed, wrong in zip(seeds, results):
        if wrong:
            print(f"FAILED  properties of machine {seed}: {wrong}")
    ran = sum(wrong != "" for wrong in results)
    failed = sum(bool(wrong) for wrong in results)
    if ran < options.machines // 2:
        print(f"FAILED  properties: only {ran} of {options.machines} machines could run")
    elif failed == 0:
        print(f"ok      properties of {ran} random machines from seed {options.seed}")


if __name__ == "__main__":
    main()
