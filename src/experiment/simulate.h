/* simulate.h - a scenario built and run: machine, router, programs, placement, engine, results. */
#pragma once
#include "config/run_spec.h"
#include "experiment/network_cache.h"
#include "runtime/nic_model.h"
#include "runtime/critical_path.h"
#include "experiment/background_jobs.h"
#include "runtime/timeline.h"
#include "workload/program.h"

typedef struct {
    char *name;
    const char *workload; /* program type's name */
    char *chosen, *note;  /* the program's: its algorithm, where it was to choose one; or NULL */
    guint32 ranks;
    gint64 bytes;          /* the program's size parameter */
    guint32 n_iterations;  /* complete ones */
    gint64 *iteration_ps;  /* [n_iterations] latest MARK of i minus latest MARK of i-1 (or 0),
                                  times the program's time_scale */
    gboolean aware;        /* application-aware routing: */
    double adaptive_share; /* of its bytes, sent with the adaptive mode */
    DnNicIteration *nic;   /* [n_iterations] what its NICs counted; NULL: they count nothing */
    gint64 *end_ps;        /* [n_iterations] when each ended, on the run's clock */
    guint32 n_alone;
    gint64 *
        alone_ps; /* [n_alone] the same without the other jobs (experiment/experiment.h); or NULL */
    double goodput_bytes; /* per iteration, the program's convention */
    guint64 messages, one_sided_messages;
    gint64 *latency_ps; /* [n_latency] per-message network latency samples, see .c */
    guint64 n_latency;
    guint32 *endpoints; /* [ranks] placement */
    gint64 *done_ps;    /* [ranks] when each was done; 0: never */
    guint32 n_calls;    /* of the program's type: a trace's MPI calls */
    gint64 *call_ps;    /* [ranks * n_calls] time of each rank in each */
    /* With `measure:` and an open-loop workload, a sending rank, in the windows (measure.h): */
    gboolean measured, steady;
    double offered_load, accepted_load; /* fractions of the workload's rate; 1: the rate */
    double accepted_bps;
} DnJobResult;

typedef struct {
    DnFabric *fabric;
    DnMachine *machine; /* the fabric's, as is: */
    DnRouter *router;
    DnEngineResult engine;
    const DnEngineType *engine_type;
    gint64 packet_bytes;
    DnJobResult *jobs; /* the run's own */
    guint n_jobs;
    DnPopulationFigures population; /* of `background:`; else zeros */
    GPtrArray *warnings;            /* char* */
} DnRunResult;

/* What somebody wants to see of a run: DnRunSpec.probe. The packet engine alone shows it, on one
 * thread. With one, be it empty, no packets stand for several (engine/packet/packet_aggregation.h).
 * */
typedef struct DnProbe {
    DnCausesAsked *causes; /* why an iteration took so long; or NULL */
    DnTimeline *timeline;  /* or NULL; begins anew with each run */
} DnProbe;

/* Everything that can be wrong is found before the engine starts. @kept: of dn_fabric_get(), or
 * NULL. @beat as in DnObserver, or NULL. A stalled run: DN_ERROR_STALLED with the watchdog's
 * account; interrupted by @beat: DN_ERROR_INTERRUPTED. */
DnRunResult *dn_simulate(const DnRunSpec *spec, DnFabric **kept,
                         gboolean (*beat)(void *data, gint64 now_ps, guint64 events,
                                          guint64 packet_hops),
                         void *beat_data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_result_free(DnRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunResult, dn_run_result_free)

/* The same up to where the engine would start; the payload that the run's own jobs will move goes
 * to *@bytes, where their programs know. */
gboolean dn_simulate_check(const DnRunSpec *spec, DnFabric **kept, double *bytes, GError **error);
