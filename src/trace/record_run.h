/* record_run.h - an MPI program run under the recorder, its files packed into one trace.
 *
 * The recorder is the library of the MPI whose launcher is used, known by what `mpirun --version`
 * prints. The launcher hands LD_PRELOAD to the program alone. The files of the ranks go into a new
 * folder of this run's own, so that nothing which was there before is written to or removed. */
#pragma once
#include "trace/darner_blocks.h"

typedef struct {
    guint ranks;
    const char *launcher; /* command with its options; NULL: mpirun */
    const char *clock;    /* wall, cpu; NULL: the recorder's choice */
    gboolean keep;        /* the folder of a file a rank too, as OUTPUT.ranks */
    char **program;       /* with its arguments, NULL-terminated */
} DnRecordRun;

/* Writes the trace @output. An open trace is fit to be read; whether the program ended well is
 * *@status, as wait() has it. FALSE + error: nothing is recorded. */
gboolean dn_record_run(const DnRecordRun *run, const char *output, DnRecSummary *summary,
                       int *status, GError **error);
