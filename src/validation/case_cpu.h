/* case_cpu.h - The CPU seconds that the runs of cases took, kept beside their results: the next
 * estimate (case_estimate.h) is based on them.
 *
 * A folder of results has them in cpu_seconds.csv: case, run, cpu_s, and what was known before the
 * run: its packet hops and the number of simulations. They are no part of the results, since they
 * differ from run to run. LIMITATIONS: they hold for the processor on which they were taken. */
#pragma once
#include "base/error.h"

typedef struct {
    double cpu_s;
    double hops; /* expected, of all simulations; 0: some are unknown */
    double simulations;
} DnCaseCpu;

/* Returns (transfer full) an empty table of DnCaseCpu by "case/run". */
GHashTable *dn_case_cpu_table(void);
/* Adds what @folder has to @known, in place of what is there; it may have nothing. FALSE + error:
 * its file is no such file. */
gboolean dn_case_cpu_load(GHashTable *known, const char *folder,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the value of @run of @case_name, or NULL. */
const DnCaseCpu *dn_case_cpu_find(GHashTable *known, const char *case_name, const char *run);
/* Writes the value of one run into a file of @parts, where the run's results are kept until its
 * case is complete. */
gboolean dn_case_cpu_store(const char *parts, const char *case_name, const char *run,
                           const DnCaseCpu *cpu, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Moves the values in @parts into @folder's file, and drops others of @case_name unless @runs
 * (char*) names them. */
gboolean dn_case_cpu_collect(const char *parts, const char *folder, const char *case_name,
                             const GPtrArray *runs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
