/* network.c - see network.h; network_shape.c finds regular shapes. */
#include "topology/import/network.h"

#include "topology/import/known_hardware.h"
#include "topology/import/network_shape.h"

#define MAX_VERTICES 4096 /* of a node (topologies/README.md) */

static void clear_switch(gpointer data)
{
    g_free(((DnNetSwitch *)data)->name);
    g_free(((DnNetSwitch *)data)->label);
}

static void clear_host(gpointer data)
{
    g_free(((DnNetHost *)data)->name);
}

static void clear_cable(gpointer data)
{
    g_free(((DnNetCable *)data)->label);
}

static GArray *new_array(guint size, GDestroyNotify clear)
{
    GArray *array = g_array_new(FALSE, TRUE, size);
    if (clear != NULL)
        g_array_set_clear_func(array, clear);
    return array;
}

DnNetwork *dn_network_new(void)
{
    DnNetwork *net = g_new0(DnNetwork, 1);
    net->switches = new_array(sizeof(DnNetSwitch), clear_switch);
    net->hosts = new_array(sizeof(DnNetHost), clear_host);
    net->cables = new_array(sizeof(DnNetCable), clear_cable);
    net->rates = new_array(sizeof(DnNetRate), NULL);
    net->switch_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    net->host_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return net;
}

void dn_network_free(DnNetwork *net)
{
    if (net == NULL)
        return;
    g_array_unref(net->switches);
    g_array_unref(net->hosts);
    g_array_unref(net->cables);
    g_array_unref(net->rates);
    g_hash_table_unref(net->switch_ids);
    g_hash_table_unref(net->host_ids);
    g_free(net);
}

guint32 dn_network_switch(DnNetwork *net, const char *name, const char *label)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(net->switch_ids, name));
    if (found != 0)
        return found - 1;
    DnNetSwitch made = {g_strdup(name), g_strdup(label), 0};
    g_array_append_val(net->switches, made);
    g_hash_table_insert(net->switch_ids, g_strdup(name), GUINT_TO_POINTER(net->switches->len));
    return net->switches->len - 1;
}

guint32 dn_network_host(DnNetwork *net, const char *name)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(net->host_ids, name));
    if (found != 0)
        return found - 1;
    DnNetHost made = {g_strdup(name), 0};
    g_array_append_val(net->hosts, made);
    g_hash_table_insert(net->host_ids, g_strdup(name), GUINT_TO_POINTER(net->hosts->len));
    return net->hosts->len - 1;
}

guint32 dn_network_rate(DnNetwork *net, DnNetRate rate)
{
    for (guint32 i = 0; i < net->rates->len; i++) {
        const DnNetRate *r = &g_array_index(net->rates, DnNetRate, i);
        if (g_str_equal(r->name, rate.name) && r->gbps == rate.gbps &&
            (r->source == NULL) == (rate.source == NULL))
            return i;
    }
    g_array_append_val(net->rates, rate);
    return net->rates->len - 1;
}

void dn_network_cable(DnNetwork *net, guint32 a, guint32 b, guint32 rate, const char *label)
{
    DnNetCable cable = {FALSE, MIN(a, b), MAX(a, b), rate, 1, g_strdup(label)};
    g_array_append_val(net->cables, cable);
}

void dn_network_port(DnNetwork *net, guint32 switch_, guint32 host, guint32 rate, const char *label)
{
    DnNetCable cable = {TRUE, switch_, host, rate, 1, g_strdup(label)};
    g_array_append_val(net->cables, cable);
    g_array_index(net->hosts, DnNetHost, host).ports++;
}

static gint compare_cables(gconstpointer x, gconstpointer y)
{
    const DnNetCable *a = x, *b = y;
    if (a->to_host != b->to_host)
        return a->to_host ? 1 : -1;
    if (a->to_host && a->b != b->b)
        return a->b < b->b ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    if (a->rate != b->rate)
        return a->rate < b->rate ? -1 : 1;
    return g_strcmp0(a->label, b->label);
}

/* Equal cables between two switches as one entry; sorted, switches first. A host's ports stay. */
static void merge_cables(DnNetwork *net)
{
    g_array_sort(net->cables, compare_cables);
    GArray *merged = new_array(sizeof(DnNetCable), clear_cable);
    for (guint i = 0; i < net->cables->len; i++) {
        DnNetCable *c = &g_array_index(net->cables, DnNetCable, i);
        DnNetCable *last = merged->len > 0 ? &g_array_index(merged, DnNetCable, merged->len - 1)
                                           : NULL;
        if (last != NULL && !c->to_host && !last->to_host && last->a == c->a && last->b == c->b &&
            last->rate == c->rate) {
            last->count += c->count;
            continue;
        }
        DnNetCable kept = *c;
        c->label = NULL;
        g_array_append_val(merged, kept);
    }
    g_array_unref(net->cables);
    net->cables = merged;
}

