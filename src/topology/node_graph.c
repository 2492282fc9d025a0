/* node_graph.c - see node_graph.h. */
#include "topology/node_graph.h"

#define MAX_NODE_CABLES 1000000

static const char *const annotations[] = {"source", "assumed", NULL};

const DnParamSpec dn_link_keys[] = {
    {"bandwidth", DN_PARAM_RATE, NULL, 1, 1e16, NULL, "one link, one direction"},
    {"latency", DN_PARAM_TIME, NULL, 1, 1e12, NULL,
     "head to head: wire plus the logic of both ports"},
    {"efficiency", DN_PARAM_REAL, "1", 1e-6, 1, NULL,
     "payload over wire bytes that the protocol can reach"},
    {"buffer", DN_PARAM_BYTES, NULL, 1, DN_MOST_BUFFER_BYTES, NULL,
     "input buffer at the receiving end, for each lane and virtual channel; of the whole bundle "
     "where links are bundled"},
    {"shared_buffer", DN_PARAM_BYTES, "0 B", 0, DN_MOST_SHARED_BUFFER_BYTES, NULL,
     "that all lanes and virtual channels of the port share there, beyond `buffer` of each"},
    {0},
};

gboolean dn_link_class_read(const DnConfigNode *node, const char *name, DnLinkClass *out,
                            GError **error)
{
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_link_keys, annotations, error)) == NULL)
        return FALSE;
    *out = (DnLinkClass){
        .name = (char *)name,
        .bandwidth_bps = dn_params_int(p, "bandwidth"),
        .latency_ps = dn_params_int(p, "latency"),
        .efficiency = dn_params_real(p, "efficiency"),
        .buffer_bytes = dn_params_int(p, "buffer"),
        .shared_buffer_bytes = dn_params_int(p, "shared_buffer"),
    };
    return TRUE;
}

static const char *const kinds[] = {"gpu", "cpu", "nic", "nvswitch", "switch", NULL};
static const DnVertexKind kind_of[] = {DN_VERTEX_GPU, DN_VERTEX_CPU, DN_VERTEX_NIC,
                                       DN_VERTEX_NVSWITCH, DN_VERTEX_NVSWITCH};

const DnParamSpec dn_vertex_keys[] = {
    {"name", DN_PARAM_STRING, NULL, 0, 0, NULL, "with count n: name0 .. name<n-1>"},
    {"kind", DN_PARAM_CHOICE, NULL, 0, 0, kinds, "what it is"},
    {"count", DN_PARAM_INT, "", 1, DN_MOST_NODE_VERTICES, NULL, "how many"},
    {"transit", DN_PARAM_BOOL, "", 0, 0, NULL,
     "forwards traffic of others; a GPU: no, others: yes"},
    {"latency", DN_PARAM_TIME, "0 ps", 0, 1e12, NULL, "forwarding, head in to head out"},
    {0},
};

static DnNodeVertex *vertex_at(const DnNodeGraph *g, guint32 i)
{
    return &g_array_index(g->vertices, DnNodeVertex, i);
}

static guint32 find_vertex(const DnNodeGraph *g, const char *name)
{
    for (guint32 i = 0; i < g->vertices->len; i++)
        if (g_str_equal(vertex_at(g, i)->name, name))
            return i;
    return DN_NONE;
}

static guint32 find_family(const DnNodeGraph *g, const char *name)
{
    for (guint32 i = 0; i < g->families->len; i++)
        if (g_str_equal(g->families->pdata[i], name))
            return i;
    return DN_NONE;
}

static gboolean add_vertex(DnNodeGraph *g, const DnConfigNode *at, char *name,
                           const DnNodeVertex *like, GError **error)
{
    g_autofree char *owned = name;
    if (find_vertex(g, name) != DN_NONE) {
        dn_config_error(at, DN_ERROR_RANGE, error, "vertex '%s' is there twice", name);
        return FALSE;
    }
    if (g->vertices->len == DN_MOST_NODE_VERTICES) {
        dn_config_error(at, DN_ERROR_RANGE, error, "too many vertices in a node; allowed: %d",
                        DN_MOST_NODE_VERTICES);
        return FALSE;
    }
    DnNodeVertex vertex = *like;
    vertex.name = g_steal_pointer(&owned);
    g_array_append_val(g->vertices, vertex);
    return TRUE;
}

