/* rails_test.c - rails and planes: with rails: target a message changes rails inside its node, as
 * PXN does, and stays in one plane of the fabric; what cannot be routed is refused. */
#include "routing/path.h"
#include "routing/test_machine.h"

#include <string.h>

#define MACHINE(down, planes, attach, rails)                                                       \
    "fabric:\n  type: fat_tree\n  levels: 2\n  down: " down "\n  up: [4]\n  planes: " planes "\n"  \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                         \
    "    level1: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 64 KiB}\n"                           \
    "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 4, transit: true}\n"                  \
    "    - {name: nvswitch, kind: nvswitch}\n    - {name: nic, kind: nic, count: 4}\n"             \
    "  links:\n    nvlink: {bandwidth: 640 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"               \
    "    pcie: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                           \
    "  edges:\n    - {each: [gpu, nvswitch], class: nvlink}\n"                                     \
    "    - {pairwise: [gpu, nic], class: pcie}\n"                                                  \
    "  nics:\n    - {nic: nic0, serves: gpu0}\n    - {nic: nic1, serves: gpu1}\n"                  \
    "    - {nic: nic2, serves: gpu2}\n    - {nic: nic3, serves: gpu3}\n"                           \
    "attach: {switches_per_node: " attach "}\nhardware: {rails: " rails "}\n"

static DnMachine *rails_load(const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(yaml, "m.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    return m;
}

/* Links between switches on the path of GPU @a to GPU @b; *@leaf: the first switch; *@passed: local
 * vertices of the source's node on it, a bit each. */
static guint rails_walk(const DnRouter *r, guint32 a, guint32 b, guint32 *leaf, guint *passed)
{
    const DnGraph *g = r->machine->graph;
    DnPath path = dn_path_begin(r, g->endpoints[a], g->endpoints[b], 0, DN_RAIL_OWN);
    guint inner = 0;
    *leaf = DN_NONE;
    *passed = 0;
    while (dn_path_next(&path, &dn_load_idle, dn_draw(7, a * 64 + b * 8 + path.hops))) {
        const DnLink *l = &g->links[path.link];
        inner += l->src < g->size.switches && l->dst < g->size.switches;
        if (*leaf == DN_NONE && l->dst < g->size.switches)
            *leaf = l->dst;
        if (*leaf == DN_NONE)
            *passed |= 1u << g->vertices[l->dst].local;
    }
    g_assert_cmpuint(path.vertex, ==, g->endpoints[b]);
    return inner;
}

/* Rail-optimised: NIC i of eight nodes on leaf i. GPU 1 to GPU 3 of another node under the same
 * leaves: over GPU 3 and NIC 3 of its own node and leaf 3 alone; without PXN over a spine. */
static void test_pxn(void)
{
    static const char *const algorithms[] = {"minimal", "d_mod_k", "adaptive_up", "spray"};
    guint32 leaf, inner;
    guint passed;
    g_autoptr(DnMachine) own = rails_load(MACHINE("[8, 8]", "1", "4", "own"));
    g_autoptr(DnRouter) spine = test_router_new(own, "{algorithm: minimal}");
    inner = rails_walk(spine, 1, 4 + 3, &leaf, &passed);
    g_assert_cmpuint(inner, ==, 2);
    g_assert_cmpuint(leaf, ==, 1);
    g_autoptr(DnMachine) m = rails_load(MACHINE("[8, 8]", "1", "4", "target"));
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *yaml = g_strdup_printf("{algorithm: %s}", algorithms[i]);
        g_autoptr(DnRouter) r = test_router_new(m, yaml);
        inner = rails_walk(r, 1, 4 + 3, &leaf, &passed);
        g_assert_cmpuint(inner, ==, 0);
        g_assert_cmpuint(leaf, ==, 3);
        g_assert_cmpuint(passed, ==, 1u << 4 | 1u << 3 | 1u << 8); /* nvswitch, gpu3, nic3 */
        inner = rails_walk(r, 2, 4 + 2, &leaf, &passed);
        g_assert_cmpuint(inner, ==, 0);
        g_assert_cmpuint(passed, ==, 1u << 7); /* its own NIC at once */
        g_assert_true(dn_deadlock_check(r, &error));
        g_assert_no_error(error);
    }
}

