/* case_estimate.h - The CPU time and memory that the runs of cases take, as they are foreseen
 * before the first one starts.
 *
 * A run is taken to last as long as the last time, when its CPU seconds were kept (case_cpu.h),
 * times the ratio of its packet hops (experiment/expected_hops.h) now and then. The time of another
 * one is that of its points' packet hops, and a little for each simulation; of a point of unknown
 * hops, the mean of those in the quick tier. Both are corrected by the median of what kept runs of
 * its case took, or of all cases, over the same estimate of theirs.
 * LIMITATIONS: the time of a packet hop differs with the machine, the size of messages and the
 * load, and large machines with a background take far longer than that mean. */
#pragma once
#include "validation/case_cpu.h"
#include "validation/validation_case.h"

typedef struct {
    GHashTable *known; /* of dn_case_cpu_table(); borrowed */
    double cpu_s;
    guint64 bytes; /* of machine, routing, engine and ranks of the largest simulation */
    guint runs;    /* of cases */
    guint kept;    /* of them in @known */
} DnCaseEstimate;

/* Returns what is known of run @run of @case_ before it is simulated; cpu_s is 0. */
DnCaseCpu dn_case_estimate_foreseen(const DnCase *case_, guint run);
/* Adds run @run of @case_, which is still to be simulated. */
void dn_case_estimate_add(DnCaseEstimate *estimate, const DnCase *case_, guint run);
/* Prints the estimate on stderr, from DN_CASE_ESTIMATE_FROM_S on. FALSE + DN_ERROR_RANGE: it is
 * above an hour, and nobody @allowed that. */
#define DN_CASE_ESTIMATE_FROM_S 10.0
gboolean dn_case_estimate_print(const DnCaseEstimate *estimate, gboolean allowed, GError **error);
