/* simgrid_platform.c - see simgrid_platform.h. */
#include "topology/import/simgrid_platform.h"

#include <math.h>
#include <string.h>

#include "topology/graph.h"

gboolean dn_platform_fault(const DnPlatform *p, const DnXml *at, DnError code, GError **error,
                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    dn_import_error(p->text, at->line, at->column, code, error, "%s", message);
    return FALSE;
}

/* "k", "Mi", ...: the factor, and the rest in @rest; 1 when there is none. */
static double prefix_factor(const char *unit, const char **rest)
{
    static const char letters[] = "kMGTP";
    const char *at = unit[0] != '\0' ? strchr(letters, unit[0]) : NULL;
    *rest = unit;
    if (at == NULL)
        return 1.0;
    gboolean binary = unit[1] == 'i';
    *rest = unit + (binary ? 2 : 1);
    return pow(binary ? 1024.0 : 1000.0, (double)(at - letters) + 1.0);
}

/* Returns @unit in bit/s, or 0. */
static double rate_unit(const char *unit)
{
    const char *rest;
    double factor = prefix_factor(unit, &rest);
    if (g_str_equal(rest, "bps"))
        return factor;
    return unit[0] == '\0' || g_str_equal(rest, "Bps") ? 8.0 * factor : 0.0;
}

/* Returns @unit in ps, or 0. */
static double time_unit(const char *unit)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"", 1e12},  {"s", 1e12},  {"ms", 1e9},    {"us", 1e6},    {"ns", 1e3},
                 {"ps", 1.0}, {"m", 60e12}, {"h", 3600e12}, {"d", 86.4e15}, {"w", 604.8e15}};
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_equal(unit, units[i].name))
            return units[i].ps;
    return 0.0;
}

static gboolean simgrid_quantity(const DnPlatform *p, const DnXml *at, const char *name,
                                 double fallback, double (*unit)(const char *text), double most,
                                 const char *wanted, double *out, GError **error)
{
    const char *text = fallback < 0.0 ? dn_xml_require(p->text, at, name, error)
                                      : dn_xml_attribute(at, name);
    *out = fallback;
    if (text == NULL)
        return fallback >= 0.0;
    char *end;
    double value = g_ascii_strtod(text, &end), factor = unit(g_strchug(end));
    g_autofree char *shown = dn_quote(text);
    if (end == text || factor == 0.0 || !isfinite(value))
        return dn_platform_fault(p, at, DN_ERROR_UNIT, error, "<%s> with %s %s; wanted: like %s",
                                 at->name, name, shown, wanted);
    *out = value * factor;
    if (!(*out >= 0.0 && *out <= most))
        return dn_platform_fault(p, at, DN_ERROR_RANGE, error, "<%s>: %s %s is out of range",
                                 at->name, name, shown);
    return TRUE;
}

gboolean dn_platform_rate(const DnPlatform *p, const DnXml *at, const char *name, double fallback,
                          double *bps, GError **error)
{
    if (!simgrid_quantity(p, at, name, fallback, rate_unit, 1e15, "125MBps or 1Gbps", bps, error))
        return FALSE;
    if (dn_xml_attribute(at, name) != NULL && *bps < 1.0)
        return dn_platform_fault(p, at, DN_ERROR_RANGE, error, "<%s>: %s is zero", at->name, name);
    return TRUE;
}

gboolean dn_platform_time(const DnPlatform *p, const DnXml *at, const char *name, double fallback,
                          double *ps, GError **error)
{
    return simgrid_quantity(p, at, name, fallback, time_unit, 1e15, "50us or 1.5ms", ps, error);
}

void dn_platform_class(const DnPlatform *p, DnPlatformLink link, DnDraftNumber numbers[4])
{
    const char *source = p->draft->source;
    double round_trip_kib = 2e-12 * link.latency_ps * link.bps / 8.0 / 1024.0;
    double buffer_kib = 128.0 + floor(2.0 * round_trip_kib), most_kib = DN_MOST_BUFFER_BYTES >> 10;
    g_autofree char *rate = g_strdup_printf("%.0f b/s", link.bps);
    g_autofree char *latency = g_strdup_printf("%.0f ps", MAX(1.0, link.latency_ps));
    g_autofree char *buffer = g_strdup_printf("%.0f KiB", MIN(buffer_kib, most_kib));
    numbers[0] = dn_known(rate, source);
    numbers[1] = link.latency_ps >= 1.0 ? dn_known(latency, source)
                                        : dn_guess(latency, "the platform says none");
    numbers[2] = dn_guess("1", "rates of a platform are of payload");
    numbers[3] = dn_guess(buffer, buffer_kib > most_kib
                                      ? "a platform has no buffers; the largest that is simulated"
                                      : "a platform has no buffers; two round trips and 128 KiB");
}

gboolean dn_platform_is_zone(const DnXml *xml)
{
    return g_str_equal(xml->name, "zone") || g_str_equal(xml->name, "AS");
}
