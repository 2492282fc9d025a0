/* record_run.c - see record_run.h. */
#include "trace/record_run.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/interrupt.h"

#define LOOK_US 20000
/* A terminal signals the launcher too: it gets time to end before SIGTERM, then before SIGKILL. */
#define GRACE_US G_USEC_PER_SEC
#define LONGEST_US (5 * G_USEC_PER_SEC)

typedef struct {
    const char *name;    /* folder of its recorder */
    const char *says[3]; /* in its launcher's --version */
    gboolean exports;    /* its launcher takes -x NAME=VALUE, and --oversubscribe; else -genv */
} Mpi;

static const Mpi mpis[] = {
    {"openmpi", {"Open MPI", "OpenRTE", NULL}, TRUE},
    {"mpich", {"HYDRA", "MPICH", NULL}, FALSE},
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

/* Returns the recorder's library in the folder of a build, else the installed one. */
static char *find_library(const char *mpi, GError **error)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *here = self != NULL ? g_path_get_dirname(self) : g_strdup(".");
    g_autofree char *name = g_strconcat("libdarner-record-", mpi, ".so", NULL);
    char *built = g_build_filename(here, "record", name, NULL);
    if (g_file_test(built, G_FILE_TEST_EXISTS))
        return built;
    g_free(built);
    char *installed = g_build_filename(DN_LIB_DIR, name, NULL);
    if (g_file_test(installed, G_FILE_TEST_EXISTS))
        return installed;
    g_set_error(
        error, DN_ERROR, DN_ERROR_FILE,
        "%s: no such file; `ninja -C build program` builds the recorder where %s's headers are "
        "installed",
        installed, mpi);
    g_free(installed);
    return NULL;
}

/* ---- the run ---- */

static GPtrArray *command_line(char **launcher, const Mpi *mpi, const DnRecordRun *options,
                               const char *library, char **program)
{
    GPtrArray *line = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; launcher[i] != NULL; i++)
        g_ptr_array_add(line, g_strdup(launcher[i]));
    g_ptr_array_add(line, g_strdup("-n"));
    g_ptr_array_add(line, g_strdup_printf("%u", options->ranks));
    if (mpi->exports) {
        g_ptr_array_add(line, g_strdup("-x"));
        g_ptr_array_add(line, g_strconcat("LD_PRELOAD=", library, NULL));
        if (options->ranks > g_get_num_processors())
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

/* Waits for the launcher's end. A signal ends it too, in its own time: what was recorded until then
 * is packed. Returns its status as waitpid() has it. */
static int launcher_wait(GPid launcher)
{
    static const int orders[] = {SIGTERM, SIGKILL};
    static const gint64 after_us[] = {GRACE_US, LONGEST_US};
    gint64 interrupted_us = 0;
    guint sent = 0;
    int status = 0;
    while (waitpid(launcher, &status, WNOHANG) == 0) {
        gint64 now_us = g_get_monotonic_time();
        if (interrupted_us == 0 && dn_interrupted())
            interrupted_us = now_us;
        if (interrupted_us > 0 && sent < G_N_ELEMENTS(orders) &&
            now_us - interrupted_us >= after_us[sent])
            kill(launcher, orders[sent++]);
        g_usleep(LOOK_US);
    }
    g_spawn_close_pid(launcher);
    return status;
}

static gboolean record_run_run(GPtrArray *line, const char *folder, const char *clock, int *status,
                               GError **error)
{
    g_auto(GStrv) environment = g_get_environ();
    g_autofree char *absolute = g_canonicalize_filename(folder, NULL);
    environment = g_environ_setenv(environment, "DARNER_RECORD_DIR", absolute, TRUE);
    if (clock != NULL)
        environment = g_environ_setenv(environment, "DARNER_RECORD_CLOCK", clock, TRUE);
    g_autoptr(GError) problem = NULL;
    GPid launcher;
    if (g_spawn_async(NULL, (char **)line->pdata, environment,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN |
                          G_SPAWN_DO_NOT_REAP_CHILD,
                      NULL, NULL, &launcher, &problem)) {
        *status = launcher_wait(launcher);
        return TRUE;
    }
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s", problem->message);
    return FALSE;
}

/* ---- the folder of the ranks' files ---- */

static void remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir != NULL && (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
}

/* (transfer full): a new folder beside the trace, since all ranks must see it. */
static char *make_folder(const char *output, GError **error)
{
    char *folder = g_strconcat(output, ".ranks.XXXXXX", NULL);
    if (g_mkdtemp_full(folder, 0777) != NULL)
        return folder;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot make this folder: %s", folder,
                g_strerror(errno));
    g_free(folder);
    return NULL;
}

