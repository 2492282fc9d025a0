/* runtime_internal.h - The state of running programs, and the rank context that a callback works
 * on.
 *
 * The files of the runtime include this one and, each from those below it only:
 *     runtime.c         builds and frees the state     rank_results.c  reads it after the run
 *     client.c          dispatches the engine's callbacks by their cookie or tag
 *     arrivals.c        receives, and messages that come in
 *     rank_streams.c    the state machine of a rank's streams, and their requests
 *     stream_spell.c    streams that would never leave a moment
 *     protocol.c        sends: eager, rendezvous, triggered, one-sided
 *     read_queues.c     what an adapter reads at a time
 *     read_parts.c      messages that are read in parts
 *     unasked_messages.c  control messages, parts that are asked for
 *     service_stages.c  servers that a message holds   host_staging.c  messages at hosts
 * Two edges go up, since a transfer may end in the callback that begins it: rank_streams.c posts
 * receives (arrivals.h), and protocol.c completes requests (rank_streams.h). */
#pragma once
#include "base/rate.h"
#include "runtime/idle_gaps.h"
#include "runtime/tag_matching.h"
#include "runtime/message_ordering.h"
#include "runtime/receive_ranges.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/timeline.h"
#include "runtime/wire.h"

typedef enum {
    DN_STREAM_READY,
    DN_STREAM_BUSY,
    DN_STREAM_WAITING,      /* for a request */
    DN_STREAM_AWAITING,     /* for an event */
    DN_STREAM_BACKPRESSURE, /* for entries of the rank's pool */
    DN_STREAM_DONE,
} DnStreamState;

/* The operation that a busy stream executes. */
typedef enum {
    DN_DOING_START, /* its job has not begun */
    DN_DOING_COMPUTE,
    DN_DOING_COPY,
    DN_DOING_REDUCE,
    DN_DOING_SEND,
    DN_DOING_RECV,
    DN_DOING_WAITED, /* after a wait: the mechanism's time to notice */
} DnStreamDoing;

#define DN_FEW_REQUESTS 4u

/* The first line of the cache is what a request's end looks at; the second, the next operation. */
typedef struct {
    guint8 state;
    guint8 doing;        /* DnStreamDoing, last */
    guint16 called : 1;  /* call_ps is paid, until MARK */
    guint16 batched : 1; /* batch_ps is paid, until a wait */
    guint16 begun : 1;   /* the iteration, at began_ps: a rank's streams are called together */
    guint16 still : 13;  /* iterations so far that took no time, one after another */
    guint32 waiting_for; /* request, DN_ANY, or event */
    guint32 outstanding; /* operations whose request is not complete */
    guint32 n_open;
    guint32 *open;                     /* [n_open] outstanding of each request id */
    guint32 few_open[DN_FEW_REQUESTS]; /* `open`, while ids are that low */
    gint64 since_ps;                   /* of the present state; for the watchdog */
    gint64 wait_ps;                    /* that the next wait costs when it is over */
    gint64 began_ps;
    DnCursor cursor;
    DnOp *pending_op; /* in execution, or waiting for entries; or NULL */
    DnOp *persistent; /* [n_persistent] by request id */
    guint32 n_persistent;
    guint32 kernels; /* of the iteration: operations that took time */
} DnStream;
G_STATIC_ASSERT(sizeof(DnStream) == 128);

/* Peers of a stream whose channels are known: of a ring one, of a tree up to four. */
#define DN_CHANNEL_PEERS 4u

/* A server of a rank's stages, or a channel. */
typedef struct {
    gint64 free_ps;
    guint32 peer; /* of its last message, + 1; 0: none yet */
} DnServer;

/* An initiator of dynamic connections. */
typedef struct {
    gint64 free_ps;       /* what its peer was sent has been acknowledged */
    gint64 before_ps;     /* the same of the peer before */
    guint32 peer, before; /* + 1; 0: none */
} DnInitiator;

/* The memory that the cores of a CPU share. */
typedef struct {
    gint64 free_ps;
    gint64 copied_bytes; /* of the latest iteration */
    guint32 iteration;
    DnIdleGaps idle;
} DnMemoryTime;

