/* case_estimate.h - The CPU time that the runs of cases take, as it is foreseen before the first
 * one starts.
 *
 * A run's time is taken to be that of its points' packet hops (experiment/expected_hops.h), and a
 * little for each simulation; of a point of unknown hops, the mean of those in the quick tier.
 * LIMITATIONS: the time of a packet hop differs with the machine, the size of messages and the
 * load, and large machines with a background take far longer than that mean. */
#pragma once
#include "base/error.h"
#include "validation/validation_case.h"

typedef struct {
    double cpu_s;
    guint runs; /* of cases */
} DnCaseEstimate;

/* Adds run @run of @case_, which is still to be simulated. */
void dn_case_estimate_add(DnCaseEstimate *estimate, const DnCase *case_, guint run);
/* Prints the estimate on stderr, from DN_CASE_ESTIMATE_FROM_S on. FALSE + DN_ERROR_RANGE: it is
 * above an hour, and nobody @allowed that. */
#define DN_CASE_ESTIMATE_FROM_S 10.0
gboolean dn_case_estimate_print(const DnCaseEstimate *estimate, gboolean allowed, GError **error);
