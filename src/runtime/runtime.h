/* runtime.h - The runtime executes rank programs over an engine, as its DnClient.
 *
 * Each rank is a small state machine that draws its operations from a DnProgram when it can use
 * them. Messages pay the job's mechanism, phase by phase as endpoint/mechanism.h has them. A send's
 * request completes when its last byte has left; a receive's recv_ps after its last byte came.
 * One-sided sends are counted where they arrive. A background job begins over and over until every
 * rank of the other jobs has ended and the last of their one-sided messages has arrived. Ranks of
 * one endpoint (of several jobs) reach each other by a copy at copy_rate.
 *
 * Threads: a callback touches only its endpoint's state; the times of iterations are combined by
 * an atomic maximum, whose result does not depend on order. So runs are bit-identical.
 * Memory: ranks, plus receives (receive_ranges.h) and messages outstanding, plus iterations x jobs,
 * plus samples.
 *
 * The fields that a message carries for its receiver are in wire.h.
 *
 * A rank whose receive and message disagree on their size stops for good; the run ends with the
 * watchdog's report, which names both sides.
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
/* Latency samples kept a job, about; beyond, every 2nd, 4th, ... message of each rank. */
#define DN_REPLAY_SAMPLES (1u << 20)

typedef struct {
    const char *name;
    const DnProgram *program; /* borrowed for the replay's life */
    DnMechanism mechanism;
    const guint32 *endpoints; /* [program->ranks] borrowed for the replay's life */
    const guint32 *node_of;   /* [n_endpoints] borrowed; NULL: each endpoint its own node */
    const guint32 *host_of;   /* [n_endpoints] borrowed; hosts are endpoints without ranks; NULL:
                                 no mechanism goes by them */
    const guint32
        *nic_address; /* [n_endpoints] borrowed: of its NIC in the fabric; NULL: its index */
    guint8 lane, mode;
    DnModeRules modes;               /* by size; n = 0: mode */
    DnModeTurns turns;               /* by iteration; n = 0: none */
    gint64 start_ps;                 /* when its ranks begin */
    guint32 burst;                   /* iterations between two pauses */
    gint64 pause_ps;                 /* 0: none */
    gboolean background;             /* never ends; the run does when all other jobs have */
    gboolean muted;                  /* its ranks do nothing */
    gboolean gets;                   /* the engine and the NICs have reads (DnMessage.read) */
    gboolean instant;                /* computations, copies and reductions take no time */
    const DnHostNoise *noise;        /* NULL: none; borrowed, as is: */
    const DnAppAwareRule *app_aware; /* NULL: mode, for all messages */
    const DnNicModel *nic;           /* NULL: its NICs' counters are not looked at */
} DnReplayJob;

/* Iterations of a background job whose times are kept. */
#define DN_REPLAY_BACKGROUND_MARKS 4096u

#define DN_MEASURE_WINDOWS 2
/* One of the two windows of equal length that a measurement looks at, one after the other. */
typedef struct {
    gint64 born_bytes;     /* of messages handed to the engine in it */
    gint64 arrived_bytes;  /* of messages whose last byte arrived in it, whenever they were born */
    guint64 born, arrived; /* messages born in it, and those of them that arrived, at any time */
    gint64 latency_ps_sum; /* of the latter */
} DnMeasureWindow;

/* Of a listed flow (DnProgram.n_flows), on the run's clock: when its send began, and when its
 * receive was complete. Kept of at most DN_REPLAY_FLOWS in all iterations; of more, none is. */
typedef struct {
    gint64 start_ps, end_ps;
} DnFlowTime;
#define DN_REPLAY_FLOWS (1u << 20)

typedef struct {
    guint32 n_iterations; /* that every rank completed */
    gint64
        *iteration_ps; /* [n_iterations] last MARK of i less last MARK of i - 1, times time_scale;
                              the last iteration ends no sooner than the last one-sided arrival */
    gint64 *end_ps;    /* [n_iterations] when each ended, on the run's clock */
    guint64 messages;  /* arrived, one-sided ones among them */
    guint64 one_sided_messages;
    guint64 n_latency;
    gint64 *latency_ps; /* [n_latency] handed to the engine -> last byte arrived, by rank, then
                              in order of arrival; thinned evenly when there are too many; with
                              windows of the messages born in those alone */
    gint64 *done_ps;    /* [ranks] when each was done with all; 0: never */
    guint32 n_calls;    /* of the program's type */
    gint64 *call_ps;    /* [ranks * n_calls] time of stream 0 under each DnOp.call, by rank */
    DnMeasureWindow windows[DN_MEASURE_WINDOWS]; /* with dn_replay_measure() */
    guint64 unreceived; /* messages that came and that no receive took; the first of them: */
    guint32 unreceived_by, unreceived_from, unreceived_tag; /* ranks; tag */
    guint64 mode_bytes[2]; /* application-aware: sent with the adaptive mode, with the biased one */
    const DnNicIteration *nic; /* [n_iterations] the replay's; NULL: no model, or no counters */
    const DnFlowTime *flows;   /* [n_iterations * the program's n_flows] the replay's; or NULL */
} DnReplayResult;
void dn_replay_result_clear(DnReplayResult *result);

typedef struct DnReplay DnReplay;

/* (transfer full). @n_endpoints: with the hosts, if there are. Numbers of ranks and of ranks an
 * endpoint are within the limits above. */
DnReplay *dn_replay_new(const DnReplayJob *jobs, guint n_jobs, guint32 n_endpoints);
void dn_replay_free(DnReplay *replay);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnReplay, dn_replay_free)

/* Restricts latencies from here on to those of messages born in the two windows that begin at
 * @from_ps. */
void dn_replay_measure(DnReplay *replay, gint64 from_ps, gint64 window_ps);

/* Returns the memory that dn_replay_new() will take, at least. */
guint64 dn_replay_memory_bytes(guint64 ranks, guint64 iterations, guint32 n_endpoints);

extern const DnClient dn_replay_client; /* data: a DnReplay */
/* Endpoints with ranks, ascending; for DnEngineRun.active. */
const guint32 *dn_replay_active(const DnReplay *replay, guint32 *n);
/* [n] the job of one of the ranks of each. */
const guint16 *dn_replay_active_jobs(const DnReplay *replay);
/* DnObserver.message: collects the latency samples. */
void dn_replay_observe(DnReplay *replay, const DnMessage *message, gint64 sent_ps,
                       gint64 delivered_ps);
/* Collective, after the run: each of the processes that shared it gets the results of all. */
void dn_replay_combine(DnReplay *replay, const DnProcesses *processes);
/* TRUE when, with background jobs, the other jobs wait for events that never come. */
gboolean dn_replay_stalled(const DnReplay *replay);
void dn_replay_result(const DnReplay *replay, guint job, DnReplayResult *result);
