/* misroute.h - The choice of a port off the minimal path at any switch, for ofar.c and rlm.c.
 *
 * Garcia et al., "On-the-Fly Adaptive Routing in High-Radix Hierarchical Networks", ICPP 2012: a
 * packet whose minimal port is loaded may take a random other port whose load is below a share of
 * that one's. Loads are those of dn_load_bytes() without what is merely under way, so an idle
 * network is routed minimally. */
#pragma once
#include "routing/group_path.h"

#define DN_MISROUTE_PARAM_SHARE                                                                    \
    {                                                                                              \
        "misroute_below", DN_PARAM_REAL, "0.9", 0, 1, NULL,                                        \
            "a port off the minimal path must be loaded less than this share of the minimal one"   \
    }

typedef struct DnMisroute DnMisroute;
struct DnMisroute {
    const DnGroupRouter *r;
    guint32 vertex;
    guint32 target_switch;
    guint32 minimal; /* port */
    const DnLoadView *load;
    gint64 below; /* bytes */
    /* TRUE when @port may be taken, whatever its load. */
    gboolean (*permits)(const DnMisroute *m, guint32 port);
};

/* Returns the switch at the other end of @port. */
static inline guint32 dn_misroute_peer(const DnMisroute *m, guint32 port)
{
    const DnGraph *g = m->r->graph;
    return g->links[g->ports[g->port_first[m->vertex] + port]].dst;
}

/* Sets `below` by the load of the minimal port. */
static inline void dn_misroute_weigh(DnMisroute *m, double share)
{
    m->below = (gint64)((double)dn_load_bytes(m->load, m->minimal, FALSE) * share);
}

/* A global link to a group that is neither this one nor the target's. */
static inline gboolean dn_misroute_is_global(const DnMisroute *m, guint32 port)
{
    const guint32 *group = m->r->table->group;
    return dn_group_port_kind(m->r, m->vertex, port) == DN_PORT_GLOBAL &&
           group[dn_misroute_peer(m, port)] != group[m->target_switch];
}

/* A link to a switch of this group that the minimal port does not lead to. */
static inline gboolean dn_misroute_is_local(const DnMisroute *m, guint32 port)
{
    return dn_group_port_kind(m->r, m->vertex, port) == DN_PORT_INNER &&
           dn_misroute_peer(m, port) != dn_misroute_peer(m, m->minimal);
}

/* A random port that is permitted and loaded less than `below`; DN_NONE: there is none. */
static inline guint32 dn_misroute_draw(const DnMisroute *m, guint64 draw)
{
    guint32 degree = dn_graph_degree(m->r->graph, m->vertex);
    guint32 start = m->below > 0 ? dn_draw_below(draw, degree) : 0;
    for (guint32 i = 0; m->below > 0 && i < degree; i++) {
        guint32 port = start + i < degree ? start + i : start + i - degree;
        if (m->permits(m, port) && dn_load_bytes(m->load, port, FALSE) < m->below)
            return port;
    }
    return DN_NONE;
}
