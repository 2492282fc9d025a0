/* test_run_spec.h - Helpers of tests: a run specification from a text, by way of a file that is
 * gone after it, and what a run warned of. */
#pragma once
#include "config/run_spec.h"

#include <glib/gstdio.h>
#include <string.h>

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

/* Returns whether one of @warnings contains @text. */
static inline gboolean test_warned(const GPtrArray *warnings, const char *text)
{
    for (guint i = 0; i < warnings->len; i++)
        if (strstr(g_ptr_array_index(warnings, i), text) != NULL)
            return TRUE;
    return FALSE;
}
