/* packet_setup.c - the engine's state from the graph, the routing and the run. */
#include "base/pages.h"
#include "base/rate.h"
#include "base/sparse_array.h"
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/domains.h"
#include "engine/packet/event_rank.h"
#include "engine/packet/fifo.h"
#include "engine/packet/hooks.h"
#include "engine/packet/larger_packets.h"
#include "engine/packet/message_pack.h"
#include "engine/packet/nic.h"
#include "engine/packet/packet_limits.h"
#include "engine/packet/delay_attribution.h"
#include "engine/packet/remote.h"
#include "engine/packet/shared_buffer.h"
#include "topology/hop_latency.h"

#include <string.h>

#define PACKET_LIMIT (1u << 28) /* 16 GiB */
#define MESSAGE_STATE_LIMIT (1u << 27)
#define SECOND_CACHE_BYTES ((gsize)2 << 20)

/* Returns the bytes of the buffer that each queue has at the far end of a link of @class_. None in
 * a machine's file exceeds the largest; one without limit, of a what-if or for larger packets is
 * cut to it. */
static gint32 class_credit(const DnPacketEngine *e, const DnLinkClass *class_)
{
    gint64 buffer = dn_larger_buffer(e, class_);
    return buffer == 0 ? DN_MOST_BUFFER_BYTES : (gint32)MIN(buffer, DN_MOST_BUFFER_BYTES);
}

/* Sets the bytes without credit of a stream that nothing delays: those of a credit's round trip,
 * the packet that left before them, and the next one, counted as soon as it may leave. */
static void set_in_flight(const DnPacketEngine *e, const DnLinkClass *class_, DnLinkTiming *timing)
{
    double round_trip_ps = (double)(timing->latency_ps + timing->credit_latency_ps);
    double bytes = round_trip_ps * (1 << 20) / (double)timing->ps_per_byte_fp +
                   2.0 * MIN(e->net.sizes.most_wire_bytes, e->net.sizes.first_wire_bytes);
    timing->in_flight_bytes = (gint64)MIN(bytes, class_credit(e, class_));
}

/* Index of the timing @wanted, which is added when it is new. */
static guint16 link_timing_index(DnPacketEngine *e, const DnLinkTiming *wanted)
{
    for (guint32 i = 0; i < e->net.n_link_timings; i++)
        if (memcmp(&e->net.link_timings[i], wanted, sizeof *wanted) == 0)
            return (guint16)i;
    e->net.link_timings = g_renew(DnLinkTiming, e->net.link_timings, e->net.n_link_timings + 1);
    e->net.link_timings[e->net.n_link_timings] = *wanted;
    g_assert(e->net.n_link_timings < G_MAXUINT16);
    return (guint16)e->net.n_link_timings++;
}

static guint16 link_timing_make(DnPacketEngine *e, guint32 l)
{
    const DnGraph *g = e->graph;
    const DnLinkClass *class_ = &g->classes[g->links[l].link_class];
    double bps = dn_machine_link_bps(e->run->router->machine, l);
    DnLinkTiming timing = {
        .ps_per_byte_fp = (guint64)dn_rate_time_ps(1 << 20, bps),
        .latency_ps = dn_hop_latency_ps(g, l),
        .credit_latency_ps = dn_hop_credit_ps(g, l),
    };
    set_in_flight(e, class_, &timing);
    return link_timing_index(e, &timing);
}

/* Returns TRUE when links @a and @b have the same timing. */
static gboolean links_alike(const DnGraph *g, guint32 a, guint32 b)
{
    const DnLink *x = &g->links[a], *y = &g->links[b];
    const DnVertex *v = g->vertices;
    return x->link_class == y->link_class && x->width == y->width &&
           v[x->src].latency_ps == v[y->src].latency_ps &&
           v[x->dst].latency_ps == v[y->dst].latency_ps &&
           (v[x->src].kind == DN_VERTEX_SWITCH) == (v[y->src].kind == DN_VERTEX_SWITCH) &&
           (v[x->dst].kind == DN_VERTEX_SWITCH) == (v[y->dst].kind == DN_VERTEX_SWITCH);
}

/* Index of the timing of each link: most are like the one before them in the same direction. */
static guint16 *link_timings_of_all(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    guint16 *of = g_new(guint16, (gsize)g->size.links + 1);
    for (guint32 l = 0; l < g->size.links; l++)
        of[l] = l >= 2 && links_alike(g, l, l - 2) ? of[l - 2] : link_timing_make(e, l);
    return of;
}

