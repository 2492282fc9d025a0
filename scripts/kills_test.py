#!/usr/bin/python3
"""kills_test.py - no kill and no full disk loses what was finished.

Usage: kills_test.py PROGRAM KILLS [SEED]

Kills `darner run` (one and two jobs), a rerun over complete results, `darner replay`, `darner
validate --keep` and `darner record` by SIGKILL, KILLS times in all, at random moments of their
run; and lets each write, sync and rename of a run and of a replay fail in turn (fail_write.c).
After each: complete results are there as they were, finished points are never fewer, and the same
command ends with the bytes of a run in one go. Prints a line for each test, as scripts/test does;
the seed is in the first.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
RUN = """machine: h200x4
jobs: [{name: a, workload: {type: alltoall, bytes: 1 MiB}, mechanism: d2d}]
sweep: {"jobs[0].workload.bytes": [1 MiB, 64 KiB], seed: 1..40}
"""
FEW = RUN.replace("1..40", "1..2")
TRACE = ("0 init\n1 init\n" + "0 send 1 0 100000 6\n1 recv 0 0 100000 6\n" * 300 +
         "0 finalize\n1 finalize\n")
CASE = "h200x4-p2p"
VARIES = {"timing.json"}


def contents(folder, without=()):
    """{name: bytes} of the files of a folder, without those that differ from run to run."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())
            if path.is_file() and path.name not in VARIES and path.name not in without}


