/* setup.c - the engine's state from the graph, the routing and the run; every limit checked here. */
#include "engine/packet/core.h"

#include <math.h>

#define MAX_QUEUES 32           /* bits of a port's mask */
#define PACKET_LIMIT (1u << 28) /* 16 GiB */
#define FLIGHT_LIMIT (1u << 27)
#define WHEEL_BYTES (G_GUINT64_CONSTANT(128) << 20)
#define UNLIMITED_CREDIT (1 << 30)

static gint64 smallest_latency(const DnGraph *g)
{
    gint64 least = G_MAXINT64;
    for (guint32 l = 0; l < g->size.links; l++)
        least = MIN(least, dn_link_latency_ps(g, l));
    return least;
}

static gboolean init_port(DnPacketEngine *e, guint32 index, GError **error)
{
    const DnGraph *g = e->graph;
    guint32 l = g->ports[index];
    const DnLink *link = &g->links[l];
    const DnLinkClass *class_ = &g->classes[link->link_class];
    gint64 latency = class_->latency_ps + g->vertices[link->dst].latency_ps;
    double ps_per_byte = 8e12 / ((double)dn_link_bandwidth_bps(g, l) * class_->efficiency);
    guint32 wire = e->packet_bytes + e->header_bytes;
    if (latency > G_MAXUINT32 || ps_per_byte * wire > 1e15) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "links of class '%s' are too slow for the packet engine (latency %.0f ps, %.0f "
                    "ps a byte); at most 4 ms and 10^15 ps a packet",
                    class_->name, (double)latency, ps_per_byte);
        return FALSE;
    }
    if (class_->buffer_bytes > 0 && class_->buffer_bytes < (gint64)wire) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "links of class '%s' have %" G_GINT64_FORMAT
                    " B of buffer, a packet has %u B on the wire; raise the buffer or lower "
                    "packet.size",
                    class_->name, class_->buffer_bytes, wire);
        return FALSE;
    }
    DnPort *port = &e->ports[index];
    *port = (DnPort){
        .ps_per_byte_fp = (guint64)llround(ps_per_byte * (1 << 20)),
        .latency_ps = (guint32)latency,
        .credit_latency_ps = (guint32)class_->latency_ps,
        .stalled_since_ps = -1,
        .peer = link->dst,
        .peer_port = (guint16)g->link_port[l ^ 1],
    };
    gint32 credit = class_->buffer_bytes == 0 || class_->buffer_bytes > UNLIMITED_CREDIT
                        ? UNLIMITED_CREDIT
                        : (gint32)class_->buffer_bytes;
    e->full_credit[index] = credit;
    for (guint32 q = 0; q < e->queues; q++)
        e->queues_of[(gsize)index * e->queues + q].credit_bytes = credit;
    return TRUE;
}

static void init_vertices(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    for (guint32 v = 0; v < g->n_vertices; v++)
        e->vertices[v] = (DnVertexState){
            .draw_key = dn_draw_key(e->run->seed, DN_DRAW_ROUTE, v),
            .first_port = g->port_first[v],
            .degree = (guint16)dn_graph_degree(g, v),
            .endpoint = g->endpoint_of[v],
        };
}

/* Windows of 2^shift ps, no longer than the smallest latency; as many as reach past a slow packet,
 * within WHEEL_BYTES. */
static gboolean init_wheel(DnPacketEngine *e)
{
    guint shift = 0;
    while ((G_GINT64_CONSTANT(2) << shift) <= e->lookahead_ps && shift < 31)
        shift++;
    gint64 reach = 0;
    for (guint32 i = 0; i < e->graph->size.links; i++) {
        const DnPort *port = &e->ports[i];
        gint64 serial = dn_port_serial_ps(port, e->packet_bytes + e->header_bytes);
        reach = MAX(reach, 2 * serial + 2 * (gint64)port->latency_ps);
    }
    guint32 slots = 16;
    while (slots < 4096 && ((gint64)slots << shift) < reach &&
           2 * (guint64)slots * e->graph->n_vertices * sizeof(guint32) <= WHEEL_BYTES)
        slots *= 2;
    return dn_wheel_init(&e->part.wheel, e->graph->n_vertices, shift, slots);
}

static gint64 port_load(const DnLoadView *view, guint32 port)
{
    const DnPart *part = (const DnPart *)((const char *)view - G_STRUCT_OFFSET(DnPart, load));
    const DnPacketEngine *e = part->engine;
    const DnPort *p = &e->ports[e->vertices[part->vertex].first_port + port];
    return (gint64)p->queued_bytes + p->unacked_bytes;
}

static gboolean check_limits(const DnPacketEngine *e, GError **error)
{
    if (e->queues > MAX_QUEUES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%u lanes of %u virtual channels are %u queues a port; at most %d", e->lanes,
                    e->channels, e->queues, MAX_QUEUES);
        return FALSE;
    }
    for (guint32 v = 0; v < e->graph->n_vertices; v++)
        if (dn_graph_degree(e->graph, v) >= DN_SELF_PORT) {
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "vertex %u has %u ports; at most %u", v,
                        dn_graph_degree(e->graph, v), DN_SELF_PORT - 1);
            return FALSE;
        }
    return TRUE;
}

gboolean dn_packet_engine_init(DnPacketEngine *e, const DnEngineRun *run, GError **error)
{
    const DnGraph *g = run->router->machine->graph;
    const DnMachineHardware *hardware = &run->router->machine->hardware;
    *e = (DnPacketEngine){.run = run, .router = run->router, .graph = g};
    e->channels = run->router->channels;
    e->lanes = MAX(1, hardware->lanes);
    e->queues = e->channels * e->lanes;
    e->packet_bytes = (guint32)run->packet_bytes;
    e->header_bytes = (guint32)hardware->header_bytes;
    if (!check_limits(e, error))
        return FALSE;
    guint32 links = g->size.links;
    e->vertices = g_new0(DnVertexState, g->n_vertices);
    e->ports = g_aligned_alloc0(links + 1, sizeof(DnPort), 64);
    e->queues_of = g_aligned_alloc0((gsize)links * e->queues + 1, sizeof(DnQueue), 64);
    e->counters = g_new0(DnPortCounters, links + 1);
    e->full_credit = g_new0(gint32, links + 1);
    e->lookahead_ps = links > 0 ? smallest_latency(g) : 1000;
    g_assert(e->lookahead_ps > 0);
    for (guint32 i = 0; i < links; i++)
        if (!init_port(e, i, error))
            return FALSE;
    init_vertices(e);
    e->part.engine = e;
    e->part.load.port_bytes = port_load;
    if (!init_wheel(e) || !dn_pool_init(&e->packets, sizeof(DnPacket), PACKET_LIMIT) ||
        !dn_pool_init(&e->flights, sizeof(DnFlight), FLIGHT_LIMIT)) {
        g_set_error(error, DN_ERROR, DN_ERROR_MEMORY, "no address space for packets and events");
        return FALSE;
    }
    return TRUE;
}

void dn_packet_engine_clear(DnPacketEngine *e)
{
    g_free(e->vertices);
    g_aligned_free(e->ports);
    g_aligned_free(e->queues_of);
    g_free(e->counters);
    g_free(e->full_credit);
    dn_wheel_clear(&e->part.wheel);
    g_free(e->part.batch);
    g_free(e->part.self.events);
    g_free(e->part.free_packets.ids);
    g_free(e->part.free_flights.ids);
    dn_pool_clear(&e->packets);
    dn_pool_clear(&e->flights);
}
