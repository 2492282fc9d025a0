/* sample_rows.c - see sample_rows.h. */
#include "report/sample_rows.h"

#include <math.h>

#include "base/csv.h"
#include "experiment/experiment.h"
#include "report/file_columns.h"

const DnSampleColumn dn_sample_columns[] = {
    {"job", "", "the job's name"},
    {"point", "", "number of the point in the sweep, from 0"},
    {"repetition", "", "number of the repetition of that point, from 0"},
    {"seed", "", "of the repetition; own_seed in a sweep over `seed`"},
    {"iteration", "", "number of the iteration in the repetition, from 0"},
    {"alone", "yes/no", "yes: with `slowdown: yes`, without the other jobs"},
    {"start_s", "s", "simulated time at which it began; with `barrier: yes`, its barrier"},
    {"time_s", "s", "its time, as the field counts it (ping-pong: half)"},
    {"flow", "",
     "of a row of a listed flow (`flows`): its number, from 0; start and time are from "
     "its send to its complete receive, in the first repetition; else empty"},
    {0},
};

const DnSampleColumn dn_statistic_columns[] = {
    {"job", "", "the job's name"},
    {"point", "", "number of the point in the sweep, from 0"},
    {"statistic", "", "which one, of the times of the iterations"},
    {"unit", "", "of the value and its interval"},
    {"value", "", "the statistic of all iterations of all repetitions"},
    {"ci_low", "", "lower end of its 95 % interval; empty: too few iterations or repetitions"},
    {"ci_high", "", "upper end of it"},
    {"method", "", "how the interval was found"},
    {"samples", "", "iterations"},
    {"repetitions", "", "repetitions they are of"},
    {0},
};

typedef struct {
    GString *out;
    const char *swept;
    guint point;
    const DnRunResult *result;
    const DnJobResult *job;
} Rows;

static void begin_row(const Rows *rows)
{
    g_string_append(rows->out, rows->swept);
    dn_csv_cell(rows->out, rows->job->name);
    dn_csv_int(rows->out, rows->point);
}

/* As every other file has it. */
static void add_seconds(GString *out, gint64 ps)
{
    dn_csv_number(out, (double)ps * 1e-6 * 1e-6, DN_TIME_DECIMALS);
}

static void add_times(const Rows *rows, const DnIterationTimes *times, gboolean alone)
{
    guint repetitions = times->per_repetition != NULL ? rows->result->repetitions : 1;
    for (guint32 r = 0, at = 0; r < repetitions; r++) {
        guint32 n = times->per_repetition != NULL ? times->per_repetition[r] : times->n;
        for (guint32 i = 0; i < n; i++, at++) {
            begin_row(rows);
            dn_csv_int(rows->out, r);
            dn_csv_int(rows->out, (gint64)(rows->result->seed + r));
            dn_csv_int(rows->out, i);
            dn_csv_cell(rows->out, alone ? "yes" : "no");
            add_seconds(rows->out, i > 0 ? times->end_ps[at - 1] : rows->job->start_ps);
            add_seconds(rows->out, times->time_ps[at]);
            dn_csv_cell(rows->out, "");
            dn_csv_end_row(rows->out);
        }
    }
}

static void add_flows(const Rows *rows)
{
    const DnFlowTimes *flows = &rows->job->flows;
    for (guint32 i = 0; i < flows->n_times; i++) {
        const DnFlowTime *flow = &flows->times[i];
        begin_row(rows);
        dn_csv_int(rows->out, 0);
        dn_csv_int(rows->out, (gint64)rows->result->seed);
        dn_csv_int(rows->out, i / flows->n);
        dn_csv_cell(rows->out, "no");
        add_seconds(rows->out, flow->start_ps);
        add_seconds(rows->out, flow->end_ps - flow->start_ps);
        dn_csv_int(rows->out, i % flows->n);
        dn_csv_end_row(rows->out);
    }
}

void dn_sample_rows_add(GString *out, const char *swept, guint point, const DnRunResult *result)
{
    for (guint j = 0; j < result->n_jobs; j++) {
        const DnJobResult *job = &result->jobs[j];
        const Rows rows = {out, swept, point, result, job};
        const DnIterationTimes times = {.n = job->load.unpaced ? 0 : job->n_iterations,
                                        .time_ps = job->iteration_ps,
                                        .end_ps = job->end_ps,
                                        .per_repetition = job->per_repetition};
        if (times.n > 0)
            add_times(&rows, &times, FALSE);
        add_flows(&rows);
        add_times(&rows, &job->alone, TRUE);
    }
}

static void add_statistic(const Rows *rows, const char *name, gboolean time, DnEstimate e,
                          const char *method)
{
    double scale = time ? 1e-6 : 1.0;
    int decimals = time ? DN_TIME_DECIMALS : 6;
    begin_row(rows);
    dn_csv_cell(rows->out, name);
    dn_csv_cell(rows->out, time ? "s" : "");
    dn_csv_number(rows->out, e.estimate * scale, decimals);
    dn_csv_number(rows->out, e.low * scale, decimals);
    dn_csv_number(rows->out, e.high * scale, decimals);
    dn_csv_cell(rows->out, isnan(e.low) ? "" : method);
    dn_csv_int(rows->out, rows->job->n_iterations);
    dn_csv_int(rows->out, rows->result->repetitions);
    dn_csv_end_row(rows->out);
}

static gboolean is_extreme(const char *name)
{
    return g_str_equal(name, "min") || g_str_equal(name, "max");
}

static void add_summary(const Rows *rows, const DnSample *sample)
{
    static const char *const names[] = {"min", "p5",  "q1",   "median", "q3",  "p95",
                                        "p99", "max", "mean", "qcd",    "mad", NULL};
    gboolean grouped = sample->n_groups > 1;
    const char *resampled = grouped ? "bootstrap of repetitions" : "bootstrap of iterations";
    DnSummary all = dn_summary(sample->values, sample->n), low, high;
    dn_bootstrap_summary(sample, &low, &high);
    for (const DnSummaryField *f = dn_summary_fields; f->name != NULL; f++) {
        DnEstimate e = {dn_summary_value(&all, f), dn_summary_value(&low, f),
                        dn_summary_value(&high, f)};
        gboolean exact = g_str_equal(f->name, "median") && !grouped;
        if (!g_strv_contains(names, f->name) || isnan(e.estimate))
            continue;
        if (exact)
            e.low = all.ci_low, e.high = all.ci_high;
        if (is_extreme(f->name)) /* no resample lies beyond them */
            e.low = e.high = NAN;
        add_statistic(rows, f->name, !g_str_equal(f->name, "qcd"), e,
                      exact ? "order statistics" : resampled);
    }
}

void dn_statistic_rows_add(GString *out, const char *swept, guint point, const DnRunResult *result)
{
    for (guint j = 0; j < result->n_jobs; j++) {
        const Rows rows = {out, swept, point, result, &result->jobs[j]};
        g_auto(DnJobSample) sample = dn_job_sample(rows.job, result->repetitions);
        g_auto(DnJobSample) alone = dn_job_sample_alone(rows.job, result->repetitions);
        if (sample.sample.n < 2)
            continue;
        add_summary(&rows, &sample.sample);
        gboolean paired = sample.sample.n_groups == alone.sample.n_groups;
        if (alone.sample.n > 0)
            add_statistic(
                &rows, "slowdown", FALSE, dn_bootstrap_ratio(&alone.sample, &sample.sample, paired),
                result->repetitions > 1 ? "bootstrap of repetitions" : "bootstrap of iterations");
    }
}
