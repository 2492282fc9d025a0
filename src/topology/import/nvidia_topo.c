/* nvidia_topo.c - the matrix that `nvidia-smi topo -m` prints, with its NIC legend, and the one of
 * `nvidia-smi topo -p2p n`; both may stand in one file, and `nvidia-smi -L` before them.
 *
 * Columns are parted by tabs in what the tool prints and by blanks in what people paste: words are
 * all that counts, since a cell is one word and the row's name is the first. Cells: X, SYS, NODE,
 * PHB, PXB, PIX (older: PSB, one on-board switch), NV<n>; -p2p: OK, NS, CNS, GNS, TNS, U. After the
 * cells come CPU affinity, NUMA affinity, GPU NUMA id, of which a row may leave out some; a bond of
 * NVLinks hides how near two GPUs are over PCIe.
 * NVLinks: more links than any GPU has (18) summed over its partners, or more than the named GPU
 * has, mean that they go to switches, which are drawn as one plane (machine h200x4). */
#include <string.h>

#include "topology/import/draft_ports.h"
#include "topology/import/known_hardware.h"
#include "topology/import/import.h"
#include "topology/import/pcie_levels.h"

#define MAX_DEVICES 512
#define MOST_LINKS 18 /* of any GPU so far: H100, H200, B200 */

typedef struct {
    const DnImportText *text;
    DnDraft *draft;
    GPtrArray *names;     /* char*: "GPU0", "NIC1", "mlx5_0" in the order of the columns */
    DnLevels *levels;     /* made once the columns are known */
    guint16 *nvlinks;     /* [n * n] */
    gint8 *p2p;           /* [n * n] 1: OK, 0: not, -1: not given */
    gboolean nearness;    /* a matrix of levels was there */
    GHashTable *real;     /* "NIC0" -> "mlx5_0" */
    GHashTable *affinity; /* "GPU0" -> CPU affinity text */
    const DnGpuFacts *gpu;
    char *product;
} Matrix;

static void matrix_clear(Matrix *m)
{
    g_ptr_array_unref(m->names);
    dn_levels_free(m->levels);
    g_free(m->nvlinks);
    g_free(m->p2p);
    g_hash_table_unref(m->real);
    g_hash_table_unref(m->affinity);
    g_free(m->product);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Matrix, matrix_clear)

/* Words of a line; what is left of an underlining whose escape character a paste lost is cut. */
static GPtrArray *words_of(const char *line)
{
    line += strspn(line, " \t");
    return dn_import_words(g_str_has_prefix(line, "[4m") ? line + 3 : line);
}

static gboolean is_device(const char *word)
{
    static const char *const stems[] = {"GPU", "NIC",   "mlx4_", "mlx5_", "bnxt_re", "hfi1_",
                                        "ibp", "rdmap", "irdma", "efa_",  "roce",    NULL};
    for (guint i = 0; stems[i] != NULL; i++)
        if (g_str_has_prefix(word, stems[i]) && g_ascii_isalnum(word[strlen(stems[i])]))
            return strchr(word, ':') == NULL;
    return FALSE;
}

static gboolean is_gpu(const char *name)
{
    return dn_import_index(name, "GPU", MAX_DEVICES) >= 0;
}

/* A line of column names: at least a GPU, and no cell. */
static gboolean is_header(const GPtrArray *words)
{
    return words->len >= 1 && g_str_equal(words->pdata[0], "GPU0") &&
           (words->len == 1 || is_device(words->pdata[1]) || g_str_equal(words->pdata[1], "CPU"));
}

static gint64 column_of(const Matrix *m, const char *name)
{
    for (guint i = 0; i < m->names->len; i++)
        if (g_str_equal(m->names->pdata[i], name))
            return i;
    return -1;
}

