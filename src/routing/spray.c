/* spray.c - Fat tree: up over a random parent, packet by packet, whatever the load.
 *
 * Dixit, Prakash, Hu, Kompella, "On the Impact of Packet Spraying in Data Center Networks", INFOCOM
 * 2013: each packet goes up over a port drawn anew at each switch, until an ancestor of its
 * destination is reached. Packets of a message may overtake each other. One virtual channel, as
 * minimal.c. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_spray;

static const DnParamSpec spray_params[] = {{0}};
static const char *const spray_topologies[] = {"fat_tree", NULL};
static const char *const spray_modes[] = {"spray", NULL};

static DnRouter *spray_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = &dn_routing_spray;
    r->pick = DN_PICK_RANDOM;
    if (dn_group_router_init(r, machine, 0, error))
        return &r->base;
    g_free(r);
    return NULL;
}

static DnHop spray_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                        const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_spray = {
    .name = "spray",
    .help = "fat tree: up over a random parent, packet by packet, whatever the load",
    .limits =
        "parallel links on the way down are taken alike; what lies behind a parent is not seen",
    .source =
        "Dixit et al., On the Impact of Packet Spraying in Data Center Networks, INFOCOM 2013",
    .params = spray_params,
    .topologies = spray_topologies,
    .modes = spray_modes,
    .make = spray_make,
    .free = dn_group_router_free,
    .next = spray_next,
    .onward_from = 1,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
};
