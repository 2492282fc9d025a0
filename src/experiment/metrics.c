/* metrics.c - the getters of the metrics and their table; see metrics.h. */
#include "experiment/metrics.h"

#include <math.h>
#include <string.h>

#include "experiment/experiment.h"

void dn_metric_source_init(DnMetricSource *source, const DnRunResult *result,
                           const DnJobResult *job, guint point)
{
    *source = (DnMetricSource){
        .result = result,
        .job = job,
        .point = point,
        .figures = dn_job_metrics(job, result->repetitions),
        .nics = dn_job_nics(result, job),
        .switches = dn_job_switches(result, job),
        .alone_us = dn_summary_us(job->alone.time_ps, job->alone.n),
        .limit = dn_bottleneck(result),
    };
}

/* clang-format off */
#define VALUE(name_, expression_)                                                                  \
    static double name_(const DnMetricSource *s) { return (double)(expression_); }
#define TEXT(name_, expression_)                                                                   \
    static const char *name_(const DnMetricSource *s, char *buffer) { return expression_; }
#define WHEN(name_, expression_)                                                                   \
    static gboolean name_(const DnMetricSource *s) { return expression_; }
#define SAMPLE(name_, expression_)                                                                 \
    static const DnSummary *name_(const DnMetricSource *s) { return &(expression_); }

TEXT(text_job, s->job->name)
TEXT(text_workload, s->job->workload)
TEXT(text_chosen, s->job->chosen)
TEXT(text_choice, s->job->note)
TEXT(text_bottleneck, s->limit.link == DN_NONE
                          ? NULL : dn_link_name(s->result->machine->graph, s->limit.link, buffer))

SAMPLE(sample_time, s->figures.time_us)
SAMPLE(sample_latency, s->figures.latency_us)
SAMPLE(sample_alone, s->alone_us)
SAMPLE(sample_packet, s->nics.packet_us)
SAMPLE(sample_stalls, s->nics.stalls)
SAMPLE(sample_network, s->nics.network_us)

WHEN(has_chosen, s->job->chosen != NULL)
WHEN(has_iterations, !s->job->load.measured)
WHEN(has_load, s->job->load.measured)
WHEN(has_latency, s->job->one_sided_messages > 0 || s->job->load.measured)
WHEN(has_alone, s->job->alone.n > 0)
WHEN(has_interval, isfinite(s->figures.time_us.ci_low) &&
                       s->figures.time_us.min < s->figures.time_us.max)
WHEN(has_repetitions, s->result->repetitions > 1)
WHEN(has_aware, s->job->app_aware)
WHEN(has_packets, s->result->engine.job_packets != NULL)
WHEN(has_nics, s->nics.packet_us.n > 0)
WHEN(has_flits, isfinite(s->switches.flits_per_us))

VALUE(value_point, s->point)
VALUE(value_ranks, s->job->ranks)
VALUE(value_bytes, s->job->bytes)
VALUE(value_iterations, s->job->n_iterations)
VALUE(value_messages, s->job->messages)
VALUE(time_median, s->figures.time_us.median)
VALUE(time_q1, s->figures.time_us.q1)
VALUE(time_q3, s->figures.time_us.q3)
VALUE(time_min, s->figures.time_us.min)
VALUE(time_max, s->figures.time_us.max)
VALUE(time_mean, s->figures.time_us.mean)
VALUE(time_ci_low, s->figures.time_us.ci_low)
VALUE(time_ci_high, s->figures.time_us.ci_high)
VALUE(value_repetitions, s->result->repetitions)
VALUE(time_mad, s->figures.time_us.mad)
VALUE(time_lag1, s->figures.time_us.lag1)
VALUE(within_mad, s->figures.within_mad_us)
VALUE(between_mad, s->figures.medians_us.mad)
VALUE(between_min, s->figures.medians_us.min)
VALUE(between_max, s->figures.medians_us.max)
VALUE(time_p5, s->figures.time_us.p5)
VALUE(time_p95, s->figures.time_us.p95)
VALUE(time_p99, s->figures.time_us.p99)
VALUE(time_qcd, s->figures.time_us.qcd)
VALUE(time_iqr, s->figures.time_us.q3 - s->figures.time_us.q1)
VALUE(time_outliers, s->figures.time_us.outliers)
/* Factors of nccl-tests (doc/PERFORMANCE.md) by collective: algbw is the buffer over the time,
 * busbw the bytes that a bus carries. */
