/* routing_test.c - the `routing:` mapping: defaults, names, modes, channels, and every error. */
#include <string.h>

#include "routing/test_machine.h"

#define FULL                                                                                       \
    "{groups: 9, switches_per_group: 4, terminals_per_switch: 1, global_links_per_switch: 2}"
#define GRID                                                                                       \
    "{groups: 2, intra_group: grid, chassis: 2, blades: 3, terminals_per_switch: 1, "              \
    "global_links_per_switch: 1}"
#define PLUS                                                                                       \
    "{groups: 5, leaves_per_group: 2, spines_per_group: 2, terminals_per_leaf: 1, "                \
    "global_links_per_spine: 4}"
#define TORUS "{dims: [4, 4]}"

static void test_defaults(void)
{
    static const struct {
        const char *topology, *fabric, *name;
    } rows[] = {{"dragonfly", FULL, "minimal"},
                {"dragonfly_plus", PLUS, "minimal"},
                {"fat_tree", "{levels: 2, down: [2, 2], up: [2]}", "minimal"},
                {"full_mesh", "{switches: 3, terminals_per_switch: 1}", "minimal"},
                {"torus", TORUS, "dimension_order"}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        DnMachine *m = test_machine_new(rows[i].topology, rows[i].fabric, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(DnRouter) router = dn_router_new(m, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(router->type->name, ==, rows[i].name);
        g_assert_cmpuint(router->mode, ==, 0);
        g_assert_cmpuint(router->channels, ==, router->channels_needed);
        g_clear_pointer(&router, dn_router_free);
        test_machine_free(m);
    }
}

/* One name, the type that serves the fabric. */
static void test_valiant_by_topology(void)
{
    DnMachine *dragonfly = test_machine_new("dragonfly", FULL, 0);
    DnMachine *torus = test_machine_new("torus", TORUS, 0);
    g_autoptr(DnRouter) a = test_router_new(dragonfly, "{algorithm: valiant}");
    g_autoptr(DnRouter) b = test_router_new(torus, "{algorithm: valiant}");
    g_assert_cmpstr(a->type->name, ==, b->type->name);
    g_assert_true(a->type != b->type);
    g_clear_pointer(&a, dn_router_free);
    g_clear_pointer(&b, dn_router_free);
    test_machine_free(dragonfly);
    test_machine_free(torus);
}

static void test_modes(void)
{
    static const char *const names[] = {"ADAPTIVE_0", "ADAPTIVE_1", "ADAPTIVE_2", "ADAPTIVE_3",
                                        "MIN_HASH",   "NMIN_HASH",  "IN_ORDER"};
    DnMachine *m = test_machine_new("dragonfly", GRID, 0);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *yaml = g_strdup_printf("{algorithm: aries, mode: %s}", names[i]);
        g_autoptr(DnRouter) router = test_router_new(m, yaml);
        g_assert_cmpuint(router->mode, ==, i);
        g_clear_pointer(&router, dn_router_free);
    }
    test_machine_free(m);
}

static void test_errors(void)
{
    static const struct {
        const char *topology, *fabric, *routing;
        DnError code;
        const char *message;
    } rows[] = {
        {"dragonfly", FULL, "{algorithm: ugla_l}", DN_ERROR_UNKNOWN,
         "r.yaml:1:13: unknown routing 'ugla_l' for dragonfly; did you mean 'ugal_l'? known: "},
        {"torus", TORUS, "{algorithm: minimal}", DN_ERROR_COMBINATION,
         "r.yaml:1:13: unknown routing 'minimal' for torus"},
        {"fat_tree", "{levels: 2, down: [2, 2], up: [2]}", "{algorithm: valiant}",
         DN_ERROR_COMBINATION, "r.yaml:1:13: unknown routing 'valiant' for fat_tree"},
        {"dragonfly", FULL, "{algorithm: [minimal]}", DN_ERROR_TYPE, "r.yaml:1:13: "},
        {"dragonfly", FULL, "[minimal]", DN_ERROR_TYPE, "r.yaml:1:1: "},
        {"dragonfly", FULL, "{algorithm: minimal, chioce: hashed}", DN_ERROR_UNKNOWN,
         "r.yaml:1:22: "},
        {"dragonfly", FULL, "{algorithm: minimal, choice: best}", DN_ERROR_UNKNOWN,
         "r.yaml:1:30: "},
        {"dragonfly", GRID, "{algorithm: aries, mode: ADAPTIVE_4}", DN_ERROR_UNKNOWN,
         "r.yaml:1:26: unknown mode 'ADAPTIVE_4' of routing 'aries'; did you mean 'ADAPTIVE_"},
        {"dragonfly", GRID, "{algorithm: aries, bias_high: 2 TiB}", DN_ERROR_RANGE,
         "r.yaml:1:31: "},
        {"dragonfly", GRID, "{algorithm: aries, bias_high: 20}", DN_ERROR_UNIT, "r.yaml:1:31: "},
        {"dragonfly", GRID, "{algorithm: aries, bias_low: 20 KiB, bias_high: 10 KiB}",
         DN_ERROR_RANGE, "r.yaml:1:30: bias_low of 20480 B is above bias_high of 10240 B"},
        {"dragonfly", FULL, "{algorithm: ugal_l, threshold: -1 B}", DN_ERROR_RANGE,
         "r.yaml:1:32: "},
        {"dragonfly_plus", PLUS, "{algorithm: ugal_l, level: switch}", DN_ERROR_RANGE,
         "r.yaml:1:28: level 'switch' is for groups of equal switches"},
        {"dragonfly", FULL, "{algorithm: minimal, virtual_channels: 0}", DN_ERROR_RANGE,
         "r.yaml:1:40: "},
        {"dragonfly", FULL, "{algorithm: minimal, virtual_channels: 33}", DN_ERROR_RANGE,
         "r.yaml:1:40: "},
        {"dragonfly", FULL, "{algorithm: minimal, virtual_channels: 3}", DN_ERROR_RANGE,
         "r.yaml:1:40: 3 virtual channels; routing 'minimal' uses 2 on this machine"},
        {"dragonfly", FULL, "{algorithm: minimal, virtual_channels: many}", DN_ERROR_TYPE,
         "r.yaml:1:40: "},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        DnMachine *m = test_machine_new(rows[i].topology, rows[i].fabric, 0);
        g_autoptr(GError) error = NULL;
        g_autoptr(DnConfigNode) node = dn_config_parse(rows[i].routing, "r.yaml", &error);
        g_assert_no_error(error);
        DnRouter *router = dn_router_new(m, node, &error);
        g_test_message("%s -> %s", rows[i].routing, error != NULL ? error->message : "accepted");
        g_assert_null(router);
        g_assert_error(error, DN_ERROR, (gint)rows[i].code);
        g_assert_true(g_str_has_prefix(error->message, rows[i].message));
        test_machine_free(m);
    }
}

/* GPU to GPU: in a node one link over the pair's own cable; between nodes by the NICs. */
static void test_stretches(void)
{
    DnMachine *m = test_machine_new("full_mesh", "{switches: 2, terminals_per_switch: 1}", 2);
    const DnGraph *g = m->graph;
    g_autoptr(DnRouter) router = test_router_new(m, "{algorithm: minimal}");
    TestLoad load;
    test_load_init(&load, g);
    guint32 gpu0 = 2, gpu1 = 3, nic = 4, far = 5; /* switches 0, 1; node 0; node 1 */
    DnRouteState state;
    dn_route_init(router, gpu0, gpu1, 0, &state);
    DnHop hop = dn_route_next(router, gpu0, &state, &load.view, 1);
    g_assert_cmpuint(test_peer(g, gpu0, hop.port), ==, gpu1);
    const guint32 path[] = {gpu1, nic, 0, 1, 7, far};
    dn_route_init(router, gpu1, far, 0, &state);
    for (guint i = 0; i + 1 < G_N_ELEMENTS(path); i++) {
        load.vertex = path[i];
        hop = dn_route_next(router, path[i], &state, &load.view, 1);
        g_assert_cmpuint(test_peer(g, path[i], hop.port), ==, path[i + 1]);
    }
    test_load_clear(&load);
    g_clear_pointer(&router, dn_router_free);
    test_machine_free(m);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/routing/defaults", test_defaults);
    g_test_add_func("/routing/valiant by topology", test_valiant_by_topology);
    g_test_add_func("/routing/modes", test_modes);
    g_test_add_func("/routing/errors", test_errors);
    g_test_add_func("/routing/stretches", test_stretches);
    return g_test_run();
}
