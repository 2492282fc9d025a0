/* mechanism.h - A mechanism is the set of costs and rules of a message at its two ends, between a
 * program's send and the wires.
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
 *   mechanism: [{protocol: LL, use: nccl-ll}, {algorithm: tree, use: nccl-tree}, {use: nccl}]
 *
 *   mechanism: [{send: nonblocking, to: 32 KiB, use: eager}, {send: nonblocking, use: read}, ...]
 *   mechanism: {t_connect: 2.7 us, connect_above: 60, initiators: 8, t_initiator: 2 us,
 *               rules: [...]}
 *   mechanism: {endpoints: cpu, rules: [...]}
 *
 *   mechanism: [{reach: node, use: d2d}]
 *
 * The first rule that fits a message's size, reach and send counts; the last fits all, or with
 * `reach: node` all inside a node: between nodes there is no such mechanism. `protocol`
 * and `algorithm` are the choice of the workload's library for the whole call (DnProgram.protocol,
 * DnProgram.algorithm). A receiver does not see how a message was sent: its costs are those of the
 * first rule by which the message comes as it did, eager or by rendezvous. How a receiver answers a
 * rendezvous, control_ps and its queues of reads, is of the last rule for that reach.
 * With t_connect, in jobs of more than connect_above ranks, the adapter first connects for each
 * message between nodes, as by InfiniBand's DC transport, and for the receiver's request of a
 * rendezvous: they come so much later. No process is busy meanwhile, an eager send does not wait,
 * and messages of a stream wait at the same time. With `initiators` a process connects to so many
 * peers at a time: an eager message or an RTS to a further one leaves when one of these is free,
 * t_connect and t_initiator after the last message to its peer left.
 *
 * The phases of a message:
 *   issue     the rank's stream is busy: call_ps (from its iteration's begin to its first
 *             transfer), batch_ps (first send since the last wait, of which one of 0 bytes without
 *             batch_ps is none), issue_ps; a receive takes call_ps and post_ps; either, of a
 *             message that goes by rendezvous, its bytes at local.register_bps. With `entries` each
 *             takes some of a finite pool, and waits while there are too few. With enqueue_ps the
 *             rank's streams are a GPU's that a host fills:
 *             an iteration takes at least so much for each operation of it that takes time (a
 *             computation, a copy, an issue)
 *   protocol  eager; from rendezvous_from_bytes on RTS and CTS of control_bytes, each handled in
 *             control_ps; DN_HANDSHAKE_READ: the receiver's adapter reads the data (start_ps before
 *             the RTS, control_ps at the receiver alone, then a word that the data has come, which
 *             completes the send; with read_queues it asks for the messages of a queue, or their
 *             chunks, one after the other); DN_HANDSHAKE_TRIGGERED: the receive itself sends the
 *             CTS when it is posted
 *   channel   with channel_bps the messages of a stream to a peer go on one after another, each
 *             occupying the channel between them for its bytes at channel_bps; those of other
 *             streams, which have tags of their own, come in any order
 *   turn      serial: one after another, until the one before has left, and the sender knows
 *   start     start_ps (+ setup_ps if large), then the stages `out`
 *   wire      at most at rate_bps; inside a node over its own links, or with by_nics over its NICs
 *             as between nodes, like the words of the protocol.
 *             `via_host`: to the host's memory, host_ps later from there to
 *             the other host's (inside a node at most at host_bps, even if it is the same),
 *             device_ps later to the target, each of the three whole before the next. With host_ps
 *             or host_bps processes make them, each what is its own for one message after another:
 *             start_ps, the first, host_ps, and inside a node the second as a sender; inside a node
 *             host_ps and the second, and the third, as a receiver, once the second has arrived
 *   leaving   ack_ns later the sender knows, and its request is complete; with `acknowledged` an
 *             eager message's request is complete ack_ns after the acknowledgement of the target's
 *             adapter, a message of control_bytes, has come back
 *   arrival   the stages `in`, then matching; recv_ps later, and once its process has had
 *             progress_ns for it, the receive is complete
 *   wait      wait_ps after each wait that had something to wait for */
#pragma once
#include "config/params.h"

/* The resources of a rank; each stage occupies a server of one. */
typedef enum {
    DN_STAGE_COPY,    /* copy engines */
    DN_STAGE_POST,    /* posters: thread blocks, queue pairs, channels */
    DN_STAGE_PROXY,   /* a thread of the host that serves the rank's requests */
    DN_STAGE_READ,    /* the reader of the source's memory */
    DN_STAGE_RECEIVE, /* the receiver */
    DN_STAGE_CPU,     /* the process's own processor: below */
    DN_STAGE_UNITS,
} DnStageUnit;

