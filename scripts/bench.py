"""bench.py - the cases of scripts/bench, their runs and their figures; see there."""
import argparse
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# machine, its name in cases, Gb/s an endpoint at load 1, packet-hops aimed at in a run
MACHINES = [("dragonfly-1056", "1056", 100, 1056, 4.2),
            ("dragonfly-16512", "16512", 200, 16512, 4.4),
            ("lumi", "lumi", 100, 23824, 6.7)]
# Small fabrics of 100 Gb/s: name in cases, routing, terminals, packet-hops of a packet, the fabric
FABRICS = [("slimfly", "ugal_l", 200, 3.5, "type: slim_fly, q: 5, terminals_per_switch: 4"),
           ("hyperx", "dal", 256, 3, "type: hyperx, dims: [8, 8], terminals_per_switch: 4"),
           ("fattree", "adaptive_up", 512, 5,
            "type: fat_tree, levels: 3, down: [8, 8, 8], up: [8, 8]"),
           ("torus6d", "dimension_order", 288, 5,
            "type: torus, dims: [4, 2, 3, 2, 3, 2], wrap: [true, true, true, false, true, false], "
            "terminals_per_switch: 1")]
ROUTINGS = [("minimal", "minimal"), ("ugal_l", "ugal")]
LOADS = ["0.1", "0.5", "0.9"]
SIZES = [64, 256, 4096]
RUN_HOPS = 4e6
COUNTED_HOPS = {"0.1": 2e5, "0.5": 2e5, "0.9": 8e5}  # at 0.9 until queues are full
LIMIT_INSTRUCTIONS = LIMIT_BYTES = 1.05
LIMIT_SPEED = 0.9  # of a machine as fast, by the calibration loop

# name, run file, settings, only with --full
LARGE = ["machine=dragonfly-16512", "routing.algorithm=ugal_l",
         "jobs[0].workload.rate=200 Gb/s", "jobs[0].workload.messages=100"]
PROCESSES = [
    ("1056-ugal-0.5-256", "bench-dragonfly-1056", ["routing.algorithm=ugal_l"], False),
    ("16512-ugal-0.5-256", "bench-dragonfly-1056", LARGE, False),
    ("lumi-62-halo", "bench-halo-lumi", [], False),
    ("lumi-32-alltoall", "bench-alltoall-lumi", [], False),
    ("lumi-2976-halo", "bench-halo-lumi",
     ["nodes=2976", "jobs[0].workload.grid=[186, 128]"], True),
    ("frontier-9408-halo", "bench-halo-lumi",
     ["machine=frontier", "nodes=9408", "jobs[0].workload.grid=[294, 256]"], True)]


def cases(full):
    for machine, short, gbps, terminals, hops in MACHINES:
        for routing, way in ROUTINGS:
            for load in LOADS:
                for size in SIZES:
                    quick = (short != "lumi" and load == "0.5" and size == 4096
                             or (short, way, load, size) == ("1056", "ugal", "0.9", 4096))
                    if full or quick:
                        yield {"name": f"{short}-{way}-{load}-{size}", "machine": machine,
                               "routing": routing, "load": load, "gbps": gbps, "size": size,
                               "hops_a_round": terminals * hops}


def fabric_cases(folder):
    """Their machines are written into @folder."""
    for short, routing, terminals, hops, fabric in FABRICS:
        link = "{bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}"
        names = ["terminal", *(["level1", "level2"] if short == "fattree" else ["link"])]
        links = ", ".join(f"{n}: {link}" for n in names)
        path = os.path.join(folder, short + ".yaml")
        with open(path, "w") as out:
            out.write(f"fabric: {{{fabric}, links: {{{links}}}, switch: {{latency: 100 ns}}}}\n"
                      "hardware: {packet: 4 KiB, header: 0 B}\n")
        yield {"name": f"{short}-{routing}-0.5-4096", "machine": path, "routing": routing,
               "load": "0.5", "gbps": 100, "size": 4096, "hops_a_round": terminals * hops}


