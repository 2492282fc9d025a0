/* packet_limits.h - The limits of the packet engine, checked when a run is set up. */
#pragma once
#include "engine/packet/core.h"

/* Checks the sizes, rates and numbers of queues, which @engine has by now. */
gboolean dn_packet_limits_check(const DnPacketEngine *engine, GError **error);
