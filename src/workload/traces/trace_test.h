/* trace_test.h - traces from C: a reader that hands in what a test lists, and what tests ask. */
#pragma once
#include "workload/traces/trace.h"

/* The operations of the next dn_test_trace(), in this order. */
typedef struct {
    guint32 rank;
    DnTraceOp op;
} DnTestOp;

static const DnTestOp *test_ops;
static guint test_n;

static inline gboolean test_read(const char *path, DnTraceSink *sink, GError **error)
{
    for (guint i = 0; i < test_n; i++) {
        DnTraceOp op = test_ops[i].op;
        op.at = i + 1;
        if (!dn_trace_add(sink, test_ops[i].rank, &op, error))
            return FALSE;
    }
    return TRUE;
}

static inline DnTrace *test_trace(const DnTestOp *ops, guint n, gboolean graph, GError **error)
{
    static DnTraceReader reader = {.name = "test", .unit = "line", .read = test_read};
    reader.graph = graph;
    test_ops = ops;
    test_n = n;
    return dn_trace_open_with("test", &reader, error);
}

/* @text as a file of its own; the path, to be removed and freed. */
static inline char *test_file(const char *name, const char *text, gssize n)
{
    g_autofree char *folder = g_dir_make_tmp("darner-test-XXXXXX", NULL);
    char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, text, n, NULL));
    return path;
}

static inline void test_file_free(char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_remove(path);
    g_rmdir(folder);
    g_free(path);
}

static inline void assert_message(GError *error, const char *part)
{
    g_assert_nonnull(error);
    g_assert_true(error->domain == DN_ERROR);
    if (!strstr(error->message, part))
        g_error("'%s' is not in '%s'", part, error->message);
    g_error_free(error);
}
