#!/usr/bin/python3
"""properties_test.py - what holds for any run, held against random machines, routings, workloads.

    bound         engine `bound` is no later than the packet and the flow engine, whatever they draw
    conservation  all engines deliver the same messages
    scaling       twice the bandwidth and half of each latency: half the time
    background    another job beside it helps no job by more than noise
    links         a second cable beside each one does not hurt under adaptive routing, but for noise
    relabelling   endpoints that are alike change places: the same times, of packets but for noise,
                  since the order of ports decides between two that come at once

Usage: properties_test.py PROGRAM [--machines N] [--seed N]
Each machine is a few runs of a tenth of a second; a failure prints the run file. Each property is
given a false result too, and has to find it.
"""

import argparse
import collections
import concurrent.futures
import csv
import functools
import itertools
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

SEEDS = 5  # random and adaptive choices scatter: a mean is held against the extreme of so many
FEW_SEEDS = 3  # of a mean that is held against the extremes of SEEDS
NOISE = 0.05  # of that extreme
ROUNDING = 50e-12  # s

FABRICS = {
    "torus": (("dimension_order", "valiant", "minimal_adaptive"), ("link",)),
    "full_mesh": (("minimal", "valiant", "ugal_l", "ugal_g", "par"), ("link",)),
    "dragonfly": (("minimal", "valiant", "ugal_l", "ugal_g", "par", "aries", "rlm", "ofar"),
                  ("local", "global")),
    "dragonfly_plus": (("minimal", "valiant", "ugal_l", "ugal_g", "par", "fpar"),
                       ("local", "global")),
    "fat_tree": (("minimal", "d_mod_k", "adaptive_up", "spray"), ("level1",)),
    "hyperx": (("minimal", "valiant", "ugal_l", "dal"), ("link",)),
    "slim_fly": (("minimal", "valiant", "ugal_l"), ("link",)),
}
WORKLOADS = ("alltoall", "barrier", "allreduce", "allgather", "reduce_scatter", "ring", "bcast",
             "gather", "scatter", "reduce", "scan")


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
    if fabric == "dragonfly_plus":
        spines, links = rng.randint(1, 3), rng.randint(1, 2)
        return {"groups": rng.randint(2, min(4, spines * links + 1)),
                "leaves_per_group": rng.randint(1, 3), "spines_per_group": spines,
                "terminals_per_leaf": rng.randint(1, 3), "global_links_per_spine": links}
    if fabric == "hyperx":
        return {"dims": [rng.randint(2, 4) for _ in range(rng.randint(1, 3))],
                "terminals_per_switch": rng.randint(1, 2)}
    if fabric == "slim_fly":
        return {"q": 5, "terminals_per_switch": 1}
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

    def per_switch(self):
        """Terminals of each switch that has some."""
        return (self.shape.get("terminals_per_switch") or self.shape.get("terminals_per_leaf") or
                self.shape["down"][0])

    def switches(self):
        """How many of them there are."""
        s = self.shape
        return {"torus": lambda: math.prod(s["dims"]), "full_mesh": lambda: s["switches"],
                "dragonfly": lambda: s["groups"] * s["switches_per_group"],
                "dragonfly_plus": lambda: s["groups"] * s["leaves_per_group"],
                "fat_tree": lambda: s["down"][1], "hyperx": lambda: math.prod(s["dims"]),
                "slim_fly": lambda: 2 * s["q"] ** 2}[self.fabric]()

    def has_one_path(self):
        """Between any two endpoints: on a ring of even length both directions may be as short."""
        return ((self.fabric == "full_mesh" and self.routing == "minimal") or
                (self.routing == "dimension_order" and all(n % 2 for n in self.shape["dims"])))

    def text(self, engine="packet", scale=1, ranks=0, others=0, parallel=1, seed=0, places=None):
        links = "".join(
            f"      {c}: {{bandwidth: {self.gbps[c] * scale} Gb/s, latency: "
            f"{self.ns[c] * 1000 // scale} ps, buffer: {self.buffer} KiB}}\n" for c in self.gbps)
        shape_text = "".join(f"    {key}: {value}\n" for key, value in self.shape.items())
        wide = f"    parallel_links: {parallel}\n" if parallel > 1 else ""
        size = "" if self.workload == "barrier" else f", bytes: {self.bytes} B"
        own = f", ranks: {ranks}" if ranks else f", placement: {places}" if places else ""
        beside = (f"  - {{name: b, ranks: {others}, workload: {{type: alltoall, bytes: 2 KiB}}, "
                  "background: true}\n" if others else "")
        return (f"machine:\n  fabric:\n    type: {self.fabric}\n    assumed: any values do\n"
                f"{shape_text}{wide}    links:\n{links}"
                f"    switch: {{latency: {100000 // scale} ps}}\n"
                f"  hardware: {{lanes: 1, packet: 1 KiB}}\n"
                f"routing: {{algorithm: {self.routing}}}\n"
                f"engine: {engine}\nseed: {self.seed + seed}\n"
                f"jobs:\n  - {{name: a, workload: {{type: {self.workload}{size}}}{own}}}\n{beside}")


Result = collections.namedtuple("Result", "seconds messages ranks")  # of job a


class Failure(Exception):
    pass


def simulate(program, text):
    """The Result; None: this machine has no such run."""
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
    return Result(float(row["time_median_s"]), int(row["messages"]), int(row["ranks"]))


# ---- the properties: None, the machine has no such run; "", it holds; else what is wrong ----

def check_bound(case, run):
    bound = run(engine="bound").seconds
    for engine in ("packet", "flow"):
        time = run(engine=engine).seconds
        if time < bound - ROUNDING:
            return f"{engine} {time} s, bound {bound} s"
    return ""


