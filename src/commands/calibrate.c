/* calibrate.c - `darner calibrate DATA.csv`: a mechanism's numbers from measured messages.
 *
 * Fits calibration/fit.h's model, prints each parameter with its standard error and each size's
 * residual, and writes a mechanism that a machine file can include. What one latency holds (call,
 * start, completion) such data do not part; --split says how it is shared out. */
#include "commands/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "commands/commands.h"

typedef struct {
    char **where;
    char *bytes, *time, *machine, *between, *name, *split, *output;
    double scale;
    int ranges;
    gboolean no_step, rendezvous;
} Options;

static void options_clear(Options *o)
{
    g_strfreev(o->where);
    g_free(o->bytes);
    g_free(o->time);
    g_free(o->machine);
    g_free(o->between);
    g_free(o->name);
    g_free(o->split);
    g_free(o->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static void calibration_clear(DnCalibration *c)
{
    dn_calibrate_data_clear(&c->data);
    for (guint p = 0; p < c->n_parts; p++)
        dn_fit_free(c->parts[p].fit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnCalibration, calibration_clear)

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

/* ---- fits ---- */

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

static gboolean fit_parts(DnCalibration *c, const Options *o, GError **error)
{
    gsize first[DN_FIT_RANGES] = {0};
    DnFit *fits[DN_FIT_RANGES] = {NULL};
    if (o->ranges == 1) {
        fits[0] = dn_fit_messages(c->data.points, c->data.n_points, !o->no_step, error);
        c->n_parts = fits[0] != NULL;
    } else {
        if (!one_way_only(c, error))
            return FALSE;
        c->n_parts =
            dn_fit_ranges(c->data.points, c->data.n_points, (guint)o->ranges, first, fits, error);
    }
    for (guint p = 0; p < c->n_parts; p++)
        c->parts[p] = (DnCalibrateRange){.first = first[p], .fit = fits[p]};
    return c->n_parts > 0;
}

static gboolean calibrate_file(DnCalibration *c, const Options *o, GError **error)
{
    const DnCalibrateQuery query = {.file = c->file,
                                    .where = c->where,
                                    .bytes_column = o->bytes,
                                    .time_column = o->time,
                                    .scale = o->scale};
    if (!read_split(o->split, c->split, error) || !dn_calibrate_read(&query, &c->data, error))
        return FALSE;
    c->has_path = o->machine != NULL;
    if (c->has_path && !dn_calibrate_path(o->machine, o->between, &c->path, error))
        return FALSE;
    if (!fit_parts(c, o, error)) {
        g_prefix_error(error, "%s: ", c->file);
        return FALSE;
    }
    double latency_us = c->parts[0].fit->latency_us.value;
    if (c->has_path && latency_us < c->path.latency_us) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s: a latency of %.4g us, but the machine's path alone takes %.4g us; check "
                    "--machine, --between and --scale",
                    c->file, latency_us, c->path.latency_us);
        return FALSE;
    }
    for (guint p = 0; p < c->n_parts; p++)
        share_out(c, &c->parts[p]);
    return TRUE;
}

/* ---- the command ---- */

static gboolean valid_name(const char *name)
{
    return name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
               strlen(name);
}

static gboolean check_arguments(int argc, const Options *o, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = argc < 2 ? "no measurements given; usage: darner calibrate DATA.csv"
                         : "one file of measurements at a time; usage: darner calibrate DATA.csv";
    else if (!(o->scale > 0.0 && o->scale <= 1e6))
        wrong = "--scale is out of range; allowed: above 0 to 1e6, e.g. 0.5 for round trips";
    else if (o->ranges < 1 || o->ranges > DN_FIT_RANGES)
        wrong = "--ranges is out of range; allowed: 1 to 8";
    else if (o->ranges > 1 && o->rendezvous)
        wrong = "--rendezvous is a step within one range; leave out --ranges";
    else if (!valid_name(o->name))
        wrong = "--name: letters, digits, - and _ only";
    else if ((o->machine == NULL) != (o->between == NULL))
        wrong = "--machine and --between go together, e.g. --machine h200x4 --between 0,1";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

static gboolean write_yaml(const DnCalibration *c, const char *file, GError **error)
{
    g_autofree char *text = dn_calibration_yaml(c);
    if (file != NULL)
        return dn_file_write(file, text, error);
    printf("\n%s", text);
    return TRUE;
}

static int calibrate_run(const char *file, const Options *o)
{
    GError *error = NULL;
    g_auto(DnCalibration) c = {.file = file,
                               .name = o->name,
                               .split_text = o->split,
                               .between = o->between,
                               .where = (const char *const *)o->where,
                               .rendezvous = o->rendezvous};
    if (!calibrate_file(&c, o, &error))
        return dn_command_fail(error);
    dn_calibration_print(&c);
    return write_yaml(&c, o->output, &error) ? DN_EXIT_OK : dn_command_fail(error);
}

int dn_command_calibrate(int argc, char **argv)
{
    g_auto(Options) o = {.scale = 1.0, .ranges = 1};
    const GOptionEntry entries[] = {
        {"where", 'w', 0, G_OPTION_ARG_STRING_ARRAY, &o.where,
         "take only rows with this; may be repeated", "COLUMN=VALUE"},
        {"bytes", 'b', 0, G_OPTION_ARG_STRING, &o.bytes, "column of sizes", "COLUMN"},
        {"time", 't', 0, G_OPTION_ARG_STRING, &o.time, "column of times; ends in its unit",
         "COLUMN"},
        {"scale", 's', 0, G_OPTION_ARG_DOUBLE, &o.scale, "times this: 0.5 for round trips", "X"},
        {"machine", 'm', 0, G_OPTION_ARG_STRING, &o.machine,
         "take its wires off the latency; as in a run, e.g. '{name: leonardo, endpoints: cpu}'",
         "MACHINE"},
        {"between", 0, 0, G_OPTION_ARG_STRING, &o.between, "endpoints that were measured", "A,B"},
        {"split", 0, 0, G_OPTION_ARG_STRING, &o.split,
         "shares of the latency; default 0:1:1, both ends alike", "ISSUE:START:RECEIVE"},
        {"rendezvous", 0, 0, G_OPTION_ARG_NONE, &o.rendezvous,
         "the step is a handshake, not a start-up", NULL},
        {"ranges", 'r', 0, G_OPTION_ARG_INT, &o.ranges,
         "at most so many ranges of size, each with its latency and rate; default 1", "N"},
        {"no-step", 0, 0, G_OPTION_ARG_NONE, &o.no_step, "look for no step", NULL},
        {"name", 'n', 0, G_OPTION_ARG_STRING, &o.name, "of the mechanism", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "write the mechanism there", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "DATA.csv",
            "Fits latency, gap, overhead, rate and a step in size to measured messages between\n"
            "two ends: a CSV (or .csv.gz) with a column of sizes and one of times, and optionally\n"
            "a column test: one_way (default), stream (a message's share of a window), overhead.\n"
            "Rows of collectives are refused: those are predicted.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    /* Not before: GLib would leave the defaults behind. */
    o.name = o.name != NULL ? o.name : g_strdup("calibrated");
    o.split = o.split != NULL ? o.split : g_strdup("0:1:1");
    if (!check_arguments(argc, &o, &error))
        return dn_command_fail(error);
    return calibrate_run(argv[1], &o);
}
