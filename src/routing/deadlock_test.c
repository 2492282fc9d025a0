/* deadlock_test.c - no cycle for any topology and algorithm that ships; every shortage of channels
 * is found, and named; the two walks of the check agree; split reads; memory. */
#include "routing/deadlock_check.h"
#include "routing/test_machine.h"
#include "topology/machine.h"

#include <string.h>
#include <time.h>

static const char *const dragonflies[] = {
    "{groups: 9, switches_per_group: 4, terminals_per_switch: 2, global_links_per_switch: 2}",
    "{groups: 5, switches_per_group: 6, terminals_per_switch: 1, global_links_per_switch: 4, "
    "links_per_group_pair: 6}",
    "{groups: 4, switches_per_group: 3, terminals_per_switch: 1, global_links_per_switch: 1, "
    "arrangement: circulant}",
    "{groups: 4, intra_group: grid, chassis: 2, blades: 3, chassis_links: 2, "
    "terminals_per_switch: 1, global_links_per_switch: 1, links_per_group_pair: 2}",
    "{groups: 2, switches_per_group: 3, terminals_per_switch: 1, global_links_per_switch: 2}",
    NULL};
static const char *const pluses[] = {
    "{groups: 5, leaves_per_group: 3, spines_per_group: 4, terminals_per_leaf: 2, "
    "global_links_per_spine: 4}",
    "{groups: 9, leaves_per_group: 2, spines_per_group: 4, terminals_per_leaf: 1, "
    "global_links_per_spine: 2}",
    "{groups: 1, leaves_per_group: 3, spines_per_group: 2, terminals_per_leaf: 1, "
    "global_links_per_spine: 0}",
    NULL};
static const char *const trees[] = {"{levels: 3, down: [2, 3, 4], up: [2, 2]}",
                                    "{levels: 2, down: [4, 6], up: [3], parallel_links: [2]}",
                                    "{levels: 1, down: [8]}", NULL};
static const char *const meshes[] = {"{switches: 6, terminals_per_switch: 1}",
                                     "{switches: 2, terminals_per_switch: 3}",
                                     "{switches: 1, terminals_per_switch: 3}", NULL};
static const char *const tori[] = {"{dims: [5, 4]}",
                                   "{dims: [4, 4], parallel_links: 2}",
                                   "{dims: [3, 3, 3]}",
                                   "{dims: [7]}",
                                   "{dims: [2, 2, 2]}",
                                   "{dims: [4, 3], wrap: [false, false]}",
                                   "{dims: [4, 5], wrap: [true, false]}",
                                   NULL};
static const char *const lattices[] = {"{dims: [4], terminals_per_switch: 2}",
                                       "{dims: [3, 3], terminals_per_switch: 1}",
                                       "{dims: [2, 3, 2], terminals_per_switch: 1, "
                                       "parallel_links: [1, 2, 1]}",
                                       NULL};
static const char *const slim_flies[] = {"{q: 3}", NULL};
static const char *const lists[] = {
    "{switches: 6, terminals_per_switch: 1, edges: [[0, 1], [1, 2], "
    "[2, 3, 2], [3, 4], [4, 0], [2, 5]]}",
    NULL};
static const struct {
    const char *topology;
    const char *const *fabrics;
} fabrics[] = {
    {"dragonfly", dragonflies},
    {"dragonfly_plus", pluses},
    {"fat_tree", trees},
    {"full_mesh", meshes},
    {"torus", tori},
    {"hyperx", lattices},
    {"slim_fly", slim_flies},
    {"edges", lists},
};

static gboolean deadlock_serves(const DnRoutingType *type, const char *topology)
{
    return type->topologies == NULL || g_strv_contains(type->topologies, topology);
}

typedef void (*CheckRouter)(const DnRouter *router, const char *what);

