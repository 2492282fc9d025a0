#!/usr/bin/python3
"""evidence.py - what the git history allows to be said of each row of validation/*/expected.csv.

Usage: evidence.py [--write]; exit status 1 when a label promises more than the history allows.

A row is *seen* from the commit on in which its measured value first stands in any expected.csv. It
is `developed` at best when after that
  - a stored result of it moved by more than a hundredth, or
  - before the first stored result of it, a parameter of its case or its run file changed.
A row whose stored result repeats that of a calibrated row of any case, to the digit, is calibrated,
and so is one whose run does nothing that a calibrated row's run does not do (echoes.py).
The parameters of a case are, of each machine file that its runs name, the mechanisms that they
name or get by default, the fabric, the node, the hardware and the routing, unless they name their
own; and the workloads and populations that the runs include. A change is one of a value: comments,
sources, names of keys and the place of a file in the tree do not count.
`parameters: [{file, key, since}]` of
case.yaml must say when each was last changed. No row may be `observed` that became so in a commit
that made it worse. A tolerance is at most 25 %. A case of the full tier has a quick version. The
list validation/known-misses.csv may only shrink once the day of its first line is over, but for
rows that are new or were only observed.
"""

import csv
import functools
import glob
import io
import math
import os
import re
import subprocess
import sys
import time

import yaml

import echoes

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NEVER = 1 << 60
MOVED = 0.01            # share of a result that is a change
MOST_TOLERANCE = 25     # percent
WORDS = {"source", "assumed", "note", "limits", "description", "reason"}
STATED = {"measured", "tolerance_percent", "role", "evidence", "reason", "relation"}


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, check=True).stdout.decode()


