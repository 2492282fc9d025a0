/* runtime_internal.h - the state of running programs; shared by runtime.c (ranks, results),
 * protocol.c (how messages go) and blocked_report.c (what the watchdog says). */
#pragma once
#include "runtime/tag_matching.h"
#include "runtime/message_ordering.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/timeline.h"

typedef enum {
    DN_STREAM_READY,
    DN_STREAM_BUSY,
    DN_STREAM_WAITING,  /* for a request */
    DN_STREAM_AWAITING, /* for an event */
    DN_STREAM_STARVED,  /* for entries of the rank's pool */
    DN_STREAM_DONE,
} DnStreamState;

/* What a timer or a sent message is about; cookies are kind | local rank | request | stream or
 * record. */
typedef enum {
    DN_WAKE,     /* stream: compute, copy, reduce over */
    DN_ISSUED,   /* stream: the transfer it is busy with begins */
    DN_STARTED,  /* record, stage: to this stage, or to the wire */
    DN_ARRIVING, /* record of a message, stage: to this stage, or to its receive */
    DN_LOCAL,    /* record: copied within the endpoint */
    DN_RECEIVED, /* request, stream: recv_ps over */
    DN_CLEAR,    /* record of a receive: send its CTS */
    DN_GRANTED,  /* record of a send: its CTS has been handled */
    DN_RELAYED,  /* record of a message at a host: it goes on */
    DN_LEFT,     /* request, stream: the last byte left */
    DN_UNKNOWN,  /* request, stream and ack_ns: the last byte left, the sender does not know yet */
    DN_KNOWN,    /* request, stream: it does */
} DnCookieKind;

/* A message's kind on the wire (3 bits). READY: the CTS of a triggered receive, which no RTS
 * asked for. */
typedef enum {
    DN_WIRE_EAGER,
    DN_WIRE_ONE_SIDED,
    DN_WIRE_RTS,
    DN_WIRE_CTS,
    DN_WIRE_DATA,
    DN_WIRE_READY,
} DnWire;

static inline gboolean dn_wire_controls(DnWire kind)
{
    return kind == DN_WIRE_RTS || kind == DN_WIRE_CTS || kind == DN_WIRE_READY;
}

/* What a busy stream is busy with. */
typedef enum {
    DN_DOING_START, /* its job has not begun */
    DN_DOING_COMPUTE,
    DN_DOING_COPY,
    DN_DOING_REDUCE,
    DN_DOING_SEND,
    DN_DOING_RECV,
    DN_DOING_WAITED, /* after a wait: what the mechanism takes to notice */
} DnStreamDoing;

typedef struct {
    DnCursor cursor;
    gint64 since_ps; /* of the present state; for the watchdog */
    gint64 wait_ps;  /* that the next wait costs when it is over */
    guint8 state;
    guint8 doing;           /* DnStreamDoing, last */
    guint8 called, batched; /* call_ps is paid, until MARK; batch_ps, until a wait */
    guint8 begun;           /* the iteration, at began_ps: a rank's streams are called together */
    gint64 began_ps;
    guint32 kernels;     /* of the iteration: operations that took time */
    DnOp *held;          /* what it is busy with, or starved of; or NULL */
    guint32 waiting_for; /* request, DN_ANY, or event */
    guint32 outstanding; /* operations whose request is not complete */
    guint32 n_open;
    guint32 *open; /* [n_open] outstanding of each request id */
    guint32 n_persistent;
    DnOp *persistent; /* [n_persistent] by request id */
} DnStream;

/* One of what a rank's stages hold. */
typedef struct {
    gint64 free_ps;
    guint32 peer; /* of its last message, + 1; 0: none yet */
} DnServer;

