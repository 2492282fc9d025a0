/* sweep_submit.c - `darner sweep submit RUN.yaml --slurm`: a job array whose tasks simulate the
 * points of a run, or the cases of `darner validate --full`. */
#include <stdio.h>

#include "base/interrupt.h"
#include "commands/commands.h"
#include "commands/sweep_words.h"
#include "experiment/sweep_cluster.h"

typedef struct {
    DnSweepCluster sweep;
    char **set, **sbatch;
    char *output, *partition, *time, *validate;
    int links, points, threads, tasks;
    gboolean slurm;
} Options;

static void options_clear(Options *o)
{
    g_strfreev(o->set);
    g_strfreev(o->sbatch);
    g_free(o->output);
    g_free(o->partition);
    g_free(o->time);
    g_free(o->validate);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static void add_words(GPtrArray *words, const char *const *more)
{
    for (; *more != NULL; more++)
        g_ptr_array_add(words, g_strdup(*more));
}
#define ADD(words, ...) add_words(words, (const char *const[]){__VA_ARGS__, NULL})

/* The command of a task: this program. */
static GPtrArray *task_command(const char *word)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    ADD(words, program != NULL ? program : "darner", word, "--quiet");
    return words;
}

static DnClusterJob cluster_job(const Options *o, const char *name, const GPtrArray *words)
{
    return (DnClusterJob){.name = name,
                          .command = (const char *const *)words->pdata,
                          .partition = o->partition,
                          .time = o->time,
                          .options = (const char *const *)o->sbatch,
                          .threads = (guint)o->threads};
}

static char *submit_run(const char *file, const Options *o, GError **error)
{
    g_autoptr(DnPlan) plan = dn_sweep_plan(file, o->set, error);
    if (plan == NULL)
        return NULL;
    g_autoptr(GPtrArray) words = task_command("run");
    g_autofree char *threads = g_strdup_printf("--threads=%d", o->threads);
    g_autofree char *links = g_strdup_printf("--links=%d", o->links);
    g_autofree char *run = g_canonicalize_filename(file, NULL);
    g_autofree char *dir =
        g_canonicalize_filename(o->output != NULL ? o->output : plan->output, NULL);
    ADD(words, run, "--yes", "--output", dir, links);
    for (char **set = o->set; set != NULL && *set != NULL; set++)
        ADD(words, "--set", *set);
    if (o->threads > 0)
        ADD(words, threads);
    if (o->sweep.timeline)
        ADD(words, "--timeline");
    g_ptr_array_add(words, NULL);
    DnClusterJob job = cluster_job(o, plan->name, words);
    DnSweepCluster sweep = o->sweep;
    sweep.links = (guint)o->links;
    sweep.points_per_task = (guint)o->points;
    return dn_sweep_cluster_submit(plan, dir, &sweep, &job, error);
}

/* Each case is put together by whoever runs the same command without --shard. */
static char *submit_cases(char **cases, const Options *o, GError **error)
{
    g_autoptr(GPtrArray) words = task_command("validate");
    g_autofree char *keep = g_canonicalize_filename(o->validate, NULL);
    ADD(words, "--full", "--yes", "--keep", keep);
    add_words(words, (const char *const *)cases);
    g_ptr_array_add(words, NULL);
    DnClusterJob job = cluster_job(o, "validate", words);
    job.dir = keep;
    return dn_sweep_cluster_submit_all(&job, (guint)o->tasks, error);
}

static gboolean check_arguments(int argc, const Options *o, GError **error)
{
    const char *wrong = NULL;
    if (!o->slurm)
        wrong = "no batch system given; wanted: --slurm";
    else if (o->validate == NULL && argc != 2)
        wrong = "wanted: one run file, or --validate FOLDER";
    else if (o->points < 1 || o->tasks < 1 || o->tasks > DN_SHARDS_MOST)
        wrong = "--points-per-task and --tasks are at least 1";
    else if (o->links < 0 || o->threads < 0 || o->threads > 256)
        wrong = "--links is at least 0, --threads at most 256";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "darner sweep submit: %s", wrong);
    return wrong == NULL;
}

int dn_sweep_submit(int argc, char **argv)
{
    g_auto(Options) o = {.links = 256, .points = 1, .tasks = 64};
    const GOptionEntry entries[] = {
        {"slurm", 0, 0, G_OPTION_ARG_NONE, &o.slurm, "as a job array of Slurm", NULL},
        {"partition", 'p', 0, G_OPTION_ARG_STRING, &o.partition, "name of a partition", "NAME"},
        {"time", 't', 0, G_OPTION_ARG_STRING, &o.time, "limit of a task, as sbatch reads it",
         "TIME"},
        {"points-per-task", 0, 0, G_OPTION_ARG_INT, &o.points, "points of a task (default 1)", "N"},
        {"threads", 0, 0, G_OPTION_ARG_INT, &o.threads, "threads (and processors) of a task", "N"},
        {"sbatch", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o.sbatch,
         "option for sbatch, e.g. --sbatch=--account=a; may be repeated", "OPTION"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "as in darner run", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "as in darner run", "DIR"},
        {"links", 0, 0, G_OPTION_ARG_INT, &o.links, "as in darner run", "N"},
        {"timeline", 0, 0, G_OPTION_ARG_NONE, &o.sweep.timeline, "as in darner run", NULL},
        {"restart", 0, 0, G_OPTION_ARG_NONE, &o.sweep.restart, "as in darner run", NULL},
        {"validate", 0, 0, G_OPTION_ARG_FILENAME, &o.validate,
         "instead of a run the cases of `darner validate --full --keep FOLDER`", "FOLDER"},
        {"tasks", 0, 0, G_OPTION_ARG_INT, &o.tasks, "tasks of --validate (default 64)", "N"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "RUN.yaml|--validate FOLDER [CASE...]",
                            "Submits the points that are missing; call it again for those of tasks "
                            "that were lost.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    dn_interrupt_install();
    g_autofree char *text = NULL;
    if (check_arguments(argc, &o, &error))
        text = o.validate != NULL ? submit_cases(argv + 1, &o, &error)
                                  : submit_run(argv[1], &o, &error);
    if (text == NULL)
        return dn_command_fail_set(error, o.set);
    fputs(text, stdout);
    return DN_EXIT_OK;
}
