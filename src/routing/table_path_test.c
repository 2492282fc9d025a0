/* table_path_test.c - routing from computed tables, on every kind of fabric, whole and with failed
 * links: distances against a search, walks that arrive, no cycle of channels, errors that name. */
#include "routing/path.h"
#include "routing/table_path.h"
#include "routing/test_machine.h"
#include "topology/machine.h"

#include <string.h>

#define LINKS(classes)                                                                             \
    "  links:\n    terminal: &c {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n" classes   \
    "  switch: {latency: 100 ns}\n"
#define GROUP_LINKS LINKS("    local: *c\n    global: *c\n")

static const char *const fabrics[] = {
    "fabric:\n  type: torus\n  dims: [4, 3, 3]\n" LINKS("    link: *c\n"),
    "fabric:\n  type: full_mesh\n  switches: 7\n  terminals_per_switch: 2\n" LINKS(
        "    link: *c\n"),
    "fabric:\n  type: fat_tree\n  levels: 3\n  down: [2, 3, 4]\n  up: [2, 3]\n" LINKS(
        "    level1: *c\n"),
    "fabric:\n  type: dragonfly\n  groups: 5\n  switches_per_group: 4\n  terminals_per_switch: 2\n"
    "  global_links_per_switch: 2\n" GROUP_LINKS,
    "fabric:\n  type: dragonfly_plus\n  groups: 4\n  leaves_per_group: 3\n  spines_per_group: 3\n"
    "  terminals_per_leaf: 2\n  global_links_per_spine: 3\n" GROUP_LINKS,
    "fabric:\n  type: hyperx\n  dims: [4, 4]\n  terminals_per_switch: 2\n" LINKS("    link: *c\n"),
    "fabric:\n  type: slim_fly\n  q: 3\n" LINKS("    link: *c\n"),
    "fabric:\n  type: edges\n  switches: 6\n  terminals_per_switch: 1\n"
    "  edges: [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [0, 3], [1, 4], [2, 5]]\n" LINKS(
        "    link: *c\n"),
};

static DnMachine *fabric_load(const char *fabric, const char *failures, GError **error)
{
    g_autofree char *text = g_strdup_printf("%s%s", fabric, failures);
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "m.yaml", error);
    g_assert_nonnull(node);
    return dn_machine_load(node, 0, error);
}

static DnRouter *router_for(const DnMachine *m, const char *yaml, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_config_parse(yaml, "r.yaml", NULL);
    return dn_router_new(m, node, error);
}

/* Hops of packets between all endpoints; @most: no path has more. */
static void walk_all(const DnRouter *r, guint most)
{
    const DnGraph *g = r->machine->graph;
    for (guint32 s = 0; s < g->size.endpoints; s++)
        for (guint32 t = 0; t < g->size.endpoints; t++) {
            if (s == t)
                continue;
            DnPath path = dn_path_begin(r, g->endpoints[s], g->endpoints[t], r->mode, DN_RAIL_OWN);
            guint64 key = dn_draw_key(1, DN_DRAW_TEST, ((guint64)s << 32) | t);
            while (dn_path_next(&path, &dn_load_idle, dn_draw(key, path.hops)))
                ;
            g_assert_cmpuint(path.vertex, ==, g->endpoints[t]);
            g_assert_cmpuint(path.hops, <=, most + 2);
        }
}

static void check_routed(const DnMachine *m, const char *algorithm, const char *channels)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *yaml = g_strdup_printf("{algorithm: %s, channels: %s}", algorithm, channels);
    g_autoptr(DnRouter) r = router_for(m, yaml, &error);
    g_assert_no_error(error);
    const DnTableRouter *x = (const DnTableRouter *)r;
    gboolean minimal = strcmp(algorithm, "minimal") == 0;
    g_assert_true(dn_deadlock_check(r, &error));
    g_assert_no_error(error);
    if (strcmp(channels, "up_down") == 0)
        g_assert_cmpuint(r->channels, ==, minimal ? 1 : 2);
    walk_all(r, x->table->longest * (minimal ? 1 : 2));
}

