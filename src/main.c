/* main.c - The program's entry finds the command that argv names; only it exits.
 *
 * Status: 0 done, 1 a tolerance was missed (validate), 2 the user's input is wrong,
 * 130 interrupted. */
#include "commands/manual.h"
#include "base/exhausted.h"
#include "base/interrupt.h"
#include "base/processes_mpi.h"
#include "base/version.h"
#include "revision.h"
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_help(void)
{
    printf("Usage: darner COMMAND [OPTION...]\n"
           "       darner --help | --version | --manual\n\n"
           "Simulates HPC interconnects: how fast a workload runs on a machine, and what limits it."
           "\n\nCommands:\n");
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        printf("  %-12s %s\n", c->name, c->summary);
    printf("\n'darner COMMAND --help' explains one command, 'darner help' the keys of files.\n");
}

static int main_unknown(const char *word)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const DnCommand *c = dn_commands; c->name != NULL; c++)
        g_ptr_array_add(names, (gpointer)c->name);
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown = dn_unknown(word, (const char *const *)names->pdata, "known");
    return dn_command_fail(g_error_new(DN_ERROR, DN_ERROR_UNKNOWN, "unknown command %s", unknown));
}

/* Output that is only believed to be written is worse than none: a full disk is an error. */
static int check_output(int status)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return status;
    return dn_command_fail(
        g_error_new(DN_ERROR, DN_ERROR_FILE, "standard output: not all of it could be written"));
}

/* A standard stream that is closed (`>&-`) would give its number to the next file that is opened,
 * and what is printed would go into that file. The stand-in fails each write, as a closed one
 * does. */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Started by a launcher of MPI programs, as one process of several: a run is theirs together. */
static gboolean start_processes(const char *word, int *argc, char ***argv, GError **error)
{
    guint rank, n = dn_processes_launched(&rank);
    if (n == 1)
        return TRUE;
#ifdef DN_HAVE_MPI
    if (strcmp(word, "run") == 0) {
        if (dn_mpi_start(argc, argv))
            return TRUE;
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
                    "this is one of %u processes, but of another MPI than Darner was built with; "
                    "start them by that one's mpirun",
                    n);
        return FALSE;
    }
#endif
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN,
#ifdef DN_HAVE_MPI
                "this is one of %u processes of MPI; only `darner run` shares its work between "
                "processes: start `darner %s` without mpirun",
                n, word);
#else
                "this is one of %u processes of MPI, and this Darner was built without MPI: "
                "install libopenmpi-dev and build it again, or start `darner %s` without mpirun",
                n, word);
#endif
    return FALSE;
}

/* All processes fail in the same way: one says so, and fails. The launcher ends all processes when
 * one fails, so the others do not: the first one may not have spoken yet. */
static int fail_processes(GError *error)
{
    guint rank;
    (void)dn_processes_launched(&rank);
    if (rank == 0)
        return dn_command_fail(error);
    g_error_free(error);
    return DN_EXIT_OK;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    setlocale(LC_CTYPE, ""); /* messages may hold UTF-8; numbers stay in the C locale */
    dn_file_limit_install();
    dn_exhausted_install(DN_EXIT_USER);
    if (argc < 2) {
        print_help();
        return check_output(DN_EXIT_USER);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return check_output(DN_EXIT_OK);
    }
    if (strcmp(word, "--version") == 0) {
        printf("darner %s%s%s%s\n", dn_version, DN_REVISION[0] != '\0' ? " (revision " : "",
               DN_REVISION, DN_REVISION[0] != '\0' ? ")" : "");
        return check_output(DN_EXIT_OK);
    }
    if (strcmp(word, "--manual") == 0) {
        g_autofree char *page = dn_manual_page();
        fputs(page, stdout);
        return check_output(DN_EXIT_OK);
    }
    const DnCommand *command = dn_command_find(word);
    if (command == NULL)
        return main_unknown(word);
    GError *error = NULL;
    if (!start_processes(command->name, &argc, &argv, &error))
        return fail_processes(error);
    g_autofree char *name = g_strdup_printf("darner %s", command->name);
    argv[1] = name;
    int status = check_output(command->run(argc - 1, argv + 1));
#ifdef DN_HAVE_MPI
    dn_mpi_finish(status);
#endif
    return status;
}
