/* replay.c - `darner replay TRACE --on MACHINE`: a recorded program on another machine.
 *
 * The options become a run file, which stays beside the results: `darner run` takes it too, and any
 * key may be added to it. A run file may also be given instead of a trace, with other jobs beside
 * those of traces. The same programs then run on networks that no one can build
 * (experiment/what_if.h). Where bandwidth is infinite nobody waits for a link, so engine `bound` is
 * exact there; without latency links are still shared, so the engine stays. */
#include <stdio.h>
#include <string.h>
#include <glib/gstdio.h>

#include "commands/commands.h"
#include "base/interrupt.h"
#include "commands/replay_report.h"
#include "experiment/results.h"
#include "report/run_files.h"
#include "trace/trace.h"

typedef struct {
    char *machine, *engine, *placement, *mechanism, *algorithm, *routing, *output, *packet;
    char **set;
    int nodes, ranks_per_node, threads;
    gint64 seed;
    double compute_scale;
    gboolean no_what_if;
} Options;

static void options_clear(Options *o)
{
    g_free(o->machine);
    g_free(o->engine);
    g_free(o->placement);
    g_free(o->mechanism);
    g_free(o->algorithm);
    g_free(o->routing);
    g_free(o->output);
    g_free(o->packet);
    g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* ---- a run file from options ---- */

static char *replay_absolute(const char *path)
{
    return g_canonicalize_filename(path, NULL);
}

/* A value for YAML, in quotes. */
static void put_text(GString *out, const char *indent, const char *key, const char *value)
{
    g_autofree char *escaped = g_strescape(value, NULL);
    g_string_append_printf(out, "%s%s: \"%s\"\n", indent, key, escaped);
}

/* As the user wrote it: a name, a number or {a mapping}. */
static void put_value(GString *out, const char *indent, const char *key, const char *value)
{
    if (value != NULL)
        g_string_append_printf(out, "%s%s: %s\n", indent, key, value);
}

/* random:7 is random by seed 7. */
static void put_placement(GString *out, Options *o)
{
    static const char random[] = "random:";
    if (o->placement == NULL)
        return;
    gboolean seeded = g_str_has_prefix(o->placement, random);
    put_value(out, "    ", "placement", seeded ? "random" : o->placement);
}

static gboolean read_seed(Options *o, GError **error)
{
    const char *colon = o->placement != NULL ? strchr(o->placement, ':') : NULL;
    if (colon == NULL || strchr("{[", o->placement[0]) != NULL)
        return TRUE;
    g_autofree char *word = g_strndup(o->placement, (gsize)(colon - o->placement));
    g_autoptr(GError) problem = NULL;
    guint64 seed;
    if (strcmp(word, "random") == 0 &&
        g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXINT64, &seed, &problem)) {
        o->seed = (gint64)seed;
        return TRUE;
    }
    g_autofree char *shown = dn_quote(o->placement);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--placement %s: after a colon stands the seed of random, a whole number: random:7",
                shown);
    return FALSE;
}

static char *run_text(Options *o, const char *trace, guint32 ranks, const char *name)
{
    GString *out = g_string_new("# made by darner replay\n");
    gboolean path = strchr(o->machine, '/') != NULL || g_str_has_suffix(o->machine, ".yaml");
    g_autofree char *machine = path ? replay_absolute(o->machine) : g_strdup(o->machine);
    g_autofree char *file = replay_absolute(trace);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    put_text(out, "", "machine", machine);
    if (o->nodes > 0)
        g_string_append_printf(out, "nodes: %d\n", o->nodes);
    put_value(out, "", "engine", o->engine != NULL ? o->engine : "packet");
    g_string_append_printf(out, "seed: %" G_GINT64_FORMAT "\n", o->seed);
    if (o->packet != NULL)
        g_string_append_printf(out, "packet: {size: %s}\n", o->packet);
    if (o->routing != NULL)
        g_string_append_printf(out, "routing: {algorithm: %s}\n", o->routing);
    g_string_append(out, "jobs:\n");
    put_text(out, "  - ", "name", name);
    g_string_append_printf(out, "    ranks: %u\n", ranks);
    put_placement(out, o);
    if (o->ranks_per_node > 0)
        g_string_append_printf(out, "    ranks_per_node: %d\n", o->ranks_per_node);
    put_value(out, "    ", "mechanism", o->mechanism);
    g_string_append(out, "    workload:\n      type: trace\n");
    put_text(out, "      ", "file", file);
    put_value(out, "      ", "algorithm", o->algorithm);
    g_string_append_printf(out, "      compute_scale: %s\n",
                           g_ascii_dtostr(number, sizeof number, o->compute_scale));
    return g_string_free(out, FALSE);
}

/* The trace's name without folder and endings. */
static char *name_of(const char *path)
{
    char *name = g_path_get_basename(path);
    char *dot = strchr(name + 1, '.');
    if (dot != NULL)
        *dot = '\0';
    return name;
}