guint16 dn_link_timing_of(const DnPacketEngine *e, guint32 l)
{
    return e->timing_of[l];
}

/* Makes the distinct timings of links, and the slot, no longer than the smallest latency. */
static void make_link_timings(DnPacketEngine *e)
{
    gint64 least = G_MAXINT64;
    e->timing_of = link_timings_of_all(e);
    for (guint32 i = 0; i < e->net.n_link_timings; i++)
        least = MIN(least, MIN(e->net.link_timings[i].latency_ps,
                               e->net.link_timings[i].credit_latency_ps));
    least = e->net.n_link_timings == 0 ? 1000 : least;
    g_assert(least > 0);
    while ((G_GINT64_CONSTANT(2) << e->threads.slot_shift) <= least && e->threads.slot_shift < 31)
        e->threads.slot_shift++;
}

/* The smallest latency between two domains, of all processes. */
static gint64 lookahead_ps(const DnPacketEngine *e)
{
    gint64 least = G_MAXINT64;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        guint32 first = e->net.states[e->net.domain_first[d]].first_port;
        guint32 last = e->net.states[e->net.domain_first[d + 1]].first_port;
        for (guint32 i = first; dn_is_own(e, d) && i < last; i++) {
            const DnPort *port = dn_port(e, i);
            const DnLinkTiming *timing = &e->net.link_timings[port->timing];
            if (port->peer_domain != d)
                least = MIN(least, MIN(timing->latency_ps, timing->credit_latency_ps));
        }
    }
    if (e->threads.processes != NULL) {
        least = -least;
        e->threads.processes->max(&least, 1);
        least = -least;
    }
    return least;
}

/* Returns the bytes of the buffer of each queue at the end of link @l. */
static gint32 link_credit(const DnPacketEngine *e, guint32 l)
{
    return class_credit(e, &e->graph->classes[e->graph->links[l].link_class]);
}

/* Returns the bytes that the queues at the end of link @l share, beyond the buffer of each. */
static gint32 link_shared(const DnPacketEngine *e, guint32 l)
{
    const DnLinkClass *class_ = &e->graph->classes[e->graph->links[l].link_class];
    gint64 shared = class_->shared_buffer_bytes, buffer = class_->buffer_bytes;
    if (shared == 0 || buffer == 0)
        return 0;
    shared = (gint64)((double)shared * (double)dn_larger_buffer(e, class_) / (double)buffer);
    return (gint32)MIN(shared, DN_MOST_SHARED_BUFFER_BYTES);
}

/* Engine port @index is port @p of state @s. @first_port: dn_first_ports() */
static void init_port(DnPacketEngine *e, guint32 index, guint32 s, guint32 p,
                      const guint32 *first_port)
{
    const DnGraph *g = e->graph;
    guint32 l = g->ports[g->port_first[e->net.states[s].vertex] + p];
    const DnLink *link = &g->links[l];
    guint32 peer = e->net.state_of[link->dst], peer_domain = dn_domain_of(e, peer);
    gint32 credit = link_credit(e, l);
    *dn_port(e, index) = (DnPort){
        .peer = link->dst,
        .peer_domain = (guint16)peer_domain,
        .peer_slot = (guint16)(peer - e->net.domain_first[peer_domain]),
        .peer_port = first_port[peer] + g->link_port[l ^ 1],
        .timing = dn_link_timing_of(e, l),
    };
    e->net.link_of[index] = l;
    e->net.cold[index].full_credit_bytes = credit;
    e->net.cold[index].buffer_bytes = link_credit(e, l ^ 1) + link_shared(e, l ^ 1);
    for (guint32 q = 0; q < e->net.queues; q++)
        dn_port(e, index)->credit_bytes[q] = dn_aggregation_credit(e, q, credit);
    if (e->features.shared_buffers != NULL)
        dn_shared_buffer_open(e, index, link_shared(e, l));
}

static gboolean init_port_arrays(DnPortArrays *ports, gsize n, gsize port_bytes, gsize queue_bytes)
{
    ports->shift = (guint)__builtin_ctzll(port_bytes);
    while (queue_bytes > (gsize)1 << (ports->shift + ports->queues_shift))
        ports->queues_shift++;
    gsize bytes = n << ports->shift;
    ports->bytes = bytes + (bytes << ports->queues_shift);
    ports->base = dn_pages_new(ports->bytes);
    ports->queues = ports->base + bytes;
    return ports->base != NULL;
}

