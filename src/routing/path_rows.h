/* path_rows.h - The rows of a table of shortest paths (path_table.h) with one layer, a source at a
 * time. */
#pragma once
#include "routing/path_table.h"

/* Fills .toward, .hops and .longest of @table, which has one layer, in O(R (R + n * degree)) with n
 * the switches that are not among the farthest from a source: in a graph of diameter 2 its
 * neighbours. @is_end and errors: as of dn_path_table_new(). */
gboolean dn_path_rows_fill(const DnGraph *graph, const guint8 *is_end, DnPathTable *table,
                           GError **error);
