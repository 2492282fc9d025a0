/* cluster_job.h - A cluster job simulates the shards of a run (point_shards.h) as the tasks of an
 * array that a batch system starts: task i does shard i of n.
 *
 * Slurm: the script and the logs of its tasks stand in the folder of what is unfinished, as
 * slurm.sh and slurm-JOB_TASK.log; slurm-job names the job that was submitted last. A task that is
 * requeued goes on with its shard; a task that is lost is submitted again, alone, with the next
 * call. */
#pragma once
#include "base/error.h"

typedef struct {
    const char *name;             /* of the run */
    const char *const *command;   /* of a task, NULL-terminated; it gets `--shard I/N` */
    const char *dir;              /* folder of what is unfinished */
    const char *partition, *time; /* or NULL */
    const char *const *options;   /* more of sbatch, NULL-terminated; or NULL */
    guint threads;                /* processors of a task; 0: as the cluster does */
    guint n;                      /* shards */
    const guint *tasks;           /* [n_tasks] shards with points to simulate, rising from 1 */
    guint n_tasks;
} DnClusterJob;

/* (transfer full): the script. */
char *dn_cluster_job_script(const DnClusterJob *job);
/* Writes the script and gives it to sbatch. (transfer full): the number of the job.
 * NULL + DN_ERROR_MISSING: no sbatch here; DN_ERROR_RANGE: the cluster rejects the job, with its
 * words, or an earlier job of this run is still in its queue; nothing is left behind. */
char *dn_cluster_job_submit(const DnClusterJob *job, GError **error);
/* FALSE + DN_ERROR_RANGE: the job that was submitted last from @dir is still in the queue. */
gboolean dn_cluster_job_none_queued(const char *dir, GError **error);
/* (transfer full): the job that was submitted last from @dir, or NULL; *@queued: squeue knows it.
 * */
char *dn_cluster_job_last(const char *dir, gboolean *queued);
