/* simgrid_routes.h - Hosts, links and routes of a SimGrid platform become a node graph. */
#pragma once
#include "topology/import/simgrid_platform.h"

/* All zones below @top as one graph. */
gboolean dn_platform_routes(const DnPlatform *p, const DnXml *top, GError **error);