static gboolean init_ports(DnPacketEngine *e)
{
    guint32 links = e->graph->size.links;
    g_autofree guint32 *first_port = dn_first_ports(e);
    dn_vertices_init(e, first_port);
    if (!init_port_arrays(&e->net.ports, links + 1, dn_port_bytes(e),
                          e->net.queues * sizeof(DnQueue)))
        return FALSE;
    e->net.cold = dn_sparse_of(DnPortCold, links + 1);
    dn_shared_buffers_init(e);
    e->net.link_of = dn_sparse_of(guint32, links + 1);
    for (guint32 d = 0; d < e->net.n_domains; d++)
        for (guint32 s = e->net.domain_first[d]; dn_is_own(e, d) && s < e->net.domain_first[d + 1];
             s++)
            for (guint32 p = 0; p < e->net.states[s].degree; p++)
                init_port(e, first_port[s] + p, s, p, first_port);
    return TRUE;
}

/* Returns TRUE when the buffer of @port's peer never runs out of space: the peer has no other link,
 * and empties it as fast as the link fills it. Without credit are at most the bytes of a credit's
 * round trip, the packet that left before them and one on the wire; space for one more suffices. */
static gboolean is_ejection(const DnPacketEngine *e, const DnPort *port)
{
    const DnLinkTiming *timing = &e->net.link_timings[port->timing];
    gint64 round_trip_ps = timing->latency_ps + timing->credit_latency_ps;
    double largest = MAX(e->net.sizes.most_wire_bytes, e->net.hardware->response_bytes);
    double bytes = (double)round_trip_ps * (1 << 20) / (double)timing->ps_per_byte_fp + 3 * largest;
    return dn_graph_degree(e->graph, port->peer) == 1 && port->credit_bytes[0] >= bytes;
}

/* Sets up a terminal: the NIC's port to its switch, and the switch's port back; their state where
 * they are of this process. */
static void init_terminal(DnPacketEngine *e, guint32 t)
{
    const DnGraph *g = e->graph;
    guint32 nic = g->terminals[t], switch_ = e->net.state_of[g->terminal_switch[t]], p = 0;
    const guint32 *links = g->ports + g->port_first[nic], degree = dn_graph_degree(g, nic);
    while (p < degree && g->links[links[p]].dst != g->terminal_switch[t])
        p++;
    g_assert(p < degree);
    e->net.uplink_of[t] = (guint16)p; /* of all: congestion control knows every uplink's rate */
    if (dn_is_here(e, e->net.state_of[nic])) {
        DnVertexState *v = &e->net.states[e->net.state_of[nic]];
        v->nic = t;
        dn_port(e, v->first_port + p)->uplink = 1;
    }
    if (!dn_is_here(e, switch_))
        return;
    DnPort *last = dn_port(e, e->net.states[switch_].first_port + g->link_port[links[p] ^ 1]);
    last->last_hop = 1;
    last->ejection = is_ejection(e, last) & 1;
}

static void init_nics(DnPacketEngine *e)
{
    guint32 terminals = e->graph->size.terminals;
    gsize lanes = (gsize)e->graph->size.links * e->net.lanes;
    e->net.nics = dn_sparse_of(DnNic, terminals + 1);
    e->net.uplink_of = dn_sparse_of(guint16, terminals + 1);
    for (guint32 t = 0; t < terminals; t++)
        if (e->graph->terminal_switch[t] != DN_NONE)
            init_terminal(e, t);
    if (e->net.lanes > 1)
        e->net.lane_bytes = dn_sparse_of(guint64, lanes + 1);
    if (e->net.hardware->input_buffers == DN_INPUT_FIFO)
        e->features.fifos =
            dn_sparse_of(struct DnFifo, (gsize)e->graph->size.links * e->net.queues + 1);
    if (e->net.lanes > 1 && e->net.hardware->arbitration == DN_ARBITRATION_WEIGHTED)
        e->net.deficits = dn_sparse_of(gint32, lanes + 1);
    if (e->run->observer.delays != NULL || e->run->observer.channel != NULL)
        e->features.delay_log = dn_delay_log_new(e);
}

