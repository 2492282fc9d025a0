#!/usr/bin/python3
"""processes_test.py - one run over several processes of MPI, when something goes wrong.

A process is killed, mpirun gets Ctrl-C, one process alone meets an error: all processes end, what
was wrong is said once, finished points are kept, and the same command goes on from there. What a
process takes in memory is its share of the machine.
Usage: processes_test.py PROGRAM     Prints a line for each check, as scripts/test does.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SWEEP = """machine: dragonfly-1056
routing: {algorithm: minimal}
jobs:
  - name: a
    workload: {type: uniform, bytes: 256 B, load: 0.5, rate: 100 Gb/s, messages: 2}
sweep: {"jobs[0].workload.messages": [2, 400, 3]}
"""
LARGE = """machine: lumi
routing: {algorithm: ugal_l}
jobs:
  - name: a
    workload: {type: uniform, bytes: 4 KiB, load: 0.5, rate: 200 Gb/s, messages: 1}
"""
# Job b's rank that repeats without end is in the second process, job a's are in the first.
FAULT = """machine: dragonfly-1056
routing: {algorithm: minimal}
jobs:
  - {name: a, ranks: 2, workload: {type: ring, bytes: 64 KiB}}
  - {name: b, ranks: 1, placement: [1055], background: yes,
     workload: {type: flows, bytes: 1 B, flows: [[0, 0]]}}
"""
# One of the two processes starts in a folder where the run file is not.
ELSEWHERE = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd /; exec "$0" "$@"'
MEASURED = 'exec /usr/bin/time -f %M -o peak.${OMPI_COMM_WORLD_RANK:-0} "$0" "$@"'
ROOT = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENT = os.environ | {"DARNER_ROOT": str(ROOT), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def start(folder, command):
    # a parent that ignores Ctrl-C, as a shell's background job does, would hand that down
    return subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def over(n, *command):
    return ["mpirun", "--oversubscribe", "-n", str(n), *command]


def ended(process):
    """(exit status, what it printed, what it said)."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def children(process):
    listed = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True,
                            check=False)
    return [int(word) for word in listed.stdout.split()]


def at_work(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(") ")[-1][0] != "Z"
    except OSError:
        return False


def second_point(folder, process):
    """Waits until the first point is finished and the second one has begun."""
    results = pathlib.Path(folder, "o", "unfinished", "results.csv")
    for _ in range(1200):
        if results.exists() and results.read_text().count("\n") >= 2:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError("no point was finished in a minute")


def files(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder, "o").iterdir()
            if path.name != "timing.json"}


# After Ctrl-C mpirun waits so many seconds, sends SIGTERM, waits as long and kills: one by default.
# The second point has to last longer. On a busy machine a process may be killed before it says
# anything: then the test tries again.
PATIENT = ["mpirun", "--mca", "odls_base_sigkill_timeout", "2"]
TRIES = 4


def sweep(program, folder, text):
    """The results of one process."""
    pathlib.Path(folder, "run.yaml").write_text(text)
    status, _, said = ended(start(folder, [program, "run", "run.yaml", "-q", "-o", "o"]))
    assert status == 0, said
    return files(folder)


def broken_off(program, folder, whole, break_off, expected, launcher=("mpirun",)):
    """What is wrong, or None: a sweep is broken off in its second point, and goes on."""
    subprocess.run(["rm", "-rf", "o"], cwd=folder, check=True)
    command = [program, "run", "run.yaml", "-q", "-o", "o"]
    process = start(folder, [*launcher, *over(2, *command)[1:]])
    second_point(folder, process)
    running = children(process)
    break_off(process, running)
    status, _, said = ended(process)
    if status == 0 or len(re.findall(expected, said)) != 1:
        return f"exit status {status}: {said}"
    for _ in range(200):
        if not any(at_work(p) for p in running):
            break
        time.sleep(0.05)
    else:
        return "processes are left"
    kept = pathlib.Path(folder, "o", "unfinished", "results.csv").read_bytes()
    if not whole["results.csv"].startswith(kept) or kept.count(b"\n") != 2:
        return f"the finished point is not there: {kept}"
    status, _, said = ended(start(folder, command))
    if status != 0:
        return f"does not go on: {status}: {said}"
    return None if files(folder) == whole else "other results"


def interrupted(program, folder):
    """What is wrong after Ctrl-C, or None."""
    whole = sweep(program, folder, SWEEP.replace("400", "6000"))
    for _ in range(TRIES):
        wrong = broken_off(program, folder, whole,
                           lambda mpirun, _: mpirun.send_signal(signal.SIGINT),
                           r"interrupted; 1 of 3 points are complete", PATIENT)
        if wrong != "exit status 1: ":    # not killed before it said anything
            break
    return wrong


def error_of_one(program, folder):
    command = ["sh", "-c", ELSEWHERE, program, "run", "run.yaml", "-q", "-o", "o"]
    status, out, said = ended(start(folder, over(2, *command)))
    good = status == 2 and out == "" and said.count("run.yaml: cannot read") == 1
    return None if good else f"exit status {status}: {said}"


def fault_of_a_background_rank(program, folder):
    command = [program, "run", "fault.yaml", "-q", "-o", "fault"]
    for n in (1, 2):
        status, out, said = ended(start(folder, over(n, *command) if n > 1 else command))
        if status != 2 or out != "" or said.count("job b repeats without end at one time") != 1:
            return f"{n}: exit status {status}: {said}"
    return None


def without_progress(answer):
    """A run that lasts, as on a busy machine, says every now and then how far it is."""
    status, out, said = answer
    return status, out, re.sub(r"^.* M packet-hops/s, .*\n", "", said, flags=re.M)


def into_a_file(program, folder):
    command = [program, "run", "large.yaml", "-o", "text", "--set", "nodes=2"]
    alone = without_progress(ended(start(folder, command)))
    together = without_progress(ended(start(folder, over(2, *command))))
    return None if alone[0] == 0 and alone == together else f"{alone} {together}"


def peaks(program, folder, n):
    command = ["sh", "-c", MEASURED, program, "run", "large.yaml", "-q", "-o", "large"]
    status, _, said = ended(start(folder, over(n, *command) if n > 1 else command))
    assert status == 0, said
    return [int(pathlib.Path(folder, f"peak.{i}").read_text()) / 1024 for i in range(n)]


def memory(program, folder):
    """The 40 MiB of a program, its libraries and MPI are in every process."""
    alone, parts = peaks(program, folder, 1)[0] - 40, peaks(program, folder, 4)
    worst = max(parts) - 40
    return None if worst < 0.45 * alone else f"{worst} MiB of {alone} in one of four processes"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "large.yaml").write_text(LARGE)
        pathlib.Path(folder, "fault.yaml").write_text(FAULT)
        whole = sweep(program, folder, SWEEP)
        checks = {
            "a process is killed": broken_off(
                program, folder, whole, lambda _, ranks: os.kill(ranks[-1], signal.SIGKILL),
                r"rank 1 .*signal 9"),
            "the first process is killed": broken_off(
                program, folder, whole, lambda _, ranks: os.kill(ranks[0], signal.SIGKILL),
                r"rank 0 .*signal 9"),
            "Ctrl-C": interrupted(program, folder),
            "an error of one process": error_of_one(program, folder),
            "a fault of a background rank": fault_of_a_background_rank(program, folder),
            "into a file": into_a_file(program, folder),
            "memory of four processes": memory(program, folder),
        }
    for text, wrong in checks.items():
        print(f"FAILED  processes {text}: {wrong}" if wrong else f"ok      processes {text}")


if __name__ == "__main__":
    main()
