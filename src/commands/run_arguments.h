/* run_arguments.h - The options of `darner run`, and which of them go together. */
#pragma once
#include "experiment/point_shards.h"

typedef struct {
    char **set, *output, *shard_text, *timeline_text;
    int threads, jobs, links;
    gboolean quiet, compress, restart, yes;
    DnShard shard;  /* of shard_text */
    guint timeline; /* DnTimelineParts of timeline_text */
} DnRunArguments;

void dn_run_arguments_clear(DnRunArguments *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnRunArguments, dn_run_arguments_clear)

/* @argc: words of the command with its name. Sets shard and timeline. */
gboolean dn_run_arguments_check(int argc, DnRunArguments *options, GError **error);
