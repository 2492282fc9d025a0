/* param_value.c - The text of one value is converted as its specification says, and held to its
 * range. */
#include "config/config_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

static const DnUnit UNITS[] = {
    [DN_PARAM_REAL] = DN_UNIT_NONE,     [DN_PARAM_BYTES] = DN_UNIT_BYTES,
    [DN_PARAM_TIME] = DN_UNIT_TIME,     [DN_PARAM_RATE] = DN_UNIT_RATE,
    [DN_PARAM_LENGTH] = DN_UNIT_LENGTH, [DN_PARAM_PER_SECOND] = DN_UNIT_PER_SECOND,
};

static gboolean has_unit(DnParamType type)
{
    return type == DN_PARAM_BYTES || type == DN_PARAM_TIME || type == DN_PARAM_RATE ||
           type == DN_PARAM_PER_SECOND || type == DN_PARAM_LENGTH;
}

/* A bound as the user would write it. */
static char *param_show(DnParamType type, double value)
{
    char buf[DN_UNIT_BUF];
    gint64 whole = value >= 0x1p63 ? G_MAXINT64 : value <= -0x1p63 ? G_MININT64 : (gint64)value;
    switch (type) {
    case DN_PARAM_BYTES:
        return g_strdup(dn_format_bytes(whole, buf));
    case DN_PARAM_TIME:
        return g_strdup(dn_format_time(whole, buf));
    case DN_PARAM_RATE:
        return g_strdup(dn_format_rate(value, buf));
    case DN_PARAM_LENGTH:
        return g_strdup(dn_format_length(value, buf));
    case DN_PARAM_PER_SECOND:
        return g_strdup(dn_format_per_second(value, buf));
    case DN_PARAM_REAL:
        return g_strdup(g_ascii_formatd(buf, sizeof buf, "%.6g", value));
    default:
        return g_strdup_printf("%" G_GINT64_FORMAT, whole);
    }
}

/* Returns the bounds of a value: a quantity with a unit is never negative unless its spec says
 * so. */
static void param_bounds(const DnParamSpec *spec, double *min, double *max)
{
    gboolean bounded = spec->min != 0 || spec->max != 0;
    *min = bounded ? spec->min : has_unit(spec->type) ? 0 : -INFINITY;
    *max = bounded && spec->max >= spec->min ? spec->max : INFINITY;
}

char *dn_param_allowed(const DnParamSpec *spec)
{
    double min = 0, max = 0;
    param_bounds(spec, &min, &max);
    g_autofree char *low = isfinite(min) ? param_show(spec->type, min) : NULL;
    g_autofree char *high = isfinite(max) ? param_show(spec->type, max) : NULL;
    if (low == NULL && high == NULL)
        return NULL;
    return low == NULL    ? g_strdup_printf("at most %s", high)
           : high == NULL ? g_strdup_printf("at least %s", low)
                          : g_strdup_printf("%s to %s", low, high);
}

static gboolean check_range(const DnConfigNode *at, const DnParamSpec *spec, double value,
                            GError **error)
{
    double min = 0, max = 0;
    param_bounds(spec, &min, &max);
    if (value >= min && value <= max)
        return TRUE;
    g_autofree char *found = dn_config_describe(at);
    g_autofree char *allowed = dn_param_allowed(spec);
    dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is out of range; allowed: %s", spec->key,
                    found, allowed);
    return FALSE;
}

const char *dn_param_type_name(DnParamType type)
{
    static const char *const names[] = {
        [DN_PARAM_INT] = "whole number",
        [DN_PARAM_REAL] = "number",
        [DN_PARAM_BOOL] = "yes or no",
        [DN_PARAM_STRING] = "text",
        [DN_PARAM_CHOICE] = "one of",
        [DN_PARAM_BYTES] = "size",
        [DN_PARAM_TIME] = "time",
        [DN_PARAM_RATE] = "data rate",
        [DN_PARAM_PER_SECOND] = "rate per second",
        [DN_PARAM_LENGTH] = "length",
        [DN_PARAM_INT_LIST] = "list of whole numbers",
        [DN_PARAM_BOOL_LIST] = "list of yes or no",
        [DN_PARAM_NODE] = "structure",
    };
    return names[type];
}

static const char *in_quotes(const DnConfigNode *at)
{
    return at->quoted ? " in quotes" : "";
}

static gboolean parse_whole(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                            GError **error)
{
    const char *text = at->scalar;
    const char *digits = text + (*text == '-' || *text == '+');
    gboolean looks = g_ascii_isdigit(*digits) && strspn(digits, "0123456789") == strlen(digits);
    if (at->quoted || !looks) {
        g_autofree char *found = dn_config_describe(at);
        dn_config_error(at, DN_ERROR_TYPE, error, "%s: a whole number is wanted, not %s%s",
                        spec->key, found, in_quotes(at));
        return FALSE;
    }
    errno = 0;
    *out = g_ascii_strtoll(text, NULL, 10);
    if (errno != ERANGE)
        return check_range(at, spec, (double)*out, error);
    /* Out of the type's reach is out of any range. */
    DnParamSpec reach = *spec;
    param_bounds(spec, &reach.min, &reach.max);
    reach.min = MAX(reach.min, -0x1p63);
    reach.max = MIN(reach.max, 0x1p63);
    return check_range(at, &reach, *text == '-' ? -INFINITY : INFINITY, error);
}

