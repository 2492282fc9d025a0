/* results.h - Metrics of one simulated point: of each job, of links, and the bottleneck. */
#pragma once
#include "experiment/simulate.h"
#include "stats/bootstrap.h"

typedef struct {
    DnSummary time_us;    /* iterations, in the workload's own convention (ping-pong: half) */
    DnSummary medians_us; /* of the repetitions; no samples: there is one */
    double within_mad_us; /* median over the repetitions of their MAD; NAN: there is one */
    DnSummary latency_us; /* messages: from the send to delivery */
    double goodput_bps;   /* goodput bytes of an iteration over its median time; NAN without one;
                             of a measured job: of a sending rank */
} DnJobMetrics;

/* Returns the metrics of @job. With several repetitions the confidence interval of time_us's median
 * is that over the repetitions. */
DnJobMetrics dn_job_metrics(const DnJobResult *job, guint repetitions);

/* A sample in us, in groups where there are several repetitions; to be cleared. */
typedef struct {
    DnSample sample;
    double *values_us;
} DnJobSample;
DnJobSample dn_job_sample(const DnJobResult *job, guint repetitions);
DnJobSample dn_job_sample_alone(const DnJobResult *job, guint repetitions);
void dn_job_sample_clear(DnJobSample *sample);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnJobSample, dn_job_sample_clear)

/* Metrics from the counters of the NICs of a job's endpoints: the network's share of its time,
 * without the hosts' (runtime/nic_model.h). NAN and no samples when they sent nothing or there is
 * no such NIC.
 * LIMITATIONS: a NIC that two jobs share counts for both; with rails other than a rank's own, only
 * its own NIC is read. */
typedef struct {
    double latency_us, stalled_cycles_per_flit; /* over the whole run */
    DnSummary packet_us;      /* iterations: mean time from a packet to its response */
    DnSummary stalls;         /* iterations: cycles a flit waited for credit */
    DnSummary network_us;     /* iterations: the time that the model gives the network */
    double model_correlation; /* of network_us with the iterations' times; NAN: one does not vary */
} DnNicMetrics;

DnNicMetrics dn_job_nics(const DnRunResult *result, const DnJobResult *job);
/* Returns the share of the job's packets over the fabric that took a non-minimal path; NAN: none
 * crossed the fabric, or the engine routes no packets. */
double dn_job_non_minimal_share(const DnRunResult *result, const DnJobResult *job);

/* Metrics from the counters of the switches that a job's nodes are attached to, over the whole run
 * and of all traffic, the job's own included: means over these switches. NAN: the hardware
 * counts no flits (no `window`), or the nodes have no switch.
 * LIMITATIONS: a link's wire bytes are counted as whole flits; a stall is counted where a packet
 * waits for the switch's buffer, at the sending end of the link. */
typedef struct {
    double flits_per_us;          /* into a switch, from other switches */
    double node_flits_per_us;     /* into a switch, from nodes */
    double stalled_cycles_per_us; /* of the links into a switch from other switches, together */
} DnSwitchMetrics;

DnSwitchMetrics dn_job_switches(const DnRunResult *result, const DnJobResult *job);

typedef struct {
    guint32 link;   /* DN_NONE: no link carried anything */
    gint64 of_ps;   /* time of the run in which any job was between its start and its end */
    double busy;    /* share of that in which it sent, 0..1 */
    double stalled; /* share in which it had packets and no credits */
    guint32 peers;  /* other links whose `busy` is within 1 % of it */
} DnBottleneck;

/* Returns the busiest link. */
DnBottleneck dn_bottleneck(const DnRunResult *result);
/* Returns FALSE when the busiest link is idle most of the time, so that latencies and endpoint
 * costs determine the run's duration. */
gboolean dn_bottleneck_limits(const DnBottleneck *bottleneck);
/* "node 0 gpu1 -> node 0 nvswitch0 (nvlink): busy 97.2 % of 1.03 ms, ...": (transfer full).
 * Where no link limits, also what does, as far as @result->shares say (bottleneck_text.c). */
char *dn_bottleneck_text(const DnRunResult *result);

/* Returns (transfer full) a sentence on the effects that packets of this size cannot represent on
 * the machine. */
char *dn_packet_text(const DnMachine *machine, gint64 packet_bytes);

/* Returns (transfer full) [*@n] the ids of the @most busiest links (0: all) that carried anything,
 * the busiest first, equal ones by id. */
guint32 *dn_busiest_links(const DnRunResult *result, guint most, guint *n);
