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

/* What follows "min(" or "max(". */
static gboolean formula_extreme(Reader *r, double sign, double *value)
{
    double found = NAN;
    gboolean unknown = FALSE;
    do {
        double next;
        if (!in_brackets(r, &next))
            return FALSE;
        unknown = unknown || isnan(next);
        if (isnan(found) || sign * next > sign * found)
            found = next;
    } while (formula_take(r, ','));
    *value = unknown ? NAN : found;
    return formula_take(r, ')') || formula_fail(r, "')' or ',' expected");
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
    } else if (g_str_has_prefix(r->at, "min(") || g_str_has_prefix(r->at, "max(")) {
        double which = r->at[1] == 'i' ? -1 : 1;
        r->at += strlen("min(");
        if (!formula_extreme(r, which, value))
            return FALSE;
    } else {
        char *end;
        if (!g_ascii_isdigit(*r->at))
            return formula_fail(r, "a number, '(', '{', min( or max( expected");
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
