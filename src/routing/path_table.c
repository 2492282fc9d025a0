/* path_table.c - see path_table.h. */
#include "routing/path_table.h"

#include "base/interrupt.h"
#include "base/shared_arrays.h"
#include "routing/neighbours.h"
#include "routing/path_rows.h"

#include <string.h>

/* Of a table with two layers; path_rows.c fills those with one. */
typedef struct {
    const DnGraph *g;
    DnPathTable *t;
    DnNeighbours to; /* of every switch */
    guint8 *down;    /* [neighbours] the link to the neighbour leads down */
    guint8 *up;      /* [neighbours] the link from the neighbour leads down */
    guint8 *hops;    /* [2 * R] to the present target; DN_PATH_NONE */
    guint32 *queue;  /* [2 * R] states: layer * R + switch */
    guint16 *ports;  /* the largest degree */
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

/* The directions of the links to and from the neighbours. */
static void find_directions(Build *b)
{
    const DnGraph *g = b->g;
    for (guint32 s = 0; s < b->t->switches; s++)
        for (guint32 i = b->to.first[s]; i < b->to.first[s + 1]; i++) {
            guint32 p = g->port_first[s] + b->to.list[i].port, back = g->ports[p] ^ 1;
            b->down[i] = b->t->down[p];
            b->up[i] = b->t->down[g->port_first[b->to.list[i].peer] + g->link_port[back]];
        }
}

/* Searches from the target back over every hop that may lead to it, in both layers. */
static void search_back(Build *b, guint32 to)
{
    guint32 n = b->t->switches, head = 0, tail = 0;
    memset(b->hops, DN_PATH_NONE, (gsize)2 * n);
    for (guint layer = 0; layer < 2; layer++) {
        b->hops[layer * n + to] = 0;
        b->queue[tail++] = layer * n + to;
    }
    for (; head < tail; head++) {
        guint32 after = b->queue[head] >= n, v = b->queue[head] - after * n;
        guint8 hops = b->hops[b->queue[head]];
        if (hops == DN_PATH_NONE - 1)
            continue;
        for (guint32 i = b->to.first[v]; i < b->to.first[v + 1]; i++) {
            for (guint layer = 0; layer < 2; layer++) {
                guint then = layer | b->up[i];
                guint32 state = layer * n + b->to.list[i].peer;
                if (then != after || (layer == 1 && !b->up[i]) || b->hops[state] != DN_PATH_NONE)
                    continue;
                b->hops[state] = (guint8)(hops + 1);
                b->queue[tail++] = state;
            }
        }
    }
}

static void fill_ports(Build *b, guint layer, guint32 from, guint32 to)
{
    DnPathTable *t = b->t;
    const guint8 *next[2] = {b->hops + (gsize)layer * t->switches, b->hops + t->switches};
    guint8 hops = b->hops[(gsize)layer * t->switches + from];
    guint n = 0;
    for (guint32 i = b->to.first[from]; i < b->to.first[from + 1]; i++)
        if ((layer == 0 || b->down[i]) && next[b->down[i]][b->to.list[i].peer] + 1 == hops)
            b->ports[n++] = (guint16)b->to.list[i].port;
    DnPortSet *at = &t->toward[dn_path_at(t, layer, from, to)];
    if (n > 0)
        *at = dn_port_sets_add(t->sets, b->ports, n, to > 0 ? at[-1] : DN_PORT_SET_EMPTY);
}

static gboolean fill_toward(Build *b, guint32 to, const guint8 *is_end, GError **error)
{
    DnPathTable *t = b->t;
    search_back(b, to);
    for (guint32 from = 0; from < t->switches; from++) {
        guint8 hops = b->hops[from];
        if (is_end[from] && is_end[to] && dn_same_plane(b->g, from, to)) {
            if (hops == DN_PATH_NONE) {
                g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                            "no path from switch %u to switch %u, or one of more than %d hops",
                            from, to, DN_PATH_NONE - 1);
                return FALSE;
            }
            t->longest = MAX(t->longest, hops);
        }
        for (guint layer = 0; layer < 2; layer++) {
            hops = b->hops[layer * t->switches + from];
            t->hops[dn_path_at(t, layer, from, to)] = hops;
            if (from != to && hops != DN_PATH_NONE)
                fill_ports(b, layer, from, to);
        }
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
    t->toward = dn_array_of(DnPortSet, size + 1);
    t->hops = dn_array_of(guint8, size + 1);
    t->down = g_new0(guint8, g->port_first[t->switches] + 1);
    if (up_down)
        memset(t->toward, 0xff, size * sizeof *t->toward); /* DN_PORT_SET_EMPTY */
    return t;
}

static gboolean fill_layers(const DnGraph *g, const guint8 *is_end, DnPathTable *t, GError **error)
{
    guint32 degree = 1;
    for (guint32 s = 0; s < t->switches; s++)
        degree = MAX(degree, dn_graph_degree(g, s));
    gsize states = (gsize)2 * t->switches + 2;
    g_autofree guint8 *hops = g_new(guint8, states);
    g_autofree guint32 *queue = g_new(guint32, states);
    g_autofree guint16 *ports = g_new(guint16, degree);
    Build b = {.g = g, .t = t, .hops = hops, .queue = queue, .ports = ports};
    dn_neighbours_init(&b.to, g, FALSE);
    g_autofree guint8 *down = g_new(guint8, b.to.first[t->switches] + 1);
    g_autofree guint8 *up = g_new(guint8, b.to.first[t->switches] + 1);
    b.down = down;
    b.up = up;
    find_directions(&b);
    gboolean good = TRUE;
    for (guint32 to = 0; to < t->switches && good; to++)
        good = fill_toward(&b, to, is_end, error);
    dn_neighbours_clear(&b.to);
    return good;
}

static DnPathTable *table_fill(const DnGraph *g, const guint8 *is_end, gboolean up_down,
                               gboolean levels, GError **error)
{
    DnPathTable *t = table_alloc(g, up_down);
    find_down(g, t, levels);
    if (!(up_down ? fill_layers : dn_path_rows_fill)(g, is_end, t, error)) {
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
    dn_array_free(t->toward);
    dn_array_free(t->hops);
    g_free(t->down);
    g_free(t);
}

guint64 dn_path_table_memory_bytes(const DnGraphSize *size)
{
    return (guint64)size->switches * size->switches * (sizeof(DnPortSet) + 1) + size->links;
}
