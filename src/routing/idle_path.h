/* idle_path.h - The path of a packet on a network without load, for exporters. */
#pragma once
#include "routing/routing.h"

/* Appends the links (guint32) that @router (a DnRouter) takes from vertex @source to @target, a
 * random draw a pair and hop. Never fails; the signature is an exporter's. */
gboolean dn_idle_path(gpointer router, guint32 source, guint32 target, GArray *links,
                      GError **error);
