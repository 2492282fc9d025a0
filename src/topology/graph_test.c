/* graph_test.c - the builder's numbering and tables on a graph small enough to write down, and the
 * checker on that graph with each property broken in turn. */
#include <string.h>

#include "topology/graph.h"

enum { S0, S1, GPU0, NIC0, GPU1, NIC1 };

static const DnGraphSize sample_size = {.switches = 2,
                                        .nodes = 2,
                                        .node_vertices = 2,
                                        .terminals = 2,
                                        .endpoints = 2,
                                        .links = 12,
                                        .groups = 2,
                                        .group_switches = 1};

/* Node n is gpu - nic - s_n; s0 = s1 by a cable and a double cable. Links 0..11, as added. */
static DnGraphBuilder *sample_builder(guint32 far_end_of_last)
{
    DnGraphBuilder *b = dn_graph_builder_new(&sample_size);
    DnLinkClass cable = {(char *)"cable", 200, 10, 0.9, 64, 0};
    DnLinkClass nvlink = {(char *)"nvlink", 400, 5, 1, 0, 0};
    g_assert_cmpuint(dn_graph_add_class(b, &cable), ==, 0);
    g_assert_cmpuint(dn_graph_add_class(b, &nvlink), ==, 1);
    for (guint32 n = 0; n < 2; n++) {
        dn_graph_vertex(b, GPU0 + 2 * n)->kind = DN_VERTEX_GPU;
        dn_graph_vertex(b, NIC0 + 2 * n)->transit = 1;
        dn_graph_set_endpoint(b, GPU0 + 2 * n, n);
    }
    dn_graph_name_vertex(b, 0, "gpu-a");
    dn_graph_add_cable(b, S0, S1, 0, 1);
    dn_graph_add_cable(b, S1, S0, 0, 2);
    dn_graph_add_cable(b, GPU0, NIC0, 1, 4);
    dn_graph_add_cable(b, NIC1, S1, 0, 1);
    dn_graph_add_cable(b, NIC0, S0, 0, 1);
    dn_graph_add_cable(b, GPU1, far_end_of_last, 1, 4);
    return b;
}

static DnGraph *graph_sample(void)
{
    return dn_graph_builder_seal(sample_builder(NIC1));
}

static void test_builder(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    /* Out links by source: s0 {0, 3, 9}, s1 {1, 2, 7}, gpu0 {4}, nic0 {5, 8}, gpu1 {10}, nic1
     * {6, 11}. */
    static const guint32 first[] = {0, 3, 6, 7, 9, 10, 12};
    static const guint32 ports[] = {0, 3, 9, 1, 2, 7, 4, 5, 8, 10, 6, 11};
    static const guint32 link_port[] = {0, 0, 1, 1, 0, 0, 0, 2, 1, 2, 0, 1};
    g_assert_cmpmem(g->port_first, sizeof first, first, sizeof first);
    g_assert_cmpmem(g->ports, 12 * sizeof *g->ports, ports, sizeof ports);
    g_assert_cmpmem(g->link_port, 12 * sizeof *g->link_port, link_port, sizeof link_port);
    g_assert_cmpuint(g->terminals[0], ==, NIC0);
    g_assert_cmpuint(g->terminals[1], ==, NIC1);
    g_assert_cmpuint(g->terminal_switch[0], ==, S0);
    g_assert_cmpuint(g->terminal_switch[1], ==, S1);
    g_assert_cmpuint(g->endpoints[1], ==, GPU1);
    g_assert_cmpuint(g->endpoint_of[GPU1], ==, 1);
    g_assert_cmpuint(g->endpoint_of[NIC1], ==, DN_NONE);
    g_assert_cmpuint(g->endpoint_terminal[1], ==, 1);
    g_assert_cmpuint(g->vertices[S1].group, ==, 1);
    g_assert_cmpuint(g->vertices[NIC1].node, ==, 1);
    g_assert_cmpuint(g->vertices[NIC1].local, ==, 1);
    g_assert_cmpint(dn_link_bandwidth_bps(g, 4), ==, 1600);
    g_assert_cmpint(dn_link_latency_ps(g, 4), ==, 5);
}

