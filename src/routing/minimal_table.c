/* minimal_table.c - `minimal` on any fabric: shortest paths from computed tables (table_path.h),
 * the port among equals at random, by a hash of source and destination, or the least loaded. */
#include "routing/group_path.h"
#include "routing/table_path.h"

extern const DnRoutingType dn_routing_minimal_table;

static const DnParamSpec minimal_table_params[] = {
    DN_GROUP_PARAM_CHOICE, DN_TABLE_PARAM_CHANNELS, {0}};
static const char *const minimal_table_modes[] = {"minimal", NULL};

static DnRouter *minimal_table_make(const DnMachine *machine, const DnParams *params,
                                    GError **error)
{
    DnTableRouter *r = g_new0(DnTableRouter, 1);
    r->base.type = &dn_routing_minimal_table;
    if (dn_table_router_init(r, machine, params, error))
        return &r->base;
    g_free(r);
    return NULL;
}

const DnRoutingType dn_routing_minimal_table = {
    .name = "minimal",
    .help = "shortest paths from computed tables; among equals at random, by hash, or the least "
            "loaded",
    .limits = DN_TABLE_LIMITS,
    .source = "shortest paths by breadth-first search",
    .params = minimal_table_params,
    .topologies = dn_table_topologies,
    .modes = minimal_table_modes,
    .computed = TRUE,
    .make = minimal_table_make,
    .free = dn_table_router_free,
    .next = dn_table_next,
    .choices = dn_table_choices,
    .moves = dn_table_moves,
    .ascends = dn_table_ascends,
};
