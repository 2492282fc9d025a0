/* rmat_levels.h - R-MAT levels give the edges that a breadth-first search of an R-MAT graph meets
 * level by level, in the mean, without making the graph.
 *
 * 2^scale vertices; an edge draws each bit of its ends from (a, b, c, 1 - a - b - c) (Chakrabarti,
 * Zhan, Faloutsos, "R-MAT", SDM 2004; the Graph500 benchmark's generator with 0.57, 0.19, 0.19).
 * With b = c vertices whose numbers have equally many ones are alike: scale + 1 classes, and
 * between classes k and j there are
 *     E(k, j) = 2 M sum over n11 of multinomial(scale; n11, n10, n01, n00) a^n00 b^(n10+n01) d^n11
 * directed edges. If each vertex of class k is in the frontier with probability f(k), one of class
 * j has lambda(j) = sum over k of f(k) E(k, j) / N(j) edges to it, and is reached unless all of
 * them are missing: 1 - exp(-lambda(j)).
 * Levels end when less than half a vertex is new.
 * LIMITATIONS: DN_RMAT_LIMITS. */
#pragma once
#include <glib.h>

#define DN_RMAT_LIMITS                                                                             \
    "means over graphs and over the roots of a class; correlations beyond the class (two "         \
    "neighbours of one vertex) are left out"
#define DN_RMAT_LEVELS 64 /* at most */

typedef struct {
    guint scale; /* 1 .. 40 */
    double edge_factor;
    double a, b; /* b = c; 0 < a, 0 < b, a + 2b < 1 */
    guint root_ones;
} DnRmat;

typedef struct {
    double edges;   /* that the level's frontier examines */
    double targets; /* vertices at their far ends, each counted once for each of `parts` */
    double reached; /* of them new */
    double out_deviation, in_deviation; /* of one part's share of the edges, relative, times
                                           sqrt(parts / (parts - 1)): from and to its vertices */
} DnRmatLevel;

/* Vertices are dealt to @parts at random. Returns the number of levels. */
guint dn_rmat_levels(const DnRmat *rmat, guint parts, DnRmatLevel levels[DN_RMAT_LEVELS]);
/* Edges of a vertex whose number has @ones ones, in the mean. */
double dn_rmat_degree(const DnRmat *rmat, guint ones);
