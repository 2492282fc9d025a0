/* staging_check.c - see staging_check.h. */
#include "experiment/staging_check.h"

#include "routing/node_routing.h"

static gboolean staging_check_stages(const DnMechanism *mechanism)
{
    for (guint i = 0; i < MAX(1, mechanism->n_rules); i++)
        if (mechanism->rules[i].costs.path.via_host)
            return TRUE;
    return FALSE;
}

/* Vertices of one node. */
static gboolean staging_check_reaches(const DnRouter *router, guint32 from, guint32 to)
{
    const DnGraph *g = router->machine->graph;
    guint32 m = g->size.node_vertices;
    guint32 a = (from - g->size.switches) % m, b = (to - g->size.switches) % m;
    return a == b || (router->node != NULL && router->node->next[a * m + b] != DN_PORT_SET_EMPTY);
}

static const char *staging_check_obstacle(const DnRouter *router, guint32 endpoint)
{
    const DnGraph *g = router->machine->graph;
    guint32 host = g->endpoint_host[endpoint];
    if (host == DN_NONE)
        return "has no CPU to stage through";
    guint32 v = g->endpoints[host], gpu = g->endpoints[endpoint];
    if (!staging_check_reaches(router, gpu, v) || !staging_check_reaches(router, v, gpu))
        return "has no path to its CPU";
    if (g->size.nodes > 1 && g->endpoint_terminal[host] == DN_NONE)
        return "has a CPU that no NIC serves";
    guint32 node = g->vertices[v].node, hosts = g->size.hosts / g->size.nodes;
    for (guint32 i = 0; i < hosts; i++)
        if (!staging_check_reaches(router, v, g->endpoints[g->size.endpoints + node * hosts + i]))
            return "has a CPU without a path to the others of its node";
    return NULL;
}

gboolean dn_check_hosts(const DnMechanism *mechanism, const DnPlacement *placement,
                        const DnRouter *router, const DnConfigNode *at, GError **error)
{
    char name[64];
    for (guint32 r = 0; staging_check_stages(mechanism) && r < placement->ranks; r++) {
        const char *why = staging_check_obstacle(router, placement->endpoints[r]);
        if (why == NULL)
            continue;
        const DnGraph *g = router->machine->graph;
        dn_config_error(at, DN_ERROR_RANGE, error, "mechanism '%s' goes by the host: %s %s",
                        mechanism->name,
                        dn_vertex_name(g, g->endpoints[placement->endpoints[r]], name), why);
        return FALSE;
    }
    return TRUE;
}
