/* collective_run_test.h - A collective is executed on data and held to its definition.
 *
 * Each byte of a buffer is a 64-bit number here, different for every rank and place. Simulated
 * ranks run their streams in a random order; a message takes what the buffer holds when it is sent,
 * a receive's target is garbage until its wait, and what is sent must not change before its wait
 * (by a receive of another stream: before it was received). So a wrong peer, size, place, order or
 * missing wait shows as a wrong number. */
#pragma once
#include "workload/collective_test.h"

#define MOST_AREA (1 << 18)
#define LEAST_AREA 4096 /* entries; what every algorithm needs for a few bytes */

typedef struct {
    guint32 peer, tag;
    guint64 number; /* among those of (source, destination, tag) */
    guint32 request;
    gboolean send;
    guint8 area;
    gint64 offset, bytes;
    guint64 *kept; /* of a send: what it took */
} Pending;

typedef struct {
    DnCursor cursor;
    DnOp op;
    gboolean done;
    GArray *pending;
} Stream;

typedef struct {
    guint64 *area[3]; /* [the world's entries] */
    gboolean *knows;  /* [n] ranks whose beginning is before what is here */
    guint events[256];
    GHashTable *sent, *received; /* (peer, tag) -> count */
    Stream *streams;
} Rank;

typedef struct {
    guint64 *values;
    gboolean *knows;
    gint64 bytes;
} Message;

typedef struct {
    DnProgram *program;
    Rank *ranks;
    gint64 entries;   /* of each memory area */
    GHashTable *wire; /* "source destination tag number" -> Message */
    guint64 draws;
    double bytes_sent;
} World;

static inline void message_free(gpointer data)
{
    Message *m = data;
    g_free(m->values);
    g_free(m->knows);
    g_free(m);
}

static inline guint64 value_of(guint32 rank, gint64 place)
{
    return dn_draw(dn_draw_key(5, DN_DRAW_TEST, rank), (guint64)place);
}

static inline guint64 count_up(GHashTable *counts, guint32 peer, guint32 tag)
{
    gint64 key = (gint64)((guint64)peer << 32 | tag);
    guint64 *count = g_hash_table_lookup(counts, &key);
    if (!count) {
        gint64 *own = g_new(gint64, 1);
        *own = key;
        count = g_new0(guint64, 1);
        g_hash_table_insert(counts, own, count);
    }
    return (*count)++;
}

static inline char *wire_key(guint32 source, guint32 destination, guint32 tag, guint64 number)
{
    return g_strdup_printf("%u %u %u %" G_GUINT64_FORMAT, source, destination, tag, number);
}

static inline guint64 *collective_place(World *w, guint32 r, guint8 area, gint64 offset,
                                        gint64 bytes)
{
    g_assert_cmpint(offset, >=, 0);
    g_assert_cmpint(offset + bytes, <=, w->entries);
    return w->ranks[r].area[area] + offset;
}

/* The next send of rank @r, from *@s and *@i on, that has not been waited for and overlaps. */
static inline Pending *send_over(World *w, guint32 r, const Pending *range, guint32 *s, guint *i)
{
    for (; *s < w->program->streams; ++*s, *i = 0) {
        GArray *pending = w->ranks[r].streams[*s].pending;
        while (*i < pending->len) {
            Pending *p = &g_array_index(pending, Pending, (*i)++);
            if (p->send && p->area == range->area && p->offset < range->offset + range->bytes &&
                range->offset < p->offset + p->bytes)
                return p;
        }
    }
    return NULL;
}

