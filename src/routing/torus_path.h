/* torus_path.h - Steps shared by routing on tori and meshes: coordinates, ports, directions,
 * datelines.
 *
 * Ring channels (Dally & Seitz, 1987): two a ring. A packet that still has to cross the wrap link
 * in its direction uses the lower, one that has not (any more) the upper. Neither kind goes round
 * the ring: the lower ends with the wrap link, the upper never uses it. Which one it is follows
 * from where a packet is and where it goes, not from where it came from, so it holds for packets
 * that come by any path. Meshes, and rings of two, have no wrap and use one channel. */
#pragma once
#include "routing/port_set.h"

#define DN_TORUS_MAX_DIMS 15

typedef struct {
    DnRouter base;
    guint n_dims;
    guint ring_channels; /* 2 with a wrap anywhere, else 1 */
    guint legs;          /* 2: over a random switch (valiant) */
    guint32 size[DN_TORUS_MAX_DIMS], stride[DN_TORUS_MAX_DIMS];
    gboolean wrap[DN_TORUS_MAX_DIMS]; /* a ring of three and more */
    DnPortSets *sets;
    DnPortSet *ports; /* [R * n_dims * 2]: down, up */
} DnTorusRouter;

extern const char *const dn_torus_topologies[];

void dn_torus_router_init(DnTorusRouter *router, const DnMachine *machine, guint legs);
void dn_torus_router_free(DnRouter *router);
/* DnRoutingType.ascends: with all its ring channels. */
gboolean dn_torus_ascends(const DnRouter *router);
/* DnRoutingType.moves: goals are a coordinate to be reached in one dimension after another. */
void dn_torus_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves);

static inline guint32 dn_torus_coordinate(const DnTorusRouter *r, guint32 s, guint d)
{
    return s / r->stride[d] % r->size[d];
}

/* Returns bit 0 when up is on a shortest path from @from to @to != @from; bit 1 when down is. */
static inline guint dn_torus_directions(const DnTorusRouter *r, guint d, guint32 from, guint32 to)
{
    if (!r->wrap[d])
        return to > from ? 1 : 2;
    guint32 n = r->size[d], ahead = to >= from ? to - from : to + n - from;
    return 2 * ahead < n ? 1 : 2 * ahead > n ? 2 : 3;
}

/* Returns the channel of the hop from @from towards @to. */
static inline guint8 dn_torus_ring_channel(const DnTorusRouter *r, guint d, guint32 from,
                                           guint32 to, gboolean up)
{
    if (r->ring_channels == 1)
        return 0;
    gboolean wraps = r->wrap[d] && (up ? to < from : to > from);
    return wraps ? 0 : 1;
}

static inline DnPortSet dn_torus_ports(const DnTorusRouter *r, guint32 vertex, guint d, gboolean up)
{
    return r->ports[((gsize)vertex * r->n_dims + d) * 2 + (up ? 1 : 0)];
}

/* The first dimension in which @s and @to != @s differ. */
static inline guint dn_torus_first_dimension(const DnTorusRouter *r, guint32 s, guint32 to)
{
    guint d = 0;
    while (dn_torus_coordinate(r, s, d) == dn_torus_coordinate(r, to, d))
        d++;
    g_assert(d < r->n_dims);
    return d;
}

/* The hop of dimension order towards @to != @vertex, on the ring channels. */
static inline DnHop dn_torus_ordered_hop(const DnTorusRouter *r, guint32 vertex, guint32 to,
                                         guint64 draw)
{
    guint d = dn_torus_first_dimension(r, vertex, to);
    guint32 from = dn_torus_coordinate(r, vertex, d), end = dn_torus_coordinate(r, to, d);
    guint directions = dn_torus_directions(r, d, from, end);
    gboolean up = directions == 3 ? draw & 1 : directions == 1;
    guint32 port =
        dn_port_set_pick(r->sets, dn_torus_ports(r, vertex, d, up), DN_PICK_RANDOM, NULL, 0, draw);
    return (DnHop){port, dn_torus_ring_channel(r, d, from, end, up)};
}

/* All such hops, into @hops; returns the count. */
guint dn_torus_ordered_hops(const DnTorusRouter *r, guint32 vertex, guint32 to, DnHop *hops,
                            guint max);
