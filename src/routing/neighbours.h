/* neighbours.h - The switches that each switch has a link to, in one array: what tables of paths
 * are computed from. */
#pragma once
#include "topology/graph.h"

typedef struct {
    guint32 peer; /* another switch */
    guint32 port; /* of the first switch, towards the peer */
} DnPeerPort;

typedef struct {
    guint32 *first;   /* [R + 1] of switch s: list[first[s]] to list[first[s + 1] - 1], by port */
    DnPeerPort *list; /* [first[R]] */
} DnNeighbours;

/* @inside: only links between switches of one group. */
void dn_neighbours_init(DnNeighbours *neighbours, const DnGraph *graph, gboolean inside);
void dn_neighbours_clear(DnNeighbours *neighbours);
