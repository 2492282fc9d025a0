/* path_rows.c - see path_rows.h. Breadth first from each source. A switch is reached over the first
 * ports of all switches that are one hop nearer, kept as bits. As soon as every switch is known to
 * be at some distance, those that are farthest lead nowhere and are not looked at again. */
#include "routing/path_rows.h"

#include "base/interrupt.h"
#include "routing/neighbours.h"

#include <string.h>

#define WORD_BITS 64

typedef struct {
    const DnGraph *g;
    DnPathTable *t;
    DnNeighbours to;
    guint words;    /* of 64 ports, that a switch has towards others */
    guint64 *first; /* [R * words] ports of the source that lead to each switch */
    guint8 *hops;   /* [R] from the source: its row of the table */
    guint32 *queue; /* [R] */
    guint16 *ports; /* [words * 64] */
} Rows;

static void rows_init(Rows *r, const DnGraph *g, DnPathTable *t)
{
    guint32 most = 0;
    *r = (Rows){.g = g, .t = t};
    dn_neighbours_init(&r->to, g, FALSE);
    for (guint32 i = 0; i < r->to.first[t->switches]; i++)
        most = MAX(most, r->to.list[i].port);
    r->words = most / WORD_BITS + 1;
    r->first = g_new0(guint64, (gsize)t->switches * r->words + 1);
    r->queue = g_new(guint32, t->switches + 1);
    r->ports = g_new(guint16, (gsize)r->words * WORD_BITS);
}

static void rows_clear(Rows *r)
{
    dn_neighbours_clear(&r->to);
    g_free(r->first);
    g_free(r->queue);
    g_free(r->ports);
}

static guint64 *first_ports(const Rows *r, guint32 to)
{
    return r->first + (gsize)to * r->words;
}

/* Returns the number of neighbours, which begin the queue. */
static guint32 reach_neighbours(Rows *r, guint32 source)
{
    guint32 tail = 0;
    for (guint32 i = r->to.first[source]; i < r->to.first[source + 1]; i++) {
        DnPeerPort at = r->to.list[i];
        if (r->hops[at.peer] == DN_PATH_NONE) {
            r->hops[at.peer] = 1;
            r->queue[tail++] = at.peer;
            memset(first_ports(r, at.peer), 0, r->words * sizeof *r->first);
        }
        first_ports(r, at.peer)[at.port / WORD_BITS] |= 1ull << at.port % WORD_BITS;
    }
    return tail;
}

/* Looks at the neighbours of @v; returns the new end of the queue. */
static guint32 reach_from(Rows *r, guint32 v, guint8 hops, guint32 tail)
{
    const guint64 *from = first_ports(r, v);
    const DnPeerPort *end = r->to.list + r->to.first[v + 1];
    for (const DnPeerPort *at = r->to.list + r->to.first[v]; at < end; at++) {
        guint8 known = r->hops[at->peer];
        if (known < hops)
            continue;
        guint64 *ports = first_ports(r, at->peer);
        if (known == hops) {
            for (guint w = 0; w < r->words; w++)
                ports[w] |= from[w];
        } else {
            r->hops[at->peer] = hops;
            r->queue[tail++] = at->peer;
            memcpy(ports, from, r->words * sizeof *ports);
        }
    }
    return tail;
}

static void rows_search(Rows *r, guint32 source)
{
    guint32 n = r->t->switches, head = 0;
    memset(r->hops, DN_PATH_NONE, n);
    r->hops[source] = 0;
    guint32 tail = reach_neighbours(r, source);
    for (guint8 hops = 2; hops < DN_PATH_NONE && head < tail && tail + 1 < n; hops++)
        for (guint32 end = tail; head < end; head++)
            tail = reach_from(r, r->queue[head], hops, tail);
}

/* Returns TRUE when @set is the list of the @n ports of @first. */
static gboolean set_is(const Rows *r, DnPortSet set, const guint64 *first, guint n)
{
    if (set & DN_PORT_SET_SINGLE || r->t->sets->ports[set] != n)
        return FALSE;
    const guint16 *ports = r->t->sets->ports + set + 1;
    guint64 all = 1;
    for (guint i = 0; i < n; i++)
        all &= first[ports[i] / WORD_BITS] >> ports[i] % WORD_BITS;
    return all & 1;
}

/* Returns the set of first ports to @to. @above, @left: those of the source and of the target
 * before, often the same. */
static DnPortSet set_of(Rows *r, guint32 to, DnPortSet above, DnPortSet left)
{
    const guint64 *first = first_ports(r, to);
    guint n = 0, count = 0, last = 0;
    for (guint w = 0; w < r->words; w++)
        if (first[w] != 0) {
            n += (guint)__builtin_popcountll(first[w]);
            last = w * WORD_BITS + (guint)__builtin_ctzll(first[w]);
        }
    if (n == 1)
        return DN_PORT_SET_SINGLE | last;
    if (set_is(r, above, first, n))
        return above;
    if (set_is(r, left, first, n))
        return left;
    for (guint w = 0; w < r->words; w++)
        for (guint64 bits = first[w]; bits != 0; bits &= bits - 1)
            r->ports[count++] = (guint16)(w * WORD_BITS + (guint)__builtin_ctzll(bits));
    return dn_port_sets_add(r->t->sets, r->ports, n, DN_PORT_SET_EMPTY);
}

static gboolean fill_row(Rows *r, guint32 source, const guint8 *is_end, GError **error)
{
    DnPathTable *t = r->t;
    DnPortSet *row = t->toward + dn_path_at(t, 0, source, 0);
    r->hops = t->hops + dn_path_at(t, 0, source, 0);
    rows_search(r, source);
    for (guint32 to = 0; to < t->switches; to++) {
        guint8 hops = r->hops[to];
        gboolean counts = is_end[source] && is_end[to] && dn_same_plane(r->g, to, source);
        if (counts && hops == DN_PATH_NONE) {
            g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                        "no path from switch %u to switch %u, or one of more than %d hops", to,
                        source, DN_PATH_NONE - 1);
            return FALSE;
        }
        if (counts)
            t->longest = MAX(t->longest, hops);
        DnPortSet above = source > 0 ? row[(gssize)to - t->switches] : DN_PORT_SET_EMPTY;
        DnPortSet left = to > 0 ? row[to - 1] : DN_PORT_SET_EMPTY;
        row[to] = hops == 0 || hops == DN_PATH_NONE ? DN_PORT_SET_EMPTY
                                                    : set_of(r, to, above, left);
    }
    return dn_interrupt_check(error);
}

gboolean dn_path_rows_fill(const DnGraph *graph, const guint8 *is_end, DnPathTable *table,
                           GError **error)
{
    Rows r;
    gboolean good = TRUE;
    g_assert(table->layers == 1);
    rows_init(&r, graph, table);
    for (guint32 source = 0; source < table->switches && good; source++)
        good = fill_row(&r, source, is_end, error);
    rows_clear(&r);
    return good;
}
