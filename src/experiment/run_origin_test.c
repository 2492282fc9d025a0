/* run_origin_test.c - The origin of results is read from what a run wrote, and nothing else. */
#include "experiment/run_origin.h"

#include <glib/gstdio.h>
#include <string.h>

/* The origin in a folder with @summary and @timing; NULL: the message holds @wrong. */
static DnRunOrigin *origin_of(const char *summary, const char *timing, const char *wrong)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("darner-test-XXXXXX", NULL);
    g_autofree char *first = g_build_filename(folder, "summary.json", NULL);
    g_autofree char *second = g_build_filename(folder, "timing.json", NULL);
    g_assert_true(g_file_set_contents(first, summary, -1, NULL));
    g_assert_true(g_file_set_contents(second, timing, -1, NULL));
    DnRunOrigin *origin = dn_run_origin_read(folder, &error);
    if (wrong == NULL)
        g_assert_no_error(error);
    else if (origin != NULL || strstr(error->message, wrong) == NULL)
        g_error("%s: %s", summary, origin != NULL ? "is read" : error->message);
    g_unlink(first);
    g_unlink(second);
    g_rmdir(folder);
    return origin;
}

static void test_read(void)
{
    const char *summary = "{\"run\": \"a \\\\\\\" } {\", \"points\": [{\"config_hash\": \"5\"}]}\n";
    g_autoptr(DnRunOrigin)
        origin = origin_of(summary, "{\"run_file\": \"a.yaml\", \"set\": [\"seed=1\"]}\n", NULL);
    g_assert_cmpstr(origin->name, ==, "a \\\" } {");
    g_assert_cmpstr(origin->file, ==, "a.yaml");
    g_assert_cmpstr(origin->set[0], ==, "seed=1");
    g_assert_cmpstr(origin->hashes->pdata[0], ==, "5");
}

/* Of two values json-glib loses the first; comments are none of what a run writes. */
static void test_refused(void)
{
    static const char *const summaries[] = {"",
                                            "0{}",
                                            "{}{}",
                                            "{} []",
                                            "[]{}",
                                            "[]",
                                            "\"config_hash\"{}",
                                            "{}}",
                                            "{}\n0",
                                            "{\"a\":",
                                            "{\"a\"}",
                                            "{ ",
                                            "}{",
                                            "]",
                                            "/* { */ {} {}",
                                            "{ /* \" */ } {}",
                                            "{} // x"};
    for (guint i = 0; i < G_N_ELEMENTS(summaries); i++)
        g_assert_null(origin_of(summaries[i], "{}", "summary.json: not what a run wrote"));
    g_autofree char *deep = g_strnfill(100000, '[');
    g_autofree char *text = g_strconcat("{\"a\":", deep, NULL);
    g_assert_null(origin_of(text, "{}", "summary.json: not what a run wrote"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run-origin/read", test_read);
    g_test_add_func("/run-origin/refused", test_refused);
    return g_test_run();
}
