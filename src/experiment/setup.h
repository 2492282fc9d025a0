/* setup.h - The set-up of a run: machine, placements, programs and jobs are built from its
 * specification and checked; simulate.c then runs them. */
#pragma once
#include "runtime/app_aware_routing.h"
#include "runtime/critical_path.h"
#include "runtime/host_noise.h"
#include "experiment/measure.h"
#include "experiment/nccl_machine.h"
#include "experiment/placement.h"
#include "runtime/runtime.h"
#include "experiment/simulate.h"

typedef struct {
    /* The specification that runs: the given one with the options' engine, threads and iterations,
     * and with the drawn jobs behind its own. Its array of jobs is the setup's, all else is
     * shared. */
    DnRunSpec resolved;
    const DnRunSpec *spec; /* &resolved */
    DnRunOptions options;
    DnNetworkCache *cache; /* borrowed; or NULL */
    guint own_jobs;
    GArray *background_metrics; /* DnDrawnJob; NULL: none */
    DnRunResult *result;
    DnPlacement *placements;   /* [n_jobs] */
    DnProgram **programs;      /* [n_jobs] */
    DnReplayJob *jobs;         /* [n_jobs] */
    GPtrArray *of_call;        /* what jobs[].of_call point to */
    DnNicModel nic;            /* of the machine */
    gboolean counts;           /* its NICs have counters */
    DnHostNoise *noise;        /* [n_jobs] */
    DnAppAwareRule *app_aware; /* [n_jobs] */
    guint8 *aggregation;       /* [n_jobs] */
    guint32 *node_of;          /* [endpoints] */
    guint32 *nic_address;      /* [endpoints] */
    guint32 *adapter_of;       /* [endpoints] */
    guint32 *cpu_of;           /* [endpoints] */
    DnCollMachine *coll;       /* [n_jobs] the machine as NCCL or RCCL see it */
    guint64 need_bytes;        /* of machine, routing, engine and ranks, before any message */
    guint64 growth_bytes;      /* by which the engine's memory may grow during the run */
    DnParams *parameters;      /* of the engine; NULL: it has none */
    /* While it runs: */
    DnReplay *replay;
    DnCriticalPath *critical_path; /* of the observer; or NULL */
    DnTimeline *timeline;          /* the observer's; or NULL */
    DnMeasureSchedule schedule;    /* of the attempt at hand, with `measure` */
    guint64 hops_before;           /* of the attempts before */
} DnSetup;

/* Sets up @spec. @setup is all zeros before; it is to be cleared by dn_setup_clear(), after an
 * error, too. @options and @cache may be NULL. FALSE + the first mistake. */
gboolean dn_setup(DnSetup *setup, const DnRunSpec *spec, const DnRunOptions *options,
                  DnNetworkCache *cache, GError **error);
void dn_setup_clear(DnSetup *setup);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnSetup, dn_setup_clear)
/* Adds a warning for each link class whose buffers are smaller than bandwidth times round trip. */
void dn_setup_warn_buffers(DnSetup *setup);
