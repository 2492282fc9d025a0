/* results.c - figures out of a finished simulation.
 *
 * LIMITATIONS: the bottleneck is the link that was busy longest. A link that is fully busy limits;
 * one busy half of the time may still limit a workload of phases: the share is printed for that. A
 * link on which jobs rest between iterations (`pause`) counts as idle meanwhile. */
#include "experiment/results.h"
#include "base/number.h"
#include "base/units.h"
#include <math.h>
#include <stdlib.h>

#define IDLE_LINKS 0.1 /* where the busiest link is busy for less of the run, none limits it */

static DnJobSample sample_of(const gint64 *time_ps, guint32 n, const guint32 *per_repetition,
                             guint repetitions)
{
    DnJobSample s = {.values_us = g_new(double, n + 1)};
    for (guint32 i = 0; i < n; i++)
        s.values_us[i] = (double)time_ps[i] * 1e-6;
    s.sample = (DnSample){.values = s.values_us,
                          .n = n,
                          .group_n = per_repetition,
                          .n_groups = per_repetition != NULL ? repetitions : 1};
    return s;
}

DnJobSample dn_job_sample(const DnJobResult *job, guint repetitions)
{
    if (job->load.unpaced)
        return sample_of(NULL, 0, NULL, repetitions);
    return sample_of(job->iteration_ps, job->n_iterations, job->per_repetition, repetitions);
}

DnJobSample dn_job_sample_alone(const DnJobResult *job, guint repetitions)
{
    return sample_of(job->alone.time_ps, job->alone.n, job->alone.per_repetition, repetitions);
}

void dn_job_sample_clear(DnJobSample *sample)
{
    g_free(sample->values_us);
}

/* Adds what differs between the repetitions and within each, when there are several. */
static void add_repetitions(DnJobMetrics *f, const DnJobResult *job, guint repetitions)
{
    g_auto(DnJobSample) s = dn_job_sample(job, repetitions);
    f->medians_us = dn_summary(NULL, 0);
    f->within_mad_us = NAN;
    if (s.sample.n_groups <= 1)
        return;
    gsize n;
    g_autofree double *medians = dn_sample_units(&s.sample, &n);
    f->medians_us = dn_summary(medians, n);
    g_autofree double *within = g_new(double, n + 1);
    n = 0;
    for (gsize g = 0, first = 0; g < s.sample.n_groups; first += s.sample.group_n[g++])
        if (s.sample.group_n[g] > 0)
            within[n++] = dn_summary(s.values_us + first, s.sample.group_n[g]).mad;
    f->within_mad_us = dn_summary(within, n).median;
    DnSummary low, high;
    dn_bootstrap_summary(&s.sample, &low, &high);
    f->time_us.ci_low = low.median;
    f->time_us.ci_high = high.median;
}

DnJobMetrics dn_job_metrics(const DnJobResult *job, guint repetitions)
{
    DnJobMetrics f = {
        .time_us = dn_summary_us(job->iteration_ps, job->load.unpaced ? 0 : job->n_iterations),
        .latency_us = dn_summary_us(job->latency_ps, job->n_latency),
        .goodput_bps = NAN,
    };
    add_repetitions(&f, job, repetitions);
    if (f.time_us.n > 0 && f.time_us.median > 0.0 && job->goodput_bytes > 0.0)
        f.goodput_bps = job->goodput_bytes * 8.0 / (f.time_us.median * 1e-6);
    if (job->load.unpaced)
        f.goodput_bps = job->load.delivered_bps;
    if (job->load.measured)
        f.goodput_bps = job->load.accepted_bps;
    return f;
}

double dn_job_non_minimal_share(const DnRunResult *result, const DnJobResult *job)
{
    const DnJobPackets *packets = result->engine.job_packets;
    if (packets == NULL)
        return NAN;
    const DnJobPackets *own = &packets[job - result->jobs];
    guint64 all = own->minimal + own->non_minimal;
    return all == 0 ? NAN : (double)own->non_minimal / (double)all;
}

