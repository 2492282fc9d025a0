/* bidir.c - ranks 2i and 2i + 1 send to each other at the same time.
 *
 * goodput: bytes of one direction, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"pairs", DN_PARAM_INT, "0", 0, 4294967295.0, NULL, "how many pairs; 0: all"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean bidir_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 pairs;
    if (!dn_flow_set_count(program, params, "pairs", program->ranks / 2, &pairs, error))
        return FALSE;
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 p = 0; p < pairs; p++) {
        DnFlow there = {.src = 2 * p, .dst = 2 * p + 1};
        DnFlow back = {.src = 2 * p + 1, .dst = 2 * p};
        g_array_append_val(flows, there);
        g_array_append_val(flows, back);
    }
    dn_flow_set_init(program, params, flows, (double)dn_params_int(params, "bytes"));
    return TRUE;
}

const DnProgramType dn_program_bidir = {
    .name = "bidir",
    .help = "ranks 2i and 2i+1, both ways",
    .goodput = "bytes (one direction)",
    .limits = DN_FLOW_LIMITS,
    .source = "D. K. Panda et al., OSU Micro-Benchmarks, osu_bibw (one message in flight each way)",
    .params = params_,
    .min_ranks = 2,
    .init = bidir_init,
    DN_FLOW_SET_TYPE,
};
