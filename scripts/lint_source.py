#!/usr/bin/python3
"""lint_source.py - the house rules that no ready tool checks; one line a finding.

    floors     a source file includes headers of its own floor or of a lower one only
    length     no function is longer than 60 lines, from its opening brace to its closing one
    size       no C file is longer than 500 lines, no file of a subcommand longer than 150; those
               that still are may not grow beyond the limit listed in LONG_FILES
    structs    no struct has more than 30 fields; those that still have may not grow beyond the
               limit listed in LARGE_STRUCTS
    parameters each @name in a comment is in the code beside it: what the comment describes is there
    columns    no line of code is wider than 100 characters (YAML may quote long sources)
    yaml       every YAML file parses
    words      no identifier, key, comment or text of a message has a retired word
               (docs/glossary.md), no static function is named with one word, and the first
               sentence of a source file has a subject

Each rule prints its findings as `file:line: text`; the exit status is 1 when there is one.
Usage: lint_source.py RULE (in the project's top folder)
"""

import pathlib
import re
import sys

FLOORS = ["base", "record", "config", "topology", "routing", "workload", "trace", "endpoint",
          "engine", "analysis", "runtime", "stats", "experiment", "calibration", "report",
          "validation", "api", "fuzz", "commands"]
# Rank programs and copy mechanisms are the same on every machine: they see no graph.
# The recorder lives in other people's programs: of ours it has the format alone.
NARROW = {"record": {"base", "record"}, "workload": {"base", "config", "workload"},
          "endpoint": {"base", "config", "endpoint"},
          "trace": {"base", "config", "workload", "trace"}}
FOLDERS = ["src", "scripts", ".ci", "topologies", "workloads", "traces", "configs", "validation"]
MAX_LINES = 60
MAX_COLUMNS = 100
MAX_FILE_LINES = 500
MAX_COMMAND_LINES = 150
LONG_FILES = {}  # path: lines; limits that only shrink
MAX_FIELDS = 30
LARGE_STRUCTS = {}  # name: fields; limits that only shrink


def sources(*patterns):
    """Files whose name fits one of @patterns, in a stable order; not what builds and runs leave."""
    found = set()
    for folder in FOLDERS:
        for pattern in patterns:
            found.update(p for p in pathlib.Path(folder).rglob(pattern) if p.is_file())
    for pattern in patterns:
        found.update(p for p in pathlib.Path(".").glob(pattern) if p.is_file())
    return sorted(p for p in found if "__pycache__" not in p.parts)


def allowed(floor):
    return NARROW.get(floor, set(FLOORS[:FLOORS.index(floor) + 1]))


def floors():
    for path in sources("*.c", "*.h", "*.cpp", "*.in"):
        parts = path.parts
        if len(parts) < 3 or parts[0] != "src":
            continue  # main.c and the registry template stand above every floor
        if parts[1] not in FLOORS:
            yield path, 1, f"src/{parts[1]} is not a floor; known: {', '.join(FLOORS)}"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"([^"/]+)/', line)
            if match and match[1] not in allowed(parts[1]):
                yield path, number, (f"{parts[1]} may not include {match[1]}/; "
                                     f"allowed: {', '.join(sorted(allowed(parts[1])))}")


def length():
    for path in sources("*.c", "*.h", "*.cpp"):
        opened, name, previous = None, "", ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line == "{":
                opened, name = number, previous
            elif line.startswith("}") and opened:
                lines = number - opened + 1
                if lines > MAX_LINES:
                    yield path, opened, f"{lines} lines, allowed {MAX_LINES}: {name.strip()}"
                opened = None
            previous = line


def size():
    build = pathlib.Path("src/commands/meson.build").read_text()
    commands = {f"src/commands/{name}.c" for name in re.findall(r"^  \['(\w+)', '", build, re.M)}
    for path in sources("*.c", "*.h", "*.cpp"):
        lines = len(path.read_text().splitlines())
        most = MAX_COMMAND_LINES if str(path) in commands else MAX_FILE_LINES
        most = LONG_FILES.get(str(path), most)
        if lines > most:
            yield path, 1, f"{lines} lines, allowed {most}"


def field_macros(texts):
    """Macros that list fields, NAME(F, ...) as F(type, field, ...) F(...): the fields of each row
    macro, in the order of the arguments."""
    macros = {}
    for text in texts:
        for name, rows, body in re.findall(r"^#define (\w+)\((\w[\w, ]*)\)((?:[^\n]*\\\n)+[^\n]*)",
                                           text, re.M):
            macros[name] = [len(re.findall(rf"\b{row}\(", body)) for row in rows.split(", ")]
    return macros


def listed_fields(match, macros):
    """What a use of such a macro declares; a row macro called ..._NO_MEMBER declares nothing."""
    counts = macros.get(match[1], [])
    rows = [row.strip() for row in match[2].split(",")]
    n = sum(count for row, count in zip(rows, counts) if not row.endswith("_NO_MEMBER"))
    return "field;" * n or match[0]


def struct_fields(body, macros):
    """Fields of a struct, @body being what stands between its braces, without comments; a struct
    or union inside it counts as one field for each of its names."""
    body = re.sub(r"\b(\w+)\((\w[\w, ]*)\)", lambda m: listed_fields(m, macros), body)
    while (inner := re.sub(r"\{[^{}]*\}|\([^()]*\)", "", body)) != body:
        body = inner
    lines = [line for line in body.split(";") if line.strip()]
    return sum(1 + line.count(",") for line in lines)


