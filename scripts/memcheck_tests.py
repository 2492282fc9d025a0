#!/usr/bin/python3
"""memcheck_tests.py - unit test programs under valgrind's memcheck, with the programs they start.

Each gets SECONDS of CPU time, its children's included; what takes longer is ended and named as left
out, which is no failure. Prints a line for each test function, like tap_count.py.
Usage: memcheck_tests.py SECONDS BUILD [NAME...]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from tap_count import points

SUPPRESSED = pathlib.Path(__file__).with_name("memcheck.supp")
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=66", "--max-stackframe=8000000",
            f"--suppressions={SUPPRESSED}", "--trace-children=yes",
            "--trace-children-skip=/usr/*,/bin/*,/sbin/*"]
SIMGRID = "SimGrid takes valgrind's files for the program's"
NOT_FOR_VALGRIND = {"flow_test": SIMGRID, "flow_process_test": SIMGRID,
                    "sweep_cli_test": "it measures how soon an interrupt ends a run"}
TICKS = os.sysconf("SC_CLK_TCK")


def unit_tests(build):
    """(name, command, environment) of each, as Meson runs it."""
    text = subprocess.run(["meson", "introspect", build, "--tests"], check=True,
                          stdout=subprocess.PIPE).stdout
    for test in json.loads(text):
        if any(suite.endswith(":unit") for suite in test["suite"]):
            yield test["name"], test["cmd"], test["env"]


def cpu_seconds(session):
    """CPU time of the processes of a session, with that of children that have been waited for."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def kill_session(session):
    """Ends the processes of a session, whatever their group."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(pid)) == session:
                os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def run(command, environment, seconds):
    """(exit status, None: it took longer; what it printed; errors of memcheck; its CPU seconds)"""
    with tempfile.TemporaryDirectory() as logs, tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([*VALGRIND, f"--log-file={logs}/%p", *command],
                                   env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        used, status = 0.0, None
        while (status := process.poll()) is None and used <= seconds:
            time.sleep(0.05)
            used = max(used, cpu_seconds(process.pid))
        kill_session(process.pid)
        process.wait()
        texts = [log.read_text(errors="replace") for log in pathlib.Path(logs).iterdir()]
        out.seek(0)
        return status, out.read(), "".join(text for text in texts if " at 0x" in text), used


def main():
    seconds, build, names = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    for name, command, environment in unit_tests(build):
        if names and name not in names:
            continue
        if name in NOT_FOR_VALGRIND:
            print(f"        memcheck: {name} left out: {NOT_FOR_VALGRIND[name]}", flush=True)
            continue
        status, output, errors, used = run(command, environment, seconds)
        if status is None:
            print(f"        memcheck: {name} left out: above {seconds:g} CPU seconds", flush=True)
            continue
        found = list(points(output))
        broken = status != 0 or errors != ""
        if broken:
            print(output, errors, sep="\n")
        for passed, test in found:
            print(f"{'ok     ' if passed else 'FAILED '} memcheck {name} {test}", flush=True)
        if broken and all(passed for passed, _ in found):
            print(f"FAILED  memcheck {name}: status {status} after {len(found)} tests",
                  flush=True)
        print(f"        memcheck: {name}: {used:.1f} CPU seconds", flush=True)


if __name__ == "__main__":
    main()