static inline void collective_begin(World *w, guint32 r, Stream *stream)
{
    const DnOp *op = &stream->op;
    Rank *rank = &w->ranks[r];
    gboolean send = op->kind == DN_OP_SEND;
    Pending p = {.peer = op->peer,
                 .tag = op->tag,
                 .number = count_up(send ? rank->sent : rank->received, op->peer, op->tag),
                 .request = op->request,
                 .send = send,
                 .area = op->area,
                 .offset = op->offset,
                 .bytes = op->bytes};
    guint64 *values = collective_place(w, r, op->area, op->offset, op->bytes);
    g_assert_cmpuint(op->peer, <, w->program->ranks);
    g_assert_cmpuint(op->peer, !=, r);
    if (send) {
        Message *m = g_new0(Message, 1);
        m->bytes = op->bytes;
        m->values = g_memdup2(values, (gsize)op->bytes * sizeof *values);
        m->knows = g_memdup2(rank->knows, w->program->ranks * sizeof *m->knows);
        p.kept = g_memdup2(values, (gsize)op->bytes * sizeof *values);
        g_hash_table_insert(w->wire, wire_key(r, op->peer, op->tag, p.number), m);
        w->bytes_sent += (double)op->bytes;
    } else {
        g_assert_cmpuint(op->flags & DN_OP_EXACT, !=, 0);
        guint32 s = 0;
        guint at = 0;
        gboolean busy = send_over(w, r, &p, &s, &at) != NULL;
        for (gint64 i = 0; i < op->bytes && !busy; i++)
            values[i] = dn_draw(17, w->draws++);
    }
    g_array_append_val(stream->pending, p);
}

/* What a receive overwrites must have been received where it was sent to. */
static inline void release_sends(World *w, guint32 r, const Pending *receive)
{
    guint32 s = 0;
    guint i = 0;
    for (Pending *p = send_over(w, r, receive, &s, &i); p; p = send_over(w, r, receive, &s, &i)) {
        g_autofree char *key = wire_key(r, p->peer, p->tag, p->number);
        g_assert_false(g_hash_table_contains(w->wire, key));
        g_clear_pointer(&p->kept, g_free);
    }
}

/* FALSE: a message is not there yet. */
static inline gboolean collective_finish(World *w, guint32 r, const Pending *p)
{
    guint64 *values = collective_place(w, r, p->area, p->offset, p->bytes);
    if (p->send) {
        for (gint64 i = 0; i < p->bytes && p->kept; i++)
            g_assert_cmpuint(values[i], ==, p->kept[i]);
        g_free(p->kept);
        return TRUE;
    }
    g_autofree char *key = wire_key(p->peer, r, p->tag, p->number);
    const Message *m = g_hash_table_lookup(w->wire, key);
    if (!m)
        return FALSE;
    g_assert_cmpint(m->bytes, ==, p->bytes);
    release_sends(w, r, p);
    for (gint64 i = 0; i < p->bytes; i++)
        values[i] = m->values[i];
    for (guint32 k = 0; k < w->program->ranks; k++)
        w->ranks[r].knows[k] |= m->knows[k];
    g_hash_table_remove(w->wire, key);
    return TRUE;
}

static inline gboolean wait_for(World *w, guint32 r, Stream *stream, guint32 request)
{
    for (guint i = 0; i < stream->pending->len;) {
        const Pending *p = &g_array_index(stream->pending, Pending, i);
        if (request != DN_ANY && p->request != request) {
            i++;
            continue;
        }
        if (!collective_finish(w, r, p))
            return FALSE;
        g_array_remove_index(stream->pending, i);
    }
    return TRUE;
}

static inline void collective_combine(World *w, guint32 r, const DnOp *op)
{
    guint64 *to = collective_place(w, r, op->area, op->offset, op->bytes);
    const guint64 *from = collective_place(w, r, op->from_area, op->from, op->bytes);
    for (gint64 i = 0; i < op->bytes; i++)
        to[i] = op->kind == DN_OP_REDUCE ? to[i] + from[i] : from[i];
}

