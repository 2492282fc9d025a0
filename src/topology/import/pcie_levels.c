/* pcie_levels.c - see pcie_levels.h. */
#include "topology/import/pcie_levels.h"

#include <string.h>

#include "topology/import/known_hardware.h"

static const char *const names[] = {"PIX", "PXB", "PHB", "NODE", "SYS", "unknown"};

const char *dn_level_name(DnLevel level)
{
    return names[level];
}

DnLevels *dn_levels_new(guint32 n)
{
    DnLevels *l = g_new0(DnLevels, 1);
    l->n = n;
    l->vertices = g_new0(guint32, n);
    l->level = g_malloc((gsize)n * n);
    memset(l->level, DN_LEVEL_UNKNOWN, (gsize)n * n);
    l->numa = g_new(gint64, n);
    for (guint32 i = 0; i < n; i++)
        l->numa[i] = -1;
    return l;
}

void dn_levels_free(DnLevels *l)
{
    if (l == NULL)
        return;
    g_free(l->vertices);
    g_free(l->level);
    g_free(l->numa);
    g_free(l);
}

void dn_levels_set(DnLevels *l, guint32 a, guint32 b, DnLevel level)
{
    l->level[(gsize)a * l->n + b] = l->level[(gsize)b * l->n + a] = (guint8)level;
}

static DnLevel level_of(const DnLevels *l, guint32 a, guint32 b)
{
    return (DnLevel)l->level[(gsize)a * l->n + b];
}

/* set[i]: the least device joined to i by steps of @level or nearer. */
static void pcie_levels_part(const DnLevels *l, DnLevel level, guint32 *set)
{
    for (guint32 i = 0; i < l->n; i++)
        set[i] = i;
    for (guint32 a = 0; a < l->n; a++)
        for (guint32 b = a + 1; b < l->n; b++) {
            if (level_of(l, a, b) > level || set[a] == set[b])
                continue;
            guint32 keep = MIN(set[a], set[b]), drop = MAX(set[a], set[b]);
            for (guint32 i = 0; i < l->n; i++)
                if (set[i] == drop)
                    set[i] = keep;
        }
}

/* Farthest known level inside each device's set of @set. */
static void pcie_levels_diameters(const DnLevels *l, const guint32 *set, guint8 *diameter)
{
    memset(diameter, DN_LEVEL_PIX, l->n);
    for (guint32 a = 0; a < l->n; a++)
        for (guint32 b = a + 1; b < l->n; b++)
            if (set[a] == set[b] && level_of(l, a, b) != DN_LEVEL_UNKNOWN)
                diameter[set[a]] = MAX(diameter[set[a]], (guint8)level_of(l, a, b));
}

/* Two devices that no chain of known levels joins: NUMA nodes apart when those are known and
 * differ; else at one host bridge, or as far as the farthest known on either side, so that
 * nothing known comes nearer. Pairs that a chain joins need no level of their own. */
static void fill_unknown(DnLevels *l, DnDraft *d)
{
    g_autofree guint32 *set = g_new(guint32, l->n);
    g_autofree guint8 *diameter = g_new(guint8, l->n);
    guint guessed = 0;
    pcie_levels_part(l, DN_LEVEL_SYS, set);
    pcie_levels_diameters(l, set, diameter);
    for (guint32 a = 0; a < l->n; a++)
        for (guint32 b = a + 1; b < l->n; b++) {
            gboolean given = l->numa[a] >= 0 && l->numa[b] >= 0;
            DnLevel level = (DnLevel)MAX(DN_LEVEL_PHB, MAX(diameter[set[a]], diameter[set[b]]));
            if (set[a] == set[b] || level_of(l, a, b) != DN_LEVEL_UNKNOWN)
                continue;
            guessed++;
            if (given && l->numa[a] != l->numa[b])
                level = DN_LEVEL_SYS;
            else if (given)
                level = MIN(level, DN_LEVEL_NODE);
            dn_levels_set(l, a, b, level);
        }
    if (guessed > 0)
        dn_draft_note(d,
                      "How near %u pair(s) of devices are over PCIe is not given; assumed: as near "
                      "as the rest allows, at one host bridge at best.",
                      guessed);
}

