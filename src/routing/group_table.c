/* group_table.c - see group_table.h. */
#include "routing/group_table.h"

#include "base/interrupt.h"
#include "base/shared_arrays.h"
#include "routing/neighbours.h"
#include "routing/switch_twins.h"

#include <string.h>

typedef struct {
    const DnGraph *g;
    DnGroupTable *t;
    DnNeighbours inside;   /* of a switch in its group */
    guint32 *members;      /* [R] switches, group by group */
    guint32 *member_first; /* [G + 1] */
    guint16 *distance;     /* [R] scratch, G_MAXUINT16 between uses */
    guint32 *queue;        /* [R] */
    guint16 *ports;        /* scratch, the largest degree */
    guint32 row;           /* of dimension order, or 0 */
} Build;

/* Hops inside a group from each of its switches to the first @tail of the queue, which are marked
 * 0. */
static void spread_inside(Build *b, guint tail)
{
    for (guint head = 0; head < tail; head++) {
        guint32 v = b->queue[head];
        for (guint32 i = b->inside.first[v]; i < b->inside.first[v + 1]; i++) {
            guint32 peer = b->inside.list[i].peer;
            if (b->distance[peer] != G_MAXUINT16)
                continue;
            b->distance[peer] = (guint16)(b->distance[v] + 1);
            b->queue[tail++] = peer;
        }
    }
}

static gboolean same_row(const DnGraph *g, guint32 a, guint32 b, guint32 row)
{
    return g->vertices[a].local / row == g->vertices[b].local / row;
}

/* Ports of @s to switches of its group that are one hop closer; empty when none. Of two hops or
 * more only those in the row, which come first, when there is one. */
static DnPortSet closer_inside(const Build *b, guint32 s, DnPortSet guess)
{
    guint32 row = b->distance[s] < 2 ? 0 : b->row;
    guint n = 0;
    for (guint32 i = b->inside.first[s]; i < b->inside.first[s + 1]; i++) {
        guint32 peer = b->inside.list[i].peer;
        if (b->distance[peer] + 1 == b->distance[s] && (row == 0 || same_row(b->g, s, peer, row)))
            b->ports[n++] = (guint16)b->inside.list[i].port;
    }
    return n == 0 ? DN_PORT_SET_EMPTY : dn_port_sets_add(b->t->sets, b->ports, n, guess);
}

static void index_members(Build *b)
{
    DnGroupTable *t = b->t;
    for (guint32 s = 0; s < t->switches; s++)
        b->member_first[t->group[s] + 1]++;
    for (guint32 i = 0; i < t->groups; i++)
        b->member_first[i + 1] += b->member_first[i];
    g_autofree guint32 *at = g_memdup2(b->member_first, t->groups * sizeof *at);
    for (guint32 s = 0; s < t->switches; s++)
        b->members[at[t->group[s]]++] = s;
}

static void clear_distances(Build *b, guint32 group)
{
    for (guint32 i = b->member_first[group]; i < b->member_first[group + 1]; i++)
        b->distance[b->members[i]] = G_MAXUINT16;
}

/* Global links between groups, breadth first over the groups' own graph. */
static void fill_group_distances(Build *b)
{
    const DnGraph *g = b->g;
    DnGroupTable *t = b->t;
    guint32 n = t->groups;
    g_autofree guint8 *adjacent = g_new0(guint8, (gsize)n * n);
    for (guint32 l = 0; l < g->size.links; l++)
        if (g->links[l].src < t->switches && g->links[l].dst < t->switches)
            adjacent[t->group[g->links[l].src] * n + t->group[g->links[l].dst]] = 1;
    g_autofree guint32 *queue = g_new(guint32, n);
    for (guint32 to = 0; to < n; to++) {
        guint16 *d = t->group_distance + (gsize)to * n; /* symmetric: cables have both directions */
        for (guint32 i = 0; i < n; i++)
            d[i] = G_MAXUINT16;
        d[to] = 0;
        queue[0] = to;
        for (guint head = 0, tail = 1; head < tail; head++)
            for (guint32 i = 0; i < n; i++)
                if (adjacent[queue[head] * n + i] && d[i] == G_MAXUINT16) {
                    d[i] = (guint16)(d[queue[head]] + 1);
                    queue[tail++] = i;
                }
    }
}

/* Global ports of @s that bring it one group nearer to @to. */
static guint gateway_ports(const Build *b, guint32 s, guint32 to)
{
    const DnGraph *g = b->g;
    const guint16 *d = b->t->group_distance + (gsize)to * b->t->groups;
    guint32 own = b->t->group[s];
    guint n = 0;
    for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
        guint32 peer = g->links[g->ports[p]].dst;
        if (peer >= b->t->switches || b->t->group[peer] == own)
            continue;
        if (d[b->t->group[peer]] + 1 == d[own])
            b->ports[n++] = (guint16)(p - g->port_first[s]);
    }
    return n;
}

