/* rocm_topo.c - the tables that `rocm-smi --showtopo` prints, and `rocm-smi --shownodesbw`.
 *
 * Sections between lines of "=" with a title: Weight, Hops, Link Type and (shownodesbw) Bandwidth
 * between two GPUs, each a matrix with columns GPU0 GPU1 ...; Numa Nodes as lines "GPU[0] :
 * (Topology) Numa Node: 0" and "... Numa Affinity: 0"; Link accessibility, whose table is read
 * over. A pair of type XGMI and one hop is linked directly; its links are the largest bandwidth
 * over that of one (50000 MB/s a link on MI200: "50000-200000" is four), 1 where bandwidth is not
 * given. Bandwidth "0-0" or N/A: no direct link. A pair of type PCIE goes over the host; two or
 * more hops over PCIe say nothing of switches, so each GPU hangs on its NUMA node by a bridge of
 * its own. GCDs of one hive forward for each other where not all pairs have a direct link.
 * (ROCm/rocm_smi_lib, python_smi_tools/rocm_smi.py; discussion 108 on weights and hops.) */
#include <string.h>

#include "topology/import/draft_ports.h"
#include "topology/import/known_hardware.h"
#include "topology/import/import.h"
#include "topology/import/pcie_levels.h"

#define MAX_GPUS 256
#define MBPS_A_LINK 50000 /* as amdgpu reports an MI200 link */

typedef enum { NOTHING, WEIGHT, HOPS, TYPE, BANDWIDTH, NUMA } Section;

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    guint32 n;
    gint32 *hops, *weight, *links; /* [n * n], -1: not given */
    gint8 *xgmi;                   /* [n * n] 1, 0, -1: not given */
    gint64 *numa, *affinity;       /* [MAX_GPUS] */
    char *product;
} Tables;

static void tables_clear(Tables *t)
{
    g_free(t->hops);
    g_free(t->weight);
    g_free(t->links);
    g_free(t->xgmi);
    g_free(t->numa);
    g_free(t->affinity);
    g_free(t->product);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tables, tables_clear)

static Section section_of(const char *line)
{
    static const struct {
        const char *title;
        Section section;
    } titles[] = {{"Weight between two GPUs", WEIGHT},
                  {"Hops between two GPUs", HOPS},
                  {"Link Type between two GPUs", TYPE},
                  {"Bandwidth between two GPUs", BANDWIDTH},
                  {"Numa Nodes", NUMA}};
    for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
        if (strstr(line, titles[i].title) != NULL)
            return titles[i].section;
    return NOTHING;
}

static void rocm_grow(Tables *t, guint32 n)
{
    gsize cells = (gsize)n * n;
    t->n = n;
    t->hops = g_new(gint32, cells);
    t->weight = g_new(gint32, cells);
    t->links = g_new(gint32, cells);
    t->xgmi = g_new(gint8, cells);
    memset(t->hops, 0xff, cells * sizeof *t->hops);
    memset(t->weight, 0xff, cells * sizeof *t->weight);
    memset(t->links, 0xff, cells * sizeof *t->links);
    memset(t->xgmi, 0xff, cells);
}

static gboolean is_header(const GPtrArray *words)
{
    for (guint i = 0; i < words->len; i++)
        if (dn_import_index(words->pdata[i], "GPU", MAX_GPUS) != (gint64)i)
            return FALSE;
    return words->len > 0;
}

static gboolean rocm_refuse(const Tables *t, guint line, const char *cell, GError **error,
                            const char *wanted)
{
    const char *whole = dn_import_line(t->text, line),
               *at = cell != NULL ? strstr(whole, cell) : NULL;
    g_autofree char *shown = dn_quote(cell != NULL ? cell : whole);
    dn_import_error(t->text, line, at != NULL ? (guint)(at - whole) + 1 : 1, DN_ERROR_SYNTAX, error,
                    "%s; wanted: %s", shown, wanted);
    return FALSE;
}

/* "50000-200000", "0-0", "N/A": links, 0 when none. */
static gboolean read_bandwidth(const char *cell, gint32 *links)
{
    const char *dash = strchr(cell, '-');
    guint64 most;
    *links = 0;
    if (g_str_equal(cell, "N/A"))
        return TRUE;
    if (dash == NULL || !g_ascii_string_to_unsigned(dash + 1, 10, 0, 100000000, &most, NULL))
        return FALSE;
    *links = (gint32)((most + MBPS_A_LINK / 2) / MBPS_A_LINK);
    if (most > 0)
        *links = MAX(1, *links);
    return TRUE;
}

