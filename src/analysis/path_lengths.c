/* path_lengths.c - see path_lengths.h. */
#include "analysis/path_lengths.h"

#include "base/rng.h"
#include "routing/path.h"

#define MOST_LOAD (1 << 20) /* bytes queued at a port: above what any bias outweighs */

/* A port's load is drawn anew for each hop of each path. */
typedef struct {
    DnLoadView view;
    guint64 key, n;
} DrawnLoad;

static gint64 drawn_port_bytes(const DnLoadView *view, guint32 port)
{
    const DrawnLoad *load = (const DrawnLoad *)view;
    guint64 bits = dn_draw(load->key, load->n * 4096 + port);
    /* Half of the ports idle, so that loads at and above every threshold occur. */
    return bits & 1 ? 0 : dn_draw_below(bits, MOST_LOAD);
}

typedef struct {
    guint32 hops;
    gboolean detour;
} PathTaken;

static PathTaken path_take(const DnRouter *router, guint32 source, guint32 target, DrawnLoad *load)
{
    guint32 switches = router->machine->graph->size.switches;
    DnPath path = dn_path_begin(router, source, target, router->mode, DN_RAIL_OWN);
    PathTaken taken = {0};
    guint32 before = path.vertex;
    while (dn_path_next(&path, &load->view, dn_draw(load->key, ~load->n))) {
        load->n++;
        taken.detour = taken.detour || (before < switches && dn_route_detours(&path.state));
        taken.hops += before < switches && path.vertex < switches;
        before = path.vertex;
    }
    return taken;
}

void dn_path_lengths(const DnRouter *router, guint32 paths, guint64 seed, DnPathLengths *lengths)
{
    const DnGraph *g = router->machine->graph;
    guint64 key = dn_draw_key(seed, DN_DRAW_ESTIMATE, g->size.switches);
    DrawnLoad load = {.view = {.port_bytes = drawn_port_bytes}, .key = dn_mix64(key)};
    *lengths = (DnPathLengths){0};
    if (g->size.switches == 0 || g->size.endpoints < 2)
        return;
    lengths->shortest = G_MAXUINT32;
    for (guint32 i = 0; i < paths; i++) {
        guint32 s = dn_draw_below(dn_draw(key, 2 * (guint64)i), g->size.endpoints);
        guint32 t = dn_draw_below(dn_draw(key, 2 * (guint64)i + 1), g->size.endpoints);
        if (g->vertices[g->endpoints[s]].node == g->vertices[g->endpoints[t]].node)
            continue; /* never leaves the node */
        PathTaken taken = path_take(router, g->endpoints[s], g->endpoints[t], &load);
        lengths->paths++;
        lengths->shortest = MIN(lengths->shortest, taken.hops);
        lengths->longest = MAX(lengths->longest, taken.hops);
        if (!taken.detour)
            lengths->longest_minimal = MAX(lengths->longest_minimal, taken.hops);
    }
    if (lengths->paths == 0)
        lengths->shortest = 0;
}
