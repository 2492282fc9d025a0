/* test_machine.h - machines, routers and walks for the routing tests.
 *
 * A machine is a bare fabric from YAML text (every terminal a node with one NIC), or one whose
 * nodes have two GPUs joined to each other and to the NIC. */
#pragma once
#include "base/rng.h"
#include "routing/routing.h"

#define TEST_BANDWIDTH_BPS G_GINT64_CONSTANT(100000000000)
#define TEST_LATENCY_PS 100000
#define TEST_BUFFER_BYTES 65536

static inline guint32 test_class(DnGraphBuilder *b, const char *name)
{
    DnLinkClass k = {(char *)name, TEST_BANDWIDTH_BPS, TEST_LATENCY_PS, 1.0, TEST_BUFFER_BYTES, 0};
    return dn_graph_add_class(b, &k);
}

/* Node @n: the NIC alone, or GPUs 0 and 1 and the NIC. */
static inline void test_add_node(DnGraphBuilder *b, guint32 first, guint32 n, guint gpus,
                                 guint32 terminal_switch, guint32 terminal_class)
{
    guint32 nic = first + gpus;
    for (guint i = 0; i < gpus; i++) {
        DnVertex *gpu = dn_graph_vertex(b, first + i);
        gpu->kind = DN_VERTEX_GPU;
        gpu->transit = 1;
        dn_graph_set_endpoint(b, first + i, n);
        dn_graph_add_cable(b, first + i, nic, terminal_class, 1);
    }
    if (gpus == 2)
        dn_graph_add_cable(b, first, first + 1, terminal_class, 1);
    dn_graph_vertex(b, nic)->kind = DN_VERTEX_NIC;
    dn_graph_vertex(b, nic)->transit = 1;
    if (gpus == 0)
        dn_graph_set_endpoint(b, nic, n);
    dn_graph_add_cable(b, nic, terminal_switch, terminal_class, 1);
}

/* @gpus: 0 or 2. */
static inline DnMachine *test_machine_new(const char *type, const char *yaml, guint gpus)
{
    g_autoptr(GError) error = NULL;
    DnConfigNode *node = dn_config_parse(yaml, "fabric.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = g_new0(DnMachine, 1);
    m->config = node;
    m->name = g_strdup("test");
    m->type = dn_topology_find(type);
    g_assert_nonnull(m->type);
    m->params = dn_params_read(node, m->type->params, NULL, &error);
    g_assert_no_error(error);
    DnFabricSize f;
    m->type->size(m->params, &f, &error);
    g_assert_no_error(error);
    guint32 inner = gpus == 2 ? 3 : 0;
    DnGraphSize size = {.switches = f.switches,
                        .nodes = f.terminals,
                        .node_vertices = 1 + gpus,
                        .terminals = f.terminals,
                        .endpoints = f.terminals * MAX(1, gpus),
                        .links = 2 * (f.cables + f.terminals * (1 + inner)),
                        .groups = f.groups,
                        .group_switches = f.group_switches};
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    guint32 classes[16];
    for (guint i = 0; m->type->link_classes[i] != NULL; i++)
        classes[i] = test_class(b, m->type->link_classes[i]);
    m->type->build(m->params, b, classes);
    for (guint32 t = 0; t < f.terminals; t++)
        test_add_node(b, f.switches + t * (1 + gpus), t, gpus,
                      m->type->terminal_switch(m->params, t), classes[0]);
    m->graph = dn_graph_builder_seal(b);
    m->hardware.lanes = 1;
    return m;
}

static inline void test_machine_free(DnMachine *m)
{
    dn_graph_free(m->graph);
    dn_params_free(m->params);
    dn_config_free(m->config);
    g_free(m->name);
    g_free(m);
}

/* @yaml: the `routing:` mapping. */
static inline DnRouter *test_router_new(const DnMachine *machine, const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(yaml, "routing.yaml", &error);
    g_assert_no_error(error);
    DnRouter *router = dn_router_new(machine, node, &error);
    g_assert_no_error(error);
    return router;
}

/* A load view with loads set by the test: bytes[vertex][port] of the routing vertex. */
typedef struct {
    DnLoadView view;
    const DnGraph *graph;
    guint32 vertex;
    gint64 *bytes; /* [links] at port_first[vertex] + port */
    guint8 *full;  /* [links] bit c: no credit on channel c */
} TestLoad;

static inline gint64 test_port_bytes(const DnLoadView *view, guint32 port)
{
    const TestLoad *load = (const TestLoad *)view;
    return load->bytes[load->graph->port_first[load->vertex] + port];
}

static inline gint64 test_remote_bytes(const DnLoadView *view, guint32 vertex, guint32 port)
{
    const TestLoad *load = (const TestLoad *)view;
    return load->bytes[load->graph->port_first[vertex] + port];
}

static inline gboolean test_has_credit(const DnLoadView *view, guint32 port, guint8 channel)
{
    const TestLoad *load = (const TestLoad *)view;
    return !(load->full[load->graph->port_first[load->vertex] + port] >> channel & 1);
}

static inline void test_load_init(TestLoad *load, const DnGraph *graph)
{
    *load = (TestLoad){.view = {test_port_bytes, test_has_credit, test_remote_bytes, NULL},
                       .graph = graph,
                       .bytes = g_new0(gint64, graph->size.links),
                       .full = g_new0(guint8, graph->size.links)};
}

static inline void test_load_clear(TestLoad *load)
{
    g_free(load->bytes);
    g_free(load->full);
}

/* Random queues: below @most bytes each. */
static inline void test_load_random(TestLoad *load, guint64 seed, guint32 most)
{
    guint64 key = dn_draw_key(seed, DN_DRAW_TEST, 0);
    for (guint32 l = 0; l < load->graph->size.links; l++) {
        load->bytes[l] = dn_draw_below(dn_draw(key, 2 * l), most);
        load->full[l] = (guint8)dn_draw(key, 2 * l + 1);
    }
}

static inline guint32 test_peer(const DnGraph *g, guint32 vertex, guint32 port)
{
    return g->links[g->ports[g->port_first[vertex] + port]].dst;
}
