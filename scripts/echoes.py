"""echoes.py - rows whose run does nothing that a calibrated row's run does not do.

Two rows have the same physics when their run files, with includes read in, the row's swept keys
put in and sizes in bytes, differ in no key but
  - those that only name or repeat: name, description, seed, iterations, repeat, warmup, stop,
    slowdown, output, measured, bound; sources and reasons;
  - the size of the jobs' messages, workload.bytes.
A row whose physics a calibrated row
of the same metric has, in any case, is its echo when it has
  - the same size (another seed or name), or
  - a time within a hundredth of that row's: what does not depend on the size was fitted there, or
  - a time a byte within a hundredth of that row's: likewise, what is proportional to the size, or
  - a time within a hundredth of the line through the times of the two rows of nearest size.
Of a goodput the time is bytes over goodput. A ratio of two points is an echo when each of them
has the physics and size of a calibrated row.
LIMITATIONS: placements are the same only when written alike, a key at its default only when it is
left out twice; so that what is found is an echo, not all that is one. Of two runs on the same path
in an idle network the digits are the same, which evidence.py asks for first.
"""

import copy
import json
import re

import yaml

WITHIN = 0.01    # share of the time
NO_PHYSICS = {"name", "description", "seed", "iterations", "repeat", "warmup", "stop", "slowdown",
              "output", "measured", "bound", "sweep", "source", "assumed", "note", "limits",
              "reason"}
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
         "KB": 1e3, "MB": 1e6, "GB": 1e9}
SIZE = re.compile(r"([0-9.]+)\s*(B|[KMG]i?B)")
TIMES = {"time_us", "latency_us"}


def plain(node):
    """A part of a run without what is no physics; sizes in bytes."""
    if isinstance(node, dict):
        if "value" in node and set(node) <= NO_PHYSICS | {"value"}:
            return plain(node["value"])
        return {str(key): plain(value) for key, value in node.items() if key not in NO_PHYSICS}
    if isinstance(node, list):
        return [plain(value) for value in node]
    size = SIZE.fullmatch(node) if isinstance(node, str) else None
    return float(size[1]) * BYTES[size[2]] if size else node


def put(run, path, value):
    """Sets the key at @path, jobs[0].workload.bytes, as a sweep does."""
    words = re.findall(r"[^.\[\]]+", path)
    node = run
    for place, word in enumerate(words[:-1]):
        rest = ".".join(words[place + 1:])
        if isinstance(node, list):
            node = node[int(word)]
            continue
        if isinstance(node.get(word), str):
            node[word] = {"name" if word == "machine" else "type": node[word]}
        node = node.setdefault(word, {})
        if word == "machine":    # its keys are paths already
            node[rest] = value
            return
    if isinstance(node, list):
        node[int(words[-1])] = value
    else:
        node[words[-1]] = value


def dotted(node, path=""):
    """{path: scalar or list} of nested mappings."""
    if not isinstance(node, dict):
        return {path: node}
    found = {}
    for key, value in node.items():
        found.update(dotted(value, f"{path}.{key}" if path else str(key)))
    return found


def resolve(run, keys):
    """(physics, size in bytes or None) of a run file's content at the point @keys."""
    run = copy.deepcopy(run)
    for path, value in keys.items():
        put(run, path, yaml.safe_load(value))
    machine = run.get("machine")
    name = machine.get("name") if isinstance(machine, dict) else machine
    out = plain(run)
    out["machine"] = dotted(out["machine"]) if isinstance(machine, dict) else {}
    out["machine"]["name"] = name
    sizes = set()
    for job in out.get("jobs") or []:
        if not isinstance(job, dict):
            continue
        workload = job.get("workload")
        if isinstance(workload, dict) and "bytes" in workload:
            sizes.add(workload.pop("bytes"))
    size = sizes.pop() if len(sizes) == 1 else None
    if sizes or isinstance(size, str):    # jobs of several sizes: these are physics
        return json.dumps([plain(run), name], sort_keys=True, default=str), None
    return json.dumps(out, sort_keys=True, default=str), size


def time_of(metric, value, size):
    """The time of one size in us, or of bytes over goodput in any unit; None: neither."""
    if metric in TIMES:
        return value
    if metric == "goodput_gbps" and size and value:
        return size / value
    return None


def close(a, b):
    return abs(a - b) <= WITHIN * abs(b)


class Fitted:
    """Calibrated rows by their physics, job and metric: [(size, time or None, where)]."""

    def __init__(self):
        self.rows = {}

    def add(self, physics, job, metric, size, value, where):
        rows = self.rows.setdefault((physics, job, metric), [])
        rows.append((size, time_of(metric, value, size), where))

    def same_size(self, physics, job, metric, size):
        """None, or where a calibrated row of that size is."""
        for other, _, where in self.rows.get((physics, job, metric), []):
            if other == size:
                return where
        return None

    def why(self, physics, job, metric, size, value):
        """None, or why the row is an echo."""
        where = self.same_size(physics, job, metric, size)
        if where:
            return f"its run differs in no physics from {where}, calibrated"
        time = time_of(metric, value, size)
        if time is None or not size:
            return None
        timed = [row for row in self.rows.get((physics, job, metric), []) if row[1] and row[0]]
        for other, its_time, where in timed:
            if close(time, its_time):
                return f"it takes as long as {where}, calibrated, with the same physics"
            if close(time / size, its_time / other):
                return f"it takes as long a byte as {where}, calibrated, with the same physics"
        if len(timed) > 1:
            near = sorted(timed, key=lambda row: max(row[0] / size, size / row[0]))[:2]
            (n0, t0, where), (n1, t1, _) = near
            if n0 != n1 and close(time, t0 + (t1 - t0) * (size - n0) / (n1 - n0)):
                return (f"it is on the line of {where} and another size, calibrated, with the "
                        f"same physics")
        return None
