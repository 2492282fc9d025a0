/* app_aware_routing.h - Application-aware routing: each rank chooses its messages' routing mode by
 * the counters of its NIC.
 *
 * De Sensi, Di Girolamo & Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, algorithm 1 and equations 1-4. The expected time of a
 * message with either mode is that of the model (nic_model.h). The counters are read right after
 * each message whose mode was chosen: what was answered since the reading before, of whichever
 * messages, gives L and s, which the next choice takes for those of the mode chosen last; so a
 * reading is late by what is under way. A negative s, whose responses stalled, counts as 0.
 * The other mode is expected to take the L and s that were last taken for it before a message of
 * the same size to the same rank (`memory: any`: before any; the paper's algorithm 1 does not say
 * which), or, when that is `expiry` choices ago, L * lambda and s * sigma of the adaptive mode. The
 * choice is equation 4 as it stands, f below or above a quotient: the mode with the smaller T is
 * taken where the biased one stalls more, and the other one where it stalls less, which only the
 * memory can say; (p + 512) / 1024 is rounded up to a whole number.
 * Sizes add up until they pass `threshold`: smaller sums go with the biased mode unseen; so do
 * messages of up to `mailbox`, which are not counted.
 *
 *   routing_mode: {adaptive: ADAPTIVE_0, biased: ADAPTIVE_3, lambda: 0.833, sigma: 5,
 *                  expiry: 5, memory: endpoint, threshold: 4 KiB, mailbox: 1 KiB, t_read: 0 ns}
 * The defaults are those of the authors' library (github.com/DanieleDeSensi/awr, awr.c: factorlat
 * 1.2, factorstalls 5, max_freshness 5, cutoff_value 4096, SMSG always ADAPTIVE_3); how large a
 * message goes by SMSG is the MPI library's: assumed.
 * For alltoall the adaptive mode is ADAPTIVE_1 unless one is written, as on Aries.
 * The first choice is the adaptive mode (section 4.2; the library has the mode of the last mailbox
 * message there). Stalls of responses are subtracted (packet_engine.c).
 * LIMITATIONS: where a run's packets stand for several of the machine's, latency and stalls
 * are those of such packets, and choices swing more (validation/noise-aries-64). */
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
    guint8 current;          /* chosen last: 0 adaptive, 1 biased */
    gboolean reading, known; /* counters were read once; and there was an answer since */
    gboolean learned;        /* a mode's values were taken once */
    DnNicCounters from;      /* at the last reading */
    double read_latency, read_stalls;
    double latency[2], stalls[2]; /* cycles; cycles a flit */
    guint32 age[2];               /* choices ago; G_MAXUINT32: never */
    guint32 peer[2];              /* of the message before which each mode's were taken */
    gint64 size_bytes[2];
    gint64 gathered_bytes;
    guint64 bytes[2]; /* sent with each mode */
} DnAppAwareState;

/* @node: the mapping; @workload: its program's type. */
gboolean dn_app_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                           gint64 packet_bytes, DnAppAwareRule *rule, GError **error);

/* The mode of the next message, to rank @peer, with @nic counted so far; @get: it is read from
 * there, so that requests are header flits alone; @chosen: by choice, so the counters were read. */
guint8 dn_app_aware_select(const DnAppAwareRule *rule, DnAppAwareState *state, guint32 peer,
                           gint64 bytes, gboolean get, const DnNicCounters *nic, gboolean *chosen);

/* A turn by another mode begins, with @nic counted so far; valid while @state->reading. The last
 * reading is then of all that the turn sent, and the next turn's first one counts nothing, as with
 * the library's awr_disable and awr_enable, between which the paper alternates modes. */
void dn_app_aware_pause(const DnAppAwareRule *rule, DnAppAwareState *state,
                        const DnNicCounters *nic);

/* `routing_mode:` of a job, as a mapping. */
extern const DnParamSpec dn_aware_keys[];