/* Returns how many of the first vertices of each domain are switches. */
static guint32 *switches_of_domains(const DnPacketEngine *e)
{
    guint32 *n = g_new0(guint32, e->net.n_domains + 1);
    for (guint32 v = 0; v < e->graph->size.switches; v++)
        n[dn_domain_of(e, e->net.state_of[v])]++;
    return n;
}

/* Events are served vertex by vertex where ports exceed the second-level cache, but by time where a
 * feature looks at several vertices at once (@by_time), or at several of a node. */
static void init_sorts(DnPacketEngine *e, gboolean by_time)
{
    guint32 most = 0;
    for (guint32 d = 0; d < e->net.n_domains; d++)
        most = MAX(most, e->net.domain_first[d + 1] - e->net.domain_first[d]);
    for (guint i = 0; i < e->threads.n_partitions; i++)
        e->threads.partitions[i].sort.rank_most = dn_rank_most();
    for (guint i = 0; i < e->threads.n_partitions; i++)
        if (!by_time && !e->run->shares_nodes && e->net.ports.bytes > SECOND_CACHE_BYTES)
            e->threads.partitions[i].sort.of_vertex = g_new(guint32, most + 1);
        else if (!by_time)
            e->threads.partitions[i].sort.switches = switches_of_domains(e);
}

/* Slots of 2^shift ps, no longer than the smallest latency; as many as reach past a slow packet,
 * within WHEEL_BYTES; a window is as many as the smallest latency between domains allows. */
static gboolean init_wheels(DnPacketEngine *e)
{
    guint shift = e->threads.slot_shift;
    guint32 slots = dn_wheel_slots(e, e->net.n_domains);
    e->threads.step_slots = (guint32)MIN(lookahead_ps(e) >> shift, (gint64)slots / 2);
    if (e->threads.lookahead_slots == 0) /* dn_domains_init() */
        e->threads.lookahead_slots = e->threads.step_slots;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        if (!dn_wheel_init(&e->threads.partitions[i].wheel, e->net.n_domains, shift, slots,
                           &e->net.budget))
            return FALSE;
    return TRUE;
}

/* A mask: lanes of responses follow those of requests, those of aggregated packets are last. */
static guint32 response_queues(const DnPacketEngine *e)
{
    guint32 first = e->net.request_lanes * e->net.channels;
    guint32 end = e->net.answers ? 2 * first : first;
    return (guint32)((G_GUINT64_CONSTANT(1) << end) - (G_GUINT64_CONSTANT(1) << first));
}

static gboolean init_pools(DnPacketEngine *e, GError **error)
{
    e->net.budget.limit = e->run->max_memory_bytes > 0 ? e->run->max_memory_bytes : G_MAXSIZE;
    if (init_wheels(e) &&
        dn_pool_init(&e->net.packets, sizeof(DnPacket), PACKET_LIMIT, &e->net.budget) &&
        dn_pool_init(&e->net.message_states, sizeof(DnMessageState), MESSAGE_STATE_LIMIT,
                     &e->net.budget))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MEMORY,
                "no memory for the first packets and events; raise packet.max_memory or the limit "
                "of address space (ulimit -v)");
    return FALSE;
}

guint64 dn_packet_engine_memory_bytes(const DnGraphSize *size)
{
    guint64 vertices = size->switches + (guint64)size->nodes * size->node_vertices;
    gsize port = 2 * 64 + sizeof(DnPortCold) + sizeof(guint32); /* with few queues */
    return vertices * (sizeof(DnVertexState) + sizeof(guint32)) + size->links * (guint64)port +
           size->terminals * (guint64)sizeof(DnNic) + 3 * DN_POOL_STEP;
}

/* Fills the table of each queue's lane, and that of a packet's by in_queue and `aggregated`. */
static void init_lanes(DnPacketEngine *e)
{
    guint8 *of_packet = e->net.lane_of_queue + 2 * DN_MAX_QUEUES;
    for (guint32 q = 0; q < e->net.queues; q++)
        e->net.lane_of_queue[q] = (guint8)(q / e->net.channels);
    for (guint32 q = 0; q < DN_MAX_QUEUES; q++) {
        gboolean requests = q < e->net.request_lanes * e->net.channels;
        guint32 further = requests ? e->features.aggregate_lane : 0;
        of_packet[q] = e->net.lane_of_queue[q];
        of_packet[q + DN_MAX_QUEUES] = (guint8)(e->net.lane_of_queue[q] + further);
    }
}