static void note_contradictions(const DnLevels *l, guint32 *const *sets, DnDraft *d)
{
    guint32 n = 0;
    for (guint32 a = 0; a < l->n; a++)
        for (guint32 b = a + 1; b < l->n; b++) {
            DnLevel level = level_of(l, a, b);
            if (level == DN_LEVEL_PIX || level == DN_LEVEL_UNKNOWN ||
                sets[level - 1][a] != sets[level - 1][b])
                continue;
            if (n++ < 8)
                dn_draft_note(d, "%s and %s are %s apart by the input, nearer by their neighbours.",
                              dn_draft_at(d, l->vertices[a])->name,
                              dn_draft_at(d, l->vertices[b])->name, dn_level_name(level));
        }
}

/* A vertex of the tree above each device at each level; the device itself where nothing is
 * between. */
typedef struct {
    DnLevels *levels;
    DnDraft *draft;
    guint32 *sets[DN_LEVEL_SYS];  /* PIX .. NODE: set of each device */
    guint32 *above[DN_LEVEL_SYS]; /* vertex that stands for the set, at the set's least device */
} Tree;

static guint32 pcie_levels_members(const Tree *t, DnLevel level, guint32 set, DnLevel inner)
{
    guint32 n = 0;
    for (guint32 i = 0; i < t->levels->n; i++)
        n += t->sets[level][i] == set && (inner == DN_LEVEL_UNKNOWN || t->sets[inner][i] == i);
    return n;
}

static void link_up(Tree *t, guint32 child, guint32 parent, guint32 link_class)
{
    dn_draft_edge(t->draft, child, parent, link_class, 1);
}

/* PIX and PXB: a switch where several meet. */
static void add_switches(Tree *t, DnLevel level)
{
    const DnLevels *l = t->levels;
    guint32 made = 0;
    for (guint32 i = 0; i < l->n; i++) {
        if (t->sets[level][i] != i)
            continue;
        DnLevel inner = level == DN_LEVEL_PIX ? DN_LEVEL_UNKNOWN : DN_LEVEL_PIX;
        if (pcie_levels_members(t, level, i, inner) < 2) {
            t->above[level][i] = level == DN_LEVEL_PIX ? l->vertices[i] : t->above[DN_LEVEL_PIX][i];
            continue;
        }
        char name[40];
        g_snprintf(name, sizeof name, "%s%u",
                   level == DN_LEVEL_PIX ? "pcie-switch" : "pcie-upper-switch", made++);
        guint32 v = dn_draft_vertex(t->draft, DN_DRAFT_SWITCH, name, NULL);
        dn_draft_set_latency(t->draft, v, dn_known_switch_latency());
        t->above[level][i] = v;
        for (guint32 k = 0; k < l->n; k++)
            if (t->sets[level][k] == i && (inner == DN_LEVEL_UNKNOWN || t->sets[inner][k] == k))
                link_up(t, inner == DN_LEVEL_UNKNOWN ? l->vertices[k] : t->above[inner][k], v,
                        l->pcie);
    }
}

/* The NUMA node of a set by what its devices say; @fallback when they say nothing. */
static gint64 numa_of(const Tree *t, guint32 set, gint64 fallback)
{
    for (guint32 i = 0; i < t->levels->n; i++)
        if (t->sets[DN_LEVEL_NODE][i] == set && t->levels->numa[i] >= 0)
            return t->levels->numa[i];
    return fallback;
}

/* Host bridges, where a NUMA node has several, and the NUMA node itself. */
static void add_numa(Tree *t, guint32 set, gint64 number, guint32 *bridges)
{
    const DnLevels *l = t->levels;
    char name[40];
    g_snprintf(name, sizeof name, "cpu%" G_GINT64_FORMAT, numa_of(t, set, number));
    guint32 cpu = dn_draft_vertex(t->draft, DN_DRAFT_CPU, name, NULL);
    t->above[DN_LEVEL_NODE][set] = cpu;
    gboolean several = pcie_levels_members(t, DN_LEVEL_NODE, set, DN_LEVEL_PHB) > 1;
    for (guint32 i = 0; i < l->n; i++) {
        if (t->sets[DN_LEVEL_NODE][i] != set || t->sets[DN_LEVEL_PHB][i] != i)
            continue;
        guint32 at = cpu;
        if (several) {
            g_snprintf(name, sizeof name, "host-bridge%u", (*bridges)++);
            at = dn_draft_vertex(t->draft, DN_DRAFT_SWITCH, name, NULL);
            link_up(t, at, cpu, dn_known_bridge(t->draft));
        }
        t->above[DN_LEVEL_PHB][i] = at;
        for (guint32 k = 0; k < l->n; k++)
            if (t->sets[DN_LEVEL_PHB][k] == i && t->sets[DN_LEVEL_PXB][k] == k)
                link_up(t, t->above[DN_LEVEL_PXB][k], at, l->pcie);
    }
}

