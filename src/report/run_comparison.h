/* run_comparison.h - Two runs compared by their samples: the difference of the medians with its
 * interval, and tests of whether it is more than chance.
 *
 * Jobs are matched by name and by the values of the swept keys. Where a run has repetitions, these
 * are its independent values: they are resampled whole, and the tests are of their medians
 * (stats/bootstrap.h, stats/rank_test.h). */
#pragma once
#include "report/sample_file.h"
#include "stats/rank_test.h"

typedef struct {
    const char *key;        /* of both; borrowed of a's file */
    gsize n_a, n_b;         /* iterations */
    gsize units_a, units_b; /* independent values: iterations, or repetitions */
    double median_a_s, median_b_s;
    DnEstimate difference_s, ratio; /* b's less a's, b's over a's */
    DnMannWhitney rank_test;
    double permutation_p;
} DnRunDifference;

typedef struct {
    GArray *rows;         /* DnRunDifference */
    guint only_a, only_b; /* jobs at points that the other run has not */
} DnRunComparison;

/* (transfer full). NULL + DN_ERROR_RANGE when nothing matches. */
DnRunComparison *dn_run_comparison_new(const DnSampleFile *a, const DnSampleFile *b,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_comparison_free(DnRunComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunComparison, dn_run_comparison_free)
/* (transfer full): a table, and what it says in a sentence. */
char *dn_run_comparison_text(const DnRunComparison *comparison);
/* (transfer full): the same as CSV. */
char *dn_run_comparison_csv(const DnRunComparison *comparison);
