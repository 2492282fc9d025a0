/* window.c - The window of a NIC limits its packets in flight without a response
 * (engine/packet/nic.c).
 *
 * Of W packets in flight each takes a round trip, so messages of rates r_i and round trips t_i hold
 * sum(r_i t_i) <= W packets. A message alone is capped at W packets a round trip; those of one NIC
 * share a link of the solver's that is not in the machine, on which each weighs its round trip.
 * Messages whose round trips the window can fill at the full rate of the NIC are left out.
 * LIMITATIONS: round trips are those of an idle network; weights are whole numbers, in units of a
 * 32nd of the shortest trip over a switch, rounded down, and at most 2^31, in SimGrid 4,096
 * (sharing.c): messages of longer trips than that (128 of the shortest) may together have more in
 * flight than the window, though none alone; the bytes of responses do not load the opposite
 * links. */
#include <math.h>

#include "engine/flow/flow.h"
#include "topology/hop_latency.h"

#define PARTS_OF_SHORTEST 32.0
#define MOST_PARTS 0x1p31 /* dn_max_min_add() */

static guint32 first_uplink(const DnGraph *g)
{
    guint32 nic = g->size.terminals > 0 ? g->terminals[0] : DN_NONE;
    for (guint32 p = nic == DN_NONE ? 0 : g->port_first[nic];
         nic != DN_NONE && p < g->port_first[nic + 1]; p++)
        if (g->vertices[g->links[g->ports[p]].dst].kind == DN_VERTEX_SWITCH)
            return g->ports[p];
    return DN_NONE;
}

static double packet_wire_bytes(const DnFlow *flow)
{
    return (double)(flow->packet_bytes + flow->run->router->machine->hardware.header_bytes);
}

gboolean dn_flow_window_init(DnFlow *flow)
{
    const DnHardware *hardware = &flow->run->router->machine->hardware;
    const DnGraph *g = flow->graph;
    guint32 uplink = first_uplink(g);
    if (hardware->window_packets == 0 || uplink == DN_NONE)
        return FALSE;
    gint64 one_way_ps = dn_hop_latency_ps(g, uplink) + dn_hop_latency_ps(g, uplink ^ 1);
    flow->nic_window.part_us = 2e-6 * (double)one_way_ps / PARTS_OF_SHORTEST;
    guint32 window = dn_hardware_window(hardware, flow->packet_bytes);
    flow->nic_window.capacity = window * packet_wire_bytes(flow) /
                                (flow->nic_window.part_us * flow->paths);
    return TRUE;
}

/* Returns the time of a packet from its NIC to the target and of the response back, at the rate of
 * its path. */
static double round_trip_us(const DnFlow *flow, const DnFlowMessage *message, guint32 uplink)
{
    const DnGraph *g = flow->graph;
    guint32 target = g->endpoints[message->m.dst], i = 0;
    double bytes = packet_wire_bytes(flow) +
                   (double)flow->run->router->machine->hardware.response_bytes;
    double latency_ps = 0.0, narrowest = INFINITY;
    while (message->links[i] != uplink)
        i++;
    for (gboolean there = FALSE; !there; i++) {
        g_assert(i < message->n_links);
        latency_ps += (double)dn_hop_latency_ps(g, message->links[i]);
        narrowest = MIN(narrowest, flow->capacity[message->links[i]]);
        there = g->links[message->links[i]].dst == target;
    }
    return 2e-6 * latency_ps + bytes / narrowest;
}

double dn_flow_window_cap(DnFlow *flow, const DnFlowMessage *message)
{
    guint32 uplink = flow->nic_window.part_us > 0.0 ? dn_flow_uplink(flow, message) : DN_NONE;
    g_array_set_size(flow->nic_window.posted, 0);
    if (uplink == DN_NONE)
        return 0.0;
    double trip_us = round_trip_us(flow, message, uplink);
    double cap = flow->nic_window.capacity * flow->paths * flow->nic_window.part_us / trip_us;
    if (cap >= flow->capacity[uplink])
        return 0.0;
    guint32 shared = flow->graph->size.links + uplink;
    g_array_append_vals(flow->nic_window.posted, message->links, message->n_links);
    g_array_append_val(flow->nic_window.posted, shared);
    double parts = floor(trip_us / flow->nic_window.part_us);
    flow->nic_window.weight = (guint32)CLAMP(parts, 1.0, MOST_PARTS);
    return cap;
}
