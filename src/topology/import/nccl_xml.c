/* nccl_xml.c - the topology that NCCL writes with NCCL_TOPO_DUMP_FILE (and RCCL likewise).
 *
 * <system> holds <cpu> (a NUMA node each) with nested <pci>: class 0x0604xx is a bridge or switch,
 * a <gpu> inside makes it a GPU, <nic><net/></nic> a NIC. <nvlink target count tclass>: tclass
 * 0x0680xx an NVSwitch (target fffffff:ff:ff.0 when NCCL merged them), 0x03xxxx the GPU at that bus
 * id, 0x068001 the CPU (POWER). <xgmi> of RCCL has the same form. <c2c bw count> joins a GPU to its
 * CPU. link_speed and link_width are those of the link above a <pci>; width 0: not given. <net>
 * speed is in Mbit/s. NCCL's own bandwidth constants are not used.
 * LIMITATIONS: the ports (<net>) of one adapter get a PCIe link each, though they share one. */
#include <stdlib.h>
#include <string.h>

#include "topology/import/draft_ports.h"
#include "topology/import/known_hardware.h"
#include "topology/import/import.h"
#include "topology/import/xml.h"

#define MAX_VERTICES 4000 /* of a node (topologies/README.md) */

typedef struct {
    guint32 vertex, target; /* target vertex, or G_MAXUINT32: not known yet */
    const DnXml *xml;
    guint32 cpu;
} Peer;

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    GHashTable *by_bus; /* lower case bus id -> vertex + 1 */
    GArray *peers;      /* Peer: GPU links, read after all vertices are there */
    GArray *cpus;       /* guint32 */
    guint32 gpus, bridges;
    guint32 nvswitch;
    const DnGpuFacts *gpu;
} Reader;