class Bench:
    def __init__(self, root, runs):
        self.runs = runs
        self.build = os.path.join(root, "build", "src")
        self.root = root

    def engine(self, case, hops, threads=1, prefix=()):
        rounds = max(2, round(hops / case["hops_a_round"]))
        command = [*prefix, os.path.join(self.build, "engine_bench"), case["machine"],
                   case["routing"], case["load"], str(case["gbps"]), str(case["size"]),
                   str(case["size"]), str(rounds), str(threads)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def instructions(self, case):
        """Per packet-hop, of dn_lookahead_windows_run and all below; None without valgrind."""
        if shutil.which("valgrind") is None:
            return None
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "callgrind.out")
            result = self.engine(case, COUNTED_HOPS[case["load"]], prefix=(
                "valgrind", "-q", "--tool=callgrind",
                "--toggle-collect=dn_lookahead_windows_run", f"--callgrind-out-file={out}"))
            with open(out) as file:
                total = re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M)
        return int(total.group(1)) / result["packet_hops"]

    def bytes_a_packet(self):
        """Memory that grows with queues: long messages, small packets, twice what links take."""
        command = [os.path.join(self.build, "engine_bench"), "dragonfly-1056", "ugal_l", "2", "100",
                   "64", "16384", "5", "1"]
        result = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return (result["peak_kib"] - result["setup_kib"]) * 1024 / result["peak_packets"]

    def measure(self, case):
        results = [self.engine(case, RUN_HOPS) for _ in range(self.runs)]
        speeds = [r["packet_hops"] / r["cpu_s"] for r in results]
        first = results[0]
        return {"hops_per_cpu_s": statistics.median(speeds), "best_hops_per_cpu_s": max(speeds),
                "events_per_hop": first["events"] / first["packet_hops"],
                "setup_cpu_s": min(r["setup_cpu_s"] for r in results),
                "setup_mib": first["setup_kib"] / 1024, "peak_mib": first["peak_kib"] / 1024,
                "peak_packets": first["peak_packets"],
                "instructions_per_hop": self.instructions(case)}

    def process(self, config, settings=()):
        """All of `darner run`: packet-hops, CPU seconds of the whole process and of the loop."""
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([os.path.join(self.build, "darner"), "run", config, "-q", "-o", folder,
                            *(word for s in settings for word in ("--set", s))], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            with open(os.path.join(folder, "timing.json")) as file:
                timing = json.load(file)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"hops": timing["packet_hops"], "cpu_s": cpu, "loop_cpu_s": timing["cpu_s"],
                "peak_mib": timing["process"]["memory_bytes"] / 2**20}

    def measure_process(self, config, settings=(), unit=None):
        """Per CPU second: packet-hops, or of @unit, which stands under the same names."""
        results = [self.process(config, settings) for _ in range(self.runs)]
        speeds = [(unit or r["hops"]) / r["cpu_s"] for r in results]
        loops = [(unit or r["hops"]) / r["loop_cpu_s"] for r in results]
        return {"hops_per_cpu_s": statistics.median(speeds), "best_hops_per_cpu_s": max(speeds),
                "loop_hops_per_cpu_s": statistics.median(loops),
                "cpu_s": statistics.median(r["cpu_s"] for r in results),
                "peak_mib": max(r["peak_mib"] for r in results)}


def show_engine(name, m):
    count = m["instructions_per_hop"]
    print(f"engine  {name:24} {m['hops_per_cpu_s'] / 1e6:6.2f} (best "
          f"{m['best_hops_per_cpu_s'] / 1e6:5.2f}) million packet-hops per CPU-second, "
          f"{'-' if count is None else round(count)} instructions and "
          f"{m['events_per_hop']:.2f} events a hop; set up in {m['setup_cpu_s']:.2f} CPU s, "
          f"{m['setup_mib']:.0f} MiB, at most {m['peak_mib']:.0f} MiB", flush=True)


def show_process(name, m, unit="packet-hops"):
    print(f"process {name:24} {m['hops_per_cpu_s'] / 1e6:6.2f} (best "
          f"{m['best_hops_per_cpu_s'] / 1e6:5.2f}) million {unit} per CPU-second, "
          f"{m['loop_hops_per_cpu_s'] / 1e6:.2f} in its event loop; {m['cpu_s']:.2f} CPU s, "
          f"{m['peak_mib']:.0f} MiB", flush=True)


def threads(bench):
    """Pairs of runs, one right after the other: what else the machine does meets both alike."""
    case = next(c for c in cases(True) if c["name"] == "16512-ugal-0.5-4096")
    ratios = []
    for _ in range(bench.runs):
        one, two = (bench.engine(case, RUN_HOPS, threads=n) for n in (1, 2))
        ratios.append(one["wall_s"] / two["wall_s"])
        print(f"threads {case['name']:24} one {one['wall_s']:.2f} s, two {two['wall_s']:.2f} s of "
              f"wall time ({two['cpu_s']:.2f} CPU s): {ratios[-1]:.2f} times as fast", flush=True)
    print(f"threads median {statistics.median(ratios):.2f} times as fast on two; load average "
          f"{os.getloadavg()[0]:.1f}")


