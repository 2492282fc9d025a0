/* agreement_picture.c - The picture shows every error of the agreement report as a dot, in a row
 * for each kind of question.
 *
 * The axis is log10(1 + |error| / 1 %) to either side, so that 1 % and 100 % are both visible;
 * errors beyond MOST are drawn at its end. Dots of a row are spread over its height by their
 * order. */
#include "validation/agreement.h"
#include <math.h>
#include <string.h>

enum {
    WIDTH = 900,
    LEFT = 205,
    RIGHT = 20,
    TOP = 40,
    LINE = 60,
    FOOT = 46,
    SPREAD = 11,
    MIDDLE = 5
};
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
        LEFT, bottom + 36, agreement->title != NULL ? "measured" : "measured or published");
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

static const char *colour_of(DnEvidence evidence)
{
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++)
        if (shown[i].evidence == evidence)
            return shown[i].colour;
    return NULL;
}

/* Browsers show a title where the mouse rests on the dot. */
static void add_dot(GString *out, const DnAgreementError *e, const char *colour, double y)
{
    g_autofree char *title = g_markup_printf_escaped("%s%s%+.1f %%, %s", e->what ? e->what : "",
                                                     e->what ? ": " : "", e->error_percent,
                                                     dn_evidence_names[e->evidence]);
    g_string_append_printf(out,
                           "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" "
                           "fill-opacity=\"0.6\"><title>%s</title></circle>\n",
                           x_of(e->error_percent), y, colour, title);
}

/* @label stands left of the row. */
static void add_row(GString *out, const char *label, const GArray *errors, double y)
{
    g_autofree char *safe = g_markup_escape_text(label, -1);
    g_string_append_printf(out,
                           "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"currentColor\" "
                           "font-size=\"14\">%s</text>\n",
                           LEFT - 12, y + 5, safe);
    for (guint i = 0; i < errors->len; i++) {
        const DnAgreementError *e = &g_array_index(errors, DnAgreementError, i);
        const char *colour = colour_of(e->evidence);
        if (colour != NULL)
            add_dot(out, e, colour, y + 4 * ((int)(i % SPREAD) - MIDDLE));
    }
}

/* Returns all errors of a page of measured values, in one row. Their names belong to @agreement. */
static GArray *own_errors(const DnAgreement *agreement)
{
    GArray *errors = g_array_new(FALSE, FALSE, sizeof(DnAgreementError));
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        const DnAgreementError off = {f->evidence, dn_reported_value_error(f), f->id};
        if (f->relation == DN_RELATION_EQUAL && dn_reported_value_covered(f))
            g_array_append_val(errors, off);
    }
    return errors;
}

/* "latency" of "latency: messages below 64 KiB". */
static char *row_label(const DnAgreementQuestion *q)
{
    return g_strndup(q->name, strcspn(q->name, ":"));
}

char *dn_agreement_picture(const DnAgreement *agreement)
{
    gboolean own = agreement->title != NULL;
    guint rows = own, at = 0;
    for (guint i = 0; i < agreement->questions->len; i++)
        rows +=
            ((const DnAgreementQuestion *)g_ptr_array_index(agreement->questions, i))->errors->len >
            0;
    if (rows == 0)
        return g_strdup("");
    double bottom = TOP + (double)LINE * rows;
    GString *out = g_string_new(NULL);
    g_string_append_printf(out,
                           "<figure role=\"img\" aria-label=\"Errors of all compared values%s\">"
                           "<svg viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\">\n",
                           own ? "" : ", by kind of question", WIDTH, bottom + FOOT);
    add_legend(out);
    add_axis(out, agreement, bottom);
    g_autoptr(GArray) errors = own_errors(agreement);
    if (own)
        add_row(out, "all", errors, TOP + LINE * 0.5);
    for (guint i = 0; i < agreement->questions->len; i++) {
        const DnAgreementQuestion *q = g_ptr_array_index(agreement->questions, i);
        g_autofree char *label = row_label(q);
        if (q->errors->len > 0)
            add_row(out, label, q->errors, TOP + LINE * (at++ + 0.5));
    }
    g_string_append(out, "</svg><figcaption>Each compared value, by how far the simulated one is "
                         "off; dots at either end are further off than "
                         "300 %.</figcaption></figure>\n");
    return g_string_free(out, FALSE);
}
