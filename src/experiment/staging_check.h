/* staging_check.h - may a job's messages go by the hosts of its nodes? */
#pragma once
#include "endpoint/mechanism.h"
#include "experiment/placement.h"
#include "routing/routing.h"

/* FALSE + DN_ERROR_RANGE at @at: the mechanism stages and a rank's node has no host, no path to it,
 * or no path from host to host. */
gboolean dn_check_hosts(const DnMechanism *mechanism, const DnPlacement *placement,
                        const DnRouter *router, const DnConfigNode *at, GError **error);