static const struct {
    const char *workload;
    gboolean blocks;  /* goodput leaves out the block that a rank has already */
    double twice;     /* times (n - 1) / n: of the bus; 0: no such factor */
} bus_factors[] = {{"allreduce", FALSE, 2},  {"allreduce_ring", FALSE, 2}, {"allgather", FALSE, 1},
                   {"reduce_scatter", FALSE, 1}, {"alltoall", TRUE, 1}, {"gather", TRUE, 1},
                   {"scatter", TRUE, 1}, {"bcast", FALSE, 0}, {"reduce", FALSE, 0}};

static double bandwidth_of(const DnMetricSource *s, gboolean bus)
{
    double n = s->job->communicator_ranks;
    for (guint i = 0; i < G_N_ELEMENTS(bus_factors) && n > 1; i++)
        if (strcmp(bus_factors[i].workload, s->job->workload) == 0) {
            double blocks = bus_factors[i].blocks ? n / (n - 1) : 1.0;
            double twice = bus_factors[i].twice;
            double factor = bus && twice > 0 ? twice * (n - 1) / n : 1.0;
            return s->figures.goodput_bps * blocks * factor;
        }
    return NAN;
}

VALUE(goodput, s->figures.goodput_bps)
VALUE(algorithm_bandwidth, bandwidth_of(s, FALSE))
VALUE(bus_bandwidth, bandwidth_of(s, TRUE))
VALUE(latency_samples, s->figures.latency_us.n)
VALUE(latency_median, s->figures.latency_us.median)
VALUE(latency_p95, s->figures.latency_us.p95)
VALUE(latency_p99, s->figures.latency_us.p99)
VALUE(latency_max, s->figures.latency_us.max)
VALUE(latency_mean, s->figures.latency_us.mean)
VALUE(value_end, (double)s->result->engine.end_ps * 1e-6)
VALUE(bottleneck_busy, s->limit.link != DN_NONE ? s->limit.busy : NAN)
VALUE(offered_load, s->job->load.measured ? s->job->load.offered : NAN)
VALUE(accepted_load, s->job->load.measured ? s->job->load.accepted : NAN)
VALUE(flag_steady, s->job->load.measured ? s->job->load.steady : NAN)
VALUE(alone_median, s->alone_us.median)
VALUE(alone_mean, s->alone_us.mean)
VALUE(alone_p99, s->alone_us.p99)
VALUE(slowdown, dn_experiment_slowdown(s->job))
VALUE(slowdown_mean, s->figures.time_us.mean / s->alone_us.mean)
VALUE(slowdown_p99, s->figures.time_us.p99 / s->alone_us.p99)
VALUE(nic_latency, s->nics.latency_us)
VALUE(nic_stalled, s->nics.stalled_cycles_per_flit)
VALUE(packet_median, s->nics.packet_us.median)
VALUE(packet_qcd, s->nics.packet_us.qcd)
VALUE(stalls_median, s->nics.stalls.median)
VALUE(network_median, s->nics.network_us.median)
VALUE(network_p95, s->nics.network_us.p95)
VALUE(network_qcd, s->nics.network_us.qcd)
VALUE(model_correlation, s->nics.model_correlation)
VALUE(switch_flits, s->switches.flits_per_us)
VALUE(switch_node_flits, s->switches.node_flits_per_us)
VALUE(switch_stalls, s->switches.stalled_cycles_per_us)
VALUE(adaptive_share, s->job->app_aware ? s->job->adaptive_share : NAN)
VALUE(non_minimal_share, dn_job_non_minimal_share(s->result, s->job))
VALUE(minimal_packets, s->result->engine.job_packets[s->job - s->result->jobs].minimal)
VALUE(non_minimal_packets, s->result->engine.job_packets[s->job - s->result->jobs].non_minimal)

