/* replay_report.c - see replay_report.h. */
#include "commands/replay_report.h"

#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "report/results.h"
#include "report/table.h"
#include "workload/traces/trace.h"

#define PS_PER_US 1e6

static gint64 call_time(const DnJobResult *job, guint32 rank, guint32 call)
{
    return job->call_ps[(gsize)rank * job->n_calls + call];
}

gint64 dn_replay_makespan(const DnScenario *scenario, const DnSimulation *simulation, guint job)
{
    gint64 done_ps = 0;
    for (guint32 r = 0; r < simulation->jobs[job].ranks; r++)
        done_ps = MAX(done_ps, simulation->jobs[job].done_ps[r]);
    return done_ps - scenario->jobs[job].start_ps;
}

/* ---- tables ---- */

typedef struct {
    gint64 least, most;
    double sum;
} Spread;

static void spread_add(Spread *spread, gint64 value, gboolean first)
{
    spread->least = first ? value : MIN(spread->least, value);
    spread->most = first ? value : MAX(spread->most, value);
    spread->sum += (double)value;
}

static void spread_row(DnTable *table, const char *name, const Spread *spread, guint32 ranks,
                       double whole)
{
    dn_table_row(table);
    dn_table_cell(table, "%s", name);
    dn_table_number(table, (double)spread->least / PS_PER_US, 4);
    dn_table_number(table, spread->sum / ranks / PS_PER_US, 4);
    dn_table_number(table, (double)spread->most / PS_PER_US, 4);
    dn_table_cell(table, "%.1f", whole > 0 ? 100 * spread->sum / whole : 0);
}

static void calls_text(const DnScenario *scenario, const DnSimulation *simulation, guint j,
                       GString *out)
{
    const DnJobResult *job = &simulation->jobs[j];
    g_autoptr(DnTable) table = dn_table_new();
    Spread total = {0};
    dn_table_column(table, "time in", DN_ALIGN_LEFT);
    dn_table_column(table, "least us", DN_ALIGN_RIGHT);
    dn_table_column(table, "mean us", DN_ALIGN_RIGHT);
    dn_table_column(table, "most us", DN_ALIGN_RIGHT);
    dn_table_column(table, "share %", DN_ALIGN_RIGHT);
    for (guint32 r = 0; r < job->ranks; r++)
        spread_add(&total, job->done_ps[r] - scenario->jobs[j].start_ps, r == 0);
    for (guint32 c = 0; c < job->n_calls; c++) {
        Spread spread = {0};
        for (guint32 r = 0; r < job->ranks; r++)
            spread_add(&spread, call_time(job, r, c), r == 0);
        if (spread.most > 0)
            spread_row(table, c == DN_CALL_NONE ? "other" : dn_call_name(c), &spread, job->ranks,
                       total.sum);
    }
    spread_row(table, "all of a rank", &total, job->ranks, total.sum);
    g_autofree char *text = dn_table_text(table);
    g_string_append(out, text);
}

static void ideal_line(GString *out, const char *name, gint64 makespan_ps, gint64 ideal_ps)
{
    char buf[DN_UNIT_BUF];
    if (ideal_ps > 0)
        g_string_append_printf(out, "  %-19s %-12s %.3f\n", name, dn_format_time(ideal_ps, buf),
                               (double)makespan_ps / (double)ideal_ps);
}

char *dn_replay_text(const DnScenario *scenario, const DnSimulation *simulation, guint j,
                     const DnReplayIdeals *ideals)
{
    const DnJobResult *job = &simulation->jobs[j];
    gint64 makespan_ps = dn_replay_makespan(scenario, simulation, j);
    char buf[DN_UNIT_BUF];
    GString *out = g_string_new(NULL);
    g_string_append_printf(out,
                           "\njob %s: %u ranks, %" G_GUINT64_FORMAT " messages, makespan %s\n\n",
                           job->name, job->ranks, job->messages, dn_format_time(makespan_ps, buf));
    calls_text(scenario, simulation, j, out);
    if (ideals->both_ps > 0) {
        g_string_append(out, "\nslowdown against a network of\n");
        ideal_line(out, "infinite bandwidth", makespan_ps, ideals->bandwidth_ps);
        ideal_line(out, "zero latency", makespan_ps, ideals->latency_ps);
        ideal_line(out, "both", makespan_ps, ideals->both_ps);
    }
    return g_string_free(out, FALSE);
}

/* ---- calls.csv ---- */

static void add_row(GString *out, const DnJobResult *job, guint32 rank, const char *call,
                    gint64 time_ps)
{
    char buf[DN_NUMBER_BUF];
    g_string_append_printf(out, "%s,%u,%u,%s,%s\n", job->name, rank, job->endpoints[rank], call,
                           dn_format_fixed((double)time_ps / PS_PER_US, 6, buf));
}

gboolean dn_replay_write_calls(const DnSimulation *simulation, const char *path, GError **error)
{
    g_autoptr(GString) out = g_string_new("job,rank,endpoint,call,time_us\n");
    g_autoptr(GError) problem = NULL;
    for (guint j = 0; j < simulation->n_jobs; j++) {
        const DnJobResult *job = &simulation->jobs[j];
        for (guint32 r = 0; r < job->ranks && job->n_calls > 0; r++) {
            for (guint32 c = 0; c < job->n_calls; c++)
                if (call_time(job, r, c) > 0)
                    add_row(out, job, r, c == DN_CALL_NONE ? "other" : dn_call_name(c),
                            call_time(job, r, c));
            add_row(out, job, r, "total", job->done_ps[r]);
        }
    }
    if (g_file_set_contents(path, out->str, (gssize)out->len, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s", problem->message);
    return FALSE;
}
