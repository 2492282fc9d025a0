/* analyze.c - `darner analyze MACHINE|RUN` computes bounds of the network without simulating. */
#include "commands/commands.h"
#include "experiment/network_analysis.h"
#include "report/analysis_report.h"
#include "report/stage_line.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    gint nodes, effort;
    gint64 seed;
    char *endpoints, *routing, *traffic, *paths, *json, *svg;
    char **set;
} Options;

static void options_clear(Options *o)
{
    g_free(o->endpoints);
    g_free(o->routing);
    g_free(o->traffic);
    g_free(o->paths);
    g_free(o->json);
    g_free(o->svg);
    g_strfreev(o->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean write_json(const DnAnalysis *a, const char *file, GError **error)
{
    g_autofree char *text = dn_analysis_json(a);
    return dn_command_write("--json", file, text, error);
}

static gboolean analyze_run(const char *subject, const Options *o, GError **error)
{
    g_auto(DnStageLine) line =
        dn_stage_line_new(stderr, isatty(STDERR_FILENO) ? DN_PROGRESS_TERMINAL : DN_PROGRESS_LINES);
    const DnNetworkAnalysisQuery query = {
        .subject = subject,
        .nodes = (guint32)o->nodes,
        .endpoints = o->endpoints,
        .set = (const char *const *)o->set,
        .routing = o->routing,
        .traffic = o->traffic,
        .fixed_paths = o->paths != NULL && strcmp(o->paths, "fixed") == 0,
        .seed = (guint64)o->seed,
        .effort = o->effort * 1e6,
        .stage = dn_stage_line_show,
        .stage_data = &line,
    };
    g_autoptr(DnAnalysis) a = dn_network_analysis(&query, error);
    dn_stage_line_clear(&line);
    if (a == NULL || (o->json != NULL && !write_json(a, o->json, error)) ||
        (o->svg != NULL && !dn_analysis_draw(a, o->svg, error)))
        return FALSE;
    if (o->json == NULL || strcmp(o->json, "-") != 0)
        dn_analysis_print(a);
    return TRUE;
}

static gboolean check_arguments(int argc, Options *o, GError **error)
{
    if (argc != 2)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner analyze: %d subjects given; wanted: one, a machine or a run file",
                    argc - 1);
    else if (!dn_option_in_range(&o->nodes, 1, G_MAXINT))
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --nodes %d; wanted: 1 or more", o->nodes);
    else if (o->seed < 0)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --seed %" G_GINT64_FORMAT "; wanted: 0 or more", o->seed);
    else if (o->effort < 1)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --effort %d; wanted: 1 or more", o->effort);
    else if (o->paths != NULL && !g_strv_contains(dn_spread_names, o->paths)) {
        g_autofree char *unknown = dn_unknown(o->paths, dn_spread_names, "known");
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "darner analyze: unknown --paths %s",
                    unknown);
    } else if (o->paths != NULL && o->routing != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner analyze: --paths and --routing both say which paths; give one");
    else
        return dn_command_check_place("--json", o->json, error) &&
               dn_command_check_place("--svg", o->svg, error);
    return FALSE;
}

int dn_command_analyze(int argc, char **argv)
{
    g_auto(Options) o = {.seed = 1, .effort = 300, .nodes = DN_OPTION_LEFT_OUT};
    const GOptionEntry entries[] = {
        {"nodes", 'n', 0, G_OPTION_ARG_INT, &o.nodes, "only the first N nodes", "N"},
        {"endpoints", 'e', 0, G_OPTION_ARG_STRING, &o.endpoints,
         "vertices that send: gpu, cpu or nic", "KIND"},
        {"traffic", 't', 0, G_OPTION_ARG_STRING, &o.traffic,
         "alltoall (default), shift, random_permutation, group_adversarial; of a run: its jobs'",
         "NAME"},
        {"paths", 'p', 0, G_OPTION_ARG_STRING, &o.paths,
         "equal (default): split over all shortest paths; fixed: one each", "HOW"},
        {"routing", 'r', 0, G_OPTION_ARG_STRING, &o.routing,
         "paths of a routing algorithm: minimal, '{algorithm: valiant, level: switch}'", "ROUTING"},
        {"effort", 0, 0, G_OPTION_ARG_INT, &o.effort,
         "work on the throughput bounds, in million arcs (default 300)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o.seed, "seed of random_permutation", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &o.set, "set a key of the machine or run",
         "KEY=VALUE"},
        {"json", 0, 0, G_OPTION_ARG_FILENAME, &o.json, "write JSON; -: print nothing else", "FILE"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &o.svg, "draw the load of the links (needs dot)",
         "FILE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    dn_option_renamed(argc, argv, "-j", "--json");
    if (!dn_command_options(&argc, &argv, entries, "MACHINE|RUN.yaml",
                            "Computes bounds on a network's throughput, without simulating.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    return check_arguments(argc, &o, &error) && analyze_run(argv[1], &o, &error)
               ? DN_EXIT_OK
               : dn_command_fail(error);
}
