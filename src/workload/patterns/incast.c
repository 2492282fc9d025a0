/* incast.c - many send to one: rank 0 receives from ranks 1 to `senders`.
 *
 * The pattern of a parallel file read, or of a parameter server; flows are issued in sender order.
 * `at_once`: the root takes so many at a time, as with blocking receives, one after the other. With
 * a mechanism that asks before it sends (rendezvous) no more than those are under way.
 * goodput: bytes the root takes in, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"senders", DN_PARAM_INT, "0", 0, 4294967295.0, NULL, "how many send; 0: all but the root"},
    {"at_once", DN_PARAM_INT, "0", 0, 4294967295.0, NULL,
     "receives that the root posts before it waits for them; 0: all"},
    {"barrier", DN_PARAM_BOOL, "no", 0, 0, NULL, "all ranks meet after each iteration"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean incast_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 senders, at_once;
    if (!dn_flow_set_count(program, params, "senders", program->ranks - 1, &senders, error) ||
        !dn_flow_set_count(program, params, "at_once", senders, &at_once, error))
        return FALSE;
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint32 s = 1; s <= senders; s++) {
        DnFlow flow = {.src = s, .dst = 0};
        g_array_append_val(flows, flow);
    }
    dn_flow_set_init(program, params, flows, senders * (double)dn_params_int(params, "bytes"));
    DnFlowSet *set = program->data;
    set->at_once = at_once < senders ? at_once : 0;
    program->apart = !dn_params_bool(params, "barrier");
    if (!program->apart)
        set->barrier = (DnCollCall){.algorithm = dn_coll_find(DN_COLL_BARRIER, "dissemination"),
                                    .n = program->ranks,
                                    .tag = set->n_flows};
    return TRUE;
}

const DnProgramType dn_program_incast = {
    .name = "incast",
    .help = "ranks 1 … senders to rank 0",
    .goodput = "bytes rank 0 takes in",
    .limits = DN_FLOW_LIMITS,
    .source = "Phanishayee et al., Measurement and Analysis of TCP Throughput Collapse, FAST 2008",
    .params = params_,
    .min_ranks = 2,
    .init = incast_init,
    DN_FLOW_SET_TYPE,
};