static void test_names(void)
{
    char vertex[64], link[160];
    g_autoptr(DnGraph) g = graph_sample();
    g_assert_cmpstr(dn_vertex_name(g, S1, vertex), ==, "switch 1 (group 1.0)");
    g_assert_cmpstr(dn_vertex_name(g, GPU1, vertex), ==, "node 1 gpu-a");
    g_assert_cmpstr(dn_vertex_name(g, NIC1, vertex), ==, "node 1 nic1");
    g_assert_cmpstr(dn_link_name(g, 9, link), ==, "switch 0 (group 0.0) -> node 0 nic1 (cable)");
}

/* 6 vertices of 24 bytes and two 4-byte indices, 12 links of 16 and two, 2 terminals and 2
 * endpoints of two: 6 * 32 + 12 * 24 + 2 * 8 + 2 * 8. */
static void test_memory(void)
{
    guint64 arrays = 512;
    g_assert_cmpuint(dn_graph_memory_bytes(&sample_size), ==, arrays + sizeof(DnGraph));
}

/* Four GPUs wired to each other, no switch, no NIC: connected though nothing forwards. */
static void test_bare_node(void)
{
    DnGraphSize size = {.nodes = 1, .node_vertices = 4, .endpoints = 4, .links = 12};
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    DnLinkClass nvlink = {(char *)"nvlink", 400, 5, 1, 0, 0};
    dn_graph_add_class(b, &nvlink);
    for (guint32 v = 0; v < 4; v++) {
        dn_graph_vertex(b, v)->kind = DN_VERTEX_GPU;
        dn_graph_set_endpoint(b, v, DN_NONE);
        for (guint32 other = 0; other < v; other++)
            dn_graph_add_cable(b, v, other, 0, 6);
    }
    g_autoptr(DnGraph) g = dn_graph_builder_seal(b);
    g_assert_cmpuint(dn_graph_degree(g, 2), ==, 3);
}

/* A node without fabric whose NIC is there all the same: a terminal without a switch. */
static void test_terminal_without_fabric(void)
{
    DnGraphSize size = {.nodes = 1, .node_vertices = 2, .terminals = 1, .endpoints = 1, .links = 2};
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    DnLinkClass pcie = {(char *)"pcie", 400, 5, 1, 0, 0};
    dn_graph_add_class(b, &pcie);
    dn_graph_vertex(b, 0)->kind = DN_VERTEX_CPU;
    dn_graph_set_endpoint(b, 0, 0);
    dn_graph_add_cable(b, 0, 1, 0, 1);
    g_autoptr(DnGraph) g = dn_graph_builder_seal(b);
    g_assert_cmpuint(g->terminals[0], ==, 1);
    g_assert_cmpuint(g->terminal_switch[0], ==, DN_NONE);
}

static void graph_refused(const DnGraph *g, const char *what)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(dn_graph_check(g, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    if (strstr(error->message, what) == NULL)
        g_error("refused with '%s', not for '%s'", error->message, what);
}

/* Sets one field, sees the checker refuse for that reason, and puts it back. */
#define BREAK(field, value, what)                                                                  \
    do {                                                                                           \
        __typeof__(field) saved_ = (field);                                                        \
        (field) = (value);                                                                         \
        graph_refused(g, what);                                                                    \
        (field) = saved_;                                                                          \
        g_assert_true(dn_graph_check(g, NULL));                                                    \
    } while (0)

static void test_broken_counts(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->n_vertices, 5, "5 vertices, size says 6");
    BREAK(g->size.links, 11, "cables have two");
    BREAK(g->size.groups, 3, "3 groups of 1 switches are not 2");
    BREAK(g->size.endpoints, 1, "endpoint 1 is not its index");
    BREAK(g->size.endpoints, 3, "2 endpoints, size says 3");
}