static gboolean read_vertex(DnNodeGraph *g, const DnConfigNode *node, GError **error)
{
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_vertex_keys, annotations, error)) == NULL)
        return FALSE;
    const char *name = dn_params_string(p, "name");
    if (find_family(g, name) != DN_NONE) {
        dn_params_error(p, "name", DN_ERROR_RANGE, error, "vertices '%s' are there twice", name);
        return FALSE;
    }
    DnNodeVertex like = {.family = g->families->len, .nic = DN_NONE};
    like.kind = (guint8)kind_of[dn_params_int(p, "kind")];
    like.transit = like.kind != DN_VERTEX_GPU;
    if (dn_params_has(p, "transit"))
        like.transit = (guint8)dn_params_bool(p, "transit");
    like.latency_ps = dn_params_int(p, "latency");
    g_ptr_array_add(g->families, g_strdup(name));
    if (!dn_params_has(p, "count"))
        return add_vertex(g, node, g_strdup(name), &like, error);
    for (guint32 i = 0; i < dn_params_int(p, "count"); i++)
        if (!add_vertex(g, node, g_strdup_printf("%s%u", name, i), &like, error))
            return FALSE;
    return TRUE;
}

static gboolean read_classes(DnNodeGraph *g, const DnConfigNode *node, GError **error)
{
    if (node == NULL)
        return TRUE;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; i < node->children->len; i++) {
        const char *name = node->keys->pdata[i];
        if (g_strv_contains(annotations, name))
            continue;
        DnLinkClass class_;
        if (!dn_link_class_read(dn_config_get(node, name), name, &class_, error))
            return FALSE;
        class_.name = g_strdup(name);
        g_array_append_val(g->classes, class_);
    }
    return TRUE;
}

/* Unknown @word at @at: the nearest of @known, which it frees. */
static void node_graph_unknown(const DnConfigNode *at, const char *what, const char *word,
                               GPtrArray *known, GError **error)
{
    g_ptr_array_add(known, NULL);
    g_autofree char *unknown = dn_unknown(word, (const char *const *)known->pdata, "known");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown %s %s", what, unknown);
    g_ptr_array_unref(known);
}

static gboolean class_of(const DnNodeGraph *g, const DnParams *p, guint32 *out, GError **error)
{
    const char *name = dn_params_string(p, "class");
    GPtrArray *known = g_ptr_array_new();
    for (guint32 i = 0; i < g->classes->len; i++) {
        const DnLinkClass *class_ = &g_array_index(g->classes, DnLinkClass, i);
        if (g_str_equal(class_->name, name)) {
            g_ptr_array_unref(known);
            *out = i;
            return TRUE;
        }
        g_ptr_array_add(known, class_->name);
    }
    node_graph_unknown(dn_params_node(p, "class"), "link class", name, known, error);
    return FALSE;
}

static gboolean vertex_of(const DnNodeGraph *g, const DnConfigNode *at, guint32 *out,
                          GError **error)
{
    if (!dn_config_expect(at, DN_CONFIG_SCALAR, error))
        return FALSE;
    *out = find_vertex(g, at->scalar);
    if (*out != DN_NONE)
        return TRUE;
    GPtrArray *known = g_ptr_array_new();
    for (guint32 i = 0; i < g->vertices->len; i++)
        g_ptr_array_add(known, vertex_at(g, i)->name);
    node_graph_unknown(at, "vertex", at->scalar, known, error);
    return FALSE;
}

static gboolean family_of(const DnNodeGraph *g, const DnConfigNode *at, guint32 *out,
                          GError **error)
{
    if (!dn_config_expect(at, DN_CONFIG_SCALAR, error))
        return FALSE;
    *out = find_family(g, at->scalar);
    if (*out != DN_NONE)
        return TRUE;
    GPtrArray *known = g_ptr_array_new();
    for (guint32 i = 0; i < g->families->len; i++)
        g_ptr_array_add(known, g->families->pdata[i]);
    node_graph_unknown(at, "name in vertices:", at->scalar, known, error);
    return FALSE;
}