static void reader_clear(Reader *r)
{
    g_hash_table_unref(r->by_bus);
    g_array_unref(r->peers);
    g_array_unref(r->cpus);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

static gboolean starts_with(const DnXml *xml, const char *attribute, const char *prefix)
{
    const char *value = dn_xml_attribute(xml, attribute);
    return value != NULL && g_ascii_strncasecmp(value, prefix, strlen(prefix)) == 0;
}

static const DnXml *nccl_child(const DnXml *xml, const char *name)
{
    for (guint i = 0; i < xml->children->len; i++)
        if (g_str_equal(((DnXml *)xml->children->pdata[i])->name, name))
            return xml->children->pdata[i];
    return NULL;
}

static guint32 nccl_hex(const DnXml *xml, const char *attribute)
{
    const char *value = dn_xml_attribute(xml, attribute);
    return value != NULL ? (guint32)strtoul(value, NULL, 16) : 0;
}

/* The link between a <pci> and what is above it. */
static guint32 link_class(Reader *r, const DnXml *pci)
{
    double lanes = dn_xml_number(pci, "link_width", 0);
    return dn_known_pcie(r->draft, dn_xml_number(pci, "link_speed", 0),
                         lanes >= 1 && lanes <= 64 ? (guint)lanes : 0, r->draft->source);
}

static gboolean nccl_reserve(Reader *r, const DnXml *at, GError **error)
{
    if (r->draft->vertices->len < MAX_VERTICES)
        return TRUE;
    dn_import_error(r->text, at->line, at->column, DN_ERROR_RANGE, error,
                    "more than %d parts in one server", MAX_VERTICES);
    return FALSE;
}

static void add_peers(Reader *r, const DnXml *gpu, guint32 vertex, guint32 cpu)
{
    for (guint i = 0; i < gpu->children->len; i++) {
        Peer peer = {vertex, G_MAXUINT32, gpu->children->pdata[i], cpu};
        g_array_append_val(r->peers, peer);
    }
}

static guint32 add_gpu(Reader *r, const DnXml *pci, const DnXml *gpu, guint32 cpu)
{
    const char *bus = dn_xml_attribute(pci, "busid"), *dev = dn_xml_attribute(gpu, "dev");
    double sm = dn_xml_number(gpu, "sm", 0);
    if (r->gpu == NULL)
        r->gpu = dn_gpu_by_pci(nccl_hex(pci, "vendor"), nccl_hex(pci, "device"));
    if (r->gpu == NULL && sm > 0 && sm < 1000)
        r->gpu = dn_gpu_by_sm((guint)sm);
    char name[48];
    g_snprintf(name, sizeof name, "gpu%s", dev != NULL ? dev : "");
    g_autofree char *label = g_strdup_printf(
        "%s, rank %s, sm %g", bus != NULL ? bus : "?",
        dn_xml_attribute(gpu, "rank") != NULL ? dn_xml_attribute(gpu, "rank") : "?", sm);
    guint32 v = dn_draft_vertex(r->draft, DN_DRAFT_GPU, name, label);
    r->gpus++;
    add_peers(r, gpu, v, cpu);
    return v;
}

/* A <nic> with its <net>s: one vertex a net, which is a port. Returns the last. */
static guint32 add_nic(Reader *r, const DnXml *nic)
{
    guint32 v = G_MAXUINT32;
    for (guint i = 0; i < nic->children->len; i++) {
        const DnXml *net = nic->children->pdata[i];
        const char *name = dn_xml_attribute(net, "name");
        if (!g_str_equal(net->name, "net") || r->draft->vertices->len >= MAX_VERTICES)
            continue;
        g_autofree char *label = g_strdup_printf(
            "%s, %g Gb/s, port %s, GPUDirect %s", name != NULL ? name : "?",
            dn_xml_number(net, "speed", 0) / 1000,
            dn_xml_attribute(net, "port") != NULL ? dn_xml_attribute(net, "port") : "?",
            dn_xml_number(net, "gdr", 0) > 0 ? "yes" : "no");
        v = dn_draft_vertex(r->draft, DN_DRAFT_NIC, name != NULL ? name : "net", label);
        dn_draft_set_latency(r->draft, v, dn_known_nic_latency());
        double mbps = dn_xml_number(net, "speed", 0);
        if (mbps > 0)
            dn_draft_note(r->draft, "%s: a port of %g Gb/s; its network is not described here.",
                          dn_draft_at(r->draft, v)->name, mbps / 1000);
    }
    return v;
}

static gboolean add_pci(Reader *r, const DnXml *pci, guint32 above, guint32 cpu, GError **error);

/* Children of a <cpu> or of a bridge, below @above. */
static gboolean add_children(Reader *r, const DnXml *xml, guint32 above, guint32 cpu,
                             GError **error)
{
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        if (!nccl_reserve(r, c, error))
            return FALSE;
        if (g_str_equal(c->name, "pci")) {
            if (!add_pci(r, c, above, cpu, error))
                return FALSE;
        } else if (g_str_equal(c->name, "nic")) {
            guint32 before = r->draft->vertices->len;
            add_nic(r, c);
            guint32 class_ = dn_known_pcie(r->draft, 0, 0, r->draft->source);
            for (guint32 v = before; v < r->draft->vertices->len; v++)
                dn_draft_edge(r->draft, v, above, class_, 1);
        }
    }
    return TRUE;
}

static gboolean add_pci(Reader *r, const DnXml *pci, guint32 above, guint32 cpu, GError **error)
{
    const char *bus = dn_xml_require(r->text, pci, "busid", error);
    if (bus == NULL)
        return FALSE;
    const DnXml *gpu = nccl_child(pci, "gpu"), *nic = nccl_child(pci, "nic");
    guint32 first = r->draft->vertices->len, v = G_MAXUINT32, class_ = link_class(r, pci);
    if (gpu != NULL) {
        v = add_gpu(r, pci, gpu, cpu);
    } else if (nic != NULL) {
        v = add_nic(r, nic);
    } else if (starts_with(pci, "class", "0x0604") || nccl_child(pci, "pci") != NULL) {
        char name[40];
        g_snprintf(name, sizeof name, "pcie-switch%u", r->bridges++);
        v = dn_draft_vertex(r->draft, DN_DRAFT_SWITCH, name, bus);
        dn_draft_set_latency(r->draft, v, dn_known_switch_latency());
    }
    if (v == G_MAXUINT32) {
        dn_draft_note(r->draft, "PCI device %s, class %s, is neither GPU nor NIC: left out.", bus,
                      dn_xml_attribute(pci, "class") != NULL ? dn_xml_attribute(pci, "class")
                                                             : "?");
        return TRUE;
    }
    for (guint32 k = first; k < r->draft->vertices->len; k++)
        dn_draft_edge(r->draft, k, above, class_, 1);
    g_hash_table_insert(r->by_bus, g_ascii_strdown(bus, -1), GUINT_TO_POINTER(v + 1));
    return gpu != NULL || nic != NULL || add_children(r, pci, v, cpu, error);
}

