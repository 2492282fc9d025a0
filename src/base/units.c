/* units.c - see units.h.
 *
 * One table a dimension, read both ways: parsing matches a name, formatting walks up the rows.
 * b is bit and B is byte: sizes take bytes only, rates either; names are case-sensitive, because
 * Mb and MB differ by eight. LIMITATIONS: values pass through a double: exact up to 2^53 (9007 s in
 * ps, 8 PiB). */
#include "base/units.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    double scale;     /* base units in one of these */
    gboolean synonym; /* read, but never listed or printed */
} Unit;

#define KI 1024.0
#define MI (KI * 1024.0)
#define GI (MI * 1024.0)
#define TI (GI * 1024.0)

static const Unit TIME[] = {
    {"ps", 1, FALSE},         {"ns", 1e3, FALSE},       {"us", 1e6, FALSE},
    {"\302\265s", 1e6, TRUE}, {"\316\274s", 1e6, TRUE}, /* micro sign, Greek mu */
    {"ms", 1e9, FALSE},       {"s", 1e12, FALSE},       {NULL, 0, FALSE},
};
static const Unit BYTES[] = {
    {"B", 1, FALSE},     {"kB", 1e3, FALSE}, {"MB", 1e6, FALSE}, {"GB", 1e9, FALSE},
    {"TB", 1e12, FALSE}, {"KiB", KI, FALSE}, {"MiB", MI, FALSE}, {"GiB", GI, FALSE},
    {"TiB", TI, FALSE},  {NULL, 0, FALSE},
};
static const Unit RATE[] = {
    {"b/s", 1, FALSE},        {"kb/s", 1e3, FALSE},     {"Mb/s", 1e6, FALSE},
    {"Gb/s", 1e9, FALSE},     {"Tb/s", 1e12, FALSE},    {"B/s", 8, FALSE},
    {"kB/s", 8e3, FALSE},     {"MB/s", 8e6, FALSE},     {"GB/s", 8e9, FALSE},
    {"TB/s", 8e12, FALSE},    {"KiB/s", 8 * KI, FALSE}, {"MiB/s", 8 * MI, FALSE},
    {"GiB/s", 8 * GI, FALSE}, {"TiB/s", 8 * TI, FALSE}, {"Kib/s", KI, FALSE},
    {"Mib/s", MI, FALSE},     {"Gib/s", GI, FALSE},     {"Tib/s", TI, FALSE},
    {"bit/s", 1, TRUE},       {"kbit/s", 1e3, TRUE},    {"Mbit/s", 1e6, TRUE},
    {"Gbit/s", 1e9, TRUE},    {"Tbit/s", 1e12, TRUE},   {NULL, 0, FALSE},
};
static const Unit LENGTH[] = {
    {"mm", 1e-3, FALSE}, {"cm", 1e-2, FALSE}, {"m", 1, FALSE}, {"km", 1e3, FALSE}, {NULL, 0, FALSE},
};
static const Unit PER_SECOND[] = {
    {"/s", 1, FALSE},    {"k/s", 1e3, FALSE},  {"M/s", 1e6, FALSE},
    {"G/s", 1e9, FALSE}, {"T/s", 1e12, FALSE}, {NULL, 0, FALSE},
};
static const Unit PERCENT[] = {{"%", 0.01, FALSE}, {NULL, 0, FALSE}};

static const struct {
    const char *what;
    const Unit *units;
} DIMENSIONS[] = {
    [DN_UNIT_NONE] = {"a plain number", PERCENT},
    [DN_UNIT_TIME] = {"a time", TIME},
    [DN_UNIT_BYTES] = {"a size", BYTES},
    [DN_UNIT_RATE] = {"a rate", RATE},
    [DN_UNIT_LENGTH] = {"a length", LENGTH},
    [DN_UNIT_PER_SECOND] = {"a frequency", PER_SECOND},
};

static const Unit *find_unit(const Unit *units, const char *name)
{
    for (; units->name != NULL; units++)
        if (strcmp(units->name, name) == 0)
            return units;
    return NULL;
}

