#!/usr/bin/python3
"""random_runs.py - the runs in configs/golden with keys changed at random, simulated.

    refused  exit status 2, a message that names the line, and no folder of results
    run      exit status 0, and the same bytes by other threads
    others   analyze, compare, explain, export and report do not crash on it

A change gives a key another value of its kind, adds or removes one, or gives a job another
workload: by the JSON schema of `darner help --schema`. A run that is refused is tried again with
one change fewer. One that takes over TIME_LIMIT is not finished; those are counted.

Usage: random_runs.py PROGRAM [--cases N] [--seed N] [--sanitized]
A failure prints the run file. Changes follow from the seed. A sanitized program has no limit of
memory, since it reserves all addresses.
"""

import argparse
import copy
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ("results.csv", "samples.csv", "statistics.csv", "links.csv", "nics.csv", "summary.json")
TIME_LIMIT = 30  # s
MEMORY_LIMIT = 6 << 30  # bytes
TRIES = 8  # changes left out until a run counts as refused
NOTES = {"include", "source", "assumed", "description"}
# Names of files and of things that another part of the run defines: seldom another one fits.
NAMES = {"type", "algorithm", "library", "file", "pattern", "mode", "mechanism", "machine"}

# By the unit that the schema's pattern ends with: usual values, and those that few runs take.
USUAL = {
    "B": ["0 B", "1 B", "7 B", "64 B", "192 B", "512 B", "1 KiB", "4 KiB", "64 KiB", "1 MiB"],
    "s": ["0 s", "1 ps", "1 ns", "50 ns", "1 us", "13 us", "1 ms"],
    "/s": ["0 Gb/s", "1 Gb/s", "25 GB/s", "200 Gb/s"],
    "%": [0, 1, 0.5, 0.2, 0.05, 0.01, "50 %", 2],
}
EXTREME = {
    "B": ["1 GiB", "1e15 B", "9 EB"],
    "s": ["1 s", "1e6 s", "9e6 s", "0.5 ps"],
    "/s": ["1 b/s", "1 PB/s", "1e18 b/s"],
    "%": [-1, 1e9, 1e-9],
}
SMALL = [0, 1, 2, 3, 4, 5, 7, 8, 16]


class Schema:
    """Draws values by a JSON schema."""

    def __init__(self, text, rng):
        self.definitions = json.loads(text)["$defs"]
        self.rng = rng

    def resolve(self, schema):
        return self.definitions[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema

    def choices(self, schema):
        """What a key may be, without {value: x, source: text}."""
        schema = self.resolve(schema)
        below = schema.get("anyOf", [])
        if "properties" in schema or not below:
            return [schema]
        return [choice for each in below if not each.get("$ref", "").endswith("annotated")
                for choice in self.choices(each)]

    def keys(self, schema, mapping):
        """The keys of a mapping that has the type it has."""
        keys = dict(schema.get("properties", {}))
        for branch in schema.get("allOf", []):
            kinds = branch["if"].get("properties", {})
            if all(mapping.get(key) == kind.get("const") for key, kind in kinds.items()):
                keys.update(branch["then"].get("properties", {}))
        return {key: value for key, value in keys.items() if key not in NOTES}

    def mappings(self, schema, tree):
        """Each mapping in @tree, with its keys."""
        choices = self.choices(schema)
        if isinstance(tree, list):
            lists = [c for c in choices if "items" in c]
            for item in tree if lists else []:
                yield from self.mappings(lists[0]["items"], item)
        elif isinstance(tree, dict):
            keys = max((self.keys(c, tree) for c in choices), key=lambda k: len(set(k) & set(tree)))
            yield tree, keys
            for key in set(keys) & set(tree):
                yield from self.mappings(keys[key], tree[key])

    def number(self, schema):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1 << 20)
        usual = [n for n in SMALL if low <= n <= high] or [low]
        return self.rng.choice(usual if self.rng.random() < 0.85 else [low, high, high + 1])

    def value(self, schema, depth=0):
        schema = self.rng.choice(self.choices(schema))
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        if "items" in schema:
            n = self.rng.choice(SMALL[:6])
            return [self.value(schema["items"], depth + 1) for _ in range(n)]
        if "properties" in schema:
            return self.mapping(schema, depth)
        if schema.get("type") == "integer":
            return self.number(schema)
        pattern = schema.get("pattern", "")
        for unit, end in (("B", "B$"), ("s", "s)$"), ("/s", "/s$"), ("%", "%?$")):
            if pattern.endswith(end):
                return self.rng.choice((USUAL if self.rng.random() < 0.9 else EXTREME)[unit])
        return self.rng.choice(["auto", "none", "all", "", True, False, 1, "1 KiB", "1 us"])

    def mapping(self, schema, depth=0):
        kinds = [(key, kind["const"]) for branch in schema.get("allOf", [])
                 for key, kind in branch["if"].get("properties", {}).items() if "const" in kind]
        made = dict([self.rng.choice(kinds)] if kinds else [])
        keys = self.keys(schema, made)
        wanted = [key for key in keys if key not in NAMES and depth < 4]
        for key in self.rng.sample(wanted, min(len(wanted), self.rng.choice([0, 1, 2, 4]))):
            made[key] = self.value(keys[key], depth + 1)
        if "bytes" in keys:
            made["bytes"] = self.rng.choice(USUAL["B"])
        return made

    def change(self, run):
        kind, jobs = self.rng.random(), run.get("jobs")
        if kind < 0.15 and isinstance(jobs, list) and jobs and isinstance(jobs[0], dict):
            jobs[0]["workload"] = self.mapping(self.definitions["workload"])
        elif kind < 0.2:
            run["engine"] = self.rng.choice(["packet", "flow", "bound"])
        else:
            mapping, keys = self.rng.choice(list(self.mappings(self.definitions["run"], run)))
            present = [key for key in mapping if key in keys]
            key = self.rng.choice(present if present and self.rng.random() < 0.45
                                  else sorted(keys) or [""])
            if key in NAMES or not keys:
                return
            if key in mapping and self.rng.random() < 0.1:
                del mapping[key]
            else:
                mapping[key] = self.value(keys[key])


