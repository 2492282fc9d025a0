/* app_aware_routing.h - application-aware routing: each rank chooses its messages' routing mode
 * from what its NIC counted.
 *
 * De Sensi, Di Girolamo & Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, algorithm 1 and equations 1-4. What a message will take with
 * either mode is the model's time (nic_model.h), with L and s as counted for the last message that
 * went by choice: they are read when the next choice is made, and belong to the mode that message
 * had. What the other mode would do is what it last did, or, when that is more than `expiry`
 * readings ago, L * lambda and s * sigma of the adaptive mode. The mode with the smaller T is
 * taken. Sizes add up until they reach `threshold`: smaller sums go with the biased mode unseen.
 *
 *   routing_mode: {adaptive: ADAPTIVE_0, biased: ADAPTIVE_3, lambda: 0.8, sigma: 1.5,
 *                  expiry: 16, threshold: 4 KiB, t_read: 0 ns}
 * For alltoall the adaptive mode is ADAPTIVE_1 unless one is written, as on Aries.
 * While most packets since that message have no response, nothing is read and it is waited on:
 * messages that follow go by what is known.
 * LIMITATIONS: where a run's packets stand for several of the machine's, latency and stalls are
 * those of such packets, and choices swing more (validation/aries-microbench-64); a reading sees
 * all that the NIC sent since that message, whoever sent it and with whatever mode. */
#pragma once
#include "runtime/nic_model.h"

typedef struct {
    guint8 modes[2]; /* adaptive, biased */
    double lambda, sigma;
    guint32 expiry;
    gint64 threshold_bytes;
    gint64 read_ps;
    DnNicModel nic;
} DnAppAwareRule;

typedef struct {
    guint8 current;               /* 0 adaptive, 1 biased */
    guint8 last;                  /* whose counters were read last */
    gboolean known;               /* they were read once */
    double latency[2], stalls[2]; /* cycles; cycles a flit */
    guint32 age[2];               /* readings ago; G_MAXUINT32: never */
    gint64 gathered_bytes;
    gboolean watching;  /* a message that went by choice: */
    guint8 watched;     /* its mode, 0 or 1 */
    DnNicCounters from; /* before it went */
    guint64 bytes[2];   /* sent with each mode */
} DnAppAwareState;

/* @node: the mapping; @workload: its program's type. */
gboolean dn_app_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                           gint64 packet_bytes, DnAppAwareRule *rule, GError **error);

/* The mode of the next message, with @nic counted so far; @chosen: by choice, so the counters were
 * read. */
guint8 dn_app_aware_select(const DnAppAwareRule *rule, DnAppAwareState *state, gint64 bytes,
                           const DnNicCounters *nic, gboolean *chosen);

/* `routing_mode:` of a job, as a mapping. */
extern const DnParamSpec dn_aware_keys[];
