/* validate_options.h - The options of `darner validate`, and which of them go together. */
#pragma once
#include "experiment/point_shards.h"

typedef struct {
    gboolean list, quiet, full, stored, blind, packet_bias, yes;
    int jobs, null_model;
    DnShard shard; /* of shard_text */
    char *shard_text;
    char *json, *keep, *measurements, *map, *expected, *null;
    char **pages;
} DnValidateOptions;

void dn_validate_options_clear(DnValidateOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnValidateOptions, dn_validate_options_clear)

/* Reads -j and -n in their former meaning, with a warning. */
void dn_validate_options_renamed(int argc, char **argv);
/* @argc: words of the command with its name. Sets options->null_model. */
gboolean dn_validate_options_check(int argc, DnValidateOptions *options, GError **error);
