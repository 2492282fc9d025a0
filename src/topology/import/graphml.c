/* graphml.c - graphs in GraphML (graphml.graphdrawing.org), as igraph, NetworkX, Gephi, the
 * Internet Topology Zoo and `darner topo export --format graphml` write them.
 *
 * Node attributes that count: kind (gpu, cpu, nic, nvswitch, switch), name or label, latency_ps,
 * transit, endpoint, nic (id of the NIC that serves it). Without kind a vertex with one edge is a
 * host (a NIC), any other a switch; where no vertex has one edge, each carries a host of its own.
 * Edge attributes: class, bandwidth_bps or LinkSpeedRaw (bit/s) or bandwidth ("200 Gb/s"),
 * latency_ps or latency ("350 ns"), efficiency, buffer_bytes, width or count. Others are named in a
 * comment. An edge is a cable, both ways; in a directed graph a->b and b->a are one.
 * LIMITATIONS: no hyperedges; nested graphs are read flat; ports are left out. The whole graph is
 * one node graph of at most 4096 vertices: a fabric's switches come back as switches of that
 * node. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "topology/import/graphml_class.h"
#include "topology/import/import.h"
#include "topology/import/known_hardware.h"
#include "topology/import/xml.h"
#include "topology/graph.h"

#define MAX_VERTICES 4096
#define MAX_EDGES 1000000

enum { ON_NODE, ON_EDGE };

typedef struct {
    char *name; /* lower case */
    char *fallback;
    gboolean on[2], used;
} Key;

typedef struct {
    const DnXml *xml;
    guint32 vertex, degree;
} Node;

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    GHashTable *keys; /* id -> Key* */
    GHashTable *ids;  /* node id -> index + 1 in nodes */
    GArray *nodes;    /* Node */
    GPtrArray *edges; /* DnXml* */
    GHashTable *half; /* directed: "a b" seen without its reverse -> how often */
    gboolean directed, any_kind;
} Reader;

static void key_free(gpointer data)
{
    Key *k = data;
    g_free(k->name);
    g_free(k->fallback);
    g_free(k);
}

static gboolean graphml_fault(const Reader *r, const DnXml *at, DnError code, GError **error,
                              const char *format, ...) G_GNUC_PRINTF(5, 6);

static gboolean graphml_fault(const Reader *r, const DnXml *at, DnError code, GError **error,
                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    dn_import_error(r->text, at->line, at->column, code, error, "%s", message);
    return FALSE;
}

static gboolean read_key(Reader *r, const DnXml *xml, GError **error)
{
    const char *id = dn_xml_require(r->text, xml, "id", error);
    if (id == NULL)
        return FALSE;
    const char *name = dn_xml_attribute(xml, "attr.name"), *what = dn_xml_attribute(xml, "for");
    Key *key = g_new0(Key, 1);
    key->name = g_ascii_strdown(name != NULL ? name : id, -1);
    gboolean all = what == NULL || g_str_equal(what, "all");
    key->on[ON_NODE] = all || g_str_equal(what, "node");
    key->on[ON_EDGE] = all || g_str_equal(what, "edge");
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        if (g_str_equal(c->name, "default") && key->fallback == NULL)
            key->fallback = g_strdup(dn_xml_text(c));
    }
    g_hash_table_replace(r->keys, g_strdup(id), key);
    return TRUE;
}

/* Attribute @name of a node or edge, stripped; NULL: none. (transfer full) */
static char *value_of(const Reader *r, const DnXml *xml, guint on, const char *name)
{
    const char *found = NULL;
    for (guint i = 0; i < xml->children->len && found == NULL; i++) {
        const DnXml *c = xml->children->pdata[i];
        const char *id = dn_xml_attribute(c, "key");
        Key *key = g_str_equal(c->name, "data") && id != NULL ? g_hash_table_lookup(r->keys, id)
                                                              : NULL;
        if (key != NULL && key->on[on] && g_str_equal(key->name, name)) {
            key->used = TRUE;
            found = dn_xml_text(c);
        }
    }
    GHashTableIter iter;
    gpointer data;
    g_hash_table_iter_init(&iter, r->keys);
    while (found == NULL && g_hash_table_iter_next(&iter, NULL, &data)) {
        Key *key = data;
        if (key->on[on] && g_str_equal(key->name, name)) {
            key->used = TRUE;
            found = key->fallback;
            break;
        }
    }
    return found != NULL && *found != '\0' ? g_strstrip(g_strdup(found)) : NULL;
}

