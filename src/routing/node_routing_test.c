/* node_routing_test.c - Tests of paths inside a node. */
#include "routing/node_routing.h"

/* One node without a fabric. */
static DnGraphBuilder *node_new(guint32 vertices, guint32 cables)
{
    DnGraphSize size = {.nodes = 1,
                        .node_vertices = vertices,
                        .endpoints = 2,
                        .links = 2 * cables,
                        .groups = 1,
                        .group_switches = 0};
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    for (guint32 v = 0; v < vertices; v++) {
        DnVertex *vertex = dn_graph_vertex(b, v);
        vertex->kind = v < 2 ? DN_VERTEX_GPU : DN_VERTEX_NVSWITCH;
        vertex->transit = v >= 2;
    }
    dn_graph_set_endpoint(b, 0, DN_NONE);
    dn_graph_set_endpoint(b, 1, DN_NONE);
    return b;
}

static guint32 add_class(DnGraphBuilder *b, const char *name, gint64 bandwidth_bps)
{
    DnLinkClass class_ = {(char *)name, bandwidth_bps, 100000, 1.0, 65536, 0};
    return dn_graph_add_class(b, &class_);
}

/* The ports at vertex 0 towards vertex 1. */
static guint node_routing_ports(DnGraphBuilder *b, guint16 out[8])
{
    DnGraph *g = dn_graph_builder_seal(b);
    DnNodeRouting *node = dn_node_routing_new(g);
    guint16 single;
    guint n;
    const guint16 *list =
        dn_port_set_list(node->sets, node->next[0 * node->vertices + 1], &n, &single);
    g_assert_cmpuint(n, <=, 8);
    for (guint i = 0; i < n; i++)
        out[i] = list[i];
    dn_node_routing_free(node);
    dn_graph_free(g);
    return n;
}

/* GPU - narrow switch - GPU and GPU - wide switch - GPU, both two hops: the wide one, port 1. */
static void test_wide(void)
{
    DnGraphBuilder *b = node_new(4, 4);
    guint32 narrow = add_class(b, "pcie", 256000000000);
    guint32 wide = add_class(b, "nvlink", 2400000000000);
    dn_graph_add_cable(b, 0, 2, narrow, 1);
    dn_graph_add_cable(b, 0, 3, wide, 1);
    dn_graph_add_cable(b, 1, 2, narrow, 1);
    dn_graph_add_cable(b, 1, 3, wide, 1);
    guint16 port[8];
    g_assert_cmpuint(node_routing_ports(b, port), ==, 1);
    g_assert_cmpuint(port[0], ==, 1);
}

/* The first link is wide, the second not: the narrowest link counts, so the even path, port 1. */
static void test_bottleneck(void)
{
    DnGraphBuilder *b = node_new(4, 4);
    guint32 class_ = add_class(b, "link", 100000000000);
    dn_graph_add_cable(b, 0, 2, class_, 4);
    dn_graph_add_cable(b, 0, 3, class_, 2);
    dn_graph_add_cable(b, 1, 2, class_, 1);
    dn_graph_add_cable(b, 1, 3, class_, 2);
    guint16 port[8];
    g_assert_cmpuint(node_routing_ports(b, port), ==, 1);
    g_assert_cmpuint(port[0], ==, 1);
}

/* A direct link of one is nearer than two hops of four: hops come first. */
static void test_hops_first(void)
{
    DnGraphBuilder *b = node_new(3, 3);
    guint32 class_ = add_class(b, "link", 100000000000);
    dn_graph_add_cable(b, 0, 2, class_, 4);
    dn_graph_add_cable(b, 2, 1, class_, 4);
    dn_graph_add_cable(b, 0, 1, class_, 1);
    guint16 port[8];
    g_assert_cmpuint(node_routing_ports(b, port), ==, 1);
    g_assert_cmpuint(port[0], ==, 1);
}

/* Equal paths over two switches, three links to each: one switch, all its three links. */
static void test_equal(void)
{
    DnGraphBuilder *b = node_new(4, 8);
    guint32 class_ = add_class(b, "link", 100000000000);
    for (guint i = 0; i < 3; i++) {
        dn_graph_add_cable(b, 0, 2, class_, 1);
        dn_graph_add_cable(b, 0, 3, class_, 1);
    }
    dn_graph_add_cable(b, 1, 2, class_, 1);
    dn_graph_add_cable(b, 1, 3, class_, 1);
    guint16 port[8];
    g_assert_cmpuint(node_routing_ports(b, port), ==, 3);
    for (guint i = 0; i < 3; i++)
        g_assert_cmpuint(port[i], ==, 2 * i);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/node routing/wide", test_wide);
    g_test_add_func("/node routing/bottleneck", test_bottleneck);
    g_test_add_func("/node routing/hops first", test_hops_first);
    g_test_add_func("/node routing/equal", test_equal);
    return g_test_run();
}
