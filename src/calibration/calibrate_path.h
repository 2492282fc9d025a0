/* calibrate_path.h - The path's share of a message's time, so that the rest is the mechanism's.
 *
 * LIMITATIONS: one shortest path; parallel ones (several NICs, several links that routing spreads
 * over) are not added up. */
#pragma once
#include "base/error.h"

typedef struct {
    double latency_us;    /* of an empty message: links and vertices, as all engines count */
    double bandwidth_bps; /* of the narrowest link, as its class says, wire bytes */
    double payload;       /* payload over wire bytes of full packets: what headers leave */
    double efficiency;    /* of the narrowest link, as the machine has it now */
} DnCalibratePath;

/* @machine: as in a run file, a name, path or mapping. @between: "A,B", two endpoints. */
gboolean dn_calibrate_path(const char *machine, const char *between, DnCalibratePath *path,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
