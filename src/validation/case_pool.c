/* case_pool.c - see case_pool.h. */
#include "validation/case_pool.h"
#include "validation/case_estimate.h"
#include "validation/case_store.h"
#include "base/cpu_clock.h"
#include "experiment/worker_pool.h"
#include <errno.h>
#include <glib/gstdio.h>

typedef struct {
    DnCase *case_;
    char *parts; /* folder; NULL: in memory only */
    guint left;  /* runs to come */
    gboolean kept;
} Slot;

/* A run that is not done. */
typedef struct {
    Slot *slot;
    guint run;
} Unit;

typedef struct {
    const DnPoolOptions *options;
    char *folder;             /* of the files of single runs; NULL: in memory only */
    gboolean own;             /* made for this call */
    GPtrArray *slots;         /* Slot* */
    GArray *units;            /* Unit */
    GPtrArray *ready;         /* DnCase*, in order */
    DnNetworkCache *networks; /* to check runs that are not simulated; NULL: all are */
    guint next_slot;          /* first that is not ready */
    guint n_runs;             /* of all cases, also those that are there */
} Pool;

static void slot_free(gpointer data)
{
    Slot *slot = data;
    dn_case_free(slot->case_);
    g_free(slot->parts);
    g_free(slot);
}

/* The folder and the files in it. */
static void remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
}

static void pool_clear(Pool *pool)
{
    for (guint i = 0; pool->own && i < pool->slots->len; i++) { /* of cases that were cut */
        const Slot *slot = g_ptr_array_index(pool->slots, i);
        if (slot->parts != NULL)
            remove_folder(slot->parts);
    }
    if (pool->own)
        g_rmdir(pool->folder);
    g_clear_pointer(&pool->slots, g_ptr_array_unref);
    g_clear_pointer(&pool->units, g_array_unref);
    g_clear_pointer(&pool->ready, g_ptr_array_unref);
    g_clear_pointer(&pool->networks, dn_network_cache_free);
    g_free(pool->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pool, pool_clear)

static const char *run_name(const Slot *slot, guint run)
{
    return ((const DnPlan *)g_ptr_array_index(slot->case_->plans, run))->name;
}

static char *part_file(const Slot *slot, guint run)
{
    g_autofree char *name = g_strconcat(run_name(slot, run), ".csv", NULL);
    return g_build_filename(slot->parts, name, NULL);
}

static char *case_file(const Pool *pool, const Slot *slot)
{
    g_autofree char *name = g_strconcat(slot->case_->name, ".csv", NULL);
    return g_build_filename(pool->folder, name, NULL);
}

/* ---- what there is already ---- */

static void warn_if_stale(const Pool *pool, const char *file, DnStored stored)
{
    if (pool->options->stored && stored == DN_STORED_STALE)
        g_printerr("%s: this case, or a machine or workload that it names, has changed since\n",
                   file);
}

/* *@known: the whole case is. */
static gboolean restore_case(Pool *pool, Slot *slot, gboolean *known, GError **error)
{
    DnStored stored = DN_STORED_NONE;
    *known = FALSE;
    if (pool->options->keep == NULL)
        return TRUE;
    g_autofree char *file = case_file(pool, slot);
    if (!dn_case_restore(slot->case_, NULL, file, &stored, error))
        return FALSE;
    *known = stored == DN_STORED_SAME || pool->options->stored;
    warn_if_stale(pool, file, stored);
    if (pool->options->stored && stored == DN_STORED_NONE)
        g_clear_pointer(&slot->case_, dn_case_free);
    return TRUE;
}

static gboolean add_units(Pool *pool, Slot *slot, GError **error)
{
    if (pool->folder != NULL) {
        g_autofree char *name = g_strconcat(slot->case_->name, ".parts", NULL);
        slot->parts = g_build_filename(pool->folder, name, NULL);
    }
    for (guint run = 0; run < slot->case_->plans->len; run++) {
        DnStored stored = DN_STORED_NONE;
        gboolean others = !dn_shard_has(&pool->options->shard, pool->n_runs++);
        if (slot->parts != NULL && !others) {
            g_autofree char *file = part_file(slot, run);
            if (!dn_case_restore(slot->case_, run_name(slot, run), file, &stored, error))
                return FALSE;
        }
        if (stored == DN_STORED_SAME || others)
            continue;
        Unit unit = {.slot = slot, .run = run};
        g_array_append_val(pool->units, unit);
        slot->left++;
    }
    return TRUE;
}

static gboolean open_case(Pool *pool, const char *dir, GError **error)
{
    Slot *slot = g_new0(Slot, 1);
    g_ptr_array_add(pool->slots, slot);
    slot->case_ = dn_case_read(dir, pool->networks, error);
    if (slot->case_ == NULL || !restore_case(pool, slot, &slot->kept, error))
        return FALSE;
    if (slot->kept && slot->case_ != NULL)
        pool->n_runs += slot->case_->plans->len;
    return slot->kept || add_units(pool, slot, error);
}

static gboolean open_folder(Pool *pool, GError **error)
{
    int null_model = pool->options->null_model;
    g_autofree char *below =
        null_model < 0 ? NULL
                       : g_build_filename(pool->options->keep, dn_null_names[null_model], NULL);
    const char *keep = below != NULL ? below : pool->options->keep;
    if (keep != NULL && g_mkdir_with_parents(keep, 0777) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot make this folder: %s", keep,
                    g_strerror(errno));
        return FALSE;
    }
    pool->folder = g_strdup(keep);
    if (keep != NULL || pool->options->jobs < 2)
        return TRUE;
    g_autoptr(GError) problem = NULL;
    pool->folder = g_dir_make_tmp("darner-validate-XXXXXX", &problem);
    pool->own = pool->folder != NULL;
    if (!pool->own)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s", problem->message);
    return pool->own;
}

