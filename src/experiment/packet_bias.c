/* packet_bias.c - see packet_bias.h. */
#include "experiment/packet_bias.h"

#include "base/units.h"

#include <math.h>

/* When whole runs would take too long, both runs together take at most this part of the run's
 * packet hops, or ALWAYS_HOPS, which take some hundredths of a second. */
#define MOST_OF_RUN 0.03
#define ALWAYS_HOPS 40000.0
#define SHOWN 0.0005 /* a smaller difference of times is printed as 0.0 %, and so is none */
#define FIRST_LOOK 8 /* the first look takes this part of a run's time */
#define LEAST 0.01   /* of the run's time or payload; less is no result */

/* What the comparison may take, and what it is made of. */
typedef struct {
    gint64 once_ps;          /* an iteration of the run */
    double payload;          /* of it */
    double hops, own_hops;   /* of it, with the run's packets and with the machine's own */
    double all_own_hops;     /* of all iterations */
    double whole_most, most; /* of both runs together: whole, shortened */
} Affordable;

/* Returns how many packets one of the jobs under study stands for, at most. */
static guint aggregation_of(const DnRunSpec *spec)
{
    guint most = 1;
    for (guint j = 0; j < spec->n_jobs; j++)
        if (!spec->jobs[j].background)
            most = MAX(most, spec->jobs[j].aggregation);
    return most;
}

/* (transfer full): one iteration of each job with the run's packets, or, where @own_bytes is not 0,
 * the machine's own of so many bytes, until @until_ps (0: to the end). */
static DnRunResult *run_with(const DnRunSpec *spec, const DnRunOptions *options, gint64 own_bytes,
                             gint64 until_ps, DnNetworkCache *cache, GError **error)
{
    DnRunSpec sized = *spec;
    g_autofree guint32 *once = g_new(guint32, spec->n_jobs);
    g_autofree DnJobSpec *jobs = g_memdup2(spec->jobs, spec->n_jobs * sizeof *jobs);
    sized.jobs = jobs;
    if (own_bytes > 0)
        sized.packet_bytes = own_bytes;
    if (until_ps > 0)
        sized.until_ps = until_ps;
    for (guint j = 0; j < spec->n_jobs; j++) {
        once[j] = 1;
        if (own_bytes > 0 && !jobs[j].background)
            jobs[j].aggregation = 1;
    }
    DnRunOptions alike = *options;
    alike.iterations = once;
    alike.observer = NULL;
    return dn_simulate(&sized, &alike, cache, error);
}

/* The job whose first iteration differs most; n_jobs: no job finished one in both. */
static guint most_biased(const DnRunSpec *spec, const DnRunResult *run, const DnRunResult *own,
                         double *bias)
{
    guint found = run->n_jobs;
    for (guint j = 0; j < run->n_jobs; j++) {
        const DnJobResult *a = &run->jobs[j], *b = &own->jobs[j];
        if (spec->jobs[j].background || a->n_iterations == 0 || b->n_iterations == 0 ||
            b->iteration_ps[0] == 0)
            continue;
        double differs = (double)a->iteration_ps[0] / (double)b->iteration_ps[0] - 1;
        if (found < run->n_jobs && fabs(differs) <= fabs(*bias))
            continue;
        found = j;
        *bias = differs;
    }
    return found;
}

/* (transfer full): the difference of whole iterations; NULL: there are none, or it is not SHOWN. */
static char *bias_of_times(const DnRunSpec *spec, const DnRunResult *run, const DnRunResult *own,
                           DnPacketBias *measured)
{
    double bias = 0;
    guint j = most_biased(spec, run, own, &bias);
    *measured = (DnPacketBias){0};
    if (j == run->n_jobs)
        return NULL;
    *measured =
        (DnPacketBias){.own_bytes = own->packet_bytes, .job = j, .relative = bias, .share = 1};
    if (fabs(bias) < SHOWN)
        return NULL;
    char time[DN_UNIT_BUF], own_time[DN_UNIT_BUF];
    return g_strdup_printf("job %s takes %.1f %% %s (first iteration: %s and %s)",
                           run->jobs[j].name, 100 * fabs(bias), bias < 0 ? "less time" : "longer",
                           dn_format_time(run->jobs[j].iteration_ps[0], time),
                           dn_format_time(own->jobs[j].iteration_ps[0], own_time));
}

/* (transfer full): how much had arrived when both runs stopped; NULL: too little to say so. */
static char *arrived_text(const DnRunResult *run, const DnRunResult *own, gint64 until_ps,
                          const Affordable *a, DnPacketBias *measured)
{
    measured->arrived = (double)run->engine.payload_bytes / a->payload;
    measured->own_arrived = (double)own->engine.payload_bytes / a->payload;
    if (MIN(measured->arrived, measured->own_arrived) < LEAST)
        return NULL;
    measured->share = (double)until_ps / (double)a->once_ps;
    char time[DN_UNIT_BUF];
    return g_strdup_printf("by %s, %.2g %% of the run, %.3g %% of its payload had arrived, with "
                           "those %.3g %%; whole runs, which may differ more or less, were not "
                           "compared",
                           dn_format_time(until_ps, time), 100 * measured->share,
                           100 * measured->arrived, 100 * measured->own_arrived);
}

static char *not_compared_text(const Affordable *a, gint64 own_bytes, guint aggregation)
{
    char size[DN_UNIT_BUF];
    double millions = a->all_own_hops / 1e6;
    return g_strdup_printf("what that changes was not compared, as the run takes some %.*f million "
                           "packet hops with those; `packet: {size: %s}`%s shows it",
                           millions < 10 ? 2 : 0, millions, dn_format_bytes(own_bytes, size),
                           aggregation > 1 ? " without `packet_aggregation`" : "");
}