/* Two names of a list, each looked up by @find. */
static gboolean pair_of(const DnNodeGraph *g, const DnConfigNode *list, guint32 out[2],
                        gboolean (*find)(const DnNodeGraph *, const DnConfigNode *, guint32 *,
                                         GError **),
                        GError **error)
{
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    if (list->children->len != 2) {
        dn_config_error(list, DN_ERROR_RANGE, error, "%u names; wanted: two, like [gpu0, gpu1]",
                        list->children->len);
        return FALSE;
    }
    return find(g, list->children->pdata[0], &out[0], error) &&
           find(g, list->children->pdata[1], &out[1], error);
}

typedef struct {
    DnNodeGraph *graph;
    const DnConfigNode *at;
    guint32 link_class, count;
    gboolean bundle;
} Wiring;

static gboolean node_graph_wire(const Wiring *w, guint32 a, guint32 b, GError **error)
{
    GArray *cables = w->graph->cables;
    if (a == b) {
        dn_config_error(w->at, DN_ERROR_RANGE, error, "a link from '%s' to itself",
                        vertex_at(w->graph, a)->name);
        return FALSE;
    }
    guint32 n = w->bundle ? 1 : w->count;
    if (n > MAX_NODE_CABLES - cables->len) {
        dn_config_error(w->at, DN_ERROR_RANGE, error, "too many links in a node; allowed: %d",
                        MAX_NODE_CABLES);
        return FALSE;
    }
    DnNodeCable cable = {a, b, w->link_class, w->bundle ? w->count : 1};
    for (guint32 i = 0; i < n; i++)
        g_array_append_val(cables, cable);
    return TRUE;
}

/* Every pair of @f[0] and @f[1] (both the same: every two of it), or with @pairwise i to i. */
static gboolean wire_families(const Wiring *w, const guint32 f[2], gboolean pairwise,
                              GError **error)
{
    const DnNodeGraph *g = w->graph;
    guint32 i = 0;
    for (guint32 a = 0; a < g->vertices->len; a++) {
        if (vertex_at(g, a)->family != f[0])
            continue;
        guint32 j = 0;
        for (guint32 b = 0; b < g->vertices->len; b++) {
            if (vertex_at(g, b)->family != f[1])
                continue;
            gboolean linked = pairwise ? i == j : f[0] != f[1] || a < b;
            if (linked && !node_graph_wire(w, a, b, error))
                return FALSE;
            j++;
        }
        if (pairwise && i >= j) {
            dn_config_error(w->at, DN_ERROR_RANGE, error, "pairwise: more '%s' than '%s'",
                            (char *)g->families->pdata[f[0]], (char *)g->families->pdata[f[1]]);
            return FALSE;
        }
        i++;
    }
    return TRUE;
}

const DnParamSpec dn_edge_keys[] = {
    {"link", DN_PARAM_NODE, "", 0, 0, NULL, "[gpu0, gpu1]: two vertices"},
    {"all_to_all", DN_PARAM_NODE, "", 0, 0, NULL, "gpu: every two of a name in vertices:"},
    {"each", DN_PARAM_NODE, "", 0, 0, NULL, "[gpu, nvswitch]: every one with every one"},
    {"pairwise", DN_PARAM_NODE, "", 0, 0, NULL, "[gpu, nic]: i to i"},
    {"class", DN_PARAM_STRING, NULL, 0, 0, NULL, "a name in links:"},
    {"count", DN_PARAM_INT, "1", 1, 1e6, NULL, "parallel links"},
    {"bundle", DN_PARAM_BOOL, "yes", 0, 0, NULL, "run the parallel links as one channel"},
    {0},
};