/* One operation; FALSE: it has to wait. */
static inline gboolean collective_step(World *w, guint32 r, Stream *stream)
{
    guint *events = w->ranks[r].events;
    switch (stream->op.kind) {
    case DN_OP_SEND:
    case DN_OP_RECV:
        collective_begin(w, r, stream);
        break;
    case DN_OP_WAIT:
        if (!wait_for(w, r, stream, stream->op.request))
            return FALSE;
        break;
    case DN_OP_COPY:
    case DN_OP_REDUCE:
        collective_combine(w, r, &stream->op);
        break;
    case DN_OP_SIGNAL:
        events[stream->op.tag]++;
        break;
    case DN_OP_AWAIT:
        if (events[stream->op.tag] == 0)
            return FALSE;
        events[stream->op.tag]--;
        break;
    case DN_OP_MARK:
        g_assert_cmpuint(stream->pending->len, ==, 0);
        break;
    default:
        g_assert_not_reached();
    }
    dn_program_next(w->program, r, &stream->cursor, &stream->op);
    stream->done = stream->op.kind == DN_OP_END;
    return TRUE;
}

/* @entries: of each memory area of a rank. */
static inline World *world_new(DnProgram *program, gint64 entries)
{
    World *w = g_new0(World, 1);
    guint32 n = program->ranks;
    w->program = program;
    w->entries = entries;
    w->ranks = g_new0(Rank, n);
    w->wire = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, message_free);
    for (guint32 r = 0; r < n; r++) {
        Rank *rank = &w->ranks[r];
        for (guint a = 0; a < 3; a++)
            rank->area[a] = g_new0(guint64, (gsize)entries);
        rank->knows = g_new0(gboolean, n);
        rank->knows[r] = TRUE;
        rank->sent = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
        rank->received = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
        rank->streams = g_new0(Stream, program->streams);
        for (guint32 s = 0; s < program->streams; s++) {
            rank->streams[s].pending = g_array_new(FALSE, FALSE, sizeof(Pending));
            rank->streams[s].cursor.stream = s;
            dn_program_next(program, r, &rank->streams[s].cursor, &rank->streams[s].op);
        }
    }
    return w;
}

static inline void world_free(World *w)
{
    for (guint32 r = 0; r < w->program->ranks; r++) {
        Rank *rank = &w->ranks[r];
        for (guint a = 0; a < 3; a++)
            g_free(rank->area[a]);
        for (guint32 s = 0; s < w->program->streams; s++)
            g_array_free(rank->streams[s].pending, TRUE);
        g_hash_table_unref(rank->sent);
        g_hash_table_unref(rank->received);
        g_free(rank->streams);
        g_free(rank->knows);
    }
    g_hash_table_unref(w->wire);
    g_free(w->ranks);
    dn_program_free(w->program);
    g_free(w);
}

/* All streams as far as they go, a few operations at a time, in random order. */
static inline void world_run(World *w, const char *yaml)
{
    guint32 n = w->program->ranks, streams = w->program->streams;
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        guint32 turn = dn_draw_below(dn_draw(3, w->draws++), n * streams);
        for (guint32 i = 0; i < n * streams; i++) {
            guint32 at = (turn + i * (n * streams > 2 ? n * streams - 1 : 1)) % (n * streams);
            Stream *stream = &w->ranks[at / streams].streams[at % streams];
            guint32 steps = 1 + dn_draw_below(dn_draw(3, w->draws++), 5);
            while (steps-- > 0 && !stream->done && collective_step(w, at / streams, stream))
                moved = TRUE;
        }
    }
    for (guint32 r = 0; r < n; r++)
        for (guint32 s = 0; s < streams; s++)
            if (!w->ranks[r].streams[s].done)
                g_error("%s on %u ranks: rank %u stream %u hangs at kind %d peer %u tag %u", yaml,
                        n, r, s, w->ranks[r].streams[s].op.kind, w->ranks[r].streams[s].op.peer,
                        w->ranks[r].streams[s].op.tag);
    g_assert_cmpuint(g_hash_table_size(w->wire), ==, 0);
}

/* ---- definitions ---- */

typedef struct {
    const char *yaml;
    DnCollKind kind;
    guint32 n, root;
    gint64 bytes;
} Case;

/* Of a library's choice: the first ranks' parts are the longer ones. 0: cut at bytes. */
static gint64 element;

static inline gint64 collective_cut(const Case *c, guint32 i)
{
    if (element == 0)
        return c->bytes * i / c->n;
    gint64 count = c->bytes / element;
    return (count / c->n * i + MIN(i, count % c->n)) * element;
}

