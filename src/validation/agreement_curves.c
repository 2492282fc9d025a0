/* agreement_curves.c - Measured values and the simulated ones over what was swept, with the
 * residuals below: a figure for each series of a page of measured values.
 *
 * Both axes of the upper panel are logarithmic; where what was swept is no size, the points stand
 * side by side in their order. The residual is (simulated - measured) / measured. */
#include "base/units.h"
#include "validation/agreement_writer.h"

#include <math.h>

enum { WIDTH = 900, LEFT = 90, RIGHT = 870, TOP = 56, MIDDLE = 256, LOW = 280, BOTTOM = 370 };
enum { HEIGHT = 420, MOST_FIGURES = 12, MOST_LABELS = 9 };
#define MEASURED "#d55e00"
#define SIMULATED "#0072b2"

typedef struct {
    GPtrArray *values;       /* DnReportedValue*, by size */
    gboolean sizes;          /* each has one */
    double least, most, off; /* of both values; largest |residual|, in percent */
} Series;

static void series_free(gpointer data)
{
    Series *s = data;
    g_ptr_array_unref(s->values);
    g_free(s);
}

static gint by_size(gconstpointer a, gconstpointer b)
{
    const DnReportedValue *x = *(const DnReportedValue *const *)a,
                          *y = *(const DnReportedValue *const *)b;
    return x->x < y->x ? -1 : x->x > y->x;
}

/* (transfer full): values above 0 that have a simulated one above 0, by series. */
static GPtrArray *series_of(const DnAgreement *agreement)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(series_free);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < agreement->values->len; i++) {
        DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (f->series == NULL || !dn_reported_value_covered(f) || f->stated <= 0 || f->found <= 0)
            continue;
        Series *s = g_hash_table_lookup(known, f->series);
        if (s == NULL) {
            s = g_new0(Series, 1);
            s->values = g_ptr_array_new();
            s->sizes = TRUE;
            s->least = INFINITY;
            g_hash_table_insert(known, f->series, s);
            g_ptr_array_add(all, s);
        }
        g_ptr_array_add(s->values, f);
        s->sizes = s->sizes && f->x > 0;
        s->least = MIN(s->least, MIN(f->stated, f->found));
        s->most = MAX(s->most, MAX(f->stated, f->found));
        s->off = MAX(s->off, fabs(dn_reported_value_error(f)));
    }
    for (guint i = 0; i < all->len; i++) {
        const Series *s = g_ptr_array_index(all, i);
        if (s->sizes)
            g_ptr_array_sort(s->values, by_size);
    }
    return all;
}

/* ---- coordinates ---- */

static double x_at(const Series *s, guint i)
{
    const GPtrArray *values = s->values;
    double share = values->len > 1 ? (double)i / (values->len - 1) : 0.5;
    const DnReportedValue *first = g_ptr_array_index(values, 0),
                          *last = g_ptr_array_index(values, values->len - 1);
    if (s->sizes && last->x > first->x)
        share = log(((const DnReportedValue *)g_ptr_array_index(values, i))->x / first->x) /
                log(last->x / first->x);
    return LEFT + 20 + share * (RIGHT - LEFT - 40);
}

static double y_at(const Series *s, double value)
{
    double low = log(s->least / 1.1), high = log(s->most * 1.1);
    return MIDDLE - (log(value) - low) / (high - low) * (MIDDLE - TOP);
}

/* Percent; the lower panel reaches as far as the largest residual, and to 1 % at least. */
static double residual_at(const Series *s, double percent)
{
    return (LOW + BOTTOM) / 2.0 - percent / MAX(1, s->off * 1.1) * (BOTTOM - LOW) / 2.0;
}

/* ---- drawing ---- */

static void add_text(GString *out, double x, double y, const char *anchor, const char *words)
{
    g_autofree char *safe = g_markup_escape_text(words, -1);
    g_string_append_printf(out,
                           "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"currentColor\" "
                           "font-size=\"13\">%s</text>\n",
                           x, y, anchor, safe);
}

static void add_rule(GString *out, double x1, double y1, double x2, double y2, const char *opacity)
{
    g_string_append_printf(out,
                           "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                           "stroke=\"currentColor\" stroke-opacity=\"%s\"/>\n",
                           x1, y1, x2, y2, opacity);
}

