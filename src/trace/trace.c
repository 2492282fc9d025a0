/* trace.c - opening a trace: the reader that knows the format, then what only the whole can tell.
 */
#include "trace/trace.h"
#include "base/input_files.h"
#include "base/registry.h"

#include <string.h>
#include <sys/stat.h>

#include "trace/input.h"
#include "trace/store.h"

const char *dn_call_name(DnCall call)
{
    static const char *const names[DN_CALLS] = {"none",         "compute",
                                                "init",         "finalize",
                                                "send",         "recv",
                                                "isend",        "irecv",
                                                "sendrecv",     "send_init",
                                                "recv_init",    "start",
                                                "request_free", "wait",
                                                "waitall",      "waitany",
                                                "waitsome",     "test",
                                                "testall",      "testany",
                                                "testsome",     "probe",
                                                "iprobe",       "barrier",
                                                "bcast",        "reduce",
                                                "allreduce",    "scan",
                                                "exscan",       "gather",
                                                "scatter",      "allgather",
                                                "alltoall",     "reduce_scatter_block",
                                                "gatherv",      "scatterv",
                                                "allgatherv",   "alltoallv",
                                                "alltoallw",    "reduce_scatter",
                                                "comm_dup",     "comm_split",
                                                "comm_create",  "comm_create_group",
                                                "comm_free"};
    g_assert(call < DN_CALLS);
    return names[call];
}

/* ---- messages ---- */

char *dn_trace_where(const DnTrace *trace, guint32 rank, guint64 at)
{
    const DnTraceStore *store = trace->store;
    guint32 file = rank < store->ranks->len ? dn_trace_rank(store, rank)->file : 0;
    const char *path = g_ptr_array_index(store->files, file);
    if (strcmp(trace->reader->unit, "line") == 0)
        return g_strdup_printf("%s:%" G_GUINT64_FORMAT, path, at);
    return g_strdup_printf("%s: %s %" G_GUINT64_FORMAT, path, trace->reader->unit, at);
}

/* @column: 0: it is not known. */
static void G_GNUC_PRINTF(6, 0)
    set_error_at(const DnTraceSink *sink, guint32 rank, guint64 at, gsize column, GError **error,
                 const char *format, va_list args)
{
    g_autofree char *what = g_strdup_vprintf(format, args);
    g_autofree char *where = dn_trace_where(sink->trace, rank, at);
    if (column > 0)
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:%" G_GSIZE_FORMAT ": %s", where, column,
                    what);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: %s", where, what);
}

void dn_trace_set_error(const DnTraceSink *sink, guint32 rank, guint64 at, GError **error,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error_at(sink, rank, at, 0, error, format, args);
    va_end(args);
}

void dn_trace_set_error_column(const DnTraceSink *sink, guint32 rank, guint64 at, gsize column,
                               GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error_at(sink, rank, at, column, error, format, args);
    va_end(args);
}

void dn_trace_note(const DnTraceSink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    if (!g_ptr_array_find_with_equal_func(sink->trace->notes, text, g_str_equal, NULL))
        g_ptr_array_add(sink->trace->notes, g_steal_pointer(&text));
}

/* ---- which reader ---- */

static gboolean unknown_format(const char *path, const char *format, GError **error)
{
    g_autoptr(GPtrArray) names = dn_registry_names(dn_trace_readers);
    if (format)
        g_ptr_array_add(names, (gpointer) "auto");
    g_ptr_array_add(names, NULL);
    const char *const *known = (const char *const *)names->pdata;
    if (format) {
        g_autofree char *unknown = dn_unknown(format, known, "known");
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown trace format %s", unknown);
    } else {
        g_autofree char *list = g_strjoinv(", ", (char **)names->pdata);
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                    "%s: no trace of a format that is known by its content; known: %s", path, list);
    }
    return FALSE;
}

static gboolean find_reader(const char *path, const char *format, const DnTraceReader **reader,
                            GError **error)
{
    gsize n = 0;
    const guint8 *head = NULL;
    g_autoptr(DnInput) input = NULL;
    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        input = dn_input_open(path, error);
        if (!input)
            return FALSE;
        head = dn_input_peek_text(input, 4096, &n);
    }
    if (input && n == 0) {
        if (dn_input_good(input, error))
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: the file is empty; wanted: a trace",
                        path);
        return FALSE;
    }
    gboolean by_content = !format || strcmp(format, "auto") == 0;
    for (guint i = 0; dn_trace_readers[i]; i++) {
        *reader = dn_trace_readers[i];
        if (by_content ? (*reader)->recognise(path, head, n) : strcmp((*reader)->name, format) == 0)
            return TRUE;
    }
    if (input && !dn_input_good(input, error))
        return FALSE;
    return unknown_format(path, by_content ? NULL : format, error);
}

/* ---- opening ---- */

static void rank_clear(gpointer data)
{
    DnTraceRank *rank = data;
    dn_request_table_clear(&rank->requests);
    g_clear_pointer(&rank->handles, g_hash_table_unref);
    g_clear_pointer(&rank->slots, g_array_unref);
    g_clear_pointer(&rank->free_slots, g_free);
    g_clear_pointer(&rank->free_workers, g_array_unref);
    for (guint i = 0; rank->creations && i < rank->creations->len; i++)
        g_free(g_array_index(rank->creations, DnCreation, i).list);
    g_clear_pointer(&rank->creations, g_array_unref);
    g_clear_pointer(&rank->order, g_array_unref);
    g_clear_pointer(&rank->members, g_array_unref);
}