#define NAMES(column_, member_, reference_)                                                        \
    .column = column_, .member = member_, .reference = reference_
#define HEADING(place_, heading_) .place = place_, .heading = heading_

const DnMetric dn_metrics[] = {
    {DN_METRIC_TEXT, NAMES("job", "name", NULL), HEADING(10, "job"), .text = text_job,
     .help = "the job's name"},
    {DN_METRIC_COUNT, NAMES("point", NULL, NULL), .value = value_point,
     .help = "number of the point in the sweep, from 0"},
    {DN_METRIC_TEXT, NAMES("workload", "workload", NULL), .text = text_workload,
     .help = "type of the workload"},
    {DN_METRIC_COUNT, NAMES("ranks", "ranks", NULL), HEADING(11, "ranks"), .value = value_ranks,
     .help = "processes of the job"},
    {DN_METRIC_COUNT, NAMES("bytes", "bytes", NULL), .value = value_bytes,
     .help = "the workload's size parameter; 0: it has none"},
    {DN_METRIC_COUNT, NAMES("iterations", NULL, NULL), HEADING(20, "iterations"),
     .applies = has_iterations, .value = value_iterations, .help = "complete iterations"},
    {DN_METRIC_COUNT, NAMES("repetitions", NULL, NULL), HEADING(19, "repetitions"),
     .applies = has_repetitions, .value = value_repetitions,
     .help = "repetitions of the point, whose iterations are pooled; counters and links are of the "
             "first one"},
    {DN_METRIC_TIME, NAMES("time_median_s", NULL, "time_us"), HEADING(21, "time (us)"),
     .applies = has_iterations, .value = time_median,
     .help = "median time of an iteration, as the field counts it (ping-pong: half)"},
    {DN_METRIC_TIME, NAMES("time_q1_s", NULL, NULL), .value = time_q1,
     .help = "first quartile of the iterations' times"},
    {DN_METRIC_TIME, NAMES("time_q3_s", NULL, NULL), .value = time_q3,
     .help = "third quartile of the iterations' times"},
    {DN_METRIC_TIME, NAMES("time_min_s", NULL, NULL), HEADING(22, "min (us)"),
     .applies = has_iterations, .value = time_min, .help = "shortest iteration"},
    {DN_METRIC_TIME, NAMES("time_max_s", NULL, "time_max_us"), HEADING(24, "max (us)"),
     .applies = has_iterations, .value = time_max, .help = "longest iteration"},
    {DN_METRIC_TIME, NAMES("time_mean_s", NULL, "time_mean_us"), HEADING(23, "mean (us)"),
     .applies = has_iterations, .value = time_mean, .help = "mean time of an iteration"},
    {DN_METRIC_TIME, NAMES("time_ci_low_s", NULL, NULL), HEADING(25, "95 % from (us)"),
     .applies = has_interval, .value = time_ci_low,
     .help = "lower end of the median's 95 % interval: order statistics of at least 6 iterations, "
             "or bootstrap of at least 6 repetitions"},
    {DN_METRIC_TIME, NAMES("time_ci_high_s", NULL, NULL), HEADING(26, "to (us)"),
     .applies = has_interval, .value = time_ci_high,
     .help = "upper end of the median's 95 % interval"},
    {DN_METRIC_TIME, NAMES(NULL, "time_us", NULL), .sample = sample_time,
     .help = "times of the iterations"},
    {DN_METRIC_TIME, NAMES(NULL, NULL, "time_iqr_us"), .value = time_iqr,
     .help = "third less first quartile of the iterations' times"},
    {DN_METRIC_RATE, NAMES("goodput_bps", "goodput_bps", "goodput_gbps"),
     HEADING(60, "goodput (Gb/s)"), .value = goodput,
     .help = "bytes that count for this workload over the median time; of a measured job what "
             "a sending rank gets through"},
    {DN_METRIC_RATE, NAMES("algbw_bps", NULL, NULL), .value = algorithm_bandwidth,
     .help = "collectives: algorithm bandwidth as nccl-tests define it, the buffer over the median "
             "time; of all ranks"},
    {DN_METRIC_RATE, NAMES("busbw_bps", NULL, NULL), .value = bus_bandwidth,
     .help = "collectives: bus bandwidth as nccl-tests define it, algorithm bandwidth times what "
             "each rank must send of the buffer at least"},
    {DN_METRIC_COUNT, NAMES("messages", "messages", NULL), .value = value_messages,
     .help = "messages sent"},
    {DN_METRIC_COUNT, NAMES("latency_samples", NULL, NULL), .value = latency_samples,
     .help = "messages of which the latency was kept"},
    {DN_METRIC_TIME, NAMES("latency_median_s", NULL, "latency_us"),
     HEADING(70, "latency p50 (us)"), .applies = has_latency, .value = latency_median,
     .help = "median latency of a message, from the send to delivery"},
    {DN_METRIC_TIME, NAMES("latency_p95_s", NULL, "latency_p95_us"), HEADING(71, "p95 (us)"),
     .applies = has_latency, .value = latency_p95, .help = "95th percentile of the latencies"},
    {DN_METRIC_TIME, NAMES("latency_p99_s", NULL, "latency_p99_us"), HEADING(72, "p99 (us)"),
     .applies = has_latency, .value = latency_p99, .help = "99th percentile of the latencies"},
    {DN_METRIC_TIME, NAMES("latency_max_s", NULL, NULL), .value = latency_max,
     .help = "longest latency"},
    {DN_METRIC_TIME, NAMES("latency_mean_s", NULL, "latency_mean_us"),
     HEADING(65, "latency mean (us)"), .applies = has_load, .value = latency_mean,
     .help = "mean latency of a message"},
    {DN_METRIC_TIME, NAMES(NULL, "latency_us", NULL), .sample = sample_latency,
     .help = "latencies of the messages"},
    {DN_METRIC_TIME, NAMES("end_s", NULL, NULL), .value = value_end,
     .help = "simulated time at the end of the run"},
    {DN_METRIC_TEXT, NAMES("bottleneck", NULL, NULL), .text = text_bottleneck,
     .help = "the link that was busy longest, of the whole run"},
    {DN_METRIC_RATIO, NAMES("bottleneck_busy", NULL, NULL), .value = bottleneck_busy,
     .help = "share of the run during which that link was sending"},
    {DN_METRIC_RATIO, NAMES("offered_load", "offered_load", NULL), HEADING(30, "offered"),
     .applies = has_load, .value = offered_load,
     .help = "with `measure`: what was offered, as a fraction of the workload's rate"},
    {DN_METRIC_RATIO, NAMES("accepted_load", "accepted_load", "accepted_load"),
     HEADING(31, "accepted"), .applies = has_load, .value = accepted_load,
     .help = "with `measure`: what got through, as a fraction of the workload's rate"},
    {DN_METRIC_FLAG, NAMES("steady", "steady", NULL), HEADING(80, "steady"), .applies = has_load,
     .value = flag_steady, .help = "with `measure`: a steady state was reached"},
    {DN_METRIC_TIME, NAMES("time_p5_s", NULL, NULL), .value = time_p5,
     .help = "5th percentile of the iterations' times; none below 20"},
    {DN_METRIC_TIME, NAMES("time_p95_s", NULL, "time_p95_us"), .value = time_p95,
     .help = "95th percentile of the iterations' times; none below 20"},
    {DN_METRIC_TIME, NAMES("time_p99_s", NULL, "time_p99_us"), .value = time_p99,
     .help = "99th percentile of the iterations' times; none below 100"},
    {DN_METRIC_RATIO, NAMES("time_qcd", NULL, "time_qcd"), .value = time_qcd,
     .help = "quartile coefficient of dispersion of the iterations' times"},
    {DN_METRIC_COUNT, NAMES("time_outliers", NULL, NULL), .value = time_outliers,
     .help = "iterations beyond 1.5 interquartile ranges of a quartile"},
    {DN_METRIC_TIME, NAMES("time_mad_s", NULL, "time_mad_us"), .value = time_mad,
     .help = "median absolute deviation of the iterations' times from their median"},
    {DN_METRIC_RATIO, NAMES("time_lag1", NULL, NULL), .value = time_lag1,
     .help = "autocorrelation of neighbouring iterations; far from 0 they are not independent"},
    {DN_METRIC_TIME, NAMES("within_mad_s", NULL, NULL), HEADING(27, "within (us)"),
     .applies = has_repetitions, .value = within_mad,
     .help = "with `repeat`: median over the repetitions of the MAD within each"},
    {DN_METRIC_TIME, NAMES("between_mad_s", NULL, NULL), HEADING(28, "between (us)"),
     .applies = has_repetitions, .value = between_mad,
     .help = "with `repeat`: MAD of the repetitions' medians"},
    {DN_METRIC_TIME, NAMES("between_min_s", NULL, NULL), .value = between_min,
     .help = "with `repeat`: least of the repetitions' medians"},
    {DN_METRIC_TIME, NAMES("between_max_s", NULL, NULL), .value = between_max,
     .help = "with `repeat`: largest of the repetitions' medians"},
    {DN_METRIC_TIME, NAMES("alone_median_s", NULL, NULL), .value = alone_median,
     .help = "with `slowdown: yes`: median time of an iteration without the other jobs"},
    {DN_METRIC_TIME, NAMES(NULL, "alone_us", NULL), .applies = has_alone, .sample = sample_alone,
     .help = "with `slowdown: yes`: times of the iterations without the other jobs"},
    {DN_METRIC_TIME, NAMES("alone_mean_s", NULL, NULL), .value = alone_mean,
     .help = "with `slowdown: yes`: mean time of an iteration without the other jobs"},
    {DN_METRIC_TIME, NAMES("alone_p99_s", NULL, NULL), .value = alone_p99,
     .help = "with `slowdown: yes`: 99th percentile without the other jobs; none below 100 "
             "iterations"},
    {DN_METRIC_RATIO, NAMES("slowdown", "slowdown", "slowdown"), HEADING(40, "slowdown"),
     .applies = has_alone, .value = slowdown,
     .help = "with `slowdown: yes`: median among the other jobs over median alone"},
    {DN_METRIC_RATIO, NAMES("slowdown_mean", "slowdown_mean", "slowdown_mean"),
     HEADING(41, "of the mean"), .applies = has_alone, .value = slowdown_mean,
     .help = "with `slowdown: yes`: mean among the other jobs over mean alone (GPCNeT's congestion "
             "impact)"},
    {DN_METRIC_RATIO, NAMES("slowdown_p99", "slowdown_p99", "slowdown_p99"),
     .applies = has_alone, .value = slowdown_p99,
     .help = "with `slowdown: yes`: the same of 99th percentiles; none below 100 iterations"},
    {DN_METRIC_TIME, NAMES("nic_latency_mean_s", "nic_latency_us", NULL), .value = nic_latency,
     .help = "mean time from a request packet to its response, where NICs count them"},
    {DN_METRIC_RATIO, NAMES("nic_stalled_cycles_per_flit", "nic_stalled_cycles_per_flit", NULL),
     .value = nic_stalled, .help = "NIC clock cycles that a flit waited for credit, on average"},
    {DN_METRIC_TIME, NAMES("packet_median_s", NULL, "packet_us"), .value = packet_median,
     .help = "median over the iterations of the time from a packet to its response"},
    {DN_METRIC_RATIO, NAMES("packet_qcd", NULL, "packet_qcd"), .value = packet_qcd,
     .help = "quartile coefficient of dispersion of that"},
    {DN_METRIC_TIME, NAMES(NULL, "packet_us", NULL), .applies = has_nics, .sample = sample_packet,
     .help = "of the iterations: time from a packet to its response"},
    {DN_METRIC_RATIO, NAMES(NULL, "stalls", "stall_cycles"), .applies = has_nics,
     .value = stalls_median, .sample = sample_stalls,
     .help = "of the iterations: cycles that a flit waited for credit; measured: the median"},
    {DN_METRIC_TIME, NAMES("network_median_s", NULL, "network_us"), .value = network_median,
     .help = "median over the iterations of the time that the NICs' model gives the network"},
    {DN_METRIC_TIME, NAMES("network_p95_s", NULL, NULL), .value = network_p95,
     .help = "95th percentile of that"},
    {DN_METRIC_RATIO, NAMES("network_qcd", NULL, NULL), .value = network_qcd,
     .help = "quartile coefficient of dispersion of that"},
    {DN_METRIC_TIME, NAMES(NULL, "network_us", NULL), .applies = has_nics,
     .sample = sample_network, .help = "of the iterations: time that the model gives the network"},
    {DN_METRIC_RATIO, NAMES("model_correlation", "model_correlation", "model_correlation"),
     .applies = has_nics, .value = model_correlation,
     .help = "Pearson's correlation of that model with the iterations' times"},
    {DN_METRIC_RATIO, NAMES(NULL, "switch_flits_per_us", "switch_flits_per_us"),
     .applies = has_flits, .value = switch_flits,
     .help = "flits a microsecond into a switch of the job's nodes from other switches, whoever "
             "sent them; mean over these switches and the run"},
    {DN_METRIC_RATIO, NAMES(NULL, "switch_node_flits_per_us", "switch_node_flits_per_us"),
     .applies = has_flits, .value = switch_node_flits, .help = "likewise, from nodes"},
    {DN_METRIC_RATIO, NAMES(NULL, "switch_stalled_cycles_per_us", "switch_stalled_cycles_per_us"),
     .applies = has_flits, .value = switch_stalls,
     .help = "clock cycles a microsecond in which flits from other switches waited for credits, "
             "all links into a switch together"},
    {DN_METRIC_RATIO, NAMES("adaptive_share", "adaptive_share", "adaptive_share"),
     .applies = has_aware, .value = adaptive_share,
     .help = "application-aware routing: share of the bytes sent with the adaptive mode"},
    {DN_METRIC_RATIO, NAMES("non_minimal_share", NULL, NULL), .value = non_minimal_share,
     .help = "share of the packets over the fabric that took a non-minimal path"},
    {DN_METRIC_COUNT, NAMES(NULL, "minimal_packets", NULL), .applies = has_packets,
     .value = minimal_packets, .help = "packets over the fabric on minimal paths"},
    {DN_METRIC_COUNT, NAMES(NULL, "non_minimal_packets", NULL), .applies = has_packets,
     .value = non_minimal_packets, .help = "packets over the fabric on non-minimal paths"},
    {DN_METRIC_TEXT, NAMES("chosen", "chosen", NULL), HEADING(12, "chosen"),
     .applies = has_chosen, .text = text_chosen,
     .help = "the algorithm that `algorithm: auto` took, in the library's words"},
    {DN_METRIC_TEXT, NAMES(NULL, "choice", NULL), .applies = has_chosen, .text = text_choice,
     .help = "that choice in a sentence, with what its model estimates"},
    {0},
};
/* clang-format on */

