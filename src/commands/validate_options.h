/* validate_options.h - The options of `darner validate`, and which of them go together. */
#pragma once
#include <glib.h>

typedef struct {
    gboolean list, quiet, full, stored, blind;
    int jobs, null_model;
    char *json, *keep, *measurements, *map, *expected, *null;
    char **pages;
} DnValidateOptions;

void dn_validate_options_clear(DnValidateOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnValidateOptions, dn_validate_options_clear)

/* @argc: words of the command with its name. Sets options->null_model. */
gboolean dn_validate_options_check(int argc, DnValidateOptions *options, GError **error);
