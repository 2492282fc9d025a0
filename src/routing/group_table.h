/* group_table.h - The group table lists the ports that lead closer, by group first and by switch
 * inside the group.
 *
 * Two small tables instead of one of R * R: `toward_group[s][g]` the ports of switch s on a
 * shortest path to group g, `toward_local[s][i]` those on a shortest path to switch i of s's own
 * group that stays in the group. The path to a group first takes the global links the switch itself
 * has, else the shortest path inside the group to switches that have one: one global link between
 * two groups that are neighbours, fewest groups otherwise.
 * A fabric without groups is one group: then only toward_local is used. Where many switches have
 * the same neighbours, as in fat trees, it is found for all of them at once (switch_twins.h). */
#pragma once
#include "routing/port_set.h"

typedef struct {
    guint32 switches, groups, group_switches; /* switch = group * group_switches + local */
    DnPortSets *sets;
    DnPortSet *toward_group; /* [R * G] */
    DnPortSet *toward_local; /* [R * A] */
    guint32 *group, *local;  /* [R] */
    guint16 *group_distance; /* [G * G] global links between groups */
    guint inner_hops;        /* longest of the shortest paths inside a group */
} DnGroupTable;

/* @row: with groups that are grids of rows of so many switches, of two hops inside a group the one
 * in the row comes first (dimension order); 0: in any order. NULL + DN_ERROR_RANGE when switches
 * of one plane cannot reach each other inside their group; between planes sets are empty. */
DnGroupTable *dn_group_table_new(const DnGraph *graph, guint32 row, GError **error);
guint64 dn_group_table_memory_bytes(const DnGraphSize *size); /* estimate before building */
void dn_group_table_free(DnGroupTable *table);
