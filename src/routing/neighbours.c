/* neighbours.c - see neighbours.h. */
#include "routing/neighbours.h"

void dn_neighbours_init(DnNeighbours *neighbours, const DnGraph *g, gboolean inside)
{
    guint32 n = g->size.switches, found = 0;
    neighbours->first = g_new(guint32, n + 1);
    neighbours->list = g_new(DnPeerPort, g->port_first[n] + 1);
    for (guint32 s = 0; s < n; s++) {
        neighbours->first[s] = found;
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
            guint32 peer = g->links[g->ports[p]].dst;
            if (peer < n && (!inside || g->vertices[peer].group == g->vertices[s].group))
                neighbours->list[found++] = (DnPeerPort){peer, p - g->port_first[s]};
        }
    }
    neighbours->first[n] = found;
}

void dn_neighbours_clear(DnNeighbours *neighbours)
{
    g_clear_pointer(&neighbours->first, g_free);
    g_clear_pointer(&neighbours->list, g_free);
}
