/* path_bounds.h - Bounds of a message alone: by every path that routing may choose for it.
 *
 * A path has a stretch inside the source's node, one over the fabric and one inside the target's
 * node; each is explored link by link over dn_route_choices(). Those of the fabric are kept by pair
 * of switches. Where a fabric stretch has too many choices to be explored (detours on a large
 * machine) the shortest path of the graph bounds its latency, and no link of it is certain. */
#pragma once
#include "engine/engine.h"

typedef struct DnPathBounds DnPathBounds;

DnPathBounds *dn_path_bounds_new(const DnRouter *router, const double *capacity);
void dn_path_bounds_free(DnPathBounds *bounds);

typedef struct {
    gint64 latency_ps;     /* no path has less */
    const guint32 *forced; /* links that all paths cross; valid until the next call */
    guint n_forced;
    double out, in; /* capacity of the links that they may leave the source by, and come in by */
} DnPathBound;

/* Returns the bounds from endpoint vertex @source to @target != @source over rail @rail
 * (routing.h). */
DnPathBound dn_path_bound(DnPathBounds *bounds, guint32 source, guint32 target, guint mode,
                          guint32 rail);
