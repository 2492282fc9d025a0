/* ring.c - every rank r sends to r + 1 (mod n), all at the same time.
 *
 * goodput: bytes of one flow, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean ring_init(DnProgram *program, const DnParams *params, GError **error)
{
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 r = 0; r < program->ranks; r++) {
        DnFlow flow = {.src = r, .dst = (r + 1) % program->ranks};
        g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, (double)dn_params_int(params, "bytes"));
    return TRUE;
}

const DnProgramType dn_program_ring = {
    .name = "ring",
    .help = "each rank to the next",
    .goodput = "bytes",
    .limits = DN_FLOW_LIMITS,
    .source = "one step of a ring collective; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
    .params = params_,
    .min_ranks = 2,
    .init = ring_init,
    DN_FLOW_SET_TYPE,
};
