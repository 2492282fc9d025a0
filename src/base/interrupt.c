/* interrupt.c - see interrupt.h. The handler only sets a flag, which progress callbacks read. */
#include "base/interrupt.h"
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
}

gboolean dn_interrupted(void)
{
    return caught != 0;
}

gboolean dn_interrupt_progress(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)unused;
    (void)now_ps;
    (void)events;
    (void)packet_hops;
    return !dn_interrupted();
}
