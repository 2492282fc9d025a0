/* longest_path.h - The longest time of a packet's head between two endpoints, without queues, by
 * how far apart their switches are. */
#pragma once
#include "routing/routing.h"

typedef enum {
    DN_APART_SWITCH, /* on one */
    DN_APART_GROUP,  /* in one group; a fabric without groups is one */
    DN_APART_FABRIC,
    DN_APARTS,
} DnApart;

/* Returns how far apart endpoints @src and @dst are; those without a NIC count as far. */
static inline DnApart dn_apart(const DnGraph *g, guint32 src, guint32 dst)
{
    guint32 from = g->endpoint_terminal[src], to = g->endpoint_terminal[dst];
    if (from == DN_NONE || to == DN_NONE || g->size.switches == 0)
        return DN_APART_FABRIC;
    from = g->terminal_switch[from];
    to = g->terminal_switch[to];
    if (from == to)
        return DN_APART_SWITCH;
    return g->vertices[from].group == g->vertices[to].group ? DN_APART_GROUP : DN_APART_FABRIC;
}

/* Fills longest_ps [DN_APARTS] with the longest of the shortest paths between endpoints of two
 * nodes so far apart or less, over any NICs that routing may choose. The fabric counts with all its
 * switches, whatever part of it has nodes. */
void dn_longest_paths(const DnRouter *router, gint64 *longest_ps);