typedef struct {
    guint32 job, rank;
    guint8 local;          /* among the endpoint's ranks */
    gboolean copy_running; /* serial mechanism */
    guint32 first_stream;
    guint32 uncleared; /* sends that wait for their CTS */
    guint32 last_uncleared_peer, last_uncleared_tag;
    DnChain copies;         /* sends that wait for their turn (serial) */
    DnServer *servers;      /* [the job's unit_first[DN_STAGE_UNITS]]; NULL: no unit is limited */
    guint32 entries;        /* free ones of its pool */
    DnMatch armed, cleared; /* triggered: sends without CTS; CTS without send */
    DnMatch posted, unexpected;
    DnMatch held; /* came before an earlier message of their pair; by (source, number) */
    DnOrder order;
    guint32 n_events;
    guint32 *events; /* [n_events] signals not yet awaited */
    char *fault;     /* why it stopped; or NULL */
    guint64 messages, one_sided;
    gint64 last_one_sided_ps;
    DnSampler sampler;
    DnHostState host;
    DnAwareState *aware; /* NULL: the job's mode for all messages */
    DnNicWatch *nic;     /* NULL: the job's model is */
    gint64 owed_ps;      /* that the next transfer keeps it busy for the counters it read */
    /* Of stream 0, by DnOp.call, for program types that tell (.calls): */
    gint64 *call_ps; /* [type->calls] */
    gint64 since_ps; /* of the present call */
    guint8 call;
    gint64 done_ps; /* its END */
} DnRank;

typedef struct {
    guint32 first, n; /* its ranks in DnReplay.ranks */
    DnRecordPool pool;
} DnReplayEndpoint;

typedef struct {
    DnReplayJob job;
    guint8 *local;                          /* [ranks] */
    gint64 *mark_ps;                        /* [iterations] latest MARK so far; atomic maximum */
    guint32 *marked;                        /* [iterations] streams that passed it; atomic */
    guint32 marks;                          /* iterations whose times are kept */
    DnNicIteration *nic;                    /* [marks]; NULL: without a model */
    guint32 unit_first[DN_STAGE_UNITS + 1]; /* of a rank's servers */
    guint32 entries;                        /* of a rank; 0: no limit */
    gint64 enqueue_ps;                      /* of the host, a kernel of a stream */
} DnRunningJob;

struct DnReplay {
    DnRunningJob *jobs;
    guint n_jobs;
    DnReplayEndpoint *endpoints;
    guint32 n_endpoints;
    DnRank *ranks; /* grouped by endpoint, then by job, then by rank */
    guint32 n_ranks;
    DnStream *streams; /* grouped by rank, in their order */
    guint32 n_streams;
    DnReplayWindow *windows; /* [n_ranks * DN_REPLAY_WINDOWS]; NULL: not measured */
    gint64 from_ps, window_ps;
    gboolean background; /* some job is */
    gint64 unfinished;   /* streams and one-sided messages of the other jobs; atomic */
    gint64 pending;      /* timers and messages of theirs; atomic; none left: nothing more comes */
    guint32 *active;
    guint32 n_active;
    /* Somebody looks on (critical_path.h), or NULL. A rank passed the MARK of @iteration, or
     * (DN_ANY) a one-sided message is with it from @when_ps on. */
    void (*done)(void *data, guint job, guint32 iteration, gint64 now_ps, gint64 when_ps);
    void *done_data;
    /* A stream of a rank was so from @from_ps on, until now (timeline.h); or NULL. */
    void (*was)(void *data, guint job, guint32 rank, guint32 stream, DnSliceKind kind,
                gint64 from_ps, gint64 to_ps);
    void *was_data;
};

/* One callback: where we are. */
typedef struct {
    DnReplay *replay;
    DnContext *context;
    DnReplayEndpoint *endpoint;
    DnRank *rank;
    const DnRunningJob *job;
    gint64 now_ps;
} DnScene;

typedef struct {
    gint64 bytes;
    guint32 peer, tag, request;
    guint32 order; /* of a one-sided send: its pieces */
    guint32 remote;
    guint8 flags, stream;
    gboolean granted; /* its CTS came */
} DnSend;

static inline guint64 dn_cookie(DnCookieKind kind, const DnRank *rank, guint32 request, guint32 low)
{
    return (guint64)kind << 56 | (guint64)rank->local << 48 | (guint64)request << 32 | low;
}

/* Of a measurement, that @when_ps falls into; or NULL. */
static inline DnReplayWindow *dn_window_at(const DnReplay *replay, const DnRank *rank,
                                           gint64 when_ps)
{
    gint64 since = when_ps - replay->from_ps;
    if (replay->windows == NULL || since < 0 || since >= DN_REPLAY_WINDOWS * replay->window_ps)
        return NULL;
    return &replay->windows[(rank - replay->ranks) * DN_REPLAY_WINDOWS + since / replay->window_ps];
}