/* DN_STAGE_CPU: what a process does in MPI it does one thing after another: it issues sends and
 * posts receives, completes what came in (progress_ns), copies messages (stages of this unit), and
 * copies and reduces its own data. While it does one it makes no progress with the others. Only in
 * jobs whose mechanism has progress_ns: in others each of these has a processor of its own.
 *
 * A message occupies one server of the unit, the one free first, for
 *     message_ps + piece_ps x pieces + bytes / rate_bps,
 * first come, first served (piece_ps: and peer_ps for each other rank of the job); the message goes
 * on latency_ps after that. A message of more than max_bytes, or less than min_bytes, skips the
 * stage. Pieces are wire
 * messages, or packets of piece_bytes.
 * change_ps: a server whose last message had another peer is free only so much later.
 * memory_bps: the bytes go through the CPU's memory too, for which its processes take turns, once
 * those have copied more than memory_cache_bytes in an iteration (a trace: since its begin); the
 * server is occupied until they have.
 * `pipelined`: server and wire work at the same time. Before the wire the message goes on
 * latency_ps + bytes / pipelined_bps after its service began, while the server continues with it.
 * After the wire its pieces were served as they arrived (at arrival_bps, or the mechanism's
 * rate_bps), if the server was free; the share of one piece is left when the last byte arrives.
 * `async`: before the wire, the server is occupied but not waited for. */
/* type, name, unit, help: the members of DnStage, as summary.json prints them. */
/* clang-format off */
#define DN_STAGE_FIELDS(F)                                                                         \
    F(guint8, unit, "", "which of the rank's units serves it")                                     \
    F(gboolean, pipelined, "", "server and wire work at the same time")                            \
    F(gboolean, async, "", "before the wire: the server is occupied but not waited for")           \
    F(guint16, servers, "", "of the unit, for this rank; 0: as many as needed")                    \
    F(gint64, message_ps, "ps", "service of a message")                                            \
    F(gint64, piece_ps, "ps", "service of each piece")                                             \
    F(gint64, piece_bytes, "B", "size of a piece; 0: wire messages")                               \
    F(gint64, peer_ps, "ps", "added to piece_ps for each other rank; 0 once it has been")          \
    F(gint64, change_ps, "ps", "longer occupied after a message of another peer")                  \
    F(gint64, rate_bps, "bit/s", "service of the bytes; 0: no time")                               \
    F(gint64, memory_bps, "bit/s", "of the CPU's memory, for all its processes; 0: no limit")      \
    F(gint64, memory_cache_bytes, "B", "that caches hold of an iteration's copies before")         \
    F(gint64, pipelined_bps, "bit/s", "rate at which the message goes on meanwhile; 0: no time")   \
    F(gint64, arrival_bps, "bit/s", "rate at which pieces arrived; 0: the mechanism's")            \
    F(gint64, latency_ps, "ps", "from the end of service to the next stage")                       \
    F(gint64, min_bytes, "B", "smaller messages pass the stage by")                                \
    F(gint64, max_bytes, "B", "larger messages pass the stage by; 0: none does")
/* How a message longer than the eager limit is cleared: see protocol, above. */
typedef enum {
    DN_HANDSHAKE_RTS_CTS,
    DN_HANDSHAKE_TRIGGERED,
    DN_HANDSHAKE_READ, /* by one NIC; the next values: by two and so on */
    DN_HANDSHAKE_GET = 64, /* likewise by one NIC, whose requests the data answers */
} DnHandshake;

/* The fields of DnCosts but the stages, in the order of reports: F lists its own members, PATH
 * those of `path`, LOCAL those of `local`. The phases above say when each counts. */
