/* case_pool.h - The pool simulates cases, several of their runs at once, and keeps their results as
 * they finish.
 *
 * With a folder to keep results in, each run of a case is a file there as soon as it is done
 * (CASE.parts/RUN.csv) and each case another (CASE.csv, which replaces them): a process that was
 * killed resumes there. Runs that happen at once are in workers (worker_pool.h), which share
 * nothing but those files. Cases come out in the order of @dirs, whatever finishes first. */
#pragma once
#include "experiment/point_shards.h"
#include "validation/validation_case.h"

typedef struct {
    const char *keep;     /* folder; NULL: nothing is kept */
    gboolean stored;      /* use its results, simulate nothing; cases it lacks do not come out */
    guint jobs;           /* runs at once */
    DnShard shard;        /* n of 0: all runs; else those of this part, which stay in @keep: no case
                       * comes out */
    gboolean yes;         /* go on above an hour of CPU time */
    gboolean packet_bias; /* warn of what larger packets change (experiment/packet_bias.h) */
    int null_model; /* DnNullModel: simulate that one instead, and keep it in a folder of its name
                       * below @keep; -1: the case as it is */
    /* Called with each case that is done. */
    void (*done)(void *data, const DnCase *case_);
    void *data;
} DnPoolOptions;

/* (transfer full): DnCase*, judged. FALSE + error when a case is wrong, or when interrupted. */
GPtrArray *dn_case_pool(const GPtrArray *dirs, const DnPoolOptions *options,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
