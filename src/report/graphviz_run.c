/* graphviz_run.c - runs Graphviz' `dot` (graphviz_run.h). */
#include "report/graphviz_run.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"

/* In the child: reads the file @data (int *), and ends with this process. */
static void graphviz_child(gpointer data)
{
    dup2(*(const int *)data, STDIN_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* `dot @options <@file` */
static char *graphviz_spawn(const char *program, int file, const char *const *options,
                            const char *option, GError **error)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autofree char *said = NULL, *printed = NULL;
    g_autoptr(GError) problem = NULL;
    int status;
    g_ptr_array_add(words, (gpointer)program);
    for (; *options != NULL; options++)
        g_ptr_array_add(words, (gpointer)*options);
    g_ptr_array_add(words, NULL);
    if (!g_spawn_sync(NULL, (char **)words->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN,
                      graphviz_child, &file, &printed, &said, &status, &problem) ||
        !g_spawn_check_wait_status(status, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s%s%s", option, problem->message,
                    said != NULL && *said != '\0' ? ": " : "",
                    said != NULL ? g_strchomp(said) : "");
        return NULL;
    }
    if (printed[0] != '\0')
        return g_steal_pointer(&printed);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s drew nothing", option, program);
    return NULL;
}

/* A file without a name that holds @text, from its beginning; -1 + error. */
static int graphviz_input(const char *text, const char *option, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *name = NULL;
    gsize left = strlen(text);
    int fd = g_file_open_tmp("darner-XXXXXX.dot", &name, &problem);
    if (fd < 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", option, problem->message);
        return -1;
    }
    g_unlink(name);
    while (left > 0) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        text += n;
        left -= (gsize)n;
    }
    if (left == 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s: %s", option, name, g_strerror(errno));
    close(fd);
    return -1;
}

char *dn_graphviz_run(const char *dot, const char *const *words, const char *option, GError **error)
{
    g_autofree char *program = g_find_program_in_path("dot");
    if (program == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s needs Graphviz' `dot` in PATH; Debian: apt-get install graphviz", option);
        return NULL;
    }
    int file = graphviz_input(dot, option, error);
    if (file < 0)
        return NULL;
    char *printed = graphviz_spawn(program, file, words, option, error);
    close(file);
    return printed;
}