static gboolean read_cell(Tables *t, Section section, guint32 row, guint32 column, guint line,
                          const char *cell, GError **error)
{
    gsize at = (gsize)row * t->n + column;
    guint64 number;
    if (row == column)
        return TRUE; /* 0 in every table */
    switch (section) {
    case TYPE:
        if (!g_str_equal(cell, "XGMI") && !g_str_equal(cell, "PCIE") && !g_str_equal(cell, "N/A"))
            return rocm_refuse(t, line, cell, error, "XGMI, PCIE or N/A");
        if (!g_str_equal(cell, "N/A"))
            t->xgmi[at] = g_str_equal(cell, "XGMI");
        return TRUE;
    case BANDWIDTH:
        return read_bandwidth(cell, &t->links[at]) ||
               rocm_refuse(t, line, cell, error,
                           "least-largest in MB/s, like 50000-200000, or N/A");
    default:
        if (g_str_equal(cell, "N/A"))
            return TRUE;
        if (!g_ascii_string_to_unsigned(cell, 10, 0, 100000, &number, NULL))
            return rocm_refuse(t, line, cell, error, "a whole number or N/A");
        (section == HOPS ? t->hops : t->weight)[at] = (gint32)number;
        return TRUE;
    }
}

static gboolean read_row(Tables *t, Section section, guint line, const GPtrArray *words,
                         GError **error)
{
    gint64 row = dn_import_index(words->pdata[0], "GPU", t->n);
    if (row < 0 || words->len != t->n + 1) {
        g_autofree char *wanted = g_strdup_printf("GPU0 to GPU%u and %u cells", t->n - 1, t->n);
        return rocm_refuse(t, line, NULL, error, wanted);
    }
    for (guint32 k = 0; k < t->n; k++)
        if (!read_cell(t, section, (guint32)row, k, line, words->pdata[k + 1], error))
            return FALSE;
    return TRUE;
}

/* "GPU[0]  : (Topology) Numa Node: 0", "GPU[0] : Card Series: AMD Instinct MI250X" */
static gboolean read_gpu_line(Tables *t, guint line, const char *text, GError **error)
{
    char *end;
    guint64 gpu = g_ascii_strtoull(text + 4, &end, 10);
    const char *node = strstr(text, "Numa Node:"), *near = strstr(text, "Numa Affinity:");
    const char *series = strstr(text, "Card Series:");
    if (end == text + 4 || *end != ']' || gpu >= MAX_GPUS)
        return rocm_refuse(t, line, NULL, error, "GPU[0] to GPU[255]");
    if (series != NULL && t->product == NULL)
        t->product = g_strstrip(g_strdup(series + strlen("Card Series:")));
    if (node == NULL && near == NULL)
        return TRUE;
    const char *value = node != NULL ? node + strlen("Numa Node:")
                                     : near + strlen("Numa Affinity:");
    gint64 number = g_ascii_strtoll(value, &end, 10);
    if (end == value || number < -1 || number > 4095)
        return rocm_refuse(t, line, NULL, error, "a NUMA node, -1 to 4095");
    (node != NULL ? t->numa : t->affinity)[gpu] = number;
    return TRUE;
}

static gboolean read_lines(Tables *t, GError **error)
{
    Section section = NOTHING;
    for (guint line = 1; line <= t->text->lines->len; line++) {
        const char *text = dn_import_line(t->text, line);
        g_autoptr(GPtrArray) words = dn_import_words(text);
        if (words->len == 0)
            continue;
        if (g_str_has_prefix(words->pdata[0], "===")) {
            section = section_of(text);
        } else if (g_str_has_prefix(text, "GPU[")) {
            if (!read_gpu_line(t, line, text, error))
                return FALSE;
        } else if (section != NOTHING && section != NUMA && is_header(words)) {
            if (t->n == 0)
                rocm_grow(t, words->len);
            else if (t->n != words->len)
                return rocm_refuse(t, line, NULL, error, "as many GPUs as the table before");
        } else if (section != NOTHING && section != NUMA && t->n > 0 &&
                   g_str_has_prefix(words->pdata[0], "GPU")) {
            if (!read_row(t, section, line, words, error))
                return FALSE;
        }
    }
    return t->n > 0 ||
           rocm_refuse(t, 1, NULL, error,
                       "a table 'Link Type between two GPUs', as rocm-smi --showtopo prints");
}

/* Links between two GPUs: 0, none. */
static gint32 links_between(const Tables *t, guint32 a, guint32 b)
{
    gsize at = (gsize)a * t->n + b;
    if (t->xgmi[at] == 0)
        return 0;
    if (t->links[at] >= 0)
        return t->links[at];
    return t->xgmi[at] == 1 && t->hops[at] <= 1 ? 1 : 0;
}

