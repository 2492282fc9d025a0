/* record.c - `darner record -n 16 PROGRAM ARGUMENT...`: runs an MPI program under the recorder and
 * packs what it leaves into one file.
 *
 * The recorder is the library of the MPI whose launcher is used, told by what `mpirun --version`
 * says. The launcher hands LD_PRELOAD to the program alone. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <glib/gstdio.h>

#include "commands/commands.h"
#include "base/interrupt.h"
#include "trace/darner_blocks.h"

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

typedef struct {
    const char *name;    /* folder of its recorder */
    const char *says[3]; /* in its launcher's --version */
} Mpi;

static const Mpi mpis[] = {
    {"openmpi", {"Open MPI", "OpenRTE", NULL}},
    {"mpich", {"HYDRA", "MPICH", NULL}},
};

/* ---- which recorder ---- */

static const Mpi *mpi_of(char **launcher, GError **error)
{
    char *words[] = {launcher[0], (char *)"--version", NULL};
    g_autofree char *text = NULL, *other = NULL;
    g_autoptr(GError) problem = NULL;
    if (!g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, &other, NULL,
                      &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "cannot run %s: %s; another launcher: --mpirun COMMAND", launcher[0],
                    problem->message);
        return NULL;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(mpis); i++)
        for (guint k = 0; mpis[i].says[k] != NULL; k++)
            if (strstr(text, mpis[i].says[k]) != NULL)
                return &mpis[i];
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                "%s is the launcher of no MPI with a recorder; known: Open MPI, MPICH",
                launcher[0]);
    return NULL;
}

/* Beside the program in a build, else where it was installed. */
static char *find_library(const char *mpi, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *here = self != NULL ? g_path_get_dirname(self) : g_strdup(".");
    char *neighbour = g_build_filename(here, "record", mpi, "libdarner-record.so", NULL);
    if (g_file_test(neighbour, G_FILE_TEST_EXISTS))
        return neighbour;
    g_free(neighbour);
    char *installed = g_build_filename(DN_LIB_DIR, mpi, "libdarner-record.so", NULL);
    if (g_file_test(installed, G_FILE_TEST_EXISTS))
        return installed;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                "%s: no such file: Darner was built where %s's headers were not installed",
                installed, mpi);
    g_free(installed);
    return NULL;
}

/* ---- the run ---- */

static GPtrArray *command_line(char **launcher, const Mpi *mpi, const Options *options,
                               const char *library, char **program)
{
    GPtrArray *line = g_ptr_array_new_with_free_func(g_free);
    gboolean open_mpi = strcmp(mpi->name, "openmpi") == 0;
    for (guint i = 0; launcher[i] != NULL; i++)
        g_ptr_array_add(line, g_strdup(launcher[i]));
    g_ptr_array_add(line, g_strdup("-n"));
    g_ptr_array_add(line, g_strdup_printf("%d", options->ranks));
    if (open_mpi) {
        g_ptr_array_add(line, g_strdup("-x"));
        g_ptr_array_add(line, g_strconcat("LD_PRELOAD=", library, NULL));
        if (options->ranks > (int)g_get_num_processors())
            g_ptr_array_add(line, g_strdup("--oversubscribe"));
    } else {
        g_ptr_array_add(line, g_strdup("-genv"));
        g_ptr_array_add(line, g_strdup("LD_PRELOAD"));
        g_ptr_array_add(line, g_strdup(library));
    }
    for (guint i = 0; program[i] != NULL; i++)
        g_ptr_array_add(line, g_strdup(program[i]));
    g_ptr_array_add(line, NULL);
    return line;
}

static gboolean record_run(GPtrArray *line, const char *folder, const char *clock, int *status,
                           GError **error)
{
    g_auto(GStrv) environment = g_get_environ();
    g_autofree char *absolute = g_canonicalize_filename(folder, NULL);
    environment = g_environ_setenv(environment, "DARNER_RECORD_DIR", absolute, TRUE);
    if (clock != NULL)
        environment = g_environ_setenv(environment, "DARNER_RECORD_CLOCK", clock, TRUE);
    g_autoptr(GError) problem = NULL;
    if (g_spawn_sync(NULL, (char **)line->pdata, environment,
                     G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL,
                     status, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s", problem->message);
    return FALSE;
}

static void remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir != NULL && (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
}

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

/* An open trace is fit to be read; whether the program ended well is the exit status. */
static gboolean record_file(const Options *options, char **program, int *status, GError **error)
{
    DnRecSummary summary;
    g_auto(GStrv) launcher = NULL;
    g_autoptr(GError) problem = NULL;
    const char *command = options->launcher != NULL ? options->launcher : "mpirun";
    if (!g_shell_parse_argv(command, NULL, &launcher, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "--mpirun: %s", problem->message);
        return FALSE;
    }
    const Mpi *mpi = mpi_of(launcher, error);
    g_autofree char *library = mpi != NULL ? find_library(mpi->name, error) : NULL;
    if (library == NULL)
        return FALSE;
    g_autofree char *base = g_path_get_basename(program[0]);
    g_autofree char *output = options->output != NULL ? g_strdup(options->output)
                                                      : g_strconcat(base, ".drn.zst", NULL);
    g_autofree char *folder = g_strconcat(output, ".ranks", NULL);
    g_autoptr(GPtrArray) line = command_line(launcher, mpi, options, library, program);
    remove_folder(folder);
    if (!record_run(line, folder, options->clock, status, error))
        return FALSE;
    if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s recorded nothing: it did not get through MPI_Init, or it is no "
                    "program of %s",
                    program[0], mpi->name);
        return FALSE;
    }
    if (!dn_rec_pack(folder, output, &summary, error))
        return FALSE;
    if (!options->keep)
        remove_folder(folder);
    record_report(&summary, output, *status);
    return TRUE;
}

/* ---- the command ---- */

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
            "Without this command:\nDARNER_RECORD_DIR=folder LD_PRELOAD=.../libdarner-record.so "
            "mpirun "
            "...; a folder is a trace too.\nExit status: 0 done, 1 the program failed, 2 nothing "
            "recorded.",
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