#define DN_COSTS_FIELDS(F, PATH, LOCAL, RECEIVE)                                                   \
    F(gint64, call_ps, "ps", "from an iteration's begin to its first transfer")                    \
    F(gint64, call_rank_ps, "ps", "added to call_ps for each rank of the call; 0 once it has been")\
    F(gint64, batch_ps, "ps", "of the first send since the last wait")                             \
    F(gint64, issue_ps, "ps", "the rank is busy per send")                                         \
    F(gint64, post_ps, "ps", "the rank is busy per receive")                                       \
    RECEIVE(guint32, progress_ns, "ns",                                                            \
      "the process is busy with a message that came in, RTS or data")                              \
    F(gint64, wait_ps, "ps", "after each wait that had something to wait for")                     \
    F(gint64, enqueue_ps, "ps",                                                                    \
      "an iteration takes at least this long per operation that takes time")                       \
    F(guint32, entries, "", "of the rank's pool; 0: no limit")                                     \
    F(guint32, send_entries, "", "that a send takes")                                              \
    F(guint32, recv_entries, "", "that a receive takes")                                           \
    F(gint64, rendezvous_from_bytes, "B",                                                          \
      "messages of at least this size go by rendezvous; 0: none")                                  \
    F(gint64, control_bytes, "B", "size of an RTS or CTS")                                         \
    F(gint64, control_ps, "ps", "handling of an RTS or CTS at its target")                         \
    RECEIVE(guint32, proxy_post_ns, "ns", "the proxy thread is busy when a receive is posted")     \
    RECEIVE(guint32, unexpected_kib, "KiB",                                                        \
      "eager messages that no receive waits for take at most so much; further ones are dropped, "  \
      "and sent again for their receive; 0: no limit")                                             \
    RECEIVE(guint32, read_queues, "",                                                              \
            "in which the adapter fetches what is read, by source; 0: all at once")                \
    RECEIVE(guint32, read_window_kib, "KiB", "that a queue asks for at a time")                    \
    RECEIVE(guint32, read_chunk_kib, "KiB",                                                        \
            "of a longer message that a queue fetches before others have a turn; 0: all of it")    \
    RECEIVE(guint32, read_peers, "", "messages that a process reads at a time; 0: all")            \
    RECEIVE(guint32, read_peers_above, "", "of jobs with more ranks than this; of others all")     \
    F(guint8, handshake, "",                                                                       \
      "0: RTS and CTS, 1: triggered, 1 + n: the receiver reads by n NICs, 64: by GET")             \
    F(gboolean, serial, "", "messages of a rank leave one after another")                          \
    F(gint64, channel_bps, "bit/s", "of a stream to a peer, in order; others overtake; 0: none")   \
    F(guint32, ack_ns, "ns",                                                                       \
      "from the last byte's departure, or its acknowledgement's return, until the sender knows; "  \
      "at most 1 ms, without entries")                                                             \
    RECEIVE(gboolean, acknowledged, "",                                                            \
      "an eager send waits for the acknowledgement of the target's adapter, then ack_ns")          \
    F(gint64, start_ps, "ps", "from issue to the first byte or stage")                             \
    F(gint64, setup_ps, "ps", "more of messages above the threshold")                              \
    F(gint64, setup_threshold_bytes, "B", "that threshold")                                        \
    F(guint32, coalesce, "", "one-sided puts of several words go as messages of so many; 0: 1")    \
    F(gint64, rate_bps, "bit/s", "cap of one message; 0: the links'")                              \
    RECEIVE(gint64, group_bps, "bit/s", "of a rank to all peers; 0 once rate_bps has its part")    \
    RECEIVE(gint64, batch_peer_ps, "ps",                                                           \
      "added to start_ps and recv_ps by each more peer of a batch; 0 once it has")                 \
    RECEIVE(gint64, batch_bps, "bit/s", "that a batch's parts share; 0 once rate_bps has its part")\
    F(gboolean, shared, "", "a rank's peers share rate_bps and add up recv_ps; 0 once they have")  \
    PATH(gboolean, by_nics, "", "inside a node over its NICs, not its links")                      \
    PATH(gboolean, via_host, "", "a message goes through the memory of both hosts")                \
    PATH(gint64, host_ps, "ps", "between arrival in a host's memory and going on")                 \
    PATH(gint64, device_ps, "ps", "from arrival at the other host to going on to the target")      \
    PATH(gint64, host_bps, "bit/s", "between hosts inside a node; 0: free")                        \
    RECEIVE(gint64, recv_ps, "ps", "from matching to the receive's completion")                    \
    LOCAL(gint64, register_bps, "bit/s",                                                           \
      "the rank is busy so with each side of a message that goes by rendezvous; 0: no time")       \
    LOCAL(gint64, reduce_ps, "ps", "start of a local reduction of at least a byte")                \
    LOCAL(gint64, copy_ps, "ps", "start of a local copy of at least a byte")                       \
    LOCAL(gint64, reduce_bps, "bit/s", "local reduction; 0: free")                                 \
    LOCAL(gint64, reduce_byte_bps, "bit/s",                                                        \
          "of single bytes; elements of n bytes n times it, at most reduce_bps; 0: as reduce_bps") \
    LOCAL(gint64, copy_bps, "bit/s", "local copy; 0: free")                                        \
    LOCAL(gint64, memory_bps, "bit/s",                                                             \
          "copies and reductions of all processes of a CPU in its memory; 0: no limit")            \
    LOCAL(gint64, memory_cache_bytes, "B", "that caches hold of an iteration's copies before")     \
    LOCAL(gint64, stage_ps, "ps", "start of a staged collective's copy; 0: copy_ps")               \
    LOCAL(gint64, stage_bps, "bit/s", "a staged collective's copies; 0: copy_bps")
