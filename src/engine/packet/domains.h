/* domains.h - Vertices are renumbered domain by domain, in the graph's order inside each; what
 * belongs to a process is side by side. */
#pragma once
#include "engine/packet/core.h"

/* Returns the bytes from one port to the next, a power of two. */
gsize dn_port_bytes(const DnPacketEngine *engine);
/* The domains of the machine, and which state each vertex is; no state yet. */
void dn_domains_init(DnPacketEngine *engine);
/* The domains of part 0 become the first ones, then those of part 1 and so on. @part: [n_domains].
 * (transfer full): the new number of each. */
guint32 *dn_domains_sort(DnPacketEngine *engine, const guint16 *part, guint n);
/* (transfer full): [vertices + 1] the first engine port of each state. */
guint32 *dn_first_ports(const DnPacketEngine *engine);
/* The states of this process. @first_port: dn_first_ports() */
void dn_vertices_init(DnPacketEngine *engine, const guint32 *first_port);
/* Returns as many slots of a wheel of @domains as reach past a slow packet, within WHEEL_BYTES. */
guint32 dn_wheel_slots(const DnPacketEngine *engine, guint32 domains);

/* The engine port @index is of a vertex of this process: others' buffers have no bytes. */
static inline gboolean dn_is_own_port(const DnPacketEngine *e, guint32 index)
{
    return e->threads.processes == NULL || e->net.cold[index].buffer_bytes > 0;
}
