/* graph.h - The graph of a machine, from GPU memory to GPU memory; immutable once it is sealed.
 *
 * Vertices: switches 0..R-1, then node by node R + n*M .. R + (n+1)*M - 1 (M vertices a node: GPUs,
 * CPUs, NICs, NVSwitches). A bare fabric (no `node:`) has M = the NICs of a node, each an endpoint.
 * Links are directed; a cable is links 2k (a->b) and 2k+1 (b->a), so the reverse of a link is
 * id ^ 1.
 * Ports: vertex v has degree(v) ports; port p pairs one out link with its reverse in link, so one
 * index serves both. ports[port_first[v] + p] = out link. link_port[l] = the port index of @l at
 * its source.
 * Terminals 0..T-1 are the NIC vertices where the fabric begins, in node order; endpoints 0..E-1
 * are the vertices where ranks may live (GPUs, or CPUs, or NICs of a bare fabric), node order.
 * Hosts, endpoint indices E..E+H-1: the CPU vertices where no rank lives, in node order; messages
 * may begin and end there (staged copies), so the arrays of endpoints have them too.
 * Units: bandwidth bit/s, latency ps (wire propagation plus port logic: head to head). */
#pragma once
#include "base/error.h"

#define DN_NONE G_MAXUINT32

typedef enum {
    DN_VERTEX_SWITCH, /* fabric switch */
    DN_VERTEX_NIC,
    DN_VERTEX_GPU,
    DN_VERTEX_CPU,
    DN_VERTEX_NVSWITCH, /* switch inside a node */
    DN_VERTEX_KINDS,
} DnVertexKind;
const char *dn_vertex_kind_name(DnVertexKind kind);

typedef struct {
    guint8 kind;       /* DnVertexKind */
    guint8 level;      /* switches: 0 leaf/router, 1 spine, ...; else 0 */
    guint8 transit;    /* may forward traffic not addressed to it */
    guint8 endpoint;   /* ranks may live here */
    guint32 group;     /* switches: group (dragonfly), else 0; node vertices: DN_NONE */
    guint32 local;     /* switches: index in the group; node vertices: index in the node */
    guint32 node;      /* DN_NONE for switches */
    gint64 latency_ps; /* forwarding delay of the vertex (switch pipeline), head in to head out */
} DnVertex;

/* The largest buffers, of a queue and shared by those of a port: both together, and what packets
 * that stand for several take beyond, are a number of 32 bits in the packet engine. */
#define DN_MOST_BUFFER_BYTES (1 << 30)
#define DN_MOST_SHARED_BUFFER_BYTES (1 << 29)

typedef struct {
    char *name; /* "local", "global", "nvlink", "pcie", ... unique in a graph */
    gint64 bandwidth_bps;
    gint64 latency_ps;
    double efficiency;          /* payload bytes per wire byte the protocol can reach, 0..1 */
    gint64 buffer_bytes;        /* input buffer per (lane, virtual channel) at the receiving end */
    gint64 shared_buffer_bytes; /* that all of them share there, beyond their own */
} DnLinkClass;

typedef struct {
    guint32 src, dst; /* vertices */
    guint32 link_class;
    guint32 width; /* parallel physical links run as one channel; bandwidth = width * class */
} DnLink;

#define DN_MAX_DIMS 10

typedef struct {
    guint32 switches, nodes, node_vertices /* M */, terminals, endpoints, links /* directed */;
    guint32 groups, group_switches; /* 1, R when the topology has no groups */
    guint32 hosts;                  /* found when the graph is sealed */
    guint32 blade_nodes;            /* nodes of a blade; 0 or 1: the machine does not say */
    guint32 planes; /* parts of the fabric that no cable joins, switch s in s mod planes; 0: one */
    guint32 leave_by_target; /* 1: messages without a rail of their own leave the source node by
                                the NIC of the target's rail (DN_RAILS_TARGET); 1 with planes */
    guint32 n_dims, dims[DN_MAX_DIMS]; /* of a torus, the first runs fastest; else 0 */
} DnGraphSize;

typedef struct {
    DnGraphSize size;
    guint32 n_vertices;
    DnVertex *vertices;   /* [n_vertices] */
    DnLink *links;        /* [size.links] */
    DnLinkClass *classes; /* [n_classes] */
    guint32 n_classes;
    guint32 *port_first;        /* [n_vertices + 1] */
    guint32 *ports;             /* [size.links] out link ids, grouped by vertex, in link order */
    guint32 *link_port;         /* [size.links] port index of the link at its source vertex */
    guint32 *terminals;         /* [T] vertex of each terminal */
    guint32 *terminal_switch;   /* [T] its (first) switch, DN_NONE when there is no fabric */
    guint32 *endpoints;         /* [E + H] vertex of each endpoint and host */
    guint32 *endpoint_of;       /* [n_vertices] endpoint or host index or DN_NONE */
    guint32 *endpoint_terminal; /* [E + H] terminal (NIC) it uses for other nodes, DN_NONE */
    guint32 *endpoint_host;     /* [E] nearest host of its node, the lowest of equals; DN_NONE */
    char **vertex_names;        /* [M] names inside a node ("gpu0"), or NULL */
} DnGraph;

