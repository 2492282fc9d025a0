/* explanation_report.h - The explanation as text, as explain.json and as delay_attribution.csv. */
#pragma once
#include "experiment/explanation.h"

/* Returns the share of @whole_ps that @part_ps is, in percent. */
static inline double dn_explained_percent(gint64 part_ps, gint64 whole_ps)
{
    return whole_ps > 0 ? 100.0 * (double)part_ps / (double)whole_ps : 0.0;
}

/* (transfer full). @top: rows of a table of waits. */
char *dn_explain_text(const DnExplanation *x, guint top);
/* Appends the changes that were tried to @out: what shortens the iteration in the order of what it
 * saves, apart from what makes it longer. */
void dn_advice_text(const DnExplanation *x, GString *out);
/* explain.json and delay_attribution.csv in @folder. */
gboolean dn_explain_write(const DnExplanation *x, const char *folder, GError **error);
