/* ibnetdiscover.c - the topology file that `ibnetdiscover` of infiniband-diags prints.
 *
 * Blocks of `Switch 40 "S-<guid>"  # "description" ...` and `Ca 1 "H-<guid>" # "host HCA-1"`, each
 * followed by a line a port: `[1] "S-<guid>"[2]  # "far description" lid 4 4xHDR` for a switch,
 * `[1](<port guid>) "S-<guid>"[6] # lid 5 lmc 0 "far description" lid 3 4xHDR` for an adapter; with
 * -g a port may carry `[ext 3]`. Each cable stands twice, once at each end, and counts once. A host
 * is the first word of an adapter's description (as node-name maps and rdma-ndd write it), its
 * adapters the rest. Rates: InfiniBand Architecture Specification, volume 2; data rate of a lane
 * after line coding.
 * LIMITATIONS: routers are taken for hosts; two adapters of one description are one host.
 * Aggregation nodes of switches, which look like adapters, are left out. */
#include <string.h>

#include "topology/import/import.h"
#include "topology/import/network.h"

typedef struct {
    const char *name, *class_;
    double gbps; /* data rate of one lane */
} Speed;

static const Speed speeds[] = {
    {"SDR", "sdr", 2},      {"DDR", "ddr", 4},      {"QDR", "qdr", 8},
    {"FDR10", "fdr10", 10}, {"FDR", "fdr", 13.636}, {"EDR", "edr", 25},
    {"HDR", "hdr", 50},     {"NDR", "ndr", 100},    {"XDR", "xdr", 200},
};
static const guint widths[] = {1, 2, 4, 8, 12};

typedef struct {
    char *id; /* "S-0002c9..." */
    gboolean is_switch;
    char *label; /* description in quotes */
    guint line;
    gboolean in_switch; /* an aggregation node: part of a switch, shown as an adapter */
} Device;

typedef struct {
    const DnImportText *text;
    DnNetwork *net;
    GHashTable *devices; /* id -> Device* */
    GPtrArray *order;    /* Device*, borrowed */
    GHashTable *seen;    /* cables: "id[port]" of both ends */
    guint in_switch;     /* cables to aggregation nodes, left out */
    Device *at;
} Reader;

static void device_free(gpointer data)
{
    Device *d = data;
    g_free(d->id);
    g_free(d->label);
    g_free(d);
}

static gboolean ibnetdiscover_refuse(const Reader *r, guint line, const char *at, GError **error,
                                     const char *wanted)
{
    const char *whole = dn_import_line(r->text, line);
    guint column =
        at != NULL && at >= whole && at <= whole + strlen(whole) ? (guint)(at - whole) + 1 : 1;
    dn_import_error(r->text, line, column, DN_ERROR_SYNTAX, error, "wanted: %s", wanted);
    return FALSE;
}

/* The text in double quotes at or after @p; *after: behind it. NULL: none. */
static char *ibnetdiscover_quoted(const char *p, const char **after)
{
    const char *open = strchr(p, '"');
    const char *close = open != NULL ? strchr(open + 1, '"') : NULL;
    if (close == NULL)
        return NULL;
    *after = close + 1;
    return g_strndup(open + 1, (gsize)(close - open) - 1);
}

static gboolean is_id(const char *id)
{
    return (id[0] == 'S' || id[0] == 'H' || id[0] == 'R') && id[1] == '-' && strlen(id) > 2 &&
           strspn(id + 2, "0123456789abcdefABCDEF") == strlen(id + 2);
}

static gboolean read_device(Reader *r, guint line, GError **error)
{
    const char *text = dn_import_line(r->text, line), *after = text;
    g_autofree char *id = ibnetdiscover_quoted(text, &after);
    if (id == NULL || !is_id(id))
        return ibnetdiscover_refuse(
            r, line, text, error,
            "Switch, Ca or Rt, its ports, its name in quotes: Switch 40 \"S-0002c9...\"");
    if (g_hash_table_contains(r->devices, id)) {
        r->at = g_hash_table_lookup(r->devices, id);
        return TRUE;
    }
    Device *d = g_new0(Device, 1);
    const char *hash = strchr(after, '#');
    d->label = hash != NULL ? ibnetdiscover_quoted(hash, &after) : NULL;
    d->is_switch = id[0] == 'S';
    d->in_switch = d->label != NULL && strstr(d->label, "Aggregation Node") != NULL;
    d->id = g_steal_pointer(&id);
    d->line = line;
    g_hash_table_insert(r->devices, d->id, d);
    g_ptr_array_add(r->order, d);
    r->at = d;
    return TRUE;
}

