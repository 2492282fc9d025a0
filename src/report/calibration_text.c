/* calibration_text.c - parameters with their standard errors, and residuals, for people. */
#include "base/units.h"
#include "report/calibration_report.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>

static void add_value(DnTable *table, const char *name, DnFitValue v, double unit)
{
    if (isnan(v.value * unit))
        return;
    dn_table_row(table);
    dn_table_cell(table, "%s", name);
    dn_table_number(table, v.value * unit, 4);
    dn_table_number(table, v.error * unit, 2);
}

static void print_values(const DnCalibration *c, const DnFit *fit)
{
    char from[DN_UNIT_BUF], after[DN_UNIT_BUF];
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "parameter", DN_ALIGN_LEFT);
    dn_table_column(table, "value", DN_ALIGN_RIGHT);
    dn_table_column(table, "standard error", DN_ALIGN_RIGHT);
    add_value(table, "latency (us)", fit->latency_us, 1.0);
    add_value(table, "gap (us)", fit->gap_us, 1.0);
    add_value(table, "overhead (us)", fit->overhead_us, 1.0);
    add_value(table, "step (us)", fit->step_us, 1.0);
    add_value(table, "rate (Gb/s)", fit->rate_bps, 1e-9);
    add_value(table, "efficiency", fit->rate_bps,
              dn_calibration_efficiency(c, fit) / fit->rate_bps.value);
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
    if (!isnan(fit->step_from_bytes))
        printf("the step is from %s on, not yet at %s\n",
               dn_format_bytes((gint64)fit->step_from_bytes, from),
               dn_format_bytes((gint64)fit->step_after_bytes, after));
    if (fit->n_points == fit->parameters)
        printf("as many sizes as parameters: no residuals, no standard errors\n");
    if (isnan(fit->rate_bps.value))
        printf("the sizes do not determine a rate\n");
    if (isnan(fit->latency_us.value))
        printf("the sizes do not determine a latency\n");
}

static void print_residuals(const DnCalibration *c)
{
    static const char *const kinds[] = {"one way", "stream", "overhead"};
    double squares = 0.0, worst = 0.0, worst_bytes = 0.0;
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "test", DN_ALIGN_LEFT);
    dn_table_column(table, "bytes", DN_ALIGN_RIGHT);
    dn_table_column(table, "measured (us)", DN_ALIGN_RIGHT);
    dn_table_column(table, "model (us)", DN_ALIGN_RIGHT);
    dn_table_column(table, "residual (%)", DN_ALIGN_RIGHT);
    for (gsize i = 0, range = 0; i < c->data.n_points; i++) {
        const DnFitPoint *point = &c->data.points[i];
        range += i == dn_calibration_end(c, (guint)range);
        double model_us = c->parts[range].fit->model_us[i - c->parts[range].first];
        double percent = 100.0 * (model_us / point->time_us - 1.0);
        dn_table_row(table);
        dn_table_cell(table, "%s", kinds[point->kind]);
        dn_table_cell(table, "%.0f", point->bytes);
        dn_table_number(table, point->time_us, 4);
        dn_table_number(table, model_us, 4);
        dn_table_cell(table, "%+.1f", percent);
        squares += percent * percent;
        if (fabs(percent) > fabs(worst)) {
            worst = percent;
            worst_bytes = point->bytes;
        }
    }
    g_autofree char *text = dn_table_text(table);
    printf("\n%sresiduals: %.1f %% (root mean square), worst %+.1f %% at %.0f B\n", text,
           sqrt(squares / (double)c->data.n_points), worst, worst_bytes);
}

/* Rates are fitted to within some percent. */
#define MOST_EFFICIENCY 1.05

static void warn_too_fast(const DnCalibration *c)
{
    double most = 0;
    for (guint p = 0; p < c->n_parts; p++)
        most = fmax(most, dn_calibration_efficiency(c, c->parts[p].fit)); /* NAN: no path */
    if (most > MOST_EFFICIENCY)
        g_printerr("warning: the measurements are %.3g times as fast as the narrowest link between "
                   "endpoints %s: they are of another machine, or of other endpoints\n",
                   most, c->query->between);
}

void dn_calibration_print(const DnCalibration *c)
{
    g_autofree char *from = dn_calibration_source(c);
    printf("%" G_GSIZE_FORMAT " medians of %" G_GSIZE_FORMAT " rows of %s\n", c->data.n_points,
           c->data.n_rows, from);
    if (c->has_path)
        printf("the path takes %.4g us; its narrowest link %.4g Gb/s, efficiency now %.3g\n",
               c->path.latency_us, c->path.bandwidth_bps * 1e-9, c->path.efficiency);
    for (guint p = 0; p < c->n_parts; p++) {
        if (c->n_parts > 1)
            printf("\nsizes %.0f to %.0f B", c->data.points[c->parts[p].first].bytes,
                   c->data.points[dn_calibration_end(c, p) - 1].bytes);
        printf("\n");
        print_values(c, c->parts[p].fit);
    }
    print_residuals(c);
    warn_too_fast(c);
}
