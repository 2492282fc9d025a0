/* ugal_table.c - `ugal_l` on any fabric: minimal or the best of a few random detours, by the queues
 * of the first switch, by computed tables (table_path.h).
 *
 * Singh, "Load-Balanced Routing in Interconnection Networks", PhD thesis, Stanford 2005; on Slim
 * Fly four detours are looked at (Besta & Hoefler, SC 2014, section IV.C). The packet goes
 * minimally when bytes(minimal) * hops(minimal) <= bytes(detour) * hops(detour) + threshold. */
#include "routing/group_path.h"
#include "routing/table_path.h"

extern const DnRoutingType dn_routing_ugal_table;

static const DnParamSpec ugal_table_params[] = {
    DN_GROUP_PARAM_CHOICE,
    DN_TABLE_PARAM_CHANNELS,
    DN_TABLE_PARAM_LEVEL,
    DN_GROUP_PARAM_THRESHOLD,
    DN_GROUP_PARAM_IN_FLIGHT,
    {"samples", DN_PARAM_INT, "4", 1, 64, NULL, "random detours of which the best is compared"},
    {0},
};
static const char *const ugal_table_modes[] = {"ugal_l", NULL};

static DnRouter *ugal_table_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DnTableRouter *r = g_new0(DnTableRouter, 1);
    r->base.type = &dn_routing_ugal_table;
    r->detours = TRUE;
    r->samples = (guint)dn_params_int(params, "samples");
    r->threshold_bytes = dn_params_int(params, "threshold");
    r->in_flight = dn_params_int(params, "in_flight") == 1;
    if (dn_table_router_init(r, machine, params, error))
        return &r->base;
    g_free(r);
    return NULL;
}

/* Bytes x hops of the shortest path to @to and @hops more; dn_table_next() takes the same port by
 * the same @draw. */
static gint64 ugal_table_weigh(const DnTableRouter *r, guint32 vertex, guint32 to, guint hops,
                               const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    DnPortSet set = dn_table_toward(r, vertex, to, 0);
    guint32 port = dn_port_set_pick(r->table->sets, set, r->pick, load, state->flow, draw);
    hops += r->table->hops[dn_path_at(r->table, 0, vertex, to)];
    return dn_load_bytes(load, port, r->in_flight) * (gint64)hops;
}

static void ugal_table_start(const DnRouter *router, guint32 vertex, DnRouteState *state,
                             const DnLoadView *load, guint64 draw)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    guint32 to = state->target_switch;
    gint64 best = ugal_table_weigh(r, vertex, to, 0, state, load, draw) - r->threshold_bytes;
    guint64 key = dn_mix64(draw);
    for (guint i = 0; i < r->samples && best > 0; i++, key = dn_mix64(key + 1)) {
        guint32 via = dn_table_draw_via(r, vertex, to, key);
        if (via == DN_NONE)
            return;
        guint onward = r->table->hops[dn_path_at(r->table, 0, via, to)];
        gint64 weight = ugal_table_weigh(r, vertex, via, onward, state, load, draw);
        if (weight >= best)
            continue;
        best = weight;
        state->via = via;
    }
}

const DnRoutingType dn_routing_ugal_table = {
    .name = "ugal_l",
    .help = "minimal or the best of a few random detours, by the queues of the first switch and "
            "computed tables",
    .limits = DN_TABLE_LIMITS ". Queues are counted per port, not per virtual channel",
    .source = "Singh, PhD thesis, Stanford 2005; Besta & Hoefler, SC 2014, section IV.C",
    .params = ugal_table_params,
    .topologies = dn_table_topologies,
    .modes = ugal_table_modes,
    .computed = TRUE,
    .make = ugal_table_make,
    .free = dn_table_router_free,
    .start = ugal_table_start,
    .next = dn_table_next,
    .choices = dn_table_choices,
    .starts = dn_table_starts,
    .moves = dn_table_moves,
    .ascends = dn_table_ascends,
};
