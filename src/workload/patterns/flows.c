/* flows.c - any list of flows, `flows: [[0, 1], [0, 2], [2, 3]]`, in issue order.
 *
 * A pair may come more than once; a rank may send to itself (a copy within its memory).
 * goodput: bytes of one flow times their number, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"flows", DN_PARAM_NODE, NULL, 0, 0, NULL, "list of [source, destination] ranks"},
    DN_FLOW_SET_PARAMS,
    {0},
};

static gboolean read_rank(const DnConfigNode *node, guint32 ranks, guint32 *rank, GError **error)
{
    static const DnParamSpec whole = {"rank", DN_PARAM_INT, NULL, 0, 4294967294.0, NULL, "a rank"};
    gint64 value;
    if (!dn_config_expect(node, DN_CONFIG_SCALAR, error) ||
        !dn_param_parse(node, &whole, &value, NULL, error))
        return FALSE;
    if (value >= ranks) {
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "rank %" G_GINT64_FORMAT " is not one of the job's 0 to %u", value,
                        ranks - 1);
        return FALSE;
    }
    *rank = (guint32)value;
    return TRUE;
}

static gboolean read_flow(const DnConfigNode *item, guint32 ranks, DnFlow *flow, GError **error)
{
    if (!dn_config_expect(item, DN_CONFIG_LIST, error))
        return FALSE;
    if (item->children->len != 2) {
        dn_config_error(item, DN_ERROR_TYPE, error,
                        "a flow is two ranks, [source, destination]; here are %u",
                        item->children->len);
        return FALSE;
    }
    return read_rank(g_ptr_array_index(item->children, 0), ranks, &flow->src, error) &&
           read_rank(g_ptr_array_index(item->children, 1), ranks, &flow->dst, error);
}

static gboolean flows_init(DnProgram *program, const DnParams *params, GError **error)
{
    const DnConfigNode *list = dn_params_node(params, "flows");
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    if (list->children->len == 0) {
        dn_config_error(list, DN_ERROR_RANGE, error, "a list of flows has at least one");
        return FALSE;
    }
    g_autoptr(GArray) flows = g_array_new(FALSE, FALSE, sizeof(DnFlow));
    for (guint i = 0; i < list->children->len; i++) {
        DnFlow flow;
        if (!read_flow(g_ptr_array_index(list->children, i), program->ranks, &flow, error))
            return FALSE;
        g_array_append_val(flows, flow);
    }
    double bytes = (double)dn_params_int(params, "bytes") * flows->len;
    dn_flow_set_init(program, params, g_steal_pointer(&flows), bytes);
    return TRUE;
}

const DnProgramType dn_program_flows = {
    .name = "flows",
    .help = "any list of [source, destination]",
    .goodput = "bytes × flows",
    .limits = DN_FLOW_LIMITS,
    .source = "the user's own list",
    .params = params_,
    .min_ranks = 1,
    .init = flows_init,
    DN_FLOW_SET_TYPE,
};
