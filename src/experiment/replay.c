/* replay.c - see replay.h. */
#include "experiment/replay.h"
#include "base/cpu_clock.h"
#include "base/interrupt.h"
#include "experiment/packet_bias.h"
#include "experiment/worker_pool.h"
#include "trace/trace.h"

#include <math.h>
#include <string.h>

void dn_replay_query_clear(DnReplayQuery *query)
{
    g_free(query->machine);
    g_free(query->engine);
    g_free(query->placement);
    g_free(query->mechanism);
    g_free(query->algorithm);
    g_free(query->routing);
    g_free(query->packet);
}

gint64 dn_replay_makespan(const DnRunSpec *spec, const DnRunResult *result, guint job)
{
    gint64 done_ps = 0;
    for (guint32 r = 0; r < result->jobs[job].ranks; r++)
        done_ps = MAX(done_ps, result->jobs[job].done_ps[r]);
    return done_ps - spec->jobs[job].start_ps;
}

/* *@seed: that of `random:7`, else the query's. */
static gboolean read_seed(const DnReplayQuery *o, gint64 *seed, GError **error)
{
    *seed = o->seed;
    const char *colon = o->placement != NULL ? strchr(o->placement, ':') : NULL;
    if (colon == NULL || strchr("{[", o->placement[0]) != NULL)
        return TRUE;
    g_autofree char *word = g_strndup(o->placement, (gsize)(colon - o->placement));
    g_autoptr(GError) problem = NULL;
    guint64 given;
    if (strcmp(word, "random") == 0 &&
        g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXINT64, &given, &problem)) {
        *seed = (gint64)given;
        return TRUE;
    }
    g_autofree char *shown = dn_quote(o->placement);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--placement %s: after a colon stands the seed of random, a whole number: random:7",
                shown);
    return FALSE;
}

static char *replay_absolute(const char *path)
{
    return g_canonicalize_filename(path, NULL);
}

static void put_text(GString *out, const char *indent, const char *key, const char *value)
{
    g_autofree char *quoted = dn_config_quote(value);
    g_string_append_printf(out, "%s%s: %s\n", indent, key, quoted);
}

/* Writes a value as the user wrote it: a name, a number or {a mapping}. */
static void put_value(GString *out, const char *indent, const char *key, const char *value)
{
    if (value != NULL)
        g_string_append_printf(out, "%s%s: %s\n", indent, key, value);
}

/* random:7 is random by seed 7. */
static void put_placement(GString *out, const DnReplayQuery *o)
{
    static const char random[] = "random:";
    if (o->placement == NULL)
        return;
    gboolean seeded = g_str_has_prefix(o->placement, random);
    put_value(out, "    ", "placement", seeded ? "random" : o->placement);
}

/* A mistake in a name or path is the option's, not that of the run file made of it. */
static gboolean check_machine(const char *name, GError **error)
{
    const DnConfigNode at = {.file = "--on", .line = 1, .column = 1};
    g_autofree char *file = dn_machine_find(name, &at, error);
    return file != NULL;
}

static char *run_text(const DnReplayQuery *o, const char *trace, guint32 ranks, gint64 seed,
                      const char *name)
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
    g_string_append_printf(out, "seed: %" G_GINT64_FORMAT "\n", seed);
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

char *dn_replay_name(const char *path)
{
    char *name = g_path_get_basename(path);
    char *dot = strchr(name + 1, '.');
    if (dot != NULL)
        *dot = '\0';
    return name;
}