/* Returns how many of the machine's packets, of @own_bytes, replace one of a run with up to @bytes:
 * in short messages, and at the end of long ones, packets are smaller. */
static double own_packets(const DnEngineResult *run, gint64 bytes, gint64 own_bytes)
{
    double mean = (double)run->payload_bytes / (double)MAX(1, run->packets);
    return bytes < own_bytes ? (double)bytes / (double)own_bytes
                             : MAX(1, MIN(mean, (double)bytes) / (double)own_bytes);
}

/* (transfer full): a run with the run's packets until a time, at most *@until_ps, by which it takes
 * about @most_hops: ranks that begin together make most hops early. */
static DnRunResult *run_until_hops(const DnRunSpec *spec, const DnRunOptions *options,
                                   double most_hops, gint64 *until_ps, DnNetworkCache *cache,
                                   GError **error)
{
    gint64 look_ps = MAX(1, *until_ps / FIRST_LOOK);
    g_autoptr(DnRunResult) look = run_with(spec, options, 0, look_ps, cache, error);
    if (look == NULL)
        return NULL;
    double hops = (double)look->engine.packet_hops;
    double longer = hops > 0 ? MIN(FIRST_LOOK, most_hops / hops) : FIRST_LOOK;
    if (longer < 2) {
        *until_ps = look_ps;
        return g_steal_pointer(&look);
    }
    *until_ps = MIN(*until_ps, (gint64)(longer * (double)look_ps));
    return run_with(spec, options, 0, *until_ps, cache, error);
}

static Affordable affordable_of(const DnRunSpec *spec, const DnRunOptions *options,
                                const DnRunResult *result)
{
    gint64 own_bytes = result->machine->hardware.packet_bytes;
    guint32 iterations = 1;
    for (guint j = 0; j < result->n_jobs; j++)
        if (!spec->jobs[j].background)
            iterations = MAX(iterations, result->jobs[j].n_iterations);
    double all = MAX(1, (double)result->engine.packet_hops);
    gint64 bytes = result->packet_bytes * aggregation_of(spec);
    double smaller = own_packets(&result->engine, bytes, own_bytes);
    double most = MAX(ALWAYS_HOPS, MOST_OF_RUN * all), cap = (double)options->packet_bias_hops;
    return (Affordable){.once_ps = result->engine.end_ps / iterations,
                        .payload = MAX(1, (double)result->engine.payload_bytes / iterations),
                        .hops = all / iterations,
                        .own_hops = all / iterations * smaller,
                        .all_own_hops = all * smaller,
                        .whole_most = MIN(cap, MAX(most, options->packet_bias_whole_hops)),
                        .most = MIN(cap, most)};
}

/* (transfer full) in *@text: what the comparison found, or why there is none; NULL: no difference
 * that is SHOWN. */
static gboolean compare_sizes(const DnRunSpec *spec, const DnRunOptions *options,
                              DnNetworkCache *cache, DnRunResult *result, char **text,
                              GError **error)
{
    gint64 own_bytes = result->machine->hardware.packet_bytes;
    Affordable a = affordable_of(spec, options, result);
    gboolean whole = a.hops + a.own_hops <= a.whole_most;
    double share = a.most / (a.hops + a.own_hops);
    gint64 until_ps = whole ? 0 : (gint64)(MIN(1, share) * (double)a.once_ps);
    result->packet_bias = (DnPacketBias){.own_bytes = own_bytes, .job = result->n_jobs};
    if (!whole && share < LEAST) {
        *text = not_compared_text(&a, own_bytes, aggregation_of(spec));
        return TRUE;
    }
    g_autoptr(DnRunResult)
        run = whole ? run_with(spec, options, 0, 0, cache, error)
                    : run_until_hops(spec, options, share * a.hops, &until_ps, cache, error);
    g_autoptr(DnRunResult)
        own = run != NULL ? run_with(spec, options, own_bytes, until_ps, cache, error) : NULL;
    if (own == NULL)
        return FALSE;
    if (whole) {
        *text = bias_of_times(spec, run, own, &result->packet_bias);
        return TRUE;
    }
    *text = arrived_text(run, own, until_ps, &a, &result->packet_bias);
    if (*text == NULL)
        *text = not_compared_text(&a, own_bytes, aggregation_of(spec));
    return TRUE;
}

gboolean dn_packet_bias_warn(const DnRunSpec *spec, const DnRunOptions *options,
                             DnNetworkCache *cache, DnRunResult *result, GError **error)
{
    gint64 own_bytes = result->machine->hardware.packet_bytes;
    guint aggregation = aggregation_of(spec);
    gint64 bytes = result->packet_bytes * aggregation;
    if ((own_bytes == bytes && aggregation == 1) || !dn_engine_queues(result->engine_type->name))
        return TRUE;
    g_autofree char *text = NULL;
    if (!compare_sizes(spec, options, cache, result, &text, error))
        return FALSE;
    char size[DN_UNIT_BUF], own_size[DN_UNIT_BUF];
    if (text == NULL)
        return TRUE;
    result->packet_bias.text = g_strdup_printf("packets %sof %s, not the machine's own of %s: %s",
                                               aggregation > 1 ? "aggregated to packets " : "",
                                               dn_format_bytes(bytes, size),
                                               dn_format_bytes(own_bytes, own_size), text);
    g_ptr_array_add(result->warnings, g_strdup(result->packet_bias.text));
    return TRUE;
}
