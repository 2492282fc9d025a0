#!/usr/bin/python3
"""faults_test.py - a system call that fails, in turn at each place where a small run makes it.

A run whose results stand in its folder is made again, with other values, while one call fails
(fault_injection.c, by LD_PRELOAD): of files reads, writes, fsyncs, closes, renames, removals and
opens for writing; folders read and made; forks, maps of memory, allocations. It ends with exit
status 2 and a line that says why, or does without the call and ends well; the folder then holds all
of the new results, else all of the old.
GLib calls abort() when it cannot allocate a lock (2 allocations of 14,230), with a line of its own.
A call that fails while files are put in place may leave the new results in o/unfinished, from where
the same command goes on.
What `export` and `trace convert` write is whole or not there.
Usage: faults_test.py PROGRAM [--all]   --all: every allocation instead of 40 spread over the run
"""

import os
import pathlib
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

RUN = """machine: h200x4
engine: {engine}
jobs:
  - name: a
    workload: {{type: pingpong, bytes: {kib} KiB}}
    ranks: 2
    mechanism: d2d
"""
THREADS = """machine: dragonfly-1056
engine: packet
threads: 3
jobs:
  - name: a
    workload: {{type: alltoall, bytes: {kib} KiB}}
    ranks: 32
"""
CALLS = ("read", "write", "fsync", "close", "rename", "unlink", "mkdir", "open", "opendir",
         "readdir", "fork", "mmap", "malloc")
# What runs, how, and the calls that fail in it.
RUNS = (("engine packet", RUN.replace("{engine}", "packet"), CALLS),
        ("engine flow", RUN.replace("{engine}", "flow"), CALLS),
        ("three threads", THREADS, ("pthread_create",)))
ALLOCATIONS = 40
NO_LOCK = "GLib (gthread-posix.c): Unexpected error from C library during 'malloc'"


ROOT = str(pathlib.Path(__file__).resolve().parents[1])


def results(folder):
    out = pathlib.Path(folder, "o", "results.csv")
    return out.read_bytes() if out.exists() else None


def simulate(program, folder, kib, run):
    """(exit status, what it said)."""
    pathlib.Path(folder, "run.yaml").write_text(run.format(kib=kib))
    ran = subprocess.run([program, "run", "run.yaml", "-q", "-o", "o"], cwd=folder, text=True,
                         env={"DARNER_ROOT": ROOT} | os.environ, capture_output=True, timeout=120,
                         errors="replace")
    return ran.returncode, ran.stderr


class Runs:
    """Runs of run.yaml in a folder, in each of which one call fails (fault_injection.c)."""

    def __init__(self, program, folder, shim, words=("run", "run.yaml", "-q", "-o", "o")):
        self.said, self.done = pathlib.Path(folder, "said"), pathlib.Path(folder, "done")
        theirs, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        environment = {"DARNER_ROOT": ROOT} | os.environ | {
            "LD_PRELOAD": shim, "FAULT_IN": str(theirs), "FAULT_OUT": str(answers),
            "FAULT_DONE": str(self.done), "FAULT_SAID": str(self.said)}
        self.process = subprocess.Popen(
            [program, *words], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs, answers))
        os.close(theirs)
        os.close(answers)

    def simulate(self, call, at):
        """(exit status, what it said, TRUE when the call failed)."""
        self.done.unlink(missing_ok=True)
        os.write(self.orders, f"{call} {at}\n".encode())
        ready, _, _ = select.select([self.answers], [], [], 120)
        answer = os.read(self.answers, 4) if ready else b""
        assert len(answer) == 4, f"{call} {at}: no answer"
        status = os.waitstatus_to_exitcode(struct.unpack("i", answer)[0])
        return status, self.said.read_text(errors="replace"), self.done.exists()

    def close(self):
        os.close(self.orders)
        self.process.wait()
        os.close(self.answers)


def state(folder):
    """What tells whether a folder was changed since."""
    files = [os.stat(folder), *(entry.stat() for entry in os.scandir(folder))]
    return [(file.st_ino, file.st_size, file.st_mtime_ns, file.st_ctime_ns) for file in files]


def restore(folder, unchanged):
    """The old results in o/, again; returns its state()."""
    out = pathlib.Path(folder, "o")
    if unchanged is None or not out.exists() or state(out) != unchanged:
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(pathlib.Path(folder, "kept"), out)
    return state(out)


