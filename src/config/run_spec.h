/* run_spec.h - a run file, read but not yet built: which machine, jobs, routing, engine, sweep.
 *
 *   machine: lumi             name in topologies/, path, or mapping
 *   nodes: 2                  optional: partial machine
 *   engine: packet
 *   seed: 1
 *   repeat: 1                 repetition r of a point runs with seed + r
 *   threads: 1
 *   packet: {size: 4 KiB, virtual_channels: 0 (as routing needs), max_memory: 80 % of the host's}
 *   routing: {algorithm: minimal, ...}     handed to routing/
 *   jobs:
 *     - name: a2a
 *       workload: {type: alltoall, bytes: 1 MiB}   or a name in workloads/
 *       ranks: 8              default: as many as endpoints
 *       placement: contiguous | random | ... | [list of endpoints] | {...}   see
 * experiment/placement.h
 *       ranks_per_node: 4     default: a node's endpoints
 *       mechanism: d2d        name in the machine's mechanisms:, mapping or list of rules by
 *                             size; handed to endpoint/
 *       iterations: 5         or {until: 5 %, min: 10, max: 1000}: until the interval of the
 *                             median is so narrow, of the median (experiment/experiment.h)
 *       start: 100 us         default: 0
 *       background: true      runs on, over and over, until every other job is done
 *       service_level: 0
 *       packet_aggregation: 1             packets that one of the job's stands for
 * (engine/packet/packet_aggregation.h):
 *                             cheap, for those in the background
 *       routing_mode: ADAPTIVE_3   of its messages; or {...}: application-aware
 * (runtime/app_aware_routing.h);
 *                             or [ADAPTIVE_0, ADAPTIVE_3]: in turn by iteration,
 *                             or [{to: 4 KiB, mode: ...}, {mode: ...}]: by size
 *                             (runtime/mode_rules.h); default: routing.mode
 *       noise: {period: 1 ms, duration: 25 us}   of its hosts; see runtime/host_noise.h
 *       pause: 100 us         default: 0; a rank is silent so long after each `burst` iterations
 *       burst: 1              default
 *   sweep:                    optional: cartesian product, first key slowest
 *     jobs[0].workload.bytes: [1 B, 4 B, 16 B]
 *   background: {...}         optional: other users' jobs, drawn (experiment/background_jobs.h), or
 *                             a list of such mappings
 *   slowdown: yes             optional: each job also alone, where it is (experiment/experiment.h)
 *   bound: yes                optional: also what no engine can beat (validation/baseline.h)
 *   measured: FILE.csv        optional: what a machine yielded, to show beside; also
 *                             {file: FILE.csv, run: NAME} (validation/baseline.h)
 *   until: 100 us             optional: stop the clock here
 *   measure:                  optional: steady state of open-loop jobs, see experiment/measure.h
 *     warmup: auto            or a time
 *     window: auto            or a time: two of them are measured
 *     tolerance: 5 %
 *   output: out/name          default: out/<file name>
 *   description: text         optional, for people
 * The same keys may come from --set; a key set so is no longer swept. The machine, the workload and
 * the routing are only found here, not read: whoever builds them checks them.
 * The hash covers what can move a result: not output, threads, description, bound, measured or the
 * sweep that led here. LIMITATIONS: files that others open later by name (machine, workload) are in
 * it by their name only. */
#pragma once
#include "config/params.h"

#define DN_MAX_THREADS 256 /* of an engine */

typedef enum {
    DN_PLACE_CONTIGUOUS,  /* endpoints 0, 1, 2, ... */
    DN_PLACE_RANDOM,      /* a seeded permutation of all endpoints */
    DN_PLACE_RANDOM_NODE, /* of nodes, switches, groups, each with its endpoints in order */
    DN_PLACE_RANDOM_SWITCH,
    DN_PLACE_RANDOM_GROUP,
    DN_PLACE_RANDOM_NODE_SORTED, /* random nodes, ranks in the order of nodes */
    DN_PLACE_SPREAD,             /* round robin over nodes: rank r on node r % nodes */
    DN_PLACE_SPREAD_SWITCH,
    DN_PLACE_SPREAD_GROUP,
    DN_PLACE_LIST,
    DN_PLACE_NODES, /* a mapping that says which nodes, or how many of each group */
} DnPlacementKind;

typedef struct {
    char *name;
    const DnConfigNode *node;      /* the job's mapping */
    const DnConfigNode *workload;  /* for dn_program_new */
    const DnConfigNode *mechanism; /* for dn_mechanism_read; NULL: default */
    guint32 ranks;                 /* 0: all endpoints */
    DnPlacementKind placement;
    guint32 *placement_list;            /* DN_PLACE_LIST: endpoints, [ranks] */
    const DnConfigNode *placement_node; /* DN_PLACE_NODES: for experiment/placement.h; else NULL */
    guint32 ranks_per_node;             /* 0: as many as it has endpoints */
    gboolean exclusive;                 /* no other job on its nodes */
    guint32 iterations;
    double convergence; /* run again with more iterations until the median is as certain; 0: no */
    guint32 most_iterations;
    gint64 start_ps;
    gboolean background;
    guint8 service_level, aggregation;
    const DnConfigNode
        *routing_mode; /* a mode's name, or a mapping for runtime/app_aware_routing.h; or NULL */
    const DnConfigNode *noise; /* for runtime/host_noise.h; or NULL */
    guint32 burst;             /* iterations between two pauses */
    gint64 pause_ps;           /* 0: none */
} DnJobSpec;

