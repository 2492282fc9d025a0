#!/usr/bin/python3
"""validate_count.py - `darner validate --json FILE`, a line for each case and evidence class.

Each evidence class counts apart; observed points do not gate and do not count.
Usage: validate_count.py FILE EXIT_STATUS
"""

import json
import sys


def main():
    path, status = sys.argv[1], int(sys.argv[2])
    try:
        with open(path) as file:
            cases = json.load(file)["cases"]
    except (OSError, ValueError, KeyError) as error:
        print(f"FAILED  validation: exit status {status}, {error!r}")
        return
    missed = 0
    for case in cases:
        for evidence, result in case["evidence"].items():
            if evidence == "observed" or not result["points"]:
                continue
            passed = result["passed"]
            missed += not passed
            values = [result["median_percent"], result["worst_percent"]]
            median, worst = ("-" if v is None else f"{v:.1f} %" for v in values)
            print(f"{'ok     ' if passed else 'FAILED '} validation {case['name']}, "
                  f"{result['points']} points {evidence}: median error {median}, worst {worst}, "
                  f"{result['known_misses']} known misses")
    if status != (1 if missed else 0):
        print(f"FAILED  validation: exit status {status} with {missed} missed")


if __name__ == "__main__":
    main()