static guint32 rate_class(DnDraft *d, const DnNetwork *net, guint32 rate)
{
    const DnNetRate *r = &g_array_index(net->rates, DnNetRate, rate);
    return dn_known_network(d, r->name, r->gbps, r->source, r->assumed);
}

/* Hosts with several ports anywhere: then every host is a CPU behind its ports. */
static gboolean several_ports(const DnNetwork *net)
{
    for (guint i = 0; i < net->hosts->len; i++)
        if (g_array_index(net->hosts, DnNetHost, i).ports > 1)
            return TRUE;
    return FALSE;
}

static void add_host(DnDraft *d, const DnNetwork *net, guint32 host, guint32 first_cable,
                     const guint32 *switches, gboolean behind)
{
    const DnNetHost *h = &g_array_index(net->hosts, DnNetHost, host);
    guint32 cpu = G_MAXUINT32;
    if (behind) {
        cpu = dn_draft_vertex(d, DN_DRAFT_CPU, h->name, NULL);
        dn_draft_at(d, cpu)->host_end = TRUE;
    }
    for (guint32 i = 0; i < h->ports; i++) {
        const DnNetCable *c = &g_array_index(net->cables, DnNetCable, first_cable + i);
        g_autofree char *name =
            behind ? g_strdup_printf("%s.%s", h->name, c->label != NULL ? c->label : "nic")
                   : g_strdup(h->name);
        guint32 nic = dn_draft_vertex(d, DN_DRAFT_NIC, name, behind ? NULL : c->label);
        dn_draft_set_latency(d, nic, dn_known_nic_latency());
        dn_draft_edge(d, nic, switches[c->a], rate_class(d, net, c->rate), c->count);
        if (!behind)
            continue;
        DnDraftEdge *e = dn_draft_edge(d, cpu, nic, dn_known_pcie(d, 0, 0, d->source), 1);
        e->assumed = g_strdup("the inside of a host is not given: its ports hang on one CPU");
    }
}

static gboolean check_size(const DnNetwork *net, const DnImportText *text, gboolean behind,
                           GError **error)
{
    guint64 ports = 0;
    for (guint i = 0; i < net->hosts->len; i++)
        ports += g_array_index(net->hosts, DnNetHost, i).ports;
    guint64 vertices = net->switches->len + ports + (behind ? net->hosts->len : 0);
    if (vertices <= MAX_VERTICES)
        return TRUE;
    dn_import_error(
        text, 1, 1, DN_ERROR_RANGE, error,
        "a network of no regular shape with %" G_GUINT64_FORMAT
        " switches, ports and hosts; at most %d (regular trees and fat trees: any size)",
        vertices, MAX_VERTICES);
    return FALSE;
}

static gboolean write_graph(DnNetwork *net, const DnImportText *text, DnDraft *d, GError **error)
{
    gboolean behind = several_ports(net);
    if (!check_size(net, text, behind, error))
        return FALSE;
    g_autofree guint32 *switches = g_new(guint32, net->switches->len + 1);
    for (guint32 i = 0; i < net->switches->len; i++) {
        const DnNetSwitch *s = &g_array_index(net->switches, DnNetSwitch, i);
        switches[i] = dn_draft_vertex(d, DN_DRAFT_SWITCH, s->name, s->label);
        dn_draft_set_latency(d, switches[i], dn_known_fabric_latency());
    }
    guint32 at = 0;
    for (; at < net->cables->len; at++) {
        const DnNetCable *c = &g_array_index(net->cables, DnNetCable, at);
        if (c->to_host)
            break;
        dn_draft_edge(d, switches[c->a], switches[c->b], rate_class(d, net, c->rate), c->count)
            ->separate = TRUE;
    }
    for (guint32 host = 0; host < net->hosts->len; host++) {
        add_host(d, net, host, at, switches, behind);
        at += g_array_index(net->hosts, DnNetHost, host).ports;
    }
    d->endpoints = g_strdup(behind ? "cpu" : "nic");
    return TRUE;
}

gboolean dn_network_write(DnNetwork *net, const DnImportText *text, const char *what, DnDraft *d,
                          GError **error)
{
    guint32 ports = 0;
    for (guint i = 0; i < net->hosts->len; i++)
        ports += g_array_index(net->hosts, DnNetHost, i).ports > 0;
    if (net->switches->len == 0 || ports == 0) {
        dn_import_error(text, 1, 1, DN_ERROR_MISSING, error,
                        "%u switches and %u hosts on them; wanted: at least one of each",
                        net->switches->len, ports);
        return FALSE;
    }
    merge_cables(net);
    d->description = g_strdup_printf("%s of %u switches and %u hosts, from %s", what,
                                     net->switches->len, ports, d->source);
    if (!dn_network_shape(net, d) && !write_graph(net, text, d, error))
        return FALSE;
    dn_known_network_tail(d, net->infiniband);
    return TRUE;
}
