#!/usr/bin/python3
"""analyzer_test.py - GCC's -fanalyzer over every C file of the program.

Usage: analyzer_test.py BUILD_FOLDER
Takes each command of compile_commands.json, with -fanalyzer, at -O1, without an output. Prints a
line for each floor and for each finding that KNOWN has no reason for; one that is not found any
more has to leave KNOWN.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

# (file, kind): why it is wrong
KNOWN = {
    ("routing/d_mod_k.c", "null-dereference"):
        "a loop that does not run when its list is NULL",
    ("runtime/runtime.c", "null-dereference"):
        "memory is NULL only while its size is counted, and then no rank is written",
    ("trace/darner_records.c", "null-dereference"):
        "a request is NULL only in a record that is marked as bad, which is asked first",
}
FINDING = re.compile(r"/src/([a-z_/0-9]+\.[ch]):(\d+):\d+: warning: (.*) \[-Wanalyzer-([a-z-]+)\]")


def analyze(entry):
    words = shlex.split(entry["command"])
    at = words.index("-o")
    words[at + 1] = "/dev/null"
    for option in ("-MQ", "-MF"):
        at = words.index(option)
        del words[at:at + 2]
    words = [word for word in words if word not in ("ccache", "-MD", "-Werror")]
    words += ["-O1", "-fanalyzer", "-U_FORTIFY_SOURCE", "-fdiagnostics-color=never"]
    done = subprocess.run(words, check=False, cwd=entry["directory"], capture_output=True,
                          text=True, env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stderr


def main():
    folder = pathlib.Path(sys.argv[1])
    entries = [entry for entry in json.loads((folder / "compile_commands.json").read_text())
               if re.search(r"libdarner_[a-z]+\.a\.p/", entry["output"]) and
               entry["file"].endswith(".c")]
    floors, bad, found = {}, 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, (status, said) in zip(entries, pool.map(analyze, entries)):
            file = entry["file"].split("/src/")[-1]
            floor = file.split("/")[0]
            floors.setdefault(floor, [0, 0])[0] += 1
            if status != 0:
                print(said)
                print(f"FAILED  analyzer {file}: does not compile")
                floors[floor][1] += 1
            for name, line, text, kind in FINDING.findall(said):
                found.add((name, kind))
                if (name, kind) not in KNOWN:
                    print(f"FAILED  analyzer src/{name}:{line}: {text} [{kind}]")
                    floors[floor][1] += 1
    for floor, (files, bad) in sorted(floors.items()):
        if bad == 0 and "/" not in floor and not floor.endswith(".c"):
            print(f"ok      analyzer {floor}: {files} files")
    for gone in sorted(set(KNOWN) - found):
        print(f"FAILED  analyzer {gone[0]}: {gone[1]} is known and not found any more")


if __name__ == "__main__":
    main()