static gboolean is_empty(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    return dir == NULL || g_dir_read_name(dir) == NULL;
}

static gboolean check_kept(const char *kept, GError **error)
{
    if (!g_file_test(kept, G_FILE_TEST_EXISTS))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                "%s is there already, and --keep would replace it; remove it, or give another "
                "trace with -o",
                kept);
    return FALSE;
}

static gboolean keep_folder(const char *folder, const char *kept, GError **error)
{
    if (g_rename(folder, kept) == 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot rename it to %s: %s", folder, kept,
                g_strerror(errno));
    return FALSE;
}

/* A launcher does not say which word of its command names no program. */
static gboolean check_program(const char *program, GError **error)
{
    g_autofree char *found = g_find_program_in_path(program);
    if (found != NULL)
        return TRUE;
    gboolean there = g_file_test(program, G_FILE_TEST_EXISTS);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s; wanted: the program and its arguments",
                program,
                there                          ? "not an executable file"
                : strchr(program, '/') != NULL ? "no such file"
                                               : "not in $PATH (a file here: ./NAME)");
    return FALSE;
}

/* Returns the MPI that @program is linked with, if it is another than @ran; or NULL. */
static const Mpi *linked_with(const char *program, const Mpi *ran)
{
    enum { LARGEST = 1 << 28 };
    static const char *const libraries[] = {"libmpi.so.40", "libmpich.so"};
    g_autofree char *path = g_find_program_in_path(program);
    GStatBuf about = {0};
    g_autofree char *data = NULL;
    gsize size = 0;
    if (path == NULL || g_stat(path, &about) != 0 || about.st_size > LARGEST ||
        !g_file_get_contents(path, &data, &size, NULL) || strncmp(data, "\177ELF", 4) != 0)
        return NULL;
    for (gsize i = 0; i < G_N_ELEMENTS(mpis); i++)
        if (&mpis[i] != ran && memmem(data, size, libraries[i], strlen(libraries[i])) != NULL)
            return &mpis[i];
    return NULL;
}

static gboolean nothing_recorded(const char *program, const Mpi *ran, GError **error)
{
    const Mpi *other = linked_with(program, ran);
    if (other != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s recorded nothing: it is linked with %s, the launcher is of %s; give that "
                    "MPI's launcher, e.g. --mpirun=mpirun.%s",
                    program, other->name, ran->name, other->name);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s recorded nothing: it did not get through MPI_Init, or it is no "
                    "program of %s",
                    program, ran->name);
    return FALSE;
}

static gboolean record_into(const DnRecordRun *r, const char *folder, const char *output,
                            DnRecSummary *summary, int *status, GError **error)
{
    g_auto(GStrv) launcher = NULL;
    g_autoptr(GError) problem = NULL;
    const char *command = r->launcher != NULL ? r->launcher : "mpirun";
    if (!g_shell_parse_argv(command, NULL, &launcher, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "--mpirun: %s", problem->message);
        return FALSE;
    }
    const Mpi *mpi = mpi_of(launcher, error);
    g_autofree char *library = mpi != NULL ? find_library(mpi->name, error) : NULL;
    if (library == NULL)
        return FALSE;
    g_autoptr(GPtrArray) line = command_line(launcher, mpi, r, library, r->program);
    if (!record_run_run(line, folder, r->clock, status, error))
        return FALSE;
    if (is_empty(folder))
        return nothing_recorded(r->program[0], mpi, error);
    return dn_rec_pack(folder, output, summary, error);
}

gboolean dn_record_run(const DnRecordRun *r, const char *output, DnRecSummary *summary, int *status,
                       GError **error)
{
    g_autofree char *kept = g_strconcat(output, ".ranks", NULL);
    if (r->keep && !check_kept(kept, error))
        return FALSE;
    if (!check_program(r->program[0], error))
        return FALSE;
    g_autofree char *folder = make_folder(output, error);
    if (folder == NULL)
        return FALSE;
    gboolean ok = record_into(r, folder, output, summary, status, error);
    if (ok && r->keep)
        return keep_folder(folder, kept, error);
    remove_folder(folder);
    return ok;
}
