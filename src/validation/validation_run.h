/* validation_run.h - cases chosen, simulated, judged, printed and written. */
#pragma once
#include "experiment/point_shards.h"

typedef struct {
    char **words;         /* cases (case_choice.h), or the run of @measurements; NULL-terminated */
    gboolean full;        /* without words: the full tier too */
    gboolean quiet;       /* the overview alone */
    gboolean stored;      /* take what @keep has, simulate nothing */
    gboolean yes;         /* go on above an hour of CPU time */
    gboolean packet_bias; /* warn of what larger packets change (experiment/packet_bias.h) */
    guint jobs;           /* runs at once */
    DnShard shard;        /* n of 0: all; else the runs of this part, kept in @keep */
    int null_model;       /* DN_NULL_*: simulate it and keep it, judge no case; -1: none */
    const char *keep, *json; /* folder of results; file of every point; or NULL */
    char **pages;            /* files of the agreement, NULL-terminated, or NULL */
    /* a user's own measurements, their map, and the file their rows go to; or NULL */
    const char *measurements, *map, *expected;
} DnValidationQuery;

/* Prints each case as it is complete and the overview last. *@missed: cases, and with pages numbers
 * of the papers, beyond their tolerance. */
gboolean dn_validation_run(const DnValidationQuery *query, guint *missed, GError **error);
/* Prints the names of the cases that @words mean. */
gboolean dn_validation_list(char **words, GError **error);
