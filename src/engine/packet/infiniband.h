/* infiniband.h - entries of a congestion control table, see infiniband.c. */
#pragma once
#include <glib.h>

/* A pause of @packets packet times as the table keeps it: 2 bits of shift, 14 of times. */
guint16 dn_cct_entry(double packets);
/* After a packet that takes @packet_ps. */
gint64 dn_cct_pause_ps(guint16 entry, gint64 packet_ps);