def structs():
    paths = sources("*.c", "*.h", "*.cpp")
    macros = field_macros(path.read_text() for path in paths)
    for path in paths:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]),
                      path.read_text(), flags=re.DOTALL)
        for match in re.finditer(r"\bstruct\b\s*(\w*)\s*\{", text):
            end, depth = match.end(), 1
            while depth > 0 and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            name = re.match(r"\s*(\w+)", text[end:])
            name = name[1] if name else match[1]
            fields = struct_fields(text[match.end():end - 1], macros)
            most = LARGE_STRUCTS.get(name, MAX_FIELDS)
            if fields > most:
                yield path, text.count("\n", 0, match.start()) + 1, (
                    f"{name} has {fields} fields, allowed {most}")


def beside(text, comment):
    """The code around a comment without what other comments say: from the paragraph in which it
    stands to the second one behind it."""
    before = re.split(r"\n\s*\n", text[:comment.start()])[-1]
    behind = re.split(r"\n\s*\n", text[comment.end():], maxsplit=2)[:2]
    return re.sub(r"/\*.*?\*/", "", before + "\n".join(behind), flags=re.S)


def parameters():
    for path in sources("*.c", "*.h"):
        text = path.read_text()
        for comment in re.finditer(r"/\*.*?\*/", text, re.S):
            names = set(re.findall(r"(?<!\w)@(\w+)", comment[0]))
            if not names or not text[:comment.start()].strip():
                continue  # the head of a file describes all of it
            code = beside(text, comment)
            for name in sorted(n for n in names if not re.search(rf"\b{n}\b", code)):
                number = text[:comment.start()].count("\n") + 1
                yield path, number, f"@{name} is not in the code that this comment describes"


def columns():
    scripts = {p for folder in ("scripts", ".ci") for p in pathlib.Path(folder).iterdir()
               if p.is_file()}
    texts = sources("*.c", "*.h", "*.cpp", "*.in", "*.py", "*.sh", "meson.build",
                    "meson_options.txt")
    for path in sorted(scripts.union(texts)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > MAX_COLUMNS:
                yield path, number, f"{len(line)} columns, allowed {MAX_COLUMNS}"
            if line != line.rstrip():
                yield path, number, "blanks at the end of the line"


def yaml():
    import yaml as pyyaml
    for path in sources("*.yaml", "*.yml"):
        if "bad" in path.parts:
            continue  # wrong on purpose
        try:
            with path.open() as file:
                pyyaml.safe_load(file)
        except pyyaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            yield path, mark.line + 1 if mark else 1, getattr(error, "problem", str(error))


# Words that once stood for a term of the glossary; as a part of an identifier.
RETIRED = set("way ways room rooms train trains told tell tells crowd crowds crowding parcel "
              "parcels outbox scene scenes tally tallies blame culprit beside yardstick "
              "yardsticks board scoreboard beat coarse".split())
ALLOWED = set()
# In comments and texts only words that mean nothing else; `way` stands where no idiom is.
RETIRED_IN_TEXT = re.compile(r"\b(yardsticks?|scoreboard|outbox|parcels?|culprits?|trains?|told|"
                             r"rooms?|blames?|crowd(?:s|ing|ed)?)\b", re.I)
WAY = re.compile(r"(?<![\w-])(ways?)\b", re.I)
WAY_IDIOM = re.compile(r"(?:under|one|both|either|each|other|same|whichever|by|on the|on its|every)"
                       r"[\s*]+ways?\b|\bways? (?:to|of|out|back)\b", re.I)
QUOTES_OLD_NAMES = {"renamed_keys.c", "renamed_keys_cli_test.c"}  # what users may still write
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|"""
                   r"""'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*""", re.DOTALL)
STATIC = re.compile(r"^static (?:inline )?[\w *]*?\b([a-z0-9]+_?)\([^;{]*\)\s*\{", re.MULTILINE)
KEY = re.compile(r'\{"(\w+)",\s*DN_PARAM_')
NO_SUBJECT = re.compile(r"/\* \S+ - ((?:what|who|how|when|which|whose|where|whether|why|of|in|for|"
                        r"with|by|as|to|from|on|at)\b[^,.;:\n]*)")


def retired_parts(word):
    """One-way is a term: a transfer in one direction."""
    word = re.sub(r"(?i)one_way", "", word)
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word)
    return [] if word in ALLOWED else [p for p in parts if p.lower() in RETIRED]


def words():
    for path in sources("*.c", "*.h", "*.cpp"):
        if path.parts[0] != "src":
            continue  # programs of their own
        text = path.read_text()
        for match in TOKEN.finditer(text):
            token, number = match[0], text.count("\n", 0, match.start()) + 1
            if token[0] in "/\"" and path.name not in QUOTES_OLD_NAMES:
                found = RETIRED_IN_TEXT.findall(token) + WAY.findall(WAY_IDIOM.sub("", token))
            else:
                found = retired_parts(token) if token[0] not in "/\"'" else []
            if found:
                yield path, number, f"retired word '{found[0]}'; docs/glossary.md has the term"
        for match in STATIC.finditer(text):
            yield path, text.count("\n", 0, match.start()) + 1, (
                f"static function '{match[1]}'; allowed: object_verb, such as {path.stem}_run")
        for match in KEY.finditer(text):
            if retired_parts(match[1]):
                yield path, text.count("\n", 0, match.start()) + 1, (
                    f"key '{match[1]}' of files; docs/glossary.md has the term")
        match = NO_SUBJECT.match(text)
        if match:
            yield path, 1, f"the first sentence has no subject: '{match[1]}'"


RULES = {"floors": floors, "length": length, "size": size, "structs": structs,
         "columns": columns, "parameters": parameters, "yaml": yaml, "words": words}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        sys.exit(f"usage: lint_source.py {'|'.join(RULES)}")
    found = 0
    for path, number, text in RULES[sys.argv[1]]():
        print(f"{path}:{number}: {text}")
        found += 1
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
