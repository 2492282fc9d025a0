/* longest_path.h - The longest time of a packet's head between two endpoints, without queues. */
#pragma once
#include "routing/routing.h"

/* Returns the longest of the shortest paths between endpoints of two nodes, over any NICs that
 * routing may choose. The fabric counts with all its switches, whatever part of it has nodes. */
gint64 dn_longest_path_ps(const DnRouter *router);
