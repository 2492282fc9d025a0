/* graphviz.c - runs Graphviz' `dot` (graphviz.h). */
#include "report/graphviz.h"

#include <glib/gstdio.h>
#include <sys/personality.h>

#include "base/error.h"
#include "topology/graph_metrics.h"

/* In the child: Graphviz' force-directed layouts sort by address, so with the addresses of each
 * process drawn anew the same graph is drawn differently. Where the kernel refuses, it stays so. */
static void same_addresses(gpointer unused)
{
    (void)unused;
    int now = personality(0xffffffff);
    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* `dot -Tsvg @file` */
static char *graphviz_run(const char *program, const char *file, const char *option, GError **error)
{
    const char *words[] = {program, "-Tsvg", file, NULL};
    g_autofree char *said = NULL, *svg = NULL;
    g_autoptr(GError) problem = NULL;
    int status;
    if (!g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_DEFAULT, same_addresses, NULL, &svg,
                      &said, &status, &problem) ||
        !g_spawn_check_wait_status(status, &problem)) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s%s%s", option, problem->message,
                    said != NULL && *said != '\0' ? ": " : "",
                    said != NULL ? g_strchomp(said) : "");
        return NULL;
    }
    return g_steal_pointer(&svg);
}

char *dn_graphviz_svg(const char *dot, const char *option, GError **error)
{
    g_autofree char *program = g_find_program_in_path("dot");
    g_autoptr(GError) problem = NULL;
    g_autofree char *name = NULL;
    if (program == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s needs Graphviz' `dot` in PATH; Debian: apt-get install graphviz", option);
        return NULL;
    }
    int fd = g_file_open_tmp("darner-XXXXXX.dot", &name, &problem);
    if (fd < 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", option, problem->message);
        return NULL;
    }
    g_close(fd, NULL);
    char *svg = NULL;
    if (g_file_set_contents(name, dot, -1, &problem))
        svg = graphviz_run(program, name, option, error);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", option, problem->message);
    g_unlink(name);
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