/* The tables in which the messages of a rank find their counterparts. */
typedef struct {
    DnPostedReceives posted;
    gint64 unexpected_bytes; /* of the eager messages kept in `unexpected` */
    DnMatch early; /* messages that came before an earlier one of their pair; by (source, number) */
    DnOrder order;
    DnMatch unexpected;
    DnMatch armed, cleared; /* triggered: sends without CTS; CTS without send */
} DnRankMatching;

#define DN_READ_QUEUES 8u
/* A receive that waits in a read queue. */
typedef struct {
    guint32 endpoint, record;
    guint8 local; /* the rank among the endpoint's */
} DnReadWaiting;

/* A queue of messages that are read (read_queues.h). */
typedef struct {
    DnReadWaiting *waiting; /* [capacity] a ring: @n from @first on */
    guint32 first, n, capacity;
    gint64 in_flight; /* bytes of messages not yet asked for to their end; or messages */
} DnReadQueue;

/* The copy engine of a serial mechanism. */
typedef struct {
    gboolean running;
    DnChain waiting; /* sends */
} DnRankCopies;

/* What a process does for messages that it stages, one after another (host_staging.h). */
typedef struct {
    guint32 holds;   /* messages that it is busy with; 0: it is free */
    DnChain sends;   /* that wait */
    DnChain arrived; /* messages that wait in its host's memory: records of the host's pool */
    gint64 free_ps;  /* since when it is free */
} DnRankStaging;

/* Sends that wait for their CTS. */
typedef struct {
    guint32 n, last_peer, last_tag;
} DnRankUncleared;

typedef struct {
    guint64 messages, one_sided;
    gint64 bytes; /* payload */
    gint64 last_one_sided_ps;
    DnSampler latency;
} DnRankArrived;

/* Time of stream 0 by DnOp.call, of program types that have calls. */
typedef struct {
    gint64 *ps;      /* [type->calls]; NULL: not accounted */
    gint64 since_ps; /* of the present call */
    guint8 call;
} DnRankCalls;

/* In lines of the cache: what every callback looks at, what some do, a message's arrival. */
typedef struct {
    guint32 job, rank;
    guint8 local; /* among the endpoint's ranks */
    guint16 n_streams;
    guint32 entries;   /* free ones of its pool */
    DnStream *streams; /* [n_streams] */
    char *fault;       /* why it stopped; or NULL */
    DnServer *servers; /* [the job's unit_first[DN_STAGE_UNITS]]; NULL: no unit is limited */
    DnRankCalls calls;

    gint64 owed_ps;          /* time of reading counters, which the next transfer takes */
    DnIdleGaps *idle;        /* [as servers]; NULL: no work is booked afterwards */
    DnServer *channels;      /* [streams * DN_CHANNEL_PEERS]; NULL: no costs are `ordered` */
    DnReadQueue *few_reads;  /* of read_peers; NULL: no limit */
    DnInitiator *initiators; /* [the job's] of dynamic connections; NULL: no limit */
    DnRankCopies copies;
    DnRankUncleared awaiting_cts;
    DnNicWatch *nic;            /* NULL: the job's model is */
    DnAppAwareState *app_aware; /* NULL: the job's mode for all messages */

    DnMeasureWindow *windows; /* [DN_MEASURE_WINDOWS]; NULL: not measured */
    DnRankArrived arrived;
    DnRankMatching match;

    guint32 n_events;
    guint32 *events; /* [n_events] signals not yet awaited */
    DnHostState host;
    DnRankStaging staging;
    gint64 done_ps; /* its END */
} DnRank;

/* A rank of an endpoint, before it starts. */
typedef struct {
    guint32 job, rank;
} DnPlacedRank;

/* The ranks of one endpoint; all zeros until it starts, which it does in one process only. */
typedef struct {
    DnRank *ranks; /* [n] by job, then by rank, followed by their streams and tables in the same
                      allocation, so that an event's prefetch finds them together */
    guint32 n;
    guint32 rank;             /* of ranks[0] */
    const DnProgram *program; /* of ranks[0], where its type prefetches; or NULL */
    DnRecordPool pool;
    DnReadQueue *reads; /* [DN_READ_QUEUES] of its adapter, at the first of the adapter's endpoints;
                           NULL: what is read is not queued */
    DnMemoryTime *memory; /* of its CPU, at the first of the CPU's endpoints; NULL: not used yet */
} DnReplayEndpoint;
G_STATIC_ASSERT(sizeof(DnReplayEndpoint) == 64); /* a line of the cache */

