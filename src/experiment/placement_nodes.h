/* placement_nodes.h - Ranks are placed on the nodes that a batch system gave. */
#pragma once
#include "experiment/placement.h"
#include "experiment/placement_site.h"

/* The job's nodes, as its mapping says, into @out. FALSE + error at a key. */
gboolean dn_place_on_nodes(const DnRunSpec *spec, guint job, DnSite *site, DnPlacement *out,
                           GError **error);
