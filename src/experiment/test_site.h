/* test_site.h - A helper of tests: a machine of which there is only what placement reads. */
#pragma once
#include "config/test_run_spec.h"
#include "topology/graph.h"

#include <string.h>

enum { TEST_SITE_ENDPOINTS = 200, TEST_SITE_SWITCHES = 10 };

typedef struct {
    DnGraph graph;
    DnVertex vertices[TEST_SITE_ENDPOINTS + TEST_SITE_SWITCHES];
    guint32 endpoints[TEST_SITE_ENDPOINTS], terminals[TEST_SITE_ENDPOINTS];
    guint32 switches[TEST_SITE_ENDPOINTS]; /* switch of each terminal, as a vertex */
} TestSite;

/* Makes @site a machine of @nodes nodes with @per_node endpoints, each with a NIC. The switches are
 * the vertices after the endpoints, all in group 0; each terminal is on the first of them. */
static inline void test_site_make(TestSite *site, guint32 nodes, guint32 per_node, guint32 groups)
{
    g_assert_cmpuint(nodes * per_node, <=, TEST_SITE_ENDPOINTS);
    memset(site, 0, sizeof *site);
    site->graph.size.endpoints = nodes * per_node;
    site->graph.size.nodes = nodes;
    site->graph.size.groups = groups;
    site->graph.vertices = site->vertices;
    site->graph.endpoints = site->endpoints;
    site->graph.endpoint_terminal = site->terminals;
    site->graph.terminal_switch = site->switches;
    for (guint32 e = 0; e < nodes * per_node; e++) {
        site->endpoints[e] = site->terminals[e] = e;
        site->vertices[e].node = e / per_node;
        site->switches[e] = nodes * per_node;
    }
}

/* The run specification of @jobs, a YAML list, with @seed. */
static inline DnRunSpec *test_site_spec(const char *jobs, guint64 seed)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *text =
        g_strdup_printf("machine: none\nseed: %" G_GUINT64_FORMAT "\njobs:\n%s", seed, jobs);
    DnRunSpec *spec = test_run_spec(text, NULL, &problem);
    g_assert_no_error(problem);
    return spec;
}
