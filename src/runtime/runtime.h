/* runtime.h - The runtime executes rank programs over an engine, as its DnClient.
 *
 * Each rank is a small state machine that takes its next operation from a DnProgram when it can
 * execute it. Messages pay the costs of the job's mechanism, in the phases of endpoint/mechanism.h.
 * The request of a send completes when its last byte has left, that of a receive recv_ps after its
 * last byte has arrived. One-sided sends are counted at the receiver. Background traffic, a
 * background job, repeats its program until every rank of the other jobs has ended and the last of
 * their one-sided messages has arrived. Ranks on one endpoint (of several jobs) reach each other by
 * a copy at copy_rate.
 *
 * Threads: a callback accesses only its endpoint's state; the times of iterations are combined by
 * an atomic maximum, whose result does not depend on order. So runs are bit-identical on any number
 * of threads.
 * Memory: proportional to ranks, plus outstanding receives (receive_ranges.h) and messages, plus
 * iterations x jobs, plus samples.
 *
 * The fields that a message carries for its receiver are in wire.h.
 *
 * A rank stops when a message does not fit its receive; the run then ends with the report of
 * blocked ranks, which names both sides and sizes.
 * LIMITATIONS: within an endpoint every message is eager; control messages cost their crossing and
 * t_control, but do not occupy a serial copy engine. */
#pragma once
#include "endpoint/mechanism.h"
#include "engine/engine.h"
#include "runtime/app_aware_routing.h"
#include "runtime/host_noise.h"
#include "runtime/mode_rules.h"
#include "workload/program.h"

#define DN_REPLAY_MAX_RANKS (1u << 21)
#define DN_REPLAY_MAX_SHARING 256u
#define DN_RULES_OF_CALL 32u
G_STATIC_ASSERT(DN_MECHANISM_RULES + DN_MECHANISM_EMPTY_RULES <= DN_RULES_OF_CALL);
G_STATIC_ASSERT(DN_CALL_COSTS *DN_RULES_OF_CALL <= 256);
/* The approximate number of latency samples kept of a job; with more messages every 2nd, 4th, ...
 * message of each rank is a sample. */
#define DN_REPLAY_SAMPLES (1u << 20)

typedef struct {
    const char *name;
    const DnProgram *program; /* borrowed for the replay's life */
    DnMechanism mechanism;
    const DnMechanism *of_call[DN_CALL_COSTS]; /* by DnCallCosts; NULL: `mechanism`; borrowed */
    const guint32 *endpoints;                  /* [program->ranks] borrowed for the replay's life */
    const guint32 *node_of; /* [n_endpoints] borrowed; NULL: each endpoint its own node */
    const guint32 *host_of; /* [n_endpoints] borrowed; hosts are endpoints without ranks; NULL:
                                 no mechanism goes by them */
    const guint32
        *nic_address; /* [n_endpoints] borrowed: of its NIC in the fabric; NULL: its index */
    const guint32 *adapter_of; /* [n_endpoints] borrowed: the first endpoint of its NIC, of the same
                                  node; NULL: each endpoint has its own */
    const guint32 *cpu_of;     /* [n_endpoints] likewise the first endpoint of its CPU */
    guint8 lane, mode;
    DnModeRules modes;        /* routing mode by message size; n = 0: always `mode` */
    DnModeTurns turns;        /* routing mode by iteration; n = 0: none */
    gint64 start_ps;          /* when its ranks begin */
    guint32 burst;            /* iterations between two pauses */
    gint64 pause_ps;          /* 0: none */
    gboolean background;      /* repeats until all other jobs have ended */
    gboolean muted;           /* its ranks do nothing */
    gboolean gets;            /* the engine and the NICs have reads (DnMessage.read) */
    gint64 request_bytes;     /* of a read's request, of NICs that have reads on an engine that has
                             none; 0: other NICs or engines */
    gboolean instant;         /* computations, copies and reductions take no time */
    const DnHostNoise *noise; /* NULL: none; borrowed, as the next two */
    const DnAppAwareRule *app_aware; /* NULL: no application-aware routing */
    const DnNicModel *nic;           /* NULL: its NICs' counters are not read */
} DnReplayJob;

/* The mechanism of operations with @tag. */
static inline const DnMechanism *dn_job_mechanism_of(const DnReplayJob *job, guint32 tag)
{
    if (G_LIKELY(!job->program->costs_by_call))
        return &job->mechanism;
    const DnMechanism *of_call = job->of_call[dn_tag_costs(tag)];
    return of_call != NULL ? of_call : &job->mechanism;
}

/* The number by which records know rule @rule of that mechanism. */
static inline guint8 dn_job_rule(guint rule, guint32 tag)
{
    return (guint8)((guint)dn_tag_costs(tag) * DN_RULES_OF_CALL + rule);
}

/* Returns the costs of a rule by that number. */
static inline const DnCosts *dn_job_costs(const DnReplayJob *job, guint8 rule)
{
    const DnMechanism *of_call = job->of_call[rule / DN_RULES_OF_CALL];
    return &(of_call != NULL ? of_call : &job->mechanism)->rules[rule % DN_RULES_OF_CALL].costs;
}

/* Iterations of a background job whose times are kept. */
#define DN_REPLAY_BACKGROUND_MARKS 4096u

