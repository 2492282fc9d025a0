/* lattice_tree_test.c - routing on fat trees and HyperX: D-mod-k keeps shifts apart, adaptive
 * routing takes the lighter parent, DAL deroutes once a dimension. */
#include "routing/path.h"
#include "routing/test_machine.h"

#define TREE "{levels: 3, down: [3, 3, 6], up: [3, 3]}" /* full bisection: 54 terminals */

/* Flows of the shift by @stride on the busiest link. */
static guint count_busiest(const DnRouter *r, guint32 stride, guint *loads)
{
    const DnGraph *g = r->machine->graph;
    guint most = 0;
    for (guint32 l = 0; l < g->size.links; l++)
        loads[l] = 0;
    for (guint32 t = 0; t < g->size.terminals; t++) {
        guint32 to = (t + stride) % g->size.terminals;
        DnPath path = dn_path_begin(r, g->terminals[t], g->terminals[to], 0, DN_RAIL_OWN);
        while (dn_path_next(&path, &dn_load_idle, dn_draw(7, t * 16 + path.hops))) {
            loads[path.link]++;
            most = MAX(most, loads[path.link]);
        }
        g_assert_cmpuint(path.vertex, ==, g->terminals[to]);
    }
    return most;
}

/* Zahavi 2010: no link of a full tree carries two flows of a shift; spraying's does. */
static void test_d_mod_k(void)
{
    DnMachine *m = test_machine_new("fat_tree", TREE, 0);
    DnRouter *r = test_router_new(m, "{algorithm: d_mod_k}");
    DnRouter *spray = test_router_new(m, "{algorithm: spray}");
    g_autofree guint *loads = g_new(guint, m->graph->size.links);
    guint collisions = 0;
    for (guint32 stride = 1; stride < m->graph->size.terminals; stride++) {
        g_assert_cmpuint(count_busiest(r, stride, loads), ==, 1);
        collisions += count_busiest(spray, stride, loads) > 1;
    }
    g_assert_cmpuint(collisions, >, 40);
    dn_router_free(r);
    dn_router_free(spray);
    test_machine_free(m);
}

/* Two parallel links to each of two parents: all eight bits of paths are used, each pair keeps to
 * one. */
static void test_parallel(void)
{
    DnMachine *m =
        test_machine_new("fat_tree", "{levels: 2, down: [4, 4], up: [2], parallel_links: [2]}", 0);
    DnRouter *r = test_router_new(m, "{algorithm: d_mod_k}");
    g_autofree guint *loads = g_new(guint, m->graph->size.links);
    for (guint32 stride = 4; stride < 16; stride += 4)
        g_assert_cmpuint(count_busiest(r, stride, loads), ==, 1);
    dn_router_free(r);
    test_machine_free(m);
}

static guint32 first_port(const DnMachine *m, DnRouter *r, TestLoad *load, guint32 target_switch,
                          guint64 draw)
{
    guint32 t = 0;
    while (m->graph->terminal_switch[t] != target_switch)
        t++;
    DnRouteState state = {.target = m->graph->terminals[t],
                          .target_switch = target_switch,
                          .via = DN_NONE,
                          .exit = DN_EXIT_NONE};
    load->vertex = 0;
    return dn_route_next(r, 0, &state, &load->view, draw).port;
}

static void test_adaptive_up(void)
{
    DnMachine *m = test_machine_new("fat_tree", TREE, 0);
    DnRouter *r = test_router_new(m, "{algorithm: adaptive_up}");
    TestLoad load;
    test_load_init(&load, m->graph);
    guint32 first = 0; /* port to the first parent */
    while (test_peer(m->graph, 0, first) < 18)
        first++;
    for (guint light = 0; light < 3; light++) {
        for (guint p = 0; p < 3; p++)
            load.bytes[m->graph->port_first[0] + first + p] = p == light ? 10 : 100;
        for (guint64 draw = 0; draw < 20; draw++) {
            guint32 port = first_port(m, r, &load, 17, dn_mix64(draw));
            g_assert_cmpuint(port, ==, first + light);
        }
    }
    test_load_clear(&load);
    dn_router_free(r);
    test_machine_free(m);
}

/* Idle: the minimal hops, either dimension first. Loaded: at most one more hop a dimension. */
static void test_dal(void)
{
    DnMachine *m = test_machine_new("hyperx", "{dims: [4, 4, 2], terminals_per_switch: 1}", 0);
    DnRouter *r = test_router_new(m, "{algorithm: dal}");
    const DnGraph *g = m->graph;
    g_assert_cmpuint(r->channels, ==, 5); /* 2 + 2 + 1 hops */
    TestLoad load;
    test_load_init(&load, g);
    guint more = 0;
    for (guint32 s = 0; s < 32; s++)
        for (guint32 t = 0; t < 32; t++) {
            if (s == t)
                continue;
            guint least = (s % 4 != t % 4) + (s / 4 % 4 != t / 4 % 4) + (s / 16 != t / 16);
            DnPath path = dn_path_begin(r, g->terminals[s], g->terminals[t], 0, DN_RAIL_OWN);
            while (dn_path_next(&path, &dn_load_idle, dn_draw(3, s * 64 + t + path.hops)))
                ;
            g_assert_cmpuint(path.hops, ==, least + 2);
            test_load_random(&load, s * 32 + t, 100000);
            path = dn_path_begin(r, g->terminals[s], g->terminals[t], 0, DN_RAIL_OWN);
            do
                load.vertex = path.vertex;
            while (dn_path_next(&path, &load.view, dn_draw(4, s * 64 + t + path.hops)));
            g_assert_cmpuint(path.hops, <=, 5 + 2);
            more += path.hops > least + 2;
        }
    g_assert_cmpuint(more, >, 100);
    test_load_clear(&load);
    dn_router_free(r);
    test_machine_free(m);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lattice_tree/d_mod_k", test_d_mod_k);
    g_test_add_func("/lattice_tree/parallel", test_parallel);
    g_test_add_func("/lattice_tree/adaptive_up", test_adaptive_up);
    g_test_add_func("/lattice_tree/dal", test_dal);
    return g_test_run();
}
