/* select_rccl.c - RCCL's cost model on nodes of four MI250X, where NCCL's has other constants: the
 * latencies per step, what a protocol keeps of the bus bandwidth, how much less that is by size.
 *
 * RCCL 2.12 (ROCm 5.2.3), src/graph/tuning.cc, by what src/graph/rome_models.cc gives such a node:
 * `tuning_model_3` with its four adapters (rome_model_63), `tuning_model_0` without, which is where
 * all ranks are on one node (rome_model_62 names no other). LL128 is off. Inside a node xGMI,
 * between nodes the network. */
#include <math.h>

#include "workload/select.h"

enum { LL, LL128, SIMPLE };
#define SIZES 27 /* powers of two from 64 B on, the last for all above */

/* Of [tree, ring], of up to two nodes and of more. */
typedef struct {
    double xgmi_us[2][3], network_us[2][3];
    double kept[2][2][3];
    double tree_ll[SIZES], tree_simple[SIZES];
} Tuning;

static const double base_us[3] = {12.0, 12.0, 17.0};
static const Tuning one_node = {
    .xgmi_us = {{1.5, 0.0, 4.5}, {1.5, 0.0, 4.5}},
    .kept = {{{0.06, 0.0, 1.30}, {0.07, 0.0, 1.0}}},
    .tree_ll = {0.3, 0.9, 0.8, 0.7, 0.6, 0.3, 0.1, 0.4, 0.8, 0.8, 0.5, 0.3, 0.4, 0.3,
                0.2, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
    .tree_simple = {0.4, 1.0, 1.0, 0.8, 1.0, 1.0, 0.3, 1.0, 0.9, 0.9, 1.0, 1.0, 1.0, 1.0,
                    1.0, 1.0, 1.0, 0.7, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2},
};
static const Tuning nodes = {
    .xgmi_us = {{1.5, 0.0, 4.5}, {1.5, 0.0, 4.5}},
    .network_us = {{17.4, 0.0, 40.3}, {4.1, 0.0, 40.6}},
    .kept = {{{0.08, 0.0, 0.95}, {0.08, 0.0, 1.0}}, {{0.08, 0.0, 0.41}, {0.08, 0.0, 1.0}}},
    .tree_ll = {0.6, 1.0, 1.0, 1.0, 0.1, 0.2, 0.1, 0.2, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
                0.9, 0.9, 0.8, 0.6, 0.4, 0.5, 0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1},
    .tree_simple = {1.0, 0.1, 0.1, 0.1, 1.0, 1.0, 1.0, 1.0, 0.7, 1.0, 1.0, 1.0, 1.0, 1.0,
                    1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6},
};
static const double ring_ll[SIZES] = {0.5, 0.2, 0.1, 0.1, 0.3, 0.3, 0.1, 0.3, 0.7,
                                      0.8, 0.5, 0.4, 0.2, 0.1, 0.1, 0.1, 0.3, 0.5,
                                      0.4, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1};
static const double ring_simple[SIZES] = {0.2, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 1.0,
                                          0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2,
                                          0.2, 0.6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};

double dn_rccl_time_us(const DnRcclCall *call, gboolean tree, guint protocol)
{
    if (protocol == LL128)
        return G_MAXDOUBLE;
    const Tuning *t = call->nodes == 1 ? &one_node : &nodes;
    guint a = tree ? 0 : 1;
    double gbs = call->bus_gbs * t->kept[call->nodes > 2][a][protocol], us = base_us[protocol];
    double intra = t->xgmi_us[a][protocol], inter = t->network_us[a][protocol];
    guint log = call->bytes < 64 ? 0 : MIN(SIZES - 1, (guint)log2(call->bytes / 64));
    guint32 chain = call->n / call->nodes - 1;
    if (tree) {
        gbs *= 0.5 * (protocol == LL ? t->tree_ll : t->tree_simple)[log];
        us += 2 * (chain * intra + dn_log2_floor(call->nodes) * inter);
    } else {
        guint across = call->nodes == 1 ? 0 : call->across;
        gbs *= (double)call->n / call->steps;
        if (call->nodes > 1)
            gbs *= (protocol == LL ? ring_ll : ring_simple)[log];
        us += call->rooted ? (call->nodes == 1 ? intra : inter)
                           : (call->steps - across) * intra + across * inter;
    }
    return us + call->bytes / (1000 * gbs);
}
