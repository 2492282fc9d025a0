/* agreement_picture.c - The picture shows every error of the agreement report as a dot, in a line
 * for each paper.
 *
 * The axis is log10(1 + |error| / 1 %) to either side, so that 1 % and 100 % are both visible;
 * errors beyond MOST are drawn at its end. Dots of a line are spread over its height by their
 * order. */
#include "validation/agreement.h"
#include <math.h>

enum { WIDTH = 900, LEFT = 60, RIGHT = 20, TOP = 40, LINE = 44, FOOT = 46, SPREAD = 5, MIDDLE = 2 };
#define MOST 300.0

/* Distinct for colour-blind readers, too (Okabe & Ito). */
static const struct {
    DnEvidence evidence;
    const char *colour;
} shown[] = {
    {DN_EVIDENCE_CALIBRATED, "#e69f00"},
    {DN_EVIDENCE_DEVELOPED, "#cc79a7"},
    {DN_EVIDENCE_PREDICTED, "#0072b2"},
    {DN_EVIDENCE_OBSERVED, "#d55e00"},
};

static double x_of(double error)
{
    double middle = (LEFT + WIDTH - RIGHT) / 2.0, half = (WIDTH - RIGHT - LEFT) / 2.0 - 10.0;
    double share = log10(1 + MIN(fabs(error), MOST)) / log10(1 + MOST);
    return middle + (error < 0 ? -half : half) * share;
}

static void add_axis(GString *out, const DnAgreement *agreement, double bottom)
{
    static const double marks[] = {-100, -20, -5, 0, 5, 20, 100};
    for (guint i = 0; i < G_N_ELEMENTS(marks); i++) {
        double x = x_of(marks[i]);
        g_string_append_printf(out,
                               "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" "
                               "stroke=\"currentColor\" stroke-opacity=\"%s\"/>\n"
                               "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
                               "fill=\"currentColor\" font-size=\"13\">%s%.0f %%</text>\n",
                               x, TOP, x, bottom, marks[i] == 0 ? "0.8" : "0.25", x, bottom + 18,
                               marks[i] > 0 ? "+" : "", marks[i]);
    }
    g_string_append_printf(
        out,
        "<text x=\"%d\" y=\"%.1f\" fill=\"currentColor\" font-size=\"13\">Darner "
        "against the %s value</text>\n",
        LEFT, bottom + 36, agreement->title != NULL ? "measured" : "stated");
}

static void add_legend(GString *out)
{
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
        g_string_append_printf(out,
                               "<circle cx=\"%u\" cy=\"18\" r=\"5\" fill=\"%s\"/>\n"
                               "<text x=\"%u\" y=\"23\" fill=\"currentColor\" "
                               "font-size=\"14\">%s</text>\n",
                               LEFT + 140 * i, shown[i].colour, LEFT + 140 * i + 10,
                               dn_evidence_names[shown[i].evidence]);
}

static const char *colour_of(const DnReportedValue *f)
{
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
        if (shown[i].evidence == f->evidence)
            return shown[i].colour;
    return NULL;
}

static void add_line(GString *out, const DnAgreement *agreement, const DnPaper *paper, double y)
{
    guint n = 0;
    g_autofree char *key = g_markup_escape_text(paper->key, -1);
    g_string_append_printf(out,
                           "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"currentColor\" "
                           "font-size=\"14\">%s</text>\n",
                           LEFT - 12, y + 5, key);
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        const char *colour = colour_of(f);
        if (colour == NULL || f->relation != DN_RELATION_EQUAL || !dn_reported_value_covered(f) ||
            !g_str_has_prefix(f->id, paper->key))
            continue;
        double error = dn_reported_value_error(f);
        g_autofree char *id = g_markup_escape_text(f->id, -1);
        g_string_append_printf(out,
                               "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" "
                               "fill-opacity=\"0.75\"><title>%s: %+.1f %%</title></circle>\n",
                               x_of(error), y + 7 * ((int)(n++ % SPREAD) - MIDDLE), colour, id,
                               error);
    }
}

char *dn_agreement_picture(const DnAgreement *agreement)
{
    double bottom = TOP + (double)LINE * agreement->papers->len;
    GString *out = g_string_new(NULL);
    g_string_append_printf(
        out,
        "<figure role=\"img\" aria-label=\"Errors of all simulated numbers, by paper\">"
        "<svg viewBox=\"0 0 %d %.0f\" "
        "font-family=\"sans-serif\">\n",
        WIDTH, bottom + FOOT);
    add_legend(out);
    add_axis(out, agreement, bottom);
    for (guint i = 0; i < agreement->papers->len; i++)
        add_line(out, agreement, g_ptr_array_index(agreement->papers, i), TOP + LINE * (i + 0.5));
    g_string_append(out, "</svg><figcaption>Each simulated number, by how far it is off; dots at "
                         "either end are further off than "
                         "300 %.</figcaption></figure>\n");
    return g_string_free(out, FALSE);
}