typedef struct {
    DnReplayJob job;
    guint8 *local;   /* [ranks] */
    gint64 *mark_ps; /* [iterations] latest MARK so far; atomic maximum */
    gint64
        *own_ps; /* [iterations] longest from BEGIN to MARK; atomic maximum; NULL: not asked for */
    guint32 *marked;                        /* [iterations] streams that passed it; atomic */
    guint32 marks;                          /* iterations whose times are kept */
    DnNicIteration *nic;                    /* [marks]; NULL: without a model */
    DnFlowTime *flows;                      /* [marks * n_flows]; NULL: none is kept */
    guint32 unit_first[DN_STAGE_UNITS + 1]; /* of a rank's servers */
    guint32 entries;                        /* of a rank; 0: no limit */
    gint64 enqueue_ps;                      /* of the host, a kernel of a stream */
    gboolean one_processor;                 /* all work of DN_STAGE_CPU is done in turn */
    gboolean books_later;                   /* some work is booked once it has been done */
    gboolean ordered;                       /* some costs of its mechanism are `ordered` */
    gboolean queued_reads;                  /* some costs have read_queues */
    gboolean few_reads;                     /* some costs have read_peers */
    guint32 initiators;                     /* the most of its mechanisms; 0: no limit */
    gboolean stages_in_turn;                /* some costs are of processes that stage */
    gboolean shared_memory;                 /* some costs have memory_bps */
    guint left_out;                         /* atomic; of an instant job: DnWork that was */
    DnReplayResult *together; /* results of all processes; NULL: only this process ran it */
} DnRunningJob;

struct DnReplay {
    DnRunningJob *jobs;
    guint n_jobs;
    DnReplayEndpoint *endpoints;
    guint32 n_endpoints;
    guint8 *pieces;            /* what all endpoints have, each from where it starts */
    gsize pieces_used;         /* atomic */
    guint32 *placed_first;     /* [n_endpoints + 1] into placed */
    DnPlacedRank *placed;      /* by endpoint, then by job, then by rank */
    gint64 from_ps, window_ps; /* of a measurement; window_ps 0: there is none */
    gboolean background;       /* some job is */
    gint64 unfinished;         /* streams and one-sided messages of the other jobs; atomic */
    gint64 pending; /* their timers and messages; atomic; 0: the other jobs are over or blocked */
    guint32 *active;
    guint16 *active_jobs; /* [n_active] */
    guint32 n_active;
    /* Observer of iterations (critical_path.h), or NULL: called when a rank passes the MARK of
     * @iteration, or (DN_ANY) when a one-sided message reaches it at @when_ps. */
    void (*done)(void *data, guint job, guint32 iteration, gint64 now_ps, gint64 when_ps);
    void *done_data;
    /* Observer of a timeline (timeline.h), or NULL: called at the end of each slice of a stream. */
    void (*was)(void *data, const DnSlice *slice);
    void *was_data;
};

/* The context of one callback of the engine: which rank it concerns, and when. */
typedef struct {
    DnReplay *replay;
    DnContext *context;
    DnReplayEndpoint *endpoint;
    DnRank *rank;
    const DnRunningJob *job;
    gint64 now_ps;
} DnRankContext;

typedef struct {
    gint64 bytes;
    guint32 peer, tag, request;
    guint32 number; /* in its pair; of a one-sided send: its pieces */
    guint32 remote; /* record of its receive, once granted */
    guint16 stream;
    guint8 flags;
    guint8 rule;    /* of the job's mechanism: its costs */
    guint8 granted; /* its CTS came */
    guint8 turn;    /* of its iteration, among the job's modes in turn */
} DnSend;

/* Returns the window of a measurement that contains @when_ps; or NULL. */
static inline DnMeasureWindow *dn_measure_window_at(const DnReplay *replay, const DnRank *rank,
                                                    gint64 when_ps)
{
    gint64 since = when_ps - replay->from_ps;
    if (rank->windows == NULL || since < 0 || since >= DN_MEASURE_WINDOWS * replay->window_ps)
        return NULL;
    return &rank->windows[since / replay->window_ps];
}

