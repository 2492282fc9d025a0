/* interrupt.h - SIGINT and SIGTERM ask a run to end in order; a second one ends it at once. */
#pragma once
#include <glib.h>

void dn_interrupt_install(void);
gboolean dn_interrupted(void);
/* DnObserver.beat of who wants nothing else. */
gboolean dn_interrupt_progress(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops);
