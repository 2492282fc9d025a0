/* message_mode.h - The routing mode of a message: its job's, by rules of size, in turns of
 * iterations, or application-aware by what its NIC has counted (app_aware_routing.h). */
#pragma once
#include "runtime/runtime_internal.h"

/* Returns the place in the job's turns that messages have which are posted in @iteration: a process
 * may be in the next one when an eager message leaves. */
guint8 dn_message_turn(const DnRunningJob *job, guint32 iteration);

/* Returns the mode of a message of @bytes to @peer, of @turn (dn_message_turn); @get: whose data
 * come from there. */
guint8 dn_message_mode(DnRankContext *s, guint32 peer, gint64 bytes, guint8 turn, gboolean get);