/* Ticks at 1, 2 and 5 times a power of ten, fewer where they would stand too near. */
static void add_y_axis(GString *out, const Series *s)
{
    static const double steps[] = {1, 2, 5};
    double before = INFINITY;
    for (int decade = (int)floor(log10(s->least / 1.1)); decade <= log10(s->most * 1.1); decade++)
        for (guint k = 0; k < G_N_ELEMENTS(steps); k++) {
            double value = steps[k] * pow(10, decade), y = y_at(s, value);
            if (y > MIDDLE || y < TOP || before - y < 22)
                continue;
            before = y;
            add_rule(out, LEFT, y, RIGHT, y, "0.2");
            g_autofree char *label = g_strdup_printf("%g", value);
            add_text(out, LEFT - 8, y + 4, "end", label);
        }
    for (int sign = -1; sign <= 1; sign++) {
        double percent = sign * MAX(1, s->off);
        g_autofree char *label = g_strdup_printf(sign == 0 ? "%.0f %%" : "%+.2g %%", percent);
        add_rule(out, LEFT, residual_at(s, percent), RIGHT, residual_at(s, percent),
                 sign == 0 ? "0.8" : "0.2");
        add_text(out, LEFT - 8, residual_at(s, percent) + 4, "end", label);
    }
}

static void add_x_axis(GString *out, const Series *s)
{
    char size[DN_UNIT_BUF];
    double before = -INFINITY;
    double apart = (RIGHT - LEFT - 40.0) / MOST_LABELS;
    for (guint i = 0; i < s->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(s->values, i);
        double x = x_at(s, i);
        if (x - before < apart)
            continue;
        before = x;
        g_autofree char *number = g_strdup_printf("%u", i + 1);
        add_rule(out, x, BOTTOM, x, BOTTOM + 5, "0.8");
        add_text(out, x, BOTTOM + 20, "middle",
                 s->sizes ? dn_format_bytes((gint64)f->x, size) : number);
    }
    add_text(out, (LEFT + RIGHT) / 2.0, HEIGHT - 8, "middle",
             s->sizes ? "size" : "points in the order of the table");
}

static void add_curve(GString *out, const Series *s, gboolean measured)
{
    const char *colour = measured ? MEASURED : SIMULATED;
    g_string_append_printf(out,
                           "<polyline fill=\"none\" stroke=\"%s\" stroke-opacity=\"%s\" points=\"",
                           colour, s->sizes ? "1" : "0");
    for (guint i = 0; i < s->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(s->values, i);
        g_string_append_printf(out, "%s%.1f,%.1f", i > 0 ? " " : "", x_at(s, i),
                               y_at(s, measured ? f->stated : f->found));
    }
    g_string_append(out, "\"/>\n");
    for (guint i = 0; i < s->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(s->values, i);
        g_string_append_printf(
            out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\" stroke=\"%s\"/>\n",
            x_at(s, i), y_at(s, measured ? f->stated : f->found), measured ? "5" : "3",
            measured ? "none" : colour, colour);
    }
}

static void add_residuals(GString *out, const Series *s)
{
    for (guint i = 0; i < s->values->len; i++) {
        double percent = dn_reported_value_error(g_ptr_array_index(s->values, i));
        double x = x_at(s, i), y = residual_at(s, percent);
        g_string_append_printf(out,
                               "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                               "stroke=\"" SIMULATED "\" stroke-width=\"2\"/>\n"
                               "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"" SIMULATED "\"/>\n",
                               x, residual_at(s, 0), x, y, x, y);
    }
}

static void add_series(GString *out, const Series *s)
{
    const DnReportedValue *f = g_ptr_array_index(s->values, 0);
    g_autofree char *safe = g_markup_escape_text(f->series, -1);
    g_string_append_printf(out,
                           "<figure role=\"img\" aria-label=\"Measured and simulated: %s\">"
                           "<svg viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n",
                           safe, WIDTH, HEIGHT);
    g_string_append(out,
                    "<circle cx=\"96\" cy=\"16\" r=\"5\" fill=\"none\" stroke=\"" MEASURED "\"/>\n"
                    "<circle cx=\"206\" cy=\"16\" r=\"3\" fill=\"" SIMULATED "\"/>\n");
    add_text(out, 108, 21, "start", "measured");
    add_text(out, 218, 21, "start", "simulated");
    add_text(out, LEFT, TOP - 12, "start", *f->unit != '\0' ? f->unit : "value");
    add_y_axis(out, s);
    add_x_axis(out, s);
    add_curve(out, s, TRUE);
    add_curve(out, s, FALSE);
    add_residuals(out, s);
    g_string_append_printf(
        out,
        "</svg><figcaption>%s; below, the residuals: how far the simulated value "
        "is from the measured one.</figcaption></figure>\n",
        safe);
}

char *dn_agreement_curves(const DnAgreement *agreement)
{
    g_autoptr(GPtrArray) all = series_of(agreement);
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < MIN(all->len, MOST_FIGURES); i++)
        add_series(out, g_ptr_array_index(all, i));
    if (all->len > MOST_FIGURES)
        g_string_append_printf(out, "<p>%u more series stand in the table only.</p>\n",
                               all->len - MOST_FIGURES);
    return g_string_free(out, FALSE);
}
