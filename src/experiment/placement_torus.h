/* placement_torus.h - Ranks are placed at coordinates of a torus, or a logical torus is mapped into
 * it. */
#pragma once
#include "config/params.h"
#include "experiment/placement.h"
#include "experiment/placement_site.h"

/* Places @job as `coordinates:`, or `torus:` and `onto:`, of @params say. FALSE + error at a
 * key. */
gboolean dn_place_on_torus(const DnParams *params, const DnJobSpec *job, DnSite *site,
                           DnPlacement *out, GError **error);
