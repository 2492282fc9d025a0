/* replay.c - `darner replay TRACE --on MACHINE` runs a recorded program on another machine. A run
 * file may also be given instead of a trace, with other jobs next to those of traces. */
#include <stdio.h>
#include <unistd.h>

#include "base/input_files.h"
#include "base/interrupt.h"
#include "commands/commands.h"
#include "commands/replay_options.h"
#include "report/replay_estimate.h"
#include "report/replay_report.h"

static gboolean check_timeline(const DnRunSpec *spec, const DnReplayOptions *o, GError **error)
{
    if (o->timeline == 0 || dn_engine_queues(spec->engine))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--timeline: only the packet engine has one; this run is for engine %s",
                spec->engine);
    return FALSE;
}

/* @file is run; @origin: where it stands afterwards. */
static gboolean replay_file(const char *file, const char *origin, DnResultFolder *folder,
                            const DnReplayOptions *o, GError **error)
{
    dn_input_files_begin();
    g_autoptr(DnRunSpec) spec = dn_replay_spec(file, (const char *const *)o->set, error);
    if (spec == NULL || !check_timeline(spec, o, error))
        return FALSE;
    g_autoptr(DnTimeline)
        timeline = o->timeline != 0 ? dn_timeline_new(DN_TIMELINE_MOST, o->timeline) : NULL;
    g_autofree DnReplayIdeals *ideals = NULL;
    g_autoptr(DnNetworkCache) networks = dn_network_cache_new();
    DnReplayHow how = {.threads = (guint)o->threads,
                       .jobs = (guint)o->jobs,
                       .ideals = !o->no_what_if,
                       .timeline = timeline,
                       .networks = networks};
    g_autoptr(DnReplayEstimate)
        estimate = dn_replay_estimate_new(spec, &how, o->yes || isatty(STDERR_FILENO), error);
    g_autofree char *read = dn_input_files_end();
    g_autofree char *inputs = dn_input_files_without(read, file);
    if (estimate == NULL)
        return FALSE;
    g_autoptr(DnRunResult) result = dn_replay_run(spec, file, &how, &ideals, error);
    if (result == NULL || (!o->allow_unmatched && !dn_replay_matched(result, file, error)) ||
        !dn_replay_write(spec, result, ideals, timeline, folder, origin, o->set, inputs, error))
        return FALSE;
    dn_replay_print(spec, result, ideals);
    printf("written: %s/ replay.csv calls.csv placement.csv algorithms.csv results.csv links.csv "
           "nics.csv summary.json%s\n",
           dn_result_folder_dir(folder), timeline != NULL ? " timeline.json timeline.paje" : "");
    return TRUE;
}

static gboolean replay_go(const char *argument, const DnReplayOptions *o, GError **error)
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
    if (!ok && trace && file != NULL)
        dn_replay_name_option(file, error);
    if (!ok && g_str_has_suffix(argument, ".et") &&
        g_error_matches(*error, DN_ERROR, DN_ERROR_STALLED))
        g_prefix_error(error,
                       "(a send over NCCL, --mechanism ccl, ends without its receive; of MPI "
                       "a long one waits for it)\n");
    if (!ok)
        dn_result_folder_drop(folder);
    return ok;
}

int dn_command_replay(int argc, char **argv)
{
    g_auto(DnReplayOptions) o = {.query = {.seed = 1,
                                           .compute_scale = 1,
                                           .nodes = DN_OPTION_LEFT_OUT,
                                           .ranks_per_node = DN_OPTION_LEFT_OUT},
                                 .jobs = 1,
                                 .threads = DN_OPTION_LEFT_OUT};
    const GOptionEntry entries[] = {
        {"on", 0, 0, G_OPTION_ARG_STRING, &o.query.machine, "machine: name in topologies/, or path",
         "MACHINE"},
        {"nodes", 0, 0, G_OPTION_ARG_INT, &o.query.nodes, "its first N nodes", "N"},
        {"ranks-per-node", 0, 0, G_OPTION_ARG_INT, &o.query.ranks_per_node,
         "ranks on a node (default: its endpoints)", "N"},
        {"placement", 0, 0, G_OPTION_ARG_STRING, &o.query.placement,
         "contiguous, random, random:SEED, random_node, random_switch,\n"
         "                                   random_group, spread, spread_switch, spread_group,\n"
         "                                   or '[endpoint of rank 0, of rank 1, ...]'",
         "HOW"},
        {"engine", 'e', 0, G_OPTION_ARG_STRING, &o.query.engine, "packet (default), flow, bound",
         "NAME"},
        {"mechanism", 0, 0, G_OPTION_ARG_STRING, &o.query.mechanism,
         "one of the machine, or {mapping}", "NAME"},
        {"algorithm", 0, 0, G_OPTION_ARG_STRING, &o.query.algorithm,
         "algorithm of collectives: auto, a name, {allreduce: ring, ...}", "NAME"},
        {"routing", 0, 0, G_OPTION_ARG_STRING, &o.query.routing,
         "routing algorithm (default: the machine's)", "NAME"},
        {"packet", 0, 0, G_OPTION_ARG_STRING, &o.query.packet, "payload of a packet", "SIZE"},
        {"compute-scale", 0, 0, G_OPTION_ARG_DOUBLE, &o.query.compute_scale,
         "factor on the recorded computing times (default 1)", "X"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.query.seed, "seed of all draws (default 1)", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "set any key of the run", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
         "folder of the results (default: out/TRACE)", "DIR"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &o.threads, "threads of the engine", "N"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &o.jobs, "simulate N runs at once", "N"},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &o.yes, "run although it takes more than an hour", NULL},
        {"timeline", 0, 0, G_OPTION_ARG_STRING, &o.timeline_text,
         "record what ranks, links or both do: timeline.json, .paje", "[ranks|links|all]"},
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
            "Prints how long the ranks took, in which MPI calls, what an ideal network would "
            "change,\nand which link limits. Writes run.yaml, replay.csv, calls.csv, "
            "placement.csv, algorithms.csv and what darner run writes.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!dn_replay_options_check(argc, argv, &o, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    return replay_go(argv[1], &o, &error) ? DN_EXIT_OK : dn_command_fail_set(error, o.set);
}
