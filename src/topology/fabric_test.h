/* fabric_test.h - Steps that every fabric test performs: a bare fabric (each terminal a node with
 * one NIC) from YAML text, its counts and distances held against the graph, an error held to its
 * place. */
#pragma once
#include <string.h>

#include "topology/graph_metrics.h"
#include "topology/topology.h"

typedef struct {
    DnConfigNode *node;
    DnParams *params;
    DnFabricSize size;
    DnGraph *graph;
} TestFabric;

static inline void test_add_classes(DnGraphBuilder *builder, const DnTopologyType *type,
                                    guint32 *classes)
{
    for (guint i = 0; type->link_classes[i] != NULL; i++) {
        DnLinkClass k = {(char *)type->link_classes[i],
                         G_GINT64_CONSTANT(200000000000),
                         1000 * 300,
                         1.0,
                         65536,
                         0};
        classes[i] = dn_graph_add_class(builder, &k);
    }
}

/* Sealing checks the whole graph, and asserts that build() added exactly size().cables. */
static inline TestFabric test_fabric_new(const DnTopologyType *type, const char *yaml)
{
    TestFabric f = {0};
    guint32 classes[16];
    g_autoptr(GError) error = NULL;
    f.node = dn_config_parse(yaml, "t.yaml", &error);
    g_assert_no_error(error);
    f.params = dn_params_read(f.node, type->params, NULL, &error);
    g_assert_no_error(error);
    type->size(f.params, &f.size, &error);
    g_assert_no_error(error);
    DnGraphSize size = {.switches = f.size.switches,
                        .nodes = f.size.terminals,
                        .node_vertices = 1,
                        .terminals = f.size.terminals,
                        .endpoints = f.size.terminals,
                        .links = 2 * (f.size.cables + f.size.terminals),
                        .groups = f.size.groups,
                        .group_switches = f.size.group_switches,
                        .planes = f.size.planes};
    DnGraphBuilder *builder = dn_graph_builder_new(&size);
    test_add_classes(builder, type, classes);
    type->build(f.params, builder, classes);
    for (guint32 t = 0; t < f.size.terminals; t++) {
        guint32 v = f.size.switches + t;
        dn_graph_set_endpoint(builder, v, t);
        dn_graph_add_cable(builder, v, type->terminal_switch(f.params, t), classes[0], 1);
    }
    f.graph = dn_graph_builder_seal(builder);
    return f;
}

static inline void test_fabric_clear(TestFabric *f)
{
    dn_graph_free(f->graph);
    dn_params_free(f->params);
    dn_config_free(f->node);
}

/* Hops from @start to every switch by breadth-first search over switches. */
static inline void test_hops_from(const DnGraph *g, guint32 start, guint32 *hops)
{
    g_autofree guint32 *queue = g_new(guint32, g->size.switches);
    guint32 head = 0, tail = 0;
    for (guint32 v = 0; v < g->size.switches; v++)
        hops[v] = DN_NONE;
    hops[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        guint32 v = queue[head++];
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 dst = g->links[g->ports[i]].dst;
            if (dst >= g->size.switches || hops[dst] != DN_NONE)
                continue;
            hops[dst] = hops[v] + 1;
            queue[tail++] = dst;
        }
    }
}

/* distance() equals the search, for every ordered pair. */
static inline void test_distances(const DnTopologyType *type, const TestFabric *f)
{
    g_autofree guint32 *hops = g_new0(guint32, f->size.switches);
    for (guint32 a = 0; a < f->size.switches; a++) {
        test_hops_from(f->graph, a, hops);
        for (guint32 b = 0; b < f->size.switches; b++)
            g_assert_cmpuint(type->distance(f->params, a, b), ==, hops[b]);
    }
}

/* Physical links (widths) between switches @a and @b of class @link_class. */
static inline guint32 test_links_between(const DnGraph *g, guint32 a, guint32 b, guint32 link_class)
{
    guint32 n = 0;
    for (guint32 i = g->port_first[a]; i < g->port_first[a + 1]; i++) {
        const DnLink *link = &g->links[g->ports[i]];
        n += link->dst == b && link->link_class == link_class ? link->width : 0;
    }
    return n;
}

/* Physical links of @link_class at vertex @v. */
static inline guint32 test_ports_of(const DnGraph *g, guint32 v, guint32 link_class)
{
    guint32 n = 0;
    for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
        const DnLink *link = &g->links[g->ports[i]];
        n += link->link_class == link_class ? link->width : 0;
    }
    return n;
}

/* size() refuses @yaml with @code, at @place ("t.yaml:2:9:"), saying @what. */
static inline void test_refused(const DnTopologyType *type, const char *yaml, DnError code,
                                const char *place, const char *what)
{
    DnFabricSize size;
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(yaml, "t.yaml", &error);
    g_assert_no_error(error);
    g_autoptr(DnParams) params = dn_params_read(node, type->params, NULL, &error);
    if (params != NULL)
        g_assert_false(type->size(params, &size, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, !=, NULL);
    g_assert_true(g_str_has_prefix(error->message, place));
    g_assert_nonnull(strstr(error->message, what));
}
