#!/usr/bin/python3
"""schema_test.py - the JSON schema of `darner help --schema` against the files that ship.

Usage: schema_test.py DARNER
Every machine, workload and run of the project is valid, and a file with one key changed is not.
Prints one line a test: `ok NAME` or `FAILED NAME`.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["configs", "configs/golden", "configs/noise", "topologies", "workloads"]


def files():
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).glob("*.yaml"))


def plain(tree):
    """Keys as JSON has them: text; YAML reads `1:` as a number."""
    if isinstance(tree, dict):
        return {str(key): plain(value) for key, value in tree.items()}
    return [plain(item) for item in tree] if isinstance(tree, list) else tree


def mappings(tree, path=()):
    """Every mapping whose keys a table knows."""
    free = {"links", "mechanisms", "sweep", "sizes", "intensity", "algorithm"}
    if path[:1] == ("sweep",):
        return  # values of any key
    if isinstance(tree, dict):
        if not path or path[-1] not in free:
            if "value" not in tree:
                yield path
        for key, value in tree.items():
            yield from mappings(value, path + (key,))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from mappings(value, path + (i,))


def at(tree, path):
    for step in path:
        tree = tree[step]
    return tree


def accepts_wrong(validator, tree):
    """The first mapping in which a key that nothing knows is accepted; or None."""
    for path in mappings(tree):
        if "machine" in path[:1] and "name" in tree.get("machine", {}):
            continue  # a machine by its name takes any key below its own
        wrong = copy.deepcopy(tree)
        at(wrong, path)["no_such_key"] = 1
        if validator.is_valid(wrong):
            return ".".join(map(str, path)) or "the file"
    return None


def check(validator, path):
    tree = plain(yaml.safe_load(path.read_text()))
    error = jsonschema.exceptions.best_match(validator.iter_errors(tree))
    if error is not None:
        where = ".".join(map(str, error.absolute_path))
        return f"{where}: {error.message[:200]}"
    where = accepts_wrong(validator, tree)
    return None if where is None else f"accepts an unknown key in {where}"


def unresolved(schema):
    """What the schema refers to and does not define."""
    named = re.findall(r'"\$ref": "#/\$defs/([^"]*)"', json.dumps(schema))
    return sorted(set(named) - set(schema["$defs"]))


def main():
    text = subprocess.run([sys.argv[1], "help", "--schema"], check=True, capture_output=True,
                          text=True).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    missing = unresolved(schema)
    print(f"FAILED  schema: {missing} are not there" if missing
          else "ok      schema defines all it uses")
    validator = jsonschema.Draft202012Validator(schema)
    for path in files():
        problem = check(validator, path)
        name = f"schema {path.relative_to(ROOT)}"
        print(f"ok      {name}" if problem is None else f"FAILED  {name}: {problem}")


if __name__ == "__main__":
    main()
