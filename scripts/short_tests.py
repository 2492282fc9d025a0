#!/usr/bin/python3
"""short_tests.py - names of the programs in Meson's test log that took less than SECONDS.

Usage: short_tests.py SECONDS testlog.json
"""

import json
import sys


def main():
    with open(sys.argv[2]) as log:
        for line in log:
            program = json.loads(line)
            if program["duration"] < float(sys.argv[1]):
                print(program["name"].split(" ")[-1].split(":")[-1])


if __name__ == "__main__":
    main()
