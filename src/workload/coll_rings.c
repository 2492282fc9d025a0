/* coll_rings.c - `rings:` of a collective: the orders of ranks that it gives. */
#include <string.h>

#include "workload/select.h"

static gboolean read_ring(const DnConfigNode *node, guint32 n, guint32 *ring, GError **error)
{
    static const DnParamSpec spec = {"rings", DN_PARAM_INT, NULL, 0, 0, NULL, ""};
    g_autofree gboolean *seen = g_new0(gboolean, n);
    if (!dn_config_expect(node, DN_CONFIG_LIST, error))
        return FALSE;
    for (guint i = 0; i < node->children->len; i++) {
        const DnConfigNode *item = g_ptr_array_index(node->children, i);
        gint64 rank = -1;
        double unused;
        if (!dn_config_expect(item, DN_CONFIG_SCALAR, error) ||
            !dn_param_parse(item, &spec, &rank, &unused, error))
            return FALSE;
        if (rank < 0 || rank >= n || seen[rank]) {
            dn_config_error(item, DN_ERROR_RANGE, error, "a ring has every rank, 0 to %u, once",
                            n - 1);
            return FALSE;
        }
        seen[rank] = TRUE;
        ring[i] = (guint32)rank;
    }
    if (node->children->len == n)
        return TRUE;
    dn_config_error(node, DN_ERROR_RANGE, error, "a ring of %u ranks; all %u are needed",
                    node->children->len, n);
    return FALSE;
}

/* Of nodes of other than equal numbers of consecutive ranks; as many rings as the smallest node has
 * ranks. */
static guint32 *rings_of_nodes(const DnCollNodes *nodes, DnCollCall *call)
{
    call->n_rings = MIN(nodes->least, DN_STREAMS);
    guint32 *rings = g_new0(guint32, (gsize)call->n_rings * call->n);
    for (guint32 k = 0; k < call->n_rings; k++)
        for (guint32 i = 0; i < call->n; i++) {
            guint32 node = nodes->node[nodes->members[i]], first = nodes->first[node];
            guint32 at = (i - first + k) % (nodes->first[node + 1] - first);
            rings[(gsize)k * call->n + i] = nodes->members[first + at];
        }
    return rings;
}

/* Returns (transfer full) [call->n_rings * call->n]: ring k enters each node at its rank k and goes
 * around in it, so that each adapter, one a rank, is used by one ring to leave the node. */
static guint32 *rings_by_node(const DnConfigNode *node, DnCollCall *call, GError **error)
{
    guint32 n = call->n, group = call->group;
    const DnCollNodes *nodes = dn_coll_ring_nodes(call);
    if (nodes != NULL && strcmp(node->scalar, "by_node") == 0)
        return rings_of_nodes(nodes, call);
    if (strcmp(node->scalar, "by_node") != 0 || group == 0 || n % group != 0 ||
        group > DN_STREAMS) {
        g_autofree char *shown = dn_quote(node->scalar);
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "rings: %s; allowed: lists of ranks, or by_node, with `group` (here %u) "
                        "ranks in each node (of %u in all), at most %d",
                        shown, group, n, DN_STREAMS);
        return NULL;
    }
    call->n_rings = group;
    guint32 *rings = g_new0(guint32, (gsize)group * n);
    for (guint32 k = 0; k < group; k++)
        for (guint32 i = 0; i < n; i++)
            rings[(gsize)k * n + i] = i / group * group + (i + k) % group;
    return rings;
}

/* Returns (transfer full) the same as they are listed; NULL + error. */
static guint32 *rings_listed(const DnConfigNode *node, DnCollCall *call, GError **error)
{
    if (!dn_config_expect(node, DN_CONFIG_LIST, error))
        return NULL;
    call->n_rings = node->children->len;
    if (call->n_rings == 0 || call->n_rings > DN_STREAMS) {
        dn_config_error(node, DN_ERROR_RANGE, error, "%u rings; 1 to %d are allowed", call->n_rings,
                        DN_STREAMS);
        return NULL;
    }
    g_autofree guint32 *rings = g_new0(guint32, (gsize)call->n_rings * call->n);
    for (guint i = 0; i < call->n_rings; i++)
        if (!read_ring(g_ptr_array_index(node->children, i), call->n, rings + (gsize)i * call->n,
                       error))
            return NULL;
    return g_steal_pointer(&rings);
}

gboolean dn_coll_rings_read(const DnParams *params, DnCollCall *call, guint32 **rings,
                            guint32 **places, GError **error)
{
    const DnConfigNode *node = dn_params_node(params, "rings");
    guint32 n = call->n;
    if (!node)
        return TRUE;
    dn_config_consume(node);
    *rings = node->kind == DN_CONFIG_SCALAR ? rings_by_node(node, call, error)
                                            : rings_listed(node, call, error);
    if (*rings == NULL)
        return FALSE;
    *places = g_new0(guint32, (gsize)call->n_rings * n);
    for (guint i = 0; i < call->n_rings; i++)
        for (guint32 at = 0; at < n; at++)
            (*places)[(gsize)i * n + (*rings)[(gsize)i * n + at]] = at;
    call->rings = *rings;
    call->ring_orders.places = *places;
    return TRUE;
}
