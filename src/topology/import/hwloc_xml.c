/* hwloc_xml.c - the inside of a host as hwloc writes it: `lstopo --of xml host.xml`.
 *
 * Read with GMarkup, not libhwloc: what is wanted is a tree of elements with attributes, and the
 * library would be one more dependency for it. Formats 1 and 2 (hwloc 1.0 to 2.x): <object
 * type=...> nested; NUMANode a parent in format 1, a memory child in format 2, of Package, Group or
 * Machine. Bridge with bridge_type "0-1" is a host bridge, "1-1" a PCI bridge (two in a row, one
 * above the other, are a switch); PCIDev with pci_type "0302 [10de:2335] ..." a device and
 * pci_link_speed the GB/s of the link above it; OSDev below it names it (osdev_type 5: GPU driver,
 * 3: OpenFabrics, 2: network). GPUs: class 03xx of NVIDIA, AMD or Intel with a driver's OSDev,
 * class 12xx (accelerator), or 0302. NICs: class 0200, 0207 or 0208 with an OSDev. A bridge above
 * one device only is left out. LIMITATIONS: cores, caches and memory are not read; NVLinks neither
 * (<distances2> gives them as bandwidths between GPUs, not as links): use nvidia-smi topo -m or
 * NCCL's XML. */
#include <stdlib.h>
#include <string.h>

#include "topology/import/import.h"
#include "topology/import/known_hardware.h"
#include "topology/import/xml.h"

#define MAX_VERTICES 4000

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    guint32 gpus, nics, bridges;
    guint packages;
} Reader;

static const char *type_of(const DnXml *xml)
{
    const char *type = dn_xml_attribute(xml, "type");
    return g_str_equal(xml->name, "object") && type != NULL ? type : "";
}

static const char *os_name(const DnXml *pci, const char *osdev_type)
{
    for (guint i = 0; i < pci->children->len; i++) {
        const DnXml *c = pci->children->pdata[i];
        const char *type = dn_xml_attribute(c, "osdev_type");
        if (g_str_equal(type_of(c), "OSDev") &&
            (osdev_type == NULL || g_strcmp0(type, osdev_type) == 0))
            return dn_xml_attribute(c, "name") != NULL ? dn_xml_attribute(c, "name") : "?";
    }
    return NULL;
}

/* "0302 [10de:2335] [...] a1": class, vendor, device. */
static gboolean pci_ids(const DnXml *pci, guint *class_, guint *vendor, guint *device)
{
    const char *text = dn_xml_attribute(pci, "pci_type");
    char *end;
    if (text == NULL)
        return FALSE;
    *class_ = (guint)strtoul(text, &end, 16);
    const char *open = strchr(text, '[');
    *vendor = open != NULL ? (guint)strtoul(open + 1, &end, 16) : 0;
    *device = open != NULL && *end == ':' ? (guint)strtoul(end + 1, NULL, 16) : 0;
    return TRUE;
}

typedef enum { OTHER, A_GPU, A_NIC } Role;

static Role role_of(const DnXml *pci)
{
    guint class_, vendor, device;
    if (!g_str_equal(type_of(pci), "PCIDev") || !pci_ids(pci, &class_, &vendor, &device))
        return OTHER;
    gboolean maker = vendor == 0x10de || vendor == 0x1002 || vendor == 0x8086;
    if (class_ == 0x0302 || class_ >> 8 == 0x12 ||
        (class_ >> 8 == 0x03 && maker && os_name(pci, "5") != NULL))
        return A_GPU;
    if ((class_ == 0x0200 || class_ == 0x0207 || class_ == 0x0208) && os_name(pci, NULL) != NULL)
        return A_NIC;
    return OTHER;
}

/* GPUs and NICs at or below @xml. */
static guint devices_below(const DnXml *xml)
{
    guint n = role_of(xml) != OTHER;
    for (guint i = 0; i < xml->children->len; i++)
        n += devices_below(xml->children->pdata[i]);
    return n;
}

static guint32 link_class(Reader *r, const DnXml *xml)
{
    g_autofree char *source = g_strdup_printf("%s: pci_link_speed", r->draft->source);
    return dn_known_pcie_rate(r->draft, 8 * dn_xml_number(xml, "pci_link_speed", 0), source);
}

static const char *hwloc_info(const DnXml *xml, const char *name)
{
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        if (g_str_equal(c->name, "info") && g_strcmp0(dn_xml_attribute(c, "name"), name) == 0)
            return dn_xml_attribute(c, "value");
    }
    return NULL;
}

