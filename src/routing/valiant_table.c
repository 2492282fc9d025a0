/* valiant_table.c - `valiant` on any fabric: a shortest path to a random switch, and from there to
 * the target, by computed tables (table_path.h).
 *
 * Valiant & Brebner, "Universal Schemes for Parallel Communication", STOC 1981; on Slim Fly as in
 * Besta & Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC 2014, section
 * IV.B. */
#include "routing/group_path.h"
#include "routing/table_path.h"

extern const DnRoutingType dn_routing_valiant_table;

static const DnParamSpec valiant_table_params[] = {
    DN_GROUP_PARAM_CHOICE, DN_TABLE_PARAM_CHANNELS, DN_TABLE_PARAM_LEVEL, {0}};
static const char *const valiant_table_modes[] = {"valiant", NULL};

static DnRouter *valiant_table_make(const DnMachine *machine, const DnParams *params,
                                    GError **error)
{
    DnTableRouter *r = g_new0(DnTableRouter, 1);
    r->base.type = &dn_routing_valiant_table;
    r->detours = r->always = TRUE;
    if (dn_table_router_init(r, machine, params, error))
        return &r->base;
    g_free(r);
    return NULL;
}

static void valiant_table_start(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                const DnLoadView *load, guint64 draw)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    state->via = dn_table_draw_via(r, vertex, state->target_switch, dn_mix64(draw));
}

const DnRoutingType dn_routing_valiant_table = {
    .name = "valiant",
    .help = "every packet over a random switch, whatever the load, by computed tables",
    .limits = DN_TABLE_LIMITS "; a packet that passes its target on the first half stops there",
    .source = "Valiant & Brebner, STOC 1981; Besta & Hoefler, SC 2014, section IV.B",
    .params = valiant_table_params,
    .topologies = dn_table_topologies,
    .modes = valiant_table_modes,
    .computed = TRUE,
    .make = valiant_table_make,
    .free = dn_table_router_free,
    .start = valiant_table_start,
    .next = dn_table_next,
    .choices = dn_table_choices,
    .starts = dn_table_starts,
    .moves = dn_table_moves,
    .ascends = dn_table_ascends,
};
