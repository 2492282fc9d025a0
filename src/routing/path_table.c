/* path_table.c - see path_table.h. */
#include "routing/path_table.h"

#include "base/interrupt.h"

#include <string.h>

typedef struct {
    const DnGraph *g;
    DnPathTable *t;
    guint32 *queue; /* [layers * R] states: layer * R + switch */
    guint16 *ports; /* the largest degree */
} Build;

/* Nearness to the root: [R] position in breadth-first order, tiers from the top. */
static guint32 *root_order(const DnGraph *g)
{
    guint32 n = g->size.switches, root = 0, tail = 0;
    guint32 *order = g_new(guint32, n + 1);
    g_autofree guint32 *queue = g_new(guint32, n + 1);
    memset(order, 0xff, (n + 1) * sizeof *order);
    for (guint32 s = 1; s < n; s++) {
        gint level = g->vertices[s].level - g->vertices[root].level;
        if (level > 0 || (level == 0 && dn_graph_degree(g, s) > dn_graph_degree(g, root)))
            root = s;
    }
    for (guint32 i = 0; i <= n; i++) { /* every part of the fabric, the root's first */
        guint32 start = i == 0 ? root : i - 1, head = tail;
        if (order[start] != DN_NONE)
            continue;
        order[start] = tail;
        queue[tail++] = start;
        for (; head < tail; head++)
            for (guint32 p = g->port_first[queue[head]]; p < g->port_first[queue[head] + 1]; p++) {
                guint32 peer = g->links[g->ports[p]].dst;
                if (peer < n && order[peer] == DN_NONE) {
                    order[peer] = tail;
                    queue[tail++] = peer;
                }
            }
    }
    return order;
}

/* A link leads down from a higher level to a lower (@levels), else away from the root. */
static void find_down(const DnGraph *g, DnPathTable *t, gboolean levels)
{
    g_autofree guint32 *order = root_order(g);
    for (guint32 s = 0; s < t->switches; s++)
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
            guint32 peer = g->links[g->ports[p]].dst;
            if (peer >= t->switches)
                continue;
            gint level = levels ? g->vertices[s].level - g->vertices[peer].level : 0;
            t->down[p] = level != 0 ? level > 0 : order[peer] > order[s];
        }
}

/* From the target back over every hop that may lead to it. */
static void search_back(Build *b, guint32 to)
{
    const DnGraph *g = b->g;
    DnPathTable *t = b->t;
    guint32 n = t->switches, head = 0, tail = 0;
    for (guint layer = 0; layer < t->layers; layer++) {
        t->hops[dn_path_at(t, layer, to, to)] = 0;
        b->queue[tail++] = layer * n + to;
    }
    for (; head < tail; head++) {
        guint32 v = b->queue[head] % n; /* NOLINT(clang-analyzer-core.DivideZero): n > 0 */
        guint32 after = b->queue[head] / n;
        guint8 hops = t->hops[dn_path_at(t, after, v, to)];
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            guint32 l = g->ports[p] ^ 1, u = g->links[l].src; /* the link u -> v */
            if (u >= n)
                continue;
            gboolean down = t->down[g->port_first[u] + g->link_port[l]];
            for (guint layer = 0; layer < t->layers; layer++) {
                guint then = t->layers == 1 ? 0 : layer | down;
                guint8 *at = &t->hops[dn_path_at(t, layer, u, to)];
                if (then != after || (layer == 1 && !down) || *at != DN_PATH_NONE ||
                    hops == DN_PATH_NONE - 1)
                    continue;
                *at = (guint8)(hops + 1);
                b->queue[tail++] = layer * n + u;
            }
        }
    }
}

