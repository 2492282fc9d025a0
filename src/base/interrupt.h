/* interrupt.h - SIGINT, SIGTERM, SIGHUP and SIGXCPU (the limit of CPU time) ask a run to end in
 * order; a second one ends it at once.
 *
 * Loops that can last longer than some 0.1 s ask dn_interrupted(). A program that never calls
 * dn_interrupt_install(), as one that uses the library may, keeps its own handlers. */
#pragma once
#include <glib.h>

/* SIGHUP stays ignored where it is (nohup). */
void dn_interrupt_install(void);
/* Makes a write beyond the limit of the file size (SIGXFSZ) fail with an error from now on, as one
 * to a full disk does; programs that this one starts keep the signal's default. */
void dn_file_limit_install(void);
gboolean dn_interrupted(void);
/* After a signal FALSE + DN_ERROR_INTERRUPTED. */
gboolean dn_interrupt_check(GError **error);
/* DnObserver.beat of who wants nothing else. */
gboolean dn_interrupt_progress(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops);
