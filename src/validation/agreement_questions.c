/* agreement_questions.c - The agreement report begins with the errors by kind of question: a chart
 * and a table. */
#include "stats/summary.h"
#include "validation/agreement_writer.h"

#include <math.h>

/* (transfer full): "198: 1.1 %", how many and their median |error|; "" of none. */
static char *class_cell(const DnAgreementQuestion *q, DnEvidence evidence)
{
    g_autofree double *off = g_new(double, q->errors->len + 1);
    guint n = 0;
    for (guint i = 0; i < q->errors->len; i++) {
        const DnAgreementError *e = &g_array_index(q->errors, DnAgreementError, i);
        if (e->evidence == evidence)
            off[n++] = fabs(e->error_percent);
    }
    return n > 0 ? g_strdup_printf("%u: %.1f %%", n, dn_summary(off, n).median) : g_strdup("");
}

static void question_row(DnAgreementWriter *p, const DnAgreementQuestion *q)
{
    g_autoptr(GPtrArray) names = g_ptr_array_copy(q->sources, NULL, NULL);
    g_ptr_array_set_free_func(names, NULL);
    g_ptr_array_add(names, NULL);
    g_autofree char *sources = g_strjoinv("; ", (char **)names->pdata);
    g_autofree char *calibrated = class_cell(q, DN_EVIDENCE_CALIBRATED);
    g_autofree char *developed = class_cell(q, DN_EVIDENCE_DEVELOPED);
    g_autofree char *predicted = class_cell(q, DN_EVIDENCE_PREDICTED);
    g_autofree char *vacuous = g_strdup_printf("%u", q->vacuous);
    g_autofree char *known = g_strdup_printf("%u", q->known);
    dn_agreement_row(p, (const char *const[]){q->name, sources, calibrated, developed, predicted,
                                              vacuous, known});
}

void dn_agreement_questions(DnAgreementWriter *p, const DnAgreement *agreement)
{
    g_autofree char *svg = p->html ? dn_agreement_picture(agreement) : g_strdup("");
    dn_agreement_heading(p, 2, "By kind of question");
    g_string_append(p->out, svg);
    dn_agreement_open_table(p, (const char *const[]){"question", "values from", "calibrated",
                                                     "developed", "predicted", "vacuous",
                                                     "known misses", NULL});
    for (guint i = 0; i < agreement->questions->len; i++) {
        const DnAgreementQuestion *q = g_ptr_array_index(agreement->questions, i);
        if (q->sources->len > 0)
            question_row(p, q);
    }
    dn_agreement_close_table(p);
    dn_agreement_paragraph(
        p, "A cell is the number of measured or published values and their median |error|, known "
           "misses included. The terms are explained below.");
}
