/* rank_test.h - Tests of whether two samples come from one distribution.
 *
 * Mann & Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than
 * the Other", Annals of Mathematical Statistics 18(1), 1947: two-sided; exact where neither sample
 * has more than 50 values and no two values are equal, else the normal approximation with the
 * corrections for ties and continuity, as R's wilcox.test.
 * The permutation test (Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses", 2005,
 * chapter 3) is of the difference of medians: 9,999 draws, p = (1 + as far apart) / 10,000.
 * Both assume independent values: of repetitions, give their medians (stats/bootstrap.h). */
#pragma once
#include <glib.h>

typedef struct {
    double u; /* of sample a: pairs in which its value is the larger one, ties half */
    double p; /* NAN: a sample is empty */
    gboolean exact;
} DnMannWhitney;

DnMannWhitney dn_mann_whitney(const double *a, gsize n_a, const double *b, gsize n_b);
/* NAN: a sample is empty. */
double dn_permutation_p(const double *a, gsize n_a, const double *b, gsize n_b);
