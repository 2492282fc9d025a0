/* host_noise.h - Host noise takes time from a rank: detours of the operating system, and imbalance.
 *
 *   noise: {period: 1 ms, duration: 25 us, spread: exponential, imbalance: 2 %}
 *
 * A detour begins on average every `period` (exponential gaps: independent daemons and interrupts)
 * and keeps the rank's processor for `duration`: just so long (fixed), exponentially
 * distributed, or with a heavy tail (pareto, shape 1.5, of that mean). Whatever the rank
 * computes, copies, reduces or issues then waits: work that begins in a detour begins after it,
 * a detour that begins during work lengthens it. The NIC goes on. This is the model of Hoefler,
 * Schneider & Lumsdaine, "Characterizing the Influence of System Noise on Large-Scale Applications
 * by Simulation", SC 2010, with drawn in place of recorded detours. `imbalance` lengthens all
 * computing of a rank by a share drawn once for it, uniform between 0 and this.
 * Of a piece of work with more than a million detours the rest takes its mean.
 * LIMITATIONS: detours of ranks that share a node do not know of each other; of several streams
 * of a rank, the one that meets a detour first waits for it. */
#pragma once
#include "config/params.h"

typedef enum { DN_NOISE_FIXED, DN_NOISE_EXPONENTIAL, DN_NOISE_PARETO } DnNoiseSpread;

typedef struct {
    gint64 period_ps, duration_ps; /* period 0: no detours */
    DnNoiseSpread spread;
    double imbalance;
    guint64 seed; /* set by whoever places the job */
} DnHostNoise;

/* All zeros without @node. */
gboolean dn_host_noise_read(const DnConfigNode *node, DnHostNoise *noise, GError **error);

/* A rank's detours so far; zeros at the start. */
typedef struct {
    guint64 key; /* 0: not begun */
    guint64 n;
    gint64 from_ps, to_ps; /* the detour at hand, or the next one */
    double slower;         /* factor of its computing */
} DnHostState;

/* Returns the time that @work_ps from @now_ps on take; times of one rank do not go back. */
gint64 dn_host_noise_stretch(const DnHostNoise *noise, DnHostState *state, guint32 rank,
                             gint64 now_ps, gint64 work_ps);
/* The same work with the rank's share of imbalance. */
gint64 dn_host_noise_compute_ps(const DnHostNoise *noise, DnHostState *state, guint32 rank,
                                gint64 work_ps);

/* `noise:` of a job. */
extern const DnParamSpec dn_host_noise_keys[];