static void test_broken_vertices(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->vertices[GPU0].kind, DN_VERTEX_KINDS, "kind 5 is none");
    BREAK(g->vertices[GPU0].kind, DN_VERTEX_SWITCH, "kind switch, but the first 2");
    BREAK(g->vertices[S1].kind, DN_VERTEX_GPU, "kind gpu, but the first 2");
    BREAK(g->vertices[GPU0].transit, 2, "are 0 or 1");
    BREAK(g->vertices[GPU0].latency_ps, -1, "is negative");
    BREAK(g->vertices[S0].transit, 0, "switch 0: belongs to no node");
    BREAK(g->vertices[S0].endpoint, 1, "holds no ranks");
    BREAK(g->vertices[S0].node, 0, "belongs to no node");
    BREAK(g->vertices[S1].group, 0, "group 0.0 is another switch");
    BREAK(g->vertices[S1].local, 1, "group 1.1 is another switch");
    BREAK(g->vertices[NIC1].node, 0, "node 0, index 1 is another vertex");
    BREAK(g->vertices[NIC1].local, 0, "node 1, index 0 is another vertex");
    BREAK(g->vertices[NIC1].group, 0, "only switches have group");
    BREAK(g->vertices[NIC1].level, 1, "only switches have group and level");
}

static void test_broken_classes(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    char empty[] = "", twice[] = "cable";
    BREAK(g->classes[1].name, NULL, "link class 1 has no name");
    BREAK(g->classes[1].name, empty, "link class 1 has no name");
    BREAK(g->classes[1].name, twice, "'cable' is there twice");
    BREAK(g->classes[0].bandwidth_bps, 0, "bandwidth 0 bit/s is not positive");
    BREAK(g->classes[0].latency_ps, 0, "latency 0 ps is not positive");
    BREAK(g->classes[0].efficiency, 0.0, "efficiency 0 is not in (0, 1]");
    BREAK(g->classes[0].efficiency, 1.01, "efficiency 1.01 is not in (0, 1]");
    BREAK(g->classes[0].buffer_bytes, -1, "buffer -1 B is negative");
    BREAK(g->classes[0].shared_buffer_bytes, -1, "shared buffer -1 B is negative");
}

static void test_broken_links(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->links[4].src, 6, "but there are 6 vertices");
    BREAK(g->links[4].dst, GPU0, "from vertex 2 to itself");
    BREAK(g->links[4].link_class, 2, "class 2 is none");
    BREAK(g->links[4].width, 0, "width 0 is zero or overflows");
    BREAK(g->classes[1].bandwidth_bps, G_MAXINT64 / 2, "width 4 is zero or overflows");
    BREAK(g->links[5].src, NIC1, "link 5 is not its reverse");
    BREAK(g->links[5].dst, GPU1, "link 5 is not its reverse");
    BREAK(g->links[5].width, 3, "link 5 is not its reverse");
    BREAK(g->links[5].link_class, 0, "link 5 is not its reverse");
}

static void test_broken_ports(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->port_first[0], 1, "covers 1..12");
    BREAK(g->port_first[6], 11, "covers 0..11");
    BREAK(g->port_first[1], 7, "negative degree");
    BREAK(g->port_first[1], 2, "does not start there");
    BREAK(g->ports[0], 12, "link 12 does not start there");
    BREAK(g->ports[0], 1, "link 1 does not start there");
    BREAK(g->link_port[3], 0, "is port 1 of vertex 0, not 0");
    /* two ports swapped, and link_port with them: inverse, but not in link order */
    g->ports[0] = 3;
    g->ports[1] = 0;
    g->link_port[3] = 0;
    g->link_port[0] = 1;
    graph_refused(g, "out of link order");
}

static void test_broken_ends(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->terminals[1], GPU1, "terminal 1: vertex 4 is no NIC");
    BREAK(g->terminals[1], 6, "terminal 1: vertex 6 is no NIC");
    BREAK(g->terminals[1], NIC0, "terminal 1: not in node order");
    BREAK(g->terminal_switch[1], S0, "terminal 1: no cable to its switch 0");
    BREAK(g->terminal_switch[1], DN_NONE, "terminal 1: no cable to its switch");
    BREAK(g->vertices[GPU1].endpoint, 0, "endpoint flag and endpoint index disagree");
    BREAK(g->vertices[NIC1].endpoint, 1, "endpoint flag and endpoint index disagree");
    BREAK(g->endpoints[1], NIC1, "endpoint 1 is not its index");
    BREAK(g->endpoint_of[GPU1], 0, "endpoint 0 is not its index");
    BREAK(g->endpoint_terminal[0], 2, "terminal 2, but there are 2");
    BREAK(g->endpoint_terminal[0], 1, "its terminal 1 is in node 1, not 0");
}

