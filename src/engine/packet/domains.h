/* domains.h - Vertices are renumbered domain by domain, in the graph's order inside each; what
 * belongs to a process is side by side. */
#pragma once
#include "engine/packet/core.h"

/* Returns the bytes of a DnPort with its credits, rounded up to a power of two. */
gsize dn_port_bytes(const DnPacketEngine *engine);
/* Divides the machine into domains and numbers the vertices' states; allocates none of them. */
void dn_domains_init(DnPacketEngine *engine);
/* Renumbers the domains: those of part 0 first, then those of part 1 and so on. @part: [n_domains];
 * @n: parts. Returns (transfer full) the new number of each domain. */
guint32 *dn_domains_sort(DnPacketEngine *engine, const guint16 *part, guint n);
/* (transfer full): [vertices + 1] the first engine port of each state. */
guint32 *dn_first_ports(const DnPacketEngine *engine);
/* Allocates and fills the states of this process. @first_port: of dn_first_ports(). */
void dn_vertices_init(DnPacketEngine *engine, const guint32 *first_port);
/* Returns the number of slots of a wheel for @domains: enough for the slowest hop of a packet,
 * within WHEEL_BYTES. */
guint32 dn_wheel_slots(const DnPacketEngine *engine, guint32 domains);

/* Returns TRUE when engine port @index belongs to a vertex of this process: buffers of other
 * processes' ports have no bytes. */
static inline gboolean dn_is_own_port(const DnPacketEngine *e, guint32 index)
{
    return e->threads.processes == NULL || e->net.cold[index].buffer_bytes > 0;
}