class History:
    """Versions of files, each by the place of its commit in the history."""

    def __init__(self):
        self.commits = git("rev-list", "--reverse", "--topo-order", "HEAD").split()
        self.place = {commit: i for i, commit in enumerate(self.commits)}
        stamps = dict(line.split() for line in git("log", "--format=%H %at").splitlines())
        self.stamp = [int(stamps[commit]) for commit in self.commits]
        self.reader = subprocess.Popen(["git", "cat-file", "--batch"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.renames, self.touched = self.read_names()

    @staticmethod
    def read_names():
        """Of each commit, what was renamed (new: old) and touched."""
        renames, touched, commit = {}, {}, None
        log = git("log", "--format=@%H", "--name-status", "-M60%", "--", "validation", "topologies",
                  "workloads")
        for line in log.splitlines():
            words = line.split("\t")
            if line.startswith("@"):
                commit = line[1:]
            elif len(words) == 3 and words[0].startswith("R"):
                renames.setdefault(commit, {})[words[2]] = words[1]
                touched.setdefault(commit, set()).add(words[2])
            elif len(words) > 1:
                touched.setdefault(commit, set()).add(words[-1])
        return renames, touched

    def text(self, commit, path):
        """None: not there."""
        self.reader.stdin.write(f"{commit}:{path}\n".encode())
        self.reader.stdin.flush()
        head = self.reader.stdout.readline().split()
        if head[-1] == b"missing":
            return None
        return self.reader.stdout.read(int(head[2]) + 1)[:-1].decode(errors="replace")

    @functools.lru_cache(None)
    def versions(self, path):
        """[(place, text)], oldest first; through renames."""
        found = []
        for i in range(len(self.commits) - 1, -1, -1):
            commit = self.commits[i]
            if path not in self.touched.get(commit, ()):
                continue
            text = self.text(commit, path)
            if text is None:
                break
            found.append((i, text))
            path = self.renames.get(commit, {}).get(path, path)
        return found[::-1]


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def rows_of(text):
    """[(key, row)] of an expected.csv."""
    out = []
    for row in csv.DictReader(io.StringIO(text)):
        keys = tuple(sorted((name, re.sub(r"\s", "", value or "")) for name, value in row.items()
                            if name and name not in STATED and value))
        out.append((keys, row))
    return out


def result_key(row):
    return (row["run"], re.sub(r"\s", "", row["point"]), row["job"], row["metric"])


def key_of_result(row, only_run):
    """The key under which the results have an expected row."""
    swept = [name for name in row if name not in STATED and name not in ("run", "job", "metric")]
    point = ", ".join(f"{name} {row[name]}" for name in swept if row[name])
    return (row.get("run") or only_run, re.sub(r"\s", "", point), row["job"], row["metric"])


def results_of(text):
    lines = text.split("\n", 1)
    body = lines[1] if text.startswith("#") else text
    return {result_key(row): number(row["simulated"]) for row in csv.DictReader(io.StringIO(body))}


# ---- parameters ----

def plain(node):
    """A value without its words."""
    if isinstance(node, dict):
        if "value" in node and set(node) <= WORDS | {"value"}:
            return plain(node["value"])
        return {str(key): plain(value) for key, value in node.items() if key not in WORDS}
    return [plain(value) for value in node] if isinstance(node, list) else node


@functools.lru_cache(None)
def load(text):
    try:
        return yaml.load(text, LOADER)
    except yaml.YAMLError:
        return None


def at(node, key):
    for word in key.split("."):
        node = node.get(word) if isinstance(node, dict) else None
    return plain(node)


def scalars(node):
    if isinstance(node, dict):
        for value in node.values():
            yield from scalars(value)
    elif isinstance(node, list):
        for value in node:
            yield from scalars(value)
    else:
        yield str(node)


def includes(node):
    """Files that a part of a machine is read from."""
    if isinstance(node, dict):
        if isinstance(node.get("include"), str):
            yield node["include"]
        for value in node.values():
            yield from includes(value)
    elif isinstance(node, list):
        for value in node:
            yield from includes(value)


def beside(file, part):
    """The path of an included file in the tree."""
    return os.path.normpath(os.path.join(os.path.dirname(file), part))


def placed(node, path):
    """A part of the file @path whose includes are paths in the tree."""
    if isinstance(node, dict):
        return {key: beside(path, value) if key == "include" and isinstance(value, str)
                else placed(value, path) for key, value in node.items()}
    return [placed(value, path) for value in node] if isinstance(node, list) else node


def whole_run(path):
    """A run file, with the keys of the file that it includes."""
    run = placed(load(open(path).read()) or {}, path)
    return {**whole_run(run["include"]), **run} if "include" in run else run


def machine_of(run):
    """The machine's file, or None: the run has it in full."""
    machine = run.get("machine")
    if isinstance(machine, dict) and "include" in machine:
        return machine["include"]
    name = machine.get("name") if isinstance(machine, dict) else machine
    file = f"topologies/{name}.yaml"
    return file if os.path.exists(file) else None


def mechanisms_of(file, config, run):
    """{(file, key)} of the mechanisms that the jobs name, or get by default."""
    jobs = run.get("jobs") or []
    used = set(scalars([jobs, run.get("sweep")]))
    if any(isinstance(job, dict) and "mechanism" not in job for job in jobs):
        used.update(scalars(config.get("default_mechanism")))
    own = config.get("mechanisms") or {}
    found = {(file, f"mechanisms.{name}") for name in own if name in used}
    for part in [own["include"]] if "include" in own else []:
        found |= {(part, name) for name in load(open(part).read())
                  if name in used and name not in own}
    return found


@functools.lru_cache(None)
def parameters_of_run(path):
    """{(file, key)} that the run rests on."""
    run = whole_run(path)
    found = {(part, "") for key in ("jobs", "background") for part in includes(run.get(key))}
    file = machine_of(run)
    if file is None:
        return found | {(path, "machine")}
    config = placed(load(open(file).read()), file)
    found |= mechanisms_of(file, config, run)
    for key in ("fabric", "node", "hardware", "routing"):
        if isinstance(config.get(key), dict) and not (key == "routing" and "routing" in run):
            found.add((file, key))
            found.update((part, "") for part in includes(config[key]))
    return found


def parameters_of(folder):
    """{(file, key)} that the case's runs rest on."""
    return set().union(*(parameters_of_run(path) for path in run_files(folder)))


def run_files(folder):
    return sorted(path for path in glob.glob(f"{folder}/*.yaml")
                  if os.path.basename(path) != "case.yaml")


@functools.lru_cache(None)
def changes(history, file, key):
    """Places in the history where the value at @key changed, the first is when it came."""
    out, last = [], None
    for place, text in history.versions(file):
        config = load(text)
        if config is None:
            continue
        found = at(config, key) if key else plain(config)
        if found is None:
            continue    # it had not come yet
        value = sorted(scalars(found))
        if value != last:
            out.append(place)
        last = value
    return out


@functools.lru_cache(None)
def run_changes(history, file):
    """Of what is simulated, not of which points are."""
    out, last = [], None
    for place, text in history.versions(file):
        run = load(text)
        if not isinstance(run, dict):
            continue
        value = sorted(scalars({key: plain(value) for key, value in run.items()
                                if key not in ("sweep", "description", "measured", "bound",
                                               "output")}))
        if value != last:
            out.append(place)
        last = value
    return out


# ---- rows ----

class Case:
    def __init__(self, history, folder):
        self.folder, self.name = folder, os.path.basename(folder)
        self.rows = rows_of(open(f"{folder}/expected.csv").read())
        self.runs = [os.path.basename(path)[:-5] for path in run_files(folder)]
        self.history = history
        self.old = [(place, rows_of(text))
                    for place, text in history.versions(f"{folder}/expected.csv")]
        self.results = [(place, results_of(text)) for place, text in
                        history.versions(f"validation/results/{self.name}.csv")]
        stored = f"validation/results/{self.name}.csv"
        if os.path.exists(stored):
            self.results.append((len(history.commits), results_of(open(stored).read())))
        self.parameters = sorted(parameters_of(folder))

    def run_of(self, row):
        return row.get("run") or self.runs[0]

    def stored(self, row):
        key = key_of_result(row, self.runs[0])
        found = [(place, values[key]) for place, values in self.results if key in values]
        return [(place, value) for place, value in found if not math.isnan(value)]


def seen_numbers(cases):
    """{(metric, digits): place}: when a measured number with three digits or more first stood."""
    first = {}
    for case in cases:
        for place, rows in case.old:
            for _, row in rows:
                first_at(first, number_key(row), place)
                first_at(first, (case.name, row_key(row)), place)
    return first


def first_at(first, key, place):
    if key is not None:
        first[key] = min(first.get(key, NEVER), place)


def row_key(row):
    return tuple(sorted((name, re.sub(r"\s", "", value or "")) for name, value in row.items()
                        if name and name not in STATED and value)) + (row.get("relation", ""),)


def number_key(row):
    digits = row["measured"].replace(".", "").strip("0")
    return (row["metric"], float(row["measured"])) if len(digits) >= 3 else None


def why_developed(case, row, seen):
    """None, or why the row cannot be called predicted."""
    stored = [(place, value) for place, value in case.stored(row) if place >= seen]
    for place, value in stored:
        last = stored[-1][1]
        if abs(value - last) > MOVED * abs(last):
            return f"its result moved from {value:.4g} to {last:.4g} after it was seen"
    first = stored[0][0] if stored else len(case.history.commits)
    run = f"{case.folder}/{case.run_of(row)}.yaml"
    for file, key in sorted(parameters_of_run(run)):
        if any(seen < place <= first for place in changes(case.history, file, key)):
            return f"{file} {key} changed after it was seen"
    if any(seen < place <= first for place in run_changes(case.history, run)):
        return f"{run} changed after it was seen"
    return None


def newest(case, row):
    """The last stored result of a row, NaN: none."""
    stored = case.stored(row)
    return stored[-1][1] if stored else math.nan


def calibrated_results(cases):
    """{(metric, digits): case, run} of the rows that parameters were fitted to."""
    return {(row["metric"], f"{newest(case, row):.7g}"): f"{case.name} {case.run_of(row)}"
            for case in cases for _, row in case.rows if row["evidence"] == "calibrated"}


def run_point(case, row, key=None, value=None):
    """(physics, size, the job's place) of the row's run; with @key at another value of it."""
    run = whole_run(f"{case.folder}/{case.run_of(row)}.yaml")
    keys = {name: text for name, text in row.items()
            if text and name not in STATED | {"run", "job", "metric"}}
    if key:
        keys[key] = value
    jobs = [job.get("name") if isinstance(job, dict) else None for job in run.get("jobs") or []]
    place = jobs.index(row["job"]) if row["job"] in jobs else row["job"]
    return (*echoes.resolve(run, keys), place)


def fitted_runs(cases):
    """What is simulated in the rows that parameters were fitted to."""
    fitted = echoes.Fitted()
    for case in cases:
        for _, row in case.rows:
            if row["evidence"] == "calibrated" and " over " not in row["metric"]:
                physics, size, job = run_point(case, row)
                fitted.add(physics, job, row["metric"], size, newest(case, row),
                           f"{case.name} {case.run_of(row)}")
    return fitted


def why_same_physics(case, row, fitted):
    """None, or the calibrated rows whose runs do all that this one does."""
    physics, size, job = run_point(case, row)
    metric, _, under = row["metric"].partition(" over ")
    if not under:
        return fitted.why(physics, job, metric, size, newest(case, row))
    sides = [fitted.same_size(physics, job, metric, size)]
    key, equals, values = under.partition("=")
    if equals:
        for value in values.split("|"):
            physics, size, job = run_point(case, row, key, value)
            sides.append(fitted.same_size(physics, job, metric, size))
    else:
        sides.append(fitted.same_size(physics, job, under, size))
    return f"both sides of it are calibrated, in {sides[0]}" if all(sides) else None


def misses(case, row):
    """What a fit does not reach is no echo of it: as a calibrated row the miss would be hidden."""
    measured = number(row["measured"])
    off = abs(newest(case, row) - measured)
    return off > abs(measured) * number(row["tolerance_percent"]) / 100


def why_echo(case, row, calibrated, fitted):
    """None, or the calibrated row, in any case, which this one repeats."""
    if row.get("relation"):
        return None
    source = calibrated.get((row["metric"], f"{newest(case, row):.7g}"))
    if source and " over " not in row["metric"]:
        return f"it repeats what is simulated in {source}, calibrated, to the digit"
    return None if misses(case, row) else why_same_physics(case, row, fitted)


def why_not_observed(case, row):
    """None, or when it became observed in a commit that made it worse."""
    key, measured = row_key(row), number(row["measured"])
    last = None
    for place, rows in case.old:
        label = next((r.get("evidence") or r.get("role") for _, r in rows if row_key(r) == key),
                     None)
        if label == "observed" and last not in (None, "observed"):
            results = case.stored(row)
            before = [value for at_, value in results if at_ < place]
            after = [value for at_, value in results if at_ >= place]
            if before and after:
                worse = abs(after[0] / measured - 1) - abs(before[-1] / measured - 1)
                if worse > MOVED:
                    return (f"became observed in {case.history.commits[place][:7]}, which made "
                            f"it worse by {100 * worse:.0f} %")
        last = label
    return None


# ---- case.yaml ----

def stamp(history, place):
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(history.stamp[place]))


def parameter_lines(case):
    lines = []
    for file, key in case.parameters:
        places = changes(case.history, file, key)
        if places:
            inside = f", key: {key}" if key else ""
            lines.append(f"  - {{file: {file}{inside}, "
                         f"since: \"{stamp(case.history, places[-1])}\"}}")
    return lines


def check_parameters(case, write):
    path = f"{case.folder}/case.yaml"
    text = open(path).read() if os.path.exists(path) else ""
    lines = parameter_lines(case)
    block = "parameters:\n" + "\n".join(lines) + "\n" if lines else ""
    new = re.sub(r"parameters:\n(  - .*\n)*", "", text) + block
    if new == text:
        return []
    if write:
        open(path, "w").write(new)
        return []
    return [f"{path}: `parameters` is not what the history says; scripts/evidence --write"]


def write_labels(case, lower):
    """Gives rows the labels of @lower, {index: label}."""
    path = f"{case.folder}/expected.csv"
    lines = list(csv.reader(open(path)))
    column = lines[0].index("evidence")
    for i, label in lower.items():
        lines[i + 1][column] = label
    with open(path, "w") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def was_there(history, entry, closed):
    """A listed point, or paper's number, was gated already when the list was closed."""
    case, run, point, job, metric = entry
    file = f"validation/{'figures.csv' if case == 'figures' else case + '/expected.csv'}"
    texts = [text for place, text in history.versions(file) if stamp(history, place) <= closed]
    for row in csv.DictReader(io.StringIO(texts[-1])) if texts else []:
        if case == "figures" and row["id"] == run:
            return row["kind"] not in ("stated", "out")
        keys = ", ".join(f"{key} {value}" for key, value in row.items()
                         if value and key not in STATED | {"run", "job", "metric"})
        if (row.get("run", run), keys, row.get("job"), row.get("metric")) == (run, point, job,
                                                                             metric):
            return row.get("evidence") != "observed"
    return False


def check_known(history):
    """The list of known misses only shrinks."""
    path, out = "validation/known-misses.csv", []
    if not os.path.exists(path):
        return out
    text = open(path).read()
    closed = re.match(r"# closed (\S+ \S+)", text)
    if not closed:
        return [f"{path}:1: no line '# closed DATE TIME'"]
    old = [t for place, t in history.versions(path) if stamp(history, place) <= closed[1]]
    if not old or stamp(history, len(history.commits) - 1) <= closed[1]:
        return out    # it is still open

    def entries(t):
        return {tuple(row[:-1]) for row in csv.reader(t.splitlines()[2:])}
    return [f"{path}: {' '.join(entry)} came after the list was closed"
            for entry in sorted(entries(text) - entries(old[-1]))
            if was_there(history, entry, closed[1])]


def judge(case, row, first, calibrated, fitted):
    """(the label that a row deserves, why it has too good a one or None)."""
    seen = min(first.get((case.name, row_key(row)), NEVER), first.get(number_key(row), NEVER))
    why = None
    if row["evidence"] in ("predicted", "developed"):
        why = why_echo(case, row, calibrated, fitted)
    if why is not None:
        return "calibrated", why
    if row["evidence"] == "predicted":
        why = why_developed(case, row, seen)
    elif row["evidence"] == "observed":
        why = why_not_observed(case, row)
    return "developed", why


def check_quick(cases):
    """Each case of the full tier has a quick version: its name with -small, or its beginning."""
    full = {case.name for case in cases if os.path.exists(f"{case.folder}/case.yaml")
            and (load(open(f"{case.folder}/case.yaml").read()) or {}).get("tier") == "full"}
    quick = {case.name for case in cases} - full
    return [f"validation/{name}: no quick version; {name}-small, or a case that {name} begins with"
            for name in sorted(full)
            if not any(other == f"{name}-small" or name.startswith(f"{other}-") for other in quick)]


def lower_labels(cases, history_of_numbers):
    """[(case, index, row as it was labelled, label, why)] of the labels that are too good.

    A row that becomes calibrated may have echoes of its own: until none is found."""
    found = []
    while True:
        calibrated, fitted = calibrated_results(cases), fitted_runs(cases)
        lower = []
        for case in cases:
            for i, (_, row) in enumerate(case.rows):
                label, why = judge(case, row, history_of_numbers, calibrated, fitted)
                if why is not None:
                    lower.append((case, i, row["evidence"], label, why))
        for case, i, _, label, _ in lower:
            case.rows[i][1]["evidence"] = label
        found += lower
        if not lower:
            return found


def main():
    write = "--write" in sys.argv
    history = History()
    cases = [Case(history, os.path.dirname(path))
             for path in sorted(glob.glob("validation/*/expected.csv"))]
    wrong = check_known(history) + check_quick(cases)
    for case in cases:
        wrong += [f"{case.folder}/expected.csv:{i + 2}: a tolerance of "
                  f"{row['tolerance_percent']} %; at most {MOST_TOLERANCE}"
                  for i, (_, row) in enumerate(case.rows)
                  if number(row["tolerance_percent"]) > MOST_TOLERANCE]
    lower = lower_labels(cases, seen_numbers(cases))
    for case in cases:
        labels = {i: label for at_, i, _, label, _ in lower if at_ is case}
        if write and labels:
            write_labels(case, labels)
        wrong += check_parameters(case, write)
    if not write:
        wrong += [f"{case.folder}/expected.csv:{i + 2}: {was}, but {why}"
                  for case, i, was, _, why in lower]
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
