/* disjoint.c - ranks 2i send to 2i + 1, all pairs at the same time, no rank in two of them.
 *
 * goodput: bytes of one flow, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"pairs", DN_PARAM_INT, "0", 0, 4294967295.0, NULL, "how many pairs; 0: all"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean disjoint_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 pairs;
    if (!dn_flow_set_count(program, params, "pairs", program->ranks / 2, &pairs, error))
        return FALSE;
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 p = 0; p < pairs; p++) {
        DnFlow flow = {.src = 2 * p, .dst = 2 * p + 1};
        g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, (double)dn_params_int(params, "bytes"));
    return TRUE;
}

const DnProgramType dn_program_disjoint = {
    .name = "disjoint",
    .help = "ranks 2i to 2i+1",
    .goodput = "bytes",
    .limits = DN_FLOW_LIMITS,
    .source = "D. K. Panda et al., OSU Micro-Benchmarks, osu_mbw_mr (one message in flight a pair)",
    .params = params_,
    .min_ranks = 2,
    .init = disjoint_init,
    DN_FLOW_SET_TYPE,
};