static inline gboolean dn_rank_context_inside(const DnRankContext *s, guint32 peer)
{
    const DnReplayJob *job = &s->job->job;
    return job->node_of != NULL && peer != DN_ANY &&
           job->node_of[job->endpoints[peer]] == job->node_of[job->endpoints[s->rank->rank]];
}

/* The mechanism of the rank's operations with @tag. */
static inline const DnMechanism *dn_rank_context_mechanism(const DnRankContext *s, guint32 tag)
{
    return dn_job_mechanism_of(&s->job->job, tag);
}

/* Time for which a message to or from @peer is late because adapters connect first. */
static inline gint64 dn_rank_context_connect_ps(const DnRankContext *s, guint32 peer, guint32 tag)
{
    gint64 connect_ps = dn_rank_context_mechanism(s, tag)->connect_ps;
    return G_LIKELY(connect_ps == 0) || dn_rank_context_inside(s, peer) ? 0 : connect_ps;
}

/* The rule for a message with @tag of the rank to or from @peer (or DN_ANY), if its send waits. A
 * send or a message that arrives looks its rule up once and carries it. */
static inline guint8 dn_rank_context_rule(const DnRankContext *s, guint32 peer, guint32 tag,
                                          gint64 bytes)
{
    const DnMechanism *m = dn_rank_context_mechanism(s, tag);
    guint rule = 0;
    if (m->n_rules > 1)
        rule = dn_mechanism_rule(m, bytes, dn_rank_context_inside(s, peer), FALSE);
    return m == &s->job->job.mechanism ? (guint8)rule : dn_job_rule(rule, tag);
}

/* The rule for a send or a receive. */
static inline guint8 dn_rank_context_rule_of_op(const DnRankContext *s, const DnOp *op)
{
    const DnMechanism *m = dn_rank_context_mechanism(s, op->tag);
    guint rule = 0;
    if (m->n_rules > 1)
        rule = dn_mechanism_rule(m, op->bytes, dn_rank_context_inside(s, op->peer),
                                 (op->flags & DN_OP_NONBLOCKING) != 0);
    return m == &s->job->job.mechanism ? (guint8)rule : dn_job_rule(rule, op->tag);
}

static inline const DnCosts *dn_rank_context_costs(const DnRankContext *s, guint8 rule)
{
    return dn_job_costs(&s->job->job, rule);
}

/* The times of flow @tag in the iteration of stream @stream; NULL: no such flow is kept. */
static inline DnFlowTime *dn_rank_context_flow(const DnRankContext *s, guint32 stream, guint32 tag)
{
    const DnProgram *program = s->job->job.program;
    if (G_LIKELY(s->job->flows == NULL) || tag >= program->n_flows)
        return NULL;
    g_assert(stream < program->streams);
    guint32 i = s->rank->streams[stream].cursor.iteration;
    return i < s->job->marks ? &s->job->flows[(gsize)i * program->n_flows + tag] : NULL;
}

/* Returns the time that the rank's processor takes for @work_ps of work, with its noise: nothing to
 * do waits for the end of a detour, too. */
static inline gint64 dn_host_ps(const DnRankContext *s, gint64 work_ps)
{
    const DnHostNoise *noise = s->job->job.noise;
    if (G_LIKELY(noise == NULL))
        return work_ps;
    return dn_host_noise_stretch(noise, &s->rank->host, s->rank->rank, s->now_ps, work_ps);
}

/* The costs of control messages to or from @peer of messages with @tag. */
static inline const DnCosts *dn_rank_context_control(const DnRankContext *s, guint32 peer,
                                                     guint32 tag)
{
    return dn_rank_context_costs(s, dn_rank_context_rule(s, peer, tag, G_MAXINT64));
}

static inline DnStream *dn_rank_context_stream(const DnRankContext *s, guint32 stream)
{
    g_assert(stream < s->job->job.program->streams);
    return &s->rank->streams[stream];
}

/* Counts streams and one-sided messages that the run waits for: those of jobs not in the
 * background. */
