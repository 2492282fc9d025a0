/* repetitions.c - see repetitions.h. */
#include "experiment/repetitions.h"
#include <string.h>

/* (transfer full): @n items of @size bytes, then @more others, in place of @items. */
static gpointer join_items(gpointer items, gsize n, gconstpointer others, gsize more, gsize size)
{
    char *joined = g_malloc0_n(n + more + 1, size);
    if (n > 0)
        memcpy(joined, items, n * size);
    if (more > 0)
        memcpy(joined + n * size, others, more * size);
    g_free(items);
    return joined;
}

/* Appends @more to the counts of the @repetitions before, which had @n items together. @counts is
 * NULL after the first of them, or where none had any. */
static guint32 *join_counts(guint32 *counts, guint repetitions, guint32 n, guint32 more)
{
    if (counts == NULL) {
        g_assert(repetitions == 1 || n == 0);
        counts = g_new0(guint32, repetitions);
        counts[0] = n;
    }
    return join_items(counts, repetitions, &more, 1, sizeof *counts);
}

static void pool_alone(DnIterationTimes *into, const DnIterationTimes *other, guint repetitions)
{
    if (into->n == 0 && other->n == 0)
        return;
    into->time_ps = join_items(into->time_ps, into->n, other->time_ps, other->n, sizeof(gint64));
    into->end_ps = join_items(into->end_ps, into->n, other->end_ps, other->n, sizeof(gint64));
    into->per_repetition = join_counts(into->per_repetition, repetitions, into->n, other->n);
    into->n += other->n;
}

static void pool_job(DnJobResult *into, const DnJobResult *other, guint repetitions)
{
    guint32 n = into->n_iterations, more = other->n_iterations;
    into->iteration_ps =
        join_items(into->iteration_ps, n, other->iteration_ps, more, sizeof(gint64));
    into->end_ps = join_items(into->end_ps, n, other->end_ps, more, sizeof(gint64));
    if (into->nic != NULL && other->nic != NULL)
        into->nic = join_items(into->nic, n, other->nic, more, sizeof *into->nic);
    else
        g_clear_pointer(&into->nic, g_free);
    into->per_repetition = join_counts(into->per_repetition, repetitions, n, more);
    into->n_iterations += more;
    into->latency_ps = join_items(into->latency_ps, into->n_latency, other->latency_ps,
                                  other->n_latency, sizeof(gint64));
    into->n_latency += other->n_latency;
    pool_alone(&into->alone, &other->alone, repetitions);
}

void dn_repetitions_pool(DnRunResult *into, const DnRunResult *other)
{
    g_assert(into->n_jobs == other->n_jobs);
    for (guint j = 0; j < into->n_jobs; j++)
        pool_job(&into->jobs[j], &other->jobs[j], into->repetitions);
    for (guint i = 0; i < other->warnings->len; i++) {
        const char *text = other->warnings->pdata[i];
        if (!g_ptr_array_find_with_equal_func(into->warnings, text, g_str_equal, NULL))
            g_ptr_array_add(into->warnings, g_strdup(text));
    }
    into->engine.cpu_s += other->engine.cpu_s;
    into->repetitions++;
}
