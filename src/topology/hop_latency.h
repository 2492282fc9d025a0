/* hop_latency.h - The hop latency is the time of a packet's head, or of a credit, over a link: the
 * one formula of all engines, of set-up and of calibration.
 *
 * A quarter of a vertex's latency is the logic of its input port (deserialiser, error correction),
 * a quarter that of its output port, half its arbitration and crossbar. assumed: vendors publish
 * the sum only. A packet takes the sum at each vertex that it passes, of its first vertex the
 * output port and of its last all the rest; a credit passes the port logic at either end of the
 * link and no crossbar. */
#pragma once
#include "topology/graph.h"

static inline gint64 dn_vertex_port_ps(const DnGraph *g, guint32 vertex)
{
    return g->vertices[vertex].latency_ps / 4;
}

/* Returns the time from the output queue of a link's source to where a packet can be queued at its
 * destination. */
static inline gint64 dn_hop_latency_ps(const DnGraph *g, guint32 link)
{
    guint32 to = g->links[link].dst;
    return dn_link_latency_ps(g, link) + dn_vertex_port_ps(g, g->links[link].src) +
           g->vertices[to].latency_ps - dn_vertex_port_ps(g, to);
}

/* Returns the time from the input buffer at a link's destination back to its source. */
static inline gint64 dn_hop_credit_ps(const DnGraph *g, guint32 link)
{
    return dn_link_latency_ps(g, link) + dn_vertex_port_ps(g, g->links[link].src) +
           dn_vertex_port_ps(g, g->links[link].dst);
}
