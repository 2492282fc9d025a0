/* walk_test.c - every algorithm on every topology: paths end at the target, are as long as they may
 * be, and are made of hops that choices() allows. A hop in line (settled.h) is next()'s. */
#include "routing/settled.h"
#include "routing/test_machine.h"

typedef struct {
    const char *topology, *fabric, *routing;
    guint longest; /* switch hops; 0: exactly the topology's distance */
    gboolean rare; /* the longest path is too rare to be met for sure */
} Case;

#define FULL                                                                                       \
    "{groups: 9, switches_per_group: 4, terminals_per_switch: 2, global_links_per_switch: 2}"
/* Two links a pair of groups. */
#define WIDE                                                                                       \
    "{groups: 5, switches_per_group: 4, terminals_per_switch: 1, global_links_per_switch: 2, "     \
    "links_per_group_pair: 2}"
/* Gateways 0, 3, 6, 9 of 3 x 4: some two hops apart, some switches two hops from one. */
#define GRID                                                                                       \
    "{groups: 5, intra_group: grid, chassis: 3, blades: 4, chassis_links: 2, "                     \
    "terminals_per_switch: 1, global_links_per_switch: 1, links_per_group_pair: 1}"
#define PLUS                                                                                       \
    "{groups: 5, leaves_per_group: 3, spines_per_group: 4, terminals_per_leaf: 2, "                \
    "global_links_per_spine: 4}"
/* A spine has links to half of the other groups: paths inside the detour's group go over a leaf. */
#define SPARSE                                                                                     \
    "{groups: 9, leaves_per_group: 3, spines_per_group: 4, terminals_per_leaf: 1, "                \
    "global_links_per_spine: 2}"
#define TREE "{levels: 3, down: [2, 3, 4], up: [2, 2]}"
#define MESH "{switches: 6, terminals_per_switch: 2}"
#define TORUS "{dims: [5, 4, 2]}"
#define OPEN "{dims: [4, 3], wrap: [false, false]}"
#define MIXED "{dims: [4, 5], wrap: [true, false], parallel_links: 2}"