static void fill_toward_group(Build *b, guint32 own, guint32 to)
{
    DnGroupTable *t = b->t;
    guint tail = 0;
    for (guint32 i = b->member_first[own]; i < b->member_first[own + 1]; i++) {
        guint32 s = b->members[i];
        guint n = gateway_ports(b, s, to);
        if (n == 0)
            continue;
        DnPortSet *at = &t->toward_group[(gsize)s * t->groups + to];
        *at = dn_port_sets_add(t->sets, b->ports, n, to > 0 ? at[-1] : DN_PORT_SET_EMPTY);
        b->distance[s] = 0;
        b->queue[tail++] = s;
    }
    spread_inside(b, tail);
    for (guint32 i = b->member_first[own]; i < b->member_first[own + 1]; i++) {
        guint32 s = b->members[i];
        if (b->distance[s] != 0)
            t->toward_group[(gsize)s * t->groups + to] = closer_inside(b, s, DN_PORT_SET_EMPTY);
    }
    clear_distances(b, own);
}

static gboolean fill_toward_local(Build *b, guint32 to, GError **error)
{
    DnGroupTable *t = b->t;
    guint32 own = t->group[to];
    b->distance[to] = 0;
    b->queue[0] = to;
    spread_inside(b, 1);
    for (guint32 i = b->member_first[own]; i < b->member_first[own + 1]; i++) {
        guint32 s = b->members[i];
        if (b->distance[s] == G_MAXUINT16 && b->g->size.planes > 1)
            continue; /* in another plane */
        if (b->distance[s] == G_MAXUINT16) {
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                        "switches %u and %u of group %u are not joined inside their group", s, to,
                        own);
            return FALSE;
        }
        t->inner_hops = MAX(t->inner_hops, b->distance[s]);
        DnPortSet *at = &t->toward_local[(gsize)s * t->group_switches + t->local[to]];
        if (s != to) /* neighbouring targets mostly have the same ports */
            *at = closer_inside(b, s, t->local[to] > 0 ? at[-1] : DN_PORT_SET_EMPTY);
    }
    clear_distances(b, own);
    return TRUE;
}

/* ---- paths between classes of twins ---- */

typedef struct {
    DnSwitchTwins twins;
    guint16 *distance; /* [classes] to the target's class */
    guint32 *queue;    /* [classes] */
    guint32 *first;    /* [classes + 1] into classes next to each */
    GArray *next;      /* guint32 */
    DnPortSet *sets;   /* [classes next to each] all ports of a switch to that class */
} Classes;

static guint32 class_sample(const Classes *c, guint32 of)
{
    return c->twins.members[c->twins.first[of]];
}

static DnPortSet ports_to_class(const Build *b, const Classes *c, guint32 from, guint32 to)
{
    guint32 s = class_sample(c, from);
    guint n = 0;
    for (guint32 i = b->inside.first[s]; i < b->inside.first[s + 1]; i++)
        if (c->twins.of[b->inside.list[i].peer] == to)
            b->ports[n++] = (guint16)b->inside.list[i].port;
    return dn_port_sets_add(b->t->sets, b->ports, n, DN_PORT_SET_EMPTY);
}

static void classes_init(const Build *b, guint32 own, Classes *c)
{
    guint32 n = b->member_first[own + 1] - b->member_first[own];
    dn_switch_twins_init(&c->twins, &b->inside, b->members + b->member_first[own], n,
                         b->t->switches);
    c->distance = g_new(guint16, n + 1);
    c->queue = g_new(guint32, n + 1);
    c->first = g_new0(guint32, n + 2);
    c->next = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint32 *seen = g_new0(guint32, n + 1);
    for (guint32 of = 0; of < c->twins.n; of++) {
        guint32 s = class_sample(c, of);
        for (guint32 i = b->inside.first[s]; i < b->inside.first[s + 1]; i++) {
            guint32 peer = c->twins.of[b->inside.list[i].peer];
            if (seen[peer] == of + 1)
                continue;
            seen[peer] = of + 1;
            g_array_append_val(c->next, peer);
        }
        c->first[of + 1] = c->next->len;
    }
    c->sets = g_new(DnPortSet, c->next->len + 1);
    for (guint32 of = 0; of < c->twins.n; of++)
        for (guint32 i = c->first[of]; i < c->first[of + 1]; i++)
            c->sets[i] = ports_to_class(b, c, of, g_array_index(c->next, guint32, i));
}

