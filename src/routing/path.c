/* path.c - see path.h. */
#include "routing/path.h"

static gint64 nothing_queued(const DnLoadView *view, guint32 port)
{
    (void)view;
    (void)port;
    return 0;
}

const DnLoadView dn_load_idle = {.port_bytes = nothing_queued};

DnPath dn_path_begin(const DnRouter *router, guint32 source, guint32 target, guint mode,
                     guint32 rail)
{
    DnPath path = {.router = router, .vertex = source, .target = target, .link = DN_NONE};
    dn_route_init_rail(router, source, target, mode, rail, &path.state);
    return path;
}

static void path_cross(DnPath *path, const DnHop *hop)
{
    const DnGraph *g = path->router->machine->graph;
    /* A link is crossed at most once before a detour and once behind it: a routing that does not
     * arrive is a bug. */
    g_assert(path->hops / 2 <= g->size.links);
    path->hops++;
    path->link = dn_route_link(path->router, path->vertex, hop->port);
    path->vertex = g->links[path->link].dst;
}

gboolean dn_path_next(DnPath *path, const DnLoadView *load, guint64 draw)
{
    if (dn_path_ended(path))
        return FALSE;
    DnHop hop = dn_route_next(path->router, path->vertex, &path->state, load, draw);
    path_cross(path, &hop);
    return TRUE;
}

void dn_path_follow(DnPath *path, const DnHop *hop, const DnRouteState *after)
{
    path_cross(path, hop);
    path->state = *after;
}

gboolean dn_path_first(DnPath *path, DnHop *hops, DnRouteState *after, guint max)
{
    if (dn_path_ended(path))
        return FALSE;
    guint n = dn_route_choices(path->router, path->vertex, &path->state, hops, after, max);
    g_assert(n > 0);
    dn_path_follow(path, &hops[0], &after[0]);
    return TRUE;
}