/* A number in @low .. @high into @out, untouched when absent. */
static gboolean number_of(const Reader *r, const DnXml *xml, guint on, const char *name, double low,
                          double high, double *out, GError **error)
{
    g_autofree char *text = value_of(r, xml, on, name);
    if (text == NULL)
        return TRUE;
    char *end;
    double value = g_ascii_strtod(text, &end);
    g_autofree char *shown = dn_quote(text);
    if (end == text || *end != '\0' || !isfinite(value) || value < low || value > high)
        return graphml_fault(r, xml, DN_ERROR_RANGE, error,
                             "<%s> with %s %s; wanted: a number, %g to %g", xml->name, name, shown,
                             low, high);
    *out = value;
    return TRUE;
}

/* The same with a unit: "200 Gb/s". */
static gboolean quantity_of(const Reader *r, const DnXml *xml, const char *name, DnUnit unit,
                            double low, double high, double *out, GError **error)
{
    g_autofree char *text = value_of(r, xml, ON_EDGE, name);
    g_autoptr(GError) problem = NULL;
    if (text == NULL)
        return TRUE;
    if (!dn_unit_parse(text, unit, out, &problem))
        return graphml_fault(r, xml, DN_ERROR_UNIT, error, "<%s> with %s: %s", xml->name, name,
                             problem->message);
    return (*out >= low && *out <= high) ||
           graphml_fault(r, xml, DN_ERROR_RANGE, error, "<%s>: %s is out of range", xml->name,
                         name);
}

static gboolean graphml_collect(Reader *r, const DnXml *graph, guint depth, GError **error)
{
    for (guint i = 0; i < graph->children->len; i++) {
        const DnXml *c = graph->children->pdata[i];
        if (g_str_equal(c->name, "hyperedge"))
            return graphml_fault(r, c, DN_ERROR_RANGE, error,
                                 "<hyperedge>; wanted: edges of two ends");
        if (g_str_equal(c->name, "edge")) {
            g_ptr_array_add(r->edges, (gpointer)c);
        } else if (g_str_equal(c->name, "node")) {
            const char *id = dn_xml_require(r->text, c, "id", error);
            if (id == NULL)
                return FALSE;
            g_autofree char *shown = dn_quote(id);
            if (g_hash_table_contains(r->ids, id))
                return graphml_fault(r, c, DN_ERROR_RANGE, error, "node %s is there twice", shown);
            Node node = {c, 0, 0};
            g_array_append_val(r->nodes, node);
            g_hash_table_insert(r->ids, g_strdup(id), GUINT_TO_POINTER(r->nodes->len));
        }
        if (r->nodes->len > MAX_VERTICES || r->edges->len > MAX_EDGES)
            return graphml_fault(r, c, DN_ERROR_RANGE, error, "more than %d vertices or %d edges",
                                 MAX_VERTICES, MAX_EDGES);
        if ((g_str_equal(c->name, "node") || g_str_equal(c->name, "graph")) &&
            !graphml_collect(r, c, depth + 1, error))
            return FALSE;
    }
    return TRUE;
}

static Node *node_at(const Reader *r, guint32 i)
{
    return &g_array_index(r->nodes, Node, i);
}

/* The two ends of an edge, as indices of nodes. */
static gboolean ends_of(const Reader *r, const DnXml *edge, guint32 ends[2], GError **error)
{
    static const char *const names[] = {"source", "target"};
    for (guint i = 0; i < 2; i++) {
        const char *id = dn_xml_require(r->text, edge, names[i], error);
        if (id == NULL)
            return FALSE;
        guint found = GPOINTER_TO_UINT(g_hash_table_lookup(r->ids, id));
        g_autofree char *shown = dn_quote(id);
        if (found == 0)
            return graphml_fault(r, edge, DN_ERROR_UNKNOWN, error,
                                 "<edge> to %s, which is no <node>", shown);
        ends[i] = found - 1;
    }
    return TRUE;
}

