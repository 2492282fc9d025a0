/* sweep_cluster.h - A sweep on a cluster: which of its shards are to be simulated still, and how
 * far all of them are. */
#pragma once
#include "experiment/cluster_job.h"
#include "experiment/point_shards.h"
#include "experiment/sweep_plan.h"

typedef struct {
    guint links; /* rows of links.csv a point */
    gboolean timeline;
    gboolean restart; /* points that are complete are dropped */
    guint points_per_task;
} DnSweepCluster;

/* Submits the shards of @plan that lack points. @dir: folder of the results, or NULL: the plan's;
 * @job: its command, name and the cluster's options; the rest is filled in.
 * (transfer full): a text for the terminal. NULL + errors of dn_cluster_job_submit(), of
 * dn_point_shards_open(), or DN_ERROR_RANGE: another process works in the folder. */
char *dn_sweep_cluster_submit(const DnPlan *plan, const char *dir, const DnSweepCluster *options,
                              const DnClusterJob *job, GError **error);
/* (transfer full): the same of @job, whose folder is its own and is made, with tasks 1 to @n: what
 * is complete is for the tasks to see. */
char *dn_sweep_cluster_submit_all(const DnClusterJob *job, guint n, GError **error);
/* (transfer full): how many points are complete, which shards are at work, and the job; a text for
 * the terminal. NULL + error: there are none of this run. */
char *dn_sweep_cluster_status(const DnPlan *plan, const char *dir, GError **error);
