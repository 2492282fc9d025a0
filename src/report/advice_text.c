/* advice_text.c - The changes that an explanation tried, in words. */
#include "base/units.h"
#include "report/explanation_report.h"

/* The line of advice number @number. */
static void advice_line(const DnExplanation *x, const DnAdvice *a, guint number, GString *out)
{
    gint64 whole_ps = dn_explained_ps(x);
    char most[DN_UNIT_BUF], then[DN_UNIT_BUF];
    /* A queue costs more than its wait: without it packets meet others at other times. */
    gint64 saved_ps = a->rerun_ps < 0 ? 0 : whole_ps - a->rerun_ps;
    gboolean beyond = saved_ps > a->most_ps;
    g_string_append_printf(out, "%u. %s %s %.1f %% (%s of the path)", number, a->what,
                           beyond ? "has a share of" : "would help at most",
                           dn_explained_percent(a->most_ps, whole_ps),
                           dn_format_time(a->most_ps, most));
    if (a->rerun_ps < 0) {
        g_string_append(out, "; not simulated.\n");
        return;
    }
    g_string_append_printf(
        out, "; simulated so, the iteration takes %s, %.1f %% less.%s\n",
        dn_format_time(a->rerun_ps, then), dn_explained_percent(saved_ps, whole_ps),
        beyond ? " More than its share: its packets then meet others at other times, or fewer of "
                 "them."
               : "");
}

/* Changes that make the iteration slower are no advice: they are listed apart, with the reason. */
void dn_advice_text(const DnExplanation *x, GString *out)
{
    gint64 whole_ps = dn_explained_ps(x);
    char then[DN_UNIT_BUF];
    guint shown = 0;
    for (guint i = 0; i < x->advice->len; i++) {
        const DnAdvice *a = &g_array_index(x->advice, DnAdvice, i);
        if (a->rerun_ps > whole_ps)
            continue;
        if (shown == 0)
            g_string_append(out, "\nwhat to change first (a limit that is raised is removed)\n");
        advice_line(x, a, ++shown, out);
    }
    for (guint i = 0, slower = 0; i < x->advice->len; i++) {
        const DnAdvice *a = &g_array_index(x->advice, DnAdvice, i);
        if (a->rerun_ps <= whole_ps)
            continue;
        if (slower++ == 0)
            g_string_append(out, "\nwhat makes it slower, as other traffic speeds up as well, or "
                                 "packets meet others\n");
        g_string_append_printf(out, "- %s: simulated so, the iteration takes %s, %.1f %% more.\n",
                               a->what, dn_format_time(a->rerun_ps, then),
                               dn_explained_percent(a->rerun_ps - whole_ps, whole_ps));
    }
}
