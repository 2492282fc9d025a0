"""python_test.py - the package darner over the built library; prints TAP."""

import copy
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading

import darner

RUN = {"machine": "h200x4",
       "jobs": [{"name": "pair", "ranks": 2, "workload": {"type": "pingpong", "bytes": "1 KiB"}}]}
SIZES = {"jobs[0].workload.bytes": ["1 KiB", "1 MiB"]}


def raises(kind, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def test_machine():
    machine = darner.machine("lumi", nodes=2)
    assert (machine.nodes, machine.endpoints) == (2, 16)
    assert len(machine.table()) == machine.links
    assert (machine.table()["bandwidth_bps"] > 1e9).all()
    assert "lumi" in repr(machine)


def test_unknown_machine():
    assert "lumi" in str(raises(darner.Error, darner.machine, "lumy"))


def test_run_gives_a_data_frame():
    frame = darner.run(RUN).table()
    assert list(frame["job"]) == ["pair"]
    assert frame["time_median_s"].iloc[0] > 0


def test_path_text_and_dictionary_are_the_same_run():
    text = ("machine: h200x4\njobs:\n  - {name: pair, ranks: 2, workload: "
            "{type: pingpong, bytes: 1 KiB}}\n")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.yaml"
        path.write_text(text)
        times = {darner.run(spec).table()["time_median_s"].iloc[0] for spec in (RUN, text, path)}
    assert len(times) == 1


def test_sweep_and_summary():
    result = darner.sweep(RUN, SIZES)
    times = result.table()["time_median_s"]
    assert result.swept == list(SIZES) and len(times) == 2 and times[1] > times[0]
    assert result.summary["points_done"] == 2
    assert raises(KeyError, result.table, "nonsense")


def test_what_c_would_cut_is_refused():
    for spec, changes in (("machine: h200x4\n\0jobs: []\n", None), (RUN, {"seed": "1\0x"}),
                          ("run\0.yaml", None)):
        assert "NUL" in str(raises(ValueError, darner.run, spec, changes))
    assert "NUL" in str(raises(ValueError, darner.machine, "h200x4\0x"))
    for options, allowed in (({"threads": -1}, "0 to 256"), ({"threads": 2**32 + 1}, "0 to 256"),
                             ({"links": 2**32}, "0 to 4294967295")):
        assert allowed in str(raises(ValueError, darner.run, RUN, **options))
    assert "nodes -1;" in str(raises(ValueError, darner.machine, "h200x4", -1))
    assert "not '12'" in str(raises(TypeError, darner.sweep, RUN, {"seed": "12"}))


def test_what_the_library_made_is_not_copied():
    for held in (darner.run(RUN), darner.machine("h200x4")):
        for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
            assert "cannot be copied" in str(raises(TypeError, duplicate, held))
        assert len(pickle.loads(pickle.dumps(held.table()))) > 0
    raises(TypeError, darner.Machine, None)


def test_paths_of_any_bytes():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "\u00e9 \"quoted\".yaml"
        path.write_text("node:\n"
                        "  vertices: [{name: gpu, kind: gpu, count: 2}]\n"
                        "  links: {l: {bandwidth: 1 Gb/s, latency: 1 us, buffer: 1 MiB}}\n"
                        "  edges: [{all_to_all: gpu, class: l}]\n"
                        "endpoints: gpu\n")
        assert darner.machine(path).endpoints == 2
        missing = os.fsdecode(os.fsencode(folder) + b"/\xff.yaml")
        error = raises(darner.Error, darner.run, missing)
        assert error.file in (None, missing) and "xff.yaml" in str(error)
        raises(darner.Error, darner.machine, missing)
    assert "empty" in str(raises(ValueError, darner.run, ""))


def test_error_knows_its_place():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.yaml"
        path.write_text("machine: h200x4\njobs:\n  - {name: a, workload: {type: pingpong, "
                        "byts: 1}}\n")
        error = raises(darner.Error, darner.run, path)
    assert (error.kind, error.file, error.line) == ("input", str(path), 3) and error.column > 1
    assert "did you mean 'bytes'" in str(error)


def test_plot():
    import matplotlib
    matplotlib.use("Agg")
    axes = darner.sweep(RUN, SIZES).plot()
    assert axes.get_xscale() == "log" and len(axes.lines) == 1
    assert list(axes.lines[0].get_xdata()) == [1024, 1048576]


LONG = {**RUN, "jobs": [{**RUN["jobs"][0], "iterations": 1000000}]}


def test_control_c_stops_a_run():
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    raises(KeyboardInterrupt, darner.run, LONG)


def test_other_threads_run_meanwhile():
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(1)

    def stop(point, points, simulated_s):
        if len(ticks) > 20:
            raise StopIteration

    thread = threading.Thread(target=tick)
    thread.start()
    raises(StopIteration, darner.run, LONG, progress=stop)
    done.set()
    thread.join()
    assert len(ticks) > 20


def test_example():
    example = pathlib.Path(__file__).with_name("example.py")
    with tempfile.TemporaryDirectory() as folder:
        picture = os.path.join(folder, "times.svg")
        shown = subprocess.run([sys.executable, example, "--plot", picture], text=True, check=True,
                               capture_output=True, env={**os.environ, "MPLBACKEND": "Agg"})
        assert os.path.getsize(picture) > 1000
    assert "recursive_doubling" in shown.stdout and "did you mean 'bytes'" in shown.stdout


def main():
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    failed = 0
    for number, (name, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {number} {name}")
        except Exception as problem:
            failed += 1
            print(f"not ok {number} {name}\n# {type(problem).__name__}: {problem}")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


main()
