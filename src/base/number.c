/* number.c - formatting with g_ascii_formatd, which no locale changes. */
#include "base/number.h"
#include <math.h>

/* Beyond this a fixed notation would not fit the buffer. */
#define LARGEST_FIXED 1e15

const char *dn_format_digits(double value, int digits, char buf[DN_NUMBER_BUF])
{
    if (isnan(value)) {
        g_strlcpy(buf, "-", DN_NUMBER_BUF);
        return buf;
    }
    if (isinf(value) || fabs(value) >= LARGEST_FIXED || (value != 0.0 && fabs(value) < 1e-9))
        return g_ascii_formatd(buf, DN_NUMBER_BUF, "%.4g", value);
    int exponent = value == 0.0 ? 0 : (int)floor(log10(fabs(value)));
    /* 9.996 with three digits is 10.0, not 10.00: rounding may carry into a new digit. */
    if (value != 0.0 && fabs(value) * pow(10.0, digits - 1 - exponent) >= pow(10.0, digits) - 0.5)
        exponent++;
    char format[16];
    g_snprintf(format, sizeof format, "%%.%df", MAX(0, digits - 1 - exponent));
    return g_ascii_formatd(buf, DN_NUMBER_BUF, format, value);
}

const char *dn_format_fixed(double value, int decimals, char buf[DN_NUMBER_BUF])
{
    char format[16];
    if (isnan(value)) {
        buf[0] = '\0';
        return buf;
    }
    g_snprintf(format, sizeof format, fabs(value) < LARGEST_FIXED ? "%%.%df" : "%%.%de", decimals);
    return g_ascii_formatd(buf, DN_NUMBER_BUF, format, value);
}

const char *dn_format_duration(double seconds, char buf[DN_NUMBER_BUF])
{
    if (!(seconds >= 0.0) || isinf(seconds))
        g_strlcpy(buf, "?", DN_NUMBER_BUF);
    else if (seconds > 1e9)
        g_ascii_formatd(buf, DN_NUMBER_BUF, "%.3g years", seconds / 31557600.0);
    else if (seconds < 9.95)
        g_ascii_formatd(buf, DN_NUMBER_BUF, "%.1f s", seconds);
    else if (seconds < 59.5)
        g_ascii_formatd(buf, DN_NUMBER_BUF, "%.0f s", seconds);
    else if (seconds < 3599.5)
        g_snprintf(buf, DN_NUMBER_BUF, "%d min %d s", (int)(seconds + 0.5) / 60,
                   (int)(seconds + 0.5) % 60);
    else
        g_snprintf(buf, DN_NUMBER_BUF, "%d h %d min", (int)(seconds / 60.0 + 0.5) / 60,
                   (int)(seconds / 60.0 + 0.5) % 60);
    return buf;
}

gboolean dn_take_number(const char **at, const char *before, guint *number)
{
    if (!g_str_has_prefix(*at, before))
        return FALSE;
    const char *digits = *at + strlen(before);
    char *end = NULL;
    guint64 value = g_ascii_strtoull(digits, &end, 10);
    if (!g_ascii_isdigit(*digits) || value > G_MAXUINT)
        return FALSE;
    *number = (guint)value;
    *at = end;
    return TRUE;
}
