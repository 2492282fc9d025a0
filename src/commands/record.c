/* record.c - `darner record -n 16 PROGRAM ARGUMENT...`: runs an MPI program under the recorder and
 * packs its files into one. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/interrupt.h"
#include "commands/commands.h"
#include "trace/record_run.h"

typedef struct {
    int ranks;
    char *output, *launcher, *clock;
    gboolean keep;
} Options;

static void options_clear(Options *options)
{
    g_free(options->output);
    g_free(options->launcher);
    g_free(options->clock);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static void record_report(const DnRecSummary *summary, const char *output, int status)
{
    GStatBuf about = {0};
    (void)g_stat(output, &about);
    if (WIFEXITED(status) ? WEXITSTATUS(status) != 0 : TRUE)
        g_printerr("the program did not end well (%s %d); recorded until then:\n",
                   WIFEXITED(status) ? "status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    if (summary->cut > 0)
        g_printerr("%u of %u ranks did not reach MPI_Finalize\n", summary->cut, summary->ranks);
    g_printerr("written: %s (%u ranks, %" G_GUINT64_FORMAT
               " bytes of records, packed %" G_GINT64_FORMAT ")\n",
               output, summary->ranks, summary->bytes, (gint64)about.st_size);
}

static gboolean record_file(const Options *options, char **program, int *status, GError **error)
{
    const DnRecordRun run = {.ranks = (guint)options->ranks,
                             .launcher = options->launcher,
                             .clock = options->clock,
                             .keep = options->keep,
                             .program = program};
    g_autofree char *base = g_path_get_basename(program[0]);
    g_autofree char *output = options->output != NULL ? g_strdup(options->output)
                                                      : g_strconcat(base, ".drn.zst", NULL);
    DnRecSummary summary;
    if (!dn_command_check_place("--output", output, error))
        return FALSE;
    if (!dn_record_run(&run, output, &summary, status, error))
        return FALSE;
    record_report(&summary, output, *status);
    return TRUE;
}

/* Options end at the program's name: what follows is the program's own. (transfer container) */
static char **end_options(int argc, char **argv, int *n)
{
    static const char *const with_value[] = {"-n",       "--ranks", "-o", "--output",
                                             "--mpirun", "--clock", NULL};
    char **words = g_new0(char *, (gsize)argc + 2);
    int i = 1, to = 1;
    words[0] = argv[0];
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
        gboolean two = g_strv_contains(with_value, argv[i]) && i + 1 < argc;
        words[to++] = argv[i++];
        if (two)
            words[to++] = argv[i++];
    }
    if (i < argc && strcmp(argv[i], "--") != 0)
        words[to++] = (char *)"--";
    while (i < argc)
        words[to++] = argv[i++];
    *n = to;
    return words;
}

static gboolean check_arguments(int argc, const Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc < 2)
        wrong = "no program given; usage: darner record -n RANKS PROGRAM [ARGUMENT...]";
    else if (options->ranks < 1 || options->ranks > 1 << 20)
        wrong = "--ranks is out of range; allowed: 1 to 1048576";
    else if (options->clock != NULL && strcmp(options->clock, "wall") != 0 &&
             strcmp(options->clock, "cpu") != 0)
        wrong = "--clock is unknown; known: wall, cpu";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

int dn_command_record(int argc, char **argv)
{
    g_auto(Options) options = {.ranks = 1};
    const GOptionEntry entries[] = {
        {"ranks", 'n', 0, G_OPTION_ARG_INT, &options.ranks, "processes to run (default 1)", "N"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "the trace (default: PROGRAM.drn.zst in the current folder)", "FILE"},
        {"mpirun", 0, 0, G_OPTION_ARG_STRING, &options.launcher,
         "launcher and its options (default: mpirun)", "COMMAND"},
        {"clock", 0, 0, G_OPTION_ARG_STRING, &options.clock,
         "what counts as computing: time by the wall, or of the processor (default: cpu\n"
         "                         where ranks outnumber processors)",
         "wall|cpu"},
        {"keep", 0, 0, G_OPTION_ARG_NONE, &options.keep, "keep the folder with a file a rank too",
         NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    int n, status = 0;
    g_autofree char **words = end_options(argc, argv, &n);
    char **left = words;
    if (!dn_command_options(
            &n, &left, entries, "PROGRAM [ARGUMENT...]",
            "Records every MPI call of a program (C, C++, Fortran) and the computing between them. "
            "Without this command:\nDARNER_RECORD_DIR=folder "
            "LD_PRELOAD=.../libdarner-record-openmpi.so mpirun ...; a folder is a trace too.\n"
            "Exit status: 0 done, 1 the program failed, 2 nothing recorded.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_arguments(n, &options, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    if (!record_file(&options, left + 1, &status, &error))
        return dn_command_fail(error);
    return status == 0 ? DN_EXIT_OK : DN_EXIT_MISSED;
}