/* ---- one run ---- */

static gboolean simulate_case(const Unit *unit, const DnPoolOptions *options, GError **error)
{
    const DnCase *case_ = unit->slot->case_;
    return options->null_model < 0
               ? dn_case_simulate_run(case_, unit->run, options->packet_bias, error)
               : dn_case_simulate_null(case_, unit->run, (DnNullModel)options->null_model, error);
}

static gboolean case_pool_simulate(const Unit *unit, const DnPoolOptions *options, GError **error)
{
    Slot *slot = unit->slot;
    DnCaseCpu cpu = dn_case_estimate_foreseen(slot->case_, unit->run);
    double begin_s = dn_cpu_clock_s();
    if (!simulate_case(unit, options, error))
        return FALSE;
    if (slot->parts == NULL)
        return TRUE;
    cpu.cpu_s = dn_cpu_clock_s() - begin_s;
    g_autofree char *file = part_file(slot, unit->run);
    if (g_mkdir_with_parents(slot->parts, 0777) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot make this folder: %s", slot->parts,
                    g_strerror(errno));
        return FALSE;
    }
    return dn_case_cpu_store(slot->parts, slot->case_->name, run_name(slot, unit->run), &cpu,
                             error) &&
           dn_case_store(slot->case_, run_name(slot, unit->run), file, error);
}

/* ---- as runs finish ---- */

/* The results of a whole case, and what they took. */
static gboolean keep_case(const Pool *pool, const Slot *slot, GError **error)
{
    g_autoptr(GPtrArray) runs = g_ptr_array_new();
    g_autofree char *file = case_file(pool, slot);
    for (guint run = 0; run < slot->case_->plans->len; run++)
        g_ptr_array_add(runs, (gpointer)run_name(slot, run));
    return dn_case_cpu_collect(slot->parts, pool->folder, slot->case_->name, runs, error) &&
           dn_case_store(slot->case_, NULL, file, error);
}

static gboolean restore_nulls(const Pool *pool, const Slot *slot, GError **error)
{
    const char *keep = pool->options->keep;
    if (keep == NULL || pool->options->null_model >= 0)
        return TRUE;
    if (pool->options->stored)
        for (int k = DN_NULL_IDLE; k <= DN_NULL_BOUND; k++) {
            g_autofree char *file = dn_case_null_file(slot->case_, keep, k);
            warn_if_stale(pool, file, dn_case_stored_age(slot->case_, file));
        }
    return dn_case_restore_nulls(slot->case_, keep, error);
}

