/* reported_values.c - reads figures.csv and its companions, and works out each formula. */
#include "validation/reported_values.h"
#include "base/csv.h"
#include "base/formula.h"
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
static const char *const figure_columns[] = {"id",       "system", "experiment", "condition",
                                             "quantity", "value",  "unit",       "where",
                                             "relation", "kind",   "pointer",    "reason"};
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

double dn_scoreboard_unit(const char *unit)
{
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].scale;
    return 1;
}

/* (transfer full): @folder/@name with exactly these columns. */
static DnCsv *load(const char *folder, const char *name, const char *const *columns, guint n,
                   GError **error)
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

static int choice(const DnCsv *csv, const DnCsvRow *row, guint column, const char *const *known,
                  GError **error)
{
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], row->cells[column]) == 0)
            return i;
    g_autofree char *list = g_strjoinv(", ", (char **)known);
    dn_csv_error(csv, row, column, DN_ERROR_UNKNOWN, error, "unknown %s '%s'; known: %s",
                 csv->names[column], row->cells[column], list);
    return -1;
}

/* What the formula's names rest on; one of @kind must be among them. */
static gboolean set_basis(DnFigure *f, int kind, const DnBoardLookup *look)
{
    gboolean simulated = look->roles[DN_ROLE_CALIBRATED] || look->roles[DN_ROLE_PREDICTED] ||
                         look->roles[DN_ROLE_OBSERVED];
    if (look->roles[DN_ROLE_OBSERVED])
        f->basis = DN_BASIS_OBSERVED;
    else if (look->roles[DN_ROLE_PREDICTED])
        f->basis = DN_BASIS_PREDICTED;
    else if (simulated)
        f->basis = DN_BASIS_CALIBRATED;
    else
        f->basis = look->analyzed ? DN_BASIS_COMPUTED : DN_BASIS_INPUT;
    int found = simulated ? CASE : look->analyzed ? ANALYZE : look->read ? MACHINE : STATED;
    return found == kind;
}

static gboolean work_out(DnFigure *f, int kind, const DnCsv *csv, const DnCsvRow *row,
                         DnBoardNames *names, GError **error)
{
    DnBoardLookup look = {.names = names};
    g_autoptr(GError) problem = NULL;
    if (!dn_formula(f->pointer, dn_board_look_up, &look, &f->found, &problem)) {
        dn_csv_error(csv, row, POINTER, (DnError)problem->code, error, "%s", problem->message);
        return FALSE;
    }
    f->found /= dn_scoreboard_unit(f->unit);
    if (!set_basis(f, kind, &look)) {
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

static gboolean read_figure(DnBoard *board, const DnCsv *csv, const DnCsvRow *row,
                            DnBoardNames *names, GError **error)
{
    DnFigure *f = dn_board_add_figure(board);
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
                       ? choice(csv, row, RELATION, dn_relation_names, error)
                       : DN_RELATION_EQUAL;
    int kind = choice(csv, row, KIND, kinds, error);
    if (relation < 0 || kind < 0)
        return FALSE;
    f->relation = (DnRelation)relation;
    f->basis = kind == OUT ? DN_BASIS_OUT : DN_BASIS_STATED;
    if (kind < STATED)
        return work_out(f, kind, csv, row, names, error);
    if (*f->reason != '\0' && *f->pointer == '\0')
        return TRUE;
    dn_csv_error(csv, row, REASON, DN_ERROR_MISSING, error,
                 "a figure without a formula needs a reason, and no pointer");
    return FALSE;
}

static gboolean read_papers(DnBoard *board, const char *folder, GError **error)
{
    g_autoptr(DnCsv)
        csv = load(folder, "papers.csv", paper_columns, G_N_ELEMENTS(paper_columns), error);
    for (guint r = 0; csv != NULL && r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        DnPaper *paper = g_new0(DnPaper, 1);
        paper->key = g_strdup(row->cells[0]);
        paper->name = g_strdup(row->cells[1]);
        g_ptr_array_add(board->papers, paper);
    }
    return csv != NULL;
}

static gboolean read_raw(DnBoard *board, const char *folder, GError **error)
{
    g_autoptr(DnCsv) csv = load(folder, "raw.csv", raw_columns, G_N_ELEMENTS(raw_columns), error);
    for (guint r = 0; csv != NULL && r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        DnFigure *f = NULL;
        for (guint i = 0; i < board->figures->len && f == NULL; i++) {
            DnFigure *next = g_ptr_array_index(board->figures, i);
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

static void add_case(DnBoard *board, const DnCase *case_)
{
    DnBoardCase *c = g_new0(DnBoardCase, 1);
    c->name = g_strdup(case_->name);
    c->description = g_strdup(case_->description != NULL ? case_->description : "");
    for (guint role = 0; role < DN_ROLES; role++) {
        const DnRoleResult *r = &case_->roles[role];
        c->roles[role].n = r->n;
        c->roles[role].median_percent = r->median_percent;
        c->roles[role].worst_percent = r->worst_percent;
        c->roles[role].claims = r->claims;
        c->roles[role].held = r->held;
    }
    g_ptr_array_add(board->cases, c);
}

DnBoard *dn_scoreboard(const char *folder, const GPtrArray *cases, GError **error)
{
    g_autoptr(DnBoard) board = dn_board_new();
    g_autoptr(DnBoardNames) names = dn_board_names_new(folder, cases);
    g_autoptr(DnCsv)
        csv = load(folder, "figures.csv", figure_columns, G_N_ELEMENTS(figure_columns), error);
    if (csv == NULL || !read_papers(board, folder, error))
        return NULL;
    for (guint r = 0; r < csv->rows->len; r++)
        if (!read_figure(board, csv, g_ptr_array_index(csv->rows, r), names, error))
            return NULL;
    if (!read_raw(board, folder, error))
        return NULL;
    for (guint i = 0; i < cases->len; i++)
        add_case(board, g_ptr_array_index(cases, i));
    return g_steal_pointer(&board);
}

/* ---- a case of one's own ---- */

static const char *unit_of_metric(const char *metric)
{
    return g_str_has_suffix(metric, "_us") ? "us" : g_str_has_suffix(metric, "_gbps") ? "Gb/s" : "";
}

static void add_point(DnBoard *board, const DnCase *case_, const DnCheckedPoint *point, guint id)
{
    static const DnBasis bases[] = {DN_BASIS_CALIBRATED, DN_BASIS_PREDICTED, DN_BASIS_OBSERVED};
    DnFigure *f = dn_board_add_figure(board);
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
    f->basis = bases[point->role];
    f->stated = point->measured;
    f->found = point->simulated;
}

DnBoard *dn_scoreboard_of_case(const DnCase *case_)
{
    DnBoard *board = dn_board_new();
    DnPaper *paper = g_new0(DnPaper, 1);
    board->title = g_strdup("Measured and simulated");
    board->about = g_strdup("Each measured value beside what Darner simulates. Predicted: nothing "
                            "was fitted to it, as far as Darner knows.");
    paper->key = g_strdup("");
    paper->name = g_strdup(case_->name);
    g_ptr_array_add(board->papers, paper);
    for (guint i = 0; i < case_->points->len; i++)
        add_point(board, case_, g_ptr_array_index(case_->points, i), i + 1);
    return board;
}
