#!/usr/bin/python3
"""faults_test.py - a system call that fails, in turn at each place where a small run makes it.

A run whose results stand in its folder is made again, with other values, while one call fails
(fault_injection.c, by LD_PRELOAD): writes, fsyncs, renames, opens for writing, forks, maps of
memory, allocations. It ends with exit status 2 and a line that says why, or does without the call
and ends well; the folder then holds all of the new results, else all of the old ones.
An allocation that fails inside GLib ends the process by GLib's own message and SIGTRAP: that is
allowed, with the results intact: the old ones, or all of the new ones in o/unfinished, from where
the same command goes on.
Usage: faults_test.py PROGRAM [--all]   --all: every allocation instead of 40 spread over the run
"""

import os
import pathlib
import shutil
import signal
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
CALLS = {"write": 400, "fsync": 400, "rename": 400, "open": 400, "fork": 20, "mmap": 400}
ALLOCATIONS = 40
DIED = (-signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV)


def results(folder):
    out = pathlib.Path(folder, "o", "results.csv")
    return out.read_bytes() if out.exists() else None


def simulate(program, folder, kib, engine, shim=None, call="", at=0):
    """(exit status, what it said, TRUE when the call failed)."""
    pathlib.Path(folder, "run.yaml").write_text(RUN.format(kib=kib, engine=engine))
    done = pathlib.Path(folder, "done")
    done.unlink(missing_ok=True)
    environment = {"DARNER_ROOT": str(pathlib.Path(__file__).resolve().parents[1])} | os.environ
    if shim:
        environment |= {"LD_PRELOAD": shim, "FAULT_CALL": call, "FAULT_AT": str(at),
                        "FAULT_DONE": str(done)}
    ran = subprocess.run([program, "run", "run.yaml", "-q", "-o", "o"], cwd=folder, text=True,
                         env=environment, capture_output=True, timeout=120, errors="replace")
    return ran.returncode, ran.stderr, done.exists()


def fault(program, folder, shim, engine, call, at, sets):
    """What is wrong, or None; "over": there is no such call any more."""
    old, new = sets
    shutil.rmtree(pathlib.Path(folder, "o"), ignore_errors=True)
    shutil.copytree(pathlib.Path(folder, "kept"), pathlib.Path(folder, "o"))
    status, said, happened = simulate(program, folder, 2, engine, shim, call, at)
    left = results(folder)
    if not happened:
        return "over"
    if left not in (old, new):  # cut while files were put in place: the same command goes on
        again, why, _ = simulate(program, folder, 2, engine)
        if again != 0 or results(folder) != new:
            return f"{call} {at}: results are lost; status {status}, then {again}: {why}"
    if status == 0:
        return None if left == new else f"{call} {at}: exit status 0 with the old results"
    if status in DIED and call in ("malloc", "mmap"):
        return None if "llocate" in said or "memory" in said else f"{call} {at}: {status}: {said}"
    if status != 2 or not said.strip():
        return f"{call} {at}: exit status {status}: {said}"
    return None


def places(call, every, count):
    if call != "malloc" or every:
        return range(1, 10**9)
    return range(1, count, max(1, count // ALLOCATIONS))


def count_allocations(program, folder, shim, engine):
    low, high = 1, 1 << 24
    while low < high:
        middle = (low + high + 1) // 2
        if simulate(program, folder, 2, engine, shim, "malloc", middle)[2]:
            low = middle
        else:
            high = middle - 1
    return low


def test_engine(program, shim, engine, every):
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        sets = []
        for kib in (2, 1):
            status, said, _ = simulate(program, folder, kib, engine)
            assert status == 0, said
            sets.insert(0, results(folder))
        shutil.copytree(pathlib.Path(folder, "o"), pathlib.Path(folder, "kept"))
        count = count_allocations(program, folder, shim, engine)
        for call in (*CALLS, "malloc"):
            for at in places(call, every, count):
                answer = fault(program, folder, shim, engine, call, at, sets)
                if answer == "over":
                    break
                tried += 1
                if answer:
                    wrong.append(answer)
    return wrong, tried


def main():
    program, every = sys.argv[1], "--all" in sys.argv
    source = pathlib.Path(__file__).with_name("fault_injection.c")
    with tempfile.TemporaryDirectory() as folder:
        shim = f"{folder}/fault_injection.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", shim, str(source), "-ldl"],
                       check=True)
        for engine in ("packet", "flow"):
            wrong, tried = test_engine(program, shim, engine, every)
            for answer in wrong:
                print(f"FAILED  faults {engine}: {answer}")
            if not wrong:
                print(f"ok      faults of {tried} calls, engine {engine}")


if __name__ == "__main__":
    main()
