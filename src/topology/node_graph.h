/* node_graph.h - the inside of a node, from the `node:` mapping of a machine: its vertices, the
 * links between them, and which NIC serves whom.
 *
 * One description serves every node of a machine. Keys: topologies/README.md. Units as in graph.h.
 * Not modelled: nodes of different kinds in one machine. */
#pragma once
#include "config/params.h"
#include "topology/graph.h"

#define DN_MOST_NODE_VERTICES 4096

typedef struct {
    char *name;
    guint8 kind; /* DnVertexKind, never a switch */
    guint8 transit;
    guint8 endpoint;
    guint32 family; /* index of the entry in `vertices:` it comes from */
    guint32 nic;    /* the node's NIC (0..n_nics-1) that serves it, or DN_NONE */
    gint64 latency_ps;
} DnNodeVertex;

typedef struct {
    guint32 a, b, link_class, width;
} DnNodeCable;

typedef struct {
    GArray *vertices;    /* DnNodeVertex */
    GArray *cables;      /* DnNodeCable */
    GArray *classes;     /* DnLinkClass */
    GArray *nics;        /* guint32: vertex of each NIC, in the order of the node's terminals */
    GPtrArray *families; /* char*: names in `vertices:` */
    guint32 n_endpoints;
} DnNodeGraph;

/* The vertices that ranks run on: `endpoints:` of a machine. */
typedef enum {
    DN_ENDPOINTS_AUTO,
    DN_ENDPOINTS_GPU,
    DN_ENDPOINTS_CPU,
    DN_ENDPOINTS_NIC
} DnEndpoints;

/* (transfer full). @want_nics: the machine has a fabric, so every endpoint needs a NIC. */
DnNodeGraph *dn_node_graph_read(const DnConfigNode *node, DnEndpoints endpoints, gboolean want_nics,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* node_cores.c: ranks live on @cores cores of each CPU that was an endpoint, each a vertex more.
 * FALSE + error at @at: the endpoints are no CPUs, or too many, or @graph is NULL. */
gboolean dn_node_graph_add_cores(DnNodeGraph *graph, guint32 cores, const DnConfigNode *at,
                                 GError **error);
void dn_node_graph_free(DnNodeGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnNodeGraph, dn_node_graph_free)

/* One link class from its mapping; the name is borrowed from @name. */
gboolean dn_link_class_read(const DnConfigNode *node, const char *name, DnLinkClass *out,
                            GError **error);

/* A class of links. */
extern const DnParamSpec dn_link_keys[];

/* An item of `vertices:` of a node. */
extern const DnParamSpec dn_vertex_keys[];

/* An item of `edges:` of a node. */
extern const DnParamSpec dn_edge_keys[];

/* An item of `nics:` of a node. */
extern const DnParamSpec dn_node_nic_keys[];

/* `node:` of a machine. */
extern const DnParamSpec dn_node_keys[];