static gboolean kind_of(const Reader *r, const Node *node, gboolean leaves, DnDraftKind *kind,
                        GError **error)
{
    static const char *const kinds[] = {"gpu", "cpu", "nic", "nvswitch", "switch", NULL};
    g_autofree char *text = value_of(r, node->xml, ON_NODE, "kind");
    if (text == NULL) {
        *kind = leaves && node->degree == 1 ? DN_DRAFT_NIC : DN_DRAFT_SWITCH;
        return TRUE;
    }
    for (guint i = 0; kinds[i] != NULL; i++)
        if (g_ascii_strcasecmp(text, kinds[i]) == 0) {
            *kind = (DnDraftKind)i;
            return TRUE;
        }
    g_autofree char *unknown = dn_unknown(text, kinds, "known");
    return graphml_fault(r, node->xml, DN_ERROR_UNKNOWN, error, "<node> of unknown kind %s",
                         unknown);
}

static gboolean is_true(const char *text)
{
    return g_ascii_strcasecmp(text, "true") == 0 || g_str_equal(text, "1");
}

static gboolean add_vertex(Reader *r, Node *node, gboolean leaves, GError **error)
{
    DnDraftKind kind = DN_DRAFT_SWITCH;
    double latency = -1;
    if (!kind_of(r, node, leaves, &kind, error) ||
        !number_of(r, node->xml, ON_NODE, "latency_ps", 0, 1e12, &latency, error))
        return FALSE;
    const char *id = dn_xml_attribute(node->xml, "id");
    g_autofree char *name = value_of(r, node->xml, ON_NODE, "name");
    g_autofree char *label = value_of(r, node->xml, ON_NODE, "label");
    g_autofree char *transit = value_of(r, node->xml, ON_NODE, "transit");
    node->vertex = dn_draft_vertex(r->draft, kind,
                                   name != NULL    ? name
                                   : label != NULL ? label
                                                   : id,
                                   name == NULL && label != NULL ? id : NULL);
    DnDraftVertex *v = dn_draft_at(r->draft, node->vertex);
    if (transit != NULL && is_true(transit) != (kind != DN_DRAFT_GPU)) {
        v->forwards = kind == DN_DRAFT_GPU;
        v->host_end = !v->forwards;
    }
    if (latency > 0) {
        g_autofree char *value = g_strdup_printf("%.0f ps", latency);
        v->latency = dn_known(value, r->draft->source);
    } else if (latency < 0 && (kind == DN_DRAFT_SWITCH || kind == DN_DRAFT_NVSWITCH)) {
        v->latency = kind == DN_DRAFT_SWITCH ? dn_known_fabric_latency()
                                             : dn_known_nvswitch_latency();
    } else if (latency < 0 && kind == DN_DRAFT_NIC) {
        v->latency = dn_known_nic_latency();
    }
    return TRUE;
}

static gboolean read_figures(const Reader *r, const DnXml *edge, DnGraphmlFigures *f,
                             GError **error)
{
    *f = (DnGraphmlFigures){-1, -1, -1, -1, 1};
    return quantity_of(r, edge, "bandwidth", DN_UNIT_RATE, 1, 1e16, &f->bandwidth, error) &&
           number_of(r, edge, ON_EDGE, "linkspeedraw", 1, 1e16, &f->bandwidth, error) &&
           number_of(r, edge, ON_EDGE, "bandwidth_bps", 1, 1e16, &f->bandwidth, error) &&
           quantity_of(r, edge, "latency", DN_UNIT_TIME, 1, 1e12, &f->latency, error) &&
           number_of(r, edge, ON_EDGE, "latency_ps", 1, 1e12, &f->latency, error) &&
           number_of(r, edge, ON_EDGE, "efficiency", 1e-6, 1, &f->efficiency, error) &&
           number_of(r, edge, ON_EDGE, "buffer_bytes", 1, DN_MOST_BUFFER_BYTES, &f->buffer,
                     error) &&
           number_of(r, edge, ON_EDGE, "count", 1, 1e6, &f->width, error) &&
           number_of(r, edge, ON_EDGE, "width", 1, 1e6, &f->width, error);
}