static DnNicMetrics iteration_metrics(const DnRunResult *result, const DnJobResult *job)
{
    gsize most = job->nic != NULL ? job->n_iterations : 0, n = 0;
    double cycles_per_ps = result->machine->hardware.clock_hz * 1e-12;
    g_autofree double *samples = g_new(double, 4 * most + 1);
    double *packet = samples, *stalls = packet + most, *network = stalls + most;
    double *time = network + most;
    for (gsize i = 0; i < most; i++) {
        const DnNicIteration *nic = &job->nic[i];
        if (nic->responses == 0 || nic->flits == 0)
            continue;
        packet[n] = (double)nic->latency_ps * 1e-6 / (double)nic->responses;
        stalls[n] = (double)nic->stalled_ps * cycles_per_ps / (double)nic->flits;
        network[n] = (double)nic->network_ps * 1e-6;
        time[n++] = (double)job->iteration_ps[i] * 1e-6;
    }
    return (DnNicMetrics){
        .latency_us = NAN,
        .stalled_cycles_per_flit = NAN,
        .packet_us = dn_summary(packet, n),
        .stalls = dn_summary(stalls, n),
        .network_us = dn_summary(network, n),
        .model_correlation = dn_correlation(time, network, n),
    };
}

DnNicMetrics dn_job_nics(const DnRunResult *result, const DnJobResult *job)
{
    const DnGraph *graph = result->machine->graph;
    DnNicMetrics f = iteration_metrics(result, job);
    guint64 packets = 0, flits = 0;
    double latency_ps = 0.0, stalled_ps = 0.0;
    g_autofree guint8 *seen = g_new0(guint8, graph->size.terminals + 1);
    for (guint32 r = 0; result->engine.nics != NULL && r < job->ranks; r++) {
        guint32 t = graph->endpoint_terminal[job->endpoints[r]];
        if (t == DN_NONE || seen[t])
            continue;
        seen[t] = TRUE;
        const DnNicCounters *nic = &result->engine.nics[t];
        packets += nic->responses;
        flits += nic->request_flits;
        latency_ps += (double)nic->latency_ps_sum;
        stalled_ps += (double)nic->stalled_ps;
    }
    if (packets > 0)
        f.latency_us = latency_ps * 1e-6 / (double)packets;
    if (flits > 0)
        f.stalled_cycles_per_flit = stalled_ps * 1e-12 * result->machine->hardware.clock_hz /
                                    (double)flits;
    return f;
}

/* Marks the switches of the job's endpoints in @own: their number. */
static guint32 mark_switches(const DnGraph *graph, const DnJobResult *job, guint8 *own)
{
    guint32 n = 0;
    for (guint32 r = 0; r < job->ranks; r++) {
        guint32 t = graph->endpoint_terminal[job->endpoints[r]];
        guint32 s = t == DN_NONE ? DN_NONE : graph->terminal_switch[t];
        if (s == DN_NONE || own[s])
            continue;
        own[s] = TRUE;
        n++;
    }
    return n;
}

DnSwitchMetrics dn_job_switches(const DnRunResult *result, const DnJobResult *job)
{
    const DnGraph *graph = result->machine->graph;
    const DnHardware *hardware = &result->machine->hardware;
    DnSwitchMetrics f = {NAN, NAN, NAN};
    if (hardware->window_packets == 0 || result->engine.end_ps <= 0)
        return f;
    g_autofree guint8 *own = g_new0(guint8, graph->size.switches + 1);
    guint32 n = mark_switches(graph, job, own);
    guint64 bytes[2] = {0, 0}; /* from switches, from nodes */
    double stalled_ps = 0.0;
    for (guint32 l = 0; n > 0 && l < graph->size.links; l++) {
        const DnLink *link = &graph->links[l];
        if (link->dst >= graph->size.switches || !own[link->dst])
            continue;
        gboolean from_node = link->src >= graph->size.switches;
        bytes[from_node] += result->engine.links[l].bytes;
        if (!from_node)
            stalled_ps += (double)result->engine.links[l].stalled_ps;
    }
    if (n == 0)
        return f;
    double switch_us = (double)n * (double)result->engine.end_ps * 1e-6;
    double flits = 1.0 / (double)hardware->flit_bytes / switch_us;
    return (DnSwitchMetrics){
        .flits_per_us = (double)bytes[0] * flits,
        .node_flits_per_us = (double)bytes[1] * flits,
        .stalled_cycles_per_us = stalled_ps * 1e-12 * hardware->clock_hz / switch_us,
    };
}

/* A job's time in the run, from its first rank's start to its last rank's end. */
typedef struct {
    gint64 from_ps, to_ps;
} JobSpan;

