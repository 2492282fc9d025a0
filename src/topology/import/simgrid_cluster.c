/* simgrid_cluster.c - a SimGrid <cluster> as a fabric with bare nodes on it.
 *
 * FLAT       a link for each host to one crossbar; with bb_bw, a backbone in its place
 * TORUS      "3,2,2": hosts are the routers, a cable to the next in each dimension; dimension 0
 *            runs fastest, and routes go dimension by dimension
 * FAT_TREE   "levels; children; parents; parallel links", each from the hosts up: the PGFT of
 *            Zahavi (CCIT Report 776, Technion 2010)
 * DRAGONFLY  "groups,blue; chassis,black; blades,green; nodes": the Cascade (Faanes et al., SC
 *            2012); n parallel links are one of n times the rate
 * A cable is a link each way (SPLITDUPLEX), the default.
 * LIMITATIONS: a backbone's rate is not shared by all; blue links of a group sit on its blades in
 * the order of the other groups, in SimGrid on the blade with the other group's number; limiters
 * hold a host's own traffic, not what a torus router passes on; loopbacks are left out. */
#include <string.h>

#include "topology/import/simgrid_cluster.h"

#define MAX_VALUES 16
#define MAX_HOSTS (1 << 24)

typedef struct {
    const DnPlatform *p;
    const DnXml *xml;
    GString *out; /* of `fabric:` */
    guint64 hosts;
    DnPlatformLink cable;
    double limiter_bps; /* 0: none */
} Cluster;

static gboolean bad_values(const Cluster *c, const char *text, GError **error)
{
    g_autofree char *shown = dn_quote(text);
    return dn_platform_fault(c->p, c->xml, DN_ERROR_SYNTAX, error,
                             "topo_parameters: %s; wanted: 1 to %d whole numbers of 1 and more, "
                             "like 3,2,2",
                             shown, MAX_VALUES);
}

/* Whole numbers of 1 and more between commas. */
static gboolean read_values(const Cluster *c, const char *text, guint32 *values, guint *n,
                            GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    *n = 0;
    if (words[0] == NULL) /* of an empty text */
        return bad_values(c, text, error);
    for (; words[*n] != NULL; (*n)++) {
        guint64 value;
        if (*n == MAX_VALUES ||
            !g_ascii_string_to_unsigned(g_strstrip(words[*n]), 10, 1, MAX_HOSTS, &value, NULL))
            return bad_values(c, text, error);
        values[*n] = (guint32)value;
    }
    return TRUE;
}

/* "0-9,12,20-29" */
static gboolean count_hosts(Cluster *c, GError **error)
{
    const char *radical = dn_xml_require(c->p->text, c->xml, "radical", error);
    if (radical == NULL)
        return FALSE;
    g_auto(GStrv) words = g_strsplit(radical, ",", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        guint64 from, to;
        g_auto(GStrv) ends = g_strsplit(words[i], "-", 2);
        gboolean range = ends[0] != NULL && ends[1] != NULL;
        if (ends[0] == NULL ||
            !g_ascii_string_to_unsigned(g_strstrip(ends[0]), 10, 0, MAX_HOSTS, &from, NULL) ||
            !g_ascii_string_to_unsigned(range ? g_strstrip(ends[1]) : ends[0], 10, from, MAX_HOSTS,
                                        &to, NULL)) {
            g_autofree char *shown = dn_quote(radical);
            return dn_platform_fault(c->p, c->xml, DN_ERROR_SYNTAX, error,
                                     "radical %s; wanted: like 0-9,12,20-29", shown);
        }
        c->hosts += to - from + 1;
    }
    return TRUE;
}

static gboolean cluster_fits(const Cluster *c, guint64 wanted, GError **error)
{
    if (c->hosts == wanted)
        return TRUE;
    return dn_platform_fault(c->p, c->xml, DN_ERROR_RANGE, error,
                             "radical names %" G_GUINT64_FORMAT
                             " hosts; topo_parameters has space for %" G_GUINT64_FORMAT,
                             c->hosts, wanted);
}

static void append_class(const Cluster *c, const char *name, DnPlatformLink link)
{
    static const char *const keys[] = {"bandwidth", "latency", "efficiency", "buffer"};
    DnDraftNumber numbers[4];
    dn_platform_class(c->p, link, numbers);
    g_string_append_printf(c->out, "    %s:\n", name);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_string_append_printf(c->out, "      %s: ", keys[i]);
        dn_draft_append_number(c->out, &numbers[i]);
        g_string_append_c(c->out, '\n');
        dn_draft_number_clear(&numbers[i]);
    }
}

/* A host's own link, no faster than its limiter. */
static DnPlatformLink host_link(const Cluster *c)
{
    DnPlatformLink link = c->cable;
    if (c->limiter_bps > 0.0)
        link.bps = MIN(link.bps, c->limiter_bps);
    return link;
}

