/* log.c - see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"

static GMutex mutex; /* guards all below */
static DnLogLevel threshold = DN_LOG_WARNING;
static DnLogClock clock_now;
static gpointer clock_data;

static const char *const NAMES[] = {"error", "warning", "info", "debug"};

void dn_log_set_level(DnLogLevel level)
{
    g_mutex_lock(&mutex);
    threshold = level;
    g_mutex_unlock(&mutex);
}

gboolean dn_log_enabled(DnLogLevel level)
{
    g_mutex_lock(&mutex);
    gboolean enabled = level <= threshold;
    g_mutex_unlock(&mutex);
    return enabled;
}

void dn_log_set_clock(DnLogClock clock, gpointer data)
{
    g_mutex_lock(&mutex);
    clock_now = clock;
    clock_data = data;
    g_mutex_unlock(&mutex);
}

void dn_log(DnLogLevel level, const char *format, ...)
{
    g_assert((guint)level < G_N_ELEMENTS(NAMES));
    if (!dn_log_enabled(level))
        return;
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    g_mutex_lock(&mutex);
    gint64 now_ps = clock_now != NULL ? clock_now(clock_data) : -1;
    char stamp[DN_UNIT_BUF];
    if (now_ps >= 0)
        fprintf(stderr, "%s: [%s] %s\n", NAMES[level], dn_format_time(now_ps, stamp), text);
    else
        fprintf(stderr, "%s: %s\n", NAMES[level], text);
    g_mutex_unlock(&mutex);
}
