#!/usr/bin/python3
"""samples_test.py - every statistic of a run, worked out once more from its samples.csv.

Usage: samples_test.py OUT/RUN...
In plain Python, from the definitions in src/stats: quantiles of type 7, the exact binomial interval
of the median, percentile intervals of 1,000 resamples with the draws of src/base/rng.h. Compares
results.csv, statistics.csv and summary.json; prints a line for each run.
"""

import csv
import json
import math
import pathlib
import sys

MASK = (1 << 64) - 1
BOOTSTRAP = 7    # DN_DRAW_BOOTSTRAP of src/base/rng.h


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def draws(stream, resample, n):
    """n numbers below n, as dn_draw_below() of dn_draw() has them."""
    key = mix((stream + 0x9E3779B97F4A7C15) & MASK)
    key = mix(key ^ (BOOTSTRAP * 0xD1342543DE82EF95 & MASK))
    key = mix(key ^ ((resample + 0x632BE59BD9B4E019) & MASK))
    return [(mix((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 32) * n >> 32 for i in range(n)]


def quantile(values, p):
    values = sorted(values)
    at = p * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def tail_quantile(values, p):
    return quantile(values, p) if len(values) * min(p, 1 - p) >= 1 - 1e-9 else math.nan


def median(values):
    return quantile(values, 0.5)


def mad(values):
    middle = median(values)
    return median([abs(value - middle) for value in values])


def qcd(values):
    q1, q3 = quantile(values, 0.25), quantile(values, 0.75)
    return (q3 - q1) / (q3 + q1)


STATISTICS = {
    "min": min, "max": max, "median": median, "mad": mad, "qcd": qcd,
    "mean": lambda values: math.fsum(values) / len(values),
    "q1": lambda values: quantile(values, 0.25), "q3": lambda values: quantile(values, 0.75),
    "p5": lambda values: tail_quantile(values, 0.05),
    "p95": lambda values: tail_quantile(values, 0.95),
    "p99": lambda values: tail_quantile(values, 0.99),
}


def order_interval(values):
    """The largest rank l for which P(l <= count of those below <= n - l) >= 95 %."""
    n, rank, below = len(values), 0, 0.0
    while True:
        below += math.comb(n, rank) / 2 ** n
        if below > 0.025 or 2 * (rank + 1) > n:
            break
        rank += 1
    values = sorted(values)
    return (values[rank - 1], values[n - rank]) if rank else (math.nan, math.nan)


def percentile_interval(values):
    if any(math.isnan(value) for value in values):
        return math.nan, math.nan
    return quantile(values, 0.025), quantile(values, 0.975)


def resamples(groups, stream):
    """1,000 lists of values: of one group its values drawn, of several whole groups."""
    units = groups if len(groups) > 1 else [[value] for value in groups[0]]
    for b in range(1000):
        yield [value for u in draws(stream, b, len(units)) for value in units[u]]


def enough(groups):
    return sum(map(len, groups)) >= 6 and (len(groups) == 1 or len(groups) >= 6)


def interval(name, groups):
    values = [value for group in groups for value in group]
    if name in ("min", "max"):
        return math.nan, math.nan
    if name == "median" and len(groups) == 1:
        return order_interval(values)
    if not enough(groups):
        return math.nan, math.nan
    return percentile_interval([STATISTICS[name](drawn) for drawn in resamples(groups, 0)])


def slowdown_interval(alone, groups):
    if not enough(groups) or not enough(alone):
        return math.nan, math.nan
    paired = len(groups) > 1
    return percentile_interval([
        median(with_others) / median(without) for without, with_others in
        zip(resamples(alone, 1), resamples(groups, 1 if paired else 2))])


RATIOS = ("qcd", "slowdown", "summary.json")


class Mismatch(Exception):
    pass


def compare(what, got, want):
    got = math.nan if got in ("", None) else float(got)
    rounded = 6e-7 if any(word in what for word in RATIOS) else 2e-12    # decimals in the files
    same = math.isnan(got) and math.isnan(want) or abs(got - want) <= 1e-9 * abs(want) + rounded
    if not same:
        raise Mismatch(f"{what}: the file has {got}, the samples give {want}")


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def groups_of(samples, row, alone):
    found = {}
    for s in samples:
        if (s["job"], s["point"], s["alone"], s["flow"]) == (row["job"], row["point"], alone, ""):
            found.setdefault(int(s["repetition"]), []).append(float(s["time_s"]))
    return [found[r] for r in sorted(found)]


def check_results(samples, row):
    groups = groups_of(samples, row, "no")
    values = [value for group in groups for value in group]
    compare("iterations", row["iterations"], len(values))
    if not values:
        return
    for name, column in (("median", "time_median_s"), ("q1", "time_q1_s"), ("q3", "time_q3_s"),
                         ("min", "time_min_s"), ("max", "time_max_s"), ("mean", "time_mean_s"),
                         ("p5", "time_p5_s"), ("p95", "time_p95_s"), ("p99", "time_p99_s"),
                         ("qcd", "time_qcd"), ("mad", "time_mad_s")):
        compare(column, row[column], STATISTICS[name](values))
    low, high = interval("median", groups)
    compare("time_ci_low_s", row["time_ci_low_s"], low)
    compare("time_ci_high_s", row["time_ci_high_s"], high)
    fence = 1.5 * (quantile(values, 0.75) - quantile(values, 0.25))
    outside = [value for value in values if value < quantile(values, 0.25) - fence
               or value > quantile(values, 0.75) + fence]
    compare("time_outliers", row["time_outliers"], len(outside))
    if len(groups) > 1:
        medians = [median(group) for group in groups]
        compare("between_mad_s", row["between_mad_s"], mad(medians))
        compare("between_min_s", row["between_min_s"], min(medians))
        compare("between_max_s", row["between_max_s"], max(medians))
        compare("within_mad_s", row["within_mad_s"], median([mad(group) for group in groups]))
    alone = [value for group in groups_of(samples, row, "yes") for value in group]
    if alone:
        compare("slowdown", row["slowdown"], median(values) / median(alone))
        compare("slowdown_mean", row["slowdown_mean"],
                sum(values) / len(values) / (sum(alone) / len(alone)))


def check_statistic(samples, row):
    groups, alone = (groups_of(samples, row, word) for word in ("no", "yes"))
    values = [value for group in groups for value in group]
    if row["statistic"] == "slowdown":
        want = median(values) / median([value for group in alone for value in group])
        low, high = slowdown_interval(alone, groups)
    else:
        want = STATISTICS[row["statistic"]](values)
        low, high = interval(row["statistic"], groups)
    for column, wanted in (("value", want), ("ci_low", low), ("ci_high", high)):
        compare(f"{row['statistic']} {column}", row[column], wanted)


def check_summary(samples, folder):
    for point in json.loads((folder / "summary.json").read_text())["points"]:
        for job in point["jobs"]:
            row = {"job": job["name"], "point": str(point["point"])}
            values = [v for group in groups_of(samples, row, "no") for v in group]
            own = job.get("time_us") or {}
            for name in STATISTICS if values and own else ():
                compare(f"summary.json {name}", own[name],
                        STATISTICS[name](values) * (1 if name == "qcd" else 1e6))


def main():
    failed = False
    for argument in sys.argv[1:]:
        folder = pathlib.Path(argument)
        try:
            samples = read(folder / "samples.csv")
            if not samples:
                raise Mismatch("samples.csv is empty")
            for row in read(folder / "results.csv"):
                check_results(samples, row)
            statistics = read(folder / "statistics.csv")
            for row in statistics:
                check_statistic(samples, row)
            check_summary(samples, folder)
            print(f"ok      scripts samples: {len(statistics)} statistics of {folder.name} from "
                  f"{len(samples)} samples")
        except (Mismatch, OSError, KeyError) as error:
            print(f"FAILED  scripts samples: {folder}: {error}")
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
