/* graphviz.c - runs Graphviz' `dot` (graphviz.h). */
#include "report/graphviz.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.h"
#include "topology/graph_metrics.h"

/* In the child: reads the file @data (int *), and ends with this process. Graphviz' force-directed
 * layouts sort by address, so with the addresses of each process drawn anew the same graph is drawn
 * differently. Where the kernel refuses, it stays so. */
static void graphviz_child(gpointer data)
{
    int now = personality(0xffffffff);
    dup2(*(const int *)data, STDIN_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* `dot -Tsvg <@file` */
static char *graphviz_run(const char *program, int file, const char *option, GError **error)
{
    const char *words[] = {program, "-Tsvg", NULL};
    g_autofree char *said = NULL, *svg = NULL;
    g_autoptr(GError) problem = NULL;
    int status;
    if (!g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_CHILD_INHERITS_STDIN, graphviz_child,
                      &file, &svg, &said, &status, &problem) ||
        !g_spawn_check_wait_status(status, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s%s%s", option, problem->message,
                    said != NULL && *said != '\0' ? ": " : "",
                    said != NULL ? g_strchomp(said) : "");
        return NULL;
    }
    if (svg[0] != '\0')
        return g_steal_pointer(&svg);
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

char *dn_graphviz_svg(const char *dot, const char *option, GError **error)
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
    char *svg = graphviz_run(program, file, option, error);
    close(file);
    return svg;
}

/* Above so many vertices nodes are left out, and above so many switches nothing is drawn: Graphviz
 * takes longer than a minute, and nobody can read it. */
#define MOST_WITH_NODES 600
#define MOST_SWITCHES 1200

char *dn_graphviz_machine(const DnGraph *g, const char *option, GError **error)
{
    gboolean all = g->n_vertices <= MOST_WITH_NODES || g->size.switches == 0;
    guint32 drawn = all ? g->n_vertices : g->size.switches;
    if (drawn > MOST_SWITCHES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s draws up to %d switches or vertices, this machine has %u; "
                    "--dot FILE writes any machine for `sfdp -Tsvg FILE`",
                    option, MOST_SWITCHES, drawn);
        return NULL;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot(g, all ? DN_DOT_ALL : DN_DOT_SWITCHES, text);
    return dn_graphviz_svg(text->str, option, error);
}
