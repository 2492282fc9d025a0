/* select_nccl.c - NCCL's cost model: the least latency + bytes / bandwidth over algorithm and
 * protocol.
 *
 * Constants of NCCL 2.8, src/graph/tuning.cc: base latencies, latencies per step by hardware, what
 * part of the bus bandwidth a protocol keeps, and the correction of trees by size. NVLink inside a
 * node, network between nodes; ring: steps between ranks, of which those between nodes cost the
 * network's latency; tree: up and down, chains in the node, log2 of the nodes above.
 * Only allreduce has a choice of algorithm; the others are rings, alltoall is grouped send/recv.
 * LIMITATIONS: no CollNet, NVLS or PAT; the limits of LL128 per channel and of trees for one GPU
 * generation are left out; the protocol is named in the note, its costs are the mechanism's. */
#include <math.h>

#include "workload/select.h"

enum { TREE, RING };
enum { LL, LL128, SIMPLE };

static const double base_us[2][3] = {{4.4, 4.4, 0}, {3.6, 10.0, 8.4}};
static const double nvlink_us[2][3] = {{0.52, 1.2, 28}, {0.47, 1.9, 3.4}};
static const double network_us[2][3] = {{5.0, 8.5, 50}, {2.7, 4.0, 9.6}};

/* Powers of two from 64 B to 128 MiB. */
static const double tree_factor[3][22] = {
    {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6,
     0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6,
     0.6, 0.6, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.9, 0.9, 1.0},
    {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6,
     0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 0.7, 0.8, 0.9},
};

typedef struct {
    guint32 n, nodes;
    double bytes, bus_gbs; /* GB/s */
} Model;

static double bandwidth(const Model *m, guint algorithm, guint protocol)
{
    double ring_share[3] = {1.0 / 4, m->n / m->nodes < 2 ? 0.7 : 0.92, 1};
    double tree_share[3] = {0.9 / 3.8, 0.9 * (m->nodes == 1 ? 7.0 / 9 : 0.915), 0.9};
    if (algorithm == RING)
        return m->bus_gbs * ring_share[protocol] * m->n / (2.0 * (m->n - 1));
    double of_tree = m->bus_gbs * tree_share[protocol] * 0.5;
    guint log = m->bytes < 64 ? 0 : (guint)log2(m->bytes / 64);
    return log < 22 ? of_tree * tree_factor[protocol][log] : of_tree;
}

static double latency(const Model *m, guint algorithm, guint protocol)
{
    double inside_us = nvlink_us[algorithm][protocol], between_us = network_us[algorithm][protocol];
    if (m->nodes > 1 && protocol == LL)
        inside_us *= 1.8;
    guint per_node = m->n / m->nodes;
    if (algorithm == TREE)
        return base_us[TREE][protocol] +
               2 * ((per_node - 1) * inside_us + dn_log2_floor(m->nodes) * between_us);
    double steps = 2.0 * (m->n - 1), across = 2.0 * (m->nodes - 1);
    double us = base_us[RING][protocol] + (steps - across) * inside_us + across * between_us;
    /* "Plateau effect of ring" */
    gboolean plateau = protocol == SIMPLE && m->nodes > 1 && m->bytes >= m->n / 16.0 * 65536;
    return plateau ? 1.9 * us : us;
}

static const char *for_allreduce(const Model *m, const char **chosen, gint64 *estimate_ps)
{
    static const char *const names[2][3] = {{"tree, LL", "tree, LL128", "tree, Simple"},
                                            {"ring, LL", "ring, LL128", "ring, Simple"}};
    double best_us = G_MAXDOUBLE;
    guint best = RING;
    for (guint a = TREE; a <= RING; a++)
        for (guint p = LL; p <= SIMPLE; p++) {
            double us = latency(m, a, p) + m->bytes / (1000 * bandwidth(m, a, p));
            if (us >= best_us)
                continue;
            best_us = us;
            best = a;
            *chosen = names[a][p];
        }
    *estimate_ps = (gint64)(best_us * 1e6);
    return best == TREE ? "nccl_tree" : "nccl_ring";
}

const char *dn_select_nccl(const DnCollCall *call, DnCollKind kind, gint64 bus_bps,
                           const char **chosen, gint64 *estimate_ps)
{
    *estimate_ps = 0;
    if (kind == DN_COLL_ALLREDUCE && call->n > 1) {
        guint32 nodes = call->group > 0 ? MAX(1, call->n / call->group) : 1;
        Model m = {call->n, nodes, (double)call->bytes, (double)bus_bps / 8e9};
        return for_allreduce(&m, chosen, estimate_ps);
    }
    static const char *const others[DN_COLL_KINDS] = {
        [DN_COLL_ALLREDUCE] = "nccl_ring", [DN_COLL_ALLTOALL] = "grouped",
        [DN_COLL_ALLGATHER] = "ring",      [DN_COLL_REDUCE_SCATTER] = "ring",
        [DN_COLL_BCAST] = "pipeline",      [DN_COLL_REDUCE] = "pipeline",
        [DN_COLL_GATHER] = "linear",       [DN_COLL_SCATTER] = "linear",
        [DN_COLL_BARRIER] = "tree",        [DN_COLL_SCAN] = "linear"};
    *chosen = kind == DN_COLL_ALLTOALL ? "grouped send/recv" : others[kind];
    return others[kind];
}
