#!/usr/bin/python3
"""tap_count.py - Meson's test log as one line a test function, with the output of what failed.

Each TAP point counts; a program that crashes, times out or prints no plan is one failure more.
Usage: tap_count.py SUITE testlog.json
"""

import json
import re
import sys


def points(text):
    """(passed?, name) of each TAP point that was not skipped."""
    for line in text.splitlines():
        match = re.match(r"(not )?ok \d+ (?:- )?(\S+)(.*)", line)
        if match and "# SKIP" not in match[3]:
            yield match[1] is None, match[2]


def main():
    suite, log = sys.argv[1:]
    try:
        with open(log) as file:
            programs = [json.loads(line) for line in file]
    except OSError as error:
        print(f"FAILED  {suite}: {error}")
        return
    for program in programs:
        output = program.get("stdout") or ""
        name = program["name"].split(" ")[-1].split(":")[-1]
        found = list(points(output))
        broken = program["result"] != "OK"
        if broken:
            print(output)
            print(program.get("stderr") or "")
        for passed, test in found:
            print(f"{'ok     ' if passed else 'FAILED '} {suite} {name} {test}")
        if broken and all(passed for passed, _ in found):
            print(f"FAILED  {suite} {name}: {program['result'].lower()}, "
                  f"status {program['returncode']}, after {len(found)} tests")


if __name__ == "__main__":
    main()