static gboolean read_header(Matrix *m, guint line, const GPtrArray *words, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < words->len && is_device(words->pdata[i]); i++)
        g_ptr_array_add(names, g_strdup(words->pdata[i]));
    if (m->levels == NULL) {
        if (names->len > MAX_DEVICES) {
            dn_import_error(m->text, line, 1, DN_ERROR_RANGE, error, "%u columns; allowed: %d",
                            names->len, MAX_DEVICES);
            return FALSE;
        }
        g_ptr_array_unref(m->names);
        m->names = g_steal_pointer(&names);
        gsize n = m->names->len;
        m->levels = dn_levels_new((guint32)n);
        m->nvlinks = g_new0(guint16, n * n);
        m->p2p = g_malloc(n * n);
        memset(m->p2p, -1, n * n);
        return TRUE;
    }
    for (guint i = 0; i < names->len; i++)
        if (column_of(m, names->pdata[i]) != (gint64)i) {
            g_autofree char *shown = dn_quote(names->pdata[i]);
            dn_import_error(m->text, line, 1, DN_ERROR_RANGE, error,
                            "a second matrix with other columns: %s; wanted: one machine", shown);
            return FALSE;
        }
    return TRUE;
}

static gint find_level(const char *cell)
{
    for (guint level = 0; level < DN_LEVEL_UNKNOWN; level++)
        if (g_str_equal(cell, dn_level_name((DnLevel)level)))
            return (gint)level;
    return g_str_equal(cell, "PSB")   ? (gint)DN_LEVEL_PIX
           : g_str_equal(cell, "SOC") ? (gint)DN_LEVEL_SYS /* its name before 2017 */
                                      : -1;
}

/* One cell of row @a, column @b; FALSE: not a word the tool prints. */
static gboolean read_cell(Matrix *m, guint32 a, guint32 b, const char *cell)
{
    static const char *const not_ok[] = {"NS", "CNS", "GNS", "TNS", "U", "DR", NULL};
    gsize at = (gsize)a * m->names->len + b, mirror = (gsize)b * m->names->len + a;
    gint level = find_level(cell);
    gint64 bond = dn_import_index(cell, "NV", 1000);
    if (g_str_equal(cell, "X"))
        return a == b;
    if (a == b)
        return FALSE;
    if (level >= 0) {
        dn_levels_set(m->levels, a, b, (DnLevel)level);
        m->nearness = TRUE;
    } else if (bond > 0) {
        m->nvlinks[at] = m->nvlinks[mirror] = (guint16)bond;
        m->nearness = TRUE;
    } else if (g_str_equal(cell, "OK") || g_strv_contains(not_ok, cell)) {
        m->p2p[at] = m->p2p[mirror] = g_str_equal(cell, "OK");
    } else {
        return FALSE;
    }
    return TRUE;
}

/* Reads the affinity behind the cells: "0-63 0 N/A", which NICs do not have. */
static void read_affinity(Matrix *m, guint32 row, const GPtrArray *words, guint first)
{
    if (words->len <= first)
        return;
    g_hash_table_insert(m->affinity, g_strdup(m->names->pdata[row]), g_strdup(words->pdata[first]));
    guint64 numa;
    if (words->len > first + 1 &&
        g_ascii_string_to_unsigned(words->pdata[first + 1], 10, 0, 4096, &numa, NULL))
        m->levels->numa[row] = (gint64)numa;
}

static gboolean read_row(Matrix *m, guint line, const GPtrArray *words, GError **error)
{
    gint64 row = column_of(m, words->pdata[0]);
    g_autofree char *shown = dn_quote(words->pdata[0]);
    if (row < 0) {
        dn_import_error(m->text, line, 1, DN_ERROR_UNKNOWN, error,
                        "a row %s without a column; wanted: the columns' names again", shown);
        return FALSE;
    }
    guint32 n = m->names->len;
    if (words->len < n + 1) {
        dn_import_error(m->text, line, 1, DN_ERROR_SYNTAX, error,
                        "row %s has %u cells; wanted: %u, as there are columns", shown,
                        words->len - 1, n);
        return FALSE;
    }
    for (guint32 b = 0; b < n; b++) {
        const char *cell = words->pdata[b + 1];
        if (read_cell(m, (guint32)row, b, cell))
            continue;
        g_autofree char *what = dn_quote(cell);
        dn_import_error(
            m->text, line,
            (guint)(strstr(dn_import_line(m->text, line), cell) - dn_import_line(m->text, line)) +
                1,
            DN_ERROR_SYNTAX, error,
            "row %s, column %s: %s; wanted: X (itself), NV1 .. NV999, PIX, PXB, PHB, "
            "NODE, SYS, or of -p2p: OK, NS, CNS, GNS, TNS, U",
            shown, (char *)m->names->pdata[b], what);
        return FALSE;
    }
    read_affinity(m, (guint32)row, words, n + 1);
    return TRUE;
}

