/* rings.h - edge-disjoint Hamiltonian rings and trees over the endpoints of a small net, and the
 * allreduce bounds that follow.
 *
 * A ring here is directed: it visits every endpoint once and uses one direction of each link; a
 * cycle used both ways is two rings. (The four "edge-disjoint bidirectional rings" of LUMI's node
 * in De Sensi et al., SC 2024, section IV.C are two such cycles: a die pair has five links to the
 * rest, and a cycle needs two of them.) A tree is undirected: reductions climb it on one direction
 * of its links while broadcasts descend on the other.
 * Only nets whose vertices are all endpoints have these; elsewhere (NVSwitch) the functions return
 * NULL. */
#pragma once
#include "analysis/net.h"

typedef struct {
    guint32 n;      /* vertices of each */
    guint32 count;  /* rings found, all disjoint */
    guint32 *rings; /* [count * n] net vertices in order */
    guint32 most;   /* no packing has more */
    gboolean
        complete; /* every ring was looked at: count == most unless the packing ran out of time */
    double least_bps; /* narrowest physical link used */
} DnRings;

/* Packing by integer programming over all rings of the net (GLPK); more rings than @max_rings, or
 * @seconds over: those found, an honest "at least". */
DnRings *dn_rings_pack(const DnNet *net, const DnGraph *graph, guint32 max_rings, double seconds);
void dn_rings_free(DnRings *rings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRings, dn_rings_free)

typedef struct {
    guint32 n, count;
    guint32 *edges;  /* [count * (n - 1) * 2] pairs of net vertices */
    double most_bps; /* of any allreduce: least over partitions of cut / (parts - 1) */
    guint32 most;    /* the same in whole links (Nash-Williams): equals count */
    guint32 *part;   /* [n] the partition that says so */
    guint32 parts;
    double least_bps; /* narrowest physical link used */
} DnTrees;

/* As many spanning trees with no physical link in common as exist, by matroid union: augmenting
 * exchanges as in Roskind, Tarjan, "A note on finding minimum-cost edge-disjoint spanning trees",
 * Math. Operations Research 10(4), 1985. The bound: Nash-Williams 1961, Tutte 1961, over all
 * partitions. NULL beyond 11 vertices. */
DnTrees *dn_trees_pack(const DnNet *net, const DnGraph *graph);
void dn_trees_free(DnTrees *trees);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTrees, dn_trees_free)
