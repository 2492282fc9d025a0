/* run_options.h - Run options are the caller's requests beyond the specification: another engine,
 * more threads, an ideal network, one job alone, an observer, reports of progress.
 *
 * A run is a function of a specification, which is never changed, and of these options; all zeros
 * (or NULL in place of options) is the run as specified. Everything they point to is borrowed and
 * outlives the run. */
#pragma once
#include "engine/engine.h"
#include "runtime/critical_path.h"
#include "runtime/timeline.h"

/* The limits that a what-if removes (experiment/what_if.h). */
typedef enum {
    DN_WHAT_IF_BANDWIDTH = 1,
    DN_WHAT_IF_LATENCY = 2,
    DN_WHAT_IF_ENDPOINT = 4,  /* mechanisms cost nothing, but keep their protocol */
    DN_WHAT_IF_INJECTION = 8, /* no cap on a message's rate nor on a NIC's messages */
    DN_WHAT_IF_COMPUTE = 16,  /* computations, copies and reductions take no time */
} DnUnlimited;

typedef struct {
    guint unlimited;        /* DnUnlimited; 0: everything as it is */
    const char *link_class; /* bandwidth of links of this class alone; NULL: of all */
} DnWhatIf;

/* Records of one run, which do not change it. The packet engine alone makes them, on one thread. */
typedef struct {
    DnCriticalPathQuery *critical_path; /* why an iteration took so long; or NULL */
    DnTimeline *timeline;               /* or NULL; begins anew with each run */
} DnRunObserver;

/* Called about 5 times a second while an engine runs. */
typedef struct {
    DnProgressFunc call; /* NULL: no reports; FALSE from it stops the run: DN_ERROR_INTERRUPTED */
    void *data;
} DnRunProgress;

/* The finished repetitions of a point in progress are kept in @dir, so that a run that was cut goes
 * on with the others (repetition_store.h). */
typedef struct {
    const char *dir;  /* NULL: they are not kept */
    const char *head; /* of which run they are: the head of a point store (point_store.h) */
    guint point;
} DnRepetitionKeep;

typedef struct {
    const char *engine; /* a name of dn_engine_types; NULL: the specification's */
    guint threads;      /* 0: the specification's */
    guint jobs;         /* repetitions of a point at once, each in a process; 0, 1: one */
    guint
        isolated_job; /* 0: all jobs run; else all are placed and only job isolated_job - 1 runs */
    const guint32 *iterations; /* [the specification's n_jobs]; NULL: the specification's */
    gint64 message_ps;         /* engine bound: every message takes this long; 0: its own time */
    gboolean message_latency;  /* and, with message_ps, its path's latency */
    gboolean count_steps; /* dn_experiment_run(): also DnRunResult.shares, where no link limits */
    /* dn_experiment_run(): the most packet hops of an additional run with the machine's own
     * packets, from which a warning tells the error caused by the run's packets (packet_bias.h);
     * 0: none */
    guint32 packet_bias_hops;
    guint32 packet_bias_whole_hops; /* are always spent on whole runs that take no more */
    gboolean no_slowdown; /* dn_experiment_run(): no job alone, although `slowdown` is set */
    gboolean no_estimate; /* dn_simulate_check(): hops and packets, which take longest, stay 0 */
    DnWhatIf what_if;
    DnRepetitionKeep keep; /* dn_experiment_run(): of a specification with several repetitions */
    const DnProcesses *processes;  /* that share the run; NULL: this one is alone */
    const DnRunObserver *observer; /* of all jobs together, not of a job alone; or NULL */
    DnRunProgress progress;
} DnRunOptions;
