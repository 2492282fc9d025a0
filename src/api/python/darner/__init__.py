"""Darner: a simulator of the interconnects of HPC machines.

    import darner
    result = darner.run("run.yaml", set={"jobs[0].workload.bytes": "1 MiB"})
    print(result.table()[["job", "time_median_s"]])
    result.plot()

A run specification is the path of a run file, the text of one, or the same as a dictionary.
Results come as tables in SI units (seconds, bit/s, bytes), the columns of `darner help metrics`.
Mistakes in the input raise darner.Error, which knows the file, line and column. A long run releases
the interpreter lock, and Ctrl-C stops it with KeyboardInterrupt.
"""

from ._library import Error, version
from ._objects import Machine, Result, machine, run, sweep

__all__ = ["Error", "Machine", "Result", "machine", "run", "sweep", "version"]
__version__ = version()