static inline guint32 dn_graph_degree(const DnGraph *g, guint32 v)
{
    return g->port_first[v + 1] - g->port_first[v];
}
/* Returns the vertex of an endpoint or host. Endpoints are numbered in the order of their vertices,
 * so no table is read where every vertex of a node is an endpoint. */
static inline guint32 dn_endpoint_vertex(const DnGraph *g, guint32 endpoint)
{
    return g->size.endpoints == g->n_vertices - g->size.switches ? g->size.switches + endpoint
                                                                 : g->endpoints[endpoint];
}
static inline gboolean dn_same_plane(const DnGraph *g, guint32 a, guint32 b)
{
    return g->size.planes < 2 || a % g->size.planes == b % g->size.planes;
}

static inline gint64 dn_link_bandwidth_bps(const DnGraph *g, guint32 l)
{
    return g->classes[g->links[l].link_class].bandwidth_bps * (gint64)g->links[l].width;
}
static inline gint64 dn_link_latency_ps(const DnGraph *g, guint32 l)
{
    return g->classes[g->links[l].link_class].latency_ps;
}
/* Returns the kind of the endpoints, which all have, e.g. "gpu". */
const char *dn_endpoint_kind_name(const DnGraph *graph);
/* Write a name into @buf and return it: "switch 12 (group 1.4)", "node 3 gpu2"; both ends of a
 * link. */
const char *dn_vertex_name(const DnGraph *g, guint32 v, char buf[64]);
const char *dn_link_name(const DnGraph *g, guint32 l, char buf[160]);
guint64 dn_graph_memory_bytes(const DnGraphSize *size); /* estimate before building */

typedef struct DnGraphBuilder DnGraphBuilder;
DnGraphBuilder *dn_graph_builder_new(const DnGraphSize *size);
guint32 dn_graph_add_class(DnGraphBuilder *b, const DnLinkClass *class_); /* name copied */
/* Vertices are pre-made per the numbering above; set what is not default. */
DnVertex *dn_graph_vertex(DnGraphBuilder *b, guint32 v);
/* One cable: both directions. */
void dn_graph_add_cable(DnGraphBuilder *b, guint32 a, guint32 c, guint32 link_class, guint32 width);
/* Returns [*@n] the links added so far, two for each cable. */
const DnLink *dn_graph_builder_links(const DnGraphBuilder *b, guint32 *n);
/* Removes the cables added so far that are marked in @failed [cables], and reduces the graph's
 * number of links. Returns the number of removed cables. */
guint32 dn_graph_builder_remove(DnGraphBuilder *b, const guint8 *failed);
/* Ranks may live on @v; @terminal: index 0..T-1 of the NIC it uses for other nodes, or DN_NONE. */
void dn_graph_set_endpoint(DnGraphBuilder *b, guint32 v, guint32 terminal);
/* Sets the NIC, terminal @terminal, that the CPU at @v uses if it is a host. */
void dn_graph_set_host(DnGraphBuilder *b, guint32 v, guint32 terminal);
/* Name of the vertex with index @local in every node ("gpu0"; copied). */
void dn_graph_name_vertex(DnGraphBuilder *b, guint32 local, const char *name);
/* Both seal, consume @b and are (transfer full): index the links, find the terminals (NIC vertices
 * with a cable to a fabric switch; every NIC vertex when there is no switch), run
 * dn_graph_check(). seal() asserts, for graphs no user can spoil; seal_checked() returns NULL +
 * error, for graphs of which a part was written by a user. */
DnGraph *dn_graph_builder_seal(DnGraphBuilder *b) G_GNUC_WARN_UNUSED_RESULT;
DnGraph *dn_graph_builder_seal_checked(DnGraphBuilder *b, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_graph_builder_free(DnGraphBuilder *b); /* unsealed; NULL is fine */
void dn_graph_free(DnGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnGraph, dn_graph_free)

/* Whole-object checker: counts, symmetry, port tables, kinds, positive latencies and bandwidths,
 * connectivity of all endpoints. FALSE + what is wrong. */
gboolean dn_graph_check(const DnGraph *graph, GError **error);
