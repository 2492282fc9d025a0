/* replay_options.c - see replay_options.h. */
#include "commands/replay_options.h"

#include "commands/commands.h"
#include "experiment/worker_pool.h"
#include "report/timeline_files.h"

void dn_replay_options_clear(DnReplayOptions *o)
{
    dn_replay_query_clear(&o->query);
    g_free(o->output);
    g_free(o->timeline_text);
    g_strfreev(o->set);
}

gboolean dn_replay_options_check(int argc, char **argv, DnReplayOptions *o, GError **error)
{
    const char *wrong = NULL;
    gboolean nodes = dn_option_in_range(&o->query.nodes, 1, G_MAXINT);
    gboolean ranks = dn_option_in_range(&o->query.ranks_per_node, 1, G_MAXINT);
    gboolean run_file = argc == 2 && g_str_has_suffix(argv[1], ".yaml");
    gboolean described = o->query.machine != NULL || o->query.engine != NULL ||
                         o->query.placement != NULL || o->query.mechanism != NULL ||
                         o->query.algorithm != NULL || o->query.routing != NULL ||
                         o->query.packet != NULL || o->query.nodes > 0 ||
                         o->query.ranks_per_node > 0;
    if (argc != 2)
        wrong = "one trace or run file; usage: darner replay TRACE --on MACHINE";
    else if (!run_file && o->query.machine == NULL)
        wrong = "no machine given; usage: darner replay TRACE --on MACHINE; or a run file";
    else if (run_file && described)
        wrong = "a run file says all by itself; change it by --set";
    else if (!dn_option_in_range(&o->threads, 1, DN_MAX_THREADS))
        wrong = DN_THREADS_WRONG;
    else if (!nodes || !ranks)
        wrong = "--nodes and --ranks-per-node are 1 or more";
    else if (o->query.seed < 0 || !(o->query.compute_scale >= 0))
        wrong = "--seed and --compute-scale are not negative";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL && dn_worker_pool_check(o->jobs, error) &&
           dn_timeline_parts(o->timeline_text, &o->timeline, error);
}
