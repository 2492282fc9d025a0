/* background_jobs.h - Background jobs stand for the other users of a machine: they are drawn on the
 * nodes that the run's own jobs leave.
 *
 *   background:
 *     utilisation: 80 %        of the nodes left, so many are taken
 *     sizes: {1: 4, 2: 2, 4: 2, 8: 2, 16: 1, 64: 1}       nodes of a job: weight
 *     weights: jobs            or nodes: a weight is a size's share of the nodes, not of the jobs
 *     placement: random_node | random_switch | contiguous  which of the nodes left it gets
 *     ranks_per_node: 1
 *     service_nodes: 0         so many nodes, evenly over the machine, are storage of all jobs: the
 *                              last ranks of each, which read what is written (tenant, `stores`)
 *     service_level: 0
 *     packet_aggregation: 1                packets that one of theirs stands for
 * (engine/packet/packet_aggregation.h)
 *     traffic: {bytes: 16 KiB, rate: 200 Gb/s, ...}       keys of workload `tenant`, which holds
 *                              patterns, intensities, bursts and lifetimes
 *     source:, assumed:        where these come from
 * `include: ../workloads/populations/x.yaml` takes a published model; keys next to it replace those
 * of the file.
 * A list of such mappings draws one after the other, each on the nodes that those before left.
 * Jobs are drawn by size until the share is reached; a job of one node only takes its node. All of
 * them run until the run's own jobs are done, without costs at their endpoints; the draws depend on
 * the seed alone. Time 0 is in the midst of their bursts and silences, unless their traffic says
 * `steady: no`. Their results are sums (DnBackgroundMetrics).
 * Cost: all 3,456 nodes of Leonardo for 7.3 ms (1,000 ping-pongs after 2 ms) take 5.6 CPU-s and 175
 * MB with the defaults and `packet_aggregation: 4`, 12.7 CPU-s and 188 MB with
 * populations/seren.yaml.
 * LIMITATIONS: `rate` is by default that of the slowest link a NIC has to the fabric; the default
 * sizes are assumed: many small jobs and a few large ones, no machine's log. */
#pragma once
#include "experiment/placement.h"

typedef struct {
    gboolean asked;             /* FALSE: a run without `background:` */
    guint32 jobs, nodes, ranks; /* with traffic; nodes: taken in all */
    guint64 messages;           /* that arrived */
    double payload_bytes;       /* of these */
    double node_load_bps;       /* payload over the run's time and the nodes */
} DnBackgroundMetrics;

/* One drawn job of two nodes or more. */
typedef struct {
    DnJobSpec job;
    DnPlacement placement;
    DnConfigNode *root; /* what job points to */
} DnDrawnJob;

/* (transfer full): of DnDrawnJob; NULL + error. @placements: of
 * the specification's own jobs. @warnings: char*, of populations of whom nobody sends. */
GArray *dn_background_jobs_draw(const DnRunSpec *spec, const DnGraph *graph,
                                const DnPlacement *placements, DnBackgroundMetrics *metrics,
                                GPtrArray *warnings, GError **error);

/* `background:` of a run. */
extern const DnParamSpec dn_background_keys[];