/* clang-format on */
#define DN_COSTS_MEMBER(type, name, unit, help) type name;
#define DN_COSTS_NO_MEMBER(type, name, unit, help)

typedef struct {
    DN_STAGE_FIELDS(DN_COSTS_MEMBER)
} DnStage;

#define DN_CHANNEL_FREE G_MAXINT64 /* channel_bps: in order, no limit */
#define DN_MECHANISM_STAGES 3
typedef struct DnMechanismType DnMechanismType;
/* What a message goes over: a node's links or NICs; the memory of both hosts, with its costs. */
typedef struct {
    DN_COSTS_FIELDS(DN_COSTS_NO_MEMBER, DN_COSTS_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER)
} DnPathCosts;

/* Costs of copies and reductions in a rank's own memory. */
typedef struct {
    DN_COSTS_FIELDS(DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_MEMBER, DN_COSTS_NO_MEMBER)
} DnLocalCosts;

/* Costs of incoming messages. */
typedef struct {
    DN_COSTS_FIELDS(DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_MEMBER)
} DnReceiveCosts;

typedef struct {
    DN_COSTS_FIELDS(DN_COSTS_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER, DN_COSTS_NO_MEMBER)
    DnPathCosts path;
    DnLocalCosts local;
    DnReceiveCosts receive;
    guint32 n_out, n_in;
    DnStage out[DN_MECHANISM_STAGES], in[DN_MECHANISM_STAGES];
} DnCosts;

/* A member by its name, for reports; a NULL name ends a table. */
typedef struct {
    const char *name, *unit, *help;
    gsize offset, size;
} DnCostsField;
extern const DnCostsField dn_costs_fields[], dn_stage_fields[];
/* Returns the value of @field of a DnCosts or a DnStage. */
gint64 dn_costs_value(const void *costs, const DnCostsField *field);
const char *dn_stage_unit_name(guint unit); /* DnStageUnit */

/* TRUE: a message of @bytes goes by rendezvous. */
static inline gboolean dn_costs_by_rendezvous(const DnCosts *c, gint64 bytes)
{
    return c->rendezvous_from_bytes > 0 && bytes >= c->rendezvous_from_bytes;
}

/* Returns by how many NICs the receiver reads the data of a rendezvous; 0: it does not. */
static inline guint dn_costs_reads(const DnCosts *c)
{
    if (c->handshake == DN_HANDSHAKE_GET)
        return 1;
    return c->handshake >= DN_HANDSHAKE_READ ? c->handshake - DN_HANDSHAKE_READ + 1u : 0;
}

/* TRUE: processes stage messages, each one after another: see wire, above. */
static inline gboolean dn_costs_stages_in_turn(const DnCosts *c)
{
    return c->path.via_host && (c->path.host_ps > 0 || c->path.host_bps > 0);
}

struct DnMechanismType {
    const char *name; /* `type:` */
    const char *help; /* how a message goes, a phrase */
    const char *source;
    const char *limits;   /* its omissions */
    gboolean gpu_buffers; /* its costs are of MPI's buffers on GPUs; 0 bytes have none */
    const DnParamSpec *params;
    /* Fills @out, which is all zeros; FALSE + error at a key. */
    gboolean (*costs)(const DnParams *params, DnCosts *out, GError **error);
};

typedef enum { DN_REACH_ANY, DN_REACH_NODE, DN_REACH_NETWORK } DnReach;

typedef struct {
    gint64 to_bytes;             /* of messages up to this size; G_MAXINT64: of any */
    gint64 to_bytes_between;     /* likewise between nodes; 0: to_bytes */
    guint8 reach;                /* DnReach */
    gboolean nonblocking;        /* of sends with DN_OP_NONBLOCKING alone */
    const char *protocol;        /* of a program that has chosen it; NULL: any */
    const char *algorithm;       /* likewise: ring, tree */
    const DnMechanismType *type; /* NULL: direct */
    DnCosts costs;
} DnMechanismRule;

