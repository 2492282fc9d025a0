/* test_run_spec.h - A helper of tests: a run specification from a text, by way of a file that is
 * gone after it. */
#pragma once
#include "config/run_spec.h"

#include <glib/gstdio.h>

/* @set: as --set; or NULL. */
static inline DnRunSpec *test_run_spec(const char *text, const char *const *set, GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(GError) problem = NULL;
    gint fd = g_file_open_tmp("darner-XXXXXX.yaml", &path, &problem);
    g_assert_no_error(problem);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    DnRunSpec *spec = dn_run_spec_load(path, set, error);
    g_assert_cmpint(g_unlink(path), ==, 0);
    return spec;
}
