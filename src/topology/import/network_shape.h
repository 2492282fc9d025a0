/* network_shape.h - the regular shapes among networks, as a `fabric:` (topologies/README.md). */
#pragma once
#include "topology/import/network.h"

/* TRUE: @draft now has a fabric, the hosts on it in the order of its terminals listed in a comment.
 * Recognised, when each host has one port, all those ports and all switch cables are alike in rate,
 * and each leaf holds as many hosts:
 * - one switch,
 * - a tree: one switch above each but the top, as many children for all of a level, the cables to
 *   the switch above as many for all of a level,
 * - two levels: every leaf with as many cables to each of several spines, which hold no host.
 * All but the last are the XGFT of fat_tree.c too. */
gboolean dn_network_shape(const DnNetwork *net, DnDraft *draft);