/* An answer to a message over @rail leaves by the NIC by which that came, and enters by the one by
 * which it left. */
static void check_answer(const DnRouter *r, guint32 from, guint32 to, guint32 rail)
{
    DnRouteState path, back;
    dn_route_init_rail(r, from, to, 0, rail, &path);
    dn_route_init_rail(r, to, from, 0, dn_route_answer_rail(r, to, rail), &back);
    g_assert_cmpuint(back.phase, ==, dn_exit_enter(path.exit));
    g_assert_cmpuint(dn_exit_enter(back.exit), ==, path.phase);
}

/* The second part of a message leaves by the NIC after the source's own and enters by that after
 * the target's own; where the target's rail is taken, by the NIC after that at both ends. */
static void test_parts(void)
{
    static const char *const machines[] = {MACHINE("[8, 8]", "1", "4", "own"),
                                           MACHINE("[4, 4]", "4", "4", "target")};
    for (guint by_target = 0; by_target <= 1; by_target++) {
        g_autoptr(DnMachine) m = rails_load(machines[by_target]);
        g_autoptr(DnRouter) r = test_router_new(m, "{algorithm: minimal}");
        const DnGraph *g = m->graph;
        for (guint32 from = 0; from < 4; from++)
            for (guint32 to = 0; to < 4; to++) {
                DnRouteState state;
                dn_route_init_rail(r, g->endpoints[from], g->endpoints[4 + to], 0,
                                   dn_router_rail_after(r, 1), &state);
                g_assert_cmpuint(dn_exit_enter(state.exit), ==, (to + 1) % 4);
                g_assert_cmpuint(state.phase, ==,
                                 ((by_target ? to : from) + 1) % 4); /* NIC it leaves by */
                g_assert_cmpuint(state.target_switch, ==, g->terminal_switch[4 + (to + 1) % 4]);
                for (guint32 part = 0; part < 3; part++)
                    check_answer(r, g->endpoints[from], g->endpoints[4 + to],
                                 dn_router_rail_after(r, part));
                check_answer(r, g->endpoints[from], g->endpoints[4 + to], 2);
            }
    }
}

/* Every pair of GPUs of two nodes stays in the plane of the target's NIC. */
static void test_planes(void)
{
    static const char *const algorithms[] = {"minimal", "d_mod_k", "adaptive_up", "spray"};
    g_autoptr(DnMachine) m = rails_load(MACHINE("[4, 4]", "4", "4", "target"));
    const DnGraph *g = m->graph;
    g_assert_cmpuint(g->size.nodes, ==, 16);
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *yaml = g_strdup_printf("{algorithm: %s}", algorithms[i]);
        g_autoptr(DnRouter) r = test_router_new(m, yaml);
        for (guint32 a = 0; a < 4; a++)
            for (guint32 b = 4; b < g->size.endpoints; b++) {
                guint32 leaf, inner;
                guint passed;
                inner = rails_walk(r, a, b, &leaf, &passed);
                g_assert_cmpuint(inner, ==, b / 4 < 4 ? 0 : 2);
                g_assert_cmpuint(leaf, ==, b % 4);
            }
        g_assert_true(dn_deadlock_check(r, &error));
        g_assert_no_error(error);
    }
}

