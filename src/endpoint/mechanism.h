/* mechanism.h - how a message leaves and arrives: the costs and rules between a program's send and
 * the wires.
 *
 * A mechanism type is one file (basic.c, ccl.c, ...) that ends in its `dn_mechanism_<type>` and
 * turns checked parameters (a machine's `mechanisms:` entry or a run's `mechanism:`) into DnCosts;
 * the list is in meson.build. Replay applies DnCosts and knows no type. A mechanism is a property
 * of the copy mechanism, never of a pattern, and may change with size and distance: a list of
 * rules.
 *
 *   mechanism: d2d                                    an entry of the machine's `mechanisms:`
 *   mechanism: {type: staging, t_copy: 8 us}          written out; type: basic when left out
 *   mechanism: [{to: 8 KiB, use: staging}, {reach: node, use: d2d}, {use: gpu-mpi}]
 *   mechanism: [{protocol: LL, use: nccl-ll}, {use: nccl-simple}]
 *
 * The first rule that fits a message's size and reach counts; the last fits all. `protocol` is what
 * the workload's library chose for the whole call (DnProgram.protocol).
 *
 * The way of a message, phase by phase:
 *   issue     the rank's stream is busy: call_ps (from its iteration's begin to its first
 *             transfer), batch_ps (first send since the last wait), issue_ps; a receive takes
 *             call_ps and post_ps. With `entries` each takes some of a finite pool, and waits while
 *             there are too few. With enqueue_ps the rank's streams are a GPU's that a host fills:
 *             an iteration takes at least so much for each operation of it that takes time (a
 *             computation, a copy, an issue)
 *   protocol  eager; from rendezvous_from_bytes on RTS and CTS of control_bytes, each handled in
 *             control_ps; `triggered`: the receive itself sends the CTS when it is posted
 *   turn      serial: one after another, until the one before has left, and the sender knows
 *   start     start_ps (+ setup_ps if large), then the stages `out`
 *   wire      at most at rate_bps; `via_host`: to the host's memory, host_ps later from there to
 *             the other host's (inside a node at most at host_bps, even if it is the same),
 *             device_ps later to the target, each of the three whole before the next
 *   leaving   ack_ns later the sender knows, and its request is complete
 *   arrival   the stages `in`, then matching; recv_ps later the receive is complete
 *   wait      wait_ps after each wait that had something to wait for */
#pragma once
#include "config/params.h"

/* What a rank has some of, and what its stages hold one of. */
typedef enum {
    DN_STAGE_COPY,    /* copy engines */
    DN_STAGE_POST,    /* who posts: thread blocks, queue pairs, channels */
    DN_STAGE_PROXY,   /* a thread of the host that serves the rank's requests */
    DN_STAGE_READ,    /* what reads the source's memory */
    DN_STAGE_RECEIVE, /* what receives */
    DN_STAGE_UNITS,
} DnStageUnit;

/* One server of the unit, the one free first, is held for
 *     message_ps + piece_ps x pieces + bytes / rate_bps,
 * first come, first served (piece_ps: and peer_ps for each other rank of the job); the message goes
 * on latency_ps after that. A message of more than most_bytes passes the stage by. Pieces are wire
 * messages, or packets of piece_bytes.
 * change_ps: a server whose last message had another peer is free only so much later.
 * `ahead`: server and wire work at the same time. Before the wire the message goes on latency_ps +
 * bytes / ahead_bps after its turn began, whatever the server still does for it. After the wire its
 * pieces were taken up as they came (at came_bps, or the mechanism's rate_bps), were the server
 * free; the share of one piece is left when the last byte is there.
 * `beside`: before the wire, the turn is taken but not waited for. */
typedef struct {
    guint8 unit;
    gboolean ahead, beside;
    guint16 servers; /* of the unit, for this rank; 0: as many as needed */
    gint64 message_ps, piece_ps, piece_bytes;
    gint64 peer_ps; /* until dn_mechanism_peers() has added it to piece_ps */
    gint64 change_ps;
    gint64 rate_bps, ahead_bps; /* 0: no time */
    gint64 came_bps;            /* 0: the mechanism's */
    gint64 latency_ps;
    gint64 most_bytes; /* 0: any */
} DnStage;