gboolean dn_unit_find(const char *name, DnUnit *unit, double *scale)
{
    for (guint i = 0; i < G_N_ELEMENTS(DIMENSIONS); i++) {
        const Unit *found = find_unit(DIMENSIONS[i].units, name);
        if (found == NULL)
            continue;
        *unit = (DnUnit)i;
        *scale = found->scale;
        return TRUE;
    }
    return FALSE;
}

/* "b/s, kb/s, ..." of what is taught; synonyms are only understood. */
static char *list_units(const Unit *units)
{
    GString *out = g_string_new(NULL);
    for (; units->name != NULL; units++)
        if (!units->synonym)
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", units->name);
    return g_string_free(out, FALSE);
}

/* "Gb/s" of Gbps and Gb/sec; others stay as they are. */
static char *usual_spelling(const char *name)
{
    static const char *const ends[] = {"ps", "/sec", NULL};
    gsize length = strlen(name);
    for (guint i = 0; ends[i] != NULL; i++) {
        gsize end = strlen(ends[i]);
        if (length > end && g_ascii_strcasecmp(name + length - end, ends[i]) == 0)
            return g_strdup_printf("%.*s/s", (int)(length - end), name);
    }
    return g_strdup(name);
}

/* "; did you mean 'MiB'? allowed" for Mib, else "; allowed". Bits stay bits where both exist. */
static char *other_spelling(const Unit *units, const char *given)
{
    const char *nearest = NULL;
    g_autofree char *name = usual_spelling(given);
    gboolean bits = strchr(name, 'b') != NULL;
    for (; units->name != NULL; units++)
        if (g_ascii_strcasecmp(units->name, name) == 0 &&
            (nearest == NULL || bits == (strchr(units->name, 'b') != NULL)))
            nearest = units->name;
    return nearest != NULL ? g_strdup_printf("; did you mean '%s'? allowed", nearest)
                           : g_strdup("; allowed");
}

static gboolean unit_error(const char *text, const char *name, DnUnit unit, GError **error)
{
    g_autofree char *shown = dn_quote(text);
    if (unit == DN_UNIT_NONE) {
        g_set_error(error, DN_ERROR, DN_ERROR_UNIT, "%s: a plain number is wanted, without a unit",
                    shown);
        return FALSE;
    }
    g_autofree char *allowed = list_units(DIMENSIONS[unit].units);
    if (name[0] == '\0') {
        g_set_error(error, DN_ERROR, DN_ERROR_UNIT, "%s has no unit: %s is wanted; allowed: %s",
                    shown, DIMENSIONS[unit].what, allowed);
        return FALSE;
    }
    g_autofree char *bad = dn_quote(name);
    g_autofree char *hint = other_spelling(DIMENSIONS[unit].units, name);
    const char *other = NULL;
    for (guint i = DN_UNIT_TIME; i < G_N_ELEMENTS(DIMENSIONS); i++)
        if (i != (guint)unit && find_unit(DIMENSIONS[i].units, name) != NULL)
            other = DIMENSIONS[i].what;
    if (other != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_UNIT, "%s is %s where %s is wanted; allowed: %s",
                    shown, other, DIMENSIONS[unit].what, allowed);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_UNIT, "unknown unit %s in %s for %s%s: %s", bad,
                    shown, DIMENSIONS[unit].what, hint, allowed);
    return FALSE;
}

/* Decimal only: g_ascii_strtod() alone would take "inf", "nan" and "0x1p3". */
static gboolean read_number(const char *text, double *number, const char **rest)
{
    const char *p = text;
    if (*p == '+' || *p == '-')
        p++;
    if (!g_ascii_isdigit(*p) && !(*p == '.' && g_ascii_isdigit(p[1])))
        return FALSE;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return FALSE;
    char *end = NULL;
    *number = g_ascii_strtod(text, &end);
    *rest = end;
    return TRUE;
}

/* "0", "-0.00e5 s": no other digit before the exponent. */
static gboolean is_zero(const char *number)
{
    return strcspn(number, "123456789") >= strcspn(number, "eE");
}

