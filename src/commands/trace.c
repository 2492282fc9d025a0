/* trace.c - `darner trace info|check|convert|stats`: the contents of a recorded program, a check of
 * its messages, its conversion, and its traffic by rank. The last two spell out collectives. */
#include "commands/commands.h"
#include "report/trace_report.h"
#include "trace/convert.h"
#include "trace/dry_run.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    char *format, *to, *output, *svg, *csv, *algorithm, *library;
    gboolean json;
} Options;

static void options_clear(Options *o)
{
    g_free(o->format);
    g_free(o->to);
    g_free(o->output);
    g_free(o->svg);
    g_free(o->csv);
    g_free(o->algorithm);
    g_free(o->library);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static int trace_info(const char *path, const Options *o, GError **error)
{
    g_autoptr(DnTrace) trace = dn_trace_open(path, o->format, error);
    if (!trace)
        return DN_EXIT_USER;
    g_autofree char *text = o->json ? dn_trace_info_json(trace) : dn_trace_info_text(trace);
    fputs(text, stdout);
    return DN_EXIT_OK;
}

static int trace_check(const char *path, const Options *o, GError **error)
{
    DnDryRunResult result;
    DnDryRunObserver nobody = {0};
    g_autoptr(DnProgram)
        program = dn_trace_open_program(path, o->format, o->algorithm, o->library, error);
    if (!program)
        return DN_EXIT_USER;
    dn_dry_run(program, &nobody, &result);
    gboolean fits = dn_trace_print_check(program, path, &result, error);
    dn_dry_run_result_clear(&result);
    return fits ? DN_EXIT_OK : DN_EXIT_USER;
}

static int trace_convert(const char *path, const Options *o, GError **error)
{
    const DnTraceWriter *writer = dn_trace_writer_named(o->to ? o->to : "ti", error);
    if (!writer)
        return DN_EXIT_USER;
    g_autofree char *output = o->output ? g_strdup(o->output) : dn_trace_output(path, writer);
    if (g_file_test(output, G_FILE_TEST_EXISTS) && !o->output) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s exists; say -o FILE to write over it",
                    output);
        return DN_EXIT_USER;
    }
    g_autoptr(DnProgram) program = NULL;
    if (!dn_command_check_place("--output", output, error) ||
        !(program = dn_trace_open_program(path, o->format, o->algorithm, o->library, error)) ||
        !writer->write(program, output, error))
        return DN_EXIT_USER;
    printf("written: %s (%s)\n", output, writer->name);
    return DN_EXIT_OK;
}

static int trace_stats(const char *path, const Options *o, GError **error)
{
    DnTraceMatrix matrix;
    g_autoptr(DnProgram) program = NULL;
    if (!dn_command_check_place("--svg", o->svg, error) ||
        !dn_command_check_place("--csv", o->csv, error) ||
        !(program = dn_trace_open_program(path, o->format, o->algorithm, o->library, error)))
        return DN_EXIT_USER;
    gboolean ok = dn_trace_matrix(program, &matrix, error);
    g_autofree char *title = g_path_get_basename(path);
    g_autofree char *text = ok ? dn_trace_matrix_text(&matrix) : NULL;
    fputs(ok ? text : "", stdout);
    ok = ok && (!o->svg || dn_trace_matrix_svg(&matrix, title, o->svg, error)) &&
         (!o->csv || dn_trace_matrix_csv(&matrix, o->csv, error));
    dn_trace_matrix_clear(&matrix);
    return ok ? DN_EXIT_OK : DN_EXIT_USER;
}

static int trace_dispatch(int argc, char **argv, const Options *o, GError **error)
{
    static const struct {
        const char *name;
        int (*run)(const char *path, const Options *o, GError **error);
    } commands[] = {{"info", trace_info},
                    {"check", trace_check},
                    {"convert", trace_convert},
                    {"stats", trace_stats}};
    const char *names[G_N_ELEMENTS(commands) + 1] = {0};
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        names[i] = commands[i].name;
        if (argc == 3 && strcmp(argv[1], names[i]) == 0)
            return commands[i].run(argv[2], o, error);
    }
    if (argc < 2 || g_strv_contains(names, argv[1])) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "one trace; usage: darner trace info|check|convert|stats TRACE");
    } else {
        g_autofree char *unknown = dn_unknown(argv[1], names, "known");
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown darner trace %s", unknown);
    }
    return DN_EXIT_USER;
}

int dn_command_trace(int argc, char **argv)
{
    g_auto(Options) o = {0};
    gboolean helped = FALSE;
    GError *error = NULL;
    const GOptionEntry entries[] = {
        {"format", 'f', 0, G_OPTION_ARG_STRING, &o.format,
         "format of the trace (default: by its content)", "NAME"},
        {"to", 't', 0, G_OPTION_ARG_STRING, &o.to, "convert: ti (default), goal, goal_binary",
         "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "convert: the file to write", "FILE"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &o.svg, "stats: draw bytes by pair", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o.csv, "stats: the same as numbers", "FILE"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "info: as JSON", NULL},
        {"algorithm", 0, 0, G_OPTION_ARG_STRING, &o.algorithm,
         "algorithm of collectives: auto (default), a name, or {allreduce: ring, ...}", "NAME"},
        {"library", 0, 0, G_OPTION_ARG_STRING, &o.library,
         "library that auto follows: ompi, mpich, ...", "NAME"},
        {0},
    };
    if (!dn_command_options(
            &argc, &argv, entries, "info|check|convert|stats TRACE",
            "info: what is in a trace. check: whether its messages match; which ranks wait in "
            "vain.\n"
            "convert: writes it for smpirun (ti) or LogGOPSim (goal), collectives as messages.\n"
            "stats: messages by size, bytes by rank and pair.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    int status = trace_dispatch(argc, argv, &o, &error);
    return error ? dn_command_fail(error) : status;
}