#define DN_MECHANISM_STAGES 3
typedef struct DnMechanismType DnMechanismType;
typedef struct {
    gint64 call_ps, batch_ps, issue_ps, post_ps, wait_ps;
    gint64 enqueue_ps;
    gint64 call_rank_ps; /* until dn_mechanism_peers() has added it, a rank, to call_ps */
    guint32 entries;     /* of the rank's pool; 0: no limit */
    guint32 send_entries, recv_entries;
    gint64 rendezvous_from_bytes; /* messages of at least this size; 0: none */
    gint64 control_bytes, control_ps;
    gboolean triggered;
    gboolean serial;
    guint32 ack_ns; /* at most 1 ms; of a mechanism without entries */
    gint64 start_ps, setup_ps, setup_threshold_bytes;
    guint32 n_out, n_in;
    DnStage out[DN_MECHANISM_STAGES], in[DN_MECHANISM_STAGES];
    guint32 coalesce; /* one-sided puts of several words go as messages of so many of them; 0: 1 */
    gint64 rate_bps;
    gboolean via_host;
    gint64 host_ps, device_ps;
    gint64 host_bps; /* 0: free */
    gint64 recv_ps;
    gint64 reduce_ps, copy_ps;  /* start-up of a local reduction or copy of at least a byte */
    gint64 reduce_bps;          /* local reduction rate, bytes*8/s; 0: free */
    gint64 copy_bps;            /* local copy rate; 0: free */
    gint64 stage_ps, stage_bps; /* of a staged collective's copies of its buffer; 0: as a copy */
} DnCosts;

struct DnMechanismType {
    const char *name; /* `type:` */
    const char *source;
    const char *limits; /* what it does not model */
    const DnParamSpec *params;
    /* Fills @out, which is all zeros; FALSE + error at a key. */
    gboolean (*costs)(const DnParams *params, DnCosts *out, GError **error);
};

typedef enum { DN_REACH_ANY, DN_REACH_NODE, DN_REACH_NETWORK } DnReach;

typedef struct {
    gint64 to_bytes;             /* of messages up to this size; G_MAXINT64: of any */
    guint8 reach;                /* DnReach */
    const char *protocol;        /* of a program that has chosen it; NULL: any */
    const DnMechanismType *type; /* NULL: direct */
    DnCosts costs;
} DnMechanismRule;

#define DN_MECHANISM_RULES 16
typedef struct {
    const char *name; /* e.g. "d2d", "mpi-host"; "inline", "by size" */
    guint n_rules;    /* 0: as 1 */
    DnMechanismRule rules[DN_MECHANISM_RULES];
} DnMechanism;

extern const DnMechanismType *const dn_mechanism_types[];

/* @node: as above, or NULL: `direct`, all zeros. @known: the machine's `mechanisms:`, or NULL. */
gboolean dn_mechanism_read(const DnConfigNode *node, const DnConfigNode *known, DnMechanism *out,
                           GError **error);
/* Drops the rules for other protocols than @protocol (NULL: none chosen). */
void dn_mechanism_keep(DnMechanism *m, const char *protocol);
/* Settles what depends on the number of ranks of the job that uses it. */
void dn_mechanism_peers(DnMechanism *m, guint32 ranks);
/* The first rule that fits a message; @inside: both its ends are in one node. */
static inline guint dn_mechanism_rule(const DnMechanism *m, gint64 bytes, gboolean inside)
{
    guint last = MAX(1, m->n_rules) - 1;
    for (guint i = 0; i < last; i++) {
        const DnMechanismRule *rule = &m->rules[i];
        if (bytes <= rule->to_bytes &&
            (rule->reach == DN_REACH_ANY || (rule->reach == DN_REACH_NODE) == inside))
            return i;
    }
    return last;
}

static inline const DnCosts *dn_mechanism_costs(const DnMechanism *m, gint64 bytes, gboolean inside)
{
    return &m->rules[dn_mechanism_rule(m, bytes, inside)].costs;
}
