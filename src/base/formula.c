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

static gboolean sum(Reader *r, double *value);

static gboolean fail(Reader *r, const char *what)
{
    g_set_error(r->error, DN_ERROR, DN_ERROR_SYNTAX, "column %ld: %s", (long)(r->at - r->text) + 1,
                what);
    return FALSE;
}

static gboolean take(Reader *r, char c)
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
        return fail(r, "too many brackets in brackets");
    if (!sum(r, value))
        return FALSE;
    r->depth--;
    return TRUE;
}

/* What follows "min(" or "max(". */
static gboolean extreme(Reader *r, double sign, double *value)
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
    } while (take(r, ','));
    *value = unknown ? NAN : found;
    return take(r, ')') || fail(r, "')' or ',' expected");
}

static gboolean named(Reader *r, double *value)
{
    const char *end = strchr(r->at, '}');
    if (end == NULL)
        return fail(r, "'}' is missing");
    g_autofree char *name = g_strndup(r->at, (gsize)(end - r->at));
    g_strstrip(name);
    r->at = end + 1;
    return r->look_up(r->data, name, value, r->error);
}

static gboolean factor(Reader *r, double *value)
{
    double sign = 1;
    while (take(r, '-'))
        sign = -sign;
    if (take(r, '(')) {
        if (!in_brackets(r, value) || !(take(r, ')') || fail(r, "')' expected")))
            return FALSE;
    } else if (take(r, '{')) {
        if (!named(r, value))
            return FALSE;
    } else if (g_str_has_prefix(r->at, "min(") || g_str_has_prefix(r->at, "max(")) {
        double which = r->at[1] == 'i' ? -1 : 1;
        r->at += strlen("min(");
        if (!extreme(r, which, value))
            return FALSE;
    } else {
        char *end;
        if (!g_ascii_isdigit(*r->at))
            return fail(r, "a number, '(', '{', min( or max( expected");
        *value = g_ascii_strtod(r->at, &end);
        r->at = end;
    }
    *value *= sign;
    return TRUE;
}

static gboolean product(Reader *r, double *value)
{
    if (!factor(r, value))
        return FALSE;
    for (;;) {
        gboolean times = take(r, '*');
        double next;
        if (!times && !take(r, '/'))
            return TRUE;
        if (!factor(r, &next))
            return FALSE;
        *value = times ? *value * next : *value / next;
    }
}

static gboolean sum(Reader *r, double *value)
{
    if (!product(r, value))
        return FALSE;
    for (;;) {
        gboolean plus = take(r, '+');
        double next;
        if (!plus && !take(r, '-'))
            return TRUE;
        if (!product(r, &next))
            return FALSE;
        *value = plus ? *value + next : *value - next;
    }
}

gboolean dn_formula(const char *text, DnFormulaLookup look_up, void *data, double *value,
                    GError **error)
{
    Reader r = {.text = text, .at = text, .look_up = look_up, .data = data, .error = error};
    if (!sum(&r, value))
        return FALSE;
    return take(&r, '\0') || fail(&r, "+, -, * or / expected");
}
