/* app_aware_routing.h - Application-aware routing: each rank chooses its messages' routing mode by
 * the counters of its NIC.
 *
 * De Sensi, Di Girolamo & Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, algorithm 1 and equations 1-4. The expected time of a
 * message with either mode is that of the model (nic_model.h), with L and s as counted for the last
 * message whose mode was chosen: they are read when the next choice is made, and belong to the mode
 * that message had. The other mode is expected to take the L and s that were last read for it
 * before a message of the same size to the same rank (`memory: any`: before any; the paper's
 * algorithm 1 does not say which), or, when that is `expiry` readings ago, L * lambda and s * sigma
 * of the adaptive mode. The mode with the smaller T is taken, where stalls of the biased mode
 * below the adaptive one's count as equal, and (p + 512) / 1024 is rounded up to a whole number.
 * Sizes add up until they pass `threshold`: smaller sums go with the biased mode unseen; so do
 * messages of up to `mailbox`, which are not counted.
 *
 *   routing_mode: {adaptive: ADAPTIVE_0, biased: ADAPTIVE_3, lambda: 0.833, sigma: 5,
 *                  expiry: 5, memory: endpoint, threshold: 4 KiB, mailbox: 1 KiB, t_read: 0 ns}
 * The defaults are those of the authors' library (github.com/DanieleDeSensi/awr, awr.c: factorlat
 * 1.2, factorstalls 5, max_freshness 5, cutoff_value 4096, SMSG always ADAPTIVE_3); how large a
 * message goes by SMSG is the MPI library's: assumed.
 * For alltoall the adaptive mode is ADAPTIVE_1 unless one is written, as on Aries.
 * While most packets since that message have no response, nothing is read and it is waited on:
 * later messages use the values known so far.
 * Stalls of responses are subtracted (packet_engine.c).
 * LIMITATIONS: where a run's packets stand for several of the machine's, latency and stalls
 * are those of such packets, and choices swing more (validation/noise-aries-64); a reading
 * sees all that the NIC sent since that message, whoever sent it and with whatever mode. */
#pragma once
#include "runtime/nic_model.h"

typedef struct {
    guint8 modes[2]; /* adaptive, biased */
    double lambda, sigma;
    guint32 expiry;
    gboolean any_memory; /* of messages of any size to any rank */
    gint64 threshold_bytes, mailbox_bytes;
    gint64 read_ps;
    DnNicModel nic;
} DnAppAwareRule;

typedef struct {
    guint8 current;               /* 0 adaptive, 1 biased */
    guint8 last;                  /* whose counters were read last */
    gboolean known;               /* they were read once */
    double latency[2], stalls[2]; /* cycles; cycles a flit */
    guint32 age[2];               /* readings ago; G_MAXUINT32: never */
    guint32 peer[2];              /* of the message before which each mode's were read */
    gint64 size_bytes[2];
    gint64 gathered_bytes;
    gboolean watching;  /* a message that went by choice: */
    guint8 watched;     /* its mode, 0 or 1 */
    DnNicCounters from; /* before it went */
    guint64 bytes[2];   /* sent with each mode */
} DnAppAwareState;

/* @node: the mapping; @workload: its program's type. */
gboolean dn_app_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                           gint64 packet_bytes, DnAppAwareRule *rule, GError **error);

/* The mode of the next message, to rank @peer, with @nic counted so far; @get: it is read from
 * there, so that requests are header flits alone; @chosen: by choice, so the counters were read. */
guint8 dn_app_aware_select(const DnAppAwareRule *rule, DnAppAwareState *state, guint32 peer,
                           gint64 bytes, gboolean get, const DnNicCounters *nic, gboolean *chosen);

/* `routing_mode:` of a job, as a mapping. */
extern const DnParamSpec dn_aware_keys[];
