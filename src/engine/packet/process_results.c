/* process_results.c - The results of an engine whose domains several processes divide: each has
 * counted what happened in its own, and zeros for the others. */
#include "engine/packet/remote.h"

#define WORDS(type) (sizeof(type) / sizeof(gint64))

G_STATIC_ASSERT(sizeof(DnLinkCounters) % sizeof(gint64) == 0);
G_STATIC_ASSERT(sizeof(DnNicCounters) % sizeof(gint64) == 0);
G_STATIC_ASSERT(sizeof(DnJobPackets) % sizeof(gint64) == 0);

#define PUT_SUM(type, name) sums[n_sums++] = (gint64)totals->name;
#define PUT_LATEST(type, name) latest[n_latest++] = totals->name;
#define TAKE_SUM(type, name) totals->name = (type)sums[n_sums++];
#define TAKE_LATEST(type, name) totals->name = latest[n_latest++];

void dn_totals_combine(const DnPacketEngine *e, DnTotals *totals)
{
    gint64 sums[WORDS(DnTotals)], latest[WORDS(DnTotals)];
    guint n_sums = 0, n_latest = 0;
    DN_TOTALS(PUT_SUM, PUT_LATEST)
    e->run->processes->sum(sums, n_sums);
    e->run->processes->max(latest, n_latest);
    n_sums = n_latest = 0;
    DN_TOTALS(TAKE_SUM, TAKE_LATEST)
}

void dn_result_combine(const DnEngineRun *run, DnEngineResult *result)
{
    const DnProcesses *processes = run->processes;
    const DnGraphSize *size = &run->router->machine->graph->size;
    gsize links = size->links;
    DnExchanges *exchanges = &result->exchanges;
    gint64 counts[] = {(gint64)result->events,       (gint64)result->packet_hops,
                       (gint64)result->peak_packets, (gint64)(1e6 * result->cpu_s),
                       (gint64)exchanges->events,    (gint64)exchanges->bytes};
    gint64 longest_ns[] = {(gint64)(1e9 * exchanges->wall_s), (gint64)(1e9 * exchanges->work_s),
                           -(gint64)(1e9 * exchanges->least_s)};
    processes->sum(counts, G_N_ELEMENTS(counts));
    result->events = (guint64)counts[0];
    result->packet_hops = (guint64)counts[1];
    result->peak_packets = (guint64)counts[2];
    result->cpu_s = 1e-6 * (double)counts[3];
    processes->max(longest_ns, G_N_ELEMENTS(longest_ns));
    *exchanges = (DnExchanges){.windows = exchanges->windows,
                               .events = (guint64)counts[4],
                               .bytes = (guint64)counts[5],
                               .wall_s = 1e-9 * (double)longest_ns[0],
                               .work_s = 1e-9 * (double)longest_ns[1],
                               .least_s = -1e-9 * (double)longest_ns[2]};
    processes->sum((gint64 *)result->links, links * WORDS(DnLinkCounters));
    if (result->lane_bytes != NULL)
        processes->sum((gint64 *)result->lane_bytes, links * result->lanes);
    processes->sum((gint64 *)result->nics, size->terminals * WORDS(DnNicCounters));
    processes->sum((gint64 *)result->job_packets, run->n_jobs * WORDS(DnJobPackets));
}
