/* placement_site.h - The site keeps what is still free of a machine; shared by placement.c (orders
 * of endpoints) and placement_nodes.c (lists and shapes of nodes). */
#pragma once
#include "topology/graph.h"

typedef struct {
    const DnGraph *graph;
    guint8 *taken; /* [endpoints] */
    guint32 *free; /* [n_free] endpoints a job may have, ascending */
    guint32 n_free;
} DnSite;

static inline guint32 dn_site_node(const DnSite *site, guint32 endpoint)
{
    return site->graph->vertices[site->graph->endpoints[endpoint]].node;
}

/* Returns what an error about too few endpoints ends with. */
static inline const char *dn_site_hint(const DnSite *site)
{
    gboolean cpus = site->graph->size.endpoints > 0 &&
                    site->graph->vertices[site->graph->endpoints[0]].kind == DN_VERTEX_CPU;
    return cpus ? "one rank each; machine.cores puts ranks on several cores of a CPU"
                : "one rank each";
}

/* The leaf switch an endpoint's NIC hangs on; DN_NONE without a fabric. */
guint32 dn_site_switch(const DnSite *site, guint32 endpoint);
/* Returns the group of the endpoint's switch; 0 without a fabric. */
guint32 dn_site_group(const DnSite *site, guint32 endpoint);
