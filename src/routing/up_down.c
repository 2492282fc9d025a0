/* up_down.c - Hops that go up in an order of channels: the short proof for the deadlock check.
 *
 * In groups without tiers dn_group_take() asserts the order of group_path.h at every hop, where
 * there are as many channels as it takes. Shortest paths of a tree go up, then down: order the
 * links between switches: those that go up by their level, then those that go down, the highest
 * first. When no packet ever goes up after it went down, every hop goes up in that order, so no
 * cycle of channels lies in the fabric alone (Dally & Seitz, 1987). That is looked up in the
 * tables, target by target, in O(switches * ends) instead of O(links * ends) edges of a graph.
 */
#include "routing/group_path.h"

typedef struct {
    const DnGroupRouter *r;
    guint8 *down; /* [R * R] packets of a switch to another go down */
} UpDown;

/* 1: all ports of @set lead to a lower level, 2: all to a higher one; 0: neither. */
static guint set_direction(const DnGroupRouter *r, guint32 vertex, DnPortSet set)
{
    const DnGraph *g = r->graph;
    guint n, seen = 0;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->table->sets, set, &n, &single);
    for (guint i = 0; i < n; i++) {
        guint32 peer = g->links[g->ports[g->port_first[vertex] + ports[i]]].dst;
        guint8 from = g->vertices[vertex].level, to = g->vertices[peer].level;
        seen |= peer >= g->size.switches || from == to ? 3 : to < from ? 1 : 2;
    }
    return seen == 3 ? 0 : seen;
}

/* FALSE: some packets go neither up nor down. Neighbouring targets mostly share a set. */
static gboolean fill_down(const UpDown *u, guint32 vertex)
{
    const DnGroupTable *t = u->r->table;
    DnPortSet last = DN_PORT_SET_EMPTY;
    guint direction = 0;
    for (guint32 to = 0; to < t->switches; to++) {
        if (to == vertex || !u->r->is_end[to])
            continue;
        DnPortSet set = t->toward_local[(gsize)vertex * t->group_switches + to];
        if (set == DN_PORT_SET_EMPTY && u->r->graph->size.planes > 1)
            continue; /* in another plane */
        if (set == DN_PORT_SET_EMPTY)
            return FALSE;
        if (set != last)
            direction = set_direction(u->r, vertex, set);
        last = set;
        if (direction == 0)
            return FALSE;
        u->down[(gsize)vertex * t->switches + to] = direction == 1;
    }
    return TRUE;
}

/* Returns TRUE when all packets go on down from @vertex. */
static gboolean stays_down(const UpDown *u, guint32 vertex)
{
    const DnGroupTable *t = u->r->table;
    const DnGraph *g = u->r->graph;
    for (guint32 to = 0; to < t->switches; to++) {
        if (to == vertex || !u->r->is_end[to] || !u->down[(gsize)vertex * t->switches + to])
            continue;
        guint n;
        guint16 single;
        DnPortSet set = t->toward_local[(gsize)vertex * t->group_switches + to];
        const guint16 *ports = dn_port_set_list(t->sets, set, &n, &single);
        for (guint i = 0; i < n; i++) {
            guint32 peer = g->links[g->ports[g->port_first[vertex] + ports[i]]].dst;
            if (peer != to && !u->down[(gsize)peer * t->switches + to])
                return FALSE;
        }
    }
    return TRUE;
}

static gboolean goes_up_then_down(const DnRouter *router)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    const DnGroupTable *t = r->table;
    if (t == NULL || t->groups != 1 || r->detour != 0)
        return FALSE;
    g_autofree guint8 *down = g_new0(guint8, (gsize)t->switches * t->switches + 1);
    const UpDown u = {r, down};
    for (guint32 s = 0; s < t->switches; s++)
        if (!fill_down(&u, s))
            return FALSE;
    for (guint32 s = 0; s < t->switches; s++)
        if (!stays_down(&u, s))
            return FALSE;
    return TRUE;
}

gboolean dn_group_ascends(const DnRouter *router)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    gboolean ordered = r->table != NULL && !r->tiers && !(r->detour & DN_DETOUR_STRETCH) &&
                       router->channels >= router->channels_needed;
    return ordered || goes_up_then_down(router);
}
