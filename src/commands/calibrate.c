/* calibrate.c - `darner calibrate DATA.csv`: a mechanism's numbers from measured messages. */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "report/calibration_report.h"

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
    return wrong == NULL && dn_command_check_place("--output", o->output, error);
}

static gboolean calibrate_run(const char *file, const Options *o, GError **error)
{
    const DnCalibrationQuery query = {
        .rows = {.file = file,
                 .where = (const char *const *)o->where,
                 .bytes_column = o->bytes,
                 .time_column = o->time,
                 .scale = o->scale},
        .machine = o->machine,
        .between = o->between,
        .name = o->name,
        .split = o->split,
        .ranges = (guint)o->ranges,
        .no_step = o->no_step,
        .rendezvous = o->rendezvous,
    };
    g_autoptr(DnCalibration) c = dn_calibration_new(&query, error);
    if (c == NULL)
        return FALSE;
    dn_calibration_print(c);
    g_autofree char *text = dn_calibration_yaml(c);
    if (o->output == NULL)
        printf("\n");
    return dn_command_write("--output", o->output, text, error);
}

int dn_command_calibrate(int argc, char **argv)
{
    g_auto(Options) o = {.scale = 1.0, .ranges = 1};
    const GOptionEntry entries[] = {
        {"where", 'w', 0, G_OPTION_ARG_STRING_ARRAY, &o.where,
         "use only rows with this value; may be repeated", "COLUMN=VALUE"},
        {"bytes", 'b', 0, G_OPTION_ARG_STRING, &o.bytes, "column of sizes", "COLUMN"},
        {"time", 't', 0, G_OPTION_ARG_STRING, &o.time, "column of times; ends in its unit",
         "COLUMN"},
        {"scale", 's', 0, G_OPTION_ARG_DOUBLE, &o.scale, "factor on the times: 0.5 for round trips",
         "X"},
        {"machine", 'm', 0, G_OPTION_ARG_STRING, &o.machine,
         "subtract its links' latency; as in a run, e.g. '{name: leonardo, endpoints: cpu}'",
         "MACHINE"},
        {"between", 0, 0, G_OPTION_ARG_STRING, &o.between, "endpoints that were measured", "A,B"},
        {"split", 0, 0, G_OPTION_ARG_STRING, &o.split,
         "shares of the latency (default 0:1:1, both ends alike)", "ISSUE:START:RECEIVE"},
        {"rendezvous", 0, 0, G_OPTION_ARG_NONE, &o.rendezvous,
         "the step is a handshake, not a start-up", NULL},
        {"ranges", 'r', 0, G_OPTION_ARG_INT, &o.ranges,
         "fit at most N ranges of size, each with its latency and rate (default 1)", "N"},
        {"no-step", 0, 0, G_OPTION_ARG_NONE, &o.no_step, "fit no step in size", NULL},
        {"name", 'n', 0, G_OPTION_ARG_STRING, &o.name, "name of the mechanism", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "write the mechanism to FILE", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "DATA.csv",
            "Fits latency, gap, overhead, rate and a step in size to measured messages between\n"
            "two ends: a CSV (or .csv.gz) with a column of sizes and one of times, and optionally\n"
            "a column test: one_way (default), stream (a message's share of a window), overhead.\n"
            "Rows of collectives are refused: a mechanism is fitted to single messages.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    /* Not before: GLib would leave the defaults behind. */
    o.name = o.name != NULL ? o.name : g_strdup("calibrated");
    o.split = o.split != NULL ? o.split : g_strdup("0:1:1");
    return check_arguments(argc, &o, &error) && calibrate_run(argv[1], &o, &error)
               ? DN_EXIT_OK
               : dn_command_fail(error);
}