static void classes_clear(Classes *c)
{
    dn_switch_twins_clear(&c->twins);
    g_free(c->distance);
    g_free(c->queue);
    g_free(c->first);
    g_free(c->sets);
    g_array_unref(c->next);
}

static void classes_spread(Classes *c, guint32 to)
{
    memset(c->distance, 0xff, c->twins.n * sizeof *c->distance);
    c->distance[to] = 0;
    c->queue[0] = to;
    for (guint32 head = 0, tail = 1; head < tail; head++)
        for (guint32 i = c->first[c->queue[head]]; i < c->first[c->queue[head] + 1]; i++) {
            guint32 next = g_array_index(c->next, guint32, i);
            if (c->distance[next] != G_MAXUINT16)
                continue;
            c->distance[next] = (guint16)(c->distance[c->queue[head]] + 1);
            c->queue[tail++] = next;
        }
}

static DnPortSet *toward_local(const Build *b, guint32 s, guint32 to)
{
    return &b->t->toward_local[(gsize)s * b->t->group_switches + b->t->local[to]];
}

/* Ports of @s to switch @to, its neighbour. */
static DnPortSet ports_to_neighbour(const Build *b, guint32 s, guint32 to)
{
    guint n = 0;
    for (guint32 i = b->inside.first[s]; i < b->inside.first[s + 1]; i++)
        if (b->inside.list[i].peer == to)
            b->ports[n++] = (guint16)b->inside.list[i].port;
    return dn_port_sets_add(b->t->sets, b->ports, n, DN_PORT_SET_EMPTY);
}

/* Ports of the switches of class @from to classes at @distance of the target's. */
static DnPortSet ports_to_distance(const Build *b, const Classes *c, guint32 from, guint distance,
                                   DnPortSet guess)
{
    guint classes = 0, n = 0;
    DnPortSet set = DN_PORT_SET_EMPTY;
    for (guint32 i = c->first[from]; i < c->first[from + 1]; i++)
        if (c->distance[g_array_index(c->next, guint32, i)] == distance) {
            set = c->sets[i];
            classes++;
        }
    if (classes == 1)
        return set;
    guint32 s = class_sample(c, from);
    for (guint32 i = b->inside.first[s]; i < b->inside.first[s + 1]; i++)
        if (c->distance[c->twins.of[b->inside.list[i].peer]] == distance)
            b->ports[n++] = (guint16)b->inside.list[i].port;
    return dn_port_sets_add(b->t->sets, b->ports, n, guess);
}

/* Fills the paths between neighbours, or twins: each pair has ports of its own, or shares all. */
static void fill_near_class(const Build *b, const Classes *c, guint32 from, guint32 to)
{
    const DnSwitchTwins *w = &c->twins;
    DnPortSet all = from == to && w->first[to + 1] - w->first[to] > 1
                        ? ports_to_distance(b, c, to, 1, DN_PORT_SET_EMPTY)
                        : DN_PORT_SET_EMPTY;
    for (guint32 i = w->first[from]; i < w->first[from + 1]; i++)
        for (guint32 j = w->first[to]; j < w->first[to + 1]; j++)
            if (from != to)
                *toward_local(b, w->members[i], w->members[j]) =
                    ports_to_neighbour(b, w->members[i], w->members[j]);
            else if (i != j)
                *toward_local(b, w->members[i], w->members[j]) = all;
}

/* FALSE: the group is not connected. */
static gboolean fill_toward_class(const Build *b, Classes *c, guint32 to, DnPortSet *last)
{
    const DnSwitchTwins *w = &c->twins;
    guint hops = w->first[to + 1] - w->first[to] > 1 ? 2 : 0;
    classes_spread(c, to);
    for (guint32 from = 0; from < w->n; from++) {
        if (c->distance[from] == G_MAXUINT16)
            return FALSE;
        hops = MAX(hops, c->distance[from]);
        if (c->distance[from] < 2) {
            fill_near_class(b, c, from, to);
            continue;
        }
        last[from] = ports_to_distance(b, c, from, c->distance[from] - 1u, last[from]);
        for (guint32 i = w->first[from]; i < w->first[from + 1]; i++)
            for (guint32 j = w->first[to]; j < w->first[to + 1]; j++)
                *toward_local(b, w->members[i], w->members[j]) = last[from];
    }
    b->t->inner_hops = MAX(b->t->inner_hops, hops);
    return TRUE;
}

/* Does what fill_toward_local() does, for all of group @own, where many switches are twins. FALSE:
 * few are, or not all are joined. */