/* Writes @folder/run.yaml; its path. */
static char *write_run(Options *o, const char *trace, const char *folder, GError **error)
{
    g_autoptr(DnTrace) opened = dn_trace_open(trace, NULL, error);
    g_autoptr(GError) problem = NULL;
    if (opened == NULL)
        return NULL;
    g_autofree char *name = name_of(trace);
    g_autofree char *text = run_text(o, trace, opened->ranks, name);
    char *file = g_build_filename(folder, "run.yaml", NULL);
    if (g_mkdir_with_parents(folder, 0777) == 0 && g_file_set_contents(file, text, -1, &problem))
        return file;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", folder,
                problem != NULL ? problem->message : "cannot be made");
    g_free(file);
    return NULL;
}

/* ---- runs ---- */

static DnRunSpec *replay_load(const char *file, const Options *o, GError **error)
{
    const char *const *set = (const char *const *)o->set;
    g_autoptr(DnSweep) sweep = dn_sweep_load(file, set, error);
    if (sweep == NULL)
        return NULL;
    if (sweep->n_points > 1) {
        dn_config_error(sweep->map, DN_ERROR_RANGE, error,
                        "a replay is one run, not a sweep of %u; darner run does sweeps",
                        sweep->n_points);
        return NULL;
    }
    return dn_sweep_spec(sweep, 0, error);
}

/* Makespans of all jobs in an ideal network: (transfer full). */
static gint64 *run_what_if(const DnRunSpec *spec, const Options *o, guint unlimited, GError **error)
{
    const DnRunOptions options = {.engine = unlimited & DN_WHAT_IF_BANDWIDTH ? "bound" : NULL,
                                  .threads = (guint)o->threads,
                                  .what_if = {.unlimited = unlimited},
                                  .progress = {.call = dn_interrupt_progress}};
    g_autoptr(DnRunResult) result = dn_simulate(spec, &options, NULL, error);
    if (result == NULL)
        return NULL;
    gint64 *makespans = g_new(gint64, result->n_jobs);
    for (guint j = 0; j < result->n_jobs; j++)
        makespans[j] = dn_replay_makespan(spec, result, j);
    return makespans;
}

static DnReplayIdeals *run_ideals(const DnRunSpec *spec, const Options *o, GError **error)
{
    g_autofree DnReplayIdeals *ideals = g_new0(DnReplayIdeals, spec->n_jobs);
    if (o->no_what_if)
        return g_steal_pointer(&ideals);
    g_autofree gint64 *bandwidth = run_what_if(spec, o, DN_WHAT_IF_BANDWIDTH, error);
    g_autofree gint64 *latency = bandwidth != NULL ? run_what_if(spec, o, DN_WHAT_IF_LATENCY, error)
                                                   : NULL;
    g_autofree gint64 *both =
        latency != NULL ? run_what_if(spec, o, DN_WHAT_IF_BANDWIDTH | DN_WHAT_IF_LATENCY, error)
                        : NULL;
    if (both == NULL)
        return NULL;
    for (guint j = 0; j < spec->n_jobs; j++)
        ideals[j] = (DnReplayIdeals){bandwidth[j], latency[j], both[j]};
    return g_steal_pointer(&ideals);
}

static void replay_print(const DnRunSpec *spec, const DnRunResult *result,
                         const DnReplayIdeals *ideals)
{
    for (guint i = 0; i < result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
    const DnGraphSize *size = &result->machine->graph->size;
    printf("machine  %s: nodes %u, endpoints %u\nengine   %s; not modelled: %s\n",
           result->machine->name, size->nodes, size->endpoints, result->engine_type->name,
           result->engine_type->limits);
    for (guint j = 0; j < result->n_jobs; j++) {
        if (result->jobs[j].n_calls == 0)
            continue;
        g_autofree char *text = dn_replay_text(spec, result, j, &ideals[j]);
        fputs(text, stdout);
    }
    g_autofree char *link = dn_bottleneck_text(result);
    if (link != NULL)
        printf("\nbottleneck %s\n", link);
}

static gboolean has_trace(const DnRunResult *result, const char *file, GError **error)
{
    for (guint j = 0; j < result->n_jobs; j++)
        if (result->jobs[j].n_calls > 0)
            return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                "%s: no job with `workload: {type: trace, ...}`; darner run takes others", file);
    return FALSE;
}