typedef gboolean (*Fill)(const char *path, DnTraceSink *sink, gpointer data, GError **error);

static gboolean read_all(DnTrace *trace, Fill fill, gpointer data, GError **error)
{
    DnTraceSink sink = {.trace = trace,
                        .store = trace->store,
                        .record = g_byte_array_new(),
                        .numbers = g_array_new(FALSE, FALSE, sizeof(gint64))};
    gboolean ok = fill(trace->path, &sink, data, error);
    g_byte_array_unref(sink.record);
    g_array_unref(sink.numbers);
    if (!ok || !dn_block_store_finish(&trace->store->block_store, error))
        return FALSE;
    if (trace->ranks == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: a trace without ranks", trace->path);
        return FALSE;
    }
    dn_block_store_grow(&trace->store->block_store, trace->ranks);
    return dn_trace_resolve_comms(trace, error) && dn_trace_check_order(trace, error);
}

/* Frees what only reading needs. */
static void trace_forget(DnTrace *trace)
{
    for (guint32 r = 0; r < trace->ranks; r++) {
        GArray *members = g_steal_pointer(&dn_trace_rank(trace->store, r)->members);
        guint32 file = dn_trace_rank(trace->store, r)->file;
        rank_clear(dn_trace_rank(trace->store, r));
        *dn_trace_rank(trace->store, r) = (DnTraceRank){.file = file, .members = members};
    }
}

DnTrace *dn_trace_open(const char *path, const char *format, GError **error)
{
    const DnTraceReader *reader = NULL;
    return find_reader(path, format, &reader, error) ? dn_trace_open_with(path, reader, error)
                                                     : NULL;
}

/* The trace that dn_trace_open_again() opened last. */
static struct {
    GMutex mutex;
    char *key;
    DnTrace *trace;
} kept;

/* (transfer full): differs when the file was written anew. */
static char *key_of_file(const char *path, const char *format)
{
    struct stat status = {0};
    g_autofree char *file = g_canonicalize_filename(path, NULL);
    if (stat(path, &status) != 0)
        status.st_size = -1;
    return g_strdup_printf("%s\n%s\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld", file,
                           format != NULL ? format : "auto", (gint64)status.st_size,
                           (gint64)status.st_mtim.tv_sec, (long)status.st_mtim.tv_nsec);
}

DnTrace *dn_trace_open_again(const char *path, const char *format, GError **error)
{
    g_autofree char *key = key_of_file(path, format);
    DnTrace *trace = NULL;
    g_mutex_lock(&kept.mutex);
    if (!dn_input_files_asked() && g_strcmp0(kept.key, key) == 0)
        trace = kept.trace;
    if (trace == NULL) {
        g_clear_pointer(&kept.trace, dn_trace_free);
        g_clear_pointer(&kept.key, g_free);
        trace = kept.trace = dn_trace_open(path, format, error);
        kept.key = trace != NULL ? g_steal_pointer(&key) : NULL;
    }
    if (trace != NULL)
        g_atomic_int_inc(&trace->refs);
    g_mutex_unlock(&kept.mutex);
    return trace;
}

static gboolean by_reader(const char *path, DnTraceSink *sink, gpointer data, GError **error)
{
    const DnTraceReader *reader = data;
    g_assert(reader != NULL);
    return reader->read(path, sink, error);
}

DnTrace *dn_trace_open_with(const char *path, const DnTraceReader *reader, GError **error)
{
    return dn_trace_fill(path, reader, by_reader, (gpointer)reader, error);
}

DnTrace *dn_trace_fill(const char *path, const DnTraceReader *reader, Fill fill, gpointer data,
                       GError **error)
{
    g_autoptr(DnTrace) trace = g_new0(DnTrace, 1);
    trace->refs = 1;
    trace->reader = reader;
    trace->path = g_strdup(path);
    trace->store = g_new0(DnTraceStore, 1);
    trace->notes = g_ptr_array_new_with_free_func(g_free);
    trace->store->files = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(trace->store->files, g_strdup(path));
    trace->store->ranks = g_array_new(FALSE, TRUE, sizeof(DnTraceRank));
    g_array_set_clear_func(trace->store->ranks, rank_clear);
    if (!dn_block_store_init(&trace->store->block_store, error) ||
        !read_all(trace, fill, data, error))
        return NULL;
    trace_forget(trace);
    return g_steal_pointer(&trace);
}

void dn_trace_free(DnTrace *trace)
{
    if (!trace || !g_atomic_int_dec_and_test(&trace->refs))
        return;
    for (guint32 c = 0; c < trace->n_comms; c++)
        g_free(trace->comms[c].ranks);
    g_free(trace->comms);
    g_ptr_array_unref(trace->notes);
    g_array_unref(trace->store->ranks);
    g_ptr_array_unref(trace->store->files);
    dn_block_store_clear(&trace->store->block_store);
    g_free(trace->store);
    g_free(trace->path);
    g_free(trace);
}

guint32 dn_trace_comm_numbers(const DnTrace *trace, guint32 rank)
{
    return dn_trace_rank(trace->store, rank)->members->len;
}

const DnTraceComm *dn_trace_comm(const DnTrace *trace, guint32 rank, guint32 number, guint32 *me)
{
    const GArray *members = dn_trace_rank(trace->store, rank)->members;
    g_assert(number < members->len);
    DnMembership m = g_array_index(members, DnMembership, number);
    if (me)
        *me = m.me;
    return &trace->comms[m.comm];
}
