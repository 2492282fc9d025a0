/* flows.c - any list of flows, `flows: [[0, 1], [0, 2], [2, 3]]`, in issue order.
 *
 * A flow may have its own size, start and flows before it: `{src: 1, dst: 2, bytes: 4 KiB, start:
 * 10 us, after: [0]}`. Then all flows are scheduled (flow_schedule.c): each by itself, whatever the
 * list's order. `after` counts flows from 0 and names earlier ones, which end or begin where it
 * begins: it waits for their arrival, or, of its own source, until they have left. `start` is after
 * those, or after the iteration's begin.
 * A pair may come more than once; a rank may send to itself (a copy within its memory).
 * goodput: bytes of one flow times their number, over the iteration. */
#include "workload/flow_set.h"

static const DnParamSpec params_[] = {
    {"flows", DN_PARAM_NODE, NULL, 0, 0, NULL,
     "list of [source, destination] or {src, dst, bytes, start, after}"},
    {"bytes", DN_PARAM_BYTES, "", 0, 1e15, NULL, "of each flow that has none of its own"},
    DN_FLOW_ISSUE_PARAMS,
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

static const DnParamSpec flow_keys[] = {
    {"src", DN_PARAM_INT, NULL, 0, 4294967294.0, NULL, "rank that sends"},
    {"dst", DN_PARAM_INT, NULL, 0, 4294967294.0, NULL, "rank that receives"},
    {"bytes", DN_PARAM_BYTES, "", 0, 1e15, NULL, "default: the list's"},
    {"start", DN_PARAM_TIME, "0", 0, 1e15, NULL, "after the flows before it, or the begin"},
    {"after", DN_PARAM_INT_LIST, "", 0, 65535, NULL, "flows before it, from 0"},
    {0},
};

/* The list as far as it has been read. */
typedef struct {
    guint32 ranks;
    gint64 bytes;
    GArray *flows, *after;     /* DnFlow, guint32 */
    gboolean scheduled, sized; /* sized: the list has `bytes` */
} Reading;

static gboolean read_after(const Reading *r, const DnParams *p, DnFlow *flow, GError **error)
{
    guint n = 0;
    const gint64 *list = dn_params_list(p, "after", &n);
    flow->after_first = r->after->len;
    flow->n_after = n;
    for (guint i = 0; i < n; i++) {
        if (list[i] >= r->flows->len) {
            dn_params_error(p, "after", DN_ERROR_RANGE, error,
                            "flow %u comes after flow %" G_GINT64_FORMAT
                            "; allowed: those before it in the list",
                            r->flows->len, list[i]);
            return FALSE;
        }
        const DnFlow *before = &g_array_index(r->flows, DnFlow, list[i]);
        if (before->dst != flow->src && before->src != flow->src) {
            dn_params_error(p, "after", DN_ERROR_RANGE, error,
                            "rank %u, where flow %u begins, knows nothing of flow %" G_GINT64_FORMAT
                            ", from %u to %u",
                            flow->src, r->flows->len, list[i], before->src, before->dst);
            return FALSE;
        }
        guint32 index = (guint32)list[i];
        g_array_append_val(r->after, index);
    }
    return TRUE;
}

static gboolean read_scheduled(Reading *r, const DnConfigNode *item, DnFlow *flow, GError **error)
{
    g_autoptr(DnParams) p = dn_params_read(item, flow_keys, NULL, error);
    if (p == NULL)
        return FALSE;
    static const char *const ends[] = {"src", "dst"};
    for (guint i = 0; i < 2; i++)
        if (dn_params_int(p, ends[i]) >= r->ranks) {
            dn_params_error(p, ends[i], DN_ERROR_RANGE, error,
                            "rank %" G_GINT64_FORMAT " is not one of the job's 0 to %u",
                            dn_params_int(p, ends[i]), r->ranks - 1);
            return FALSE;
        }
    flow->src = (guint32)dn_params_int(p, "src");
    flow->dst = (guint32)dn_params_int(p, "dst");
    if (dn_params_has(p, "bytes"))
        flow->bytes = dn_params_int(p, "bytes");
    flow->start_ps = dn_params_int(p, "start");
    r->scheduled = TRUE;
    return read_after(r, p, flow, error);
}

static gboolean read_flow(Reading *r, const DnConfigNode *item, GError **error)
{
    DnFlow flow = {.bytes = r->bytes};
    if (!r->sized && (item->kind != DN_CONFIG_MAP || dn_config_get(item, "bytes") == NULL)) {
        dn_config_error(item, DN_ERROR_MISSING, error,
                        "flow %u has no size; give it `bytes`, or the workload for all that have "
                        "none",
                        r->flows->len);
        return FALSE;
    }
    if (item->kind == DN_CONFIG_MAP) {
        if (!read_scheduled(r, item, &flow, error))
            return FALSE;
    } else if (!dn_config_expect(item, DN_CONFIG_LIST, error)) {
        return FALSE;
    } else if (item->children->len != 2) {
        dn_config_error(item, DN_ERROR_TYPE, error,
                        "a flow is two ranks, [source, destination]; here are %u",
                        item->children->len);
        return FALSE;
    } else if (!read_rank(g_ptr_array_index(item->children, 0), r->ranks, &flow.src, error) ||
               !read_rank(g_ptr_array_index(item->children, 1), r->ranks, &flow.dst, error)) {
        return FALSE;
    }
    g_array_append_val(r->flows, flow);
    return TRUE;
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
    g_autoptr(GArray) after = g_array_new(FALSE, FALSE, sizeof(guint32));
    Reading r = {.ranks = program->ranks,
                 .bytes = dn_params_int(params, "bytes"),
                 .flows = flows,
                 .after = after,
                 .sized = dn_params_has(params, "bytes")};
    for (guint i = 0; i < list->children->len; i++)
        if (!read_flow(&r, g_ptr_array_index(list->children, i), error))
            return FALSE;
    program->n_flows = flows->len;
    if (r.scheduled)
        return dn_flow_schedule_init(program, params, g_steal_pointer(&flows),
                                     g_steal_pointer(&after), error);
    double bytes = (double)r.bytes * flows->len;
    dn_flow_set_init(program, params, g_steal_pointer(&flows), bytes);
    return TRUE;
}

const DnProgramType dn_program_flows = {
    .name = "flows",
    .help = "any list of [source, destination], or of flows with size, start and predecessors",
    .goodput = "bytes of all flows",
    .limits = DN_FLOW_LIMITS,
    .source = "the user's own list",
    .params = params_,
    .min_ranks = 1,
    .init = flows_init,
    DN_FLOW_SET_TYPE,
};