/* Of a rank's buffer. */
static inline gint64 collective_total(const Case *c)
{
    gboolean blocks = c->kind == DN_COLL_GATHER || c->kind == DN_COLL_ALLGATHER ||
                      c->kind == DN_COLL_SCATTER || c->kind == DN_COLL_ALLTOALL;
    return blocks ? c->bytes * c->n : c->bytes;
}

static inline void collective_fill(World *w, const Case *c)
{
    for (guint32 r = 0; r < c->n; r++)
        for (gint64 i = 0; i < collective_total(c); i++) {
            gboolean own = i / MAX(1, c->bytes) == r;
            if (c->kind == DN_COLL_ALLTOALL)
                w->ranks[r].area[DN_AREA_INPUT][i] = value_of(r, i);
            else if ((c->kind == DN_COLL_GATHER || c->kind == DN_COLL_ALLGATHER) && !own)
                continue;
            else if ((c->kind == DN_COLL_BCAST || c->kind == DN_COLL_SCATTER) && r != c->root)
                continue;
            else
                w->ranks[r].area[DN_AREA_DATA][i] = value_of(r, i);
        }
}

static inline guint64 sum_to(guint32 last, gint64 i)
{
    guint64 sum = 0;
    for (guint32 r = 0; r <= last; r++)
        sum += value_of(r, i);
    return sum;
}

/* What rank @r must hold at @i; FALSE: anything. */
static inline gboolean collective_expected(const Case *c, guint32 r, gint64 i, guint64 *value)
{
    guint32 block = (guint32)(i / MAX(1, c->bytes));
    switch (c->kind) {
    case DN_COLL_ALLREDUCE:
        *value = sum_to(c->n - 1, i);
        return i < c->bytes;
    case DN_COLL_REDUCE:
        *value = sum_to(c->n - 1, i);
        return i < c->bytes && r == c->root;
    case DN_COLL_REDUCE_SCATTER:
        *value = sum_to(c->n - 1, i);
        return i >= collective_cut(c, r) && i < collective_cut(c, r + 1);
    case DN_COLL_SCAN:
        *value = sum_to(r, i);
        return i < c->bytes;
    case DN_COLL_BCAST:
        *value = value_of(c->root, i);
        return i < c->bytes;
    case DN_COLL_ALLGATHER:
        *value = value_of(block, i);
        return TRUE;
    case DN_COLL_GATHER:
        *value = value_of(block, i);
        return r == c->root;
    case DN_COLL_SCATTER:
        *value = value_of(c->root, i);
        return block == r;
    case DN_COLL_ALLTOALL:
        *value = value_of(block, r * c->bytes + i % MAX(1, c->bytes));
        return TRUE;
    default:
        return FALSE;
    }
}

static inline void check_case(const Case *c)
{
    g_autoptr(GError) error = NULL;
    DnProgram *program = program_of(c->yaml, c->n, &error);
    g_assert_no_error(error);
    double bytes = program->type->bytes_moved(program);
    World *w = world_new(program, CLAMP(collective_total(c) * (c->n + 2), LEAST_AREA, MOST_AREA));
    collective_fill(w, c);
    world_run(w, c->yaml);
    g_assert_cmpfloat(w->bytes_sent, ==, bytes);
    for (guint32 r = 0; r < c->n; r++) {
        for (gint64 i = 0; i < collective_total(c); i++) {
            guint64 value;
            if (collective_expected(c, r, i, &value) && w->ranks[r].area[DN_AREA_DATA][i] != value)
                g_error("%s on %u ranks: rank %u has a wrong number at %d", c->yaml, c->n, r,
                        (int)i);
        }
        for (guint32 k = 0; k < c->n && c->kind == DN_COLL_BARRIER; k++)
            g_assert_true(w->ranks[r].knows[k]);
    }
    world_free(w);
}

static inline gboolean is_rooted(DnCollKind kind)
{
    return kind == DN_COLL_BCAST || kind == DN_COLL_REDUCE || kind == DN_COLL_GATHER ||
           kind == DN_COLL_SCATTER;
}