char *dn_replay_write_run(const DnReplayQuery *o, const char *trace, const char *folder,
                          GError **error)
{
    g_autoptr(DnTrace) opened = dn_trace_open_again(trace, NULL, error);
    g_autoptr(GError) problem = NULL;
    gint64 seed;
    if (opened == NULL || !read_seed(o, &seed, error) || !check_machine(o->machine, error))
        return NULL;
    g_autofree char *name = dn_replay_name(trace);
    g_autofree char *text = run_text(o, trace, opened->ranks, seed, name);
    char *file = g_build_filename(folder, "run.yaml", NULL);
    if (g_mkdir_with_parents(folder, 0777) == 0 && g_file_set_contents(file, text, -1, &problem))
        return file;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", folder,
                problem != NULL ? problem->message : "cannot be made");
    g_free(file);
    return NULL;
}

/* Returns the option of which line @n of @text, a run file made above, has the value; or NULL. */
static const char *option_of_line(const char *text, guint64 n)
{
    static const char *const options[][2] = {
        {"machine", "on"},
        {"nodes", "nodes"},
        {"ranks_per_node", "ranks-per-node"},
        {"placement", "placement"},
        {"engine", "engine"},
        {"mechanism", "mechanism"},
        {"algorithm", "algorithm"},
        {"routing", "routing"},
        {"packet", "packet"},
        {"compute_scale", "compute-scale"},
    };
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (n < 1 || n > g_strv_length(lines))
        return NULL;
    g_auto(GStrv) key = g_strsplit(g_strchug(lines[n - 1]), ":", 2);
    for (guint i = 0; i < G_N_ELEMENTS(options); i++)
        if (g_strcmp0(options[i][0], key[0]) == 0)
            return options[i][1];
    return NULL;
}

void dn_replay_name_option(const char *file, GError **error)
{
    g_autofree char *text = NULL;
    g_autofree char *place = g_strconcat(file, ":", NULL);
    if (error == NULL || *error == NULL || !g_str_has_prefix((*error)->message, place) ||
        !g_file_get_contents(file, &text, NULL, NULL))
        return;
    const char *line = (*error)->message + strlen(place);
    const char *option = option_of_line(text, g_ascii_strtoull(line, NULL, 10));
    const char *said = strstr(line, ": ");
    if (option == NULL || said == NULL)
        return;
    char *message = g_strdup_printf("--%s%s", option, said);
    g_free((*error)->message);
    (*error)->message = message;
}

DnRunSpec *dn_replay_spec(const char *file, const char *const *set, GError **error)
{
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

/* ---- networks that no one can build ---- */

enum { IDEAL_BANDWIDTH, IDEAL_LATENCY, IDEAL_BOTH, IDEALS };
static const guint ideal_unlimited[IDEALS] = {
    [IDEAL_BANDWIDTH] = DN_WHAT_IF_BANDWIDTH,
    [IDEAL_LATENCY] = DN_WHAT_IF_LATENCY,
    [IDEAL_BOTH] = DN_WHAT_IF_BANDWIDTH | DN_WHAT_IF_LATENCY,
};

double dn_replay_run_weight(guint run)
{
    return run > 0 && ideal_unlimited[run - 1] & DN_WHAT_IF_BANDWIDTH ? 0.3 : 1.0;
}

typedef struct {
    const DnRunSpec *spec;
    const DnReplayHow *how;
    DnReplayIdeals *ideals; /* [n_jobs] */
} IdealRuns;

static gboolean replay_progress(const DnReplayHow *how, guint run, gint64 now_ps,
                                guint64 packet_hops, double cpu_s, GError **error)
{
    return how->progress == NULL ||
           how->progress(how->data, run, now_ps, packet_hops, cpu_s, error);
}

static gboolean replay_done(const DnReplayHow *how, guint run, double cpu_s, GError **error)
{
    return how->done == NULL || how->done(how->data, run, cpu_s, error);
}

static gboolean ideal_progress(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)unused;
    (void)events;
    return dn_worker_pool_report(now_ps, packet_hops);
}

