/* interrupt.h - SIGINT and SIGTERM ask a run to end in order; a second one ends it at once. */
#pragma once
#include <glib.h>

void dn_interrupt_install(void);
gboolean dn_interrupted(void);
