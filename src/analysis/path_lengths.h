/* path_lengths.h - Lengths of the paths that a routing algorithm takes, in switch-to-switch hops.
 *
 * The distance of two switches is that of a shortest path; a routing algorithm may take longer
 * ones, and those it calls minimal need not be shortest (Aries: by any link between two groups). */
#pragma once
#include "routing/routing.h"

typedef struct {
    guint32 shortest;        /* hops between switches, over all paths drawn */
    guint32 longest_minimal; /* of paths that were sent without a detour */
    guint32 longest;         /* of all */
    guint32 paths;           /* drawn */
} DnPathLengths;

/* Draws @paths paths between endpoints at random, every port with a load of its own at random, so
 * that each choice an algorithm may take comes up; a longest path that is rarer than one in @paths
 * may be missed. All zero where there is no fabric. */
void dn_path_lengths(const DnRouter *router, guint32 paths, guint64 seed, DnPathLengths *lengths);
