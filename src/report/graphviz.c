/* graphviz.c - machines drawn by Graphviz (graphviz.h). */
#include "report/graphviz.h"

#include <string.h>

#include "base/error.h"
#include "report/graphviz_boxes.h"
#include "report/graphviz_run.h"
#include "topology/graph_metrics.h"

/* Up to MOST_WITH_NODES vertices are all drawn. Beyond, the groups, one group and one node are, if
 * groups and switches of one are at most MOST_GROUPS; else the switches, at most MOST_SWITCHES:
 * with more, Graphviz takes longer than a minute, and nobody can read it. */
#define MOST_WITH_NODES 600
#define MOST_SWITCHES 1200
#define MOST_GROUPS 300
/* Points between two drawings of one picture. */
#define PANEL_GAP 24.0

char *dn_graphviz_svg(const char *dot, const char *option, GError **error)
{
    const char *const words[] = {"-Tsvg", NULL};
    return dn_graphviz_run(dot, words, option, error);
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
    if (drawn <= DN_DOT_CURVES)
        return dn_graphviz_boxes(g, drawn, option, error);
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot(g, all ? DN_DOT_ALL : DN_DOT_SWITCHES, text);
    return dn_graphviz_svg(text->str, option, error);
}