/* The makespans of all jobs in an ideal network. */
static GVariant *ideal_run(void *data, guint ideal, GError **error)
{
    const IdealRuns *runs = data;
    guint unlimited = ideal_unlimited[ideal];
    const DnRunOptions options = {.engine = unlimited & DN_WHAT_IF_BANDWIDTH ? "bound" : NULL,
                                  .threads = runs->how->threads,
                                  .what_if = {.unlimited = unlimited},
                                  .progress = {.call = ideal_progress}};
    g_autoptr(DnRunResult) result = dn_simulate(runs->spec, &options, runs->how->networks, error);
    if (result == NULL)
        return NULL;
    GVariantBuilder makespans;
    g_variant_builder_init(&makespans, G_VARIANT_TYPE("ax"));
    for (guint j = 0; j < result->n_jobs; j++)
        g_variant_builder_add(&makespans, "x", dn_replay_makespan(runs->spec, result, j));
    GVariantDict answer;
    g_variant_dict_init(&answer, NULL);
    g_variant_dict_insert_value(&answer, "makespans", g_variant_builder_end(&makespans));
    return g_variant_dict_end(&answer);
}

static gboolean ideal_done(void *data, guint ideal, GVariant *answer, GError **error)
{
    const IdealRuns *runs = data;
    g_autoptr(GVariant)
        makespans = g_variant_lookup_value(answer, "makespans", G_VARIANT_TYPE("ax"));
    for (guint j = 0; makespans != NULL && j < runs->spec->n_jobs; j++) {
        gint64 ps = 0;
        g_variant_get_child(makespans, j, "x", &ps);
        if (ideal == IDEAL_BANDWIDTH)
            runs->ideals[j].bandwidth_ps = ps;
        else if (ideal == IDEAL_LATENCY)
            runs->ideals[j].latency_ps = ps;
        else
            runs->ideals[j].both_ps = ps;
    }
    return replay_done(runs->how, 1 + ideal, dn_worker_pool_item_cpu_s(), error);
}

static gboolean ideal_goes_on(void *data, guint ideal, gint64 now_ps, guint64 packet_hops,
                              GError **error)
{
    const IdealRuns *runs = data;
    return replay_progress(runs->how, 1 + ideal, now_ps, packet_hops, dn_worker_pool_item_cpu_s(),
                           error);
}

static gboolean has_trace(const DnRunResult *result, const char *file, GError **error)
{
    for (guint j = 0; j < result->n_jobs; j++)
        if (result->jobs[j].trace.n_calls > 0)
            return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                "%s: no job with `workload: {type: trace, ...}`; darner run takes others", file);
    return FALSE;
}

gboolean dn_replay_matched(const DnRunResult *result, const char *file, GError **error)
{
    for (guint j = 0; j < result->n_jobs; j++)
        if (result->jobs[j].trace.n_calls > 0 && result->jobs[j].trace.unreceived != NULL) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                        "%s: %s; --allow-unmatched replays it all the same", file,
                        result->jobs[j].trace.unreceived);
            return FALSE;
        }
    return TRUE;
}

/* While the replay itself runs, others are at work: looks after them. */
typedef struct {
    const DnReplayHow *how;
    double begun_s;     /* CPU time of the process before the replay itself */
    DnWorkerPool *pool; /* NULL: none */
    gboolean over;
    GError *error;
} Meanwhile;

static gboolean look_after(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    Meanwhile *meanwhile = data;
    (void)events;
    return (meanwhile->pool == NULL || meanwhile->over ||
            dn_worker_pool_step(meanwhile->pool, 0, &meanwhile->over, &meanwhile->error)) &&
           replay_progress(meanwhile->how, 0, now_ps, packet_hops,
                           dn_cpu_clock_s() - meanwhile->begun_s, &meanwhile->error) &&
           !dn_interrupted();
}

