/* agreement_misses.c - The known misses of the agreement report: what lies beyond the measurement's
 * spread in each case, by cause. */
#include "validation/agreement_writer.h"

#include <math.h>

/* (transfer full): "-12 to +8", "+8", or "" when all are claims. */
static char *miss_errors(const DnAgreementMiss *miss)
{
    if (isnan(miss->least))
        return g_strdup("");
    g_autofree char *least = g_strdup_printf("%+.0f", miss->least);
    g_autofree char *most = g_strdup_printf("%+.0f", miss->most);
    gboolean one = g_str_equal(least, most);
    return one ? g_steal_pointer(&least) : g_strdup_printf("%s to %s", least, most);
}

void dn_agreement_misses(DnAgreementWriter *p, const DnAgreement *agreement)
{
    dn_agreement_heading(p, 2, "Known misses");
    dn_agreement_paragraph(
        p,
        "What lies beyond the measurement's own spread, or beyond 25 %, by case and cause; errors "
        "in percent. known-misses.csv has each value; it may only shrink. Those of the papers' "
        "statements stand beside them above.");
    dn_agreement_open_table(p, (const char *const[]){"case", "values", "claims that do not hold",
                                                     "errors of the others %", "cause", NULL});
    for (guint i = 0; i < agreement->cases->len; i++) {
        const DnAgreementCase *c = g_ptr_array_index(agreement->cases, i);
        for (guint k = 0; k < c->misses->len; k++) {
            const DnAgreementMiss *miss = &g_array_index(c->misses, DnAgreementMiss, k);
            g_autofree char *values = g_strdup_printf("%u", miss->n);
            g_autofree char *claims = g_strdup_printf("%u", miss->claims);
            g_autofree char *errors = miss_errors(miss);
            dn_agreement_row(p,
                             (const char *const[]){c->name, values, claims, errors, miss->cause});
        }
    }
    dn_agreement_close_table(p);
}
