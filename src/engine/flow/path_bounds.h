/* path_bounds.h - Bounds of a message's latency and bandwidth without other traffic, over all paths
 * that routing may choose for it.
 *
 * A path has a segment inside the source's node, one over the fabric and one inside the target's
 * node; each is explored link by link over dn_route_choices(). Segments of the fabric are kept by
 * pair of switches. Where one has too many choices to be explored (non-minimal paths on a large
 * machine), the shortest path of the graph bounds its latency, and no link of it counts as one that
 * all paths cross. */
#pragma once
#include "engine/engine.h"

typedef struct DnPathBounds DnPathBounds;

#define DN_PATH_BOUND_FORCED 14

/* The bounds of a pair of vertices. Capacities are in the unit that the caller gives, bytes per us
 * in the flow engine. */
typedef struct {
    guint32 source, target; /* vertices; equal: this entry is empty */
    guint32 rail;
    guint16 mode, n_forced;
    gint64 latency_ps;     /* of the path with the least */
    const guint32 *forced; /* [n_forced] links that all paths cross */
    double out, in; /* capacity of all links by which paths leave the source, reach the target */
    double rate;    /* the least capacity of `forced`; INFINITY: there are none */
    guint32 uplink; /* the link of `forced` by which all paths enter the fabric; DN_NONE: none */
    guint32 kept[DN_PATH_BOUND_FORCED]; /* storage of `forced` */
    /* Set by the caller: bytes and packets sent and not yet counted (DnPathBoundCount). */
    double bytes;
    guint64 packets;
    /* Set by the caller: the last message's size (0: there was none) and rate cap, and the times
     * computed for it, which the next message of the same size has, too. */
    gint64 size_bytes, cap_bps;
    gint64 left_ps, there_ps;
} DnPathBound;

/* Counts bound->bytes and bound->packets, called before they are reset to 0. */
typedef void (*DnPathBoundCount)(void *data, const DnPathBound *bound);

/* Returns (transfer full) an empty set of bounds. @capacity: [links], borrowed, as @router. */
DnPathBounds *dn_path_bounds_new(const DnRouter *router, const double *capacity,
                                 DnPathBoundCount count, void *data);
void dn_path_bounds_free(DnPathBounds *bounds);

/* Returns the bounds from endpoint vertex @source to @target != @source over rail @rail
 * (routing.h); valid until the next call. */
DnPathBound *dn_path_bound(DnPathBounds *bounds, guint32 source, guint32 target, guint mode,
                           guint32 rail);
/* Calls DnPathBoundCount for all bytes and packets not yet counted. */
void dn_path_bounds_count(DnPathBounds *bounds);
