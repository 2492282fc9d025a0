/* stage_line_test.c - A stage's line on a terminal and elsewhere. */
#include "report/stage_line.h"

static char *stage_line_write(DnProgressMode mode, gint64 seconds_ago)
{
    char *text = NULL;
    gsize length = 0;
    FILE *out = open_memstream(&text, &length);
    DnStageLine line = dn_stage_line_new(out, mode);
    line.written_us -= seconds_ago * G_USEC_PER_SEC;
    dn_stage_line_show(&line, "first");
    dn_stage_line_show(&line, "second");
    dn_stage_line_clear(&line);
    dn_stage_line_clear(&line); /* writes nothing more */
    fclose(out);
    char *copy = g_strdup(text);
    free(text);
    return copy;
}

static void test_modes(void)
{
    g_autofree char *terminal = stage_line_write(DN_PROGRESS_TERMINAL, 0);
    g_assert_cmpstr(terminal, ==,
                    "\r\033[?7lfirst ...\033[K\033[?7h"
                    "\r\033[?7lsecond ...\033[K\033[?7h\r\033[K");
    g_autofree char *early = stage_line_write(DN_PROGRESS_LINES, 0);
    g_assert_cmpstr(early, ==, "");
    g_autofree char *late = stage_line_write(DN_PROGRESS_LINES, DN_PROGRESS_SECONDS);
    g_assert_cmpstr(late, ==, "first ...\n");
    g_autofree char *none = stage_line_write(DN_PROGRESS_NONE, DN_PROGRESS_SECONDS);
    g_assert_cmpstr(none, ==, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stage-line/modes", test_modes);
    return g_test_run();
}