/* The replay here, the ideal networks elsewhere. */
static DnRunResult *run_meanwhile(const DnRunSpec *spec, Meanwhile *meanwhile, GError **error)
{
    const DnReplayHow *how = meanwhile->how;
    const DnRunObserver observer = {.timeline = how->timeline};
    const DnRunOptions options = {.threads = how->threads,
                                  .observer = how->timeline != NULL ? &observer : NULL,
                                  .progress = {.call = look_after, .data = meanwhile}};
    meanwhile->begun_s = dn_cpu_clock_s();
    g_autoptr(DnRunResult) result = dn_simulate(spec, &options, how->networks, error);
    if (result != NULL && meanwhile->error == NULL)
        (void)replay_done(how, 0, dn_cpu_clock_s() - meanwhile->begun_s, &meanwhile->error);
    if (meanwhile->error != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&meanwhile->error));
        return NULL;
    }
    return g_steal_pointer(&result);
}

/* What the size of packets changes, where it is not the machine's own. */
static gboolean replay_packet_bias(const DnRunSpec *spec, guint threads, DnRunResult *result,
                                   GError **error)
{
    g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
    const DnRunOptions options = {.threads = threads,
                                  .packet_bias_hops = DN_PACKET_BIAS_HOPS,
                                  .packet_bias_whole_hops = DN_PACKET_BIAS_WHOLE_HOPS,
                                  .progress = {.call = dn_interrupt_progress}};
    return dn_packet_bias_warn(spec, &options, cache, result, error);
}

/* Sets the shares of the job that takes longest by its times on the ideal networks. */
static void replay_shares(const DnRunSpec *spec, const DnReplayIdeals *ideals, DnRunResult *result)
{
    guint j = 0;
    for (guint k = 1; k < spec->n_jobs; k++)
        if (!spec->jobs[k].background &&
            (spec->jobs[j].background ||
             dn_replay_makespan(spec, result, k) > dn_replay_makespan(spec, result, j)))
            j = k;
    double whole_ps = (double)dn_replay_makespan(spec, result, j);
    if (ideals[j].both_ps <= 0 || whole_ps <= 0)
        return;
    result->shares = (DnTimeShares){
        .known = TRUE,
        .job = j,
        .latency = MAX(0.0, 1.0 - (double)ideals[j].latency_ps / whole_ps),
        .compute = NAN,
        .endpoint = NAN,
        .program = (double)ideals[j].both_ps / whole_ps,
        .transfer = MAX(0.0, 1.0 - (double)ideals[j].bandwidth_ps / whole_ps),
    };
}

DnRunResult *dn_replay_run(const DnRunSpec *spec, const char *file, const DnReplayHow *how,
                           DnReplayIdeals **ideals, GError **error)
{
    static const guint all[IDEALS] = {IDEAL_BANDWIDTH, IDEAL_LATENCY, IDEAL_BOTH};
    g_autofree DnReplayIdeals *found = g_new0(DnReplayIdeals, spec->n_jobs);
    IdealRuns runs = {.spec = spec, .how = how, .ideals = found};
    const DnWorkerTask task = {
        .work = ideal_run, .done = ideal_done, .progress = ideal_goes_on, .data = &runs};
    guint n = how->ideals ? IDEALS : 0;
    g_autoptr(DnWorkerPool) pool = how->jobs > 1 ? dn_worker_pool_new(all, n, how->jobs - 1, &task)
                                                 : NULL;
    Meanwhile meanwhile = {.how = how, .pool = pool};
    g_autoptr(DnRunResult) result = run_meanwhile(spec, &meanwhile, error);
    if (result == NULL || !has_trace(result, file, error))
        return NULL;
    while (pool != NULL && !meanwhile.over)
        if (!dn_worker_pool_step(pool, DN_WORKER_POOL_LOOK_MS, &meanwhile.over, error))
            return NULL;
    if (pool == NULL && !dn_worker_pool_run(all, n, 1, &task, error))
        return NULL;
    if (!replay_packet_bias(spec, how->threads, result, error))
        return NULL;
    replay_shares(spec, found, result);
    *ideals = g_steal_pointer(&found);
    return g_steal_pointer(&result);
}
