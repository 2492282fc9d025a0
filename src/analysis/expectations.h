/* expectations.h - the asymptotic expectations of De Sensi et al., SC 2024, section V.C.
 *
 * For many GPUs an alltoall gets each the inter-node bandwidth it has; on n GPUs, that divided by
 * the share of its traffic that leaves the node. Goodput as there: buffer (a part for each of the
 * n, itself included) over time, so the share is (n - g) / n with g GPUs a node. */
#pragma once
#include "topology/machine.h"

typedef struct {
    double inter_node_bps;  /* a node's NICs over its endpoints */
    guint32 node_endpoints; /* g */
    double node_bps;        /* an endpoint's peak inside the node; 0: not known */
} DnExpectations;

/* FALSE: no NICs, or a single node. @node_bps: from the node's own alltoall, or 0. */
gboolean dn_expectations(const DnGraph *graph, double node_bps, DnExpectations *out);
/* Share of the ordered pairs of different endpoints among @n that are inside a node. */
double dn_pairs_inside(const DnExpectations *e, guint32 n);
/* Expected alltoall goodput of an endpoint, @n endpoints on whole nodes. */
double dn_expected_alltoall_bps(const DnExpectations *e, guint32 n);