static gboolean fill_by_twins(const Build *b, guint32 own)
{
    guint32 n = b->member_first[own + 1] - b->member_first[own];
    if (b->row > 0 || b->g->size.planes > 1)
        return FALSE;
    Classes c;
    classes_init(b, own, &c);
    gboolean good = c.twins.n <= n - n / 4;
    g_autofree DnPortSet *last = g_new(DnPortSet, c.twins.n + 1);
    memset(last, 0xff, c.twins.n * sizeof *last); /* DN_PORT_SET_EMPTY */
    for (guint32 to = 0; good && to < c.twins.n && !dn_interrupted(); to++)
        good = fill_toward_class(b, &c, to, last);
    classes_clear(&c);
    return good;
}

guint64 dn_group_table_memory_bytes(const DnGraphSize *size)
{
    guint64 groups = MAX(1, size->groups);
    guint64 each = MAX(size->group_switches, (size->switches + groups - 1) / groups);
    return size->switches * (groups + each) * sizeof(DnPortSet) +
           groups * groups * (sizeof(guint16) + sizeof(guint8)) +
           size->switches * (guint64)(2 * sizeof(guint32));
}

static DnGroupTable *table_alloc(const DnGraph *g)
{
    DnGroupTable *t = g_new0(DnGroupTable, 1);
    t->switches = g->size.switches;
    t->groups = MAX(1, g->size.groups);
    t->group = g_new(guint32, t->switches + 1);
    t->local = g_new(guint32, t->switches + 1);
    for (guint32 s = 0; s < t->switches; s++) {
        t->group[s] = g->vertices[s].group;
        t->local[s] = g->vertices[s].local;
        g_assert(t->group[s] < t->groups);
        t->group_switches = MAX(t->group_switches, t->local[s] + 1);
    }
    for (guint32 s = 0; s < t->switches; s++) /* detours are drawn as group and index */
        g_assert(s == t->group[s] * t->group_switches + t->local[s]);
    gsize by_group = (gsize)t->switches * t->groups;
    gsize by_local = (gsize)t->switches * t->group_switches;
    t->sets = dn_port_sets_new();
    t->toward_group = dn_array_of(DnPortSet, by_group + 1);
    t->toward_local = dn_array_of(DnPortSet, by_local + 1);
    t->group_distance = g_new(guint16, (gsize)t->groups * t->groups);
    memset(t->toward_group, 0xff, by_group * sizeof(DnPortSet)); /* DN_PORT_SET_EMPTY */
    memset(t->toward_local, 0xff, by_local * sizeof(DnPortSet));
    return t;
}

static gboolean fill_group_locals(Build *b, guint32 own, GError **error)
{
    for (guint32 i = b->member_first[own]; i < b->member_first[own + 1]; i++)
        if (!dn_interrupt_check(error) || !fill_toward_local(b, b->members[i], error))
            return FALSE;
    return TRUE;
}

static gboolean fill_tables(Build *b, GError **error)
{
    DnGroupTable *t = b->t;
    index_members(b);
    fill_group_distances(b);
    for (guint32 own = 0; own < t->groups && !dn_interrupted(); own++)
        for (guint32 to = 0; to < t->groups; to++)
            if (own != to)
                fill_toward_group(b, own, to);
    for (guint32 own = 0; own < t->groups; own++) {
        if (!fill_by_twins(b, own) && !fill_group_locals(b, own, error))
            return FALSE;
    }
    return dn_interrupt_check(error);
}

DnGroupTable *dn_group_table_new(const DnGraph *g, guint32 row, GError **error)
{
    DnGroupTable *t = table_alloc(g);
    guint32 degree = 1;
    for (guint32 s = 0; s < t->switches; s++)
        degree = MAX(degree, dn_graph_degree(g, s));
    g_autofree guint32 *members = g_new(guint32, t->switches + 1);
    g_autofree guint32 *member_first = g_new0(guint32, t->groups + 1);
    g_autofree guint16 *distance = g_new(guint16, t->switches + 1);
    g_autofree guint32 *queue = g_new(guint32, t->switches + 1);
    g_autofree guint16 *ports = g_new(guint16, degree);
    memset(distance, 0xff, t->switches * sizeof *distance);
    Build b = {g, t, {NULL, NULL}, members, member_first, distance, queue, ports, row};
    dn_neighbours_init(&b.inside, g, TRUE);
    gboolean good = fill_tables(&b, error);
    dn_neighbours_clear(&b.inside);
    if (!good) {
        dn_group_table_free(t);
        return NULL;
    }
    dn_port_sets_close(t->sets);
    return t;
}

void dn_group_table_free(DnGroupTable *t)
{
    if (t == NULL)
        return;
    dn_port_sets_free(t->sets);
    dn_array_free(t->toward_group);
    dn_array_free(t->toward_local);
    g_free(t->group);
    g_free(t->local);
    g_free(t->group_distance);
    g_free(t);
}