/* "NIC0: mlx5_0" of the legend; "GPU 0: NVIDIA H200 (UUID: ...)" of nvidia-smi -L. */
static void read_legend(Matrix *m, const char *line, const GPtrArray *words)
{
    const char *first = words->pdata[0];
    if (words->len == 2 && g_str_has_prefix(first, "NIC") && g_str_has_suffix(first, ":")) {
        g_hash_table_insert(m->real, g_strndup(first, strlen(first) - 1),
                            g_strdup(words->pdata[1]));
    } else if (m->product == NULL && words->len > 2 && g_str_equal(first, "GPU") &&
               g_str_has_suffix(words->pdata[1], ":")) {
        const char *name = strchr(line, ':') + 1;
        const char *end = strstr(name, " (UUID");
        m->product =
            g_strstrip(end != NULL ? g_strndup(name, (gsize)(end - name)) : g_strdup(name));
        m->gpu = dn_gpu_by_name(m->product);
    }
}

static gboolean read_lines(Matrix *m, GError **error)
{
    gboolean in_matrix = FALSE;
    for (guint i = 1; i <= m->text->lines->len; i++) {
        const char *line = dn_import_line(m->text, i);
        g_autoptr(GPtrArray) words = words_of(line);
        if (words->len == 0) {
            in_matrix = FALSE;
        } else if (is_header(words)) {
            if (!read_header(m, i, words, error))
                return FALSE;
            in_matrix = TRUE;
        } else if (in_matrix && is_device(words->pdata[0])) {
            if (!read_row(m, i, words, error))
                return FALSE;
        } else {
            read_legend(m, line, words);
        }
    }
    if (m->levels != NULL)
        return TRUE;
    dn_import_error(m->text, 1, 1, DN_ERROR_MISSING, error,
                    "no line of columns that begins with GPU0; wanted: nvidia-smi topo -m");
    return FALSE;
}

static void add_devices(Matrix *m)
{
    for (guint32 i = 0; i < m->names->len; i++) {
        const char *name = m->names->pdata[i];
        const char *real = g_hash_table_lookup(m->real, name);
        const char *cpus = g_hash_table_lookup(m->affinity, name);
        g_autofree char *label = NULL;
        if (cpus != NULL)
            label = g_strdup_printf("CPUs %s", cpus);
        else if (real != NULL)
            label = g_strdup(name);
        g_autofree char *lower = g_ascii_strdown(real != NULL ? real : name, -1);
        guint32 v = dn_draft_vertex(m->draft, is_gpu(name) ? DN_DRAFT_GPU : DN_DRAFT_NIC,
                                    real != NULL ? real : lower, label);
        if (!is_gpu(name))
            dn_draft_set_latency(m->draft, v, dn_known_nic_latency());
        m->levels->vertices[i] = v;
    }
}

static guint nvidia_bond(const Matrix *m, guint32 a, guint32 b)
{
    return m->nvlinks[(gsize)a * m->names->len + b];
}

/* One group of GPUs that NVLinks join: to a switch, or to each other. */
static void link_group(Matrix *m, const GArray *group, guint32 *planes)
{
    guint most = 0, widest = 0, limit = m->gpu != NULL ? m->gpu->max_links : MOST_LINKS;
    for (guint i = 0; i < group->len; i++) {
        guint sum = 0;
        for (guint k = 0; k < group->len; k++) {
            guint n =
                nvidia_bond(m, g_array_index(group, guint32, i), g_array_index(group, guint32, k));
            sum += n;
            widest = MAX(widest, n);
        }
        most = MAX(most, sum);
    }
    guint32 class_ = dn_known_nvlink(m->draft, m->gpu, most > limit ? widest : most);
    guint32 plane = G_MAXUINT32;
    if (most > limit) {
        char name[32];
        g_snprintf(name, sizeof name, "nvswitch%u", (*planes)++);
        plane = dn_draft_vertex(m->draft, DN_DRAFT_NVSWITCH, name, NULL);
        dn_draft_set_latency(m->draft, plane, dn_known_nvswitch_latency());
        dn_draft_note(m->draft,
                      "%u NVLinks a GPU, summed over its partners, are more than a GPU has (%u): "
                      "they go to switches, drawn as one plane, %s.",
                      most, limit, name);
    }
    for (guint i = 0; i < group->len; i++) {
        guint32 a = g_array_index(group, guint32, i);
        guint own = 0;
        for (guint k = 0; k < group->len; k++) {
            guint32 b = g_array_index(group, guint32, k);
            own = MAX(own, nvidia_bond(m, a, b));
            if (plane == G_MAXUINT32 && a < b && nvidia_bond(m, a, b) > 0)
                dn_draft_edge(m->draft, m->levels->vertices[a], m->levels->vertices[b], class_,
                              nvidia_bond(m, a, b));
        }
        if (plane != G_MAXUINT32)
            dn_draft_edge(m->draft, m->levels->vertices[a], plane, class_, own);
    }
}

