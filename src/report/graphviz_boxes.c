/* graphviz_boxes.c - a small machine with a box around each group and each node (graphviz.h). */
#include "report/graphviz_boxes.h"

#include <string.h>

#include "report/graphviz_run.h"
#include "topology/graph_metrics.h"

/* What `dot -Tplain` printed of graphs one after another. */
typedef struct {
    guint32 drawn, boxes, graph; /* the graph at hand, from 1 */
    DnDotPlaces *places;
} PlainReader;

/* "box12", @prefix "box", to 12 when it is below @n; else DN_NONE. */
static guint32 plain_index(const char *name, const char *prefix, guint32 n)
{
    guint64 i;
    if (!g_str_has_prefix(name, prefix) ||
        !g_ascii_string_to_unsigned(name + strlen(prefix), 10, 0, (guint64)n, &i, NULL) || i == n)
        return DN_NONE;
    return (guint32)i;
}

/* "graph scale width height", or "node name x y ..." */
static void plain_line(PlainReader *reader, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, " ", 5);
    if (g_strv_length(words) < 4)
        return;
    double a = g_ascii_strtod(words[2], NULL), b = g_ascii_strtod(words[3], NULL);
    if (strcmp(words[0], "graph") == 0) {
        if (reader->graph < reader->boxes)
            reader->places->inside[reader->graph] = (DnDotSize){a, b};
        reader->graph++;
    }
    if (strcmp(words[0], "node") != 0)
        return;
    guint32 vertex = plain_index(words[1], "v", reader->drawn);
    guint32 box = plain_index(words[1], "box", reader->boxes);
    if (vertex != DN_NONE)
        reader->places->vertices[vertex] = (DnDotPlace){a, b};
    else if (box != DN_NONE)
        reader->places->boxes[box] = (DnDotPlace){a, b};
    else if (strcmp(words[1], "legend") == 0)
        reader->places->legend = (DnDotPlace){a, b};
}

/* Lays out the graphs in @text and notes the sizes and places in @reader. */
static gboolean graphviz_place(const char *text, const char *option, PlainReader *reader,
                               GError **error)
{
    const char *const words[] = {"-Tplain", NULL};
    g_autofree char *plain = dn_graphviz_run(text, words, option, error);
    if (plain == NULL)
        return FALSE;
    g_auto(GStrv) lines = g_strsplit(plain, "\n", -1);
    for (char **line = lines; *line != NULL; line++)
        plain_line(reader, *line);
    return TRUE;
}

char *dn_graphviz_boxes(const DnGraph *g, guint32 drawn, const char *option, GError **error)
{
    const char *const words[] = {"-n", "-Tsvg", NULL};
    guint32 boxes = dn_dot_boxes(g, drawn);
    g_autofree DnDotPlace *vertices = g_new0(DnDotPlace, drawn);
    g_autofree DnDotPlace *middles = g_new0(DnDotPlace, boxes);
    g_autofree DnDotSize *inside = g_new0(DnDotSize, boxes);
    DnDotPlaces places = {.vertices = vertices, .boxes = middles, .inside = inside};
    PlainReader reader = {.drawn = drawn, .boxes = boxes, .places = &places};
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot_boxes(g, drawn, text);
    if (boxes > 0 && !graphviz_place(text->str, option, &reader, error))
        return NULL;
    g_string_truncate(text, 0);
    dn_graph_write_dot_outside(g, drawn, inside, text);
    if (!graphviz_place(text->str, option, &reader, error))
        return NULL;
    g_string_truncate(text, 0);
    dn_graph_write_dot_placed(g, drawn, &places, text);
    return dn_graphviz_run(text->str, words, option, error);
}