static guint32 pack_from(const DnPacketEngine *e)
{
    if (e->features.aggregation != NULL || e->threads.processes != NULL)
        return 0;
    return e->run->pack_from > 0 ? e->run->pack_from : DN_PACK_FROM;
}

gboolean dn_packet_engine_init(DnPacketEngine *e, const DnEngineRun *run, GError **error)
{
    const DnGraph *g = run->router->machine->graph;
    const DnHardware *hardware = &run->router->machine->hardware;
    *e = (DnPacketEngine){.run = run, .router = run->router, .graph = g};
    e->net.hardware = hardware;
    e->net.channels = run->router->channels;
    e->net.request_lanes = MAX(1, hardware->lanes);
    e->net.answers = hardware->window_packets > 0;
    e->net.lanes = e->net.answers ? 2 * e->net.request_lanes : e->net.request_lanes;
    dn_aggregation_init(e);
    e->net.queues = e->net.channels * e->net.lanes;
    e->net.packet_bytes = (guint32)run->packet_bytes;
    e->net.header_bytes = (guint32)hardware->header_bytes;
    dn_larger_packets_set(e);
    e->net.plain = e->net.lanes == 1 && e->net.sizes.own_bytes == e->net.packet_bytes &&
                   hardware->speedup == 0 && hardware->congestion == DN_CONGESTION_NONE;
    e->net.nic.message_gap_ps = dn_engine_message_gap_ps(hardware);
    e->net.nic.window = dn_hardware_window(hardware, e->net.sizes.own_bytes);
    e->net.sizes.flits = dn_nic_data_flits(e, e->net.packet_bytes);
    if (!dn_packet_limits_check(e, error))
        return FALSE;
    e->net.nic.response_mask = response_queues(e);
    e->net.nic.flit_ps = (gint64)(1e12 / hardware->clock_hz + 0.5);
    init_lanes(e);
    make_link_timings(e);
    dn_domains_init(e);
    gboolean together = run->router->type->omniscient || run->observer.delays != NULL ||
                        run->observer.channel != NULL;
    dn_partition(e, together ? 1 : run->threads);
    if (!init_ports(e)) {
        g_set_error(error, DN_ERROR, DN_ERROR_MEMORY, "no memory for %u ports", g->size.links);
        return FALSE;
    }
    for (guint32 i = 0; i < e->net.n_link_timings; i++)
        e->net.slowest_hop_ps = MAX(e->net.slowest_hop_ps, e->net.link_timings[i].latency_ps);
    init_sorts(e, together || run->reads_nics);
    init_nics(e);
    dn_control_init(e);
    dn_delayed_credits_init(e);
    dn_larger_packets_init(e);
    dn_hooks_init(e);
    e->net.no_contest = hardware->speedup == 0 && e->features.aggregates == NULL &&
                        (e->net.lanes == 1 || hardware->arbitration != DN_ARBITRATION_WEIGHTED);
    dn_remote_init(e);
    e->features.keeps_messages = e->net.answers || e->features.control != NULL ||
                                 e->threads.processes != NULL;
    e->features.pack_from = pack_from(e);
    dn_load_views_init(e);
    g_clear_pointer(&e->timing_of, g_free);
    return init_pools(e, error);
}

void dn_packet_engine_clear(DnPacketEngine *e)
{
    dn_control_clear(e);
    dn_delay_log_free(e->features.delay_log);
    dn_aggregation_clear(e);
    dn_sparse_free(e->features.larger);
    dn_sparse_free(e->net.nics);
    dn_sparse_free(e->net.uplink_of);
    dn_sparse_free(e->features.registers);
    dn_sparse_free(e->features.link_levels);
    dn_sparse_free(e->net.lane_bytes);
    dn_sparse_free(e->net.deficits);
    dn_sparse_free(e->features.fifos);
    dn_shared_buffers_clear(e);
    g_free(e->net.domain_first);
    dn_sparse_free(e->net.states);
    g_free(e->net.state_of);
    dn_pages_free(e->net.ports.base, e->net.ports.bytes);
    dn_sparse_free(e->net.cold);
    dn_sparse_free(e->net.link_of);
    g_free(e->net.link_timings);
    g_free(e->timing_of);
    dn_partitions_clear(e);
    dn_pool_clear(&e->net.packets);
    dn_pool_clear(&e->net.message_states);
}