static const Case cases[] = {
    /* On a dragonfly two global hops in a row can be shorter than local, global, local, so minimal
     * routing, which takes one, is held to its bound instead of the distance. */
    {"dragonfly", FULL, "{algorithm: minimal}", 3, FALSE},
    {"dragonfly", FULL, "{algorithm: minimal, choice: hashed}", 3, FALSE},
    {"dragonfly", WIDE, "{algorithm: minimal, choice: adaptive}", 3, FALSE},
    {"dragonfly", GRID, "{algorithm: minimal}", 5, FALSE},
    {"dragonfly_plus", PLUS, "{algorithm: minimal}", 0, FALSE},
    {"fat_tree", TREE, "{algorithm: minimal}", 0, FALSE},
    {"full_mesh", MESH, "{algorithm: minimal}", 0, FALSE},
    {"torus", TORUS, "{algorithm: dimension_order}", 0, FALSE},
    {"torus", OPEN, "{algorithm: dimension_order}", 0, FALSE},
    {"torus", MIXED, "{algorithm: dimension_order}", 0, FALSE},
    {"torus", TORUS, "{algorithm: minimal_adaptive}", 0, FALSE},
    {"torus", OPEN, "{algorithm: minimal_adaptive}", 0, FALSE},
    {"torus", MIXED, "{algorithm: minimal_adaptive}", 0, FALSE},
    {"torus", TORUS, "{algorithm: valiant}", 2 * (2 + 2 + 1), FALSE}, /* twice the diameter */
    {"torus", OPEN, "{algorithm: valiant}", 3 + 2 + 3 + 2 - 1,
     FALSE}, /* corner to corner, and not quite back */
    /* local, global, local, global, local; with a switch one local hop more in the middle */
    {"dragonfly", FULL, "{algorithm: valiant}", 5, FALSE},
    {"dragonfly", FULL, "{algorithm: valiant, level: switch}", 6, FALSE},
    {"dragonfly", FULL, "{algorithm: ugal_l}", 5, FALSE},
    {"dragonfly", FULL, "{algorithm: ugal_g, level: switch}", 6, FALSE},
    {"dragonfly", FULL, "{algorithm: par}", 6,
     FALSE}, /* one local hop more before the change of mind */
    {"dragonfly", WIDE, "{algorithm: par, choice: adaptive, level: switch}", 7, FALSE},
    {"dragonfly", GRID, "{algorithm: valiant}", 2 + 1 + 2 + 1 + 2, FALSE},
    {"dragonfly", GRID, "{algorithm: ugal_l}", 8, FALSE},
    {"dragonfly", GRID, "{algorithm: par}", 2 + 2 + 1 + 2 + 1 + 2, FALSE},
    {"dragonfly", GRID, "{algorithm: aries}", 10, TRUE}, /* SC 2019, section 2.2: up to 10 hops */
    {"dragonfly", GRID, "{algorithm: aries, mode: ADAPTIVE_1}", 10, TRUE},
    {"dragonfly", GRID, "{algorithm: aries, mode: ADAPTIVE_3}", 10, TRUE},
    {"dragonfly", GRID, "{algorithm: aries, mode: MIN_HASH}", 5, FALSE},
    {"dragonfly", GRID, "{algorithm: aries, mode: NMIN_HASH}", 10, FALSE},
    {"dragonfly", GRID, "{algorithm: aries, mode: IN_ORDER}", 5, FALSE},
    {"dragonfly", FULL, "{algorithm: aries}", 6, FALSE},
    /* local, global, then two local hops at most before each further global one and the target */
    {"dragonfly", FULL, "{algorithm: rlm}", 7, TRUE},
    {"dragonfly", WIDE, "{algorithm: rlm, choice: adaptive}", 7, TRUE},
    {"dragonfly", GRID, "{algorithm: rlm}", 2 + 1 + 2 + 1 + 2, TRUE},
    {"dragonfly", FULL, "{algorithm: ofar}", 7, TRUE},
    {"dragonfly", WIDE, "{algorithm: ofar, adaptive_channels: 1}", 7, TRUE},
    {"dragonfly", GRID, "{algorithm: ofar}", 3 + 1 + 3 + 1 + 3 + 3, TRUE},
    {"dragonfly_plus", PLUS, "{algorithm: valiant}", 4, FALSE}, /* up, global, global, down */
    /* every spine leads to every group: a leaf sees one queue for both paths and stays minimal */
    {"dragonfly_plus", PLUS, "{algorithm: ugal_l}", 3, FALSE},
    {"dragonfly_plus", PLUS, "{algorithm: ugal_g}", 4, FALSE},
    {"dragonfly_plus", PLUS, "{algorithm: par}", 4, FALSE},
    {"dragonfly_plus", PLUS, "{algorithm: fpar}", 6, FALSE}, /* down and up again on the way */
    {"dragonfly_plus", SPARSE, "{algorithm: valiant}", 6, FALSE},
    {"dragonfly_plus", SPARSE, "{algorithm: ugal_g}", 6, FALSE},
    {"dragonfly_plus", SPARSE, "{algorithm: par}", 6, FALSE},
    {"dragonfly_plus", SPARSE, "{algorithm: fpar}", 6, FALSE},
    {"full_mesh", MESH, "{algorithm: valiant}", 2, FALSE},
    {"full_mesh", MESH, "{algorithm: ugal_l}", 2, FALSE},
    {"full_mesh", MESH, "{algorithm: par}", 2, FALSE},
};

#define MAX_HOPS 4096
typedef struct {
    DnHop hops[MAX_HOPS];
    DnRouteState after[MAX_HOPS];
} Choices;

/* The hop is one of choices() from the state before it, and leaves the same state. */
static void check_allowed(const DnRouter *router, guint32 vertex, const DnRouteState *before,
                          DnHop hop, const DnRouteState *after, Choices *c)
{
    guint n = dn_route_choices(router, vertex, before, c->hops, c->after, MAX_HOPS);
    for (guint i = 0; i < n; i++)
        if (c->hops[i].port == hop.port && c->hops[i].channel == hop.channel &&
            c->after[i].via == after->via && c->after[i].phase == after->phase &&
            c->after[i].hops == after->hops)
            return;
    g_error("%s: hop over port %u channel %u at %u is not among its %u choices", router->type->name,
            hop.port, hop.channel, vertex, n);
}

