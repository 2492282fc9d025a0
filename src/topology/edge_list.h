/* edge_list.h - The cables of an arbitrary fabric, from a run file, CSV or GraphML. */
#pragma once
#include "config/params.h"

typedef struct {
    guint32 a, b;  /* switches */
    guint32 count; /* parallel links */
} DnEdge;

/* (transfer full): DnEdge from `edges:` ([[a, b], [a, b, count]]) or `file:` (x.csv with the
 * columns a, b and perhaps count; x.graphml, whose nodes are switches 0, 1, ... in their order).
 * Switches are 0 .. @switches - 1. NULL + error at the number that is wrong. */
GArray *dn_edge_list_read(const DnParams *params, guint32 switches, GError **error);
