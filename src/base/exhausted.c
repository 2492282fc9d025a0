/* exhausted.c - see exhausted.h. GLib has no error code for these cases, so they are known by the
 * text of its message (gmem.c, garray.c and gthread.c of GLib 2.74); all others are bugs, which
 * keep GLib's end and its core dump.
 * LIMITATIONS: GLib calls abort() with a message of its own when a lock (GRecMutex, GRWLock) cannot
 * be allocated: 2 of the 14,230 allocations of a small run. */
#include "base/exhausted.h"
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int exit_status;

/* The part of the message that tells what was refused, or NULL. */
static const char *find_refusal(const char *message)
{
    static const char *const known[] = {"failed to allocate", "creating thread"};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        const char *at = message != NULL ? strstr(message, known[i]) : NULL;
        if (at != NULL)
            return at;
    }
    return NULL;
}

/* Takes no memory: snprintf() of strings has its own on the stack. */
static void on_message(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
    const char *what = (level & G_LOG_LEVEL_ERROR) != 0 ? find_refusal(message) : NULL;
    if (what == NULL) {
        g_log_default_handler(domain, level, message, data);
        return;
    }
    char line[256];
    int n = snprintf(line, sizeof line, "the system has no more memory or threads: %s\n", what);
    (void)!write(STDERR_FILENO, line, (gsize)CLAMP(n, 0, (int)sizeof line - 1));
    _exit(exit_status);
}

void dn_exhausted_install(int status)
{
    exit_status = status;
    g_log_set_default_handler(on_message, NULL);
}
