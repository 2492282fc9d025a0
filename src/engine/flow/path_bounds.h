/* path_bounds.h - Bounds of a message alone: by every path that routing may choose for it.
 *
 * A path has a stretch inside the source's node, one over the fabric and one inside the target's
 * node; each is explored link by link over dn_route_choices(). Those of the fabric are kept by pair
 * of switches. Where a fabric stretch has too many choices to be explored (detours on a large
 * machine) the shortest path of the graph bounds its latency, and no link of it is certain. */
#pragma once
#include "engine/engine.h"

typedef struct DnPathBounds DnPathBounds;

#define DN_PATH_BOUND_FORCED 14

/* The bounds of a pair, and what its messages were. */
typedef struct {
    guint32 source, target; /* vertices; equal: none is kept */
    guint32 rail;
    guint16 mode, n_forced;
    gint64 latency_ps;     /* no path has less */
    const guint32 *forced; /* [n_forced] links that all paths cross */
    double out, in; /* capacity of the links that they may leave the source by, and come in by */
    double rate;    /* the least capacity of `forced`; INFINITY: there are none */
    guint32 uplink; /* of them the one by which they enter the fabric; DN_NONE: none */
    guint32 kept[DN_PATH_BOUND_FORCED]; /* `forced`, where they are so few */
    /* of the caller, not yet counted */
    double bytes;
    guint64 packets;
    /* of the caller: the last message, and its time */
    gint64 size_bytes, cap_bps; /* size_bytes 0: there was none */
    gint64 left_ps, there_ps;
} DnPathBound;

/* Takes what @bound has to be counted, before it is forgotten. */
typedef void (*DnPathBoundCount)(void *data, const DnPathBound *bound);

DnPathBounds *dn_path_bounds_new(const DnRouter *router, const double *capacity,
                                 DnPathBoundCount count, void *data);
void dn_path_bounds_free(DnPathBounds *bounds);

/* Returns the bounds from endpoint vertex @source to @target != @source over rail @rail
 * (routing.h); valid until the next call. */
DnPathBound *dn_path_bound(DnPathBounds *bounds, guint32 source, guint32 target, guint mode,
                           guint32 rail);
/* Counts all that was not yet. */
void dn_path_bounds_count(DnPathBounds *bounds);
