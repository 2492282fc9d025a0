/* calibrate.c - `darner calibrate DATA.csv`: a mechanism's numbers from measured messages.
 *
 * Fits stats/fit.h's model, prints each parameter with its standard error and each size's residual,
 * and writes a mechanism that a machine file can include. What one latency holds (call, start,
 * completion) such data do not part; --split says how it is shared out. */
#include "commands/calibrate_data.h"
#include "commands/calibrate_path.h"
#include "commands/commands.h"
#include "base/units.h"
#include "base/number.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char **where;
    char *bytes, *time, *machine, *between, *name, *split, *output;
    double scale;
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

typedef struct {
    const Options *options;
    const char *file;
    DnCalibrateData data;
    DnFit *fit;
    gboolean has_path;
    DnCalibratePath path;
    double split[3]; /* of issue, start, receive; they add up to 1 */
    double issue_us, start_us, recv_us;
} Calibration;

static void calibration_clear(Calibration *c)
{
    dn_calibrate_data_clear(&c->data);
    dn_fit_free(c->fit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Calibration, calibration_clear)

/* ---- from the model to a mechanism's keys ---- */

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
static void share_out(Calibration *c)
{
    const DnFit *fit = c->fit;
    double rest = isnan(fit->latency_us.value) ? 0.0 : fit->latency_us.value;
    rest = MAX(0.0, rest - (c->has_path ? c->path.latency_us : 0.0));
    gboolean issue = !isnan(fit->overhead_us.value), gap = !isnan(fit->gap_us.value);
    if (issue)
        c->issue_us = MIN(rest, fit->overhead_us.value);
    if (gap)
        c->start_us = MIN(rest - c->issue_us, fit->gap_us.value);
    rest -= c->issue_us + c->start_us;
    double open[3] = {issue || gap ? 0.0 : c->split[0], gap ? 0.0 : c->split[1], c->split[2]};
    double sum = open[0] + open[1] + open[2];
    if (sum <= 0.0)
        open[2] = sum = 1.0;
    c->issue_us += rest * open[0] / sum;
    c->start_us += rest * open[1] / sum;
    c->recv_us = rest * open[2] / sum;
}

/* Of the narrowest link, for the machine to reach the fitted rate. */
static double efficiency_of(const Calibration *c)
{
    return c->fit->rate_bps.value / (c->path.bandwidth_bps * c->path.payload);
}

/* ---- what people read ---- */

static void add_value(DnTable *table, const char *name, DnFitValue v, double unit)
{
    if (isnan(v.value))
        return;
    dn_table_row(table);
    dn_table_cell(table, "%s", name);
    dn_table_number(table, v.value * unit, 4);
    dn_table_number(table, v.error * unit, 2);
}

static void print_values(const Calibration *c)
{
    const DnFit *fit = c->fit;
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
    if (c->has_path) {
        double per_bps = efficiency_of(c) / fit->rate_bps.value;
        add_value(table, "efficiency", fit->rate_bps, per_bps);
    }
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
    if (c->has_path)
        printf("the path takes %.4g us; its narrowest link %.4g Gb/s, efficiency now %.3g\n",
               c->path.latency_us, c->path.bandwidth_bps * 1e-9, c->path.efficiency);
}

static void print_residuals(const Calibration *c)
{
    static const char *const kinds[] = {"one way", "stream", "overhead"};
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "test", DN_ALIGN_LEFT);
    dn_table_column(table, "bytes", DN_ALIGN_RIGHT);
    dn_table_column(table, "measured (us)", DN_ALIGN_RIGHT);
    dn_table_column(table, "model (us)", DN_ALIGN_RIGHT);
    dn_table_column(table, "residual (%)", DN_ALIGN_RIGHT);
    for (gsize i = 0; i < c->data.n_points; i++) {
        const DnFitPoint *point = &c->data.points[i];
        dn_table_row(table);
        dn_table_cell(table, "%s", kinds[point->kind]);
        dn_table_cell(table, "%.0f", point->bytes);
        dn_table_number(table, point->time_us, 4);
        dn_table_number(table, c->fit->model_us[i], 4);
        dn_table_cell(table, "%+.1f", 100.0 * (c->fit->model_us[i] / point->time_us - 1.0));
    }
    g_autofree char *text = dn_table_text(table);
    printf("\n%sresiduals: %.1f %% (root mean square), worst %+.1f %% at %.0f B\n", text,
           100.0 * c->fit->rms, 100.0 * c->fit->worst, c->data.points[c->fit->worst_point].bytes);
}

/* ---- what a machine includes ---- */

static char *data_text(const Calibration *c)
{
    g_autofree char *base = g_path_get_basename(c->file);
    GString *text = g_string_new(base);
    for (guint i = 0; c->options->where != NULL && c->options->where[i] != NULL; i++)
        g_string_append_printf(text, "%s %s", i > 0 ? "," : ":", c->options->where[i]);
    return g_string_free(text, FALSE);
}

/* Four digits, without the zeros at the end. */
static const char *short_number(double value, char buf[DN_NUMBER_BUF])
{
    dn_format_digits(value, 4, buf);
    gsize n = strlen(buf);
    while (strchr(buf, '.') != NULL && (buf[n - 1] == '0' || buf[n - 1] == '.')) {
        gboolean point = buf[n - 1] == '.';
        buf[--n] = '\0';
        if (point)
            break;
    }
    return buf;
}

static void yaml_time(GString *out, const char *key, double us)
{
    char value[DN_NUMBER_BUF];
    g_string_append_printf(out, "  %s: %s us\n", key, short_number(us, value));
}