/* A tenth of the cables out, by several seeds; most draws leave the fabric joined. */
static void test_failures(void)
{
    static const char *const algorithms[] = {"minimal", "valiant", "ugal"};
    guint joined = 0;
    for (guint f = 0; f < G_N_ELEMENTS(fabrics); f++)
        for (guint seed = 1; seed <= 3; seed++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *failures =
                g_strdup_printf("  failures: {fraction: 10 %%, seed: %u}\n", seed);
            g_autoptr(DnMachine) whole = fabric_load(fabrics[f], "", &error);
            g_autoptr(DnMachine) m = fabric_load(fabrics[f], failures, &error);
            if (m == NULL) {
                g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
                g_assert_nonnull(strstr(error->message, "no path is left between node 0 (switch"));
                continue;
            }
            joined++;
            g_assert_cmpuint(m->failed_cables, >, 0);
            g_assert_cmpuint(m->graph->size.links + 2 * m->failed_cables, ==,
                             whole->graph->size.links);
            for (guint a = 0; a < G_N_ELEMENTS(algorithms); a++) {
                check_routed(m, algorithms[a], "hop");
                check_routed(m, algorithms[a], "up_down");
            }
        }
    g_assert_cmpuint(joined, >=, 10);
}

static void check_refused(const char *failures, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = fabric_load(fabrics[3], failures, &error);
    g_assert_null(m);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, what));
    g_assert_true(g_str_has_prefix(error->message, "m.yaml:12:"));
}

static void test_errors(void)
{
    check_refused("  failures: {links: [[0, 17]]}\n", "no cable joins switches 0 and 17");
    check_refused("  failures: {links: [[0, 1, 2]]}\n", "has 3 numbers");
    check_refused("  failures: {switches: [20]}\n", "the fabric has 0 to 19");
    check_refused("  failures: {switches: [2]}\n",
                  "no path is left between node 0 (switch 0) and node 4 (switch 2)");
    check_refused("  failures: {fraction: 120 %}\n", "out of range");
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = fabric_load(fabrics[3], "  failures: {links: [[0, 1]]}\n", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(m->failed_cables, ==, 1);
    g_autoptr(DnRouter) r = router_for(m, "{algorithm: par}", &error);
    g_assert_null(r);
    g_assert_nonnull(strstr(error->message, "for dragonfly with failed links"));
}

/* A line of 300 switches: tables hold paths of up to 254 hops. */
static void test_long_paths(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) fabric = g_string_new(
        "fabric:\n  type: edges\n  switches: 300\n  terminals_per_switch: 1\n  edges: [[0, 1]");
    for (guint i = 1; i < 299; i++)
        g_string_append_printf(fabric, ", [%u, %u]", i, i + 1);
    g_string_append(fabric, "]\n" LINKS("    link: *c\n"));
    g_autoptr(DnMachine) m = fabric_load(fabric->str, "", &error);
    g_assert_no_error(error);
    g_autoptr(DnRouter) r = router_for(m, "{algorithm: minimal}", &error);
    g_assert_null(r);
    g_assert_nonnull(strstr(error->message, ":1:1: no path from switch 255 to switch 0, or one of "
                                            "more than 254 hops"));
}

/* A failed spine of a dragonfly+ has no nodes: traffic goes over the others. */
static void test_failed_spine(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = fabric_load(fabrics[4], "  failures: {switches: [3]}\n", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dn_graph_degree(m->graph, 3), ==, 0);
    check_routed(m, "minimal", "hop");
    check_routed(m, "ugal_l", "up_down");
}

/* Whole fabrics that only tables serve: all algorithms, both kinds of channels. */
static void test_whole(void)
{
    for (guint f = G_N_ELEMENTS(fabrics) - 3; f < G_N_ELEMENTS(fabrics); f++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnMachine) m = fabric_load(fabrics[f], "", &error);
        g_assert_no_error(error);
        check_routed(m, "minimal", "hop");
        check_routed(m, "valiant", "hop");
        check_routed(m, "ugal_l", "hop");
        check_routed(m, "minimal", "up_down");
        check_routed(m, "ugal_l", "up_down");
    }
}