/* "4xHDR" somewhere in @text: index in speeds and lanes; FALSE: none. */
static gboolean find_rate(const char *text, guint *speed, guint *lanes)
{
    g_autoptr(GPtrArray) words = dn_import_words(text);
    for (guint i = words->len; i-- > 0;) {
        const char *word = words->pdata[i], *x = strchr(word, 'x');
        guint64 n;
        g_autofree char *number = x != NULL ? g_strndup(word, (gsize)(x - word)) : NULL;
        if (x == NULL || !g_ascii_string_to_unsigned(number, 10, 1, 12, &n, NULL))
            continue;
        for (guint s = 0; s < G_N_ELEMENTS(speeds); s++) {
            if (!g_str_equal(x + 1, speeds[s].name))
                continue;
            for (guint w = 0; w < G_N_ELEMENTS(widths); w++)
                if (widths[w] == n) {
                    *speed = s;
                    *lanes = (guint)n;
                    return TRUE;
                }
        }
    }
    return FALSE;
}

static guint32 rate_of(Reader *r, const char *comment)
{
    guint speed, lanes;
    if (!find_rate(comment, &speed, &lanes))
        return dn_network_rate(
            r->net, (DnNetRate){"link", 200, NULL, "the line has no rate like 4xHDR; 200 Gb/s"});
    g_autofree char *name = lanes == 4 ? g_strdup(speeds[speed].class_)
                                       : g_strdup_printf("%s-%ux", speeds[speed].class_, lanes);
    g_autofree char *source = g_strdup_printf("ibnetdiscover, %s: %ux%s; data rate by the "
                                              "InfiniBand Architecture Specification, volume 2",
                                              r->text->name, lanes, speeds[speed].name);
    return dn_network_rate(r->net, (DnNetRate){g_intern_string(name), lanes * speeds[speed].gbps,
                                               g_intern_string(source), NULL});
}

typedef struct {
    guint64 port, far_port;
    char *far;
    const char *comment;
} Port;

/* `[1][ext 3](guid) "S-..."[2][ext 4](guid)  # ...` */
static gboolean split_port(const Reader *r, guint line, Port *out, GError **error)
{
    static const char wanted[] = "[port] \"name\"[port]  # description, lid and rate";
    const char *text = dn_import_line(r->text, line), *p = text + strspn(text, " \t"), *end;
    char *after;
    out->port = g_ascii_strtoull(p + 1, &after, 10);
    if (after == p + 1 || *after != ']' || out->port > 254)
        return ibnetdiscover_refuse(r, line, p, error, wanted);
    out->far = ibnetdiscover_quoted(after, &end);
    if (out->far == NULL || !is_id(out->far) || *end != '[') {
        g_clear_pointer(&out->far, g_free);
        return ibnetdiscover_refuse(r, line, after, error, wanted);
    }
    out->far_port = g_ascii_strtoull(end + 1, &after, 10);
    if (after == end + 1 || *after != ']' || out->far_port > 254) {
        g_clear_pointer(&out->far, g_free);
        return ibnetdiscover_refuse(r, line, end, error, wanted);
    }
    out->comment = strchr(after, '#');
    if (out->comment == NULL)
        out->comment = "";
    return TRUE;
}

typedef struct {
    Device *from;
    char *far;
    guint64 port, far_port;
    guint32 rate;
    guint line;
} Cable;

static void cable_clear(gpointer data)
{
    g_free(((Cable *)data)->far);
}

static gboolean read_port(Reader *r, guint line, GArray *cables, GError **error)
{
    Port port = {0};
    if (r->at == NULL)
        return ibnetdiscover_refuse(r, line, NULL, error,
                                    "a line Switch or Ca before the lines of its ports");
    if (!split_port(r, line, &port, error))
        return FALSE;
    char here[80], there[80];
    g_snprintf(here, sizeof here, "%.40s[%" G_GUINT64_FORMAT "]", r->at->id, port.port);
    g_snprintf(there, sizeof there, "%.40s[%" G_GUINT64_FORMAT "]", port.far, port.far_port);
    gboolean known = g_hash_table_contains(r->seen, here);
    g_hash_table_add(r->seen, g_strdup(here));
    g_hash_table_add(r->seen, g_strdup(there));
    if (known || g_str_equal(port.far, r->at->id)) {
        g_free(port.far);
        return TRUE;
    }
    Cable cable = {r->at, port.far, port.port, port.far_port, rate_of(r, port.comment), line};
    g_array_append_val(cables, cable);
    return TRUE;
}

static gboolean read_lines(Reader *r, GArray *cables, GError **error)
{
    for (guint line = 1; line <= r->text->lines->len; line++) {
        const char *text = dn_import_line(r->text, line);
        text += strspn(text, " \t");
        if (g_str_has_prefix(text, "Switch") || g_str_has_prefix(text, "Ca") ||
            g_str_has_prefix(text, "Rt")) {
            if (!read_device(r, line, error))
                return FALSE;
        } else if (*text == '[') {
            if (!read_port(r, line, cables, error))
                return FALSE;
            if (cables->len > DN_NET_MAX_CABLES)
                return ibnetdiscover_refuse(r, line, NULL, error, "at most 2000000 cables");
        }
    }
    return TRUE;
}

