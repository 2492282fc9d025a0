/* subflow_paths.c - The links of a message are found by walks with dn_route_next() when it starts.
 *
 * A packet engine routes every packet; here a message is routed k times, with draws that cover
 * every even choice evenly (k draws, one in each k-th of the range, in an order of its own at each
 * hop), and each walk sees what is there before it as load: on a link that other sources' messages
 * cross one packet of each flow; on one that only this source's cross, the queue that they form.
 * That is what they bring in more than the link carries: a source alone leaves its shortest paths
 * only where these are slower than it is. Flows of several sources queue no more bytes than they
 * have; to algorithms that ignore what a link merely has under way, no more than goes beyond that
 * (routing.h, waiting_bytes): a few short messages at once are no load.
 * LIMITATIONS: a path is chosen once, by the loads of that moment; the k paths carry equal bytes at
 * equal rates, so the slowest limits the others. Messages of a source are taken to share its rate
 * evenly; of more than MOST_OPEN under way, each sees the others as other sources' messages. */
#include <math.h>

#include "engine/flow/flow.h"
#include "routing/path.h"
#include "topology/hop_latency.h"

#define MAX_CHOICES 65536
#define SAMPLED_PAIRS 48
#define MOST_OPEN 8
#define MOST_LOAD ((guint64)1 << 30) /* of a path, bytes: sums of any number of paths fit */

typedef struct {
    DnLoadView view;
    const DnFlow *flow;
    double bytes; /* of the message */
    double rate;  /* that the source's side of the fabric lets through of it, bytes per us */
    guint32 vertex;
    guint walks; /* of the message */
} Load;

/* Returns the bytes that queue for @link when the source's messages that cross it, which nothing
 * else does, get one more walk of this message. */
static gint64 own_queue_bytes(const Load *load, guint32 link, const DnFlowLoad *at)
{
    const DnGraph *g = load->flow->graph;
    const DnLinkClass *class_ = &g->classes[g->links[link].link_class];
    double messages = (double)(at->own + 1) / load->walks +
                      (double)at->siblings / load->flow->paths;
    double rate = load->rate * messages, capacity = load->flow->capacity[link];
    if (rate <= capacity)
        return 0;
    double bytes = load->bytes * messages * (1.0 - capacity / rate);
    double most = (double)(class_->buffer_bytes + class_->shared_buffer_bytes);
    return (gint64)(most > 0.0 ? MIN(bytes, most) : bytes);
}

static gint64 wire_bytes(const DnFlow *flow, gint64 bytes, gint64 packets)
{
    return bytes + packets * flow->run->router->machine->hardware.header_bytes;
}

/* Returns the bytes that @link has under way when it is busy and nothing waits, as the packet
 * engine counts them (packet_setup.c). */
static gint64 in_flight_bytes(const DnFlow *flow, guint32 link)
{
    const DnGraph *g = flow->graph;
    double round_trip_us = 1e-6 * (double)(dn_hop_latency_ps(g, link) + dn_hop_credit_ps(g, link));
    double bytes = round_trip_us * flow->capacity[link] +
                   2.0 * (double)wire_bytes(flow, flow->packet_bytes, 1);
    double most = (double)g->classes[g->links[link].link_class].buffer_bytes;
    return (gint64)(most > 0.0 ? MIN(bytes, most) : bytes);
}

/* Equal flows queue equally: one packet for each, but no more than their bytes, less those that are
 * merely under way (@waiting). */
static gint64 bytes_at(const Load *load, guint32 vertex, guint32 port, gboolean waiting)
{
    const DnFlow *flow = load->flow;
    guint32 link = flow->graph->ports[flow->graph->port_first[vertex] + port];
    const DnFlowLoad *at = &flow->load[link];
    guint32 own = (guint32)at->own + at->siblings;
    if (at->paths == 0)
        return 0;
    if (own == at->paths)
        return own_queue_bytes(load, link, at);
    gint64 most = (gint64)at->bytes - (waiting ? in_flight_bytes(flow, link) : 0);
    return CLAMP((gint64)at->paths * flow->packet_bytes / flow->paths, 0, MAX(0, most));
}

