/* simgrid_module.h - Loads the module with SimGrid's solver (simgrid_zone.h).
 *
 * SimGrid needs some 40 libraries, whose symbols take a process longer than all else before its
 * first event; so only a run that shares links by SimGrid loads them. */
#pragma once
#include "base/error.h"
#include "engine/flow/simgrid_zone.h"

/* Returns its functions, which stay; NULL + error. */
const DnSimgrid *dn_simgrid_load(GError **error);
