/* outcast.c - one sends to many: rank 0 sends to ranks 1 to `receivers`, in that order.
 *
 * goodput: bytes the root sends, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"receivers", DN_PARAM_INT, "0", 0, 4294967295.0, NULL,
     "how many receive; 0: all but the root"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean outcast_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 receivers;
    if (!dn_flow_set_count(program, params, "receivers", program->ranks - 1, &receivers, error))
        return FALSE;
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 d = 1; d <= receivers; d++) {
        DnFlow flow = {.src = 0, .dst = d};
        g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, receivers * (double)dn_params_int(params, "bytes"));
    return TRUE;
}

const DnProgramType dn_program_outcast = {
    .name = "outcast",
    .help = "rank 0 to ranks 1 … receivers",
    .goodput = "bytes rank 0 sends",
    .limits = DN_FLOW_LIMITS,
    .source = "the reverse of incast; a flat-tree scatter, as MPI_Scatter's linear algorithm",
    .params = params_,
    .min_ranks = 2,
    .init = outcast_init,
    DN_FLOW_SET_TYPE,
};