#define DN_MECHANISM_RULES 24
#define DN_INITIATORS 64           /* most of a process */
#define DN_MECHANISM_EMPTY_RULES 2 /* of messages without bytes, before those that are written */
typedef struct {
    const char *name;      /* e.g. "d2d", "mpi-host"; "inline", "by size" */
    guint n_rules;         /* 0: as 1 */
    gboolean by_send;      /* a rule is of nonblocking sends alone */
    const char *endpoints; /* what the ranks that have it must live on: gpu, cpu; NULL: any */
    gint64 connect_ps;     /* of messages between nodes; 0 once the job is known to be smaller */
    guint32 connect_above; /* in jobs of more ranks than this */
    guint32 initiators;    /* peers to which a process sends at a time, if connect_ps > 0; 0: all */
    gint64 initiator_ps;   /* a message's time of one of them, beside connect_ps */
    DnMechanismRule rules[DN_MECHANISM_RULES + DN_MECHANISM_EMPTY_RULES];
} DnMechanism;

extern const DnMechanismType *const dn_mechanism_types[];

/* @node: as above, or NULL: `direct`, all zeros. @known: the machine's `mechanisms:`, or NULL. */
gboolean dn_mechanism_read(const DnConfigNode *node, const DnConfigNode *known, DnMechanism *out,
                           GError **error);
/* Reads all of @known, which may be NULL: an entry that no job uses may be wrong, too. */
gboolean dn_mechanisms_check(const DnConfigNode *known, GError **error);
/* Gives messages of 0 bytes, as a barrier's, the costs that they have by @host, if those are less,
 * where a rule of @m, just read, has a type of buffers on GPUs. */
void dn_mechanism_empty_by_host(DnMechanism *m, const DnMechanism *host);
/* Drops the rules for other protocols and algorithms than these (NULL: none chosen). */
void dn_mechanism_keep(DnMechanism *m, const char *protocol, const char *algorithm);
/* Returns whether @m is for messages inside a node alone. */
gboolean dn_mechanism_inside_only(const DnMechanism *m);
/* Returns whether a rule with a rate chooses by what NCCL has for rings and trees alone: the rates
 * of such mechanisms are of one channel. */
gboolean dn_mechanism_by_channel(const DnMechanism *m);
/* Numbers of ranks: at most in one node, in the communicator of its calls, and in the job. */
typedef struct {
    guint32 in_node, communicator, job;
} DnRankCounts;
/* Settles what depends on the number of ranks, each at least 1: of the job connections and buffers,
 * of the communicator NCCL's queue, peers and shares of a rate, of the node those inside it. */
void dn_mechanism_peers(DnMechanism *m, DnRankCounts ranks);
/* Likewise on grouped sends: for how many @peers a stream has messages at once, whose copies share
 * a thread block (0: as messages alone); and that a message between nodes has one of @pieces of
 * each of @blocks blocks: its rule is that of a message as long as a block. */
void dn_mechanism_batch(DnMechanism *m, guint32 peers, guint32 blocks, guint32 pieces);
static inline gboolean dn_mechanism_rule_fits(const DnMechanismRule *rule, gint64 bytes,
                                              gboolean inside)
{
    gint64 to = inside || rule->to_bytes_between == 0 ? rule->to_bytes : rule->to_bytes_between;
    return bytes <= to && (rule->reach == DN_REACH_ANY || (rule->reach == DN_REACH_NODE) == inside);
}

/* The first rule that fits a message; @inside: both its ends are in one node; @nonblocking: its
 * send has DN_OP_NONBLOCKING. */
static inline guint dn_mechanism_rule(const DnMechanism *m, gint64 bytes, gboolean inside,
                                      gboolean nonblocking)
{
    guint last = MAX(1, m->n_rules) - 1;
    for (guint i = 0; i < last; i++)
        if (dn_mechanism_rule_fits(&m->rules[i], bytes, inside) &&
            (nonblocking || !m->rules[i].nonblocking))
            return i;
    return last;
}

/* The rule of a message at its receiver; @rendezvous: it came by one. */
guint dn_mechanism_rule_of_arrival(const DnMechanism *m, gint64 bytes, gboolean inside,
                                   gboolean rendezvous);

static inline const DnCosts *dn_mechanism_costs(const DnMechanism *m, gint64 bytes, gboolean inside)
{
    return &m->rules[dn_mechanism_rule(m, bytes, inside, FALSE)].costs;
}

/* An item of a list of mechanisms, and what may be said of the list. */
extern const DnParamSpec dn_mechanism_rule_keys[], dn_mechanism_list_keys[];
