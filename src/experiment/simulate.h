/* simulate.h - One run of a specification, from the machine to the result. */
#pragma once
#include "config/run_spec.h"
#include "experiment/network_cache.h"
#include "experiment/run_options.h"
#include "runtime/nic_model.h"
#include "runtime/runtime.h"
#include "endpoint/mechanism.h"
#include "experiment/background_jobs.h"
#include "workload/program.h"

/* Times of a replayed trace. */
typedef struct {
    guint32 n_calls;    /* kinds of MPI calls; 0: the workload has none */
    gint64 *call_ps;    /* [ranks * n_calls] time of each rank in each */
    GArray *algorithms; /* DnTraceAlgorithm (trace/trace.h) of its collectives; NULL: no trace */
    gint64 computes_ps; /* of a graph: of all ranks together, in all iterations; else 0 */
    char *unreceived;   /* messages that no receive took, a sentence; NULL: there are none */
} DnTraceTimes;

/* The load of an open-loop workload under `measure:`, of each sending rank, in the windows of the
 * measurement (measure.h); and of a job that goes on in the background. */
typedef struct {
    double intended_bps;      /* of a sending rank by its program; 0: it is no open loop */
    gboolean measured;        /* FALSE: the next four are zero */
    gboolean steady;          /* the run reached a steady state */
    double offered, accepted; /* fractions of the workload's rate */
    double accepted_bps;
    gboolean unpaced;     /* in the background, with ranks that do not wait for one another: its
                             iterations have no times (DnProgram.apart) */
    double delivered_bps; /* goodput of such a job, by arrived_bytes; or NAN */
    gint64 arrived_bytes; /* payload that arrived until the end, of any job */
} DnOpenLoopLoad;

/* Iterations in the order they ran; of several repetitions one after the other. */
typedef struct {
    guint32 n;
    gint64 *time_ps;         /* [n] */
    gint64 *end_ps;          /* [n] when each ended, in its run's simulated time */
    guint32 *per_repetition; /* [repetitions] how many are of each; NULL: there is one, or n is 0 */
} DnIterationTimes;

/* The times of listed flows, in the first repetition. */
typedef struct {
    guint32 n;       /* flows; 0: none is listed, or there are too many to keep */
    guint32 n_times; /* n for each iteration */
    DnFlowTime *times;
} DnFlowTimes;

/* The result of a job. */
typedef struct {
    char *name;
    const char *workload;   /* program type's name */
    char *chosen, *note;    /* of the program: the algorithm that it chose, and a remark; or NULL */
    DnMechanism *mechanism; /* as it ran, with its costs for this job's protocol and ranks */
    guint32 ranks;
    gint64 bytes;            /* the program's size parameter */
    guint32 iterations;      /* as specified */
    guint32 n_iterations;    /* that were completed */
    gint64 *iteration_ps;    /* [n_iterations] latest MARK of i minus latest MARK of i-1 (or 0),
                                  times the program's time_scale */
    gboolean app_aware;      /* it has application-aware routing */
    double adaptive_share;   /* with it: share of the job's bytes sent in the adaptive mode */
    DnNicIteration *nic;     /* [n_iterations] counters of its NICs; NULL: they have none */
    gint64 *end_ps;          /* [n_iterations] when each ended, in simulated time */
    DnIterationTimes alone;  /* without the other jobs (experiment/experiment.h); n 0: not run */
    gint64 start_ps;         /* when its first iteration began */
    guint32 *per_repetition; /* [repetitions] iterations of each; NULL: there is one */
    guint left_out;          /* DnWork that DN_WHAT_IF_COMPUTE left out */
    double goodput_bytes;    /* of an iteration, as the program defines them */
    gboolean after_barrier;  /* iteration_ps leaves out the barrier before each */
    guint64 messages, one_sided_messages;
    guint32 communicator_ranks; /* of its collective; 0: it is none */
    gint64 *latency_ps;         /* [n_latency] samples of messages' network latency */
    guint64 n_latency;
    guint32 *endpoints; /* [ranks] placement */
    gint64 *done_ps;    /* [ranks] when each ended; 0: it did not */
    DnFlowTimes flows;
    DnTraceTimes trace;
    DnOpenLoopLoad load;
} DnJobResult;