static guint32 the_nvswitch(Reader *r)
{
    if (r->nvswitch == G_MAXUINT32) {
        r->nvswitch = dn_draft_vertex(r->draft, DN_DRAFT_NVSWITCH, "nvswitch", NULL);
        dn_draft_set_latency(r->draft, r->nvswitch, dn_known_nvswitch_latency());
    }
    return r->nvswitch;
}

static guint32 c2c_class(Reader *r, const DnXml *xml)
{
    guint32 found = dn_draft_find_class(r->draft, "c2c");
    double mbps = dn_xml_number(xml, "bw", 0), count = MAX(1, dn_xml_number(xml, "count", 1));
    if (found != G_MAXUINT32)
        return found;
    g_autofree char *rate = mbps > 0 && mbps < 1e9 ? dn_known_rate_text(mbps * 8 / 1000)
                                                   : g_strdup("3600 Gb/s");
    g_autofree char *why =
        g_strdup_printf("%s line %u: MB/s of one of %g links", r->draft->source, xml->line, count);
    DnDraftNumber number = mbps > 0 && mbps < 1e9
                               ? dn_known(rate, why)
                               : dn_guess(rate, "not given; NVLink-C2C, 450 GB/s a direction");
    return dn_draft_class(r->draft, "c2c", number, dn_guess("100 ns", "in no description"),
                          dn_guess("83 %", "in no description; as NVLink 4 (machine h200x4)"),
                          dn_guess("1 MiB", "not published; several round trips"));
}

/* The far end of a link element; G_MAXUINT32 when it is not in this file. */
static guint32 far_end(Reader *r, const Peer *peer)
{
    const char *target = dn_xml_attribute(peer->xml, "target");
    if (g_str_equal(peer->xml->name, "c2c") || starts_with(peer->xml, "tclass", "0x068001"))
        return peer->cpu;
    if (starts_with(peer->xml, "tclass", "0x0680"))
        return the_nvswitch(r);
    if (target == NULL)
        return G_MAXUINT32;
    g_autofree char *bus = g_ascii_strdown(target, -1);
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(r->by_bus, bus));
    return found == 0 ? G_MAXUINT32 : found - 1;
}

/* An earlier <nvlink> of the same two (one each way is written) counts once. */
static DnDraftEdge *edge_between(DnDraft *d, guint32 a, guint32 b, guint32 class_)
{
    for (guint i = 0; i < d->edges->len; i++) {
        DnDraftEdge *e = &g_array_index(d->edges, DnDraftEdge, i);
        if (e->link_class == class_ && ((e->a == a && e->b == b) || (e->a == b && e->b == a)))
            return e;
    }
    return NULL;
}

static gboolean add_peer_links(Reader *r, GError **error)
{
    for (guint i = 0; i < r->peers->len; i++) {
        const Peer *p = &g_array_index(r->peers, Peer, i);
        gboolean nvlink = g_str_equal(p->xml->name, "nvlink"),
                 c2c = g_str_equal(p->xml->name, "c2c");
        if (!nvlink && !c2c && !g_str_equal(p->xml->name, "xgmi"))
            continue;
        double count = dn_xml_number(p->xml, "count", 1);
        if (!(count >= 1 && count <= 1000)) {
            dn_import_error(r->text, p->xml->line, p->xml->column, DN_ERROR_RANGE, error,
                            "<%s> with count=\"%s\"; wanted: 1 to 1000", p->xml->name,
                            dn_xml_attribute(p->xml, "count"));
            return FALSE;
        }
        guint32 far = far_end(r, p);
        if (far == G_MAXUINT32 || far == p->vertex) {
            dn_draft_note(r->draft, "%s: its %s to %s leads out of this file; left out.",
                          dn_draft_at(r->draft, p->vertex)->name, p->xml->name,
                          dn_xml_attribute(p->xml, "target") != NULL
                              ? dn_xml_attribute(p->xml, "target")
                              : "?");
            continue;
        }
        guint32 class_ = nvlink ? dn_known_nvlink(r->draft, r->gpu, (guint)count)
                         : c2c  ? c2c_class(r, p->xml)
                                : dn_known_xgmi(r->draft, r->gpu);
        gboolean to_gpu = dn_draft_at(r->draft, far)->kind == DN_DRAFT_GPU;
        DnDraftEdge *e = edge_between(r->draft, p->vertex, far, class_);
        if (e == NULL)
            dn_draft_edge(r->draft, p->vertex, far, class_, (guint32)count);
        else if (to_gpu)
            e->count = MAX(e->count, (guint32)count);
        else
            e->count = MIN(1000, e->count + (guint32)count); /* several NVSwitches as one plane */
    }
    return TRUE;
}

