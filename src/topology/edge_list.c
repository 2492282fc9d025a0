/* edge_list.c - see edge_list.h. */
#include "topology/edge_list.h"

#include "base/csv.h"
#include "topology/import/xml.h"

#include <string.h>

#define MOST_LINKS 1024 /* parallel links of a pair */

/* Returns the fault of an edge, or NULL. (transfer full) */
static char *edge_fault(const DnEdge *e, guint32 switches)
{
    if (e->a >= switches || e->b >= switches)
        return g_strdup_printf("switch %u; the fabric has 0 to %u", MAX(e->a, e->b), switches - 1);
    if (e->a == e->b)
        return g_strdup_printf("a link from switch %u to itself", e->a);
    if (e->count < 1 || e->count > MOST_LINKS)
        return g_strdup_printf("%u links; 1 to %d", e->count, MOST_LINKS);
    return NULL;
}

static gboolean read_inline(const DnConfigNode *list, guint32 switches, GArray *edges,
                            GError **error)
{
    static const DnParamSpec number = {"edges", DN_PARAM_INT, NULL, 0, 1 << 24, NULL, NULL};
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    for (guint i = 0; i < list->children->len; i++) {
        const DnConfigNode *item = list->children->pdata[i];
        gint64 value[3] = {0, 0, 1};
        double unused;
        if (!dn_config_expect(item, DN_CONFIG_LIST, error))
            return FALSE;
        guint n = item->children->len;
        for (guint k = 0; k < MIN(n, 3); k++)
            if (!dn_param_parse(item->children->pdata[k], &number, &value[k], &unused, error))
                return FALSE;
        DnEdge edge = {(guint32)value[0], (guint32)value[1], (guint32)value[2]};
        g_autofree char *fault = n < 2 || n > 3
                                     ? g_strdup_printf("%u numbers; [a, b] or [a, b, count]", n)
                                     : edge_fault(&edge, switches);
        if (fault != NULL) {
            dn_config_error(item, DN_ERROR_RANGE, error, "edges: %s", fault);
            return FALSE;
        }
        g_array_append_val(edges, edge);
    }
    return TRUE;
}

static gboolean read_csv(const char *file, guint32 switches, GArray *edges, GError **error)
{
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return FALSE;
    int columns[3] = {dn_csv_column(csv, "a"), dn_csv_column(csv, "b"),
                      dn_csv_column(csv, "count")};
    if (columns[0] < 0 || columns[1] < 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s:1:1: columns a and b are wanted, and perhaps count", file);
        return FALSE;
    }
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = csv->rows->pdata[i];
        double value[3] = {0, 0, 1};
        for (guint k = 0; k < 3; k++)
            if (columns[k] >= 0 &&
                !dn_csv_read_number(csv, row, (guint)columns[k], &value[k], error))
                return FALSE;
        DnEdge edge = {0, 0, 0};
        for (guint k = 0; k < 3; k++)
            if (value[k] < 0 || value[k] > 1 << 24 || value[k] != (guint32)value[k]) {
                dn_csv_error(csv, row, (guint)columns[k], DN_ERROR_RANGE, error,
                             "%g; a whole number is wanted", value[k]);
                return FALSE;
            }
        edge = (DnEdge){(guint32)value[0], (guint32)value[1], (guint32)value[2]};
        g_autofree char *fault = edge_fault(&edge, switches);
        if (fault != NULL) {
            dn_csv_error(csv, row, (guint)columns[0], DN_ERROR_RANGE, error, "%s", fault);
            return FALSE;
        }
        g_array_append_val(edges, edge);
    }
    return TRUE;
}

/* Nodes and edges of the <graph>; names of nodes to their numbers. */
static gboolean read_graph(const DnImportText *text, const DnXml *graph, guint32 switches,
                           GArray *edges, GError **error)
{
    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < graph->children->len; i++) {
        const DnXml *x = graph->children->pdata[i];
        if (!g_str_equal(x->name, "node"))
            continue;
        const char *id = dn_xml_require(text, x, "id", error);
        if (id == NULL)
            return FALSE;
        g_hash_table_insert(numbers, (gpointer)id,
                            GUINT_TO_POINTER(g_hash_table_size(numbers) + 1));
    }
    for (guint i = 0; i < graph->children->len; i++) {
        const DnXml *x = graph->children->pdata[i];
        if (!g_str_equal(x->name, "edge"))
            continue;
        const char *ends[2] = {dn_xml_require(text, x, "source", error), NULL};
        if (ends[0] == NULL || (ends[1] = dn_xml_require(text, x, "target", error)) == NULL)
            return FALSE;
        guint a = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, ends[0]));
        guint b = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, ends[1]));
        DnEdge edge = {a - 1, b - 1, 1};
        g_autofree char *fault = a == 0 || b == 0
                                     ? g_strdup_printf("no node '%s'", a == 0 ? ends[0] : ends[1])
                                     : edge_fault(&edge, switches);
        if (fault != NULL) {
            dn_import_error(text, x->line, x->column, DN_ERROR_RANGE, error, "%s", fault);
            return FALSE;
        }
        g_array_append_val(edges, edge);
    }
    return TRUE;
}

static gboolean read_graphml(const char *file, guint32 switches, GArray *edges, GError **error)
{
    g_autoptr(DnImportText) text = dn_import_text_load(file, error);
    g_autoptr(DnXml) root = text != NULL ? dn_xml_parse(text, error) : NULL;
    if (root == NULL)
        return FALSE;
    for (guint i = 0; i < root->children->len; i++) {
        const DnXml *graph = root->children->pdata[i];
        if (g_str_equal(graph->name, "graph"))
            return read_graph(text, graph, switches, edges, error);
    }
    dn_import_error(text, root->line, root->column, DN_ERROR_MISSING, error,
                    "no <graph>; a GraphML file is wanted");
    return FALSE;
}

static gboolean read_file(const DnParams *params, guint32 switches, GArray *edges, GError **error)
{
    const char *name = dn_params_string(params, "file");
    const DnConfigNode *at = dn_params_node(params, "file");
    g_autofree char *folder = at != NULL ? g_path_get_dirname(at->file) : g_strdup(".");
    g_autofree char *file = g_path_is_absolute(name) || at == NULL ||
                                    g_str_has_prefix(at->file, "--set ")
                                ? g_strdup(name)
                                : g_build_filename(folder, name, NULL);
    if (g_str_has_suffix(name, ".csv"))
        return read_csv(file, switches, edges, error);
    if (g_str_has_suffix(name, ".graphml"))
        return read_graphml(file, switches, edges, error);
    dn_params_error(params, "file", DN_ERROR_RANGE, error, "'%s' ends neither in .csv nor .graphml",
                    name);
    return FALSE;
}

GArray *dn_edge_list_read(const DnParams *params, guint32 switches, GError **error)
{
    g_autoptr(GArray) edges = g_array_new(FALSE, FALSE, sizeof(DnEdge));
    const DnConfigNode *list = dn_params_node(params, "edges");
    gboolean file = dn_params_has(params, "file");
    if (file == (list != NULL)) {
        dn_params_error(params, "edges", DN_ERROR_MISSING, error,
                        "one of `edges: [[0, 1], ...]` and `file: x.csv` is wanted, %s",
                        file ? "not both" : "neither is there");
        return NULL;
    }
    gboolean done = file ? read_file(params, switches, edges, error)
                         : read_inline(list, switches, edges, error);
    return done ? g_steal_pointer(&edges) : NULL;
}
