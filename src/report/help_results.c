/* help_results.c - The contents of a run's files: metrics, columns and costs, from their tables. */
#include "report/help_results.h"

#include "endpoint/mechanism.h"
#include "experiment/metrics.h"
#include "report/file_columns.h"
#include "report/sample_rows.h"

/* Appends one row: a name, its unit, its meaning. */
static void add_row(GString *out, gboolean markdown, const char *name, const char *unit,
                    const char *help)
{
    if (markdown)
        g_string_append_printf(out, "| `%s` | %s | %s |\n", name, unit, help);
    else
        g_string_append_printf(out, "  %-28s %-7s %s\n", name, unit, help);
}

static void add_head(GString *out, gboolean markdown, const char *what)
{
    if (markdown)
        g_string_append_printf(out, "\n%s:\n\n| name | unit | meaning |\n|---|---|---|\n", what);
    else
        g_string_append_printf(out, "\n%s:\n", what);
}

static void add_columns(GString *out, gboolean markdown, const char *what,
                        const DnFileColumn *columns)
{
    add_head(out, markdown, what);
    for (; columns->column != NULL; columns++)
        add_row(out, markdown, columns->column, columns->unit, columns->help);
}

static void add_sample_columns(GString *out, gboolean markdown, const char *what,
                               const DnSampleColumn *columns)
{
    add_head(out, markdown, what);
    for (; columns->column != NULL; columns++)
        add_row(out, markdown, columns->column, columns->unit, columns->help);
}

void dn_help_metrics(GString *out, gboolean markdown)
{
    add_head(out, markdown, "Columns of results.csv, after those of the swept keys");
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->column != NULL)
            add_row(out, markdown, m->column, dn_metric_csv_unit(m), m->help);
    add_head(out, markdown, "Members of a job in summary.json");
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->member != NULL)
            add_row(out, markdown, m->member,
                    m->type == DN_METRIC_RATE ? "bit/s" : dn_metric_unit(m), m->help);
    add_head(out, markdown, "Members of a sample in summary.json (time_us, latency_us, ...)");
    for (const DnSummaryField *f = dn_summary_fields; f->name != NULL; f++)
        add_row(out, markdown, f->name, "", f->help);
    add_head(out, markdown, "Metrics of measured values (`metric` of a CSV)");
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->reference != NULL)
            add_row(out, markdown, m->reference, dn_metric_unit(m), m->help);
    add_sample_columns(out, markdown, "Columns of samples.csv", dn_sample_columns);
    add_sample_columns(out, markdown, "Columns of statistics.csv", dn_statistic_columns);
    add_columns(out, markdown, "Columns of links.csv, with `repeat` of the first repetition",
                dn_link_columns);
    add_columns(out, markdown, "Columns of nics.csv, with `repeat` of the first repetition",
                dn_nic_columns);
}

static void add_fields(GString *out, gboolean markdown, const char *what,
                       const DnCostsField *fields)
{
    add_head(out, markdown, what);
    for (; fields->name != NULL; fields++)
        add_row(out, markdown, fields->name, fields->unit, fields->help);
}

void dn_help_costs(GString *out, gboolean markdown)
{
    add_fields(out, markdown, "Of a rule (those that are 0 are left out)", dn_costs_fields);
    add_fields(out, markdown, "Of a stage before (out) or after (in) the wire", dn_stage_fields);
}
