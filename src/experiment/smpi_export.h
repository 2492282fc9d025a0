/* smpi_export.h - a run as the input of SimGrid's smpirun.
 *
 * Writes the machine's platform with the routes of its own routing, the ranks' program as a
 * time-independent trace in which collectives are their messages, and the endpoint of each rank.
 * LIMITATIONS: one job, one iteration; the endpoint costs of a mechanism are not in a platform, nor
 * are headers of packets. */
#pragma once
#include "config/run_spec.h"

/* Makes @folder with platform.xml, hosts.txt, replay.txt and trace.txt. Nothing is written when the
 * run is wrong: FALSE + error. */
gboolean dn_smpi_export(const DnRunSpec *spec, const char *folder, guint32 *ranks, GError **error);