/* Every topology, algorithm, level, and with nodes of one vertex and of several. */
static void for_all_routers(CheckRouter check)
{
    static const char *const levels[] = {"", ", level: switch"};
    for (guint f = 0; f < G_N_ELEMENTS(fabrics); f++)
        for (guint i = 0; fabrics[f].fabrics[i] != NULL; i++)
            for (guint gpus = 0; gpus <= 2; gpus += 2) {
                DnMachine *m = test_machine_new(fabrics[f].topology, fabrics[f].fabrics[i], gpus);
                for (guint a = 0; dn_routing_types[a] != NULL; a++)
                    for (guint l = 0; l < G_N_ELEMENTS(levels); l++) {
                        const DnRoutingType *type = dn_routing_types[a];
                        gboolean has_level = FALSE;
                        for (guint p = 0; type->params[p].key != NULL; p++)
                            has_level |= strcmp(type->params[p].key, "level") == 0;
                        if (!deadlock_serves(type, m->type->name) ||
                            (l > 0 &&
                             (!has_level || type->computed || fabrics[f].fabrics == pluses)))
                            continue;
                        g_autofree char *yaml =
                            g_strdup_printf("{algorithm: %s%s}", type->name, levels[l]);
                        g_autofree char *what = g_strdup_printf("%s %s %s gpus %u",
                                                                fabrics[f].topology,
                                                                fabrics[f].fabrics[i], yaml, gpus);
                        g_autoptr(DnRouter) router = test_router_new(m, yaml);
                        check(router, what);
                    }
                test_machine_free(m);
            }
}

static void check_passes(const DnRouter *router, const char *what)
{
    g_autoptr(GError) error = NULL;
    if (!dn_deadlock_check(router, &error))
        g_error("%s: %s", what, error->message);
}

static void test_all_pass(void)
{
    for_all_routers(check_passes);
}

/* Appends the channels that @node waits for, through junctions. */
static void waits_for(const DnWaitGraph *graph, const DnWaitIndex *index, guint32 node,
                      guint8 *seen, GArray *found)
{
    for (guint32 i = index->first[node]; i < index->first[node + 1]; i++) {
        guint32 to = index->to[i];
        if (seen[to])
            continue;
        seen[to] = 1;
        if (to < graph->n_channels)
            g_array_append_val(found, to);
        else
            waits_for(graph, index, to, seen, found);
    }
}

