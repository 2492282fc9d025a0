/* trace_test.h - traces from C: a reader that hands in what a test lists, and what tests ask. */
#pragma once
#include <glib/gstdio.h>

#include "trace/trace.h"

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

/* A trace of the shared collection of public ones; NULL (and the test is skipped) where that does
 * not stand beside the checkout. */
static inline char *foreign_trace(const char *name)
{
    const char *root = g_getenv("DARNER_ROOT");
    char *path = g_build_filename(root ? root : ".", "..", "shared", "foreign_traces", name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return path;
    g_autofree char *why = g_strdup_printf("no %s: the foreign traces are not here", path);
    g_free(path);
    g_test_skip(why);
    return NULL;
}

static inline DnTrace *open_good(const char *path)
{
    g_autoptr(GError) error = NULL;
    DnTrace *trace = dn_trace_open(path, NULL, &error);
    g_assert_no_error(error);
    return trace;
}

static inline void open_bad(const char *path, const char *format, const char *part)
{
    GError *error = NULL;
    g_assert_null(dn_trace_open(path, format, &error));
    assert_message(error, part);
}

/* A program of @trace (taken over) with the keys of @yaml, e.g. "algorithm: ring". */
static inline DnProgram *test_program_on(DnTrace *trace, const DnCollMachine *machine,
                                         const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf("type: trace\nfile: x\n%s\n", yaml);
    g_autoptr(DnConfigNode) map = dn_config_parse(text, "test", &error);
    g_assert_no_error(error);
    DnProgram *program = dn_trace_program(trace, map, machine, &error);
    g_assert_no_error(error);
    return program;
}

static inline DnProgram *test_program(DnTrace *trace, const char *yaml)
{
    return test_program_on(trace, NULL, yaml);
}
