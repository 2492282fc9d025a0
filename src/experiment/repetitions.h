/* repetitions.h - The repetitions of a point are pooled in one result.
 *
 * Repetition r of a specification is the run with its seed + r: placement, background traffic and
 * host noise are drawn anew. The result pools the times of iterations (also of jobs alone), the
 * latencies of messages and the NIC counters of each iteration; links, other counters and calls are
 * those of the first repetition. */
#pragma once
#include "experiment/simulate.h"

/* Appends the iterations of @other, the next repetition, to those of @into, and adds its warnings
 * that @into does not have. */
void dn_repetitions_pool(DnRunResult *into, const DnRunResult *other);