/* TRUE: the reverse of a directed edge that is there already. */
static gboolean is_reverse(Reader *r, const DnXml *edge, const guint32 ends[2])
{
    const char *own = dn_xml_attribute(edge, "directed");
    if (own != NULL ? !is_true(own) : !r->directed)
        return FALSE;
    g_autofree char *back = g_strdup_printf("%u %u", ends[1], ends[0]);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(r->half, back));
    if (n > 0) {
        g_hash_table_insert(r->half, g_steal_pointer(&back), GUINT_TO_POINTER(n - 1));
        return TRUE;
    }
    char *forth = g_strdup_printf("%u %u", ends[0], ends[1]);
    n = GPOINTER_TO_UINT(g_hash_table_lookup(r->half, forth));
    g_hash_table_insert(r->half, forth, GUINT_TO_POINTER(n + 1));
    return FALSE;
}

static gboolean add_edge(Reader *r, const DnXml *xml, GError **error)
{
    guint32 ends[2] = {0};
    DnGraphmlFigures f;
    if (!ends_of(r, xml, ends, error) || !read_figures(r, xml, &f, error))
        return FALSE;
    if (ends[0] == ends[1]) {
        dn_draft_note(r->draft, "Line %u: an edge from %s to itself; left out.", xml->line,
                      dn_draft_at(r->draft, node_at(r, ends[0])->vertex)->name);
        return TRUE;
    }
    if (is_reverse(r, xml, ends))
        return TRUE;
    g_autofree char *class_name = value_of(r, xml, ON_EDGE, "class");
    g_autofree char *fit = dn_graphml_class_name(class_name);
    dn_draft_edge(r->draft, node_at(r, ends[0])->vertex, node_at(r, ends[1])->vertex,
                  dn_graphml_class_find(r->draft, fit, &f), (guint32)f.width);
    return TRUE;
}

/* A host on every vertex, when the graph is of switches only. */
static void add_hosts(Reader *r)
{
    guint32 n = r->draft->vertices->len;
    guint32 class_ =
        dn_graphml_class_find(r->draft, "terminal", &(DnGraphmlFigures){-1, -1, -1, -1, 1});
    for (guint32 v = 0; v < n; v++) {
        g_autofree char *name = g_strdup_printf("%s.host", dn_draft_at(r->draft, v)->name);
        guint32 host = dn_draft_vertex(r->draft, DN_DRAFT_NIC, name, NULL);
        dn_draft_set_latency(r->draft, host, dn_known_nic_latency());
        dn_draft_edge(r->draft, host, v, class_, 1)->assumed =
            g_strdup("the graph has no vertex with one edge: a host on every vertex");
    }
    dn_draft_note(r->draft,
                  "No vertex has a kind or only one edge: all are taken for switches, and "
                  "each carries a host.");
}

/* endpoints: what the vertices marked so are; the NICs that serve them. */
static gboolean read_roles(Reader *r, GError **error)
{
    static const char *const names[] = {"gpu", "cpu", "nic"};
    for (guint32 i = 0; i < r->nodes->len; i++) {
        const Node *node = node_at(r, i);
        g_autofree char *mark = value_of(r, node->xml, ON_NODE, "endpoint");
        g_autofree char *nic = value_of(r, node->xml, ON_NODE, "nic");
        DnDraftKind kind = dn_draft_at(r->draft, node->vertex)->kind;
        if (mark != NULL && is_true(mark) && kind <= DN_DRAFT_NIC && r->draft->endpoints == NULL)
            r->draft->endpoints = g_strdup(names[kind]);
        if (nic == NULL)
            continue;
        guint found = GPOINTER_TO_UINT(g_hash_table_lookup(r->ids, nic));
        g_autofree char *shown = dn_quote(nic);
        if (found == 0 ||
            dn_draft_at(r->draft, node_at(r, found - 1)->vertex)->kind != DN_DRAFT_NIC)
            return graphml_fault(r, node->xml, DN_ERROR_UNKNOWN, error,
                                 "<node> with nic %s, which is no node of kind nic", shown);
        dn_draft_serve(r->draft, node_at(r, found - 1)->vertex, node->vertex);
    }
    return TRUE;
}

