#!/usr/bin/python3
"""docs_test.py - runs what the guides tell their readers to type, and checks what they refer to.

Usage: docs_test.py PROJECT DARNER
A fenced block `sh` is run, line after line; a fenced block after <!-- file: NAME --> is written to
that file first. Each guide has a folder of its own. Of all guides: relative links lead to files,
source files that stand in backticks exist, and so do functions and the commands of darner. One line
a test: "ok      docs ..." or "FAILED  docs ...".
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROJECT, DARNER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
GUIDES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", PROJECT / "src" / "README.md",
          *sorted((PROJECT / "docs").glob("*.md"))]
SOURCES = [p for folder in ("src", "scripts") for p in (PROJECT / folder).rglob("*")
           if p.suffix in (".c", ".h", ".cpp") and p.is_file()]
FENCE = re.compile(r"(?:<!-- file: (\S+) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def tell(good, text, why=""):
    if why:
        print(why)
    print(f"{'ok     ' if good else 'FAILED '} docs {text}")


def run_blocks(guide, folder):
    """Writes the guide's files and runs its commands, in their order."""
    env = dict(os.environ, DARNER_ROOT=str(PROJECT), HOME=str(folder),
               PATH=f"{DARNER.parent}:{PROJECT / 'scripts'}:{os.environ['PATH']}")
    for name, kind, text in FENCE.findall(guide.read_text(encoding="utf-8")):
        if name:
            (folder / name).write_text(text, encoding="utf-8")
        for command in text.splitlines() if kind == "sh" else []:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            tell(done.returncode == 0, f"{guide.name}: {command}",
                 "" if done.returncode == 0 else done.stdout)


def run_readme(folder):
    """The README's own runs: `./scripts/run configs/...`."""
    env = dict(os.environ, DARNER_ROOT=str(PROJECT))
    for command in re.findall(r"^    (\./scripts/run configs/.*)$",
                              (PROJECT / "README.md").read_text(encoding="utf-8"), re.MULTILINE):
        words = command.replace("configs/", f"{PROJECT}/configs/").split()
        done = subprocess.run([str(DARNER), "run", *words[1:]], cwd=folder, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        tell(done.returncode == 0, f"README.md: {command}",
             "" if done.returncode == 0 else done.stdout)


def wrong_links(guide, text):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not (guide.parent / link).exists():
            yield f"no file {link}"


def wrong_names(text, names, words):
    """@names: of the source files; @words: that stand in them."""
    for word in re.findall(r"`([\w/]+\.(?:c|h|cpp))`", text):
        example = re.search(r"(^|[/_])x[._]", word)
        if not example and not any(name.endswith("/" + word) for name in names):
            yield f"no source file {word}"
    for word in re.findall(r"`(dn_\w+?)(?:\(\))?`", text):
        if word not in words and not word.endswith(("_x", "_")):
            yield f"no {word} in the source"


def wrong_commands(text, known):
    for line in re.findall(r"^(?:    |)(?:build/src/)?darner ([a-z]+[a-z, ]*)", text, re.MULTILINE):
        for word in re.split(r", ", line.split("  ")[0]):
            if word.split()[0] not in known:
                yield f"no command darner {word}"


def main():
    names = [p.as_posix() for p in SOURCES]
    words = set()
    for path in SOURCES:
        words.update(re.findall(r"\bdn_\w+", path.read_text(encoding="utf-8")))
    listed = subprocess.run([str(DARNER), "--help"], stdout=subprocess.PIPE, text=True, check=True)
    known = set(re.findall(r"^  ([a-z]+)  ", listed.stdout, re.MULTILINE)) | {"help", "completion"}
    for guide in GUIDES:
        text = guide.read_text(encoding="utf-8")
        wrong = [*wrong_links(guide, text), *wrong_names(text, names, words),
                 *wrong_commands(text, known)]
        tell(not wrong, f"{guide.relative_to(PROJECT)}: what it refers to exists", "\n".join(wrong))
    with tempfile.TemporaryDirectory() as folder:
        run_readme(pathlib.Path(folder))
    for guide in GUIDES:
        if "```sh" in guide.read_text(encoding="utf-8"):
            with tempfile.TemporaryDirectory() as folder:
                run_blocks(guide, pathlib.Path(folder))


if __name__ == "__main__":
    main()