static gboolean replay_file(const char *file, const char *folder, const Options *o, GError **error)
{
    g_autoptr(DnRunSpec) spec = replay_load(file, o, error);
    if (spec == NULL)
        return FALSE;
    const DnRunOptions options = {.threads = (guint)o->threads,
                                  .progress = {.call = dn_interrupt_progress}};
    g_autoptr(DnRunResult) result = dn_simulate(spec, &options, NULL, error);
    if (result == NULL || !has_trace(result, file, error))
        return FALSE;
    g_autofree DnReplayIdeals *ideals = run_ideals(spec, o, error);
    if (ideals == NULL)
        return FALSE;
    g_autofree char *base = g_path_get_basename(folder);
    g_autoptr(DnRunFiles) files = dn_run_files_new(folder, base, NULL, 256, error);
    if (files == NULL)
        return FALSE;
    dn_run_files_origin(files, file, o->set);
    if (!dn_run_files_add(files, 0, spec, result, NULL, error) ||
        !dn_replay_write(spec, result, ideals, folder, error))
        return FALSE;
    replay_print(spec, result, ideals);
    printf("written: %s/ replay.csv calls.csv results.csv links.csv nics.csv summary.json\n",
           folder);
    return TRUE;
}

/* From a trace: its run file goes again when it is of no use. */
static gboolean replay_trace(const char *trace, const char *folder, Options *o, GError **error)
{
    g_autofree char *above = g_path_get_dirname(folder);
    gboolean there = g_file_test(folder, G_FILE_TEST_EXISTS);
    gboolean above_there = g_file_test(above, G_FILE_TEST_EXISTS);
    if (!read_seed(o, error))
        return FALSE;
    g_autofree char *file = write_run(o, trace, folder, error);
    if (file == NULL)
        return FALSE;
    if (replay_file(file, folder, o, error))
        return TRUE;
    g_unlink(file);
    if (!there)
        g_rmdir(folder);
    if (!above_there)
        g_rmdir(above);
    return FALSE;
}

/* ---- the command ---- */

static gboolean check_arguments(int argc, char **argv, const Options *o, GError **error)
{
    const char *wrong = NULL;
    gboolean run_file = argc == 2 && g_str_has_suffix(argv[1], ".yaml");
    gboolean described = o->machine != NULL || o->engine != NULL || o->placement != NULL ||
                         o->mechanism != NULL || o->algorithm != NULL || o->routing != NULL ||
                         o->packet != NULL || o->nodes > 0 || o->ranks_per_node > 0;
    if (argc != 2)
        wrong = "one trace or run file; usage: darner replay TRACE --on MACHINE";
    else if (!run_file && o->machine == NULL)
        wrong = "no machine given; usage: darner replay TRACE --on MACHINE; or a run file";
    else if (run_file && described)
        wrong = "a run file says all by itself; change it by --set";
    else if (o->threads < 0 || o->threads > 256)
        wrong = "--threads is out of range; allowed: 1 to 256";
    else if (o->nodes < 0 || o->ranks_per_node < 0 || o->seed < 0 || !(o->compute_scale >= 0))
        wrong = "--nodes, --ranks-per-node, --seed and --compute-scale are not negative";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

static gboolean replay_go(const char *argument, Options *o, GError **error)
{
    g_autofree char *name = name_of(argument);
    g_autofree char *folder = o->output != NULL ? g_strdup(o->output)
                                                : g_build_filename("out", name, NULL);
    if (g_str_has_suffix(argument, ".yaml"))
        return replay_file(argument, folder, o, error);
    return replay_trace(argument, folder, o, error);
}

int dn_command_replay(int argc, char **argv)
{
    g_auto(Options) o = {.seed = 1, .compute_scale = 1};
    const GOptionEntry entries[] = {
        {"on", 0, 0, G_OPTION_ARG_STRING, &o.machine, "name in topologies/ or path", "MACHINE"},
        {"nodes", 0, 0, G_OPTION_ARG_INT, &o.nodes, "a part of it", "N"},
        {"ranks-per-node", 0, 0, G_OPTION_ARG_INT, &o.ranks_per_node, "default: a node's endpoints",
         "N"},
        {"placement", 0, 0, G_OPTION_ARG_STRING, &o.placement,
         "contiguous, random, random:SEED, spread, ... as in run files", "HOW"},
        {"engine", 'e', 0, G_OPTION_ARG_STRING, &o.engine, "packet (default), flow, bound", "NAME"},
        {"mechanism", 0, 0, G_OPTION_ARG_STRING, &o.mechanism, "the machine's, or {mapping}",
         "NAME"},
        {"algorithm", 0, 0, G_OPTION_ARG_STRING, &o.algorithm,
         "of collectives: auto, a name, {allreduce: ring, ...}", "NAME"},
        {"routing", 0, 0, G_OPTION_ARG_STRING, &o.routing, "default: the machine's", "NAME"},
        {"packet", 0, 0, G_OPTION_ARG_STRING, &o.packet, "payload of a packet", "SIZE"},
        {"compute-scale", 0, 0, G_OPTION_ARG_DOUBLE, &o.compute_scale,
         "times what was recorded between calls (default 1)", "X"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.seed, "of all draws (default 1)", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "set any key of the run", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
         "folder of the results (default: out/TRACE)", "DIR"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &o.threads, "of the engine", "N"},
        {"no-ideal", 0, 0, G_OPTION_ARG_NONE, &o.no_what_if,
         "leave out the three runs on ideal networks", NULL},
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
