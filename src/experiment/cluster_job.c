/* cluster_job.c - see cluster_job.h. */
#include "experiment/cluster_job.h"

#include "base/file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define SCRIPT "slurm.sh"
#define JOB "slurm-job"

/* ---- the script ---- */

/* "1-3,7" of 1, 2, 3, 7. */
static char *task_ranges(const guint *tasks, guint n)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < n;) {
        guint last = i;
        while (last + 1 < n && tasks[last + 1] == tasks[last] + 1)
            last++;
        g_string_append_printf(out, "%s%u", i > 0 ? "," : "", tasks[i]);
        if (last > i)
            g_string_append_printf(out, "-%u", tasks[last]);
        i = last + 1;
    }
    return g_string_free(out, FALSE);
}

static void add_option(GString *out, const char *name, const char *value)
{
    if (value == NULL)
        return;
    const char *mark = strpbrk(value, " \t") != NULL ? "\"" : "";
    g_string_append_printf(out, "#SBATCH --%s=%s%s%s\n", name, mark, value, mark);
}

char *dn_cluster_job_script(const DnClusterJob *job)
{
    GString *out = g_string_new("#!/bin/bash\n");
    g_autofree char *ranges = task_ranges(job->tasks, job->n_tasks);
    g_autofree char *log = g_build_filename(job->dir, "slurm-%A_%a.log", NULL);
    g_autofree char *name = g_strconcat("darner-", job->name, NULL);
    g_autofree char *folder = g_get_current_dir();
    g_autofree char *quoted = g_shell_quote(folder);
    const char *root = g_getenv("DARNER_ROOT");
    add_option(out, "job-name", name);
    add_option(out, "array", ranges);
    add_option(out, "output", log);
    add_option(out, "partition", job->partition);
    add_option(out, "time", job->time);
    if (job->threads > 0)
        g_string_append_printf(out, "#SBATCH --cpus-per-task=%u\n", job->threads);
    g_string_append(out, "#SBATCH --requeue\n#SBATCH --open-mode=append\n");
    for (guint i = 0; job->options != NULL && job->options[i] != NULL; i++)
        g_string_append_printf(out, "#SBATCH %s\n", job->options[i]);
    g_string_append_printf(out, "cd %s || exit 1\n", quoted);
    if (root != NULL) {
        g_autofree char *text = g_shell_quote(root);
        g_string_append_printf(out, "export DARNER_ROOT=%s\n", text);
    }
    g_string_append(out, "exec");
    for (guint i = 0; job->command[i] != NULL; i++) {
        g_autofree char *word = g_shell_quote(job->command[i]);
        g_string_append_printf(out, " %s", word);
    }
    g_string_append_printf(out, " --shard \"$SLURM_ARRAY_TASK_ID/%u\"\n", job->n);
    return g_string_free(out, FALSE);
}

/* ---- Slurm's programs ---- */

/* Runs the program @words. *@out, *@said: its output and errors; *@there: it is installed. FALSE:
 * it is not, or its exit status is not 0. */
static gboolean run_program(const char *const *words, char **out, char **said, gboolean *there)
{
    g_autofree char *path = g_find_program_in_path(words[0]);
    int status = 0;
    *there = path != NULL;
    if (path == NULL || !g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                                      out, said, &status, NULL))
        return FALSE;
    return g_spawn_check_wait_status(status, NULL);
}

static gboolean is_queued(const char *id)
{
    const char *words[] = {"squeue", "--noheader", "--jobs", id, "--format", "%i", NULL};
    g_autofree char *out = NULL, *said = NULL;
    gboolean there;
    return run_program(words, &out, &said, &there) && g_strstrip(out)[0] != '\0';
}

char *dn_cluster_job_last(const char *dir, gboolean *queued)
{
    g_autofree char *path = g_build_filename(dir, JOB, NULL);
    char *id = NULL;
    *queued = FALSE;
    if (!g_file_get_contents(path, &id, NULL, NULL))
        return NULL;
    g_strstrip(id);
    *queued = is_queued(id);
    return id;
}

/* The first line of @said, or another text where there is none. */
static const char *first_line(char *said)
{
    if (said == NULL || g_strstrip(said)[0] == '\0')
        return "it does not say why";
    said[strcspn(said, "\n")] = '\0';
    return said;
}

/* (transfer full): the number in a line "JOB" or "JOB;CLUSTER" of @out; NULL: there is none. */
static char *job_number(const char *out)
{
    g_auto(GStrv) lines = g_strsplit(out, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        char *id = g_strstrip(lines[i]);
        id[strcspn(id, ";")] = '\0';
        if (id[0] != '\0' && id[strspn(id, "0123456789")] == '\0')
            return g_strdup(id);
    }
    return NULL;
}

/* (transfer full): the job's number. */
static char *submit_script(const char *script, GError **error)
{
    const char *words[] = {"sbatch", "--parsable", script, NULL};
    g_autofree char *out = NULL, *said = NULL;
    gboolean there;
    if (run_program(words, &out, &said, &there)) {
        char *id = job_number(out);
        g_autofree char *printed = dn_quote(g_strstrip(out));
        if (id == NULL)
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                        "sbatch ends without an error, but prints %s where the job's number is "
                        "expected (`sbatch --parsable`); look with squeue whether there is a job",
                        printed);
        return id;
    }
    if (there)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "sbatch rejects the job: %s",
                    first_line(said));
    else
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "no sbatch in PATH; give tasks of another batch system --shard 1/N to N/N of "
                    "`darner run`");
    return NULL;
}

gboolean dn_cluster_job_none_queued(const char *dir, GError **error)
{
    gboolean queued;
    g_autofree char *before = dn_cluster_job_last(dir, &queued);
    if (queued)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "job %s of this run is still in the queue; wait for it, or `scancel %s`",
                    before, before);
    return !queued;
}

char *dn_cluster_job_submit(const DnClusterJob *job, GError **error)
{
    if (!dn_cluster_job_none_queued(job->dir, error))
        return NULL;
    g_autofree char *script = g_build_filename(job->dir, SCRIPT, NULL);
    g_autofree char *file = g_build_filename(job->dir, JOB, NULL);
    g_autofree char *text = dn_cluster_job_script(job);
    if (!dn_file_write(script, text, error))
        return NULL;
    g_chmod(script, 0755);
    g_autofree char *id = submit_script(script, error);
    if (id == NULL) {
        g_unlink(script);
        return NULL;
    }
    g_autofree char *line = g_strconcat(id, "\n", NULL);
    return dn_file_write(file, line, error) ? g_steal_pointer(&id) : NULL;
}