class Bench:
    """A folder to work in, and the program."""

    def __init__(self, program, folder, draw):
        self.program, self.folder, self.draw = program, pathlib.Path(folder), draw

    def start(self, *words, **more):
        return subprocess.Popen([self.program, *words], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, **more)

    def run(self, *words, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def must(self, *words, **more):
        status, out, err = self.run(*words, **more)
        assert status == 0, f"{words}: {status}: {err}"
        return out

    def seconds(self, *words):
        begin = time.monotonic()
        self.must(*words)
        return time.monotonic() - begin

    def kill(self, most_s, *words, **more):
        """Kills the command after a random time; True: it was still running."""
        process = self.start(*words, start_new_session=True, **more)
        time.sleep(self.draw.uniform(0.0, most_s))
        running = process.poll() is None
        if running:
            process.send_signal(signal.SIGKILL)
        process.communicate()
        return running

    def points(self, out):
        status, said, _ = self.run("sweep", "status", "run.yaml", "-o", out)
        found = re.match(r"(\d+) of", said)
        return int(found[1]) if status == 0 and found else None


def run_killed(bench, kills):
    """A sweep that is killed again and again comes to its end, and finished points stay."""
    whole_s = bench.seconds("run", "run.yaml", "-q", "-o", "whole")
    whole = contents(bench.folder / "whole")
    done = ended = 0
    for i in range(kills):
        words = ["run", "run.yaml", "-q", "-o", "out", "--jobs", str(1 + i % 2)]
        bench.kill(0.6 * whole_s, *words)
        if (bench.folder / "out/summary.json").exists():
            assert contents(bench.folder / "out") == whole, "other bytes"
            shutil.rmtree(bench.folder / "out")
            done, ended = 0, ended + 1
            continue
        now = bench.points("out") or 0
        assert now >= done, f"{done} points were finished, {now} are there"
        done = now
    bench.must("run", "run.yaml", "-q", "-o", "out", "--jobs", "2")
    assert contents(bench.folder / "out") == whole, "other bytes at the end"
    assert not (bench.folder / "out/unfinished").exists(), "something is left"
    return f"{kills} kills, {ended + 1} runs came to their end"


def rerun_killed(bench, kills):
    """Complete results stay as they are until others replace them."""
    whole_s = bench.seconds("run", "run.yaml", "-q", "-o", "old", "--set", "seed=99")
    old = contents(bench.folder / "old")
    new_s = bench.seconds("run", "run.yaml", "-q", "-o", "new")
    new = contents(bench.folder / "new")
    for _ in range(kills):
        bench.kill(max(whole_s, new_s), "run", "run.yaml", "-q", "-o", "old")
        found = contents(bench.folder / "old")
        if found == new:
            bench.must("run", "run.yaml", "-q", "-o", "old", "--restart", "--set", "seed=99")
        else:
            moving = (bench.folder / "old/unfinished/moving").exists()
            assert found == old or moving, "earlier results are gone"
    bench.must("run", "run.yaml", "-q", "-o", "old")
    assert contents(bench.folder / "old") == new, "other bytes at the end"
    return f"{kills} kills"


def replay_killed(bench, kills):
    words = ["replay", "t.txt", "--on", "h200x4", "-o", "replay"]
    whole_s = bench.seconds(*words)
    whole = contents(bench.folder / "replay")
    for i in range(kills):
        bench.kill(1.1 * whole_s, *words, "--jobs", str(1 + i % 3))
        assert contents(bench.folder / "replay") == whole, "other bytes"
    bench.must(*words)
    assert not (bench.folder / "replay/unfinished").exists(), "something is left"
    return f"{kills} kills"


def validate_killed(bench, kills):
    status, whole, _ = bench.run("validate", "-q", CASE)
    begin = time.monotonic()
    bench.run("validate", "-q", "--keep", "other", CASE)
    whole_s = time.monotonic() - begin
    for i in range(kills):
        if not bench.kill(whole_s, "validate", "-q", "--keep", "keep", "--jobs", str(1 + i % 2),
                          CASE):
            shutil.rmtree(bench.folder / "keep")
    again = bench.run("validate", "-q", "--keep", "keep", CASE)
    assert again[:2] == (status, whole), f"another verdict: {again}"
    return f"{kills} kills"


def record_killed(bench, kills):
    """The trace of the recording before, and a folder of the user's, stay."""
    mine = bench.folder / "x.ranks/mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    (bench.folder / "x").write_text("earlier")
    for _ in range(kills):
        bench.kill(0.3, "record", "-n", "1", "-o", "x", "sleep", "1",
                   env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        assert (bench.folder / "x").read_text() == "earlier", "the earlier trace is gone"
        assert mine.read_text() == "mine", "a file of the user's is gone"
    return f"{kills} kills"


def disk_full(bench, words, out, status_of_last):
    """Each call that can find the disk full does so in turn; the next command mends it."""
    bench.must(*words, "-o", f"clean/{out}")    # a replay is named like its folder
    clean = contents(bench.folder / "clean" / out, {"run.yaml"})
    shutil.copytree(bench.folder / "clean" / out, bench.folder / out)
    at, refused = 0, 0
    while True:
        at += 1
        environment = {**os.environ, "LD_PRELOAD": str(bench.folder / "fail_write.so"),
                       "FAIL_AT": str(at)}
        status, _, err = bench.run(*words, "-o", out, env=environment)
        if status == 0 and "FAIL" not in err and at > status_of_last:
            break
        if status == 2:
            refused += 1
            assert "No space left" in err, f"call {at}: {err}"
            assert len([line for line in err.splitlines() if "No space" in line]) == 1, err
        else:
            assert status == 0, f"call {at}: status {status}: {err}"
        found = contents(bench.folder / out, {"run.yaml"})
        assert found == clean, f"call {at}: other results: {sorted(found)}"
        bench.must(*words, "-o", out)
        assert contents(bench.folder / out, {"run.yaml"}) == clean, f"call {at}: other bytes"
    assert refused > 0
    return f"{at - 1} calls, {refused} with an error"


def full_run(bench, jobs):
    (bench.folder / "few.yaml").write_text(FEW)
    # a dozen calls beyond the last that matters are enough to see that none is left
    return disk_full(bench, ["run", "few.yaml", "-q", "--jobs", str(jobs)], "out", 60)


def full_replay(bench):
    return disk_full(bench, ["replay", "t.txt", "--on", "h200x4"], "out", 60)


def main():
    program, kills = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**6)
    tests = {"run and resume": lambda b: run_killed(b, kills * 2 // 5),
             "rerun over results": lambda b: rerun_killed(b, kills // 5),
             "replay": lambda b: replay_killed(b, kills // 5),
             "validate --keep": lambda b: validate_killed(b, kills // 10),
             "record": lambda b: record_killed(b, kills // 10),
             "disk full in a run": lambda b: full_run(b, 1),
             "disk full in a run of two jobs": lambda b: full_run(b, 2),
             "disk full in a replay": full_replay}
    for name, test in tests.items():
        with tempfile.TemporaryDirectory(prefix="darner-kills-") as folder:
            bench = Bench(program, folder, random.Random(f"{seed} {name}"))
            (bench.folder / "run.yaml").write_text(RUN)
            (bench.folder / "t.txt").write_text(TRACE)
            subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", bench.folder / "fail_write.so",
                            HERE / "fail_write.c", "-ldl"], check=True)
            try:
                print(f"ok      kills {name}: {test(bench)} (seed {seed})", flush=True)
            except AssertionError as problem:
                print(f"FAILED  kills {name} (seed {seed}): {problem}", flush=True)


if __name__ == "__main__":
    main()
