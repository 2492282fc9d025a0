/* simgrid_cluster.h - A cluster of a SimGrid platform becomes a fabric. */
#pragma once
#include "topology/import/simgrid_platform.h"

gboolean dn_platform_cluster(const DnPlatform *p, const DnXml *cluster, GError **error);