const DnMetric *dn_metric_of_reference(const char *name)
{
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->reference != NULL && strcmp(m->reference, name) == 0)
            return m;
    return NULL;
}

const char *const *dn_metric_references(void)
{
    static gsize once = 0;
    static const char *names[G_N_ELEMENTS(dn_metrics)];
    if (g_once_init_enter(&once)) {
        guint n = 0;
        for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
            if (m->reference != NULL)
                names[n++] = m->reference;
        g_once_init_leave(&once, 1);
    }
    return names;
}

double dn_metric_reference_value(const DnMetric *metric, const DnMetricSource *source)
{
    double value = metric->value(source);
    return metric->type == DN_METRIC_RATE ? value * 1e-9 : value;
}

const char *dn_metric_csv_unit(const DnMetric *metric)
{
    return metric->type == DN_METRIC_TIME   ? "s"
           : metric->type == DN_METRIC_RATE ? "bit/s"
                                            : dn_metric_unit(metric);
}

const char *dn_metric_unit(const DnMetric *metric)
{
    static const char *const units[] = {
        [DN_METRIC_TEXT] = "",       [DN_METRIC_COUNT] = "", [DN_METRIC_TIME] = "us",
        [DN_METRIC_RATE] = "Gbit/s", [DN_METRIC_RATIO] = "", [DN_METRIC_FLAG] = "yes/no",
    };
    return units[metric->type];
}
