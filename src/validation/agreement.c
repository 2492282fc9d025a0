/* agreement.c - the scoreboard's figures and what they come to. */
#include "validation/agreement.h"
#include "stats/summary.h"
#include <math.h>

const char *const dn_relation_names[] = {"=", ">=", "<=", NULL};

static void figure_free(gpointer data)
{
    DnFigure *f = data;
    g_free(f->id);
    g_free(f->system);
    g_free(f->experiment);
    g_free(f->condition);
    g_free(f->quantity);
    g_free(f->value);
    g_free(f->unit);
    g_free(f->where);
    g_free(f->pointer);
    g_free(f->reason);
    g_free(f->raw);
    g_free(f->known_cause);
    g_free(f->duplicate_of);
    g_free(f);
}

static void paper_free(gpointer data)
{
    DnPaper *p = data;
    g_free(p->key);
    g_free(p->name);
    g_free(p);
}

static void case_free(gpointer data)
{
    DnBoardCase *c = data;
    g_free(c->name);
    g_free(c->description);
    g_free(c);
}

DnBoard *dn_board_new(void)
{
    DnBoard *board = g_new0(DnBoard, 1);
    board->papers = g_ptr_array_new_with_free_func(paper_free);
    board->figures = g_ptr_array_new_with_free_func(figure_free);
    board->cases = g_ptr_array_new_with_free_func(case_free);
    return board;
}

void dn_board_free(DnBoard *board)
{
    if (board == NULL)
        return;
    g_free(board->title);
    g_free(board->about);
    g_ptr_array_unref(board->papers);
    g_ptr_array_unref(board->figures);
    g_ptr_array_unref(board->cases);
    g_free(board);
}

DnFigure *dn_board_add_figure(DnBoard *board)
{
    DnFigure *figure = g_new0(DnFigure, 1);
    figure->stated = figure->found = NAN;
    g_ptr_array_add(board->figures, figure);
    return figure;
}

gboolean dn_figure_covered(const DnFigure *figure)
{
    return figure->evidence < DN_EVIDENCE_STATED && !isnan(figure->found);
}

double dn_figure_error(const DnFigure *figure)
{
    if (!dn_figure_covered(figure))
        return NAN;
    if (figure->found == figure->stated)
        return 0;
    return 100 * (figure->found - figure->stated) / fabs(figure->stated);
}

gboolean dn_figure_holds(const DnFigure *figure)
{
    g_assert(figure->relation != DN_RELATION_EQUAL);
    return figure->relation == DN_RELATION_AT_LEAST ? figure->found >= figure->stated
                                                    : figure->found <= figure->stated;
}

gboolean dn_figure_within(const DnFigure *figure)
{
    if (!dn_figure_covered(figure) || figure->evidence < DN_EVIDENCE_CALIBRATED ||
        figure->evidence == DN_EVIDENCE_OBSERVED)
        return TRUE;
    if (figure->relation != DN_RELATION_EQUAL)
        return dn_figure_holds(figure);
    return fabs(dn_figure_error(figure)) <= DN_FIGURE_GATE;
}

gboolean dn_figure_passed(const DnFigure *figure)
{
    return !dn_figure_covered(figure) || dn_figure_within(figure) == (figure->known_cause == NULL);
}

gboolean dn_figure_counts(const DnFigure *figure)
{
    return dn_figure_covered(figure) && figure->duplicate_of == NULL;
}

guint dn_board_missed(const DnBoard *board)
{
    guint missed = 0;
    for (guint i = 0; i < board->figures->len; i++)
        missed += !dn_figure_passed(g_ptr_array_index(board->figures, i));
    return missed;
}

DnBoardTotal dn_board_total(const DnBoard *board, const char *key, DnEvidence evidence)
{
    static const double limits[] = {5, 10, 20};
    g_autofree double *errors = g_new(double, board->figures->len + 1);
    DnBoardTotal total = {.median_percent = NAN, .worst_percent = NAN};
    for (guint i = 0; i < board->figures->len; i++) {
        const DnFigure *f = g_ptr_array_index(board->figures, i);
        if (f->evidence != evidence || !g_str_has_prefix(f->id, key) || !dn_figure_counts(f))
            continue;
        if (f->relation != DN_RELATION_EQUAL) {
            total.bounds++;
            total.held += dn_figure_holds(f);
            continue;
        }
        double error = fabs(dn_figure_error(f));
        for (guint k = 0; k < G_N_ELEMENTS(limits); k++)
            total.within[k] += error <= limits[k];
        errors[total.n++] = error;
    }
    if (total.n == 0)
        return total;
    DnSummary summary = dn_summary(errors, total.n);
    total.median_percent = summary.median;
    total.worst_percent = summary.max;
    return total;
}
