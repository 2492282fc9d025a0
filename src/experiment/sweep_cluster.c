/* sweep_cluster.c - see sweep_cluster.h. */
#include "experiment/sweep_cluster.h"

#include "base/file.h"
#include "base/number.h"
#include "experiment/run_identity.h"

#include <errno.h>
#include <stdio.h>

/* Shards 1 to @n that lack a point: (transfer full), *@n_tasks of them. */
static guint *list_tasks(const DnPointShards *points, guint n_points, guint n, guint *n_tasks)
{
    g_autofree gboolean *lacks = g_new0(gboolean, n + 1);
    guint *tasks = g_new(guint, n + 1);
    for (guint p = 0; p < n_points; p++)
        if (!dn_point_shards_has(points, p))
            lacks[p % n + 1] = TRUE;
    *n_tasks = 0;
    for (guint i = 1; i <= n; i++)
        if (lacks[i])
            tasks[(*n_tasks)++] = i;
    return tasks;
}

/* Submits @job, whose folder and number of shards are set, for the shards that lack one of
 * @points. */
static char *submit_tasks(const DnPlan *plan, const DnPointShards *points, DnClusterJob job,
                          GError **error)
{
    guint n_points = plan->sweep->n_points, done = dn_point_shards_done(points);
    g_autofree guint *tasks = list_tasks(points, n_points, job.n, &job.n_tasks);
    job.tasks = tasks;
    if (done == n_points)
        return g_strdup_printf("all %u points are complete in %s; `darner sweep collect` puts them "
                               "together\n",
                               n_points, job.dir);
    g_autofree char *id = dn_cluster_job_submit(&job, error);
    return id != NULL ? g_strdup_printf("job %s: %u tasks for %u of %u points, in %s\n", id,
                                        job.n_tasks, n_points - done, n_points, job.dir)
                      : NULL;
}

char *dn_sweep_cluster_submit(const DnPlan *plan, const char *dir, const DnSweepCluster *options,
                              const DnClusterJob *job, GError **error)
{
    guint n_points = plan->sweep->n_points;
    DnClusterJob all = *job;
    if (dir == NULL)
        dir = plan->output;
    /* a lock of its own: tasks may begin before sbatch has ended */
    g_autoptr(DnResultFolder) folder = dn_result_folder_open(dir, "lock.submit", error);
    if (folder == NULL || !dn_result_folder_alone(folder, TRUE, error))
        return NULL;
    g_autofree char *work = g_canonicalize_filename(dn_result_folder_work(folder), NULL);
    if (options->restart && !dn_cluster_job_none_queued(work, error))
        return NULL;
    if (options->restart)
        dn_result_folder_drop(folder);
    g_autofree char *identity =
        dn_run_identity(plan, options->links, options->timeline ? DN_TIMELINE_ALL : 0);
    g_autoptr(DnPointShards) points = dn_point_shards_open(work, NULL, identity, n_points, error);
    if (points == NULL) {
        g_prefix_error(error, "(--restart begins anew) ");
        return NULL;
    }
    all.dir = work;
    all.n = (n_points + options->points_per_task - 1) / options->points_per_task;
    return submit_tasks(plan, points, all, error);
}

char *dn_sweep_cluster_submit_all(const DnClusterJob *job, guint n, GError **error)
{
    DnClusterJob all = *job;
    g_autofree guint *tasks = g_new(guint, n);
    if (g_mkdir_with_parents(job->dir, 0777) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot make this folder: %s", job->dir,
                    g_strerror(errno));
        return NULL;
    }
    for (guint i = 0; i < n; i++)
        tasks[i] = i + 1;
    all.n = all.n_tasks = n;
    all.tasks = tasks;
    g_autofree char *id = dn_cluster_job_submit(&all, error);
    return id != NULL ? g_strdup_printf("job %s: %u tasks, in %s\n", id, n, job->dir) : NULL;
}

/* A line for each shard at work. */
static void add_workers(GString *out, const char *work)
{
    g_autoptr(GPtrArray) names = dn_file_list(work, NULL);
    for (guint k = 0; names != NULL && k < names->len; k++) {
        const char *name = names->pdata[k];
        guint i = 0, n = 0;
        g_autofree char *path = g_build_filename(work, name, NULL), *owner = NULL;
        if (!g_str_has_prefix(name, "lock") || !dn_result_lock_held(path) ||
            !g_file_get_contents(path, &owner, NULL, NULL))
            continue;
        if (dn_take_number(&name, "lock.", &i) && dn_take_number(&name, "-of-", &n))
            g_string_append_printf(out, "at work: shard %u/%u, process and computer: %s", i, n,
                                   owner);
        else
            g_string_append_printf(out, "at work: process and computer: %s", owner);
    }
}

char *dn_sweep_cluster_status(const DnPlan *plan, const char *dir, GError **error)
{
    guint n_points = plan->sweep->n_points, links = 0, timeline = 0;
    gboolean queued;
    g_autofree char *work =
        g_build_filename(dir != NULL ? dir : plan->output, DN_RESULT_UNFINISHED, NULL);
    g_autofree char *head = NULL;
    if (!dn_point_shards_head(work, &head, error))
        return NULL;
    g_autofree char *job = dn_cluster_job_last(work, &queued);
    if (head == NULL && job == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: no points of a run that is not complete are there", work);
        return NULL;
    }
    g_autoptr(DnPointShards) points = NULL;
    if (head != NULL) {
        dn_run_identity_options(head, &links, &timeline);
        g_autofree char *identity = dn_run_identity(plan, links, timeline);
        points = dn_point_shards_open(work, NULL, identity, n_points, error);
        if (points == NULL)
            return NULL;
    }
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%u of %u points are complete in %s\n",
                           points != NULL ? dn_point_shards_done(points) : 0, n_points, work);
    if (job != NULL)
        g_string_append_printf(out, "job %s %s\n", job,
                               queued ? "is in the queue" : "is no more in the queue");
    add_workers(out, work);
    return g_string_free(out, FALSE);
}
