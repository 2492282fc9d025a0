#!/usr/bin/python3
"""expected.py - writes the expected.csv of the h200x4 cases: medians of h200x4.csv.gz."""

import csv
import gzip
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
HEADER = ["job", "metric", "measured", "tolerance_percent", "role", "reason"]
MIB = 1 << 20


def medians_of(name, columns):
    samples = {}
    with gzip.open(HERE / name, "rt", newline="") as file:
        for row in csv.DictReader(file):
            key = tuple(row[column] for column in columns) + (int(row["bytes"]),)
            samples.setdefault(key, []).append(float(row["time_us"]))
    return {key: statistics.median(times) for key, times in samples.items()}


def medians():
    return medians_of("h200x4.csv.gz", ("experiment", "mechanism", "pattern"))


def size_text(size):
    for unit, prefix in ((1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if size % unit == 0:
            return f"{size // unit} {prefix}"
    return f"{size} B"


def write(case, header, rows):
    with (HERE.parent / case / "expected.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def flag(data):
    rows = []
    for (experiment, _, pattern, _), time in sorted(data.items()):
        if experiment == "flag_pingpong":
            a, b = pattern.split("-")
            rows.append([f"[{a}, {b}]", "flag", "time_us", f"{time:.4f}", 10, "calibrated",
                         "one latency stands for six pairs whose medians differ by 12 %"])
    write("h200x4-flag", ["jobs[0].workload.between"] + HEADER, rows)


def p2p(data):
    rows = []
    for (experiment, mechanism, _, size), time in sorted(data.items()):
        if (experiment, mechanism) == ("p2p", "d2d"):
            small = size < 16 * MIB
            reason = ("the medians of neighbouring sizes scatter by 4 %, and one step at "
                      "setup_threshold stands for a start-up that grows in several" if small
                      else "a rate and a start-up time describe large copies")
            rows.append([size_text(size), "copy", "time_us", f"{time:.3f}", 5, "calibrated",
                         reason])
    write("h200x4-p2p", ["jobs[0].workload.bytes"] + HEADER, rows)


def pairs(data):
    rows = []
    for (experiment, _, pattern, size), time in sorted(data.items()):
        if experiment == "flows" and pattern.startswith("pair_"):
            a, b = pattern.split("_")[1:]
            rows.append([f"[[{a}, {b}]]", "copy", "time_us", f"{time:.3f}", 2, "predicted",
                         "the pairs' own medians differ by 0.23 %; only 0-1 was calibrated on"])
            assert size == 256 * MIB
    write("h200x4-pairs", ["jobs[0].workload.flows"] + HEADER, rows)


def patterns(data):
    rows = []
    for (experiment, _, pattern, size), time in sorted(data.items()):
        if experiment != "flows" or pattern.startswith("pair_"):
            continue
        large = size >= 16 * MIB
        reason = ("nothing was fitted to a pattern; wire time dominates" if large
                  else "start-up costs of overlapping copies weigh as much as the wire, and p2p "
                       "copies alone do not part them")
        rows.append([pattern, size_text(size), "copies", "time_us", f"{time:.3f}",
                     10, "predicted", reason])
    write("h200x4-patterns", ["run", "jobs[0].workload.bytes"] + HEADER, rows)


def nccl_p2p(data):
    rows = []
    for (experiment, _, _, size), time in sorted(data.items()):
        if experiment == "sendrecv":
            rows.append([size_text(size), "sendrecv", "time_us", f"{time:.3f}", 20, "calibrated",
                         "four pieces stand for a curve; the first calls of 1 to 4 B are slower"])
    write("h200x4-nccl-p2p", ["jobs[0].workload.bytes"] + HEADER, rows)


def collective_row(run, size, gpus, time):
    block = size // gpus if run.split("-")[0] in ("allgather", "alltoall") else size
    tolerance = 10 if run == "alltoall-2" else 25
    return [run, size_text(block), "collective", "time_us", f"{time:.3f}", tolerance, "predicted",
            "nothing was fitted to a collective; the median says more than one row"]


def collectives(_):
    names = {"allreduce": "allreduce", "allgather": "allgather", "alltoall": "alltoall",
             "reducescatter": "reduce_scatter", "broadcast": "bcast"}
    rows = []
    whole = medians_of("h200x4.csv.gz", ("experiment", "gpus"))
    for (experiment, gpus, size), time in sorted(whole.items()):
        if experiment in names:
            rows.append(collective_row(f"{names[experiment]}-{gpus}", size, int(gpus), time))
    forced = medians_of("algo.csv.gz", ("mechanism", "gpus"))
    for (mechanism, gpus, size), time in sorted(forced.items()):
        run = f"allreduce-{mechanism.removeprefix('nccl_')}-{gpus}"
        rows.append(collective_row(run, size, int(gpus), time))
    write("h200x4-collectives", ["run", "jobs[0].workload.bytes"] + HEADER, rows)


def kput(_):
    rows = []
    data = medians_of("h200x4.csv.gz", ("experiment", "ctas"))
    for experiment, ctas, size in sorted(data, key=lambda key: (key[2], int(key[1]))):
        if experiment != "kput":
            continue
        time = data[experiment, ctas, size]
        streamed = size > 50_000_000
        fitted = (ctas == "1" and size >= MIB) or (ctas == "132" and streamed) or size == 4096
        ctas_of = ["", ctas] if streamed else [ctas, ""]
        rows.append(["streamed" if streamed else "cached", size_text(size)] + ctas_of +
                    ["kernel", "time_us", f"{time:.3f}"] +
                    ([6, "calibrated", "one CTA gives its rate, 132 the wire's, 4 KiB the launch"]
                     if fitted else
                     [10, "predicted", "blocks slow each other down before the wire is full"]))
    write("h200x4-kput", ["run", "jobs[0].workload.bytes", "machine.mechanisms.kput-cached.ctas",
                          "machine.mechanisms.kput-streamed.ctas"] + HEADER, rows)


if __name__ == "__main__":
    data = medians()
    for case in (flag, p2p, pairs, patterns, nccl_p2p, collectives, kput):
        case(data)
