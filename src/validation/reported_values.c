/* reported_values.c - reads figures.csv and its companions, and works out each formula. */
#include "validation/reported_values.h"
#include "validation/questions.h"
#include "validation/known_misses.h"
#include "base/csv.h"
#include "base/formula.h"
#include "stats/summary.h"
#include <math.h>
#include <string.h>

static const char *const kinds[] = {"case", "analyze", "machine", "stated", "out", NULL};
enum { CASE, ANALYZE, MACHINE, STATED, OUT };

enum {
    ID,
    SYSTEM,
    EXPERIMENT,
    CONDITION,
    QUANTITY,
    VALUE,
    UNIT,
    WHERE,
    RELATION,
    KIND,
    POINTER,
    REASON,
    N_COLUMNS
};
static const char *const reported_value_columns[] = {
    "id",   "system", "experiment", "condition", "quantity", "value",
    "unit", "where",  "relation",   "kind",      "pointer",  "reason"};
static const char *const paper_columns[] = {"key", "paper"};
static const char *const raw_columns[] = {"id", "raw_value", "verdict", "note"};

static const struct {
    const char *name;
    double scale;
} units[] = {
    {"ns", 1e3},   {"us", 1e6},        {"s", 1e12},     {"Gb/s", 1e9},    {"Tb/s", 1e12},
    {"GB/s", 8e9}, {"MB/s", 8e6},      {"MOPS", 1e6},   {"MHz", 1e6},     {"%", 0.01},
    {"KB", 1024},  {"KiB", 1024},      {"MB", 1048576}, {"MiB", 1048576}, {"GiB", 1073741824.0},
    {"GB", 1e9},   {"edges/s", 1e-12},
};

/* Scale of a unit in the papers: how many base units (ps, bytes, bit/s, 1/s, 1) one of it is. */
static double unit_factor(const char *unit)
{
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].scale;
    return 1;
}

/* (transfer full): @folder/@name with exactly these columns. */
static DnCsv *reported_load(const char *folder, const char *name, const char *const *columns,
                            guint n, GError **error)
{
    g_autofree char *file = g_build_filename(folder, name, NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return NULL;
    for (guint c = 0; c < n; c++)
        if (csv->n_columns != n || strcmp(csv->names[c], columns[c]) != 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: wrong columns; column %u is %s",
                        file, c + 1, columns[c]);
            return NULL;
        }
    return g_steal_pointer(&csv);
}

static int reported_choice(const DnCsv *csv, const DnCsvRow *row, guint column,
                           const char *const *known, GError **error)
{
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], row->cells[column]) == 0)
            return i;
    g_autofree char *list = g_strjoinv(", ", (char **)known);
    dn_csv_error(csv, row, column, DN_ERROR_UNKNOWN, error, "unknown %s '%s'; known: %s",
                 csv->names[column], row->cells[column], list);
    return -1;
}

/* Sets the evidence class by the names that the formula has read; one of @kind must be among
 * them. */
static gboolean set_evidence(DnReportedValue *f, int kind, const DnReportedLookup *look)
{
    if (look->simulated)
        f->evidence = look->evidence;
    else
        f->evidence = look->analyzed ? DN_EVIDENCE_COMPUTED : DN_EVIDENCE_INPUT;
    int found = look->simulated ? CASE : look->analyzed ? ANALYZE : look->read ? MACHINE : STATED;
    return found == kind;
}

static gboolean is_near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b);
}

