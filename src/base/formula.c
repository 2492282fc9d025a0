/* formula.c - a recursive descent that computes as it reads. */
#include "base/formula.h"
#include <math.h>
#include <string.h>

#define DEEPEST 64 /* brackets in brackets */

typedef struct {
    const char *text, *at;
    guint depth;
    DnFormulaLookup look_up;
    void *data;
    GError **error;
} Reader;

static gboolean formula_sum(Reader *r, double *value);

static gboolean formula_fail(Reader *r, const char *what)
{
    g_set_error(r->error, DN_ERROR, DN_ERROR_SYNTAX, "column %ld: %s", (long)(r->at - r->text) + 1,
                what);
    return FALSE;
}

static gboolean formula_take(Reader *r, char c)
{
    while (*r->at == ' ')
        r->at++;
    if (*r->at != c)
        return FALSE;
    r->at++;
    return TRUE;
}

static gboolean in_brackets(Reader *r, double *value)
{
    if (++r->depth > DEEPEST)
        return formula_fail(r, "too many brackets in brackets");
    if (!formula_sum(r, value))
        return FALSE;
    r->depth--;
    return TRUE;
}

static double formula_extreme(const double *values, guint n, double sign)
{
    double found = values[0];
    for (guint i = 0; i < n; i++) {
        if (isnan(values[i]))
            return NAN;
        if (sign * values[i] > sign * found)
            found = values[i];
    }
    return found;
}

static double formula_min(const double *values, guint n)
{
    return formula_extreme(values, n, -1);
}

static double formula_max(const double *values, guint n)
{
    return formula_extreme(values, n, 1);
}

static double formula_log10(const double *values, guint n)
{
    (void)n;
    return values[0] > 0 ? log10(values[0]) : NAN;
}

static double formula_above(const double *values, guint n)
{
    (void)n;
    if (isnan(values[0]) || isnan(values[1]))
        return NAN;
    return values[0] > values[1] ? values[2] : values[3];
}

static const struct {
    const char *begins;
    guint arguments; /* 0: any number */
    double (*value)(const double *values, guint n);
} formula_functions[] = {{"min(", 0, formula_min},
                         {"max(", 0, formula_max},
                         {"log10(", 1, formula_log10},
                         {"above(", 4, formula_above}};

/* Reads the arguments of a function, after its opening bracket. */
static gboolean formula_call(Reader *r, guint function, double *value)
{
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
    r->at += strlen(formula_functions[function].begins);
    do {
        double next;
        if (!in_brackets(r, &next))
            return FALSE;
        g_array_append_val(values, next);
    } while (formula_take(r, ','));
    if (!formula_take(r, ')'))
        return formula_fail(r, "')' or ',' expected");
    guint arguments = formula_functions[function].arguments;
    if (arguments > 0 && values->len != arguments)
        return formula_fail(r, "log10 has one argument, above has four");
    *value = formula_functions[function].value((const double *)(gpointer)values->data, values->len);
    return TRUE;
}

/* The function that begins here; as many as there are: none does. */
static guint formula_function(const Reader *r)
{
    guint f = 0;
    while (f < G_N_ELEMENTS(formula_functions) &&
           !g_str_has_prefix(r->at, formula_functions[f].begins))
        f++;
    return f;
}

static gboolean formula_named(Reader *r, double *value)
{
    const char *end = strchr(r->at, '}');
    if (end == NULL)
        return formula_fail(r, "'}' is missing");
    g_autofree char *name = g_strndup(r->at, (gsize)(end - r->at));
    g_strstrip(name);
    r->at = end + 1;
    return r->look_up(r->data, name, value, r->error);
}

static gboolean formula_factor(Reader *r, double *value)
{
    double sign = 1;
    while (formula_take(r, '-'))
        sign = -sign;
    if (formula_take(r, '(')) {
        if (!in_brackets(r, value) || !(formula_take(r, ')') || formula_fail(r, "')' expected")))
            return FALSE;
    } else if (formula_take(r, '{')) {
        if (!formula_named(r, value))
            return FALSE;
    } else if (formula_function(r) < G_N_ELEMENTS(formula_functions)) {
        if (!formula_call(r, formula_function(r), value))
            return FALSE;
    } else {
        char *end;
        if (!g_ascii_isdigit(*r->at))
            return formula_fail(r, "a number, '(', '{', min(, max(, log10( or above( expected");
        *value = g_ascii_strtod(r->at, &end);
        r->at = end;
    }
    *value *= sign;
    return TRUE;
}

static gboolean formula_product(Reader *r, double *value)
{
    if (!formula_factor(r, value))
        return FALSE;
    for (;;) {
        gboolean times = formula_take(r, '*');
        double next;
        if (!times && !formula_take(r, '/'))
            return TRUE;
        if (!formula_factor(r, &next))
            return FALSE;
        *value = times ? *value * next : *value / next;
    }
}

static gboolean formula_sum(Reader *r, double *value)
{
    if (!formula_product(r, value))
        return FALSE;
    for (;;) {
        gboolean plus = formula_take(r, '+');
        double next;
        if (!plus && !formula_take(r, '-'))
            return TRUE;
        if (!formula_product(r, &next))
            return FALSE;
        *value = plus ? *value + next : *value - next;
    }
}

gboolean dn_formula(const char *text, DnFormulaLookup look_up, void *data, double *value,
                    GError **error)
{
    Reader r = {.text = text, .at = text, .look_up = look_up, .data = data, .error = error};
    if (!formula_sum(&r, value))
        return FALSE;
    return formula_take(&r, '\0') || formula_fail(&r, "+, -, * or / expected");
}