static guint32 add_device(Reader *r, const DnXml *pci, Role role)
{
    const char *bus = dn_xml_attribute(pci, "pci_busid"), *product = hwloc_info(pci, "PCIDevice");
    g_autofree char *label = g_strdup_printf("%s%s%s", bus != NULL ? bus : "?",
                                             product != NULL ? ", " : "",
                                             product != NULL ? product : "");
    char name[32];
    guint32 v;
    if (role == A_GPU) {
        g_snprintf(name, sizeof name, "gpu%u", r->gpus++);
        v = dn_draft_vertex(r->draft, DN_DRAFT_GPU, name, label);
    } else {
        const char *os = os_name(pci, "3");
        if (os == NULL)
            os = os_name(pci, "2");
        v = dn_draft_vertex(r->draft, DN_DRAFT_NIC, os != NULL ? os : "nic", label);
        dn_draft_set_latency(r->draft, v, dn_known_nic_latency());
        r->nics++;
    }
    return v;
}

static gboolean hwloc_walk(Reader *r, const DnXml *xml, guint32 above, GError **error);

/* Bridges that part something become switches; host bridges hang on the NUMA node. */
static gboolean add_bridge(Reader *r, const DnXml *xml, guint32 above, GError **error)
{
    guint below = devices_below(xml);
    const char *type = dn_xml_attribute(xml, "bridge_type");
    gboolean host = type == NULL || type[0] == '0';
    if (below == 0)
        return TRUE;
    guint apart = 0;
    for (guint i = 0; i < xml->children->len; i++)
        apart += devices_below(xml->children->pdata[i]) > 0;
    if (apart < 2)
        return hwloc_walk(r, xml, above, error);
    const char *bus = dn_xml_attribute(xml, host ? "bridge_pci" : "pci_busid");
    char name[40];
    g_snprintf(name, sizeof name, "%s%u", host ? "host-bridge" : "pcie-switch", r->bridges++);
    guint32 v = dn_draft_vertex(r->draft, DN_DRAFT_SWITCH, name, bus);
    if (!host)
        dn_draft_set_latency(r->draft, v, dn_known_switch_latency());
    dn_draft_edge(r->draft, v, above, host ? dn_known_bridge(r->draft) : link_class(r, xml), 1);
    return hwloc_walk(r, xml, v, error);
}