/* Notes the values given for pairs without a link of their own, which have no place in a
 * machine. */
static void note_unlinked(const Tables *t)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint32 a = 0; a < t->n; a++)
        for (guint32 b = a + 1; b < t->n; b++) {
            gsize at = (gsize)a * t->n + b;
            if (links_between(t, a, b) > 0 || links_between(t, b, a) > 0 || t->xgmi[at] < 0)
                continue;
            g_string_append_printf(list, "%s gpu%u-gpu%u (%s, hops %d, weight %d)",
                                   list->len > 0 ? "," : "", a, b, t->xgmi[at] ? "XGMI" : "PCIE",
                                   t->hops[at], t->weight[at]);
        }
    if (list->len > 0)
        dn_draft_note(t->draft, "Pairs without a direct link:%s.", list->str);
}

static void link_gpus(Tables *t, const guint32 *gpus)
{
    const DnGpuFacts *facts = t->product != NULL ? dn_gpu_by_name(t->product) : NULL;
    guint guessed = 0, without = 0;
    for (guint32 a = 0; a < t->n; a++)
        for (guint32 b = a + 1; b < t->n; b++) {
            gint32 links = MAX(links_between(t, a, b), links_between(t, b, a));
            without += links == 0 && t->xgmi[(gsize)a * t->n + b] == 1;
            if (links == 0)
                continue;
            DnDraftEdge *e = dn_draft_edge(t->draft, gpus[a], gpus[b],
                                           dn_known_xgmi(t->draft, facts), (guint32)links);
            gsize at = (gsize)a * t->n + b;
            if (t->weight[at] >= 0)
                e->label = g_strdup_printf("weight %d, hops %d", t->weight[at], t->hops[at]);
            if (t->links[at] < 0) {
                e->assumed = g_strdup("one link; --showtopo does not tell how many");
                guessed++;
            }
        }
    if (guessed > 0)
        dn_draft_note(t->draft,
                      "How wide %u pair(s) are linked is not in --showtopo: one link is assumed; "
                      "append the output of rocm-smi --shownodesbw to the file.",
                      guessed);
    for (guint32 a = 0; without > 0 && a < t->n; a++)
        for (guint32 b = 0; b < t->n; b++)
            if (a != b && (links_between(t, a, b) > 0 || links_between(t, b, a) > 0))
                dn_draft_at(t->draft, gpus[a])->forwards = TRUE;
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_auto(Tables) t = {.text = text, .draft = draft};
    t.numa = g_new(gint64, MAX_GPUS);
    t.affinity = g_new(gint64, MAX_GPUS);
    memset(t.numa, 0xff, MAX_GPUS * sizeof *t.numa);
    memset(t.affinity, 0xff, MAX_GPUS * sizeof *t.affinity);
    if (!read_lines(&t, error))
        return FALSE;
    g_autoptr(DnLevels) levels = dn_levels_new(t.n);
    for (guint32 i = 0; i < t.n; i++) {
        char name[32];
        g_snprintf(name, sizeof name, "gpu%u", i);
        gint64 numa = t.numa[i] >= 0 ? t.numa[i] : t.affinity[i];
        g_autofree char *label = NULL;
        if (t.numa[i] >= 0 && t.affinity[i] >= 0 && t.numa[i] != t.affinity[i])
            label = g_strdup_printf("NUMA node %" G_GINT64_FORMAT ", affinity %" G_GINT64_FORMAT,
                                    t.numa[i], t.affinity[i]);
        levels->vertices[i] = dn_draft_vertex(draft, DN_DRAFT_GPU, name, label);
        levels->numa[i] = numa;
    }
    levels->pcie = dn_known_pcie(draft, 0, 0, draft->source);
    link_gpus(&t, levels->vertices);
    note_unlinked(&t);
    dn_levels_build(levels, draft);
    draft->description = g_strdup_printf("One server with %u GPUs%s%s, from %s", t.n,
                                         t.product != NULL ? ", " : "",
                                         t.product != NULL ? t.product : "", draft->source);
    dn_draft_split_ports(draft);
    draft->endpoints = g_strdup("gpu");
    dn_known_node_tail(draft);
    return TRUE;
}

static gboolean rocm_recognise(const DnImportText *text)
{
    return strstr(text->text, "between two GPUs") != NULL && (strstr(text->text, "===") != NULL);
}

const DnImporter dn_importer_rocm_topo = {
    .name = "rocm_topo",
    .summary = "rocm-smi --showtopo",
    .sign = "headings like '=== Link Type between two GPUs ==='",
    .recognise = rocm_recognise,
    .read = read_draft,
};
