/* cluster_job_test.c - Tests of the script of a job array. */
#include "experiment/cluster_job.h"

#include <string.h>

static void script_has(const char *script, const char *line)
{
    if (strstr(script, line) == NULL)
        g_error("no line %s in:\n%s", line, script);
}

static void test_script(void)
{
    static const char *const command[] = {"/bin/darner", "run", "it's.yaml", NULL};
    static const char *const options[] = {"--account=a", "--mem=4G", NULL};
    static const guint tasks[] = {1, 2, 3, 5, 8, 9};
    const DnClusterJob job = {.name = "hours",
                              .command = command,
                              .dir = "/with space/unfinished",
                              .partition = "small",
                              .time = "1:00:00",
                              .options = options,
                              .threads = 4,
                              .n = 9,
                              .tasks = tasks,
                              .n_tasks = G_N_ELEMENTS(tasks)};
    g_autofree char *script = dn_cluster_job_script(&job);
    g_assert_true(g_str_has_prefix(script, "#!/bin/bash\n#SBATCH "));
    script_has(script, "\n#SBATCH --job-name=darner-hours\n");
    script_has(script, "\n#SBATCH --array=1-3,5,8-9\n");
    script_has(script, "\n#SBATCH --output=\"/with space/unfinished/slurm-%A_%a.log\"\n");
    script_has(script, "\n#SBATCH --partition=small\n#SBATCH --time=1:00:00\n");
    script_has(script, "\n#SBATCH --cpus-per-task=4\n#SBATCH --requeue\n");
    script_has(script, "\n#SBATCH --account=a\n#SBATCH --mem=4G\n");
    script_has(script, "\nexec '/bin/darner' 'run' 'it'\\''s.yaml' "
                       "--shard \"$SLURM_ARRAY_TASK_ID/9\"\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/experiment/cluster-job/script", test_script);
    return g_test_run();
}
