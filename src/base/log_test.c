/* log_test.c - what reaches standard error, seen from a child process. */
#include "base/log.h"

static gint64 fixed_clock(gpointer data)
{
    return *(gint64 *)data;
}

static void say_everything(void)
{
    gint64 now_ps = 2580000;
    dn_log(DN_LOG_WARNING, "%d packets lost", 3);
    dn_log(DN_LOG_INFO, "not shown at first");
    dn_log_set_level(DN_LOG_INFO);
    g_assert_true(dn_log_enabled(DN_LOG_INFO));
    g_assert_false(dn_log_enabled(DN_LOG_DEBUG));
    dn_log_set_clock(fixed_clock, &now_ps);
    dn_log(DN_LOG_INFO, "shown");
    now_ps = -1;
    dn_log(DN_LOG_ERROR, "no simulation");
    dn_log_set_clock(NULL, NULL);
    dn_log(DN_LOG_DEBUG, "never shown");
}

static void test_lines(void)
{
    if (g_test_subprocess()) {
        say_everything();
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stderr("warning: 3 packets lost\n"
                              "info: [2.58 us] shown\n"
                              "error: no simulation\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/log/lines", test_lines);
    return g_test_run();
}