/* Returns the bytes of @message, at least one, that each of its paths takes. */
static guint64 path_bytes(const DnFlow *flow, const DnFlowMessage *message)
{
    guint64 bytes = (guint64)wire_bytes(flow, message->m.bytes, message->packets);
    return CLAMP(bytes / flow->paths, 1, MOST_LOAD);
}

static gint64 port_bytes(const DnLoadView *view, guint32 port)
{
    const Load *load = (const Load *)view;
    return bytes_at(load, load->vertex, port, FALSE);
}

static gint64 waiting_bytes(const DnLoadView *view, guint32 port)
{
    const Load *load = (const Load *)view;
    return bytes_at(load, load->vertex, port, TRUE);
}

static gint64 remote_port_bytes(const DnLoadView *view, guint32 vertex, guint32 port)
{
    return bytes_at((const Load *)view, vertex, port, TRUE);
}

static gboolean has_credit(const DnLoadView *view, guint32 port, guint8 channel)
{
    (void)view;
    (void)port;
    (void)channel;
    return TRUE; /* there are no buffers to be full */
}

static void add_link(DnFlowMessage *message, guint32 link)
{
    if (message->n_links == message->links_capacity) {
        message->links_capacity = 2 * message->links_capacity + 8;
        message->links = g_renew(guint32, message->links, message->links_capacity);
    }
    message->links[message->n_links++] = link;
}

/* Returns the draw of walk @i of @n at a hop: it falls into one of @n equal intervals of the range,
 * in cyclic order. The last bit, by which a torus chooses between two directions of equal length,
 * alternates. */
static guint64 spread_draw(guint64 bits, guint64 turn, guint i, guint n)
{
    if (n == 1)
        return bits;
    guint64 part = G_MAXUINT64 / n;
    return (((turn + i) % n * part + bits % part) & ~(guint64)1) | ((turn + i) & 1);
}

/* Adds a path of @message to the load of @link. */
static void load_add(DnFlow *flow, const DnFlowMessage *message, guint32 link)
{
    flow->load[link].paths++;
    flow->load[link].bytes += path_bytes(flow, message);
}

/* Limits the rate of @message by @link, on the source's side of the fabric. */
static void rate_limit(const DnFlow *flow, const DnFlowMessage *message, guint32 link, Load *load)
{
    guint32 open = flow->sources[message->m.src].open;
    load->rate = MIN(load->rate, flow->capacity[link] / MAX(1, open));
}

static gint64 paths_walk(DnFlow *flow, DnFlowMessage *message, guint i, guint n, guint64 hop_key)
{
    const DnGraph *g = flow->graph;
    DnPath path = dn_path_begin(flow->run->router, g->endpoints[message->m.src],
                                g->endpoints[message->m.dst], message->m.mode, message->rail);
    Load load = {{port_bytes, has_credit, remote_port_bytes, waiting_bytes},
                 flow,
                 (double)message->m.bytes,
                 message->m.rate_bps > 0 ? (double)message->m.rate_bps / 8e6 : INFINITY,
                 path.vertex,
                 n};
    gint64 latency = 0;
    while (!dn_path_ended(&path)) {
        guint64 bits = dn_draw(hop_key, (guint64)path.hops * (n + 1) + i + 1);
        guint64 turn = dn_draw(hop_key, (guint64)path.hops * (n + 1)) >> 32;
        dn_path_next(&path, &load.view, spread_draw(bits, turn, i, n));
        add_link(message, path.link);
        load_add(flow, message, path.link);
        flow->load[path.link].own++;
        if (load.vertex >= g->size.switches)
            rate_limit(flow, message, path.link, &load);
        latency += dn_hop_latency_ps(g, path.link);
        load.vertex = path.vertex;
    }
    return latency;
}

/* Counts the source's other transfers under way on their links; @on FALSE: no longer. */
static void siblings_count(DnFlow *flow, const DnFlowSource *source, gboolean on)
{
    if (source->open > MOST_OPEN)
        return;
    for (guint32 id = source->first; id != 0; id = flow->messages[id].next) {
        const DnFlowMessage *sibling = &flow->messages[id];
        for (guint32 i = 0; i < sibling->n_links; i++) {
            DnFlowLoad *at = &flow->load[sibling->links[i]];
            at->siblings = on ? at->siblings + 1 : 0;
        }
    }
}

