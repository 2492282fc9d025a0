/* network_shape.c - see network_shape.h. */
#include "topology/import/network_shape.h"

#include <string.h>

#include "topology/import/known_hardware.h"

#define MAX_LEVELS 8 /* of fat_tree.c */

typedef struct {
    const DnNetwork *net;
    guint32 n;
    guint32 *hosts;  /* [n] on each switch */
    guint32 *degree; /* [n] switches beside each */
    guint32 *level;  /* [n] 0: holds hosts; DN: not reached */
    guint32 *parent; /* [n] the switch above, or G_MAXUINT32 */
    guint32 *order;  /* [n] leaves in the order of the fabric's */
    guint32 n_order;
    guint32 down[MAX_LEVELS], cables[MAX_LEVELS]; /* children of a switch; cables to its parent */
    guint32 up;                                   /* spines of two levels */
    guint levels;
    guint32 host_rate, cable_rate;
} Shape;

static void shape_clear(Shape *s)
{
    g_free(s->hosts);
    g_free(s->degree);
    g_free(s->level);
    g_free(s->parent);
    g_free(s->order);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Shape, shape_clear)

static const DnNetCable *cable_at(const Shape *s, guint i)
{
    return &g_array_index(s->net->cables, DnNetCable, i);
}

/* Counts by switch; FALSE where a host has several ports or rates differ. */
static gboolean network_shape_count(Shape *s)
{
    s->host_rate = s->cable_rate = G_MAXUINT32;
    for (guint i = 0; i < s->net->hosts->len; i++)
        if (g_array_index(s->net->hosts, DnNetHost, i).ports != 1)
            return FALSE;
    for (guint i = 0; i < s->net->cables->len; i++) {
        const DnNetCable *c = cable_at(s, i);
        guint32 *rate = c->to_host ? &s->host_rate : &s->cable_rate;
        if (*rate != G_MAXUINT32 && *rate != c->rate)
            return FALSE;
        *rate = c->rate;
        if (c->to_host) {
            s->hosts[c->a]++;
        } else {
            s->degree[c->a]++;
            s->degree[c->b]++;
        }
    }
    guint32 wanted = 0;
    for (guint32 i = 0; i < s->n; i++) {
        if (s->hosts[i] == 0)
            continue;
        if (wanted != 0 && s->hosts[i] != wanted)
            return FALSE;
        wanted = s->hosts[i];
        s->level[i] = 0;
    }
    s->down[0] = wanted;
    return wanted > 0;
}

/* Levels by rounds: a switch is one above the switches that point at it. In a tree each switch but
 * the top ends with one neighbour of no level yet: its parent. */
static gboolean raise_level(Shape *s, guint level)
{
    gboolean any = FALSE;
    for (guint i = 0; i < s->net->cables->len; i++) {
        const DnNetCable *c = cable_at(s, i);
        if (c->to_host)
            break;
        for (guint direction = 0; direction < 2; direction++) {
            guint32 low = direction ? c->b : c->a, high = direction ? c->a : c->b;
            if (s->level[low] != level ||
                (s->level[high] != G_MAXUINT32 && s->level[high] != level + 1))
                continue;
            if (s->parent[low] != G_MAXUINT32)
                return FALSE; /* two above it: no tree */
            if (s->cables[level + 1] != 0 && s->cables[level + 1] != c->count)
                return FALSE;
            s->cables[level + 1] = c->count;
            s->parent[low] = high;
            s->level[high] = level + 1;
            any = TRUE;
        }
    }
    return any;
}

static guint32 count_level(const Shape *s, guint level)
{
    guint32 n = 0;
    for (guint32 i = 0; i < s->n; i++)
        n += s->level[i] == level;
    return n;
}

/* Leaves below @top, left to right; FALSE when a switch has not as many children as its like. */
static gboolean walk_down(Shape *s, guint32 top)
{
    guint level = s->level[top];
    guint32 children = 0;
    if (level == 0) {
        s->order[s->n_order++] = top;
        return TRUE;
    }
    for (guint32 i = 0; i < s->n; i++) {
        if (s->parent[i] != top || s->level[i] != level - 1)
            continue;
        children++;
        if (!walk_down(s, i))
            return FALSE;
    }
    if (s->down[level] == 0)
        s->down[level] = children;
    return s->down[level] == children;
}

static gboolean is_tree(Shape *s)
{
    guint level = 0;
    while (count_level(s, level) > 1) {
        if (level + 2 > MAX_LEVELS || !raise_level(s, level))
            return FALSE;
        level++;
    }
    s->levels = level + 1;
    s->up = 1;
    guint32 cables = 0, top = 0;
    for (guint32 i = 0; i < s->n; i++) {
        if (s->level[i] == G_MAXUINT32)
            return FALSE;
        if (s->level[i] == level)
            top = i;
        cables += s->degree[i];
    }
    return cables == 2 * (s->n - 1) && walk_down(s, top) && s->n_order == count_level(s, 0);
}