/* What an iteration of a job takes its time for, where no link is busy for long, as far as it is
 * known. Shares are of its median time, 0..1; NAN: not known. */
typedef struct {
    gboolean known; /* FALSE: nothing below is set */
    guint job;
    double latency;  /* of links and switches, along the longest chain of messages, each of which is
                       sent after the one before has arrived */
    double n;        /* messages of that chain; 0: not counted. Of a ping-pong half, as its time */
    gint64 each_ps;  /* median time of an iteration divided by n */
    double compute;  /* computation, copies and reductions in a row */
    double endpoint; /* the mechanism's costs in a row */
    double program;  /* of a replay: both of these and waits for other ranks, without a network */
    double transfer; /* the rest: serialization, and waits on links */
} DnTimeShares;

/* The error caused by packets of another size than the machine's own (experiment/packet_bias.h). */
typedef struct {
    gint64 own_bytes; /* the machine's; 0: not measured */
    guint job;        /* whose first iteration differs most; n_jobs: no times were compared */
    double relative;  /* its time over that with the machine's packets, less 1 */
    double share;     /* of the time of an iteration that was compared; 0: none was */
    double arrived, own_arrived; /* share below 1: of the payload, and with the machine's packets */
    char *text;                  /* of the warning; NULL: it is not shown */
} DnPacketBias;

/* The result of a run, with the network that it refers to by ids of links and vertices. */
typedef struct {
    DnNetworkModel *network; /* a reference */
    DnMachine *machine;      /* the network's */
    DnRouter *router;
    DnEngineResult engine;
    const DnEngineType *engine_type;
    guint threads;
    gint64 packet_bytes;
    DnJobResult *jobs; /* the run's own */
    guint n_jobs;
    const char **drawn_names; /* [n_drawn] of the jobs that `background:` drew; interned */
    guint n_drawn;
    const char *
        *patterns;     /* [n_jobs + n_drawn] of their traffic: the workload's type, or what it drew
                              for the time when the explained iteration began (else for 0) */
    guint64 seed;      /* of the first repetition; that of the next is one more */
    guint repetitions; /* pooled in the jobs' iterations; all else is of the first repetition */
    DnBackgroundMetrics background_metrics; /* of `background:`; else zeros */
    DnTimeShares shares;                    /* experiment/time_shares.h, or of a replay */
    DnPacketBias packet_bias;
    GPtrArray *warnings; /* char* */
} DnRunResult;

/* Simulates @spec once and returns (transfer full) its result. Mistakes in the specification are
 * found before the engine starts. @options and @cache may be NULL. NULL + error: DN_ERROR_STALLED
 * with a list of blocked ranks when the run cannot go on, DN_ERROR_INTERRUPTED when
 * options->progress stopped it, and the errors of reading and setting up. */
DnRunResult *dn_simulate(const DnRunSpec *spec, const DnRunOptions *options, DnNetworkCache *cache,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_result_free(DnRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunResult, dn_run_result_free)

/* The properties of a run that are known before it starts. */
typedef struct {
    DnNetworkModel *network; /* a reference */
    gint64 packet_bytes;
    double hops;    /* expected packet hops (experiment/expected_hops.h); 0: unknown */
    double packets; /* of jobs whose hops are unknown, by the bytes that their programs move; an
                       aggregated packet counts once */
    gboolean background; /* background traffic adds packets that are not counted here */
    guint64 bytes;       /* of machine, routing, engine and ranks, before any message */
} DnRunCheck;

/* Does what dn_simulate() does before the engine starts. @check is to be cleared by
 * dn_run_check_clear(), after an error, too. */
gboolean dn_simulate_check(const DnRunSpec *spec, const DnRunOptions *options,
                           DnNetworkCache *cache, DnRunCheck *check, GError **error);
void dn_run_check_clear(DnRunCheck *check);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnRunCheck, dn_run_check_clear)