gboolean dn_param_parse_bool(const char *text, gboolean *out)
{
    static const char *const WORDS[] = {"false", "no", "off", "true", "yes", "on"};
    for (guint i = 0; i < G_N_ELEMENTS(WORDS); i++)
        if (g_ascii_strcasecmp(text, WORDS[i]) == 0) {
            *out = i >= 3;
            return TRUE;
        }
    return FALSE;
}

static gboolean parse_bool(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                           GError **error)
{
    gboolean value = FALSE;
    if (!at->quoted && dn_param_parse_bool(at->scalar, &value)) {
        *out = value;
        return TRUE;
    }
    g_autofree char *found = dn_config_describe(at);
    dn_config_error(at, DN_ERROR_TYPE, error,
                    "%s: %s%s is not a truth value; allowed: true, false, yes, no, on, off",
                    spec->key, found, in_quotes(at));
    return FALSE;
}

static gboolean parse_choice(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                             GError **error)
{
    for (guint i = 0; spec->choices[i] != NULL; i++) {
        if (strcmp(at->scalar, spec->choices[i]) == 0) {
            *out = i;
            return TRUE;
        }
    }
    g_autofree char *unknown = dn_unknown(at->scalar, spec->choices, "allowed");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown %s %s", spec->key, unknown);
    return FALSE;
}

static gboolean parse_quantity(const DnConfigNode *at, const DnParamSpec *spec, double *out,
                               GError **error)
{
    g_autoptr(GError) why = NULL;
    if (at->quoted && !has_unit(spec->type)) {
        g_autofree char *found = dn_config_describe(at);
        dn_config_error(at, DN_ERROR_TYPE, error, "%s: a number is wanted, not %s in quotes",
                        spec->key, found);
        return FALSE;
    }
    if (!dn_unit_parse(at->scalar, UNITS[spec->type], out, &why)) {
        dn_config_error(at, (DnError)why->code, error, "%s: %s", spec->key, why->message);
        return FALSE;
    }
    return check_range(at, spec, *out, error);
}

/* Bytes are whole; a time is rounded to ps and a rate to bit/s: no measurement is finer. */
static gboolean to_whole(const DnConfigNode *at, const DnParamSpec *spec, double value, gint64 *out,
                         GError **error)
{
    double whole = round(value);
    g_autofree char *found = dn_config_describe(at);
    if (fabs(whole) >= 0x1p63) {
        g_autofree char *most = param_show(spec->type, 0x1p63);
        dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is out of range; allowed: at most %s",
                        spec->key, found, most);
        return FALSE;
    }
    /* 1.1 kB is 1100.0000000000002 in a double, and still 1100 bytes */
    if (spec->type == DN_PARAM_BYTES && fabs(value - whole) > 1e-6 + 1e-12 * fabs(value)) {
        dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is not a whole number of bytes",
                        spec->key, found);
        return FALSE;
    }
    if (whole == 0 && value > 0) { /* 0 may mean something else: no limit, say */
        dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s would round to 0; allowed: 0 or %s",
                        spec->key, found,
                        spec->type == DN_PARAM_TIME   ? "1 ps and more"
                        : spec->type == DN_PARAM_RATE ? "1 b/s and more"
                                                      : "1 B and more");
        return FALSE;
    }
    *out = (gint64)whole;
    return TRUE;
}

gboolean dn_param_check_scalar(const DnConfigNode *at, const DnParamSpec *spec, GError **error)
{
    if (!dn_config_expect(at, DN_CONFIG_SCALAR, error))
        return FALSE;
    if (at->scalar[0] != '\0') /* '' is no value either */
        return TRUE;
    dn_config_error(at, DN_ERROR_MISSING, error, "%s: a value is missing%s%s", spec->key,
                    spec->help != NULL ? "; it is: " : "", spec->help != NULL ? spec->help : "");
    return FALSE;
}

gboolean dn_param_parse_scalar(const DnConfigNode *at, const DnParamSpec *spec, gint64 *whole,
                               double *real, GError **error)
{
    if (!dn_param_check_scalar(at, spec, error))
        return FALSE;
    switch (spec->type) {
    case DN_PARAM_INT:
    case DN_PARAM_INT_LIST:
        return parse_whole(at, spec, whole, error);
    case DN_PARAM_BOOL:
    case DN_PARAM_BOOL_LIST:
        return parse_bool(at, spec, whole, error);
    case DN_PARAM_CHOICE:
        return parse_choice(at, spec, whole, error);
    case DN_PARAM_REAL:
    case DN_PARAM_PER_SECOND:
    case DN_PARAM_LENGTH:
        return parse_quantity(at, spec, real, error);
    case DN_PARAM_BYTES:
    case DN_PARAM_TIME:
    case DN_PARAM_RATE:
        return parse_quantity(at, spec, real, error) && to_whole(at, spec, *real, whole, error);
    default:
        g_assert_not_reached();
    }
}

gboolean dn_param_parse(const DnConfigNode *scalar, const DnParamSpec *spec, gint64 *out_int,
                        double *out_real, GError **error)
{
    g_assert(spec->type <= DN_PARAM_LENGTH && spec->type != DN_PARAM_STRING);
    gint64 whole = 0;
    double real = 0;
    if (!dn_param_parse_scalar(scalar, spec, &whole, &real, error))
        return FALSE;
    if (out_int != NULL)
        *out_int = whole;
    if (out_real != NULL)
        *out_real = real;
    return TRUE;
}