static gint compare_ids(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

/* What each channel waits for, target by target, is what it waits for goal by goal; by goals it may
 * be a little more (group_moves.c), which is counted. */
static void check_walks_agree(const DnRouter *router, const char *what)
{
    DnWaitGraph graphs[2];
    DnWaitIndex index[2];
    gsize edges[2] = {0, 0};
    for (guint k = 0; k < 2; k++) {
        dn_deadlock_graph(router, k == 1, G_MAXUINT64, &graphs[k]);
        dn_wait_index_init(&index[k], &graphs[k]);
    }
    for (guint32 c = 0; c < graphs[0].n_channels; c++) {
        GArray *found[2];
        for (guint k = 0; k < 2; k++) {
            g_autofree guint8 *seen = g_new0(guint8, graphs[k].n_nodes);
            found[k] = g_array_new(FALSE, FALSE, sizeof(guint32));
            waits_for(&graphs[k], &index[k], c, seen, found[k]);
            g_array_sort(found[k], compare_ids);
            edges[k] += found[k]->len;
        }
        /* Nobody waits for an adaptive channel; moves() leaves it out. */
        gboolean adaptive = router->adaptive_channels >> c % router->channels & 1;
        for (guint i = 0; !adaptive && i < found[0]->len; i++) {
            guint32 to = g_array_index(found[0], guint32, i);
            if (!g_array_binary_search(found[1], &to, compare_ids, NULL))
                g_error("%s: goals miss %u.%u -> %u.%u", what, c / router->channels,
                        c % router->channels, to / router->channels, to % router->channels);
        }
        g_array_unref(found[0]);
        g_array_unref(found[1]);
    }
    g_test_message("%s: %zu waits by target, %zu by goals", what, edges[0], edges[1]);
    for (guint k = 0; k < 2; k++) {
        dn_wait_index_clear(&index[k]);
        g_array_unref(graphs[k].edges);
    }
}

static void test_walks_agree(void)
{
    for_all_routers(check_walks_agree);
}

static gboolean has_cycle(const DnWaitGraph *graph)
{
    g_autoptr(GArray) cycle = dn_wait_graph_cycle(graph);
    return cycle != NULL;
}

/* Where the fabric's hops all go up in one order, what is left has no cycle either: trees, groups
 * of leaves and spines alone, dragonflies with a channel for each hop inside a group, and computed
 * tables with a channel a hop. The whole graph has none there. */
static void check_short_proof(const DnRouter *router, const char *what)
{
    DnWaitGraph graph;
    const char *const *ordered =
        (const char *const[]){"minimal", "valiant", "ugal_l", "ugal_g", "par", NULL};
    const char *fabric = router->machine->type->name, *routing = router->type->name;
    gboolean tree = strcmp(fabric, "fat_tree") == 0;
    gboolean known = dn_deadlock_graph_around(router, G_MAXUINT64, &graph);
    g_test_message("%s: %d", what, known);
    if (tree && strcmp(routing, "minimal") == 0)
        g_assert_true(known);
    else if (strcmp(fabric, "dragonfly") == 0 && !router->type->computed)
        g_assert_true(known == g_strv_contains(ordered, routing));
    else if (router->type->computed)
        g_assert_true(known || router->channels <= 2); /* up and down takes one, with detours two */
    else
        g_assert_false(known && router->machine->graph->size.groups > 1);
    if (!known)
        return;
    g_assert_false(has_cycle(&graph));
    g_assert_cmpuint(graph.edges->len, <, 4 * router->machine->graph->size.links + 1);
    g_array_unref(graph.edges);
    dn_deadlock_graph(router, router->type->moves != NULL, G_MAXUINT64, &graph);
    g_assert_false(has_cycle(&graph));
    g_array_unref(graph.edges);
}

static void test_short_proof(void)
{
    for_all_routers(check_short_proof);
}

/* The topology's own need of channels, by the derivations in the algorithms' headers. */
static void test_channels_needed(void)
{
    static const struct {
        const char *topology, *fabric, *routing;
        guint channels;
    } rows[] = {
        {"dragonfly", NULL, "{algorithm: minimal}", 2}, /* Kim et al., fig. 7 */
        {"dragonfly", NULL, "{algorithm: valiant}", 3},
        {"dragonfly", NULL, "{algorithm: ugal_l}", 3},
        {"dragonfly", NULL, "{algorithm: par}", 4}, /* Jiang et al.: one more */
        {"dragonfly_plus", NULL, "{algorithm: minimal}", 1},
        {"dragonfly_plus", NULL, "{algorithm: fpar}", 2}, /* Shpiner et al. */
        {"torus", "{dims: [5, 4]}", "{algorithm: dimension_order}", 2},
        {"torus", "{dims: [5, 4], wrap: [false, false]}", "{algorithm: dimension_order}", 1},
        {"torus", "{dims: [5, 4]}", "{algorithm: valiant}", 4},
        {"torus", "{dims: [5, 4]}", "{algorithm: minimal_adaptive}", 3},
        {"fat_tree", NULL, "{algorithm: minimal}", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *fabric = rows[i].fabric;
        for (guint f = 0; fabric == NULL && f < G_N_ELEMENTS(fabrics); f++)
            if (strcmp(fabrics[f].topology, rows[i].topology) == 0)
                fabric = fabrics[f].fabrics[0];
        DnMachine *m = test_machine_new(rows[i].topology, fabric, 0);
        g_autoptr(DnRouter) router = test_router_new(m, rows[i].routing);
        g_assert_cmpuint(router->channels, ==, rows[i].channels);
        g_clear_pointer(&router, dn_router_free);
        test_machine_free(m);
    }
}

/* One channel too few is refused, and the message holds a cycle: links, channels, the need. */
static void test_too_few(void)
{
    static const struct {
        const char *topology, *fabric, *algorithm;
        guint channels;
    } rows[] = {
        {"torus", "{dims: [5]}", "dimension_order", 1}, /* a ring without datelines */
        {"torus", "{dims: [4, 4, 3]}", "dimension_order", 1},
        {"torus", "{dims: [5, 5]}", "valiant", 3},
        {"torus", "{dims: [5, 5]}", "minimal_adaptive", 2},
        {"torus", "{dims: [4, 4], wrap: [false, false]}", "minimal_adaptive", 1},
        {"dragonfly", NULL, "minimal", 1},
        {"dragonfly", NULL, "valiant", 2},
        {"dragonfly", NULL, "ugal_g", 2},
        {"dragonfly", NULL, "par", 2},
        {"dragonfly_plus", NULL, "valiant", 1},
        {"dragonfly_plus", NULL, "fpar", 1},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *fabric = rows[i].fabric;
        if (fabric == NULL)
            fabric = strcmp(rows[i].topology, "dragonfly") == 0 ? dragonflies[0] : pluses[1];
        DnMachine *m = test_machine_new(rows[i].topology, fabric, 0);
        g_autofree char *yaml = g_strdup_printf("{algorithm: %s, virtual_channels: %u}",
                                                rows[i].algorithm, rows[i].channels);
        g_autoptr(DnRouter) router = test_router_new(m, yaml);
        g_autoptr(GError) error = NULL;
        g_assert_cmpuint(router->channels, ==, rows[i].channels);
        if (dn_deadlock_check(router, &error))
            g_error("%s on %s passes", yaml, fabric);
        g_assert_error(error, DN_ERROR, DN_ERROR_CYCLE);
        g_assert_nonnull(strstr(error->message, "can deadlock: "));
        g_assert_nonnull(strstr(error->message, " -> the first again"));
        g_assert_nonnull(strstr(error->message, "(it needs "));
        g_clear_pointer(&router, dn_router_free);
        test_machine_free(m);
    }
}

/* The cycle of a ring of three with one channel is the ring: three links. */
static void test_cycle_text(void)
{
    DnMachine *m = test_machine_new("torus", "{dims: [5]}", 0);
    g_autoptr(DnRouter)
        router = test_router_new(m, "{algorithm: dimension_order, virtual_channels: 1}");
    g_autoptr(GError) error = NULL;
    g_assert_false(dn_deadlock_check(router, &error));
    const char *at = error->message;
    guint arrows = 0;
    while ((at = strstr(at, " -> ")) != NULL) {
        arrows++;
        at += 4;
    }
    /* five links, each with an arrow in its own name and one after it */
    g_test_message("%s", error->message);
    g_assert_cmpuint(arrows, >=, 5);
    g_clear_pointer(&router, dn_router_free);
    test_machine_free(m);
}

/* Two GPUs, each with its own of two NICs. */
#define TWO_NICS                                                                                   \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n  links:\n"             \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                         \
    "    link: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 64 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"                                                                \
    "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2}\n"                                 \
    "    - {name: nic, kind: nic, count: 2}\n"                                                     \
    "  links:\n    bus: {bandwidth: 640 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                  \
    "  edges:\n    - {link: [gpu0, nic0], class: bus}\n    - {link: [gpu0, nic1], class: bus}\n"   \
    "    - {link: [gpu1, nic1], class: bus}\n    - {link: [gpu1, nic0], class: bus}\n"             \
    "  nics:\n    - {nic: nic0, serves: [gpu0]}\n    - {nic: nic1, serves: [gpu1]}\n"              \
    "endpoints: gpu\nhardware: {rails: own}\n"

static guint32 find_link(const DnGraph *g, const char *of_name)
{
    char name[160];
    for (guint32 l = 0; l < g->size.links; l++)
        if (strstr(dn_link_name(g, l, name), of_name) != NULL)
            return l;
    g_error("no link %s", of_name);
}

/* TRUE: a packet that came over one link of node 0's may wait for the other. */
static gboolean link_waits(const DnRouter *router, gboolean by_goals, const char *from,
                           const char *to)
{
    DnWaitGraph graph;
    const DnGraph *g = router->machine->graph;
    guint32 a = find_link(g, from), b = find_link(g, to);
    gboolean found = FALSE;
    dn_deadlock_graph(router, by_goals, G_MAXUINT64, &graph);
    for (guint i = 0; i < graph.edges->len; i++) {
        guint64 edge = g_array_index(graph.edges, guint64, i);
        found |= (edge >> 32) / router->channels == a && (guint32)edge / router->channels == b;
    }
    g_array_unref(graph.edges);
    return found;
}

/* Half of a split read goes over the NIC after the endpoint's own, in both nodes: the check has
 * those edges when a mechanism splits, and only then. */
static void test_split_reads(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(TWO_NICS, "m.yaml", &error);
    g_assert_no_error(error);
    g_autoptr(DnMachine) m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    g_autoptr(DnRouter) router = test_router_new(m, "{algorithm: minimal}");
    for (guint parts = 0; parts <= 3; parts++)
        for (guint by_goals = 0; by_goals <= 1; by_goals++) {
            g_assert_true(dn_router_split(router, parts, NULL));
            g_assert_true(link_waits(router, by_goals, "node 0 gpu0 -> node 0 nic0",
                                     "node 0 nic0 -> switch 0"));
            g_assert_cmpint(link_waits(router, by_goals, "node 0 gpu0 -> node 0 nic1",
                                       "node 0 nic1 -> switch 0"),
                            ==, parts > 1);
            g_assert_cmpint(
                link_waits(router, by_goals, "node 0 nic1 -> node 0 gpu0", "node 0 gpu0 -> "), ==,
                FALSE);
        }
    g_assert_true(dn_deadlock_check(router, &error));
}

/* The check counts what it takes, and stops at its limit. */
static void test_memory(void)
{
    DnMachine *m = test_machine_new("dragonfly", dragonflies[0], 2);
    static const char *const algorithms[] = {"minimal", "ugal_l", "par"};
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_autofree char *yaml = g_strdup_printf("{algorithm: %s}", algorithms[i]);
        g_autoptr(DnRouter) router = test_router_new(m, yaml);
        g_autoptr(GError) error = NULL;
        DnWaitGraph graph;
        g_assert_false(dn_deadlock_check_within(router, 100 << 10, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_MEMORY);
        g_assert_nonnull(strstr(error->message, "100 KiB"));
        dn_deadlock_graph(router, TRUE, 200 << 10, &graph);
        g_assert_true(graph.is_full);
        g_assert_cmpuint(graph.edges->len * sizeof(guint64), <, 200 << 10);
        g_array_unref(graph.edges);
        g_assert_true(dn_deadlock_check_within(router, 64 << 20, NULL));
    }
    test_machine_free(m);
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void check_fast(const char *fabric, const char *routing, double limit_s)
{
    double start = cpu_s();
    DnMachine *m = test_machine_new("dragonfly", fabric, 0);
    double built = cpu_s();
    g_autoptr(DnRouter) router = test_router_new(m, routing);
    double routed = cpu_s();
    g_autoptr(GError) error = NULL;
    dn_deadlock_check(router, &error);
    g_assert_no_error(error);
    double now = cpu_s();
    g_test_message("%s: graph %.2f s, routing %.2f s, check %.2f s", routing, built - start,
                   routed - built, now - routed);
    g_assert_cmpfloat(now - built, <, limit_s);
    g_clear_pointer(&router, dn_router_free);
    test_machine_free(m);
}

/* Whole machines. The limit leaves space for a busy computer and sanitizers. */
static void test_large(void)
{
    const char *lumi = "{groups: 24, switches_per_group: 32, terminals_per_switch: 16, "
                       "global_links_per_switch: 23}";
    const char *large = "{groups: 129, switches_per_group: 16, terminals_per_switch: 8, "
                        "global_links_per_switch: 8}";
    check_fast(lumi, "{algorithm: minimal}", 20);
    check_fast(lumi, "{algorithm: ugal_l}", 20);
    check_fast(large, "{algorithm: ugal_l}", 20);
    check_fast(large, "{algorithm: par, level: switch}", 20);
    check_fast("{groups: 15, intra_group: grid, chassis: 6, blades: 16, terminals_per_switch: 4, "
               "global_links_per_switch: 5}",
               "{algorithm: aries}", 20);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/deadlock/all pass", test_all_pass);
    g_test_add_func("/routing/deadlock/walks agree", test_walks_agree);
    g_test_add_func("/routing/deadlock/short-proof", test_short_proof);
    g_test_add_func("/routing/deadlock/channels needed", test_channels_needed);
    g_test_add_func("/routing/deadlock/too few channels", test_too_few);
    g_test_add_func("/routing/deadlock/cycle text", test_cycle_text);
    g_test_add_func("/routing/deadlock/split-reads", test_split_reads);
    g_test_add_func("/routing/deadlock/memory", test_memory);
    g_test_add_func("/routing/deadlock/large", test_large);
    return g_test_run();
}