static gboolean read_edge(DnNodeGraph *g, const DnConfigNode *node, GError **error)
{
    static const char *const forms[] = {"link", "all_to_all", "each", "pairwise"};
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_edge_keys, annotations, error)) == NULL)
        return FALSE;
    guint given = 0, form = 0;
    for (guint i = 0; i < G_N_ELEMENTS(forms); i++)
        if (dn_params_has(p, forms[i])) {
            given++;
            form = i;
        }
    if (given != 1) {
        dn_config_error(node, DN_ERROR_MISSING, error,
                        "%u of link, all_to_all, each, pairwise; wanted: one of them", given);
        return FALSE;
    }
    Wiring w = {g, node, 0, (guint32)dn_params_int(p, "count"), dn_params_bool(p, "bundle")};
    if (!class_of(g, p, &w.link_class, error))
        return FALSE;
    const DnConfigNode *ends = dn_params_node(p, forms[form]);
    guint32 two[2];
    if (form == 0)
        return pair_of(g, ends, two, vertex_of, error) &&
               node_graph_wire(&w, two[0], two[1], error);
    if (form == 1) {
        if (!family_of(g, ends, &two[0], error))
            return FALSE;
        two[1] = two[0];
        return wire_families(&w, two, FALSE, error);
    }
    return pair_of(g, ends, two, family_of, error) && wire_families(&w, two, form == 3, error);
}

const DnParamSpec dn_node_nic_keys[] = {
    {"nic", DN_PARAM_NODE, NULL, 0, 0, NULL, "a vertex of kind nic"},
    {"serves", DN_PARAM_NODE, "", 0, 0, NULL, "gpu0, or [gpu0, gpu1]: vertices that use it"},
    {0},
};

static gboolean node_graph_serve(DnNodeGraph *g, const DnConfigNode *at, guint32 nic,
                                 GError **error)
{
    guint32 v;
    if (!vertex_of(g, at, &v, error))
        return FALSE;
    DnNodeVertex *vertex = vertex_at(g, v);
    if (vertex->nic != DN_NONE) {
        dn_config_error(at, DN_ERROR_RANGE, error, "'%s' is served twice; one NIC serves a vertex",
                        vertex->name);
        return FALSE;
    }
    vertex->nic = nic;
    return TRUE;
}

static gboolean read_nic(DnNodeGraph *g, const DnConfigNode *node, GError **error)
{
    g_autoptr(DnParams) p = NULL;
    guint32 v, nic = g->nics->len;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_node_nic_keys, annotations, error)) == NULL ||
        !vertex_of(g, dn_params_node(p, "nic"), &v, error))
        return FALSE;
    if (vertex_at(g, v)->kind != DN_VERTEX_NIC || vertex_at(g, v)->nic != DN_NONE) {
        dn_params_error(p, "nic", DN_ERROR_RANGE, error, "'%s' is %s", vertex_at(g, v)->name,
                        vertex_at(g, v)->nic != DN_NONE ? "there twice" : "not of kind nic");
        return FALSE;
    }
    if (nic > 0 && g_array_index(g->nics, guint32, nic - 1) > v) {
        dn_params_error(
            p, "nic", DN_ERROR_RANGE, error,
            "'%s' is out of order; wanted: the order of vertices:", vertex_at(g, v)->name);
        return FALSE;
    }
    vertex_at(g, v)->nic = nic;
    g_array_append_val(g->nics, v);
    const DnConfigNode *serves = dn_params_node(p, "serves");
    if (serves == NULL)
        return TRUE;
    if (serves->kind == DN_CONFIG_SCALAR) /* a list of one */
        return node_graph_serve(g, serves, nic, error);
    if (!dn_config_expect(serves, DN_CONFIG_LIST, error))
        return FALSE;
    for (guint i = 0; i < serves->children->len; i++)
        if (!node_graph_serve(g, serves->children->pdata[i], nic, error))
            return FALSE;
    return TRUE;
}

static gboolean each_item(DnNodeGraph *g, const DnConfigNode *list,
                          gboolean (*read)(DnNodeGraph *, const DnConfigNode *, GError **),
                          GError **error)
{
    if (list == NULL)
        return TRUE;
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    for (guint i = 0; i < list->children->len; i++)
        if (!read(g, list->children->pdata[i], error))
            return FALSE;
    return TRUE;
}

/* GPUs where there are any, else CPUs, else NICs. */
static DnVertexKind endpoint_kind(const DnNodeGraph *g, DnEndpoints endpoints)
{
    static const DnVertexKind by_choice[] = {0, DN_VERTEX_GPU, DN_VERTEX_CPU, DN_VERTEX_NIC};
    guint32 n[DN_VERTEX_KINDS] = {0};
    if (endpoints != DN_ENDPOINTS_AUTO)
        return by_choice[endpoints];
    for (guint32 i = 0; i < g->vertices->len; i++)
        n[vertex_at(g, i)->kind]++;
    return n[DN_VERTEX_GPU] > 0   ? DN_VERTEX_GPU
           : n[DN_VERTEX_CPU] > 0 ? DN_VERTEX_CPU
                                  : DN_VERTEX_NIC;
}

