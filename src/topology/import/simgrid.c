/* simgrid.c - platform files of SimGrid (simgrid.org), versions 3 to 4.1.
 *
 * A <cluster> (FLAT, TORUS, FAT_TREE, DRAGONFLY) becomes the fabric of that name; <zone>s (or <AS>)
 * with hosts, routers, links and routes, joined by <zoneRoute>s, are one node graph. Meanings are
 * those of SimGrid's documentation ("Describing the virtual platform") and its kernel/routing zones
 * (3.32): rates are of payload, latencies of links add up along a route and there are no others.
 * LIMITATIONS: clusters joined with others by zoneRoute, bypass routes, Wifi, Vivaldi, <include>,
 * profiles and disks are not read; speeds of hosts are passed over: computing is not of a
 * machine's. Routes are taken as cables; which path a message takes over them is for this project's
 * routing. */
#include "topology/import/import.h"
#include "topology/import/simgrid_cluster.h"
#include "topology/import/simgrid_routes.h"

static gboolean simgrid_recognise(const DnImportText *text)
{
    g_autofree char *root = dn_xml_root_name(text);
    return g_strcmp0(root, "platform") == 0;
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