gboolean dn_unit_parse(const char *text, DnUnit unit, double *value, GError **error)
{
    g_assert(text != NULL && value != NULL && (guint)unit < G_N_ELEMENTS(DIMENSIONS));
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    const char *rest = NULL;
    double number = 0;
    if (!read_number(trimmed, &number, &rest)) {
        g_autofree char *shown = dn_quote(text);
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s is not a number%s", shown,
                    unit == DN_UNIT_NONE ? "" : " with a unit");
        return FALSE;
    }
    while (*rest == ' ')
        rest++;
    const Unit *found = find_unit(DIMENSIONS[unit].units, rest);
    double scale = found != NULL ? found->scale : 1;
    if (found == NULL && (rest[0] != '\0' || (unit != DN_UNIT_NONE && number != 0)))
        return unit_error(trimmed, rest, unit, error);
    *value = number * scale;
    if (number == 0 && !is_zero(trimmed)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "'%s' is too small", trimmed);
        return FALSE;
    }
    if (!isfinite(*value)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "'%s' is too large", trimmed);
        return FALSE;
    }
    return TRUE;
}

/* Four significant digits, trailing zeros gone; whole numbers in full where no larger unit is. */
static void print_mantissa(char *digits, gsize size, double x)
{
    g_ascii_formatd(digits, (gint)size, fabs(x) >= 1000 ? "%.0f" : "%.4g", x);
}

static const char *units_format(double x, const Unit *const *ladder, char *buf)
{
    char digits[DN_UNIT_BUF];
    const Unit *const *step = ladder;
    while (step[1] != NULL) {
        /* The printed digits decide on the unit: 999.96 ns rounds to 1000 and so becomes 1 us. */
        print_mantissa(digits, sizeof digits, x / step[0]->scale);
        if (fabs(g_ascii_strtod(digits, NULL)) < step[1]->scale / step[0]->scale)
            break;
        step++;
    }
    print_mantissa(digits, sizeof digits, x / step[0]->scale);
    if (fabs(x / step[0]->scale) >= 1e15)
        g_ascii_formatd(digits, sizeof digits, "%.4g", x / step[0]->scale);
    g_snprintf(buf, DN_UNIT_BUF, "%s %s", digits, step[0]->name);
    return buf;
}

const char *dn_format_time(gint64 ps, char buf[DN_UNIT_BUF])
{
    static const Unit *const LADDER[] = {&TIME[0], &TIME[1], &TIME[2], &TIME[5], &TIME[6], NULL};
    if (ps == 0)
        return g_strlcpy(buf, "0 s", DN_UNIT_BUF), buf;
    return units_format((double)ps, LADDER, buf);
}

const char *dn_format_bytes(gint64 bytes, char buf[DN_UNIT_BUF])
{
    static const Unit *const LADDER[] = {&BYTES[0], &BYTES[5], &BYTES[6],
                                         &BYTES[7], &BYTES[8], NULL};
    return units_format((double)bytes, LADDER, buf);
}

const char *dn_format_rate(double bps, char buf[DN_UNIT_BUF])
{
    static const Unit *const LADDER[] = {&RATE[0], &RATE[1], &RATE[2], &RATE[3], &RATE[4], NULL};
    return units_format(bps, LADDER, buf);
}

const char *dn_format_length(double m, char buf[DN_UNIT_BUF])
{
    static const Unit *const LADDER[] = {&LENGTH[0], &LENGTH[1], &LENGTH[2], &LENGTH[3], NULL};
    if (m == 0)
        return g_strlcpy(buf, "0 m", DN_UNIT_BUF), buf;
    return units_format(m, LADDER, buf);
}

const char *dn_format_per_second(double per_s, char buf[DN_UNIT_BUF])
{
    static const Unit *const LADDER[] = {&PER_SECOND[0], &PER_SECOND[1], &PER_SECOND[2],
                                         &PER_SECOND[3], &PER_SECOND[4], NULL};
    return units_format(per_s, LADDER, buf);
}
