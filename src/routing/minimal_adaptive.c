/* minimal_adaptive.c - Torus and mesh: a packet takes the least loaded minimal hop with credits;
 * dimension order is the escape.
 *
 * Duato, "A Necessary and Sufficient Condition for Deadlock-Free Routing in Cut-Through and
 * Store-and-Forward Networks", IEEE TPDS 7(8), 1996. Channels: the ring channels of dimension order
 * (torus_path.h) are the escape, one more is adaptive: three with wrap, two without.
 * A packet is queued on the adaptive channel only when that has credits for it behind all packets
 * queued there (DnLoadView.has_credit), so no packet ever waits for an adaptive channel; when none
 * has, it takes the hop of dimension order on its escape channel, which every switch offers.
 * So every waiting packet waits for an escape channel, and those close no cycle
 * (deadlock_check.c). */
#include "routing/torus_path.h"

extern const DnRoutingType dn_routing_minimal_adaptive;

static const DnParamSpec minimal_adaptive_params[] = {{0}};
static const char *const minimal_adaptive_modes[] = {"minimal_adaptive", NULL};

static DnRouter *minimal_adaptive_make(const DnMachine *machine, const DnParams *params,
                                       GError **error)
{
    DnTorusRouter *r = g_new0(DnTorusRouter, 1);
    r->base.type = &dn_routing_minimal_adaptive;
    dn_torus_router_init(r, machine, 1);
    if (machine->type != NULL) {
        r->base.adaptive_channels = 1u << r->ring_channels;
        r->base.channels = r->ring_channels + 1;
    }
    return &r->base;
}

typedef struct {
    const DnLoadView *load;
    guint8 channel;
    guint32 port; /* DN_NONE: none has credits */
    gint64 bytes;
    guint64 draw;
} Search;

static void adaptive_consider(const DnTorusRouter *r, Search *s, DnPortSet set)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->sets, set, &n, &single);
    for (guint i = 0; i < n; i++) {
        if (!s->load->has_credit(s->load, ports[i], s->channel))
            continue;
        gint64 bytes = s->load->port_bytes(s->load, ports[i]);
        s->draw = dn_mix64(s->draw + 1);
        if (s->port != DN_NONE && (bytes > s->bytes || (bytes == s->bytes && (s->draw & 1))))
            continue;
        s->port = ports[i];
        s->bytes = bytes;
    }
}

static DnHop minimal_adaptive_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                   const DnLoadView *load, guint64 draw)
{
    const DnTorusRouter *r = (const DnTorusRouter *)router;
    guint32 to = state->target_switch;
    if (load == NULL || load->has_credit == NULL)
        return dn_torus_ordered_hop(r, vertex, to, draw);
    Search s = {load, (guint8)r->ring_channels, DN_NONE, 0, draw};
    for (guint d = 0; d < r->n_dims; d++) {
        guint32 from = dn_torus_coordinate(r, vertex, d), end = dn_torus_coordinate(r, to, d);
        if (from == end)
            continue;
        guint directions = dn_torus_directions(r, d, from, end);
        for (guint up = 0; up < 2; up++)
            if (directions & (up ? 1 : 2))
                adaptive_consider(r, &s, dn_torus_ports(r, vertex, d, up));
    }
    if (s.port == DN_NONE)
        return dn_torus_ordered_hop(r, vertex, to, draw);
    return (DnHop){s.port, s.channel};
}

static guint minimal_adaptive_choices(const DnRouter *router, guint32 vertex,
                                      const DnRouteState *state, DnHop *hops, DnRouteState *after,
                                      guint max)
{
    const DnTorusRouter *r = (const DnTorusRouter *)router;
    guint32 to = state->target_switch;
    guint n = dn_torus_ordered_hops(r, vertex, to, hops, max);
    for (guint k = 0; k < 2 * r->n_dims; k++) {
        guint d = k / 2;
        guint32 from = dn_torus_coordinate(r, vertex, d), end = dn_torus_coordinate(r, to, d);
        if (from == end || !(dn_torus_directions(r, d, from, end) & (k % 2 ? 1 : 2)))
            continue;
        guint m;
        guint16 single;
        const guint16 *ports =
            dn_port_set_list(r->sets, dn_torus_ports(r, vertex, d, k % 2), &m, &single);
        g_assert(n + m <= max);
        for (guint i = 0; i < m; i++)
            hops[n++] = (DnHop){ports[i], (guint8)r->ring_channels};
    }
    for (guint i = 0; i < n; i++)
        after[i] = *state;
    return n;
}

const DnRoutingType dn_routing_minimal_adaptive = {
    .name = "minimal_adaptive",
    .help = "any minimal hop with credit, the least loaded first; dimension order as the escape",
    .limits = "the choice is made once a switch, on arrival: a packet queued on an escape channel "
              "stays there when an adaptive one gets credit; with an engine that cannot tell "
              "credits it is dimension_order",
    .source = "Duato, IEEE TPDS 7(8), 1996",
    .params = minimal_adaptive_params,
    .topologies = dn_torus_topologies,
    .modes = minimal_adaptive_modes,
    .make = minimal_adaptive_make,
    .free = dn_torus_router_free,
    .next = minimal_adaptive_next,
    .choices = minimal_adaptive_choices,
    .moves = dn_torus_moves, /* of the escape: hops onto adaptive channels are not waited for */
};
