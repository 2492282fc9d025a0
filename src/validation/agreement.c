/* agreement.c - The agreement report's values and their totals. */
#include "validation/agreement.h"
#include "stats/summary.h"
#include <math.h>
#include <string.h>

const char *const dn_relation_names[] = {"=", ">=", "<=", NULL};

static void reported_value_free(gpointer data)
{
    DnReportedValue *f = data;
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
    g_free(f->series);
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
    DnAgreementCase *c = data;
    g_free(c->name);
    g_free(c->description);
    g_array_unref(c->misses);
    g_free(c);
}

static void question_free(gpointer data)
{
    DnAgreementQuestion *q = data;
    g_free(q->name);
    g_ptr_array_unref(q->sources);
    g_array_unref(q->errors);
    g_free(q);
}

DnAgreement *dn_agreement_new(void)
{
    DnAgreement *agreement = g_new0(DnAgreement, 1);
    agreement->papers = g_ptr_array_new_with_free_func(paper_free);
    agreement->values = g_ptr_array_new_with_free_func(reported_value_free);
    agreement->cases = g_ptr_array_new_with_free_func(case_free);
    agreement->questions = g_ptr_array_new_with_free_func(question_free);
    return agreement;
}

void dn_agreement_free(DnAgreement *agreement)
{
    if (agreement == NULL)
        return;
    g_free(agreement->title);
    g_free(agreement->about);
    g_ptr_array_unref(agreement->papers);
    g_ptr_array_unref(agreement->values);
    g_ptr_array_unref(agreement->cases);
    g_ptr_array_unref(agreement->questions);
    g_free(agreement);
}

static void miss_clear(gpointer data)
{
    DnAgreementMiss *miss = data;
    g_free(miss->cause);
}

DnAgreementCase *dn_agreement_add_case(DnAgreement *agreement, const char *name,
                                       const char *description)
{
    DnAgreementCase *c = g_new0(DnAgreementCase, 1);
    c->name = g_strdup(name);
    c->description = g_strdup(description != NULL ? description : "");
    c->misses = g_array_new(FALSE, FALSE, sizeof(DnAgreementMiss));
    g_array_set_clear_func(c->misses, miss_clear);
    g_ptr_array_add(agreement->cases, c);
    return c;
}

void dn_agreement_add_miss(DnAgreementCase *agreement_case, const char *cause, double error_percent)
{
    GArray *misses = agreement_case->misses;
    guint i = 0;
    while (i < misses->len && strcmp(g_array_index(misses, DnAgreementMiss, i).cause, cause) != 0)
        i++;
    if (i == misses->len) {
        DnAgreementMiss new_one = {.cause = g_strdup(cause), .least = NAN, .most = NAN};
        g_array_append_val(misses, new_one);
    }
    DnAgreementMiss *miss = &g_array_index(misses, DnAgreementMiss, i);
    miss->n++;
    miss->claims += isnan(error_percent);
    miss->least = fmin(miss->least, error_percent); /* of a number and NAN: the number */
    miss->most = fmax(miss->most, error_percent);
}

DnReportedValue *dn_agreement_add_value(DnAgreement *agreement)
{
    DnReportedValue *reported = g_new0(DnReportedValue, 1);
    reported->stated = reported->found = reported->x = NAN;
    for (guint k = 0; k < DN_NULLS; k++)
        reported->null[k] = NAN;
    g_ptr_array_add(agreement->values, reported);
    return reported;
}

gboolean dn_reported_value_covered(const DnReportedValue *reported)
{
    return reported->evidence < DN_EVIDENCE_STATED && !isnan(reported->found);
}

double dn_reported_value_error(const DnReportedValue *reported)
{
    if (!dn_reported_value_covered(reported))
        return NAN;
    if (reported->found == reported->stated)
        return 0;
    return 100 * (reported->found - reported->stated) / fabs(reported->stated);
}

gboolean dn_reported_value_holds(const DnReportedValue *reported)
{
    g_assert(reported->relation != DN_RELATION_EQUAL);
    return reported->relation == DN_RELATION_AT_LEAST ? reported->found >= reported->stated
                                                      : reported->found <= reported->stated;
}

gboolean dn_figure_within(const DnReportedValue *reported)
{
    if (!dn_reported_value_covered(reported) || reported->evidence < DN_EVIDENCE_CALIBRATED ||
        reported->evidence == DN_EVIDENCE_OBSERVED)
        return TRUE;
    if (reported->relation != DN_RELATION_EQUAL)
        return dn_reported_value_holds(reported);
    return fabs(dn_reported_value_error(reported)) <= DN_FIGURE_GATE;
}

gboolean dn_figure_vacuous(const DnReportedValue *reported)
{
    gboolean counts =
        reported->evidence == DN_EVIDENCE_DEVELOPED ||
        reported->evidence == DN_EVIDENCE_PREDICTED ||
        (reported->evidence == DN_EVIDENCE_CALIBRATED && reported->relation != DN_RELATION_EQUAL);
    if (!counts || !dn_reported_value_covered(reported) || !dn_figure_within(reported))
        return FALSE;
    for (guint k = DN_NULL_IDLE; k <= DN_NULL_BOUND; k++) {
        DnReportedValue null = *reported;
        null.found = reported->null[k];
        if (!isnan(null.found) && dn_figure_within(&null))
            return TRUE;
    }
    return FALSE;
}

gboolean dn_figure_passed(const DnReportedValue *reported)
{
    return !dn_reported_value_covered(reported) ||
           dn_figure_within(reported) == (reported->known_cause == NULL);
}

/* Returns TRUE when the value counts in the totals: it is covered, and no duplicate. */
static gboolean figure_counts(const DnReportedValue *reported)
{
    return dn_reported_value_covered(reported) && reported->duplicate_of == NULL;
}

guint dn_agreement_missed(const DnAgreement *agreement)
{
    guint missed = 0;
    for (guint i = 0; i < agreement->values->len; i++)
        missed += !dn_figure_passed(g_ptr_array_index(agreement->values, i));
    return missed;
}

DnAgreementTotal dn_agreement_total(const DnAgreement *agreement, const char *key,
                                    DnEvidence evidence)
{
    static const double limits[] = {5, 10, 20};
    g_autofree double *errors = g_new(double, agreement->values->len + 1);
    g_autofree double *all = g_new(double, agreement->values->len + 1);
    DnAgreementTotal total = {
        .median_percent = NAN, .worst_percent = NAN, .all_median_percent = NAN};
    guint n_all = 0;
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (f->evidence != evidence || !g_str_has_prefix(f->id, key) || !figure_counts(f))
            continue;
        double error = fabs(dn_reported_value_error(f));
        if (f->relation == DN_RELATION_EQUAL)
            all[n_all++] = error;
        if (dn_figure_vacuous(f)) {
            total.vacuous++;
            continue;
        }
        if (f->relation != DN_RELATION_EQUAL) {
            total.bounds++;
            total.held += dn_reported_value_holds(f);
            continue;
        }
        for (guint k = 0; k < G_N_ELEMENTS(limits); k++)
            total.within[k] += error <= limits[k];
        errors[total.n++] = error;
    }
    if (n_all > 0)
        total.all_median_percent = dn_summary(all, n_all).median;
    if (total.n == 0)
        return total;
    DnSummary summary = dn_summary(errors, total.n);
    total.median_percent = summary.median;
    total.worst_percent = summary.max;
    return total;
}