static void append_list(const Cluster *c, const char *key, const guint32 *values, guint n)
{
    g_string_append_printf(c->out, "  %s: [", key);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(c->out, "%s%u", i > 0 ? ", " : "", values[i]);
    g_string_append(c->out, "]\n");
}

static void append_type(const Cluster *c, const char *type)
{
    g_string_append_printf(c->out, "  type: %s\n  source: ", type);
    dn_draft_append_quoted(c->out, c->p->draft->source);
    g_string_append_c(c->out, '\n');
}

/* Appends the latencies of switches and NICs, which stand after the links. */
static void append_latencies(const Cluster *c, DnDraftNumber of_switch)
{
    DnDraftNumber nic = dn_guess("0 s", "a platform has latencies of links alone");
    g_string_append(c->out, "  switch:\n    latency: ");
    dn_draft_append_number(c->out, &of_switch);
    g_string_append(c->out, "\n\nnic:\n  latency: ");
    dn_draft_append_number(c->out, &nic);
    g_string_append_c(c->out, '\n');
    dn_draft_number_clear(&of_switch);
    dn_draft_number_clear(&nic);
}

static DnDraftNumber no_latency(void)
{
    return dn_guess("0 s", "a platform has latencies of links alone");
}

static gboolean write_flat(Cluster *c, const char *parameters, GError **error)
{
    double backbone_bps, latency_ps;
    (void)parameters;
    if (!dn_platform_rate(c->p, c->xml, "bb_bw", 0.0, &backbone_bps, error) ||
        !dn_platform_time(c->p, c->xml, "bb_lat", 0.0, &latency_ps, error))
        return FALSE;
    append_type(c, "fat_tree");
    g_string_append_printf(c->out, "  levels: 1\n  down: [%" G_GUINT64_FORMAT "]\n  links:\n",
                           c->hosts);
    append_class(c, "terminal", host_link(c));
    if (backbone_bps > 0.0)
        dn_draft_note(c->p->draft,
                      "The backbone's %.6g Gb/s for all hosts together are not in it: a switch "
                      "passes everything on at once. Its latency is.",
                      backbone_bps * 1e-9);
    g_autofree char *latency = g_strdup_printf("%.0f ps", latency_ps);
    append_latencies(c, latency_ps > 0.0 ? dn_known(latency, c->p->draft->source) : no_latency());
    return TRUE;
}

static gboolean write_torus(Cluster *c, const char *parameters, GError **error)
{
    guint32 dims[MAX_VALUES];
    guint n;
    guint64 hosts = 1;
    if (!read_values(c, parameters, dims, &n, error))
        return FALSE;
    for (guint i = 0; i < n && hosts <= MAX_HOSTS; i++)
        hosts *= dims[i];
    if (!cluster_fits(c, hosts, error))
        return FALSE;
    append_type(c, "torus");
    append_list(c, "dims", dims, n);
    g_string_append(c->out, "  terminals_per_switch: 1\n  links:\n");
    DnPlatformLink own = {c->limiter_bps > 0.0 ? c->limiter_bps : c->cable.bps * 2.0 * n, 0.0};
    append_class(c, "terminal", own);
    append_class(c, "link", c->cable);
    dn_draft_note(c->p->draft,
                  "A host is its router: its own link is as wide as all its cables, or "
                  "its limiter, and takes no time.");
    append_latencies(c, no_latency());
    return TRUE;
}

static gboolean write_fat_tree(Cluster *c, const char *parameters, GError **error)
{
    guint32 levels[MAX_VALUES], values[3][MAX_VALUES];
    guint n[3], one;
    guint64 hosts = 1;
    g_auto(GStrv) parts = g_strsplit(parameters, ";", -1);
    if (g_strv_length(parts) != 4)
        return dn_platform_fault(c->p, c->xml, DN_ERROR_SYNTAX, error,
                                 "topo_parameters of a FAT_TREE; wanted: like 2;4,4;1,2;1,2");
    if (!read_values(c, parts[0], levels, &one, error))
        return FALSE;
    for (guint i = 0; i < 3; i++) {
        if (!read_values(c, parts[i + 1], values[i], &n[i], error))
            return FALSE;
        if (one != 1 || n[i] != levels[0])
            return dn_platform_fault(c->p, c->xml, DN_ERROR_RANGE, error,
                                     "topo_parameters: %u values for %u levels", n[i], levels[0]);
    }
    for (guint i = 0; i < n[0] && hosts <= MAX_HOSTS; i++)
        hosts *= values[0][i];
    if (values[1][0] != 1 || values[2][0] != 1)
        return dn_platform_fault(c->p, c->xml, DN_ERROR_RANGE, error,
                                 "hosts with %u parents over %u links; wanted: one of one",
                                 values[1][0], values[2][0]);
    if (!cluster_fits(c, hosts, error))
        return FALSE;
    append_type(c, "fat_tree");
    g_string_append_printf(c->out, "  levels: %u\n", n[0]);
    append_list(c, "down", values[0], n[0]);
    append_list(c, "up", values[1] + 1, n[0] - 1);
    append_list(c, "parallel_links", values[2] + 1, n[0] - 1);
    g_string_append(c->out, "  links:\n");
    append_class(c, "terminal", host_link(c));
    for (guint i = 1; i < n[0]; i++) {
        g_autofree char *name = g_strdup_printf("level%u", i);
        append_class(c, name, c->cable);
    }
    append_latencies(c, no_latency());
    return TRUE;
}