#define DN_MEASURE_WINDOWS 2
/* One of the two consecutive windows of equal length in which messages are measured. */
typedef struct {
    gint64 born_bytes;     /* of messages handed to the engine in it */
    gint64 arrived_bytes;  /* of messages whose last byte arrived in it, whenever they were born */
    guint64 born, arrived; /* messages born in it, and those of them that arrived, at any time */
    gint64 latency_ps_sum; /* of the latter */
} DnMeasureWindow;

/* The times of a listed flow (DnProgram.n_flows): when its send began, and when its receive was
 * complete. When the flows of all iterations are more than DN_REPLAY_FLOWS, none are kept. */
typedef struct {
    gint64 start_ps, end_ps;
} DnFlowTime;
#define DN_REPLAY_FLOWS (1u << 20)

typedef struct {
    guint32 n_iterations; /* that every rank completed */
    gint64 *iteration_ps; /* [n_iterations] its duration times time_scale: from the last MARK of
                              iteration i - 1 to the last of i; the last iteration ends no sooner
                              than the last one-sided arrival; after a barrier (DnProgram) the
                              longest time of a rank from its BEGIN to its MARK */
    gint64 *end_ps;       /* [n_iterations] when each ended, in simulated time */
    guint64 messages;     /* arrived, one-sided ones among them */
    guint64 one_sided_messages;
    gint64 arrived_bytes; /* payload of all of these */
    guint64 n_latency;
    gint64 *latency_ps; /* [n_latency] from the send to the arrival of the last byte, by rank, then
                              in order of arrival; thinned evenly when there are too many; with
                              windows only of messages sent in them */
    gint64 *done_ps;    /* [ranks] when each ended; 0: it did not */
    guint32 n_calls;    /* of the program's type */
    gint64 *call_ps;    /* [ranks * n_calls] time of stream 0 under each DnOp.call, by rank */
    DnMeasureWindow windows[DN_MEASURE_WINDOWS]; /* with dn_replay_measure() */
    guint64 unreceived;                          /* messages that arrived and matched no receive */
    guint32 unreceived_by, unreceived_from, unreceived_tag; /* ranks and tag of the first */
    guint64 mode_bytes[2];     /* application-aware routing: bytes sent in the adaptive mode, and in
                              the biased one */
    guint left_out;            /* of an instant job in this process: DnWork that took no time */
    const DnNicIteration *nic; /* [n_iterations] the replay's; NULL: no model, or no counters */
    const DnFlowTime *flows;   /* [n_iterations * the program's n_flows] the replay's; or NULL */
} DnReplayResult;
/* Kinds of work that an instant job leaves out. */
typedef enum {
    DN_WORK_COMPUTE = 1,
    DN_WORK_LOCAL = 2, /* copies and reductions in a rank's memory, whose rates may be free */
} DnWork;
void dn_replay_result_clear(DnReplayResult *result);

typedef struct DnReplay DnReplay;

/* Returns (transfer full) the state of all @jobs before they start. @n_endpoints counts hosts, too.
 * A job has at most DN_REPLAY_MAX_RANKS ranks, an endpoint at most DN_REPLAY_MAX_SHARING. */
DnReplay *dn_replay_new(const DnReplayJob *jobs, guint n_jobs, guint32 n_endpoints);
void dn_replay_free(DnReplay *replay);
/* Returns (transfer full) why a rank of this process stopped before its end, as one of a job in the
 * background may unnoticed, and its @job; NULL: none did. */
char *dn_replay_fault(const DnReplay *replay, guint *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnReplay, dn_replay_free)

/* Has messages counted in DN_MEASURE_WINDOWS windows of @window_ps each, the first from @from_ps
 * on, and latencies sampled only of messages sent in them. To be called before the run. */
void dn_replay_measure(DnReplay *replay, gint64 from_ps, gint64 window_ps);

/* Returns the bytes that dn_replay_new() will allocate, at least. */
guint64 dn_replay_memory_bytes(guint64 ranks, guint64 iterations, guint32 n_endpoints);

extern const DnClient dn_replay_client; /* data: a DnReplay */
/* TRUE: ranks on several endpoints of a node share state (DnEngineRun.shares_nodes). */
gboolean dn_replay_shares_nodes(const DnReplay *replay);
/* Returns [*n] the endpoints with ranks, ascending, for DnEngineRun.active. */
const guint32 *dn_replay_active(const DnReplay *replay, guint32 *n);
/* Returns [n] the job of one of the ranks of each of them. */
const guint16 *dn_replay_active_jobs(const DnReplay *replay);
/* DnObserver.message: collects the latency samples. */
void dn_replay_observe(DnReplay *replay, const DnMessage *message, gint64 sent_ps,
                       gint64 delivered_ps);
/* Called by all processes that shared a run, after it: gives each the results of all. */
void dn_replay_combine(DnReplay *replay, const DnProcesses *processes);
/* Returns TRUE when, with background jobs, the other jobs wait for events that never happen. */
gboolean dn_replay_stalled(const DnReplay *replay);
/* Writes the results of job @job, after the run; to be cleared by dn_replay_result_clear(). */
void dn_replay_result(const DnReplay *replay, guint job, DnReplayResult *result);
