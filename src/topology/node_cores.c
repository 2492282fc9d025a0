/* node_cores.c - Cores of a node's CPUs as endpoints, so that several ranks live on each CPU.
 *
 * A core is a vertex of kind cpu beside its CPU, which forwards for it and stays what its messages
 * pass: to other cores, to the CPU's links, to the NIC that serves it. The link between them limits
 * nothing and takes 10 ns: what copies cost a core, and the memory that all cores share, is the
 * mechanism's (host_mpi: shm_rate, single_copy_rate, memory_rate). */
#include "topology/node_graph.h"

#define CORE_LINK "core"
#define CORE_LATENCY_PS 10000 /* assumed: of the order of an access to the CPU's last cache */

static guint32 core_link_add(DnNodeGraph *g)
{
    DnLinkClass class_ = {.name = g_strdup(CORE_LINK),
                          .bandwidth_bps = G_GINT64_CONSTANT(100000000000000),
                          .latency_ps = CORE_LATENCY_PS,
                          .efficiency = 1.0,
                          .buffer_bytes = DN_MOST_BUFFER_BYTES};
    g_array_append_val(g->classes, class_);
    return g->classes->len - 1;
}

static void cores_add(DnNodeGraph *g, guint32 cpu, guint32 cores, guint32 link_class)
{
    for (guint32 i = 0; i < cores; i++) {
        DnNodeVertex core = g_array_index(g->vertices, DnNodeVertex, cpu);
        core.name = g_strdup_printf("%s-core%u", core.name, i);
        core.transit = FALSE;
        core.latency_ps = 0;
        DnNodeCable cable = {cpu, g->vertices->len, link_class, 1};
        g_array_append_val(g->vertices, core);
        g_array_append_val(g->cables, cable);
    }
    g_array_index(g->vertices, DnNodeVertex, cpu).endpoint = FALSE;
    g_array_index(g->vertices, DnNodeVertex, cpu).transit = TRUE;
}

gboolean dn_node_graph_add_cores(DnNodeGraph *g, guint32 cores, const DnConfigNode *at,
                                 GError **error)
{
    guint32 cpus = g != NULL ? g->vertices->len : 0;
    if (g == NULL) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "cores of CPUs, but a fabric without node: has "
                        "NICs only");
        return FALSE;
    }
    for (guint32 i = 0; i < cpus; i++) {
        const DnNodeVertex *vertex = &g_array_index(g->vertices, DnNodeVertex, i);
        if (!vertex->endpoint || vertex->kind == DN_VERTEX_CPU)
            continue;
        dn_config_error(at, DN_ERROR_RANGE, error, "cores of CPUs, but ranks live on %s",
                        dn_vertex_kind_name(vertex->kind));
        return FALSE;
    }
    if (cpus + (guint64)cores * g->n_endpoints > DN_MOST_NODE_VERTICES) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "%u cores of %u CPUs; a node has at most %d "
                        "vertices",
                        cores, g->n_endpoints, DN_MOST_NODE_VERTICES);
        return FALSE;
    }
    for (guint32 i = 0; i < g->classes->len; i++)
        if (g_str_equal(g_array_index(g->classes, DnLinkClass, i).name, CORE_LINK)) {
            dn_config_error(at, DN_ERROR_RANGE, error,
                            "link class '" CORE_LINK "' is that of cores; take another name");
            return FALSE;
        }
    guint32 link_class = core_link_add(g);
    for (guint32 i = 0; i < cpus; i++)
        if (g_array_index(g->vertices, DnNodeVertex, i).endpoint)
            cores_add(g, i, cores, link_class);
    g->n_endpoints *= cores;
    return TRUE;
}
