/* message_mode.h - The routing mode of a message: its job's, by rules of size, in turns of
 * iterations, or application-aware by what its NIC has counted (app_aware_routing.h). */
#pragma once
#include "runtime/runtime_internal.h"

/* Returns the mode of a message of @bytes to @peer in @iteration; @get: whose data come from
 * there. */
guint8 dn_message_mode(DnRankContext *s, guint32 peer, gint64 bytes, guint32 iteration,
                       gboolean get);
