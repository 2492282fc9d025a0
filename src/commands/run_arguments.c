/* run_arguments.c - see run_arguments.h. */
#include "commands/run_arguments.h"

#include "base/processes.h"
#include "commands/commands.h"
#include "experiment/worker_pool.h"
#include "report/timeline_files.h"

void dn_run_arguments_clear(DnRunArguments *options)
{
    g_strfreev(options->set);
    g_free(options->output);
    g_free(options->shard_text);
    g_free(options->timeline_text);
}

gboolean dn_run_arguments_check(int argc, DnRunArguments *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = argc < 2 ? "no run file given; usage: darner run RUN.yaml"
                         : "one run file at a time; usage: darner run RUN.yaml";
    else if (!dn_option_in_range(&options->threads, 1, DN_MAX_THREADS))
        wrong = DN_THREADS_WRONG;
    else if (options->links < 0)
        wrong = "--links is out of range; allowed: 0 (all) or more";
    else if (dn_processes() != NULL && (options->timeline_text != NULL || options->jobs > 1))
        wrong = "--timeline and --jobs are for one process; start the run without mpirun";
    else if (options->restart && options->shard_text != NULL)
        wrong = "--restart drops all parts: it goes without --shard";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL && dn_worker_pool_check(options->jobs, error) &&
           dn_timeline_parts(options->timeline_text, &options->timeline, error) &&
           (options->shard_text == NULL ||
            dn_shard_parse(options->shard_text, &options->shard, error));
}
