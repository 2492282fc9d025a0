/* repetitions.h - the iterations of a point's repetitions, pooled in one result.
 *
 * Repetition r of a specification is the run with its seed + r: placement, background traffic and
 * host noise are drawn anew. Pooled are the times of iterations, alone too, the latencies of
 * messages and what NICs counted in each iteration; links, counters and calls stay those of the
 * first repetition. */
#pragma once
#include "experiment/simulate.h"

/* Puts the iterations of @other, the next repetition, behind those of @into, and adds the warnings
 * that it has not. */
void dn_repetitions_pool(DnRunResult *into, const DnRunResult *other);
