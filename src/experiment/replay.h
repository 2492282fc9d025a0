/* replay.h - A replay runs a recorded program on a simulated machine.
 *
 * A query becomes a run file, which is kept with the results: `darner run` takes it, too, and any
 * key may be added to it. The same program then runs on three ideal networks
 * (experiment/what_if.h): without latency, with infinite bandwidth, and with both. With infinite
 * bandwidth no message waits for a link, so engine `bound` is exact and used; without latency links
 * are still shared, so the replay's engine is used. */
#pragma once
#include "experiment/network_cache.h"
#include "experiment/simulate.h"

/* The options of `darner replay` that go into the run file; NULL and 0: the default. */
typedef struct {
    char *machine, *engine, *placement, *mechanism, *algorithm, *routing, *packet;
    int nodes, ranks_per_node;
    gint64 seed;
    double compute_scale; /* factor on the recorded time between calls; no default */
} DnReplayQuery;
void dn_replay_query_clear(DnReplayQuery *query);

/* The makespans of a job on the three ideal networks; 0: not asked for. */
typedef struct {
    gint64 bandwidth_ps, latency_ps, both_ps;
} DnReplayIdeals;

/* Returns the time (ps) from the start of the job's first rank to the end of its last one. */
gint64 dn_replay_makespan(const DnRunSpec *spec, const DnRunResult *result, guint job);

/* (transfer full): the trace's name without folder and endings. */
char *dn_replay_name(const char *trace);
/* (transfer full): the path of @folder/run.yaml, which is written. NULL + error. */
char *dn_replay_write_run(const DnReplayQuery *query, const char *trace, const char *folder,
                          GError **error);
/* Where *@error is about a value in @file, made by dn_replay_write_run(), names the option that has
 * it. */
void dn_replay_name_option(const char *file, GError **error);
/* (transfer full): the only point of a run file; NULL + error for a sweep. */
DnRunSpec *dn_replay_spec(const char *file, const char *const *set, GError **error);
/* The runs of a replay: run 0 on the machine itself, the others on ideal networks. */
#define DN_REPLAY_RUNS 4
/* Returns the CPU time of run @run relative to run 0, as far as it can be foreseen: 1 on the
 * replay's own engine, and 0.3 on engine `bound`, which takes between 0.05 (messages of 64 KiB) and
 * 0.45 (of 1 KiB). */
double dn_replay_run_weight(guint run);

typedef struct {
    guint threads;            /* of the engine; 0: those of the specification */
    guint jobs;               /* simulations at once (worker_pool.h) */
    gboolean ideals;          /* also run on the ideal networks */
    DnTimeline *timeline;     /* of run 0; or NULL */
    DnNetworkCache *networks; /* that the runs share; or NULL */
    /* Called during run @run and at its end; @cpu_s: CPU seconds that it has taken. FALSE + error
     * ends the replay. Each may be NULL. */
    gboolean (*progress)(void *data, guint run, gint64 now_ps, guint64 packet_hops, double cpu_s,
                         GError **error);
    gboolean (*done)(void *data, guint run, double cpu_s, GError **error);
    void *data;
} DnReplayHow;

/* Replays @spec, which was read from @file, and returns (transfer full) the result on the machine
 * itself. *@ideals: (transfer full) [n_jobs] makespans on the ideal networks. NULL +
 * DN_ERROR_MISSING when no job replays a trace, or an error of dn_simulate(). */
DnRunResult *dn_replay_run(const DnRunSpec *spec, const char *file, const DnReplayHow *how,
                           DnReplayIdeals **ideals, GError **error);
/* Checks that every message of a replayed trace was received. FALSE + DN_ERROR_MISSING: one was
 * not, so the trace is truncated or does not record what ran. */
gboolean dn_replay_matched(const DnRunResult *result, const char *file, GError **error);
