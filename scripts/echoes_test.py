#!/usr/bin/python3
"""echoes_test.py - which rows echoes.py takes for echoes of calibrated ones, and which not."""

import echoes

RUN = {"machine": "lumi", "nodes": 2, "seed": 1,
       "jobs": [{"name": "pair", "mechanism": "mpi", "placement": [0, 8], "iterations": 3,
                 "workload": {"type": "pingpong", "bytes": "1 KiB"}}]}
OTHER = {"machine": {"name": "lumi"}, "nodes": 2, "seed": 7, "repeat": 4, "description": "again",
         "jobs": [{"name": "other", "mechanism": "mpi", "placement": [0, 8],
                   "workload": {"type": "pingpong", "bytes": "1024 B"}}]}
SIZE = "jobs[0].workload.bytes"


def why(fitted, size, value, metric="time_us", **keys):
    named = {SIZE: size, **{key.replace("__", "."): text for key, text in keys.items()}}
    physics, found, *_ = echoes.resolve(RUN, named)
    return fitted.why(physics, 0, metric, found, value)


def main():
    physics, size = echoes.resolve(RUN, {})
    assert size == 1024 and echoes.resolve(OTHER, {}) == (physics, size)
    for key, value in (("jobs[0].placement", "[0, 9]"), ("jobs[0].mechanism", "ccl"),
                       ("nodes", "3"), ("machine.fabric.groups", "2"),
                       ("jobs[0].workload.window", "2"), ("jobs[0].noise.period", "1 us"),
                       ("routing.algorithm", "valiant")):
        assert echoes.resolve(RUN, {key: value})[0] != physics, key

    # 2 us and 1 us for 10 KiB, fitted at 1 KiB and 11 KiB
    fitted = echoes.Fitted()
    fitted.add(physics, 0, "time_us", 1024, 2.1, "small")
    fitted.add(physics, 0, "time_us", 11 * 1024, 3.1, "large")
    assert why(fitted, "1 KiB", 9.9)               # another seed: whatever it yields
    assert why(fitted, "8 B", 2.1)                 # what does not depend on the size
    assert why(fitted, "6 KiB", 2.6)               # between them
    assert why(fitted, "21 KiB", 4.1)              # beyond them, on their line
    assert not why(fitted, "6 KiB", 2.7)           # something else acts
    assert not why(fitted, "21 KiB", 4.5)
    assert not why(fitted, "6 KiB", 2.6, metric="time_p99_us")
    assert not why(fitted, "6 KiB", 2.6, nodes="4")
    assert not why(fitted, "6 KiB", float("nan"))

    # a rate: as long a byte
    fitted = echoes.Fitted()
    fitted.add(physics, 0, "goodput_gbps", 1024, 100.0, "plateau")
    assert why(fitted, "2 KiB", 100.5, metric="goodput_gbps")
    assert not why(fitted, "2 KiB", 105, metric="goodput_gbps")
    print("ok echoes")


if __name__ == "__main__":
    main()
