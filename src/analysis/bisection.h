/* bisection.h - the least capacity between two halves of the endpoints.
 *
 * A cut that METIS finds (Karypis, Kumar, "A fast and high quality multilevel scheme for
 * partitioning irregular graphs", SIAM J. Scientific Computing 20(1), 1998) is an upper bound of
 * the bisection: a heuristic. On small nets all halvings are tried. Beside it stands the closed
 * form that is known for the topology. One direction; nominal rates. */
#pragma once
#include "analysis/net.h"
#include "topology/machine.h"

typedef struct {
    double cut_bps;     /* found */
    gboolean exact;     /* every halving was tried */
    double parts[2];    /* endpoints on either side */
    double formula_bps; /* NAN: none is known for this shape */
    char formula[128];  /* in words */
} DnBisection;

/* @weight: [n] endpoints at each vertex. FALSE: fewer than two vertices with weight, or none. */
gboolean dn_bisect(const DnNet *net, const double *weight, DnBisection *out);
/* Bisects the fabric; each switch weighs as much as it has endpoints. */
gboolean dn_bisect_fabric(const DnMachine *machine, DnBisection *out);