static inline void dn_unfinished_add(const DnRankContext *s, gint64 n)
{
    if (s->replay->background && !s->job->job.background)
        __atomic_add_fetch(&s->replay->unfinished, n, __ATOMIC_RELAXED);
}

/* (transfer full): the rank stops for good and says why. */
static inline void dn_rank_fail(DnRankContext *s, char *fault)
{
    if (s->rank->fault)
        g_free(fault);
    else
        s->rank->fault = fault;
}

/* Counts pending timers and messages of jobs that the run waits for. */
static inline void dn_pending_add(const DnRankContext *s, gint64 n)
{
    if (s->replay->background && !s->job->job.background)
        __atomic_add_fetch(&s->replay->pending, n, __ATOMIC_RELAXED);
}

static inline gint64 dn_time_at_rate(gint64 bytes, gint64 rate_bps)
{
    if (rate_bps == 0)
        return 0;
    return MIN(dn_rate_time_ps((double)bytes, (double)rate_bps), DN_RUN_MOST_PS);
}

/* Notes work that takes time where the job is not instant. */
static inline void dn_work_note(const DnRankContext *s, DnWork work)
{
    if (s->job->job.instant)
        __atomic_fetch_or(&s->replay->jobs[s->rank->job].left_out, work, __ATOMIC_RELAXED);
}

/* Reads the NIC counters at the end of the rank's iteration (nic_model.h). */
static inline void dn_rank_context_count_nic(const DnRankContext *s)
{
    DnNicWatch *watch = s->rank->nic;
    DnNicCounters now;
    if (!watch->ended || !dn_context_nic(s->context, &now))
        return;
    watch->ended = FALSE;
    dn_nic_watch_end(s->job->job.nic, watch, &now, &s->job->nic[watch->iteration]);
}

static inline void dn_rank_context_timer(DnRankContext *s, gint64 when_ps, guint64 cookie)
{
    if (G_UNLIKELY(when_ps > DN_RUN_MOST_PS)) {
        dn_rank_fail(s, g_strdup_printf("rank %u would go on after more than the 1,000,000 s that "
                                        "a run may take",
                                        s->rank->rank));
        return;
    }
    dn_pending_add(s, 1);
    dn_context_timer(s->context, when_ps, cookie);
}

static inline void dn_rank_context_send(const DnRankContext *s, const DnMessage *message)
{
    dn_pending_add(s, 1);
    dn_context_send(s->context, message);
}

/* The context of rank @local of @endpoint, which is of the same node, in the same callback. */
static inline DnRankContext dn_rank_context_other(const DnRankContext *s, guint32 endpoint,
                                                  guint8 local)
{
    DnRankContext other = *s;
    other.endpoint = &s->replay->endpoints[endpoint];
    other.rank = &other.endpoint->ranks[local];
    other.job = &s->replay->jobs[other.rank->job];
    return other;
}

/* Returns TRUE when ranks are placed on @endpoint, in any process. */
static inline gboolean dn_replay_has_ranks(const DnReplay *replay, guint32 endpoint)
{
    return replay->placed_first[endpoint] < replay->placed_first[endpoint + 1];
}

/* runtime.c: allocates the state of the ranks of @endpoint, in the process that runs them. */
void dn_replay_endpoint_start(DnReplay *replay, guint32 endpoint);
/* rank_results.c: sums the results of the ranks of job @j that ran in this process, without
 * iterations and latency samples; zeros when none did. Returns the arrival of the last one-sided
 * message (ps); *@shift: log2 of the widest stride of their latency samples. */
gint64 dn_ranks_add_up(const DnReplay *replay, guint j, DnReplayResult *result, guint *shift);
/* Returns the state of @rank; NULL: it ran in another process. */
const DnRank *dn_replay_rank(const DnReplay *replay, const DnRunningJob *job, guint32 rank);
/* Notes that @stream has passed the MARK of @iteration. */
void dn_iteration_mark(DnRankContext *s, const DnStream *stream, guint32 iteration);
/* Writes the times of the job's iterations into *@result. */
void dn_iterations_read(const DnRunningJob *job, gint64 last_one_sided_ps, DnReplayResult *result);
/* blocked_report.c */
guint dn_replay_blocked(void *client, GString *account, guint max_lines);
