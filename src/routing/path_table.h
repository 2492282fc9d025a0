/* path_table.h - Shortest paths between all switches of any fabric, computed from its graph.
 *
 * toward[v][t] are the ports of switch v on a shortest path to switch t. With `up_down` a path goes
 * up first and then down, never up again (Schroeder et al., "Autonet: A High-Speed,
 * Self-Configuring Local Area Network Using Point-to-Point Links", IEEE JSAC 9(8), 1991): a link
 * leads up to a higher level, or in one level (in a tree with failed links whatever the level) when
 * its end is nearer to the root, the switch of the highest level with most links; the tables have
 * two layers, for packets that may still go up and those that may not. Then no cycle of waiting
 * closes with one virtual channel; paths may be longer.
 * Size: R * R * layers * 5 bytes for R switches. */
#pragma once
#include "routing/port_set.h"

#define DN_PATH_NONE 255 /* no path */

typedef struct {
    guint32 switches;
    guint layers; /* 1, or 2 with up_down: [0] may go up, [1] goes down only */
    DnPortSets *sets;
    DnPortSet *toward; /* [layers * R * R]: (layer * R + from) * R + to */
    guint8 *hops;      /* likewise; DN_PATH_NONE */
    guint8 *down;      /* [links out of switches] at port_first[v] + p: the link leads down */
    guint longest;     /* of the shortest paths between switches with terminals */
} DnPathTable;

/* @is_end: [R] switches with terminals. NULL + DN_ERROR_RANGE when two of them have no path, or
 * when a path has more than 254 hops. */
DnPathTable *dn_path_table_new(const DnGraph *graph, const guint8 *is_end, gboolean up_down,
                               GError **error);
void dn_path_table_free(DnPathTable *table);
guint64 dn_path_table_memory_bytes(const DnGraphSize *size); /* with one layer */

static inline gsize dn_path_at(const DnPathTable *t, guint layer, guint32 from, guint32 to)
{
    return ((gsize)(layer < t->layers ? layer : 0) * t->switches + from) * t->switches + to;
}
