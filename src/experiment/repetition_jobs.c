/* repetition_jobs.c - see repetition_jobs.h. A repetition but the first is answered with what is
 * pooled of its result: by a worker, by this process, or by the one before that was cut. */
#include "experiment/repetition_jobs.h"

#include "experiment/repetition_store.h"
#include "experiment/repetitions.h"
#include "experiment/worker_pool.h"

#include <string.h>

typedef struct {
    const DnRunSpec *spec;
    const DnRunOptions *options;
    DnNetworkCache *cache;
    GVariant **answers; /* [repeat]; the first is not used */
    guint *missing;     /* [n_missing] repetitions without an answer, but for the first */
    guint n_missing;
    DnRepetitionStore *store; /* NULL: answers are not kept */
    DnWorkerPool *pool;
    gboolean over;
    GError *error; /* of the pool */
} RepetitionRuns;

/* ---- what is pooled of a job, as bytes ---- */

enum { PART_TIMES, PART_ENDS, PART_NIC, PART_LATENCIES, PART_ALONE, PART_ALONE_ENDS, PARTS };
#define JOB_TYPE "aay"

static GVariant *part_new(gconstpointer items, gsize n, gsize size)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, items, items != NULL ? n * size : 0, 1);
}

static GVariant *job_parts(const DnJobResult *job)
{
    GVariant *parts[PARTS] = {
        [PART_TIMES] = part_new(job->iteration_ps, job->n_iterations, sizeof(gint64)),
        [PART_ENDS] = part_new(job->end_ps, job->n_iterations, sizeof(gint64)),
        [PART_NIC] = part_new(job->nic, job->n_iterations, sizeof *job->nic),
        [PART_LATENCIES] = part_new(job->latency_ps, job->n_latency, sizeof(gint64)),
        [PART_ALONE] = part_new(job->alone.time_ps, job->alone.n, sizeof(gint64)),
        [PART_ALONE_ENDS] = part_new(job->alone.end_ps, job->alone.n, sizeof(gint64)),
    };
    return g_variant_new_array(G_VARIANT_TYPE("ay"), parts, PARTS);
}

/* (transfer full): the items of part @part, *@n of them; NULL: none. */
static gpointer part_items(GVariant *parts, guint part, gsize size, gsize *n)
{
    g_autoptr(GVariant) bytes = g_variant_get_child_value(parts, part);
    gsize length;
    gconstpointer items = g_variant_get_fixed_array(bytes, &length, 1);
    *n = length / size;
    return *n > 0 ? g_memdup2(items, length) : NULL;
}

static void job_read(DnJobResult *job, GVariant *parts)
{
    gsize n;
    job->iteration_ps = part_items(parts, PART_TIMES, sizeof(gint64), &n);
    job->n_iterations = (guint32)n;
    job->end_ps = part_items(parts, PART_ENDS, sizeof(gint64), &n);
    job->nic = part_items(parts, PART_NIC, sizeof *job->nic, &n);
    job->latency_ps = part_items(parts, PART_LATENCIES, sizeof(gint64), &n);
    job->n_latency = n;
    job->alone.time_ps = part_items(parts, PART_ALONE, sizeof(gint64), &n);
    job->alone.n = (guint32)n;
    job->alone.end_ps = part_items(parts, PART_ALONE_ENDS, sizeof(gint64), &n);
}

static void job_clear(DnJobResult *job)
{
    g_free(job->iteration_ps);
    g_free(job->end_ps);
    g_free(job->nic);
    g_free(job->latency_ps);
    g_free(job->alone.time_ps);
    g_free(job->alone.end_ps);
}

static void pool_answer(DnRunResult *into, GVariant *answer)
{
    g_autoptr(GVariant) jobs = g_variant_lookup_value(answer, "jobs", G_VARIANT_TYPE("a" JOB_TYPE));
    g_autofree DnJobResult *read = g_new0(DnJobResult, into->n_jobs);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new();
    g_auto(GStrv) texts = NULL;
    DnRunResult other = {.jobs = read, .n_jobs = into->n_jobs, .warnings = warnings};
    g_variant_lookup(answer, "cpu_s", "d", &other.engine.cpu_s);
    g_variant_lookup(answer, "warnings", "^aay", &texts);
    for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
        g_ptr_array_add(warnings, texts[i]);
    for (guint j = 0; j < into->n_jobs; j++) {
        g_autoptr(GVariant) parts = g_variant_get_child_value(jobs, j);
        job_read(&read[j], parts);
    }
    dn_repetitions_pool(into, &other);
    for (guint j = 0; j < into->n_jobs; j++)
        job_clear(&read[j]);
}

/* ---- a repetition but the first ---- */