static gboolean write_dragonfly(Cluster *c, const char *parameters, GError **error)
{
    guint32 v[4][MAX_VALUES];
    guint n[4];
    g_auto(GStrv) parts = g_strsplit(parameters, ";", -1);
    gboolean ok = g_strv_length(parts) == 4;
    for (guint i = 0; ok && i < 4; i++) {
        if (!read_values(c, parts[i], v[i], &n[i], error))
            return FALSE;
        ok = n[i] == (i < 3 ? 2 : 1);
    }
    if (!ok)
        return dn_platform_fault(c->p, c->xml, DN_ERROR_SYNTAX, error,
                                 "topo_parameters of a DRAGONFLY; wanted: like 3,4;4,3;5,1;2");
    if (!cluster_fits(c, (guint64)v[0][0] * v[1][0] * v[2][0] * v[3][0], error))
        return FALSE;
    append_type(c, "dragonfly");
    g_string_append_printf(c->out,
                           "  groups: %u\n  intra_group: grid\n  chassis: %u\n  blades: %u\n"
                           "  chassis_links: %u\n  local_links: %u\n  links_per_group_pair: 1\n"
                           "  global_links_per_switch: 1\n  terminals_per_switch: %u\n"
                           "  parallel: bundled\n  links:\n",
                           v[0][0], v[1][0], v[2][0], v[1][1], v[2][1], v[3][0]);
    append_class(c, "terminal", host_link(c));
    append_class(c, "local", c->cable);
    append_class(c, "global", (DnPlatformLink){c->cable.bps * v[0][1], c->cable.latency_ps});
    append_latencies(c, no_latency());
    return TRUE;
}

static void note_rest(const Cluster *c)
{
    const char *policy = dn_xml_attribute(c->xml, "sharing_policy");
    const char *prefix = dn_xml_attribute(c->xml, "prefix"),
               *suffix = dn_xml_attribute(c->xml, "suffix");
    dn_draft_note(c->p->draft, "Hosts: %s%s%s, in this order.", prefix != NULL ? prefix : "",
                  dn_xml_attribute(c->xml, "radical"), suffix != NULL ? suffix : "");
    if (policy != NULL && !g_str_equal(policy, "SPLITDUPLEX"))
        dn_draft_note(c->p->draft, "sharing_policy %s: here a cable carries its rate each way.",
                      policy);
    if (c->limiter_bps > 0.0)
        dn_draft_note(c->p->draft, "The limiter holds what a host sends and receives itself, not "
                                   "what routers pass on.");
    if (dn_xml_attribute(c->xml, "loopback_bw") != NULL)
        dn_draft_note(c->p->draft, "The loopback is left out: a message to oneself takes no wire.");
}

gboolean dn_platform_cluster(const DnPlatform *p, const DnXml *xml, GError **error)
{
    static const struct {
        const char *name;
        gboolean (*write)(Cluster *c, const char *parameters, GError **error);
    } topologies[] = {{"FLAT", write_flat},
                      {"TORUS", write_torus},
                      {"FAT_TREE", write_fat_tree},
                      {"DRAGONFLY", write_dragonfly}};
    static const char *const names[] = {"FLAT", "TORUS", "FAT_TREE", "DRAGONFLY", NULL};
    Cluster c = {.p = p, .xml = xml};
    const char *name = dn_xml_attribute(xml, "topology");
    const char *parameters = "";
    name = name != NULL ? name : "FLAT";
    if (!dn_platform_rate(p, xml, "bw", -1.0, &c.cable.bps, error) ||
        !dn_platform_time(p, xml, "lat", -1.0, &c.cable.latency_ps, error) ||
        !dn_platform_rate(p, xml, "limiter_link", 0.0, &c.limiter_bps, error) ||
        !count_hosts(&c, error))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(topologies); i++) {
        if (!g_str_equal(name, topologies[i].name))
            continue;
        if (i > 0)
            parameters = dn_xml_require(p->text, xml, "topo_parameters", error);
        if (parameters == NULL)
            return FALSE;
        note_rest(&c);
        p->draft->description = g_strdup_printf("SimGrid cluster %s of %" G_GUINT64_FORMAT
                                                " hosts, from %s",
                                                name, c.hosts, p->draft->source);
        c.out = p->draft->fabric = g_string_new(NULL);
        return topologies[i].write(&c, parameters, error);
    }
    g_autofree char *unknown = dn_unknown(name, names, "known");
    return dn_platform_fault(p, xml, DN_ERROR_UNKNOWN, error, "unknown topology %s", unknown);
}