static gboolean work_out(DnReportedValue *f, int kind, const DnCsv *csv, const DnCsvRow *row,
                         DnReportedLinks *names, GError **error)
{
    DnReportedLookup look = {.names = names, .null_model = -1};
    g_autoptr(GError) problem = NULL;
    if (!dn_formula(f->pointer, dn_reported_links_look_up, &look, &f->found, &problem)) {
        dn_csv_error(csv, row, POINTER, (DnError)problem->code, error, "%s", problem->message);
        return FALSE;
    }
    f->found /= unit_factor(f->unit);
    for (int k = 0; k < DN_NULLS; k++) {
        DnReportedLookup null = {.names = names, .null_model = k};
        double value;
        if (dn_formula(f->pointer, dn_reported_links_look_up, &null, &value, NULL) && null.nulls)
            f->null[k] = value / unit_factor(f->unit);
    }
    if (!set_evidence(f, kind, &look)) {
        dn_csv_error(csv, row, KIND, DN_ERROR_UNKNOWN, error,
                     "the pointer reads nothing of this kind first; case ranks before analyze, "
                     "analyze before machine");
        return FALSE;
    }
    if (isnan(f->stated)) {
        dn_csv_error(csv, row, VALUE, DN_ERROR_SYNTAX, error,
                     "'%s' is no number: only stated or out is possible", f->value);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_reported_value(DnAgreement *agreement, const DnCsv *csv, const DnCsvRow *row,
                                    DnReportedLinks *names, GError **error)
{
    DnReportedValue *f = dn_agreement_add_value(agreement);
    char **const texts[] = {&f->id,       &f->system, &f->experiment, &f->condition,
                            &f->quantity, &f->value,  &f->unit,       &f->where};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        *texts[i] = g_strdup(row->cells[i]);
    f->pointer = g_strdup(row->cells[POINTER]);
    f->reason = g_strdup(row->cells[REASON]);
    char *end;
    double stated = g_ascii_strtod(f->value, &end);
    f->stated = *f->value != '\0' && *end == '\0' ? stated : NAN;
    int relation = *row->cells[RELATION] != '\0'
                       ? reported_choice(csv, row, RELATION, dn_relation_names, error)
                       : DN_RELATION_EQUAL;
    int kind = reported_choice(csv, row, KIND, kinds, error);
    if (relation < 0 || kind < 0)
        return FALSE;
    f->relation = (DnRelation)relation;
    f->evidence = kind == OUT ? DN_EVIDENCE_OUT : DN_EVIDENCE_STATED;
    if (kind < STATED)
        return work_out(f, kind, csv, row, names, error);
    if (*f->reason != '\0' && *f->pointer == '\0')
        return TRUE;
    dn_csv_error(csv, row, REASON, DN_ERROR_MISSING, error,
                 "a figure without a formula needs a reason, and no pointer");
    return FALSE;
}

static gboolean read_papers(DnAgreement *agreement, const char *folder, GError **error)
{
    g_autoptr(DnCsv) csv =
        reported_load(folder, "papers.csv", paper_columns, G_N_ELEMENTS(paper_columns), error);
    for (guint r = 0; csv != NULL && r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        DnPaper *paper = g_new0(DnPaper, 1);
        paper->key = g_strdup(row->cells[0]);
        paper->name = g_strdup(row->cells[1]);
        g_ptr_array_add(agreement->papers, paper);
    }
    return csv != NULL;
}

static gboolean read_raw(DnAgreement *agreement, const char *folder, GError **error)
{
    g_autoptr(DnCsv)
        csv = reported_load(folder, "raw.csv", raw_columns, G_N_ELEMENTS(raw_columns), error);
    for (guint r = 0; csv != NULL && r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        DnReportedValue *f = NULL;
        for (guint i = 0; i < agreement->values->len && f == NULL; i++) {
            DnReportedValue *next = g_ptr_array_index(agreement->values, i);
            f = strcmp(next->id, row->cells[0]) == 0 ? next : NULL;
        }
        if (f == NULL) {
            dn_csv_error(csv, row, 0, DN_ERROR_UNKNOWN, error, "no figure '%s'", row->cells[0]);
            return FALSE;
        }
        char *text = g_strdup_printf("%s%s%s (%s)%s%s", f->raw != NULL ? f->raw : "",
                                     f->raw != NULL ? "; " : "", row->cells[1], row->cells[2],
                                     *row->cells[3] != '\0' ? ": " : "", row->cells[3]);
        g_free(f->raw);
        f->raw = text;
    }
    return csv != NULL;
}

/* Two figures are one when both of their numbers are the same: the paper says it twice. */
static void find_duplicate(DnAgreement *agreement, guint index)
{
    DnReportedValue *f = g_ptr_array_index(agreement->values, index);
    double scale = unit_factor(f->unit);
    for (guint i = 0; i < index && f->evidence < DN_EVIDENCE_STATED; i++) {
        const DnReportedValue *other = g_ptr_array_index(agreement->values, i);
        double other_scale = unit_factor(other->unit);
        gboolean simulated = f->evidence >= DN_EVIDENCE_CALIBRATED &&
                             other->evidence >= DN_EVIDENCE_CALIBRATED;
        if (!simulated || strncmp(f->id, other->id, 2) != 0 || f->relation != other->relation ||
            other->duplicate_of != NULL ||
            !is_near(f->stated * scale, other->stated * other_scale) ||
            !is_near(f->found * scale, other->found * other_scale))
            continue;
        f->duplicate_of = g_strdup(other->id);
        return;
    }
}

static void add_skill(DnAgreementCase *c, const DnCase *case_, DnNullModel model)
{
    g_autofree double *own = g_new(double, case_->points->len + 1);
    g_autofree double *null = g_new(double, case_->points->len + 1);
    guint n = 0;
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        gboolean counts = p->evidence == DN_EVIDENCE_DEVELOPED ||
                          p->evidence == DN_EVIDENCE_PREDICTED;
        if (!counts || p->relation != 0 || isnan(p->null[model]) || isnan(p->simulated))
            continue;
        own[n] = fabs(p->error_percent);
        null[n++] = 100.0 * fabs(p->null[model] / p->measured - 1.0);
    }
    c->skill[model].n = n;
    c->skill[model].median_percent = n > 0 ? dn_summary(own, n).median : NAN;
    c->skill[model].null_percent = n > 0 ? dn_summary(null, n).median : NAN;
}

static void add_case(DnAgreement *agreement, const DnCase *case_)
{
    DnAgreementCase *c = dn_agreement_add_case(agreement, case_->name, case_->description);
    for (guint k = 0; k < DN_EVIDENCE_CLASSES; k++) {
        const DnEvidenceResult *r = &case_->by_evidence[k];
        c->by_evidence[k].n = r->n;
        c->by_evidence[k].median_percent = r->median_percent;
        c->by_evidence[k].worst_percent = r->worst_percent;
        c->by_evidence[k].claims = r->claims;
        c->by_evidence[k].held = r->held;
        c->by_evidence[k].vacuous = r->vacuous;
        c->by_evidence[k].known = r->known;
    }
    for (guint k = 0; k < DN_NULLS; k++)
        add_skill(c, case_, (DnNullModel)k);
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        if (p->known_cause != NULL && p->evidence != DN_EVIDENCE_OBSERVED)
            dn_agreement_add_miss(c, p->known_cause, p->relation != 0 ? NAN : p->error_percent);
    }
}