/* (floating): what is pooled of repetition @r. */
static GVariant *simulate_repetition(const RepetitionRuns *runs, guint r,
                                     const DnRunProgress *progress, GError **error)
{
    DnRunOptions how = *runs->options;
    how.observer = NULL; /* what it keeps is of the first one */
    how.progress = *progress;
    g_autoptr(DnRunSpec) spec = dn_run_spec_repetition(runs->spec, r, error);
    g_autoptr(DnRunResult)
        result = spec != NULL ? dn_experiment_repetition(spec, &how, runs->cache, error) : NULL;
    if (result == NULL)
        return NULL;
    GVariantBuilder jobs;
    GVariantDict answer;
    g_variant_builder_init(&jobs, G_VARIANT_TYPE("a" JOB_TYPE));
    for (guint j = 0; j < result->n_jobs; j++)
        g_variant_builder_add_value(&jobs, job_parts(&result->jobs[j]));
    g_variant_dict_init(&answer, NULL);
    g_variant_dict_insert_value(&answer, "jobs", g_variant_builder_end(&jobs));
    g_variant_dict_insert(&answer, "cpu_s", "d", result->engine.cpu_s);
    g_variant_dict_insert_value(
        &answer, "warnings",
        g_variant_new_bytestring_array((const char *const *)result->warnings->pdata,
                                       result->warnings->len));
    return g_variant_dict_end(&answer);
}

static gboolean report_repetition(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)unused;
    (void)events;
    return dn_worker_pool_report(now_ps, packet_hops);
}

static GVariant *work_repetition(void *data, guint r, GError **error)
{
    const DnRunProgress progress = {.call = report_repetition};
    return simulate_repetition(data, r, &progress, error);
}

/* ---- in the caller ---- */

static gboolean keep_answer(void *data, guint r, GVariant *answer, GError **error)
{
    const RepetitionRuns *runs = data;
    runs->answers[r] = g_variant_ref_sink(answer);
    return runs->store == NULL || dn_repetition_store_add(runs->store, r, runs->answers, error);
}

/* Takes the repetitions that were kept; the others are left to simulate. */
static gboolean take_kept(RepetitionRuns *runs, GError **error)
{
    const DnRepetitionKeep *keep = &runs->options->keep;
    if (keep->dir != NULL && runs->options->processes == NULL) {
        runs->store = dn_repetition_store_open(keep, runs->spec->repeat, error);
        if (runs->store == NULL)
            return FALSE;
    }
    for (guint r = 1; r < runs->spec->repeat; r++) {
        g_autoptr(GError) problem = NULL;
        if (runs->store != NULL)
            runs->answers[r] = dn_repetition_store_get(runs->store, r, &problem);
        if (problem != NULL) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        if (runs->answers[r] == NULL)
            runs->missing[runs->n_missing++] = r;
    }
    return TRUE;
}

static gboolean look_after(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    RepetitionRuns *runs = data;
    const DnRunProgress *progress = &runs->options->progress;
    return (runs->over || dn_worker_pool_step(runs->pool, 0, &runs->over, &runs->error)) &&
           (progress->call == NULL || progress->call(progress->data, now_ps, events, packet_hops));
}

/* (transfer full): the first repetition, while workers do the others. */
static DnRunResult *run_at_once(RepetitionRuns *runs, GError **error)
{
    const DnWorkerTask task = {.work = work_repetition, .done = keep_answer, .data = runs};
    DnRunOptions how = *runs->options;
    how.progress = (DnRunProgress){.call = look_after, .data = runs};
    g_autoptr(DnWorkerPool)
        pool = dn_worker_pool_new(runs->missing, runs->n_missing, runs->options->jobs - 1, &task);
    runs->pool = pool;
    g_autoptr(DnRunResult) first = dn_experiment_repetition(runs->spec, &how, runs->cache, error);
    if (runs->error != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&runs->error));
        return NULL;
    }
    while (first != NULL && !runs->over)
        if (!dn_worker_pool_step(pool, DN_WORKER_POOL_LOOK_MS, &runs->over, error))
            return NULL;
    return g_steal_pointer(&first);
}

/* (transfer full): the first repetition, run after the others: the store keeps only what is pooled
 * of a repetition, and all of the first is needed. */
static DnRunResult *run_in_turn(RepetitionRuns *runs, GError **error)
{
    for (guint i = 0; i < runs->n_missing; i++) {
        guint r = runs->missing[i];
        GVariant *answer = simulate_repetition(runs, r, &runs->options->progress, error);
        if (answer == NULL || !keep_answer(runs, r, answer, error))
            return NULL;
    }
    return dn_experiment_repetition(runs->spec, runs->options, runs->cache, error);
}

DnRunResult *dn_repetition_jobs_run(const DnRunSpec *spec, const DnRunOptions *options,
                                    DnNetworkCache *cache, GError **error)
{
    g_autofree guint *missing = g_new(guint, spec->repeat);
    g_autofree GVariant **answers = g_new0(GVariant *, spec->repeat);
    RepetitionRuns runs = {
        .spec = spec, .options = options, .cache = cache, .answers = answers, .missing = missing};
    DnRunResult *result = NULL;
    if (take_kept(&runs, error))
        result = options->jobs > 1 && runs.n_missing > 0 ? run_at_once(&runs, error)
                                                         : run_in_turn(&runs, error);
    for (guint r = 1; r < spec->repeat; r++) {
        if (result != NULL)
            pool_answer(result, answers[r]);
        g_clear_pointer(&answers[r], g_variant_unref);
    }
    dn_repetition_store_free(runs.store);
    return result;
}
