/* log.h - lines for people on standard error, stamped with simulated time when there is one.
 *
 * Results never go through here. Level and clock are the process's, set by the command before a
 * run and by whoever drives the clock; a line is written whole, so threads do not mix within it.
 * Levels: warnings are always worth reading; info is for --verbose; debug for developers. */
#pragma once
#include <glib.h>

typedef enum { DN_LOG_ERROR, DN_LOG_WARNING, DN_LOG_INFO, DN_LOG_DEBUG } DnLogLevel;

/* Simulated now in ps; negative: no simulation runs, so no stamp. Called on the logging thread. */
typedef gint64 (*DnLogClock)(gpointer data);

/* Lines above @level are dropped; DN_LOG_WARNING at start. */
void dn_log_set_level(DnLogLevel level);
gboolean dn_log_enabled(DnLogLevel level);
/* @clock NULL: no stamps. Set it back to NULL before @data dies. */
void dn_log_set_clock(DnLogClock clock, gpointer data);
/* "warning: [2.58 us] text"; the line end is added. */
void dn_log(DnLogLevel level, const char *format, ...) G_GNUC_PRINTF(2, 3);
