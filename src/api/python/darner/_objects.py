"""What users of the package handle: machines, runs and their results."""

import contextlib
import ctypes
import json
import os
import re
import signal
import threading

from . import _library
from ._library import call, call_checked

COUNTS = {"nodes": 1, "endpoints": 2, "switches": 3, "links": 4}


def _frame(table):
    """A pandas DataFrame of a table of the library; number columns hold floats or integers."""
    import pandas
    rows, columns = call("table_rows", table), range(call("table_columns", table))
    data = {}
    for column in columns:
        number = call("table_is_number", table, column)
        read = "table_number" if number else "table_text"
        values = [call(read, table, row, column) for row in range(rows)]
        if not number:
            values = [value.decode() for value in values]
        elif all(value.is_integer() and abs(value) < 2**53 for value in values):
            values = [int(value) for value in values]
        data[call("table_name", table, column).decode()] = values
    return pandas.DataFrame(data)


class _Held:
    """What the library made and frees: there is one object for it, no copy."""

    def __init__(self, handle):
        if not handle:
            raise TypeError("made by darner.machine(), darner.run() and darner.sweep() alone")
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            call(self._free, self._handle)

    def __reduce__(self):
        raise TypeError(f"a darner.{type(self).__name__} cannot be copied or pickled; its tables "
                        "can")


class Machine(_Held):
    """A machine as built: counts and links. Made by darner.machine()."""

    _free = "machine_free"

    def __init__(self, handle):
        super().__init__(handle)
        self.name = call("machine_name", handle).decode()
        self.description = call("machine_description", handle).decode()
        for name, code in COUNTS.items():
            setattr(self, name, call("machine_count", handle, code))

    def __repr__(self):
        return (f"<darner.Machine {self.name}: {self.nodes} nodes, {self.endpoints} endpoints, "
                f"{self.switches} switches, {self.links} links>")

    def table(self):
        """The links, one direction a row, as a DataFrame (bandwidth in bit/s, latency in s)."""
        table = call("machine_links", self._handle)
        try:
            return _frame(table)
        finally:
            call("table_free", table)


class Result(_Held):
    """What a run yielded. Made by darner.run() and darner.sweep()."""

    _free = "result_free"

    def __init__(self, handle, swept):
        super().__init__(handle)
        self.swept = swept
        self.summary = json.loads(call("result_summary", handle))

    def table(self, name="jobs"):
        """Table "jobs" (a row a point and job), "links" or "nics" as a DataFrame."""
        table = call("result_table", self._handle, _library.text(name))
        if table is None:
            raise KeyError(f"no table {name!r}; known: jobs, links, nics")
        return _frame(table)

    def plot(self, x=None, y="time_median_s", ax=None):
        """Draws a column of table "jobs" against a swept key, a line a job; returns the axes.

        x: a swept key; by default the first one. A key whose values are sizes ("4 KiB") or plain
        numbers is drawn on a logarithmic axis, any other as categories.
        """
        import matplotlib.pyplot as pyplot
        frame = self.table()
        x = x if x is not None else self.swept[0] if self.swept else "job"
        if ax is None:
            ax = pyplot.subplots()[1]
        for job, rows in frame.groupby("job", sort=False):
            ax.plot([_size(value) for value in rows[x]], rows[y], marker="o", label=job)
        if frame[x].map(_size).map(lambda value: not isinstance(value, str)).all():
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.legend()
        return ax


def _size(value):
    """Bytes of "4 KiB", a float of "4", or the text itself."""
    units = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    words = str(value).split()
    try:
        if len(words) == 2 and words[1] in units:
            return float(words[0]) * units[words[1]]
        return float(value)
    except ValueError:
        return str(value)


def _yaml(value):
    """YAML of dictionaries, lists and scalars; plain words stay plain, as in a run file."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_yaml(key)}: {_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_yaml, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"[\w./%]([\w ./%+-]*[\w./%+-])?", value):
        return value
    return json.dumps(os.fspath(value) if isinstance(value, os.PathLike) else value)


def _overrides(changes):
    """["key=value", ...] of {"key": value}."""
    return [f"{key}={value if isinstance(value, str) else _yaml(value)}"
            for key, value in (changes or {}).items()]


def _path(path):
    name = os.fsencode(os.fspath(path))
    if not name:
        raise ValueError("an empty path")
    if b"\0" in name:
        raise ValueError(f"a NUL character in {os.fspath(path)!r}")
    return name


def _spec(spec, changes):
    overrides = _library.texts(_overrides(changes))
    if isinstance(spec, dict):
        return call_checked("spec_parse", _library.text(_yaml(spec)), b"dictionary", overrides)
    text = os.fspath(spec)
    if isinstance(spec, str) and "\n" in text:
        return call_checked("spec_parse", _library.text(text), b"text", overrides)
    if not isinstance(text, str):
        raise TypeError(f"a path is wanted as text, not {text!r}")
    return call_checked("spec_load", _path(text), overrides)


@contextlib.contextmanager
def _interrupts(stopped):
    """Meanwhile Ctrl-C is kept in @stopped: an exception in a callback could not cross C.

    Only the main thread may set signal handlers; in another one Ctrl-C stays with the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: stopped.append(KeyboardInterrupt()))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)


def run(spec, set=None, *, engine=None, threads=0, links=0, progress=None):
    """Simulates a run specification and returns its Result.

    spec      the path of a run file, the text of one, or the same as a dictionary
    set       {"jobs[0].workload.bytes": "1 MiB", ...}: keys to set, as `darner run --set`
    engine    "packet", "flow" or "bound"; None: the specification's
    threads   of the engine; results do not depend on it
    links     busiest links a point in table "links"; 0: 256
    progress  called as progress(point, points, simulated_s) several times a second

    Raises Error, and KeyboardInterrupt when Ctrl-C came during the run.
    """
    stopped = []

    def report(_, point, points, simulated_s):
        try:
            if progress is not None and not stopped:
                progress(point, points, simulated_s)
        except BaseException as problem:  # must not cross C
            stopped.append(problem)
        return 1 if stopped else 0

    options = _library.Options(ctypes.sizeof(_library.Options),
                               _library.text(engine) if engine is not None else None,
                               _library.count("threads", threads, 256),
                               _library.count("links", links),
                               _library.PROGRESS(report), None)
    handle = _spec(spec, set)
    try:
        swept = [call("spec_swept_key", handle, key).decode()
                 for key in range(call("spec_swept_keys", handle))]
        with _interrupts(stopped):
            result = Result(call_checked("run", handle, ctypes.byref(options)), swept)
    except _library.Error:
        if not stopped:
            raise
    finally:
        call("spec_free", handle)
    if stopped:
        raise stopped[0]
    return result


def sweep(spec, over, set=None, **options):
    """As run(), once for each combination of values: over = {"key": [values], ...}."""
    for key, values in over.items():
        if isinstance(values, str):
            raise TypeError(f"{key}: a list of values is wanted, not {values!r}")
    values = {key: list(values) for key, values in over.items()}
    return run(spec, {**(set or {}), "sweep": values}, **options)


def machine(name, nodes=0):
    """Reads and builds a machine: a name in topologies/ or the path of a machine file.

    nodes: build only that many, with all switches; 0: all.
    """
    return Machine(call_checked("machine_load", _path(name), _library.count("nodes", nodes)))
