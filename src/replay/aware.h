/* aware.h - application-aware routing: each rank chooses its messages' routing mode from what its
 * NIC counted.
 *
 * De Sensi, Di Girolamo & Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, algorithm 1 and equations 1-4. A message of p packets and f
 * flits is taken to last, in cycles of the NIC,
 *     T = (p + 512) / 1024 * L + f * (s + 1)
 * with L the latency of its packets and s the cycles a flit was stalled, both as counted since the
 * last look. What the mode not in use would do is what it last did, or, when that is more than
 * `expiry` looks ago, L * lambda and s * sigma of the adaptive mode. The mode with the smaller T is
 * taken. Sizes add up until they reach `threshold`: smaller sums go with the biased mode unseen.
 *
 *   routing_mode: {adaptive: ADAPTIVE_0, biased: ADAPTIVE_3, lambda: 0.8, sigma: 1.5,
 *                  expiry: 16, threshold: 4 KiB, t_read: 0 ns}
 * For alltoall the adaptive mode is ADAPTIVE_1 unless one is written, as on Aries.
 * LIMITATIONS: a look sees all that the NIC sent since the last one, whoever sent it. */
#pragma once
#include "engine/engine.h"

typedef struct {
    guint8 modes[2]; /* adaptive, biased */
    double lambda, sigma;
    guint32 expiry;
    gint64 threshold_bytes;
    gint64 read_ps;
    /* of the machine */
    gint64 packet_bytes, flit_bytes;
    guint32 header_flits;
    double clock_hz;
} DnAwareRule;

/* Sums over the looks, of the model's cycles (x) and the cycles it took (y). */
typedef struct {
    double n, x, y, xx, yy, xy;
} DnAwareFit;

typedef struct {
    guint8 current;               /* 0 adaptive, 1 biased */
    guint8 looks;                 /* messages sent by choice, whose counters are not read yet */
    gboolean known;               /* the counters were read once */
    double latency[2], stalls[2]; /* cycles; cycles a flit */
    guint32 age[2];               /* looks ago; G_MAXUINT32: never */
    gint64 gathered_bytes;
    gint64 sent_ps, sent_bytes; /* the last message sent by choice */
    DnNicCounters seen;
    guint64 bytes[2]; /* sent with each mode */
    DnAwareFit fit;
} DnAwareState;

gboolean dn_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                       gint64 packet_bytes, DnAwareRule *rule, GError **error);

/* The mode of the next message. */
guint8 dn_aware_select(const DnAwareRule *rule, DnAwareState *state, gint64 bytes, gint64 now_ps);
/* A message left its source. */
void dn_aware_look(const DnAwareRule *rule, DnAwareState *state, const DnNicCounters *nic,
                   gint64 now_ps);
/* The model's time of a message, in cycles (equation 2). */
double dn_aware_model(const DnAwareRule *rule, gint64 bytes, double latency, double stalls);

void dn_aware_fit_add(DnAwareFit *sum, const DnAwareFit *part);
/* Pearson's correlation; NAN with fewer than three looks, or nothing that varies. */
double dn_aware_correlation(const DnAwareFit *fit);