# ranks of LUMI, exchanges with their neighbours, bytes, engines, only with --full
REPLAYS = [(256, 500, 65536, ["packet"], False),
           (1024, 300, 1024, ["packet", "flow", "bound"], False),
           (4096, 100, 1024, ["packet", "flow", "bound"], True)]


def replay_files(folder, ranks, steps, size):
    """A run file of a recorded program."""
    trace, run = os.path.join(folder, "trace.txt"), os.path.join(folder, "replay.yaml")
    with open(trace, "w") as out:
        for rank in range(ranks):
            left, right = (rank + ranks - 1) % ranks, (rank + 1) % ranks
            step = (f"{rank} irecv {left} 0 {size}\n{rank} isend {right} 0 {size}\n"
                    f"{rank} waitall 2\n")
            out.write(f"{rank} init\n" + steps * step + f"{rank} finalize\n")
    with open(run, "w") as out:
        out.write(f"machine: lumi\nnodes: {ranks // 8}\njobs:\n  - name: replay\n"
                  "    workload: {type: trace, file: trace.txt}\n")
    return run


def replays(bench, only, full):
    """Operations a CPU-second, a line of the trace each."""
    found = {}
    for ranks, steps, size, engines, large in REPLAYS:
        names = {f"lumi-{ranks // 8}-replay" + ("" if ranks == 256 else f"-{e}"): e
                 for e in engines}
        names = {name: e for name, e in names.items() if only in name and (full or not large)}
        with tempfile.TemporaryDirectory() as folder:
            run = replay_files(folder, ranks, steps, size) if names else None
            for name, engine in names.items():
                unit = None if ranks == 256 else ranks * (3 * steps + 2)
                found[name] = bench.measure_process(run, ["engine=" + engine], unit)
                show_process(name, found[name], "operations" if unit else "packet-hops")
    return found


# hosts of an alltoall of 1 MiB on a fat tree with flows, its links up and down, only with --full
FLOWS = [(256, 16, False), (1024, 32, True)]


def flows(bench, only, full):
    """Transfers a CPU-second, one for each two hosts; and the most memory."""
    found = {}
    for hosts, ways, large in FLOWS:
        name = f"fattree-{hosts}-alltoall-flow"
        if only not in name or (large and not full):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run = os.path.join(folder, "alltoall.yaml")
            link = "{bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}"
            with open(run, "w") as out:
                out.write(f"machine: {{fabric: {{type: fat_tree, levels: 2, down: [{ways}, {ways}],"
                          f" up: [{ways}], links: {{terminal: {link}, level1: {link}}}, "
                          "switch: {latency: 100 ns}}, hardware: {packet: 4 KiB, header: 0 B}}\n"
                          "routing: {algorithm: minimal, choice: adaptive}\nengine: flow\n"
                          "flow: {subflows: 1}\njobs:\n  - name: alltoall\n"
                          "    workload: {type: alltoall, algorithm: spread, bytes: 1 MiB}\n")
            found[name] = bench.measure_process(run, [], hosts * (hosts - 1))
        show_process(name, found[name], "transfers")
    return found


def whole(bench, only, full):
    found = {}
    for name, config, settings, large in PROCESSES:
        if only in name and (full or not large):
            file = os.path.join(bench.root, "configs", config + ".yaml")
            found[name] = bench.measure_process(file, settings)
            show_process(name, found[name])
    found.update(replays(bench, only, full))
    found.update(flows(bench, only, full))
    return found


CALIBRATION = """
import random, time
seconds = []
for _ in range(3):
    draw = random.Random(1)
    numbers = [draw.random() for _ in range(1000000)]
    begin = time.process_time()
    numbers.sort()
    seconds.append(time.process_time() - begin)
print(min(seconds))
"""


def calibration_s():
    """CPU seconds of a fixed work that knows nothing of Darner, the least of three: how fast this
    machine is now. Sorting waits for memory and for branches, as an engine does. In a process of
    its own: a child's peak of memory begins with its parent's."""
    done = subprocess.run([sys.executable, "-c", CALIBRATION], check=True, capture_output=True)
    return float(done.stdout)


KINDS = ("engine", "process")
OF_A_RECORD = ("date", "calibration_s", "load_average", "runs")