/* With the minimal port loaded UGAL takes a detour, idle and below the threshold it does not. */
static void test_ugal(void)
{
    static const struct {
        const char *yaml;
        gint64 bytes;
        gboolean detours;
    } rows[] = {{"{algorithm: ugal_l}", 0, FALSE},
                {"{algorithm: ugal_l}", 1000, TRUE},
                {"{algorithm: ugal_l, threshold: 2 kB}", 1000, FALSE}};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = fabric_load(fabrics[6], "", &error);
    g_assert_no_error(error);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(DnRouter) r = router_for(m, rows[i].yaml, &error);
        const DnTableRouter *x = (const DnTableRouter *)r;
        const DnGraph *g = m->graph;
        TestLoad load;
        test_load_init(&load, g);
        load.vertex = 0;
        guint32 target = 1, detours = 0; /* in the same column; one link away or two */
        DnPortSet set = dn_table_toward(x, 0, target, 0);
        guint n;
        guint16 single;
        const guint16 *ports = dn_port_set_list(x->table->sets, set, &n, &single);
        for (guint k = 0; k < n; k++)
            load.bytes[g->port_first[0] + ports[k]] = rows[i].bytes;
        for (guint k = 0; k < 50; k++) {
            DnRouteState state = {.target = g->terminals[3 * target],
                                  .target_switch = target,
                                  .via = DN_NONE,
                                  .exit = DN_EXIT_NONE};
            dn_route_next(r, 0, &state, &load.view, dn_draw(5, k));
            detours += state.via != DN_NONE;
        }
        g_assert_cmpuint(detours > 0, ==, rows[i].detours);
        test_load_clear(&load);
    }
}

static gboolean set_has(const DnPathTable *t, DnPortSet set, guint32 port)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(t->sets, set, &n, &single);
    gboolean found = FALSE;
    for (guint i = 0; i < n; i++) {
        g_assert_true(i == 0 || ports[i - 1] < ports[i]);
        found |= ports[i] == port;
    }
    return found;
}

/* Each hop over a port of the table leads one nearer to the target, and each port that does is
 * there: so the hops are those of the shortest paths. */
static void check_rows(const DnGraph *g, const DnPathTable *t)
{
    for (guint32 to = 0; to < t->switches; to++)
        for (guint32 from = 0; from < t->switches; from++) {
            gsize at = dn_path_at(t, 0, from, to);
            g_assert_cmpuint(t->hops[at] == 0, ==, from == to);
            g_assert_cmpuint(t->toward[at] == DN_PORT_SET_EMPTY, ==,
                             from == to || t->hops[at] == DN_PATH_NONE);
            for (guint32 p = 0; from != to && p < dn_graph_degree(g, from); p++) {
                guint32 peer = g->links[g->ports[g->port_first[from] + p]].dst;
                if (peer >= t->switches)
                    continue;
                guint hops = t->hops[dn_path_at(t, 0, peer, to)];
                if (t->hops[at] == DN_PATH_NONE) {
                    g_assert_cmpuint(hops, ==, DN_PATH_NONE);
                    continue;
                }
                g_assert_cmpuint(hops + 1, >=, t->hops[at]);
                g_assert_cmpint(set_has(t, t->toward[at], p), ==, hops + 1 == t->hops[at]);
            }
        }
}

/* More ports than 64 towards others, parallel links, two planes that nothing joins. */
static void test_rows(void)
{
    static const char *const more[] = {
        "fabric:\n  type: hyperx\n  dims: [3, 4, 2]\n  parallel_links: [15, 12, 1]\n"
        "  terminals_per_switch: 1\n" LINKS("    link: *c\n"),
        "fabric:\n  type: fat_tree\n  levels: 2\n  down: [2, 2]\n  up: [2]\n"
        "  planes: 2\n" LINKS("    level1: *c\n"),
    };
    for (guint f = 0; f < G_N_ELEMENTS(fabrics) + G_N_ELEMENTS(more); f++) {
        g_autoptr(GError) error = NULL;
        guint i = f - (guint)G_N_ELEMENTS(fabrics);
        g_autoptr(DnMachine)
            m = fabric_load(f < G_N_ELEMENTS(fabrics) ? fabrics[f] : more[i], "", &error);
        g_assert_no_error(error);
        const DnGraph *g = m->graph;
        g_autofree guint8 *is_end = g_new0(guint8, g->size.switches);
        for (guint32 t = 0; t < g->size.terminals; t++)
            is_end[g->terminal_switch[t]] = 1;
        DnPathTable *table = dn_path_table_new(g, is_end, FALSE, &error);
        g_assert_no_error(error);
        check_rows(g, table);
        dn_path_table_free(table);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/table_path/failures", test_failures);
    g_test_add_func("/table_path/whole", test_whole);
    g_test_add_func("/table_path/rows", test_rows);
    g_test_add_func("/table_path/ugal", test_ugal);
    g_test_add_func("/table_path/errors", test_errors);
    g_test_add_func("/table_path/long_paths", test_long_paths);
    g_test_add_func("/table_path/failed_spine", test_failed_spine);
    return g_test_run();
}