/* "node01 HCA-1" is host "node01", port label "HCA-1"; a description of one word is the host. */
static char *host_of(const Device *d, char **rest)
{
    const char *label = d->label != NULL && d->label[0] != '\0' ? d->label : d->id;
    gsize n = strcspn(label, " ");
    *rest = g_strdup(label[n] == ' ' ? label + n + 1 : "hca");
    return g_strndup(label, n);
}

/* Every device of one description, as fresh adapters have ("MT4123 ConnectX6 ..."): no host names,
 * so each adapter is a host. */
static gboolean names_hosts(const Reader *r, const Device *d)
{
    return d->label != NULL && !g_str_has_prefix(d->label, "MT") && d->label[0] != '\0' &&
           !g_str_has_prefix(d->label, "localhost");
}

static void add_port(Reader *r, const Device *adapter, guint32 switch_, guint64 port, guint32 rate)
{
    g_autofree char *rest = NULL, *host = names_hosts(r, adapter) ? host_of(adapter, &rest)
                                                                  : g_strdup(adapter->id);
    g_autofree char *label =
        g_strdup_printf("%s-port%" G_GUINT64_FORMAT, rest != NULL ? rest : "hca", port);
    dn_network_port(r->net, switch_, dn_network_host(r->net, host), rate, label);
}

static gboolean add_cable(Reader *r, const Cable *c, GError **error)
{
    const Device *far = g_hash_table_lookup(r->devices, c->far);
    g_autofree char *shown = dn_quote(c->far);
    if (far == NULL) {
        dn_import_error(r->text, c->line, 1, DN_ERROR_UNKNOWN, error,
                        "a cable to %s, which has no Switch or Ca line of its own", shown);
        return FALSE;
    }
    if (c->from->in_switch || far->in_switch) {
        r->in_switch++;
        return TRUE;
    }
    if (!c->from->is_switch && !far->is_switch) {
        dn_import_error(r->text, c->line, 1, DN_ERROR_RANGE, error,
                        "a cable from an adapter to an adapter, %s; wanted: a switch at one end",
                        shown);
        return FALSE;
    }
    if (c->from->is_switch && far->is_switch)
        dn_network_cable(r->net, dn_network_switch(r->net, c->from->id, c->from->label),
                         dn_network_switch(r->net, far->id, far->label), c->rate, NULL);
    else if (c->from->is_switch)
        add_port(r, far, dn_network_switch(r->net, c->from->id, NULL), c->far_port, c->rate);
    else
        add_port(r, c->from, dn_network_switch(r->net, far->id, NULL), c->port, c->rate);
    return TRUE;
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_autoptr(DnNetwork) net = dn_network_new();
    g_autoptr(GHashTable)
        devices = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, device_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) order = g_ptr_array_new();
    g_autoptr(GArray) cables = g_array_new(FALSE, FALSE, sizeof(Cable));
    g_array_set_clear_func(cables, cable_clear);
    Reader r = {text, net, devices, order, seen, 0, NULL};
    net->infiniband = TRUE;
    if (!read_lines(&r, cables, error))
        return FALSE;
    if (order->len == 0)
        return ibnetdiscover_refuse(&r, 1, NULL, error, "lines like Switch 40 \"S-0002c9...\"");
    for (guint i = 0; i < order->len; i++) {
        const Device *d = order->pdata[i];
        if (d->is_switch)
            dn_network_switch(net, d->id, d->label);
    }
    for (guint i = 0; i < cables->len; i++)
        if (!add_cable(&r, &g_array_index(cables, Cable, i), error))
            return FALSE;
    if (r.in_switch > 0)
        dn_draft_note(draft,
                      "%u aggregation node(s) inside switches (reductions in the network) are left "
                      "out.",
                      r.in_switch);
    return dn_network_write(net, text, "InfiniBand fabric", draft, error);
}

static gboolean ibnetdiscover_recognise(const DnImportText *text)
{
    for (guint i = 1; i <= MIN(text->lines->len, 5000u); i++) {
        const char *line = dn_import_line(text, i);
        line += strspn(line, " \t");
        if ((g_str_has_prefix(line, "Switch\t") || g_str_has_prefix(line, "Switch ") ||
             g_str_has_prefix(line, "Ca\t") || g_str_has_prefix(line, "Ca ")) &&
            (strstr(line, "\"S-") != NULL || strstr(line, "\"H-") != NULL))
            return TRUE;
    }
    return FALSE;
}

const DnImporter dn_importer_ibnetdiscover = {
    .name = "ibnetdiscover",
    .summary = "ibnetdiscover",
    .sign = "lines like Switch 40 \"S-0002c9...\"",
    .recognise = ibnetdiscover_recognise,
    .read = read_draft,
};
