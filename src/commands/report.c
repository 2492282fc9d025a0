/* report.c - `darner report OUT/RUN`: a run's folder as one HTML page, or one figure of it.
 *
 * The figures are drawn by scripts/report.py with matplotlib, the same code that scripts/plot runs;
 * this file finds it and hands it the words. */
#include "commands/commands.h"
#include <string.h>

#define SCRIPT "report.py"

/* Only Debian's own Python has Debian's matplotlib. */
#define PYTHON "/usr/bin/python3"

/* Returns the script in a folder `scripts` above the program (a build in a checkout), in
 * $DARNER_ROOT, or installed; NULL: there is none. (transfer full) */
static char *find_script(void)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *folder = g_path_get_dirname(program != NULL ? program : ".");
    const char *root = g_getenv("DARNER_ROOT");
    g_autofree char *above = g_build_filename(folder, "..", "..", "scripts", SCRIPT, NULL);
    g_autofree char *rooted =
        g_build_filename(root != NULL ? root : folder, "scripts", SCRIPT, NULL);
    g_autofree char *installed = g_build_filename(DN_DATA_DIR, "scripts", SCRIPT, NULL);
    const char *places[] = {above, rooted, installed};
    for (guint i = 0; i < G_N_ELEMENTS(places); i++)
        if (g_file_test(places[i], G_FILE_TEST_IS_REGULAR))
            return g_strdup(places[i]);
    return NULL;
}

/* The script's own words on a mistake are ours. */
static int run_script(char **argv, GError **error)
{
    g_autofree char *complaint = NULL;
    int status;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, &complaint,
                      &status, error))
        return DN_EXIT_USER;
    if (g_spawn_check_wait_status(status, NULL))
        return DN_EXIT_OK;
    if (strstr(complaint, "No module named 'matplotlib'") != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "darner report draws with matplotlib, which is missing; install "
                    "python3-matplotlib");
    else
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s", g_strchomp(complaint));
    return DN_EXIT_USER;
}

typedef struct {
    char *output, *figure, *svg, *png;
} Options;

static void options_clear(Options *options)
{
    g_free(options->output);
    g_free(options->figure);
    g_free(options->svg);
    g_free(options->png);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean report_check(int argc, const Options *options, GError **error)
{
    static const char *const figures[] = {"against", "boxes",    "by_name", "curves",
                                          "ecdf",    "machine",  "matrix",  "overview",
                                          "path",    "timeline", "violins", NULL};
    if (argc != 2) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner report: %d folders given; wanted: the one a run wrote, e.g. "
                    "out/quickstart",
                    argc - 1);
        return FALSE;
    }
    if (options->figure != NULL && !g_strv_contains(figures, options->figure)) {
        g_autofree char *unknown = dn_unknown(options->figure, figures, "known");
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--figure: unknown figure %s", unknown);
        return FALSE;
    }
    gboolean pictures = (options->svg != NULL) + (options->png != NULL);
    if ((options->figure != NULL) == (pictures == 1) && (options->figure != NULL || !pictures))
        return dn_command_check_place("--output", options->output, error) &&
               dn_command_check_place("--svg", options->svg, error) &&
               dn_command_check_place("--png", options->png, error);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--figure NAME goes with one of --svg FILE and --png FILE");
    return FALSE;
}

static char **words_of(const char *script, const char *folder, const Options *options)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    const char *const pairs[][2] = {{"--output", options->output},
                                    {"--figure", options->figure},
                                    {"--svg", options->svg},
                                    {"--png", options->png}};
    g_ptr_array_add(words, (gpointer)PYTHON);
    g_ptr_array_add(words, (gpointer)script);
    for (guint i = 0; i < G_N_ELEMENTS(pairs); i++)
        if (pairs[i][1] != NULL) {
            g_ptr_array_add(words, (gpointer)pairs[i][0]);
            g_ptr_array_add(words, (gpointer)pairs[i][1]);
        }
    g_ptr_array_add(words, (gpointer) "--");
    g_ptr_array_add(words, (gpointer)folder);
    g_ptr_array_add(words, NULL);
    return g_strdupv((char **)words->pdata);
}

int dn_command_report(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "the page (default: report.html in the run's folder)", "FILE"},
        {"figure", 'f', 0, G_OPTION_ARG_STRING, &options.figure,
         "one figure alone: against, boxes, by_name, curves, ecdf, machine, matrix, overview, "
         "path, timeline, violins",
         "NAME"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &options.svg, "write the figure as SVG", "FILE"},
        {"png", 0, 0, G_OPTION_ARG_FILENAME, &options.png, "write the figure as PNG", "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "OUT/RUN",
                            "Writes one HTML page that needs nothing else: what was run, results, "
                            "curves, distributions,\nthe machine with its links coloured by load, "
                            "bottlenecks, warnings; and, where they were recorded, time lines "
                            "(darner run --timeline)\nand "
                            "why an iteration took so long (darner explain).",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    g_autofree char *script = find_script();
    if (!report_check(argc, &options, &error))
        return dn_command_fail(error);
    if (script == NULL)
        return dn_command_fail(
            g_error_new(DN_ERROR, DN_ERROR_FILE,
                        "darner report: no scripts/" SCRIPT
                        " above the program, in $DARNER_ROOT or in " DN_DATA_DIR));
    g_auto(GStrv) words = words_of(script, argv[1], &options);
    int status = run_script(words, &error);
    return status == DN_EXIT_OK ? status : dn_command_fail(error);
}