/* What a message of the rank to or from @peer (or DN_ANY) costs. */
static inline const DnCosts *dn_costs(const DnScene *s, guint32 peer, gint64 bytes)
{
    const DnReplayJob *job = &s->job->job;
    if (job->mechanism.n_rules <= 1)
        return &job->mechanism.rules[0].costs;
    gboolean inside = job->node_of != NULL && peer != DN_ANY &&
                      job->node_of[job->endpoints[peer]] ==
                          job->node_of[job->endpoints[s->rank->rank]];
    return dn_mechanism_costs(&job->mechanism, bytes, inside);
}

/* What a completion gives back, beside its stream: in the low half of its cookie. */
static inline guint32 dn_stream_entries(guint32 stream, guint32 entries)
{
    return entries << 8 | stream;
}

/* Something the run waits for began or ended. */
static inline void dn_unfinished_add(const DnScene *s, gint64 n)
{
    if (s->replay->background && !s->job->job.background)
        __atomic_add_fetch(&s->replay->unfinished, n, __ATOMIC_RELAXED);
}

/* (transfer full): the rank stops for good and says why. */
void dn_rank_fail(DnScene *s, char *fault);

/* A timer or message of a job that the run waits for is under way, or no more. */
static inline void dn_pending_add(const DnScene *s, gint64 n)
{
    if (s->replay->background && !s->job->job.background)
        __atomic_add_fetch(&s->replay->pending, n, __ATOMIC_RELAXED);
}

/* Sums of times of up to 1000 s each stay far below what 64 bits hold. */
#define DN_REPLAY_MOST_PS G_GINT64_CONSTANT(1000000000000000000)

/* The rank's last iteration is over and its NIC is as it was left: counts it (nic_model.h). */
void dn_scene_count_nic(const DnScene *s);

static inline void dn_scene_timer(DnScene *s, gint64 when_ps, guint64 cookie)
{
    if (G_UNLIKELY(when_ps > DN_REPLAY_MOST_PS)) {
        dn_rank_fail(s, g_strdup_printf("rank %u would go on after more than the 1,000,000 s that "
                                        "a run may take",
                                        s->rank->rank));
        return;
    }
    dn_pending_add(s, 1);
    dn_context_timer(s->context, when_ps, cookie);
}

static inline void dn_scene_send(const DnScene *s, const DnMessage *message)
{
    dn_pending_add(s, 1);
    dn_context_send(s->context, message);
}

/* runtime.c */
gint64 dn_time_at_rate(gint64 bytes, gint64 rate_bps);
/* @stream: with the entries it gives back. */
void dn_request_complete(DnScene *s, guint32 stream, guint32 request);

/* service_stages.c */
void dn_stages_init(DnRunningJob *job);
/* When a message to or from @peer that comes to @stage now may go on; it goes as @wire_messages. */
gint64 dn_stage_pass(DnScene *s, const DnStage *stage, guint32 peer, gint64 bytes,
                     guint32 wire_messages);
/* Likewise after the wire, where it came at no more than @rate_bps (0: at once). */
gint64 dn_stage_arrive(DnScene *s, const DnStage *stage, guint32 peer, gint64 bytes,
                       gint64 rate_bps);

/* protocol.c */
guint32 dn_send_keep(DnScene *s, const DnSend *send);
DnSend dn_send_take(DnScene *s, guint32 record); /* and gives the record back */
void dn_send_launch(DnScene *s, DnSend *send);
/* To stage @stage of its way out, or to the wire. */
void dn_send_advance(DnScene *s, const DnSend *send, guint32 stage);
void dn_send_granted(DnScene *s, guint32 record);
void dn_send_left(DnScene *s, guint32 stream, guint32 request);
void dn_send_copied(DnScene *s, guint32 record);
void dn_receive_post(DnScene *s, const DnOp *op, guint32 stream);
void dn_receive_clear(DnScene *s, guint32 record);
void dn_message_arrive(DnScene *s, const DnMessage *message);
void dn_arrival_advance(DnScene *s, guint32 record, guint32 stage);

/* host_staging.c: at a host, in nobody's scene */
void dn_relay_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                      const DnMessage *message);
void dn_relay_go_on(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record);

/* blocked_report.c */
guint dn_replay_blocked(void *client, GString *account, guint max_lines);
