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

/* Above so many vertices a machine's groups are drawn, one of them, and one node, up to so many
 * groups and switches of a group; without groups its switches are, up to so many: beyond, Graphviz
 * takes longer than a minute, and nobody can read it. */
#define MOST_WITH_NODES 600
#define MOST_SWITCHES 1200
#define MOST_GROUPS 300
/* Points between two drawings of one picture. */
#define PANEL_GAP 24.0

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

/* Writes the size of the SVG at @at into @width and @height, and what follows its first tag into
 * @body. NULL: none follows; else its end. */
static const char *graphviz_next(const char *at, double *width, double *height, const char **body)
{
    const char *tag = strstr(at, "<svg ");
    const char *box = tag != NULL ? strstr(tag, "viewBox=\"0.00 0.00 ") : NULL;
    const char *end = box != NULL ? strstr(box, "</svg>") : NULL;
    char *rest = NULL;
    if (end == NULL)
        return NULL;
    *width = g_ascii_strtod(box + strlen("viewBox=\"0.00 0.00 "), &rest);
    *height = g_ascii_strtod(rest, NULL);
    *body = strchr(box, '>') + 1;
    return end;
}

/* (transfer full): one SVG of those in @all, the first on the left, the others below each other
 * beside it. */
static char *graphviz_join(const char *all)
{
    g_autoptr(GString) parts = g_string_new(NULL);
    double left = 0.0, below = 0.0, right = 0.0, width, height;
    double first_height = 0.0;
    const char *body;
    for (const char *at = all; (at = graphviz_next(at, &width, &height, &body)) != NULL;) {
        gboolean first = left <= 0.0;
        g_string_append_printf(parts,
                               "<svg x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                               "viewBox=\"0 0 %.2f %.2f\">",
                               left, below, width, height, width, height);
        g_string_append_len(parts, body, at - body);
        g_string_append(parts, "</svg>\n");
        if (first) {
            left = width + PANEL_GAP;
            first_height = height;
        } else {
            right = MAX(right, width);
            below += height + PANEL_GAP;
        }
    }
    width = left + right;
    height = MAX(first_height, below);
    return g_strdup_printf("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
                           "<svg width=\"%.0fpt\" height=\"%.0fpt\" viewBox=\"0 0 %.2f %.2f\"\n"
                           " xmlns=\"http://www.w3.org/2000/svg\" "
                           "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"
                           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
                           width, height, width, height, parts->str);
}

static char *graphviz_groups(const DnGraph *g, const char *option, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot_groups(g, text);
    g_autofree char *all = dn_graphviz_svg(text->str, option, error);
    return all != NULL ? graphviz_join(all) : NULL;
}

char *dn_graphviz_machine(const DnGraph *g, const char *option, GError **error)
{
    gboolean all = g->n_vertices <= MOST_WITH_NODES || g->size.switches == 0;
    guint32 drawn = all ? g->n_vertices : g->size.switches;
    if (!all && g->size.groups > 1 && g->size.groups <= MOST_GROUPS &&
        g->size.group_switches <= MOST_GROUPS)
        return graphviz_groups(g, option, error);
    if (drawn > MOST_SWITCHES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s draws up to %d switches or vertices, or %d groups of as many switches; "
                    "this machine has %u; --dot FILE writes any machine for `sfdp -Tsvg FILE`",
                    option, MOST_SWITCHES, MOST_GROUPS, drawn);
        return NULL;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot(g, all ? DN_DOT_ALL : DN_DOT_SWITCHES, text);
    return dn_graphviz_svg(text->str, option, error);
}
