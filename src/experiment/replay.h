/* replay.h - A replay runs a recorded program on another machine.
 *
 * A query becomes a run file, which is kept with the results: `darner run` takes it too, and any
 * key may be added to it. The same programs then run on networks that no one can build
 * (experiment/what_if.h). Where bandwidth is infinite nobody waits for a link, so engine `bound` is
 * exact there; without latency links are still shared, so the engine stays. */
#pragma once
#include "experiment/network_cache.h"
#include "experiment/simulate.h"

/* NULL and 0: the default. */
typedef struct {
    char *machine, *engine, *placement, *mechanism, *algorithm, *routing, *packet;
    int nodes, ranks_per_node;
    gint64 seed;
    double compute_scale; /* factor on the recorded time between calls; no default */
} DnReplayQuery;
void dn_replay_query_clear(DnReplayQuery *query);

/* Makespans of the job on networks that no one can build; 0: not asked for. */
typedef struct {
    gint64 bandwidth_ps, latency_ps, both_ps;
} DnReplayIdeals;

/* Returns the time from the job's start (its first rank's) to its last rank's end. */
gint64 dn_replay_makespan(const DnRunSpec *spec, const DnRunResult *result, guint job);

/* (transfer full): the trace's name without folder and endings. */
char *dn_replay_name(const char *trace);
/* (transfer full): the path of @folder/run.yaml, which is written. NULL + error. */
char *dn_replay_write_run(const DnReplayQuery *query, const char *trace, const char *folder,
                          GError **error);
/* (transfer full): the only point of a run file; NULL + error for a sweep. */
DnRunSpec *dn_replay_spec(const char *file, const char *const *set, GError **error);
/* The runs of a replay: itself, then those on ideal networks. */
#define DN_REPLAY_RUNS 4
/* Returns what @run costs of what the replay itself does, where hops tell that: about, for runs on
 * engine `bound`, which take 0.05 (messages of 64 KiB) to 0.45 (of 1 KiB) of its time. */
double dn_replay_run_weight(guint run);

typedef struct {
    guint threads;
    guint jobs;               /* simulations at once (worker_pool.h) */
    gboolean ideals;          /* asked for */
    DnTimeline *timeline;     /* of the replay itself; or NULL */
    DnNetworkCache *networks; /* where its network is; or NULL */
    /* Called as run @run goes on, and is over; @cpu_s that it took in its process. FALSE + error
     * ends the replay. May be NULL, both. */
    gboolean (*progress)(void *data, guint run, gint64 now_ps, guint64 packet_hops, double cpu_s,
                         GError **error);
    gboolean (*done)(void *data, guint run, double cpu_s, GError **error);
    void *data;
} DnReplayHow;

/* The run of @spec, read from @file. *@ideals: (transfer full) [n_jobs] makespans on the three
 * ideal networks; zeros unless asked for. NULL + DN_ERROR_MISSING when no job replays a trace, and
 * what dn_simulate() gives. */
DnRunResult *dn_replay_run(const DnRunSpec *spec, const char *file, const DnReplayHow *how,
                           DnReplayIdeals **ideals, GError **error);
/* FALSE + DN_ERROR_MISSING: a message of a replayed trace has no receive; it is cut, or is not
 * what ran. */
gboolean dn_replay_matched(const DnRunResult *result, const char *file, GError **error);
