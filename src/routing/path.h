/* path.h - a path through the machine, link by link, as one message or packet would take it.
 *
 *     DnPath path = dn_path_begin(router, source, target, mode, DN_RAIL_OWN);
 *     while (dn_path_next(&path, &dn_load_idle, draw))
 *         ... path.link has been crossed, path.vertex is reached ...
 *
 * Whoever needs all paths (the deadlock check, the routing index) keeps a front of states and asks
 * dn_route_choices() for each. */
#pragma once
#include "routing/routing.h"

typedef struct {
    const DnRouter *router;
    DnRouteState state;
    guint32 vertex, target;
    guint32 link; /* the last one crossed; DN_NONE: none yet */
    guint hops;   /* links crossed */
} DnPath;

/* A load view in which nothing is queued anywhere. */
extern const DnLoadView dn_load_idle;

/* The link of the graph that leaves @vertex by @port. */
static inline guint32 dn_route_link(const DnRouter *router, guint32 vertex, guint32 port)
{
    const DnGraph *g = router->machine->graph;
    return g->ports[g->port_first[vertex] + port];
}

/* TRUE: the path is at its target. */
static inline gboolean dn_path_ended(const DnPath *path)
{
    return dn_route_ends(&path->state, path->vertex);
}

DnPath dn_path_begin(const DnRouter *router, guint32 source, guint32 target, guint mode,
                     guint32 rail);
/* Crosses one link, as dn_route_next() says; FALSE: the path is at its target. */
gboolean dn_path_next(DnPath *path, const DnLoadView *load, guint64 draw);
/* Crosses the link of one of the dn_route_choices() from here. */
void dn_path_follow(DnPath *path, const DnHop *hop, const DnRouteState *after);
/* Crosses the link of the first of them; @hops and @after have @max elements; FALSE: at the
 * target. */
gboolean dn_path_first(DnPath *path, DnHop *hops, DnRouteState *after, guint max);
