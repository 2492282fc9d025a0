/* test_heavy.h - A test whose size is its point, of code that other tests run under sanitizers: in
 * the release build always, and with DARNER_FULL=1 in that of the sanitizers. */
#pragma once
#include <glib.h>

/* FALSE: the test is skipped. */
static inline gboolean test_heavy_wanted(void)
{
#ifdef __SANITIZE_ADDRESS__
    if (g_getenv("DARNER_FULL") == NULL) {
        g_test_skip("long under the sanitizers: DARNER_FULL=1 runs it");
        return FALSE;
    }
#endif
    return TRUE;
}
