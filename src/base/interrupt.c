/* interrupt.c - see interrupt.h. The handler only sets a flag, which progress callbacks read. */
#include "base/interrupt.h"
#include "base/error.h"
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    (void)number;
    caught = 1;
}

void dn_interrupt_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
    struct sigaction before;
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

/* A handler and not SIG_IGN, which programs that are started would inherit. */
static void on_file_limit(int number)
{
    (void)number;
}

void dn_file_limit_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_file_limit;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, NULL);
}

gboolean dn_interrupted(void)
{
    return caught != 0;
}

gboolean dn_interrupt_check(GError **error)
{
    if (!dn_interrupted())
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
    return FALSE;
}

gboolean dn_interrupt_progress(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)unused;
    (void)now_ps;
    (void)events;
    (void)packet_hops;
    return !dn_interrupted();
}
