/* questions.c - see questions.h. */
#include "validation/questions.h"

#include "base/csv.h"
#include "base/file.h"

#include <math.h>
#include <string.h>

#define LARGE_BYTES 65536

enum { LATENCY, BANDWIDTH };
static const char *const ORDER[] = {
    "latency: messages below 64 KiB",
    "bandwidth: messages from 64 KiB on",
    "collectives in a node",
    "collectives between nodes",
    "applications",
    "noise and congestion",
    "load of a network",
};

static DnCsv *questions_load(const char *path, GError **error)
{
    g_autofree char *text = dn_file_read(path, error);
    g_autoptr(DnCsv) csv = text != NULL ? dn_csv_parse(text, path, error) : NULL;
    static const char *const columns[] = {"case", "question", "source"};
    for (guint c = 0; csv != NULL && c < G_N_ELEMENTS(columns); c++)
        if (dn_csv_column(csv, columns[c]) != (int)c) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                        "%s:1:1: wrong columns; wanted: case,question,source", path);
            return NULL;
        }
    return g_steal_pointer(&csv);
}

/* The row whose beginning the name of @case_ has; NULL: none, as of a case of one's own. */
static const DnCsvRow *row_of(const DnCsv *csv, const DnCase *case_)
{
    for (guint r = 0; r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        if (g_str_has_prefix(case_->name, row->cells[0]))
            return row;
    }
    return NULL;
}

static DnAgreementQuestion *question_of(const DnAgreement *agreement, const DnCsv *csv,
                                        const DnCsvRow *row, const DnCheckedPoint *point,
                                        GError **error)
{
    const char *name = row->cells[1];
    gboolean large = strcmp(point->metric, "goodput_gbps") == 0 || point->bytes >= LARGE_BYTES;
    if (strcmp(name, "messages") == 0)
        name = ORDER[large ? BANDWIDTH : LATENCY];
    for (guint i = 0; i < agreement->questions->len; i++) {
        DnAgreementQuestion *q = g_ptr_array_index(agreement->questions, i);
        if (strcmp(q->name, name) == 0)
            return q;
    }
    dn_csv_error(csv, row, 1, DN_ERROR_UNKNOWN, error, "no question '%s'", name);
    return NULL;
}

static void add_source(const DnAgreementQuestion *q, const char *source)
{
    if (!g_ptr_array_find_with_equal_func(q->sources, source, g_str_equal, NULL))
        g_ptr_array_add(q->sources, g_strdup(source));
}

/* (transfer full): "case, run, bytes 8, job a, time_us". */
static char *point_name(const DnCase *case_, const DnCheckedPoint *point)
{
    GString *name = g_string_new(case_->name);
    g_string_append_printf(name, ", %s", point->run);
    for (guint k = 0; point->keys[k] != NULL; k++) {
        const char *dot = strrchr(point->keys[k], '.');
        g_string_append_printf(name, ", %s %s", dot != NULL ? dot + 1 : point->keys[k],
                               point->values[k]);
    }
    if (point->job != NULL && point->job[0] != '\0')
        g_string_append_printf(name, ", job %s", point->job);
    g_string_append_printf(name, ", %s", point->metric);
    return g_string_free(name, FALSE);
}

static void error_clear(gpointer error)
{
    g_free(((DnAgreementError *)error)->what);
}

static gboolean add_points(const DnAgreement *agreement, const DnCsv *csv, const DnCsvRow *row,
                           const DnCase *case_, GError **error)
{
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
        gboolean counts = point->evidence == DN_EVIDENCE_CALIBRATED ||
                          point->evidence == DN_EVIDENCE_DEVELOPED ||
                          point->evidence == DN_EVIDENCE_PREDICTED;
        if (!counts || isnan(point->simulated))
            continue;
        DnAgreementQuestion *q = question_of(agreement, csv, row, point, error);
        if (q == NULL)
            return FALSE;
        add_source(q, row->cells[2]);
        q->vacuous += point->vacuous;
        q->known += point->known_cause != NULL;
        if (point->relation != 0)
            continue;
        const DnAgreementError off = {point->evidence, point->error_percent,
                                      point_name(case_, point)};
        g_array_append_val(q->errors, off);
    }
    return TRUE;
}

gboolean dn_questions_add(DnAgreement *agreement, const char *folder, const GPtrArray *cases,
                          GError **error)
{
    g_autofree char *path = g_build_filename(folder, "questions.csv", NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    g_autoptr(DnCsv) csv = questions_load(path, error);
    for (guint i = 0; csv != NULL && i < G_N_ELEMENTS(ORDER); i++) {
        DnAgreementQuestion *q = g_new0(DnAgreementQuestion, 1);
        q->name = g_strdup(ORDER[i]);
        q->sources = g_ptr_array_new_with_free_func(g_free);
        q->errors = g_array_new(FALSE, FALSE, sizeof(DnAgreementError));
        g_array_set_clear_func(q->errors, error_clear);
        g_ptr_array_add(agreement->questions, q);
    }
    for (guint i = 0; csv != NULL && i < cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(cases, i);
        const DnCsvRow *row = row_of(csv, case_);
        if (row != NULL && !add_points(agreement, csv, row, case_, error))
            return FALSE;
    }
    return csv != NULL;
}
