/* calibration.c - see calibration.h. */
#include "calibration/calibration.h"
#include "base/units.h"

#include <math.h>

void dn_calibration_free(DnCalibration *c)
{
    if (c == NULL)
        return;
    dn_calibrate_data_clear(&c->data);
    for (guint p = 0; p < c->n_parts; p++)
        dn_fit_free(c->parts[p].fit);
    g_free(c);
}

double dn_calibration_efficiency(const DnCalibration *c, const DnFit *fit)
{
    return c->has_path ? fit->rate_bps.value / (c->path.bandwidth_bps * c->path.payload) : NAN;
}

char *dn_calibration_source(const DnCalibration *c)
{
    g_autofree char *base = g_path_get_basename(c->query->rows.file);
    GString *text = g_string_new(base);
    for (guint i = 0; c->query->rows.where != NULL && c->query->rows.where[i] != NULL; i++)
        g_string_append_printf(text, "%s %s", i > 0 ? "," : ":", c->query->rows.where[i]);
    return g_string_free(text, FALSE);
}

static gboolean read_split(const char *text, double split[3], GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ":", -1);
    gboolean fine = g_strv_length(words) == 3;
    double sum = 0.0;
    for (guint i = 0; fine && i < 3; i++) {
        fine = dn_unit_parse(words[i], DN_UNIT_NONE, &split[i], NULL) && split[i] >= 0.0 &&
               split[i] <= 1e6;
        sum += split[i];
    }
    for (guint i = 0; fine && i < 3; i++)
        split[i] /= sum;
    if (fine && sum > 0.0)
        return TRUE;
    g_autofree char *shown = dn_quote(text);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--split %s; expected three shares ISSUE:START:RECEIVE, e.g. 0:1:1", shown);
    return FALSE;
}

/* latency = issue + start + path + receive. Overhead is the issue; the gap of a stream the start of
 * one copy after another; what is left, and what was not measured, goes by the split. */
static void share_out(const DnCalibration *c, DnCalibrateRange *range)
{
    const DnFit *fit = range->fit;
    double rest = isnan(fit->latency_us.value) ? 0.0 : fit->latency_us.value;
    rest = MAX(0.0, rest - (c->has_path ? c->path.latency_us : 0.0));
    gboolean issue = !isnan(fit->overhead_us.value), gap = !isnan(fit->gap_us.value);
    if (issue)
        range->issue_us = MIN(rest, fit->overhead_us.value);
    if (gap)
        range->start_us = MIN(rest - range->issue_us, fit->gap_us.value);
    rest -= range->issue_us + range->start_us;
    double open[3] = {issue || gap ? 0.0 : c->split[0], gap ? 0.0 : c->split[1], c->split[2]};
    double sum = open[0] + open[1] + open[2];
    if (sum <= 0.0)
        open[2] = sum = 1.0;
    range->issue_us += rest * open[0] / sum;
    range->start_us += rest * open[1] / sum;
    range->recv_us = rest * open[2] / sum;
}

static gboolean one_way_only(const DnCalibration *c, GError **error)
{
    for (gsize i = 0; i < c->data.n_points; i++)
        if (c->data.points[i].kind != DN_FIT_ONE_WAY) {
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                        "--ranges is for rows of test one_way alone; choose them with --where");
            return FALSE;
        }
    return TRUE;
}

static gboolean fit_parts(DnCalibration *c, GError **error)
{
    gsize first[DN_FIT_RANGES] = {0};
    DnFit *fits[DN_FIT_RANGES] = {NULL};
    if (c->query->ranges == 1) {
        fits[0] = dn_fit_messages(c->data.points, c->data.n_points, !c->query->no_step, error);
        c->n_parts = fits[0] != NULL;
    } else {
        if (!one_way_only(c, error))
            return FALSE;
        c->n_parts =
            dn_fit_ranges(c->data.points, c->data.n_points, c->query->ranges, first, fits, error);
    }
    for (guint p = 0; p < c->n_parts; p++)
        c->parts[p] = (DnCalibrateRange){.first = first[p], .fit = fits[p]};
    return c->n_parts > 0;
}

static gboolean check_latency(const DnCalibration *c, GError **error)
{
    double latency_us = c->parts[0].fit->latency_us.value;
    if (!c->has_path || !(latency_us < c->path.latency_us))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "%s: a latency of %.4g us, but the machine's path alone takes %.4g us; check "
                "--machine, --between and --scale",
                c->query->rows.file, latency_us, c->path.latency_us);
    return FALSE;
}

DnCalibration *dn_calibration_new(const DnCalibrationQuery *query, GError **error)
{
    g_autoptr(DnCalibration) c = g_new0(DnCalibration, 1);
    c->query = query;
    c->has_path = query->machine != NULL;
    if (!read_split(query->split, c->split, error) ||
        !dn_calibrate_read(&query->rows, &c->data, error) ||
        (c->has_path && !dn_calibrate_path(query->machine, query->between, &c->path, error)))
        return NULL;
    if (!fit_parts(c, error)) {
        g_prefix_error(error, "%s: ", query->rows.file);
        return NULL;
    }
    if (!check_latency(c, error))
        return NULL;
    for (guint p = 0; p < c->n_parts; p++)
        share_out(c, &c->parts[p]);
    return g_steal_pointer(&c);
}