static gint compare_spans(gconstpointer a, gconstpointer b)
{
    const JobSpan *x = a, *y = b;
    return (x->from_ps > y->from_ps) - (x->from_ps < y->from_ps);
}

static JobSpan span_of(const DnRunResult *result, const DnJobResult *job)
{
    JobSpan span = {.from_ps = job->start_ps};
    for (guint32 r = 0; r < job->ranks; r++) {
        gint64 done_ps = job->done_ps != NULL ? job->done_ps[r] : 0;
        span.to_ps = MAX(span.to_ps, done_ps > 0 ? done_ps : result->engine.end_ps);
    }
    return span;
}

/* Returns the time of the run less that in which no job had begun, or all that had were over. */
static gint64 time_of_jobs(const DnRunResult *result)
{
    g_autofree JobSpan *spans = g_new(JobSpan, result->n_jobs + 1);
    gint64 idle_ps = 0, busy_to_ps = 0;
    if (result->n_drawn > 0)
        return result->engine.end_ps;
    for (guint j = 0; j < result->n_jobs; j++)
        spans[j] = span_of(result, &result->jobs[j]);
    qsort(spans, result->n_jobs, sizeof *spans, compare_spans);
    for (guint j = 0; j < result->n_jobs && spans[j].from_ps < result->engine.end_ps; j++) {
        idle_ps += MAX(0, spans[j].from_ps - busy_to_ps);
        busy_to_ps = MAX(busy_to_ps, spans[j].to_ps);
    }
    return result->engine.end_ps - idle_ps;
}

DnBottleneck dn_bottleneck(const DnRunResult *result)
{
    DnBottleneck b = {.link = DN_NONE};
    const DnEngineResult *engine = &result->engine;
    gint64 most = 0;
    for (guint32 l = 0; l < result->machine->graph->size.links; l++)
        if (engine->links[l].busy_ps > most) {
            most = engine->links[l].busy_ps;
            b.link = l;
        }
    if (b.link == DN_NONE || engine->end_ps <= 0)
        return (DnBottleneck){.link = DN_NONE};
    b.of_ps = time_of_jobs(result);
    b.busy = (double)most / (double)b.of_ps;
    b.stalled = (double)engine->links[b.link].stalled_ps / (double)b.of_ps;
    for (guint32 l = 0; l < result->machine->graph->size.links; l++)
        if (l != b.link && (double)engine->links[l].busy_ps >= 0.99 * (double)most)
            b.peers++;
    return b;
}

gboolean dn_bottleneck_limits(const DnBottleneck *b)
{
    return b->busy >= IDLE_LINKS || b->stalled >= IDLE_LINKS;
}

char *dn_packet_text(const DnMachine *machine, gint64 packet_bytes)
{
    const DnGraph *graph = machine->graph;
    gint64 slowest = G_MAXINT64;
    for (guint32 l = 0; l < graph->size.links; l++)
        slowest = MIN(slowest, dn_link_bandwidth_bps(graph, l));
    g_assert(slowest > 0);
    double one_ps = (double)packet_bytes * 8.0 / (double)slowest * 1e12;
    char bytes[DN_UNIT_BUF], time[DN_UNIT_BUF];
    return g_strdup_printf("%s%s; blurs queueing and sharing finer than one packet (at most %s on "
                           "a link)",
                           dn_format_bytes(packet_bytes, bytes),
                           machine->hardware.packet_bytes == packet_bytes ? " (the machine's own)"
                                                                          : "",
                           dn_format_time((gint64)ceil(one_ps), time));
}

static gint compare_busy(gconstpointer a, gconstpointer b, gpointer data)
{
    const DnLinkCounters *links = data;
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    if (links[x].busy_ps != links[y].busy_ps)
        return links[x].busy_ps > links[y].busy_ps ? -1 : 1;
    return x < y ? -1 : x > y;
}

guint32 *dn_busiest_links(const DnRunResult *result, guint most, guint *n)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 l = 0; l < result->machine->graph->size.links; l++)
        if (result->engine.links[l].packets > 0)
            g_array_append_val(ids, l);
    g_array_sort_with_data(ids, compare_busy, result->engine.links);
    if (most > 0 && ids->len > most)
        g_array_set_size(ids, most);
    *n = ids->len;
    return (guint32 *)(gpointer)g_array_free(ids, FALSE);
}