static void link_gpus(Matrix *m)
{
    guint32 n = m->names->len, planes = 0;
    g_autofree gboolean *seen = g_new0(gboolean, n);
    for (guint32 first = 0; first < n; first++) {
        g_autoptr(GArray) group = g_array_new(FALSE, FALSE, sizeof(guint32));
        if (seen[first])
            continue;
        seen[first] = TRUE;
        g_array_append_val(group, first);
        for (guint at = 0; at < group->len; at++)
            for (guint32 b = 0; b < n; b++)
                if (!seen[b] && nvidia_bond(m, g_array_index(group, guint32, at), b) > 0) {
                    seen[b] = TRUE;
                    g_array_append_val(group, b);
                }
        if (group->len > 1)
            link_group(m, group, &planes);
    }
}

/* A matrix of -p2p n alone: pairs that NVLink serves, but not over how many links. */
static void use_p2p(Matrix *m)
{
    guint32 n = m->names->len;
    guint refused = 0;
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = a + 1; b < n; b++) {
            gsize at = (gsize)a * n + b;
            if (m->p2p[at] == 1 && !m->nearness)
                m->nvlinks[at] = m->nvlinks[(gsize)b * n + a] = 1;
            refused += m->p2p[at] == 0 && m->nvlinks[at] > 0;
        }
    if (!m->nearness)
        dn_draft_note(m->draft, "topo -p2p n tells which pairs NVLink serves, not over how many "
                                "links: one link a pair is assumed; topo -m tells.");
    if (refused > 0)
        dn_draft_note(m->draft,
                      "topo -p2p n says that NVLink does not serve %u of the pairs that topo -m "
                      "shows linked.",
                      refused);
}

static gboolean read_draft(const DnImportText *text, DnDraft *draft, GError **error)
{
    g_auto(Matrix)
        m = {.text = text, .draft = draft, .names = g_ptr_array_new_with_free_func(g_free)};
    m.real = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    m.affinity = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (!read_lines(&m, error))
        return FALSE;
    guint gpus = 0;
    for (guint i = 0; i < m.names->len; i++)
        gpus += is_gpu(m.names->pdata[i]);
    add_devices(&m);
    use_p2p(&m);
    draft->description = g_strdup_printf("One server with %u GPUs%s%s, from %s", gpus,
                                         m.product != NULL ? ", " : "",
                                         m.product != NULL ? m.product : "", draft->source);
    m.levels->pcie = dn_known_pcie(draft, 0, 0, draft->source);
    link_gpus(&m);
    dn_levels_build(m.levels, draft);
    dn_draft_split_ports(draft);
    draft->endpoints = g_strdup("gpu");
    dn_known_node_tail(draft);
    return TRUE;
}

static gboolean nvidia_recognise(const DnImportText *text)
{
    for (guint i = 1; i <= MIN(text->lines->len, 2000u); i++) {
        g_autoptr(GPtrArray) words = words_of(dn_import_line(text, i));
        if (words->len < 1 || !is_header(words))
            continue;
        g_autoptr(GPtrArray) next = dn_import_words(dn_import_line(text, i + 1));
        if (next->len >= 2 && g_str_equal(next->pdata[0], "GPU0") &&
            g_str_equal(next->pdata[1], "X"))
            return TRUE;
    }
    return FALSE;
}

const DnImporter dn_importer_nvidia_topo = {
    .name = "nvidia_topo",
    .summary = "nvidia-smi topo",
    .sign = "a line of columns GPU0 GPU1 ..., below it a row GPU0 X ...",
    .recognise = nvidia_recognise,
    .read = read_draft,
};