static gboolean hwloc_walk(Reader *r, const DnXml *xml, guint32 above, GError **error)
{
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        Role role = role_of(c);
        if (r->draft->vertices->len >= MAX_VERTICES) {
            dn_import_error(r->text, c->line, c->column, DN_ERROR_RANGE, error,
                            "more than %d parts in one host", MAX_VERTICES);
            return FALSE;
        }
        if (role != OTHER) {
            guint32 class_ = link_class(r, c);
            dn_draft_edge(r->draft, add_device(r, c, role), above, class_, 1);
        } else if (g_str_equal(type_of(c), "Bridge") && !add_bridge(r, c, above, error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* NUMA nodes directly below @xml (format 2) count as its own. */
static guint numa_below(const DnXml *xml)
{
    guint n = g_str_equal(type_of(xml), "NUMANode");
    for (guint i = 0; i < xml->children->len; i++)
        n += numa_below(xml->children->pdata[i]);
    return n;
}

static gboolean is_container(const char *type)
{
    static const char *const types[] = {"Machine", "System",   "Package", "Socket",
                                        "Group",   "NUMANode", "Die",     NULL};
    return g_strv_contains(types, type);
}

static guint32 add_cpu(Reader *r, const char *number)
{
    char name[32];
    g_snprintf(name, sizeof name, "cpu%.20s", number);
    return dn_draft_vertex(r->draft, DN_DRAFT_CPU, name, NULL);
}

/* Adds the NUMA nodes below @xml, then what hangs on bridges: on the first NUMA node of the part
 * the bridge stands in. Returns that node, G_MAXUINT32 when the part has none. */
static guint32 add_part(Reader *r, const DnXml *xml, GArray *cpus)
{
    guint32 first = G_MAXUINT32;
    if (g_str_equal(type_of(xml), "NUMANode") && cpus->len < 1024) {
        const char *index = dn_xml_attribute(xml, "os_index");
        guint32 cpu = add_cpu(r, index != NULL ? index : "0");
        g_array_append_val(cpus, cpu);
        first = cpu;
    }
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        if (!is_container(type_of(c)) && numa_below(c) == 0)
            continue;
        guint32 found = add_part(r, c, cpus);
        first = first == G_MAXUINT32 ? found : first;
    }
    return first;
}

/* Vertices of NUMA nodes come in document order, so the first below @xml is found by counting. */
static gboolean add_io(Reader *r, const DnXml *xml, const GArray *cpus, guint *next, guint32 around,
                       GError **error)
{
    guint32 own = around;
    guint start = *next;
    if (numa_below(xml) > 0 && start < cpus->len)
        own = g_array_index(cpus, guint32, start);
    else if (own == G_MAXUINT32)
        own = g_array_index(cpus, guint32, 0);
    if (g_str_equal(type_of(xml), "NUMANode"))
        (*next)++;
    if (g_str_equal(type_of(xml), "Package") || g_str_equal(type_of(xml), "Socket"))
        r->packages++;
    else if (is_container(type_of(xml)) && g_str_equal(type_of(xml), "Machine") && cpus->len > 1 &&
             devices_below(xml) > 0)
        for (guint i = 0; i < xml->children->len; i++) {
            const DnXml *c = xml->children->pdata[i];
            if (g_str_equal(type_of(c), "Bridge") && devices_below(c) > 0)
                dn_draft_note(r->draft,
                              "Line %u: devices on the machine as a whole; drawn at the first NUMA "
                              "node.",
                              c->line);
        }
    if (!hwloc_walk(r, xml, own, error))
        return FALSE;
    for (guint i = 0; i < xml->children->len; i++) {
        const DnXml *c = xml->children->pdata[i];
        if ((is_container(type_of(c)) || numa_below(c) > 0) &&
            !add_io(r, c, cpus, next, own, error))
            return FALSE;
    }
    return TRUE;
}

/* Matrices of distances are facts without a place in a machine. */
static void note_distances(Reader *r, const DnXml *root)
{
    for (guint i = 0; i < root->children->len; i++) {
        const DnXml *c = root->children->pdata[i];
        const char *name = dn_xml_attribute(c, "name");
        if (g_str_has_prefix(c->name, "distances"))
            dn_draft_note(r->draft, "Line %u: the matrix %s is not used.", c->line,
                          name != NULL ? name : "of distances");
    }
}

static void join_cpus(Reader *r, const GArray *cpus)
{
    for (guint a = 0; a < cpus->len; a++)
        for (guint b = a + 1; b < cpus->len; b++)
            dn_draft_edge(r->draft, g_array_index(cpus, guint32, a),
                          g_array_index(cpus, guint32, b), dn_known_socket(r->draft), 1)
                ->assumed = g_strdup("every two NUMA nodes linked; their links are not given");
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_autoptr(DnXml) root = dn_xml_parse(text, error);
    if (root == NULL)
        return FALSE;
    Reader r = {.text = text, .draft = draft};
    g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint next = 0;
    if (!g_str_equal(root->name, "topology")) {
        g_autofree char *shown = dn_quote(root->name);
        dn_import_error(text, root->line, root->column, DN_ERROR_SYNTAX, error,
                        "root element %s; wanted: <topology>, as lstopo --of xml writes", shown);
        return FALSE;
    }
    add_part(&r, root, cpus);
    if (cpus->len == 0) {
        guint32 cpu = add_cpu(&r, "0");
        g_array_append_val(cpus, cpu);
        dn_draft_note(draft, "No NUMA node is given: one is assumed.");
    }
    if (!add_io(&r, root, cpus, &next, G_MAXUINT32, error))
        return FALSE;
    join_cpus(&r, cpus);
    note_distances(&r, root);
    dn_draft_serve_nearest(draft);
    draft->description = g_strdup_printf("One host with %u packages, %u NUMA nodes, %u GPUs and %u "
                                         "NICs, from %s",
                                         r.packages, cpus->len, r.gpus, r.nics, draft->source);
    dn_known_node_tail(draft);
    return TRUE;
}

static gboolean hwloc_recognise(const DnImportText *text)
{
    g_autofree char *root = dn_xml_root_name(text);
    return root != NULL && g_str_equal(root, "topology");
}

const DnImporter dn_importer_hwloc_xml = {
    .name = "hwloc_xml",
    .summary = "hwloc XML",
    .sign = "XML with the root <topology>",
    .recognise = hwloc_recognise,
    .read = read_draft,
};