static gboolean is_two_levels(Shape *s)
{
    guint32 leaves = 0, spines = 0, pairs = 0, each = 0;
    for (guint32 i = 0; i < s->n; i++) {
        leaves += s->hosts[i] > 0;
        spines += s->hosts[i] == 0;
    }
    for (guint i = 0; i < s->net->cables->len; i++) {
        const DnNetCable *c = cable_at(s, i);
        if (c->to_host)
            break;
        if ((s->hosts[c->a] > 0) == (s->hosts[c->b] > 0) || (each != 0 && each != c->count))
            return FALSE;
        each = c->count;
        pairs++;
    }
    if (leaves < 2 || spines < 2 || (guint64)pairs != (guint64)leaves * spines)
        return FALSE;
    for (guint32 i = 0; i < s->n; i++)
        if (s->hosts[i] > 0)
            s->order[s->n_order++] = i;
    s->levels = 2;
    s->down[1] = leaves;
    s->up = spines;
    s->cables[1] = each;
    return TRUE;
}

static void append_class(GString *out, const DnNetwork *net, const char *name, guint32 rate)
{
    const DnNetRate *r = &g_array_index(net->rates, DnNetRate, rate);
    g_autoptr(DnDraft) scratch = dn_draft_new("", "");
    dn_known_network(scratch, "x", r->gbps, r->source, r->assumed);
    const DnDraftClass *c = &g_array_index(scratch->classes, DnDraftClass, 0);
    const struct {
        const char *key;
        const DnDraftNumber *number;
    } rows[] = {{"bandwidth", &c->bandwidth},
                {"latency", &c->latency},
                {"efficiency", &c->efficiency},
                {"buffer", &c->buffer}};
    g_string_append_printf(out, "    %s: # %s\n", name, r->name);
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_string_append_printf(out, "      %s: ", rows[i].key);
        dn_draft_append_number(out, rows[i].number);
        g_string_append_c(out, '\n');
    }
}

static void append_list(GString *out, const char *key, const guint32 *values, guint n)
{
    g_string_append_printf(out, "  %s: [", key);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(out, "%s%u", i > 0 ? ", " : "", values[i]);
    g_string_append(out, "]\n");
}

static void write_fabric(const Shape *s, DnDraft *d)
{
    guint32 up[MAX_LEVELS];
    DnDraftNumber latency = dn_known_fabric_latency();
    d->fabric = g_string_new("  type: fat_tree\n  source: ");
    dn_draft_append_quoted(d->fabric, d->source);
    g_string_append_printf(d->fabric, "\n  levels: %u\n", s->levels);
    append_list(d->fabric, "down", s->down, s->levels);
    for (guint i = 0; i < s->levels; i++)
        up[i] = s->up;
    if (s->levels > 1) {
        append_list(d->fabric, "up", up, s->levels - 1);
        append_list(d->fabric, "parallel_links", s->cables + 1, s->levels - 1);
    }
    g_string_append(d->fabric, "  links:\n");
    append_class(d->fabric, s->net, "terminal", s->host_rate);
    if (s->levels > 1)
        append_class(d->fabric, s->net, "level1", s->cable_rate);
    g_string_append(d->fabric, "  switch:\n    latency: ");
    dn_draft_append_number(d->fabric, &latency);
    g_string_append(d->fabric, "\n\nnic:\n  latency: ");
    dn_draft_number_clear(&latency);
    latency = dn_known_nic_latency();
    dn_draft_append_number(d->fabric, &latency);
    g_string_append_c(d->fabric, '\n');
    dn_draft_number_clear(&latency);
}

/* Which host a node of the fabric is: "leaf s0: n1 n2", a line a leaf. */
static void list_hosts(const Shape *s, DnDraft *d)
{
    g_autofree GString **lines = g_new0(GString *, s->n);
    for (guint i = 0; i < s->net->cables->len; i++) {
        const DnNetCable *c = cable_at(s, i);
        if (!c->to_host)
            continue;
        if (lines[c->a] == NULL) {
            const DnNetSwitch *w = &g_array_index(s->net->switches, DnNetSwitch, c->a);
            lines[c->a] = g_string_new("leaf ");
            g_string_append(lines[c->a], w->name);
            if (w->label != NULL)
                g_string_append_printf(lines[c->a], " (%s)", w->label);
            g_string_append_c(lines[c->a], ':');
        }
        g_string_append_printf(lines[c->a], " %s",
                               g_array_index(s->net->hosts, DnNetHost, c->b).name);
    }
    dn_draft_note(d, "Nodes, in the order of the fabric's:");
    for (guint32 i = 0; i < s->n_order; i++)
        dn_draft_note(d, "%s", lines[s->order[i]]->str);
    for (guint32 i = 0; i < s->n; i++) {
        const DnNetSwitch *w = &g_array_index(s->net->switches, DnNetSwitch, i);
        if (lines[i] != NULL)
            g_string_free(lines[i], TRUE);
        else
            dn_draft_note(d, "switch above: %s%s%s%s", w->name, w->label != NULL ? " (" : "",
                          w->label != NULL ? w->label : "", w->label != NULL ? ")" : "");
    }
}

gboolean dn_network_shape(const DnNetwork *net, DnDraft *d)
{
    guint32 n = net->switches->len;
    g_auto(Shape) s = {.net = net, .n = n};
    s.hosts = g_new0(guint32, n);
    s.degree = g_new0(guint32, n);
    s.level = g_new(guint32, n);
    s.parent = g_new(guint32, n);
    s.order = g_new(guint32, n);
    memset(s.level, 0xff, sizeof *s.level * n);
    memset(s.parent, 0xff, sizeof *s.parent * n);
    if (!network_shape_count(&s))
        return FALSE;
    if (!is_two_levels(&s) && !is_tree(&s))
        return FALSE;
    write_fabric(&s, d);
    list_hosts(&s, d);
    return TRUE;
}