static void check_settled(const DnRouter *router, guint32 vertex, const DnRouteState *before,
                          const TestLoad *load, guint64 draw)
{
    DnRouteState state = *before, after = *before;
    DnHop hop;
    gboolean settled = dn_route_settled(router, vertex, &state, &hop);
    if (!settled)
        g_assert_cmpmem(&state, sizeof state, before, sizeof *before);
    if (!settled || vertex >= router->switches || vertex == before->target_switch)
        return;
    DnHop next = router->type->next(router, vertex, &after, &load->view, draw);
    g_assert_cmpuint(hop.port, ==, next.port);
    g_assert_cmpuint(hop.channel, ==, next.channel);
    g_assert_cmpuint(state.phase, ==, after.phase);
    g_assert_cmpuint(state.via, ==, after.via);
}

/* Switch hops of one packet. */
static guint walk_file(const DnRouter *router, guint32 source, guint32 target, TestLoad *load,
                       guint64 key, Choices *c)
{
    const DnGraph *g = router->machine->graph;
    DnRouteState state;
    guint hops = 0, links = 0;
    dn_route_init(router, source, target, router->mode, &state);
    for (guint32 v = source; v != target; links++) {
        g_assert_cmpuint(links, <, 64);
        DnRouteState before = state;
        load->vertex = v;
        check_settled(router, v, &before, load, dn_draw(key, 100 + links));
        DnHop hop = dn_route_next(router, v, &state, &load->view, dn_draw(key, links));
        g_assert_cmpuint(hop.port, <, dn_graph_degree(g, v));
        g_assert_cmpuint(hop.channel, <, router->channels);
        check_allowed(router, v, &before, hop, &state, c);
        guint32 peer = test_peer(g, v, hop.port);
        hops += v < g->size.switches && peer < g->size.switches;
        v = peer;
    }
    return hops;
}

static void check_case(const Case *k, guint gpus, guint rounds)
{
    DnMachine *machine = test_machine_new(k->topology, k->fabric, gpus);
    const DnGraph *g = machine->graph;
    g_autoptr(DnRouter) router = test_router_new(machine, k->routing);
    g_autofree Choices *choices = g_new(Choices, 1);
    TestLoad load;
    test_load_init(&load, g);
    guint longest = 0;
    for (guint round = 0; round < rounds; round++) {
        test_load_random(&load, round, 40000);
        for (guint32 i = 0; i < g->size.endpoints; i++) {
            guint64 key = dn_draw_key(round, DN_DRAW_TEST, i);
            guint32 j = dn_draw_below(dn_draw(key, 1000), g->size.endpoints);
            guint32 a = g->endpoints[i], b = g->endpoints[j];
            if (g->vertices[a].node == g->vertices[b].node)
                continue;
            guint hops = walk_file(router, a, b, &load, key, choices);
            guint32 s = g->terminal_switch[g->endpoint_terminal[i]];
            guint32 t = g->terminal_switch[g->endpoint_terminal[j]];
            guint distance = machine->type->distance(machine->params, s, t);
            g_assert_cmpuint(hops, >=, distance);
            g_assert_cmpuint(hops, <=, k->longest == 0 ? distance : k->longest);
            longest = MAX(longest, hops);
        }
    }
    if (k->longest != 0 && !k->rare) /* the bound is reached: it is not just generous */
        g_assert_cmpuint(longest, ==, k->longest);
    test_load_clear(&load);
    g_clear_pointer(&router, dn_router_free);
    test_machine_free(machine);
}

static void test_case(gconstpointer data)
{
    check_case(data, 0, 300);
}

static void test_case_with_nodes(gconstpointer data)
{
    check_case(data, 2, 150);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path =
            g_strdup_printf("/routing/walk/%u %s %s", i, cases[i].topology, cases[i].routing);
        g_test_add_data_func(path, &cases[i], test_case);
        g_autofree char *with_nodes = g_strconcat(path, " with nodes", NULL);
        g_test_add_data_func(with_nodes, &cases[i], test_case_with_nodes);
    }
    return g_test_run();
}
