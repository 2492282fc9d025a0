/* select_rccl.c - RCCL's cost model on a node of four MI250X with four adapters, where NCCL's has
 * other constants.
 *
 * RCCL of ROCm 5.7, src/graph/tuning.cc: `tuning_model_3`, which src/graph/rome_models.cc gives
 * that node (rome_model_63), with the latencies per step, what a protocol keeps of the bus
 * bandwidth, and how much less that is by size. LL128 is off there. Inside a node xGMI, between
 * nodes the network.
 * LIMITATIONS: other nodes of AMD's have other tables; ncclGroup's several calls count as one. */
#include <math.h>

#include "workload/select.h"

enum { LL, LL128, SIMPLE };
#define SIZES 27 /* powers of two from 64 B on, the last for all above */

static const double base_us[3] = {12.0, 12.0, 17.0};
/* tree, ring */
static const double xgmi_us[2][3] = {{0.8, 0.0, 2.5}, {0.8, 0.0, 3.6}};
static const double network_us[2][3] = {{12.5, 0.0, 22.4}, {9.5, 0.0, 19.8}};
/* up to two nodes, more */
static const double kept[2][2][3] = {{{0.20, 0.0, 1.75}, {0.20, 0.0, 1.0}},
                                     {{0.20, 0.0, 0.96}, {0.20, 0.0, 1.0}}};
static const double tree_ll[SIZES] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0, 0.2,
                                      1.0, 0.9, 1.0, 0.6, 0.4, 0.6, 0.4, 0.3, 0.3,
                                      0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
static const double tree_simple[SIZES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.1,
                                          0.2, 1.0, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
                                          1.0, 1.0, 1.0, 0.8, 0.7, 0.8, 0.9, 0.7, 0.7};
static const double ring_ll[SIZES] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.3, 0.1, 0.2, 0.1,
                                      0.4, 0.4, 0.2, 0.2, 0.3, 0.7, 0.5, 0.4, 0.3,
                                      0.3, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
static const double ring_simple[SIZES] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 1.0,
                                          0.1, 0.3, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.3,
                                          0.4, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

double dn_rccl_time_us(const DnRcclCall *call, gboolean tree, guint protocol)
{
    if (protocol == LL128)
        return G_MAXDOUBLE;
    guint a = tree ? 0 : 1;
    double gbs = call->bus_gbs * kept[call->nodes > 2][a][protocol];
    double us = base_us[protocol], intra = xgmi_us[a][protocol], inter = network_us[a][protocol];
    guint log = call->bytes < 64 ? 0 : MIN(SIZES - 1, (guint)log2(call->bytes / 64));
    guint32 chain = call->n / call->nodes - 1;
    if (tree) {
        gbs *= 0.5 * (protocol == LL ? tree_ll : tree_simple)[log];
        us += 2 * (chain * intra + dn_log2_floor(call->nodes) * inter);
    } else {
        guint across = call->nodes == 1 ? 0 : call->across;
        gbs *= (double)call->n / call->steps;
        if (call->nodes > 1)
            gbs *= (protocol == LL ? ring_ll : ring_simple)[log];
        us += (call->steps - across) * intra + across * inter;
    }
    return us + call->bytes / (1000 * gbs);
}