/* A message of fewer packets than paths walks as many paths as it has packets, and repeats their
 * links in cyclic order. */
void dn_flow_choose_paths(DnFlow *flow, DnFlowMessage *message)
{
    guint n = MIN(flow->paths, message->packets);
    g_assert(n > 0);
    guint64 hop_key = dn_mix64(flow->draw_key + flow->draws++);
    message->n_links = 0;
    message->latency_ps = 0;
    siblings_count(flow, &flow->sources[message->m.src], TRUE);
    for (guint i = 0; i < n; i++) {
        gint64 latency = paths_walk(flow, message, i, n, hop_key);
        message->latency_ps = MAX(message->latency_ps, latency); /* all bytes have arrived */
    }
    siblings_count(flow, &flow->sources[message->m.src], FALSE);
    guint32 walked = message->n_links;
    for (guint32 i = 0; i < walked; i++)
        flow->load[message->links[i]].own = 0;
    for (guint32 i = 0; n < flow->paths && i < walked * (flow->paths - n) / n; i++) {
        guint32 link = message->links[i % walked];
        add_link(message, link);
        load_add(flow, message, link);
    }
}

void dn_flow_leave_paths(DnFlow *flow, const DnFlowMessage *message)
{
    guint64 bytes = path_bytes(flow, message);
    for (guint32 i = 0; i < message->n_links; i++) {
        flow->load[message->links[i]].paths--;
        flow->load[message->links[i]].bytes -= bytes;
    }
}

guint32 dn_flow_uplink(const DnFlow *flow, const DnFlowMessage *message)
{
    const DnGraph *g = flow->graph;
    for (guint32 i = 0; i < message->n_links; i++) {
        const DnLink *link = &g->links[message->links[i]];
        if (g->vertices[link->src].kind != DN_VERTEX_SWITCH &&
            g->vertices[link->dst].kind == DN_VERTEX_SWITCH)
            return message->links[i];
    }
    return DN_NONE;
}

/* Returns the largest number of ports allowed at one vertex of the path. */
static guint widest_choice(const DnEngineRun *run, guint32 src, guint32 dst, guint64 key,
                           DnHop *hops, DnRouteState *after)
{
    const DnGraph *g = run->router->machine->graph;
    DnPath path = dn_path_begin(run->router, g->endpoints[src], g->endpoints[dst], 0, DN_RAIL_OWN);
    guint widest = 1;
    while (!dn_path_ended(&path)) {
        guint n = dn_route_choices(run->router, path.vertex, &path.state, hops, after, MAX_CHOICES);
        g_assert(n > 0);
        guint pick = dn_draw_below(dn_draw(key, path.hops), n), ports = 0;
        for (guint i = 0; i < n; i++) {
            gboolean new_port = TRUE;
            for (guint j = 0; j < i && new_port; j++)
                new_port = hops[j].port != hops[i].port;
            ports += new_port;
        }
        widest = MAX(widest, ports);
        dn_path_follow(&path, &hops[pick], &after[pick]);
    }
    return widest;
}

guint dn_flow_count_paths(const DnEngineRun *run, guint most)
{
    g_autofree DnHop *hops = g_new(DnHop, MAX_CHOICES);
    g_autofree DnRouteState *after = g_new(DnRouteState, MAX_CHOICES);
    guint widest = 1;
    for (guint i = 0; i < SAMPLED_PAIRS && run->n_active > 1 && widest < most; i++) {
        guint64 key = dn_draw_key(run->seed, DN_DRAW_ROUTE, G_MAXUINT64 - i);
        guint32 a = dn_draw_below(dn_draw(key, 0), run->n_active);
        guint32 b = dn_draw_below(dn_draw(key, 1), run->n_active - 1);
        b += b >= a;
        widest = MAX(widest, widest_choice(run, run->active[a], run->active[b], key, hops, after));
    }
    return MIN(widest, most);
}