static void note_ignored(Reader *r)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    GHashTableIter iter;
    gpointer data;
    g_hash_table_iter_init(&iter, r->keys);
    while (g_hash_table_iter_next(&iter, NULL, &data)) {
        const Key *key = data;
        if (!key->used && (key->on[ON_NODE] || key->on[ON_EDGE]))
            g_ptr_array_add(names, key->name);
    }
    if (names->len == 0)
        return;
    g_ptr_array_sort_with_data(names, (GCompareDataFunc)(void (*)(void))g_strcmp0, NULL);
    g_ptr_array_add(names, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
    dn_draft_note(r->draft, "Attributes that say nothing here: %s.", list);
}

static gboolean read_graph(Reader *r, const DnXml *root, GError **error)
{
    const DnXml *graph = NULL;
    if (!g_str_equal(root->name, "graphml"))
        return graphml_fault(r, root, DN_ERROR_SYNTAX, error,
                             "root element <%s>; wanted: <graphml>", root->name);
    for (guint i = 0; i < root->children->len; i++) {
        const DnXml *c = root->children->pdata[i];
        if (g_str_equal(c->name, "key") && !read_key(r, c, error))
            return FALSE;
        if (g_str_equal(c->name, "graph") && graph == NULL)
            graph = c;
    }
    if (graph == NULL)
        return graphml_fault(r, root, DN_ERROR_MISSING, error, "no <graph> in <graphml>");
    const char *direction = dn_xml_attribute(graph, "edgedefault");
    r->directed = direction != NULL && g_str_equal(direction, "directed");
    if (!graphml_collect(r, graph, 0, error))
        return FALSE;
    return r->nodes->len > 0 ||
           graphml_fault(r, graph, DN_ERROR_MISSING, error, "no <node> in <graph>");
}

static gboolean graphml_build(Reader *r, GError **error)
{
    guint32 ends[2] = {0}, leaves = 0, kinds = 0;
    for (guint i = 0; i < r->edges->len; i++) {
        if (!ends_of(r, r->edges->pdata[i], ends, error))
            return FALSE;
        if (ends[0] != ends[1] && !is_reverse(r, r->edges->pdata[i], ends)) {
            node_at(r, ends[0])->degree++;
            node_at(r, ends[1])->degree++;
        }
    }
    g_hash_table_remove_all(r->half);
    for (guint32 i = 0; i < r->nodes->len; i++) {
        g_autofree char *kind = value_of(r, node_at(r, i)->xml, ON_NODE, "kind");
        kinds += kind != NULL;
        leaves += kind == NULL && node_at(r, i)->degree == 1;
    }
    for (guint32 i = 0; i < r->nodes->len; i++)
        if (!add_vertex(r, node_at(r, i), leaves > 0, error))
            return FALSE;
    for (guint i = 0; i < r->edges->len; i++)
        if (!add_edge(r, r->edges->pdata[i], error))
            return FALSE;
    if (leaves == 0 && kinds == 0)
        add_hosts(r);
    return read_roles(r, error);
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_autoptr(DnXml) root = dn_xml_parse(text, error);
    if (root == NULL)
        return FALSE;
    g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, key_free);
    g_autoptr(GHashTable) ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) half = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(Node));
    g_autoptr(GPtrArray) edges = g_ptr_array_new();
    Reader r = {text, draft, keys, ids, nodes, edges, half, FALSE, FALSE};
    if (!read_graph(&r, root, error) || !graphml_build(&r, error))
        return FALSE;
    note_ignored(&r);
    draft->description = g_strdup_printf("A graph of %u vertices and %u cables, from %s",
                                         draft->vertices->len, draft->edges->len, draft->source);
    dn_known_node_tail(draft);
    return TRUE;
}

static gboolean graphml_recognise(const DnImportText *text)
{
    g_autofree char *root = dn_xml_root_name(text);
    return root != NULL && g_str_equal(root, "graphml");
}

const DnImporter dn_importer_graphml = {
    .name = "graphml",
    .summary = "GraphML",
    .sign = "XML with the root <graphml>",
    .recognise = graphml_recognise,
    .read = read_draft,
};