def check_conservation(case, run):
    sent = run(engine="bound").messages
    for engine in ("packet", "flow"):
        messages = run(engine=engine).messages
        if messages != sent:
            return f"{engine} delivers {messages} messages, bound {sent}"
    return ""


def check_scaling(case, run):
    if case.routing == "aries":  # a switch reads its neighbours' loads at times of its own
        return None
    for engine in ("packet", "bound"):
        once, twice = run(engine=engine).seconds, run(engine=engine, scale=2).seconds
        if abs(2 * twice - once) > ROUNDING:
            return f"{engine} {once} s, at twice the speed {twice} s"
    return ""


def check_background(case, run):
    ranks = run().ranks
    half = ranks // 2
    if half < 2 or ranks - half < 2:
        return None
    alone = min(run(ranks=half, seed=i).seconds for i in range(SEEDS))
    beside = statistics.mean(run(ranks=half, others=ranks - half, seed=i).seconds
                             for i in range(SEEDS))
    if beside < alone * (1 - NOISE):
        return f"{alone} s alone, {beside} s beside another job"
    return ""


def check_links(case, run):
    adaptive = ("ugal_l", "ugal_g", "par", "minimal_adaptive")
    if case.fabric not in ("full_mesh", "torus") or case.routing not in adaptive:
        return None
    once = max(run(seed=i).seconds for i in range(SEEDS))
    wide = statistics.mean(run(seed=i, parallel=2).seconds for i in range(SEEDS))
    if wide > once * (1 + NOISE):
        return f"{once} s, with twice the cables {wide} s"
    return ""


def relabelled(case, rng):
    """Where each rank goes when endpoints that are alike change places: switches of a full mesh in
    any order, those of a torus moved along each dimension; the terminals of each switch in any."""
    per_switch = case.per_switch()
    if case.fabric == "full_mesh":
        switches = list(range(case.shape["switches"]))
        rng.shuffle(switches)
    elif case.fabric == "torus":
        dims = case.shape["dims"]
        moved = [rng.randrange(n) for n in dims]
        strides = list(itertools.accumulate(dims, lambda a, b: a * b, initial=1))
        switches = [sum((s // strides[d] + moved[d]) % n * strides[d] for d, n in enumerate(dims))
                    for s in range(strides[-1])]
    else:
        switches = range(case.switches())
    return [s * per_switch + t for s in switches
            for t in rng.sample(range(per_switch), per_switch)]


def check_relabelling(case, run):
    if case.routing == "d_mod_k":  # a destination's number is its path
        return None
    places = relabelled(case, random.Random(case.seed))
    for engine in ("bound", "flow") if case.has_one_path() else ("bound",):
        once, other = run(engine=engine).seconds, run(engine=engine, places=places).seconds
        if abs(once - other) > ROUNDING:
            return f"{engine} {once} s, other labels {other} s; placement {places}"
    times = [run(seed=i).seconds for i in range(SEEDS)]
    mean = statistics.mean(run(places=places, seed=i).seconds for i in range(FEW_SEEDS))
    if not min(times) * (1 - NOISE) <= mean <= max(times) * (1 + NOISE):
        return f"packets {times} s, other labels {mean} s; placement {places}"
    return ""


# Each with a lie about some run of it, which it has to find: how the run is asked for, its result.
PROPERTIES = {
    "bound": (check_bound, lambda how, r: r._replace(
        seconds=r.seconds / (1e3 if how.get("engine") == "flow" else 1))),
    "conservation": (check_conservation, lambda how, r: r._replace(
        messages=r.messages - (how.get("engine") == "flow"))),
    "scaling": (check_scaling, lambda how, r: r._replace(
        seconds=r.seconds * (1.01 if "scale" in how else 1))),
    "background": (check_background, lambda how, r: r._replace(
        seconds=r.seconds / (9 if "others" in how else 1))),
    "links": (check_links, lambda how, r: r._replace(
        seconds=r.seconds * (9 if "parallel" in how else 1))),
    "relabelling": (check_relabelling, lambda how, r: r._replace(
        seconds=r.seconds * (9 if "places" in how else 1))),
}


def check(program, seed):
    """The run of @seed: None when its machine has none; else what is wrong, by property that it
    was held against: "" nothing, "blind" when a lie was not found."""
    case = Case(random.Random(seed))
    known = {}
    if simulate(program, case.text()) is None:
        return None

    def run(lie=lambda how, result: result, **how):
        text = case.text(**how)
        if text not in known:
            known[text] = simulate(program, text)
        if known[text] is None:
            raise Failure(f"refused: {how}\n{text}")
        return lie(how, known[text])

    found = {}
    for name, (test, lie) in PROPERTIES.items():
        try:
            wrong = test(case, run)
            if wrong == "" and not test(case, functools.partial(run, lie)):
                wrong = "blind: a false result is not found"
        except Failure as failure:
            wrong = str(failure)
        if wrong is not None:
            found[name] = f"{wrong}\n{case.text()}" if wrong else ""
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--machines", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.machines)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda seed: check(options.program, seed), seeds))
    for name in PROPERTIES:
        held = {seed: found[name] for seed, found in zip(seeds, results)
                if found is not None and name in found}
        for seed, wrong in held.items():
            if wrong:
                print(f"FAILED  properties {name} on machine {seed}: {wrong}")
        if not held:
            print(f"FAILED  properties {name}: none of {options.machines} machines has such a run")
        elif not any(held.values()):
            print(f"ok      properties {name}: {len(held)} random machines from seed "
                  f"{options.seed}")


if __name__ == "__main__":
    main()