static gboolean mark_endpoints(DnNodeGraph *g, const DnConfigNode *node, DnEndpoints endpoints,
                               gboolean want_nics, GError **error)
{
    DnVertexKind kind = endpoint_kind(g, endpoints);
    gboolean all_listed = want_nics || g->nics->len > 0; /* a node by itself may list none */
    for (guint32 i = 0; i < g->vertices->len; i++) {
        DnNodeVertex *vertex = vertex_at(g, i);
        if (all_listed && vertex->kind == DN_VERTEX_NIC && vertex->nic == DN_NONE) {
            dn_config_error(node, DN_ERROR_MISSING, error, "'%s' is not in nics:", vertex->name);
            return FALSE;
        }
        vertex->endpoint = vertex->kind == kind;
        g->n_endpoints += vertex->endpoint;
        if (want_nics && vertex->endpoint && vertex->nic == DN_NONE) {
            dn_config_error(node, DN_ERROR_MISSING, error,
                            "no entry of nics: serves '%s', where ranks live", vertex->name);
            return FALSE;
        }
    }
    if (g->n_endpoints > 0)
        return TRUE;
    dn_config_error(node, DN_ERROR_RANGE, error, "endpoints: %s, but the node has none",
                    dn_vertex_kind_name(kind));
    return FALSE;
}

const DnParamSpec dn_node_keys[] = {
    {"vertices", DN_PARAM_NODE, NULL, 0, 0, NULL, "list of {name, kind, count, transit, latency}"},
    {"links", DN_PARAM_NODE, "", 0, 0, NULL, "link classes by name"},
    {"edges", DN_PARAM_NODE, "", 0, 0, NULL,
     "list of {link | all_to_all | each | pairwise, class}"},
    {"nics", DN_PARAM_NODE, "", 0, 0, NULL, "list of {nic, serves}"},
    {0},
};

static void clear_vertex(gpointer data)
{
    g_free(((DnNodeVertex *)data)->name);
}

static void clear_class(gpointer data)
{
    g_free(((DnLinkClass *)data)->name);
}

static DnNodeGraph *node_graph_new(void)
{
    DnNodeGraph *g = g_new0(DnNodeGraph, 1);
    g->vertices = g_array_new(FALSE, TRUE, sizeof(DnNodeVertex));
    g_array_set_clear_func(g->vertices, clear_vertex);
    g->classes = g_array_new(FALSE, TRUE, sizeof(DnLinkClass));
    g_array_set_clear_func(g->classes, clear_class);
    g->cables = g_array_new(FALSE, TRUE, sizeof(DnNodeCable));
    g->nics = g_array_new(FALSE, TRUE, sizeof(guint32));
    g->families = g_ptr_array_new_with_free_func(g_free);
    return g;
}

DnNodeGraph *dn_node_graph_read(const DnConfigNode *node, DnEndpoints endpoints, gboolean want_nics,
                                GError **error)
{
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_node_keys, annotations, error)) == NULL)
        return NULL;
    g_autoptr(DnNodeGraph) g = node_graph_new();
    if (!each_item(g, dn_params_node(p, "vertices"), read_vertex, error) ||
        !read_classes(g, dn_params_node(p, "links"), error) ||
        !each_item(g, dn_params_node(p, "edges"), read_edge, error) ||
        !each_item(g, dn_params_node(p, "nics"), read_nic, error) ||
        !mark_endpoints(g, node, endpoints, want_nics, error))
        return NULL;
    return g_steal_pointer(&g);
}

void dn_node_graph_free(DnNodeGraph *graph)
{
    if (graph == NULL)
        return;
    g_array_unref(graph->vertices);
    g_array_unref(graph->cables);
    g_array_unref(graph->classes);
    g_array_unref(graph->nics);
    g_ptr_array_unref(graph->families);
    g_free(graph);
}