static void fill_ports(Build *b, guint layer, guint32 from, guint32 to)
{
    const DnGraph *g = b->g;
    DnPathTable *t = b->t;
    guint8 hops = t->hops[dn_path_at(t, layer, from, to)];
    guint n = 0;
    for (guint32 p = g->port_first[from]; p < g->port_first[from + 1]; p++) {
        guint32 peer = g->links[g->ports[p]].dst;
        guint then = t->layers == 1 ? 0 : layer | t->down[p];
        if (peer < t->switches && (layer == 0 || t->down[p]) &&
            t->hops[dn_path_at(t, then, peer, to)] + 1 == hops)
            b->ports[n++] = (guint16)(p - g->port_first[from]);
    }
    if (n > 0)
        t->toward[dn_path_at(t, layer, from, to)] = dn_port_sets_add(t->sets, b->ports, n);
}

static gboolean fill_toward(Build *b, guint32 to, const guint8 *is_end, GError **error)
{
    DnPathTable *t = b->t;
    search_back(b, to);
    for (guint32 from = 0; from < t->switches; from++) {
        guint8 hops = t->hops[dn_path_at(t, 0, from, to)];
        if (is_end[from] && is_end[to] && dn_same_plane(b->g, from, to)) {
            if (hops == DN_PATH_NONE) {
                g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                            "no path from switch %u to switch %u, or one of more than %d hops",
                            from, to, DN_PATH_NONE - 1);
                return FALSE;
            }
            t->longest = MAX(t->longest, hops);
        }
        for (guint layer = 0; from != to && layer < t->layers; layer++)
            if (t->hops[dn_path_at(t, layer, from, to)] != DN_PATH_NONE)
                fill_ports(b, layer, from, to);
    }
    return dn_interrupt_check(error);
}

static DnPathTable *table_alloc(const DnGraph *g, gboolean up_down)
{
    DnPathTable *t = g_new0(DnPathTable, 1);
    t->switches = g->size.switches;
    t->layers = up_down ? 2 : 1;
    gsize size = (gsize)t->layers * t->switches * t->switches;
    t->sets = dn_port_sets_new();
    t->toward = g_new(DnPortSet, size + 1);
    t->hops = g_new(guint8, size + 1);
    t->down = g_new0(guint8, g->port_first[t->switches] + 1);
    memset(t->toward, 0xff, size * sizeof *t->toward); /* DN_PORT_SET_EMPTY */
    memset(t->hops, DN_PATH_NONE, size);
    return t;
}

static DnPathTable *table_fill(const DnGraph *g, const guint8 *is_end, gboolean up_down,
                               gboolean levels, GError **error)
{
    DnPathTable *t = table_alloc(g, up_down);
    find_down(g, t, levels);
    guint32 degree = 1;
    for (guint32 s = 0; s < t->switches; s++)
        degree = MAX(degree, dn_graph_degree(g, s));
    g_autofree guint32 *queue = g_new(guint32, (gsize)t->layers * t->switches + 2);
    g_autofree guint16 *ports = g_new(guint16, degree);
    Build b = {g, t, queue, ports};
    for (guint32 to = 0; to < t->switches; to++)
        if (!fill_toward(&b, to, is_end, error)) {
            dn_path_table_free(t);
            return NULL;
        }
    dn_port_sets_close(t->sets);
    return t;
}

DnPathTable *dn_path_table_new(const DnGraph *g, const guint8 *is_end, gboolean up_down,
                               GError **error)
{
    /* A tree with failed links may have leaves without a common ancestor. */
    DnPathTable *t = up_down ? table_fill(g, is_end, TRUE, TRUE, NULL) : NULL;
    return t != NULL ? t : table_fill(g, is_end, up_down, FALSE, error);
}

void dn_path_table_free(DnPathTable *t)
{
    if (t == NULL)
        return;
    dn_port_sets_free(t->sets);
    g_free(t->toward);
    g_free(t->hops);
    g_free(t->down);
    g_free(t);
}

guint64 dn_path_table_memory_bytes(const DnGraphSize *size)
{
    return (guint64)size->switches * size->switches * (sizeof(DnPortSet) + 1) + size->links;
}
