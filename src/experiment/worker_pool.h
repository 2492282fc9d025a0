/* worker_pool.h - The worker pool does independent items of work in child processes (workers).
 *
 * A worker is a fork of the calling process, so it has everything that was read and built before.
 * It takes one item after another and answers with a dictionary. A worker that dies (killed, out of
 * memory) is replaced and its item is tried once more; when that worker dies, too, the item has
 * failed. When an item fails, those before it in the list are still done and those after it are
 * not, so that the set of answers and the reported failure do not depend on the number of
 * workers. */
#pragma once
#include "base/error.h"

#define DN_WORKER_POOL_MOST 1024   /* workers */
#define DN_WORKER_POOL_LOOK_MS 100 /* longest wait of a step for a caller without other work */

typedef struct {
    /* Called in a worker: does item @item (transfer full; floating or not; "a{sv}"). NULL + error.
     * It calls dn_worker_pool_report() now and then. */
    GVariant *(*work)(void *data, guint item, GError **error);
    /* Called in the caller as items are done, in no order. FALSE + error ends the pool. */
    gboolean (*done)(void *data, guint item, GVariant *answer, GError **error);
    /* Called in the caller with a worker's report of an item. May be NULL. FALSE + error ends the
     * pool. */
    gboolean (*progress)(void *data, guint item, gint64 now_ps, guint64 packet_hops,
                         GError **error);
    void *data;
} DnWorkerTask;

typedef struct DnWorkerPool DnWorkerPool;

/* Does the @n different items of @items, up to @jobs at once; with one job in the calling process,
 * one after another. FALSE + the error of the first item in the list that failed;
 * DN_ERROR_INTERRUPTED after a signal (interrupt.h). */
gboolean dn_worker_pool_run(const guint *items, guint n, guint jobs, const DnWorkerTask *task,
                            GError **error);
/* Called in `work` with the progress of the item. FALSE: it ends, after a signal or an error in
 * `progress`. */
gboolean dn_worker_pool_report(gint64 now_ps, guint64 packet_hops);
/* Returns, in `progress` and `done`, the CPU seconds that the item has taken in its process. */
double dn_worker_pool_item_cpu_s(void);

/* The same for a caller that works meanwhile: the pool starts its workers at once, and the caller
 * calls dn_worker_pool_step() now and then. */
DnWorkerPool *dn_worker_pool_new(const guint *items, guint n, guint jobs, const DnWorkerTask *task);
/* Receives reports and answers, for which it waits at most @wait_ms. *@over: all items are done.
 * FALSE + error: as dn_worker_pool_run(). */
gboolean dn_worker_pool_step(DnWorkerPool *pool, int wait_ms, gboolean *over, GError **error);
/* Ends the workers that are still there. */
void dn_worker_pool_free(DnWorkerPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnWorkerPool, dn_worker_pool_free)

/* FALSE + DN_ERROR_RANGE unless @jobs is 1 to DN_WORKER_POOL_MOST. */
gboolean dn_worker_pool_check(int jobs, GError **error);