DnAgreement *dn_reported_values_agreement(const char *folder, const GPtrArray *cases,
                                          GError **error)
{
    g_autoptr(DnAgreement) agreement = dn_agreement_new();
    g_autoptr(DnReportedLinks) names = dn_reported_links_new(folder, cases);
    g_autoptr(DnCsv) csv = reported_load(folder, "figures.csv", reported_value_columns,
                                         G_N_ELEMENTS(reported_value_columns), error);
    if (csv == NULL || !read_papers(agreement, folder, error))
        return NULL;
    for (guint r = 0; r < csv->rows->len; r++)
        if (!read_reported_value(agreement, csv, g_ptr_array_index(csv->rows, r), names, error))
            return NULL;
    g_autoptr(GPtrArray) misses = dn_known_misses_read(folder, error);
    if (misses == NULL || !read_raw(agreement, folder, error))
        return NULL;
    for (guint i = 0; i < agreement->values->len; i++) {
        DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        f->known_cause = g_strdup(dn_known_misses_of_figure(misses, f->id));
        find_duplicate(agreement, i);
    }
    for (guint i = 0; i < cases->len; i++)
        add_case(agreement, g_ptr_array_index(cases, i));
    if (!dn_questions_add(agreement, folder, cases, error))
        return NULL;
    return g_steal_pointer(&agreement);
}

/* ---- a case of one's own ---- */

static const char *unit_of_metric(const char *metric)
{
    return g_str_has_suffix(metric, "_us") ? "us" : g_str_has_suffix(metric, "_gbps") ? "Gb/s" : "";
}

/* A curve is over sizes; points of other keys, jobs and metrics are other curves. Without sizes all
 * points of a job and metric are one. */
static void set_series(DnReportedValue *f, const DnCheckedPoint *point)
{
    g_autoptr(GString) series = g_string_new(NULL);
    for (guint i = 0; point->keys[i] != NULL; i++) {
        char *end = NULL;
        double value = g_ascii_strtod(point->values[i], &end);
        gboolean size = g_str_has_suffix(point->keys[i], ".bytes") && strcmp(end, " B") == 0;
        if (size)
            f->x = value;
        else
            g_string_append_printf(series, "%s %s, ", point->keys[i], point->values[i]);
    }
    if (isnan(f->x))
        g_string_truncate(series, 0);
    g_string_append_printf(series, "job %s, %s", point->job, point->metric);
    f->series = g_string_free(g_steal_pointer(&series), FALSE);
}

static void add_point(DnAgreement *agreement, const DnCase *case_, const DnCheckedPoint *point,
                      guint id)
{
    DnReportedValue *f = dn_agreement_add_value(agreement);
    g_autoptr(GString) at = g_string_new(NULL);
    for (guint i = 0; point->keys[i] != NULL; i++)
        g_string_append_printf(at, "%s%s %s", i > 0 ? ", " : "", point->keys[i], point->values[i]);
    f->id = g_strdup_printf("%u", id);
    f->system = g_strdup(point->job);
    f->experiment = g_strdup(point->run);
    f->condition = g_string_free(g_steal_pointer(&at), FALSE);
    f->quantity = g_strdup(point->metric);
    f->value = g_strdup_printf("%.6g", point->measured);
    f->unit = g_strdup(unit_of_metric(point->metric));
    f->where = g_strdup(case_->name);
    f->pointer = g_strdup("");
    f->reason = g_strdup(point->reason);
    f->evidence = point->evidence;
    f->stated = point->measured;
    f->found = point->simulated;
    set_series(f, point);
}

DnAgreement *dn_case_agreement(const DnCase *case_)
{
    DnAgreement *agreement = dn_agreement_new();
    DnPaper *paper = g_new0(DnPaper, 1);
    agreement->title = g_strdup("Measured and simulated");
    agreement->about = g_strdup("Each measured value beside what Darner simulates. Predicted: no "
                                "parameter was fitted to it and no model changed after it had been "
                                "seen, as far as Darner knows.");
    paper->key = g_strdup("");
    paper->name = g_strdup(case_->name);
    g_ptr_array_add(agreement->papers, paper);
    for (guint i = 0; i < case_->points->len; i++)
        add_point(agreement, case_, g_ptr_array_index(case_->points, i), i + 1);
    return agreement;
}