static void yaml_step(const Calibration *c, GString *out)
{
    const DnFit *fit = c->fit;
    if (isnan(fit->step_us.value))
        return;
    if (!c->options->rendezvous) {
        yaml_time(out, "t_setup", fit->step_us.value);
        g_string_append_printf(out, "  setup_threshold: %.0f B\n", fit->step_from_bytes);
        return;
    }
    /* A handshake is two crossings of the path and two handlings. */
    double control = (fit->step_us.value - (c->has_path ? 2.0 * c->path.latency_us : 0.0)) / 2.0;
    yaml_time(out, "t_control", MAX(0.0, control));
    g_string_append_printf(out, "  eager_threshold: %.0f B\n", fit->step_after_bytes);
}

/* (transfer full), in double quotes. */
static char *yaml_source(const Calibration *c)
{
    g_autofree char *from = data_text(c);
    GString *why = g_string_new("calibrated on ");
    g_string_append_printf(why, "%s; residuals %.1f %%, worst %+.1f %%", from, 100.0 * c->fit->rms,
                           100.0 * c->fit->worst);
    if (c->has_path)
        g_string_append_printf(why, "; less %.4g us of path between endpoints %s",
                               c->path.latency_us, c->options->between);
    g_string_append_printf(why, "; latency shared %s (issue, start, receive)", c->options->split);
    g_autofree char *text = g_string_free(why, FALSE);
    g_autofree char *escaped = g_strescape(text, NULL);
    return g_strdup_printf("\"%s\"", escaped);
}

/* (transfer full) */
static char *yaml_text(const Calibration *c)
{
    const DnFit *fit = c->fit;
    char rate[DN_NUMBER_BUF];
    g_autofree char *source = yaml_source(c);
    GString *out = g_string_new("# By `darner calibrate`; a machine takes it up with\n"
                                "#   mechanisms: {include: this-file.yaml}\n");
    g_string_append_printf(out, "%s:\n  source: %s\n", c->options->name, source);
    yaml_time(out, "t_issue", c->issue_us);
    yaml_time(out, "t_start", c->start_us);
    yaml_time(out, "t_recv", c->recv_us);
    yaml_step(c, out);
    if (!isnan(fit->gap_us.value))
        g_string_append(out, "  serial: true\n");
    double limit = c->has_path ? c->path.bandwidth_bps * c->path.efficiency * c->path.payload
                               : INFINITY;
    /* A rate that the wires give is theirs. */
    if (fit->rate_bps.value < 0.98 * limit)
        g_string_append_printf(out, "  rate: %s Gb/s\n",
                               short_number(fit->rate_bps.value * 1e-9, rate));
    if (c->has_path && !isnan(fit->rate_bps.value))
        g_string_append_printf(out,
                               "# Its narrowest link reaches this rate with efficiency: %.3g\n",
                               efficiency_of(c));
    return g_string_free(out, FALSE);
}

static gboolean write_yaml(const Calibration *c, GError **error)
{
    g_autofree char *text = yaml_text(c);
    g_autoptr(GError) problem = NULL;
    if (c->options->output == NULL) {
        printf("\n%s", text);
        return TRUE;
    }
    if (g_file_set_contents(c->options->output, text, -1, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write: %s", c->options->output,
                problem->message);
    return FALSE;
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
    else if (!valid_name(o->name))
        wrong = "--name: letters, digits, - and _ only";
    else if ((o->machine == NULL) != (o->between == NULL))
        wrong = "--machine and --between go together, e.g. --machine h200x4 --between 0,1";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

static gboolean calibrate(Calibration *c, GError **error)
{
    const Options *o = c->options;
    const DnCalibrateQuery query = {.file = c->file,
                                    .where = (const char *const *)o->where,
                                    .bytes_column = o->bytes,
                                    .time_column = o->time,
                                    .scale = o->scale};
    if (!read_split(o->split, c->split, error) || !dn_calibrate_read(&query, &c->data, error))
        return FALSE;
    c->has_path = o->machine != NULL;
    if (c->has_path && !dn_calibrate_path(o->machine, o->between, &c->path, error))
        return FALSE;
    c->fit = dn_fit_messages(c->data.points, c->data.n_points, !o->no_step, error);
    if (c->fit == NULL) {
        g_prefix_error(error, "%s: ", c->file);
        return FALSE;
    }
    if (c->has_path && c->fit->latency_us.value < c->path.latency_us) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s: a latency of %.4g us, but the machine's path alone takes %.4g us; check "
                    "--machine, --between and --scale",
                    c->file, c->fit->latency_us.value, c->path.latency_us);
        return FALSE;
    }
    share_out(c);
    return TRUE;
}

static int report(const Calibration *c)
{
    GError *error = NULL;
    g_autofree char *from = data_text(c);
    printf("%" G_GSIZE_FORMAT " medians of %" G_GSIZE_FORMAT " rows of %s\n\n", c->data.n_points,
           c->data.n_rows, from);
    print_values(c);
    print_residuals(c);
    return write_yaml(c, &error) ? DN_EXIT_OK : dn_command_fail(error);
}

int dn_command_calibrate(int argc, char **argv)
{
    g_auto(Options) o = {.scale = 1.0, .name = g_strdup("calibrated"), .split = g_strdup("0:1:1")};
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
    g_auto(Calibration) c = {.options = &o, .file = argc > 1 ? argv[1] : NULL};
    if (!check_arguments(argc, &o, &error) || !calibrate(&c, &error))
        return dn_command_fail(error);
    return report(&c);
}
