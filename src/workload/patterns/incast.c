/* incast.c - many send to one: rank 0 receives from ranks 1 to `senders`.
 *
 * The pattern of a parallel file read, or of a parameter server; flows are issued in sender order.
 * goodput: bytes the root takes in, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"senders", DN_PARAM_INT, "0", 0, 4294967295.0, NULL, "how many send; 0: all but the root"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 senders;
    if (!dn_flow_set_count(program, params, "senders", program->ranks - 1, &senders, error))
        return FALSE;
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 s = 1; s <= senders; s++) {
        DnFlow flow = {.src = s, .dst = 0};
        g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, senders * (double)dn_params_int(params, "bytes"));
    return TRUE;
}

const DnProgramType dn_program_incast = {
    .name = "incast",
    .source = "Phanishayee et al., Measurement and Analysis of TCP Throughput Collapse, FAST 2008",
    .params = params_,
    .min_ranks = 2,
    .init = init,
    DN_FLOW_SET_TYPE,
};