def fault(program, folder, runs, run, call, at, sets):
    """What is wrong, or None; "over": there is no such call any more."""
    old, new = sets
    status, said, happened = runs.simulate(call, at)
    left = results(folder)
    if not happened:
        return "over"
    if left not in (old, new):  # cut while files were put in place: the same command goes on
        again, why = simulate(program, folder, 2, run)
        if again != 0 or results(folder) != new:
            return f"{call} {at}: results are lost; status {status}, then {again}: {why}"
    if status == 0:
        return None if left == new else f"{call} {at}: exit status 0 with the old results"
    if status == -signal.SIGABRT and call == "malloc" and NO_LOCK in said:
        return None
    if status != 2 or not said.strip():
        return f"{call} {at}: exit status {status}: {said}"
    return None


def places(call, every, count):
    if call != "malloc" or every:
        return range(1, 10**9)
    return range(1, count, max(1, count // ALLOCATIONS))


def count_allocations(runs):
    low, high = 1, 1 << 24
    while low < high:
        middle = (low + high + 1) // 2
        if runs.simulate("malloc", middle)[2]:
            low = middle
        else:
            high = middle - 1
    return low


def test_run(program, shim, run, calls, every):
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        sets, unchanged = [], None
        for kib in (2, 1):
            status, said = simulate(program, folder, kib, run)
            assert status == 0, said
            sets.insert(0, results(folder))
        shutil.copytree(pathlib.Path(folder, "o"), pathlib.Path(folder, "kept"))
        pathlib.Path(folder, "run.yaml").write_text(run.format(kib=2))
        runs = Runs(program, folder, shim)
        count = count_allocations(runs) if "malloc" in calls else 0
        for call in calls:
            for at in places(call, every, count):
                unchanged = restore(folder, unchanged)
                answer = fault(program, folder, runs, run, call, at, sets)
                if answer == "over":
                    break
                tried += 1
                if answer:
                    wrong.append(answer)
        runs.close()
    return wrong, tried


def contents(folder):
    """The files in a folder and their bytes; None for a folder in it."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


def test_files(program, shim, name, words):
    """What a command writes is there whole or not at all, whichever call fails."""
    wrong, tried, whole = [], 0, None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as results_in:
        pathlib.Path(folder, "run.yaml").write_text(RUNS[0][1].format(kib=1))
        pathlib.Path(folder, "t.ti").write_text("0 init\n0 compute 1e6\n0 finalize\n")
        out = pathlib.Path(results_in, "o")
        runs = Runs(program, folder, shim, [word.format(out=out) for word in words])
        for call in (None, "read", "write", "close", "rename", "mkdir", "open"):
            for at in range(1, 4000):
                shutil.rmtree(results_in)
                os.mkdir(results_in)
                status, said, happened = runs.simulate(call or "write", at if call else 4000)
                left = contents(pathlib.Path(results_in))
                if call is None:
                    whole = left
                    assert status == 0 and whole, said
                if not happened:
                    break
                tried += 1
                if left != (whole if status == 0 else {}) or status not in (0, 2):
                    wrong.append(f"{call} {at}: exit status {status}, left {list(left)}: {said}")
        runs.close()
    for answer in wrong:
        print(f"FAILED  faults {name}: {answer}")
    if not wrong:
        print(f"ok      faults of {tried} calls, {name}")


def main():
    program, every = sys.argv[1], "--all" in sys.argv
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source = pathlib.Path(__file__).with_name("fault_injection.c")
    with tempfile.TemporaryDirectory() as folder:
        shim = f"{folder}/fault_injection.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", shim, str(source), "-ldl"],
                       check=True)
        for name, run, calls in RUNS:
            wrong, tried = test_run(program, shim, run, calls, every)
            if tried < len(calls):
                wrong.append(f"only {tried} calls were made")
            for answer in wrong:
                print(f"FAILED  faults {name}: {answer}")
            if not wrong:
                print(f"ok      faults of {tried} calls, {name}")
        test_files(program, shim, "export", ("export", "run.yaml", "-o", "{out}/in"))
        test_files(program, shim, "trace convert", ("trace", "convert", "t.ti", "-o", "{out}"))


if __name__ == "__main__":
    main()
