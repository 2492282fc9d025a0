/* simgrid.c - platform files of SimGrid (simgrid.org), versions 3 to 4.1.
 *
 * A <cluster> (FLAT, TORUS, FAT_TREE, DRAGONFLY) becomes the fabric of that name; <zone>s (or <AS>)
 * with hosts, routers, links and routes, joined by <zoneRoute>s, are one node graph. Meanings are
 * those of SimGrid's documentation ("Describing the virtual platform") and its kernel/routing zones
 * (3.32): rates are of payload, latencies of links add up along a route and there are no others.
 * LIMITATIONS: clusters joined with others by zoneRoute, bypass routes, Wifi, Vivaldi, <include>,
 * profiles and disks are not read; speeds of hosts are passed over: computing is not of a
 * machine's. Routes are taken as cables; which way a message takes over them is for this project's
 * routing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/import/import.h"
#include "topology/import/simgrid_platform.h"

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

/* What @unit is in bit/s, or 0. */
static double rate_unit(const char *unit)
{
    const char *rest;
    double factor = prefix_factor(unit, &rest);
    if (g_str_equal(rest, "bps"))
        return factor;
    return unit[0] == '\0' || g_str_equal(rest, "Bps") ? 8.0 * factor : 0.0;
}

/* What @unit is in ps, or 0. */
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
    gint64 round_trip_bytes = (gint64)(2e-12 * link.latency_ps * link.bps / 8.0);
    g_autofree char *rate = g_strdup_printf("%.0f b/s", link.bps);
    g_autofree char *latency = g_strdup_printf("%.0f ps", MAX(1.0, link.latency_ps));
    g_autofree char *buffer =
        g_strdup_printf("%" G_GINT64_FORMAT " KiB", 128 + 2 * round_trip_bytes / 1024);
    numbers[0] = dn_known(rate, source);
    numbers[1] = link.latency_ps >= 1.0 ? dn_known(latency, source)
                                        : dn_guess(latency, "the platform says none");
    numbers[2] = dn_guess("1", "rates of a platform are of payload");
    numbers[3] = dn_guess(buffer, "a platform has no buffers; two round trips and 128 KiB");
}

static gboolean simgrid_recognise(const DnImportText *text)
{
    g_autofree char *root = dn_xml_root_name(text);
    return g_strcmp0(root, "platform") == 0;
}

gboolean dn_platform_is_zone(const DnXml *xml)
{
    return g_str_equal(xml->name, "zone") || g_str_equal(xml->name, "AS");
}

typedef struct {
    const DnXml *cluster, *host; /* the first of each; or NULL */
} Found;

/* The <cluster> below @xml, or else a host; a second network beside a cluster is an error. */
static gboolean find_network(const DnPlatform *p, const DnXml *xml, guint depth, Found *found,
                             GError **error)
{
    if (depth > 64)
        return dn_platform_fault(p, xml, DN_ERROR_RANGE, error, "zones are nested too deeply");
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        gboolean cluster = g_str_equal(c->name, "cluster"), host = g_str_equal(c->name, "host");
        if (g_str_equal(c->name, "cabinet") || g_str_equal(c->name, "include") ||
            g_str_equal(c->name, "peer"))
            return dn_platform_fault(p, c, DN_ERROR_UNKNOWN, error,
                                     "<%s> is not read; known: <cluster>, <zone> with hosts, "
                                     "links and routes",
                                     c->name);
        if (dn_platform_is_zone(c) && !find_network(p, c, depth + 1, found, error))
            return FALSE;
        if ((cluster || host) && (found->cluster != NULL || (cluster && found->host != NULL)))
            return dn_platform_fault(p, c, DN_ERROR_RANGE, error,
                                     "a second network; wanted: one <cluster>, or zones with "
                                     "hosts, links and routes");
        if (cluster)
            found->cluster = c;
        else if (host && found->host == NULL)
            found->host = c;
    }
    return TRUE;
}

static gboolean read_platform(const DnImportText *text, DnDraft *draft, GError **error)
{
    const DnPlatform platform = {text, draft};
    Found found = {NULL, NULL};
    g_autoptr(DnXml) root = dn_xml_parse(text, error);
    if (root == NULL || !find_network(&platform, root, 0, &found, error))
        return FALSE;
    if (found.cluster == NULL && found.host == NULL)
        return dn_platform_fault(&platform, root, DN_ERROR_MISSING, error,
                                 "no <host> and no <cluster>");
    dn_draft_note(draft, "Speeds of hosts are left out: computing is no part of a machine.");
    g_string_append(draft->tail,
                    "hardware:\n"
                    "  packet: {value: 4 KiB, assumed: a platform has no packets}\n"
                    "  header: {value: 0 B, assumed: rates of a platform are of payload}\n"
                    "  lanes: {value: 1, assumed: a platform has none}\n");
    return found.cluster != NULL ? dn_platform_cluster(&platform, found.cluster, error)
                                 : dn_platform_routes(&platform, root, error);
}

extern const DnImporter dn_importer_simgrid;
const DnImporter dn_importer_simgrid = {
    .name = "simgrid",
    .summary = "SimGrid platform",
    .sign = "an XML file of <platform>",
    .recognise = simgrid_recognise,
    .read = read_platform,
};