def record(path, now):
    """Rows that were not measured now stay as they are in the file, and so does what it says of the
    machine then; those measured now say that themselves."""
    kept = None
    if os.path.exists(path):
        with open(path) as file:
            kept = json.load(file)
    if kept is not None and any(kept[kind].keys() - now[kind].keys() for kind in KINDS):
        own = {key: now[key] for key in OF_A_RECORD}
        for kind in KINDS:
            kept[kind].update({name: {**row, **own} for name, row in now[kind].items()})
        kept["bytes_per_packet"] = now["bytes_per_packet"] or kept["bytes_per_packet"]
        now = kept
    with open(path, "w") as file:
        json.dump(now, file, indent=1)
        file.write("\n")


def compare(kept, now, strict):
    """Prints ratios to what was kept; FALSE: something got worse by more than is allowed."""
    good = True
    then = kept.get("calibration_s", now["calibration_s"])
    print(f"the calibration loop takes {now['calibration_s'] / then:.2f} times as long as on "
          f"{kept.get('host', '?')}: speeds are multiplied by that, or by what a row itself says")
    for kind in KINDS:
        for name, m in now[kind].items():
            old = kept[kind].get(name)
            if old is None:
                continue
            slower = now["calibration_s"] / old.get("calibration_s", then)
            speed = slower * m["best_hops_per_cpu_s"] / old["best_hops_per_cpu_s"]
            line = f"{kind:7} {name:24} speed x {speed:.2f}"
            bad = strict and speed < LIMIT_SPEED
            if m.get("instructions_per_hop") and old.get("instructions_per_hop"):
                ratio = m["instructions_per_hop"] / old["instructions_per_hop"]
                line += f", instructions x {ratio:.3f}"
                bad = bad or ratio > LIMIT_INSTRUCTIONS
            good = good and not bad
            print(line + ("  WORSE" if bad else ""))
    if now["bytes_per_packet"] and kept.get("bytes_per_packet"):
        ratio = now["bytes_per_packet"] / kept["bytes_per_packet"]
        good = good and ratio <= LIMIT_BYTES
        print(f"bytes per packet in flight x {ratio:.3f}"
              + ("  WORSE" if ratio > LIMIT_BYTES else ""))
    return good


def machine_class():
    with open("/proc/cpuinfo") as file:
        models = re.findall(r"^model name\s*: (.*)$", file.read(), re.M)
    return f"{models[0] if models else 'unknown'}, {len(models)} processors"


def options(root):
    baseline = os.path.join(root, "scripts", "bench-baseline.json")
    parser = argparse.ArgumentParser(prog="bench", description="speed of the packet engine")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--case", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--record")
    parser.add_argument("--compare", nargs="?", const=baseline)
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--config")
    chosen = parser.parse_args(sys.argv[2:])
    if chosen.runs < 1:
        parser.error("--runs: at least 1")
    return chosen


def main():
    root = sys.argv[1]
    os.environ.setdefault("DARNER_ROOT", root)
    chosen = options(root)
    bench = Bench(root, chosen.runs)
    kept = None
    if chosen.compare:
        with open(chosen.compare) as file:
            kept = json.load(file)
    if chosen.config:
        name = os.path.splitext(os.path.basename(chosen.config))[0]
        show_process(name, bench.measure_process(chosen.config))
        return 0
    if chosen.threads:
        threads(bench)
        return 0
    started = os.getloadavg()[0]
    now = {"machine": machine_class(), "host": platform.node(), "calibration_s": calibration_s(),
           "date": time.strftime("%Y-%m-%d"), "runs": chosen.runs,
           "engine": {}, "process": {}, "bytes_per_packet": None}
    every = chosen.full or chosen.case != ""
    with tempfile.TemporaryDirectory() as folder:
        for case in [*cases(every), *(fabric_cases(folder) if every else [])]:
            if chosen.case in case["name"]:
                now["engine"][case["name"]] = bench.measure(case)
                show_engine(case["name"], now["engine"][case["name"]])
    now["process"] = whole(bench, chosen.case, chosen.full or chosen.case != "")
    if not chosen.case:
        now["bytes_per_packet"] = bench.bytes_a_packet()
        print(f"memory  {now['bytes_per_packet']:.0f} bytes per packet in flight")
    now["load_average"] = [started, os.getloadavg()[0]]
    print(f"on {now['machine']}; load average {started:.1f} before, "
          f"{now['load_average'][1]:.1f} after")
    if chosen.record:
        record(chosen.record, now)
    return 0 if kept is None or compare(kept, now, chosen.strict) else 1


if __name__ == "__main__":
    sys.exit(main())
