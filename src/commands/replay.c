/* replay.c - `darner replay TRACE --on MACHINE` runs a recorded program on another machine. A run
 * file may also be given instead of a trace, with other jobs next to those of traces. */
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "commands/commands.h"
#include "report/replay_report.h"
#include "experiment/worker_pool.h"

typedef struct {
    DnReplayQuery query;
    char *output, **set;
    int threads, jobs;
    gboolean no_what_if, allow_unmatched;
} Options;

static void options_clear(Options *o)
{
    dn_replay_query_clear(&o->query);
    g_free(o->output);
    g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* @file is run; @origin: where it stands afterwards. */
static gboolean replay_file(const char *file, const char *origin, DnResultFolder *folder,
                            const Options *o, GError **error)
{
    g_autoptr(DnRunSpec) spec = dn_replay_spec(file, (const char *const *)o->set, error);
    if (spec == NULL)
        return FALSE;
    g_autofree DnReplayIdeals *ideals = NULL;
    g_autoptr(DnRunResult) result = dn_replay_run(spec, file, (guint)o->threads, (guint)o->jobs,
                                                  !o->no_what_if, &ideals, error);
    if (result == NULL || (!o->allow_unmatched && !dn_replay_matched(result, file, error)) ||
        !dn_replay_write(spec, result, ideals, folder, origin, o->set, error))
        return FALSE;
    dn_replay_print(spec, result, ideals);
    printf("written: %s/ replay.csv calls.csv results.csv links.csv nics.csv summary.json\n",
           dn_result_folder_dir(folder));
    return TRUE;
}

static gboolean replay_go(const char *argument, const Options *o, GError **error)
{
    g_autofree char *name = dn_replay_name(argument);
    g_autofree char *dir = o->output != NULL ? g_strdup(o->output)
                                             : g_build_filename("out", name, NULL);
    g_autoptr(DnResultFolder) folder = dn_result_folder_open(dir, "lock", error);
    if (folder == NULL)
        return FALSE;
    dn_result_folder_drop(folder);
    gboolean trace = !g_str_has_suffix(argument, ".yaml"), ok = FALSE;
    g_autofree char *kept = g_build_filename(dir, "run.yaml", NULL);
    g_autofree char *file =
        trace ? dn_replay_write_run(&o->query, argument, dn_result_folder_work(folder), error)
              : g_strdup(argument);
    if (file != NULL)
        ok = replay_file(file, trace ? kept : file, folder, o, error);
    if (!ok)
        dn_result_folder_drop(folder);
    return ok;
}

static gboolean check_arguments(int argc, char **argv, Options *o, GError **error)
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
    else if (!dn_option_in_range(&o->threads, 1, 256))
        wrong = "--threads is out of range; allowed: 1 to 256";
    else if (!nodes || !ranks)
        wrong = "--nodes and --ranks-per-node are 1 or more";
    else if (o->query.seed < 0 || !(o->query.compute_scale >= 0))
        wrong = "--seed and --compute-scale are not negative";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL && dn_worker_pool_check(o->jobs, error);
}

int dn_command_replay(int argc, char **argv)
{
    g_auto(Options) o = {.query = {.seed = 1,
                                   .compute_scale = 1,
                                   .nodes = DN_OPTION_LEFT_OUT,
                                   .ranks_per_node = DN_OPTION_LEFT_OUT},
                         .jobs = 1,
                         .threads = DN_OPTION_LEFT_OUT};
    const GOptionEntry entries[] = {
        {"on", 0, 0, G_OPTION_ARG_STRING, &o.query.machine, "name in topologies/ or path",
         "MACHINE"},
        {"nodes", 0, 0, G_OPTION_ARG_INT, &o.query.nodes, "a part of it", "N"},
        {"ranks-per-node", 0, 0, G_OPTION_ARG_INT, &o.query.ranks_per_node,
         "default: a node's endpoints", "N"},
        {"placement", 0, 0, G_OPTION_ARG_STRING, &o.query.placement,
         "contiguous, random, random:SEED, spread, ... as in run files", "HOW"},
        {"engine", 'e', 0, G_OPTION_ARG_STRING, &o.query.engine, "packet (default), flow, bound",
         "NAME"},
        {"mechanism", 0, 0, G_OPTION_ARG_STRING, &o.query.mechanism, "the machine's, or {mapping}",
         "NAME"},
        {"algorithm", 0, 0, G_OPTION_ARG_STRING, &o.query.algorithm,
         "of collectives: auto, a name, {allreduce: ring, ...}", "NAME"},
        {"routing", 0, 0, G_OPTION_ARG_STRING, &o.query.routing, "default: the machine's", "NAME"},
        {"packet", 0, 0, G_OPTION_ARG_STRING, &o.query.packet, "payload of a packet", "SIZE"},
        {"compute-scale", 0, 0, G_OPTION_ARG_DOUBLE, &o.query.compute_scale,
         "times what was recorded between calls (default 1)", "X"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.query.seed, "of all draws (default 1)", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "set any key of the run", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
         "folder of the results (default: out/TRACE)", "DIR"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &o.threads, "of the engine", "N"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &o.jobs, "simulations at once, each a process", "N"},
        {"no-ideal", 0, 0, G_OPTION_ARG_NONE, &o.no_what_if,
         "leave out the three runs on ideal networks", NULL},
        {"allow-unmatched", 0, 0, G_OPTION_ARG_NONE, &o.allow_unmatched,
         "replay a trace with messages that no receive takes", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "TRACE|RUN.yaml",
            "Says how long the ranks took, in which MPI calls, what an ideal network would change, "
            "and which link\nlimits. Writes run.yaml, replay.csv, calls.csv and what darner run "
            "writes.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_arguments(argc, argv, &o, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    return replay_go(argv[1], &o, &error) ? DN_EXIT_OK : dn_command_fail_set(error, o.set);
}