/* D-mod-k on one rail: the targets of a leaf come down over all spines, not one. */
static void test_d_mod_k_rails(void)
{
    g_autoptr(DnMachine) m = rails_load(MACHINE("[4, 8]", "1", "4", "target"));
    g_autoptr(DnRouter) r = test_router_new(m, "{algorithm: d_mod_k}");
    const DnGraph *g = m->graph;
    guint spines = 0;
    for (guint32 n = 4; n < 8; n++) { /* the nodes of the second block, rail 0 */
        DnPath path = dn_path_begin(r, g->endpoints[0], g->endpoints[4 * n], 0, DN_RAIL_OWN);
        while (dn_path_next(&path, &dn_load_idle, 1))
            if (path.vertex < g->size.switches && g->vertices[path.vertex].level == 1)
                spines |= 1u << (path.vertex - 8);
    }
    g_assert_cmpuint(spines, ==, 15);
}

static void check_refused(const char *yaml, const char *routing, const char *says)
{
    g_autoptr(DnMachine) m = rails_load(yaml);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(routing, "r.yaml", &error);
    g_assert_no_error(error);
    DnRouter *r = dn_router_new(m, node, &error);
    g_assert_null(r);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, says));
}

static void test_refused(void)
{
    check_refused(MACHINE("[4, 4]", "4", "4", "own"), "{algorithm: minimal}", "rails: target");
    check_refused(MACHINE("[8, 4]", "4", "2", "target"), "{algorithm: minimal}",
                  "in different planes");
}

/* Two nodes of @n GPUs behind one NVSwitch, each with a NIC of its own. */
static DnMachine *many_nics(guint n)
{
    g_autoptr(GString) yaml = g_string_new(NULL);
    g_string_printf(
        yaml,
        "fabric: {type: full_mesh, switches: 2, terminals_per_switch: %u, links: {terminal: "
        "&link {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}, link: *link}}\n"
        "node:\n  vertices: [{name: gpu, kind: gpu, transit: true, count: %u}, {name: nic, kind: "
        "nic, count: %u}, "
        "{name: nvswitch, kind: nvswitch}]\n  links: {wire: *link}\n"
        "  edges: [{each: [gpu, nvswitch], class: wire}, {pairwise: [gpu, nic], class: wire}]\n"
        "  nics:\n",
        n, n, n);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(yaml, "    - {nic: nic%u, serves: gpu%u}\n", i, i);
    return rails_load(yaml->str);
}

/* A node of 72 GPUs and NICs: each message leaves and enters by its ends' own NICs, or those after
 * them. */
static void test_many_nics(void)
{
    g_autoptr(DnMachine) m = many_nics(72);
    g_autoptr(DnRouter) r = test_router_new(m, "{algorithm: minimal}");
    const DnGraph *g = m->graph;
    for (guint32 part = 0; part < 2; part++)
        for (guint32 a = 0; a < 72; a++) {
            guint32 b = 143 - a, rail = dn_router_rail_after(r, part), left = DN_NONE, from = a;
            DnPath path = dn_path_begin(r, g->endpoints[a], g->endpoints[b], 0, rail);
            while (dn_path_next(&path, &dn_load_idle, 1)) {
                const DnLink *l = &g->links[path.link];
                left = l->dst < g->size.switches && left == DN_NONE ? l->src : left;
                from = l->src < g->size.switches ? l->dst : from;
            }
            g_assert_cmpuint(path.vertex, ==, g->endpoints[b]);
            g_assert_cmpuint(left, ==, g->terminals[(a + part) % 72]);
            g_assert_cmpuint(from, ==, g->terminals[72 + (b - 72 + part) % 72]);
        }
    g_autoptr(GError) error = NULL;
    g_assert_true(dn_deadlock_check(r, &error));
    g_assert_no_error(error);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rails/pxn", test_pxn);
    g_test_add_func("/rails/parts", test_parts);
    g_test_add_func("/rails/planes", test_planes);
    g_test_add_func("/rails/d_mod_k", test_d_mod_k_rails);
    g_test_add_func("/rails/many_nics", test_many_nics);
    g_test_add_func("/rails/refused", test_refused);
    return g_test_run();
}