/* Out with every case that is whole, in order. */
static gboolean put_out(Pool *pool, GError **error)
{
    if (pool->options->shard.n > 0)
        return TRUE;
    for (; pool->next_slot < pool->slots->len; pool->next_slot++) {
        Slot *slot = g_ptr_array_index(pool->slots, pool->next_slot);
        if (slot->case_ == NULL)
            continue; /* nothing is stored of it */
        if (slot->left > 0)
            return TRUE;
        if (!restore_nulls(pool, slot, error))
            return FALSE;
        dn_case_judge(slot->case_);
        if (pool->options->keep != NULL && !slot->kept && !keep_case(pool, slot, error))
            return FALSE;
        if (slot->parts != NULL)
            remove_folder(slot->parts);
        pool->options->done(pool->options->data, slot->case_);
        g_ptr_array_add(pool->ready, g_steal_pointer(&slot->case_));
    }
    return TRUE;
}

/* ---- all runs ---- */

/* One run, in this process or in one of several; those leave the results in the run's file. */
static GVariant *unit_work(gpointer data, guint item, GError **error)
{
    const Pool *pool = data;
    if (!case_pool_simulate(&g_array_index(pool->units, Unit, item), pool->options, error))
        return NULL;
    return g_variant_new("a{sv}", NULL);
}

static gboolean unit_done(gpointer data, guint item, GVariant *answer, GError **error)
{
    Pool *pool = data;
    const Unit *unit = &g_array_index(pool->units, Unit, item);
    Slot *slot = unit->slot;
    if (pool->options->jobs > 1) {
        DnStored stored = DN_STORED_NONE;
        g_autofree char *file = part_file(slot, unit->run);
        if (!dn_case_restore(slot->case_, run_name(slot, unit->run), file, &stored, error))
            return FALSE;
    }
    slot->left--;
    return put_out(pool, error);
}

static gboolean run_units(Pool *pool, GError **error)
{
    const DnWorkerTask task = {.work = unit_work, .done = unit_done, .data = pool};
    guint n = pool->units->len;
    g_autofree guint *items = g_new(guint, n + 1);
    for (guint i = 0; i < n; i++)
        items[i] = i;
    return dn_worker_pool_run(items, n, pool->options->jobs, &task, error);
}

/* What earlier runs took: those whose results lie beside the case, then those that are kept. Cases
 * of one folder have theirs in one file. */
static gboolean load_cpu(const Pool *pool, GHashTable *known, GError **error)
{
    int null_model = pool->options->null_model;
    g_autofree char *last = NULL;
    for (guint i = 0; i < pool->slots->len; i++) {
        const Slot *slot = g_ptr_array_index(pool->slots, i);
        if (slot->left == 0)
            continue;
        g_autofree char *shipped = g_build_filename(slot->case_->dir, "..", "results",
                                                    null_model < 0 ? "" : dn_null_names[null_model],
                                                    NULL);
        g_autofree char *plain = g_canonicalize_filename(shipped, NULL);
        if (g_strcmp0(plain, last) == 0)
            continue;
        if (!dn_case_cpu_load(known, shipped, error))
            return FALSE;
        g_free(last);
        last = g_steal_pointer(&plain);
    }
    return pool->options->keep == NULL || dn_case_cpu_load(known, pool->folder, error);
}

static gboolean pool_estimate(const Pool *pool, GError **error)
{
    g_autoptr(GHashTable) known = dn_case_cpu_table();
    DnCaseEstimate estimate = {.known = known};
    if (!load_cpu(pool, known, error))
        return FALSE;
    for (guint i = 0; i < pool->units->len; i++) {
        const Unit *unit = &g_array_index(pool->units, Unit, i);
        dn_case_estimate_add(&estimate, unit->slot->case_, unit->run);
    }
    return dn_case_estimate_print(&estimate, pool->options->yes, error);
}

GPtrArray *dn_case_pool(const GPtrArray *dirs, const DnPoolOptions *options, GError **error)
{
    g_auto(Pool) pool = {
        .options = options,
        .slots = g_ptr_array_new_with_free_func(slot_free),
        .units = g_array_new(FALSE, FALSE, sizeof(Unit)),
        .ready = g_ptr_array_new_with_free_func((GDestroyNotify)dn_case_free),
        .networks = options->stored ? dn_network_cache_new() : NULL,
    };
    if (!open_folder(&pool, error))
        return NULL;
    for (guint i = 0; i < dirs->len; i++)
        if (!open_case(&pool, g_ptr_array_index(dirs, i), error))
            return NULL;
    if (!pool_estimate(&pool, error))
        return NULL;
    if (!put_out(&pool, error) || !run_units(&pool, error))
        return NULL;
    return g_steal_pointer(&pool.ready);
}