static gboolean add_cpu(Reader *r, const DnXml *xml, GError **error)
{
    const char *numa = dn_xml_attribute(xml, "numaid"), *vendor = dn_xml_attribute(xml, "vendor");
    char name[32];
    gboolean given = numa != NULL && g_ascii_isdigit(numa[0]);
    g_snprintf(name, sizeof name, "cpu%s", given ? numa : "0");
    g_autofree char *label =
        g_strdup_printf("NUMA node %s, %s, %s", given ? numa : "not given",
                        dn_xml_attribute(xml, "arch") != NULL ? dn_xml_attribute(xml, "arch") : "?",
                        vendor != NULL ? vendor : "?");
    guint32 cpu = dn_draft_vertex(r->draft, DN_DRAFT_CPU, name, label);
    g_array_append_val(r->cpus, cpu);
    return add_children(r, xml, cpu, cpu, error);
}

static void join_cpus(Reader *r)
{
    for (guint a = 0; a < r->cpus->len; a++)
        for (guint b = a + 1; b < r->cpus->len; b++) {
            DnDraftEdge *e = dn_draft_edge(r->draft, g_array_index(r->cpus, guint32, a),
                                           g_array_index(r->cpus, guint32, b),
                                           dn_known_socket(r->draft), 1);
            e->assumed = g_strdup("every two NUMA nodes linked; their links are not given");
        }
}

static gboolean read_system(Reader *r, const DnXml *root, GError **error)
{
    if (!g_str_equal(root->name, "system")) {
        g_autofree char *shown = dn_quote(root->name);
        dn_import_error(r->text, root->line, root->column, DN_ERROR_SYNTAX, error,
                        "root element %s; wanted: <system>, as NCCL_TOPO_DUMP_FILE writes", shown);
        return FALSE;
    }
    for (guint i = 0; i < root->children->len; i++) {
        const DnXml *cpu = root->children->pdata[i];
        if (g_str_equal(cpu->name, "cpu") && !add_cpu(r, cpu, error))
            return FALSE;
    }
    if (r->gpus > 0)
        return TRUE;
    dn_import_error(r->text, root->line, root->column, DN_ERROR_MISSING, error,
                    "no <gpu> below <system><cpu>; wanted: the topology of a node with GPUs");
    return FALSE;
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_autoptr(DnXml) root = dn_xml_parse(text, error);
    if (root == NULL)
        return FALSE;
    g_auto(Reader) r = {.text = text, .draft = draft, .nvswitch = G_MAXUINT32};
    r.by_bus = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r.peers = g_array_new(FALSE, FALSE, sizeof(Peer));
    r.cpus = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (!read_system(&r, root, error) || !add_peer_links(&r, error))
        return FALSE;
    join_cpus(&r);
    dn_draft_serve_nearest(draft);
    draft->description = g_strdup_printf("One server with %u GPUs%s%s, from %s", r.gpus,
                                         r.gpu != NULL ? ", " : "",
                                         r.gpu != NULL ? r.gpu->name : "", draft->source);
    dn_draft_split_ports(draft);
    draft->endpoints = g_strdup("gpu");
    dn_known_node_tail(draft);
    return TRUE;
}

static gboolean nccl_recognise(const DnImportText *text)
{
    g_autofree char *root = dn_xml_root_name(text);
    return root != NULL && g_str_equal(root, "system");
}

const DnImporter dn_importer_nccl_xml = {
    .name = "nccl_xml",
    .summary = "NCCL topology XML",
    .sign = "XML with the root <system>",
    .recognise = nccl_recognise,
    .read = read_draft,
};