typedef struct {
    const DnConfigNode *node; /* `measure:`; NULL: everything runs to its end */
    gint64 warmup_ps;         /* 0: auto */
    gint64 window_ps;         /* 0: auto */
    double tolerance;
} DnMeasureSpec;

/* One run, as the file describes it: it is not changed after it was read. What a caller wants of a
 * run beyond that are options (experiment/run_options.h). It owns its tree, so it may outlive the
 * sweep it comes from. */
typedef struct {
    DnConfigNode *root; /* owns the tree */
    const DnConfigNode *machine;
    const DnConfigNode *routing;    /* NULL: default */
    const DnConfigNode *background; /* for experiment/background_jobs.h; or NULL */
    guint32 nodes;
    char *engine;
    guint64 seed;
    guint repeat; /* repetitions of each point, the first with `seed`, each next with one more */
    guint threads;
    gint64 packet_bytes;      /* 0: the machine's own */
    guint32 virtual_channels; /* 0: as many as the routing needs */
    gint64 max_memory_bytes;  /* 0: 80 % of the host's (base/memory.h) */
    gint64 until_ps;          /* 0: to the end */
    gboolean slowdown, bound;
    const DnConfigNode *measured_at; /* the key `measured`; or NULL */
    char *measured, *measured_run;   /* a CSV, and which run's rows of it; or NULL */
    DnMeasureSpec measure;
    DnJobSpec *jobs;
    guint n_jobs;
    char *output;
    char *hash; /* SHA-256 of the canonical text, 12 hex digits */
} DnRunSpec;

/* A run file, read once, with all points of its sweep: one empty point without a sweep. */
typedef struct {
    char **keys; /* [n_keys] as written */
    guint n_keys;
    char ***values; /* [n_points][n_keys] as written */
    guint n_points;
    char *file;
    DnConfigNode *root; /* the run file without `sweep:` */
    DnConfigNode *map;  /* `sweep:`; NULL without; its values keep their place in the file */
    GPtrArray *texts;   /* char*, shared by the points */
    guint *place;       /* [n_points] among all combinations */
    GPtrArray *skipped; /* char*: a line for each point dropped */
    GPtrArray *set;     /* char*: KEY=VALUE set by hand below a swept key, at every point */
} DnSweep;

/* (transfer full): the run file with @overrides. */
DnSweep *dn_sweep_load(const char *file, const char *const *overrides,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): as dn_sweep_load(), of the text of a run file called @file_name. */
DnSweep *dn_sweep_parse(const char *text, const char *file_name, const char *const *overrides,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Says that @value of a sweep over @key is the same one as @first. */
void dn_sweep_same_value_error(const DnConfigNode *value, const DnConfigNode *first,
                               const char *key, GError **error);
/* Takes point @point out, a combination that does not exist, @why; those behind it move up. */
void dn_sweep_drop(DnSweep *sweep, guint point, const char *why);
/* (transfer full): point @point; no file is read for it. */
DnRunSpec *dn_sweep_spec(const DnSweep *sweep, guint point,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): the run file with @overrides and without its sweep. */
DnRunSpec *dn_run_spec_load(const char *file, const char *const *overrides,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): @spec as its repetition @r runs: the same with another seed. */
DnRunSpec *dn_run_spec_repetition(const DnRunSpec *spec, guint r,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_spec_free(DnRunSpec *spec);
/* Where an error of @key of @job points to: the key, or the job where it has none. */
static inline const DnConfigNode *dn_job_place(const DnJobSpec *job, const char *key)
{
    const DnConfigNode *at = dn_config_get(job->node, key);
    return at != NULL ? at : job->node;
}
/* TRUE: @sweep, which may be NULL, has a key of that name. */
gboolean dn_sweep_has_key(const DnSweep *sweep, const char *name);
void dn_sweep_free(DnSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunSpec, dn_run_spec_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnSweep, dn_sweep_free)

/* `packet:` of a run. */
extern const DnParamSpec dn_packet_keys[];

/* `measure:` of a run. */
extern const DnParamSpec dn_measure_keys[];

/* `iterations:` of a job, as a mapping. */
extern const DnParamSpec dn_iterations_keys[];

/* `measured:` of a run, as a mapping. */
extern const DnParamSpec dn_measured_keys[];

/* An item of `jobs:`. */
extern const DnParamSpec dn_job_keys[];

/* Keys of a run file; and names that `placement:` of a job may be. */
extern const DnParamSpec dn_run_spec_keys[];
extern const char *const dn_placement_names[];