static void join_numa(Tree *t)
{
    const DnLevels *l = t->levels;
    for (guint32 a = 0; a < l->n; a++)
        for (guint32 b = a + 1; b < l->n; b++) {
            if (t->sets[DN_LEVEL_NODE][a] != a || t->sets[DN_LEVEL_NODE][b] != b)
                continue;
            DnDraftEdge *e = dn_draft_edge(t->draft, t->above[DN_LEVEL_NODE][a],
                                           t->above[DN_LEVEL_NODE][b], dn_known_socket(t->draft),
                                           1);
            e->assumed = g_strdup("every two NUMA nodes linked; their links are not given");
        }
}

/* Nearest NIC, the one that serves fewest among equals. */
static void pcie_levels_serve(const DnLevels *l, DnDraft *d, guint32 device)
{
    guint32 best = l->n, best_load = 0;
    for (guint32 k = 0; k < l->n; k++) {
        if (dn_draft_at(d, l->vertices[k])->kind != DN_DRAFT_NIC)
            continue;
        guint32 load = 0;
        for (guint32 i = 0; i < l->n; i++)
            load += dn_draft_at(d, l->vertices[i])->nic == l->vertices[k];
        if (best == l->n || level_of(l, device, k) < level_of(l, device, best) ||
            (level_of(l, device, k) == level_of(l, device, best) && load < best_load)) {
            best = k;
            best_load = load;
        }
    }
    if (best < l->n)
        dn_draft_serve(d, l->vertices[best], l->vertices[device]);
}

/* Each NUMA node uses the first NIC of its own, else the first of all. */
static void serve_cpus(const Tree *t)
{
    const DnLevels *l = t->levels;
    for (guint32 set = 0; set < l->n; set++) {
        guint32 best = l->n;
        if (t->sets[DN_LEVEL_NODE][set] != set)
            continue;
        for (guint32 k = 0; k < l->n; k++) {
            if (dn_draft_at(t->draft, l->vertices[k])->kind != DN_DRAFT_NIC)
                continue;
            gboolean own = t->sets[DN_LEVEL_NODE][k] == set;
            if (best == l->n || (own && t->sets[DN_LEVEL_NODE][best] != set))
                best = k;
        }
        if (best < l->n)
            dn_draft_serve(t->draft, l->vertices[best], t->above[DN_LEVEL_NODE][set]);
    }
}

void dn_levels_build(DnLevels *l, DnDraft *d)
{
    Tree t = {.levels = l, .draft = d};
    guint32 bridges = 0;
    gint64 number = 0;
    fill_unknown(l, d);
    for (guint level = 0; level < DN_LEVEL_SYS; level++) {
        t.sets[level] = g_new(guint32, l->n);
        t.above[level] = g_new0(guint32, l->n);
        pcie_levels_part(l, (DnLevel)level, t.sets[level]);
    }
    note_contradictions(l, t.sets, d);
    add_switches(&t, DN_LEVEL_PIX);
    add_switches(&t, DN_LEVEL_PXB);
    for (guint32 i = 0; i < l->n; i++)
        if (t.sets[DN_LEVEL_NODE][i] == i)
            add_numa(&t, i, number++, &bridges);
    join_numa(&t);
    for (guint32 i = 0; i < l->n; i++)
        if (dn_draft_at(d, l->vertices[i])->kind == DN_DRAFT_GPU)
            pcie_levels_serve(l, d, i);
    serve_cpus(&t);
    for (guint level = 0; level < DN_LEVEL_SYS; level++) {
        g_free(t.sets[level]);
        g_free(t.above[level]);
    }
}