class Failure(Exception):
    pass


class Runs:
    def __init__(self, program, folder, memory):
        self.program, self.folder, self.memory = program, pathlib.Path(folder), memory
        self.file, self.out = self.folder / "case.yaml", self.folder / "out"
        self.again, self.exported = self.folder / "again", self.folder / "exported"
        self.ran = self.refused = self.slow = 0

    def call(self, *arguments):
        """The process; raises Failure for an exit status that the manual does not know."""
        done = subprocess.run(
            [self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
            errors="replace", stdin=subprocess.DEVNULL, timeout=TIME_LIMIT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.memory, self.memory)))
        if done.returncode not in (0, 1, 2) or re.search("CRITICAL|runtime error", done.stderr):
            raise Failure(f"{arguments[0]}: exit status {done.returncode}: {done.stderr[-2000:]}")
        return done

    def runs(self, run):
        """TRUE: it was not refused."""
        for path in (self.out, self.again, self.exported):
            shutil.rmtree(path, ignore_errors=True)
        self.file.write_text(yaml.safe_dump(run, sort_keys=False))
        done = self.call("run", self.file, "-q", "-o", self.out)
        if done.returncode == 0:
            return True
        if done.returncode == 1 or self.out.exists():
            left = "a folder is left" if self.out.exists() else ""
            raise Failure(f"run: exit status {done.returncode}, {left}: {done.stderr}")
        if not re.search(r"\.yaml:\d+:\d+: |^(about|estimate|nothing moves|messages are under way)|"
                         r"memory", done.stderr, re.M):
            raise Failure(f"run: no line is named: {done.stderr}")
        return False

    def more(self, rng):
        """One more look at a run that went through."""
        what = rng.choice(["threads"] * 4 + ["analyze", "compare", "explain", "export", "report"])
        if what == "threads":
            threads = rng.choice([1, 2, 3, 4, 7])
            self.call("run", self.file, "-q", "-o", self.again, f"--threads={threads}")
            for name in KEPT:
                files = [folder / name for folder in (self.out, self.again)]
                texts = [path.read_bytes() if path.exists() else None for path in files]
                if texts[0] != texts[1]:
                    raise Failure(f"{threads} threads: {name} differs")
        elif what == "explain":
            self.call("explain", self.out, "--no-reruns")
        elif what == "export":
            self.call("export", self.file, "-o", self.exported)
        else:
            self.call(what, self.out if what == "report" else self.file)

    def case(self, base, schema, rng):
        changes = [rng.random() for _ in range(rng.choice([1, 2, 3, 4, 6, 8]))]
        for _ in range(TRIES):
            run = copy.deepcopy(base)
            for seed in changes:
                schema.rng = random.Random(seed)
                schema.change(run)
            if self.runs(run):
                self.ran += 1
                self.more(rng)
                return
            if len(changes) == 1:
                break
            changes.pop(rng.randrange(len(changes)))
        self.refused += 1


def bases():
    for path in sorted((ROOT / "configs/golden").glob("*.yaml")):
        run = yaml.safe_load(path.read_text())
        if all(isinstance(job, dict) for job in run["jobs"]):
            yield run


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    program = str(pathlib.Path(options.program).resolve())
    text = subprocess.run([program, "help", "--schema"], capture_output=True, text=True, check=True)
    schema, golden, failures = Schema(text.stdout, rng), list(bases()), 0
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(program, folder,
                    resource.RLIM_INFINITY if options.sanitized else MEMORY_LIMIT)
        for _ in range(options.cases):
            try:
                runs.case(rng.choice(golden), schema, rng)
            except subprocess.TimeoutExpired:
                runs.slow += 1
            except Failure as failure:
                failures += 1
                print(f"{failure}\n{runs.file.read_text()}")
    state = "FAILED " if failures or runs.ran == 0 else "ok     "
    print(f"{state} random_runs: {options.cases} files from seed {options.seed}: {runs.ran} run, "
          f"{runs.refused} refused, {runs.slow} longer than {TIME_LIMIT} s, {failures} failures")


if __name__ == "__main__":
    main()
