/* replay_options.h - The options of `darner replay`, and which of them go together. */
#pragma once
#include "experiment/replay.h"

typedef struct {
    DnReplayQuery query;
    char *output, **set, *timeline_text;
    int threads, jobs;
    gboolean no_what_if, allow_unmatched, yes;
    guint timeline; /* DnTimelineParts of timeline_text */
} DnReplayOptions;

void dn_replay_options_clear(DnReplayOptions *o);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnReplayOptions, dn_replay_options_clear)

/* @argc: words of the command with its name. Sets o->timeline. */
gboolean dn_replay_options_check(int argc, char **argv, DnReplayOptions *o, GError **error);
