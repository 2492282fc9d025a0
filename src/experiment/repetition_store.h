/* repetition_store.h - The repetition store keeps the finished repetitions of a point in progress.
 *
 * A point store (point_store.h) with a record for each repetition but the first, of which more than
 * times is needed: it is simulated last. The file is made after DN_REPETITIONS_AFTER_US, and goes
 * when the point is complete: repetitions that are soon done are as soon done again. */
#pragma once
#include "experiment/run_options.h"

#define DN_REPETITIONS_PREFIX "repetitions" /* of the names of such files */
#define DN_REPETITIONS_AFTER_US 500000

typedef struct DnRepetitionStore DnRepetitionStore;

/* (transfer full). @keep: outlives it; a file that is there already is read. Errors of
 * point_store.h. */
DnRepetitionStore *dn_repetition_store_open(const DnRepetitionKeep *keep, guint repeat,
                                            GError **error);
void dn_repetition_store_free(DnRepetitionStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRepetitionStore, dn_repetition_store_free)
/* (transfer full): what was kept of repetition @r; NULL: nothing, or (with @error set) it cannot be
 * read. */
GVariant *dn_repetition_store_get(DnRepetitionStore *store, guint r, GError **error);
/* @answers: [repeat], NULL or those that are done, this one among them. */
gboolean dn_repetition_store_add(DnRepetitionStore *store, guint r, GVariant *const *answers,
                                 GError **error);

/* A point is complete, and what was kept of it goes. */
void dn_repetition_store_drop(const char *dir, guint point);
/* The number of points in @dir with repetitions that are kept. */
guint dn_repetition_store_count(const char *dir);