/* A NIC that does not forward cuts its node off. Two GPUs at one NIC are connected by it, fabric or
 * not, while it forwards. */
static void test_disconnected(void)
{
    g_autoptr(DnGraph) g = graph_sample();
    BREAK(g->vertices[NIC1].transit, 0, "no path from node 0 gpu-a to node 1 gpu-a");
    g_autoptr(GError) error = NULL;
    g_autoptr(DnGraph) other = dn_graph_builder_seal_checked(sample_builder(NIC0), &error);
    g_assert_no_error(error);
    g_assert_nonnull(other);
    other->vertices[NIC0].transit = 0;
    graph_refused(other, "no path from node 0 gpu-a to node 1 gpu-a");
}

static void test_seal_checked(void)
{
    g_autoptr(GError) error = NULL;
    DnGraphBuilder *b = sample_builder(NIC1);
    dn_graph_vertex(b, NIC0)->transit = 0;
    g_assert_null(dn_graph_builder_seal_checked(b, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    dn_graph_builder_free(sample_builder(NIC1)); /* unsealed: no leak */
    dn_graph_builder_free(NULL);
}

/* 50,000 vertices and 500,000 directed links seal well under a second, optimised or not; the bound
 * is wide, for sanitizers on a busy machine, and still fails a quadratic step. */
static void test_large(void)
{
    DnGraphSize size = {.switches = 10000,
                        .nodes = 40000,
                        .node_vertices = 1,
                        .terminals = 40000,
                        .endpoints = 40000,
                        .links = 500000,
                        .groups = 1,
                        .group_switches = 10000};
    DnLinkClass cable = {(char *)"cable", 200, 10, 1, 0, 0};
    gint64 before = g_get_monotonic_time();
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    dn_graph_add_class(b, &cable);
    for (guint32 n = 0; n < 40000; n++) {
        dn_graph_set_endpoint(b, 10000 + n, n);
        dn_graph_add_cable(b, 10000 + n, n / 4, 0, 1);
    }
    for (guint32 v = 0; v < 10000; v++)
        for (guint32 step = 1; step <= 21; step++)
            dn_graph_add_cable(b, v, (v + step * 37) % 10000, 0, 1);
    g_autoptr(DnGraph) g = dn_graph_builder_seal(b);
    gint64 took_us = g_get_monotonic_time() - before;
    g_test_message("50,000 vertices, 500,000 links: %" G_GINT64_FORMAT " us", took_us);
    g_assert_cmpint(took_us, <, 10 * G_USEC_PER_SEC);
    g_assert_cmpuint(dn_graph_degree(g, 0), ==, 46);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/graph/builder", test_builder);
    g_test_add_func("/graph/names", test_names);
    g_test_add_func("/graph/memory", test_memory);
    g_test_add_func("/graph/bare-node", test_bare_node);
    g_test_add_func("/graph/terminal-without-fabric", test_terminal_without_fabric);
    g_test_add_func("/graph/check/counts", test_broken_counts);
    g_test_add_func("/graph/check/vertices", test_broken_vertices);
    g_test_add_func("/graph/check/classes", test_broken_classes);
    g_test_add_func("/graph/check/links", test_broken_links);
    g_test_add_func("/graph/check/ports", test_broken_ports);
    g_test_add_func("/graph/check/ends", test_broken_ends);
    g_test_add_func("/graph/check/disconnected", test_disconnected);
    g_test_add_func("/graph/seal-checked", test_seal_checked);
    g_test_add_func("/graph/large", test_large);
    return g_test_run();
}
