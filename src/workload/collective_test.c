/* collective_test.c - every algorithm executed on data and held to the collective's definition.
 *
 * Each byte of a buffer is a 64-bit number here, different for every rank and place. Simulated
 * ranks run their streams in a random order; a message takes what the buffer holds when it is sent,
 * a receive's target is garbage until its wait, and what is sent must not change before its wait
 * (by a receive of another stream: before it was received). So a wrong peer, size, place, order or
 * missing wait shows as a wrong number. */
#include <string.h>

#include "base/rng.h"
#include "workload/collective.h"
#include "workload/select.h"

#define MOST_AREA (1 << 18)
#define LEAST_AREA 16384 /* entries; what every algorithm needs for a few bytes */

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

static void message_free(gpointer data)
{
    Message *m = data;
    g_free(m->values);
    g_free(m->knows);
    g_free(m);
}

static guint64 value_of(guint32 rank, gint64 place)
{
    return dn_draw(dn_draw_key(5, DN_DRAW_TEST, rank), (guint64)place);
}

static guint64 count_up(GHashTable *counts, guint32 peer, guint32 tag)
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

static char *wire_key(guint32 source, guint32 destination, guint32 tag, guint64 number)
{
    return g_strdup_printf("%u %u %u %" G_GUINT64_FORMAT, source, destination, tag, number);
}

static guint64 *collective_place(World *w, guint32 r, guint8 area, gint64 offset, gint64 bytes)
{
    g_assert_cmpint(offset, >=, 0);
    g_assert_cmpint(offset + bytes, <=, w->entries);
    return w->ranks[r].area[area] + offset;
}

/* The next send of rank @r, from *@s and *@i on, that has not been waited for and overlaps. */
static Pending *send_over(World *w, guint32 r, const Pending *range, guint32 *s, guint *i)
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

static void collective_begin(World *w, guint32 r, Stream *stream)
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
static void release_sends(World *w, guint32 r, const Pending *receive)
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
static gboolean collective_finish(World *w, guint32 r, const Pending *p)
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

static gboolean wait_for(World *w, guint32 r, Stream *stream, guint32 request)
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

static void collective_combine(World *w, guint32 r, const DnOp *op)
{
    guint64 *to = collective_place(w, r, op->area, op->offset, op->bytes);
    const guint64 *from = collective_place(w, r, op->from_area, op->from, op->bytes);
    for (gint64 i = 0; i < op->bytes; i++)
        to[i] = op->kind == DN_OP_REDUCE ? to[i] + from[i] : from[i];
}

/* One operation; FALSE: it has to wait. */
static gboolean collective_step(World *w, guint32 r, Stream *stream)
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
static World *world_new(DnProgram *program, gint64 entries)
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

static void world_free(World *w)
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
static void world_run(World *w, const char *yaml)
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

static gint64 collective_cut(const Case *c, guint32 i)
{
    if (element == 0)
        return c->bytes * i / c->n;
    gint64 count = c->bytes / element;
    return (count / c->n * i + MIN(i, count % c->n)) * element;
}

/* Of a rank's buffer. */
static gint64 collective_total(const Case *c)
{
    gboolean blocks = c->kind == DN_COLL_GATHER || c->kind == DN_COLL_ALLGATHER ||
                      c->kind == DN_COLL_SCATTER || c->kind == DN_COLL_ALLTOALL;
    return blocks ? c->bytes * c->n : c->bytes;
}

static void collective_fill(World *w, const Case *c)
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

static guint64 sum_to(guint32 last, gint64 i)
{
    guint64 sum = 0;
    for (guint32 r = 0; r <= last; r++)
        sum += value_of(r, i);
    return sum;
}

/* What rank @r must hold at @i; FALSE: anything. */
static gboolean collective_expected(const Case *c, guint32 r, gint64 i, guint64 *value)
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

static DnProgram *program_of(const char *yaml, guint32 ranks, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new(dn_config_get(root, "workload"), ranks, 1, 1, error);
}

static void check_case(const Case *c)
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

static gboolean is_rooted(DnCollKind kind)
{
    return kind == DN_COLL_BCAST || kind == DN_COLL_REDUCE || kind == DN_COLL_GATHER ||
           kind == DN_COLL_SCATTER;
}

static void check_algorithm(const DnCollAlgorithm *a, guint32 n, gint64 bytes, guint32 root,
                            const char *more)
{
    g_autofree char *size =
        a->kind == DN_COLL_BARRIER ? g_strdup("") : g_strdup_printf(", bytes: %d B", (int)bytes);
    g_autofree char *from = is_rooted(a->kind) ? g_strdup_printf(", root: %u", root) : g_strdup("");
    g_autofree char *yaml = g_strdup_printf("{type: %s, algorithm: %s%s%s%s}",
                                            dn_coll_kind_name(a->kind), a->name, size, from, more);
    DnCollCall call = {.n = n, .group = 1, .n_rings = 0};
    if (a->needs && a->needs(&call))
        return;
    Case c = {yaml, a->kind, n, root, a->kind == DN_COLL_BARRIER ? 0 : bytes};
    check_case(&c);
}

static const guint32 rank_counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                      11, 12, 13, 15, 16, 17, 24, 31, 33};

static void test_algorithm(gconstpointer data)
{
    const DnCollAlgorithm *a = data;
    static const gint64 sizes[] = {0, 1, 5, 37};
    for (guint i = 0; i < G_N_ELEMENTS(rank_counts); i++) {
        guint32 n = rank_counts[i];
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
            check_algorithm(a, n, sizes[s], s % 2 ? n - 1 : n / 2, ", group: 1");
        check_algorithm(a, n, 64, 0, ", segment: 3 B, radix: 2, channels: 3, window: 3, group: 1");
        check_algorithm(a, n, 23, n / 3,
                        ", segment: 4 B, radix: 5, channels: 2, window: 1, group: 1");
    }
}

/* What a library chooses for a size, in its own form. */
static void check_library(const char *library, DnCollKind kind, guint32 n, gint64 bytes)
{
    gboolean blocks = kind == DN_COLL_GATHER || kind == DN_COLL_ALLGATHER ||
                      kind == DN_COLL_SCATTER || kind == DN_COLL_ALLTOALL;
    if (blocks && bytes * n > 4096)
        return;
    for (guint32 root = 0; root < n; root += MAX(1, n - 1)) {
        g_autofree char *size =
            kind == DN_COLL_BARRIER ? g_strdup("") : g_strdup_printf(", bytes: %d B", (int)bytes);
        g_autofree char *from = is_rooted(kind) ? g_strdup_printf(", root: %u", root)
                                                : g_strdup("");
        g_autofree char *yaml =
            g_strdup_printf("{type: %s, algorithm: auto, library: %s, element: 3 B%s%s}",
                            dn_coll_kind_name(kind), library, size, from);
        Case c = {yaml, kind, n, root, kind == DN_COLL_BARRIER ? 0 : bytes};
        check_case(&c);
        if (!is_rooted(kind))
            return;
    }
}

static void test_libraries(void)
{
    static const guint32 counts[] = {1, 2, 3, 5, 6, 8, 13, 17, 33};
    static const gint64 sizes[] = {3, 48, 600, 2100, 4800, 9000, 13500};
    element = 3;
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        for (DnCollKind kind = 0; kind < DN_COLL_KINDS; kind++)
            for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
                check_library("ompi", kind, counts[i], sizes[s]);
                check_library("mpich", kind, counts[i], sizes[s]);
            }
    element = 0;
}

#define SMP(keys) "{type: allreduce, bytes: 29 B, algorithm: smp, " keys "}"
#define GROUPED "{type: alltoall, bytes: 5 B, algorithm: grouped, channels: "
#define TREE_OF_NODES                                                                              \
    "{type: allreduce, bytes: 31 B, algorithm: nccl_tree, segment: 3 B, channels: 6, "

/* Two nodes of three ranks: ring k enters each at its rank k. */
static void test_rings_by_node(void)
{
    static const char *const listed =
        "{type: allreduce, bytes: 60 B, algorithm: nccl_ring, channels: 3, group: 3, rings: "
        "[[0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], [2, 0, 1, 5, 3, 4]]}";
    static const char *const named = "{type: allreduce, bytes: 60 B, algorithm: nccl_ring, "
                                     "channels: 3, group: 3, rings: by_node}";
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) a = dn_config_parse(listed, "a", &error);
    g_autoptr(DnConfigNode) b = dn_config_parse(named, "b", &error);
    g_assert_no_error(error);
    g_autoptr(DnProgram) one = dn_program_new(a, 6, 1, 1, &error);
    g_assert_no_error(error);
    g_autoptr(DnProgram) two = dn_program_new(b, 6, 1, 1, &error);
    g_assert_no_error(error);
    for (guint32 rank = 0; rank < 6; rank++)
        for (guint32 stream = 0; stream < 3; stream++) {
            DnCursor at[2] = {{.stream = stream}, {.stream = stream}};
            DnOp ops[2] = {{0}, {0}};
            guint sends = 0;
            while (ops[0].kind != DN_OP_END) {
                dn_program_next(one, rank, &at[0], &ops[0]);
                dn_program_next(two, rank, &at[1], &ops[1]);
                g_assert_cmpint(ops[0].kind, ==, ops[1].kind);
                g_assert_cmpuint(ops[0].peer, ==, ops[1].peer);
                g_assert_cmpint(ops[0].bytes, ==, ops[1].bytes);
                sends += ops[0].kind == DN_OP_SEND;
            }
            g_assert_cmpuint(sends, ==, 10); /* 2 (n - 1) */
        }
    g_assert_cmpuint(two->streams, ==, 3);
}

/* Nodes of several ranks; rings in several orders; a sub-communicator in odd order. */
static void test_arrangements(void)
{
    static const Case cases[] = {
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 4}", DN_COLL_ALLREDUCE, 12,
         0, 29},
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 5}", DN_COLL_ALLREDUCE, 15,
         0, 29},
        {"{type: allreduce, bytes: 29 B, algorithm: hierarchical, group: 6}", DN_COLL_ALLREDUCE, 6,
         0, 29},
        {"{type: allreduce, bytes: 31 B, algorithm: multi_ring, rings: [[0, 1, 2, 3, 4]]}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {"{type: allreduce, bytes: 31 B, algorithm: multi_ring, rings: [[0, 1, 2, 3, 4], "
         "[4, 3, 2, 1, 0], [0, 2, 4, 1, 3], [0, 2, 4, 1, 3]]}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {"{type: allreduce, bytes: 31 B, algorithm: nccl_ring, segment: 2 B, rings: [[0, 1, 2, 3, "
         "4], [4, 3, 2, 1, 0], [0, 2, 4, 1, 3]], channels: 6}",
         DN_COLL_ALLREDUCE, 5, 0, 31},
        {"{type: allgather, bytes: 31 B, algorithm: nccl_ring, segment: 2 B, rings: [[0, 1, 2, 3, "
         "4], [4, 3, 2, 1, 0], [0, 2, 4, 1, 3]]}",
         DN_COLL_ALLGATHER, 5, 0, 31},
        {"{type: reduce_scatter, bytes: 33 B, algorithm: nccl_ring, segment: 2 B, rings: [[4, 2, "
         "0, 1, 3], [3, 1, 0, 2, 4]]}",
         DN_COLL_REDUCE_SCATTER, 5, 0, 33},
        {SMP("group: 4"), DN_COLL_ALLREDUCE, 12, 0, 29},
        {SMP("group: 5"), DN_COLL_ALLREDUCE, 15, 0, 29},
        {SMP("group: 6"), DN_COLL_ALLREDUCE, 6, 0, 29},
        {SMP("group: 2, block: 7 B"), DN_COLL_ALLREDUCE, 10, 0, 29},
        /* between nodes in pieces */
        {"{type: allreduce, bytes: 2051 B, algorithm: smp, group: 2}", DN_COLL_ALLREDUCE, 14, 0,
         2051},
        {"{type: allreduce, bytes: 2051 B, algorithm: smp, group: 4}", DN_COLL_ALLREDUCE, 32, 0,
         2051},
        {"{type: allreduce, bytes: 29 B, algorithm: ring, block: 10 B, staged: yes}",
         DN_COLL_ALLREDUCE, 5, 0, 29},
        {TREE_OF_NODES "group: 4}", DN_COLL_ALLREDUCE, 8, 0, 31},
        {GROUPED "3, window: 1, group: 2}", DN_COLL_ALLTOALL, 14, 0, 5},
        {GROUPED "2, window: 2, group: 5}", DN_COLL_ALLTOALL, 15, 0, 5},
        {GROUPED "2, window: 1, group: 5}", DN_COLL_ALLTOALL, 10, 0, 5},
        {GROUPED "9, window: 8, group: 3}", DN_COLL_ALLTOALL, 18, 0, 5},
        {GROUPED "4, window: 3, group: 4}", DN_COLL_ALLTOALL, 10, 0, 5}, /* no whole nodes */
        {TREE_OF_NODES "group: 3}", DN_COLL_ALLREDUCE, 21, 0, 31},
        {TREE_OF_NODES "group: 5}", DN_COLL_ALLREDUCE, 12, 0, 31}, /* no whole nodes: one tree */
        {TREE_OF_NODES "group: 6, rings: [[1, 0, 2, 4, 3, 5], [5, 2, 0, 1, 3, 4]]}",
         DN_COLL_ALLREDUCE, 6, 0, 31}, /* one node: chains */
        {TREE_OF_NODES "group: 2, rings: [[1, 0, 2, 3, 5, 4], [0, 1, 3, 2, 4, 5]]}",
         DN_COLL_ALLREDUCE, 6, 0, 31},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
        check_case(&cases[i]);
}

/* One copy of the whole buffer before the first operation and one after the last. */
static void test_staged(void)
{
    static const char *const texts[] = {
        "{type: allreduce, bytes: 10 B, algorithm: ring, staged: yes}",
        "{type: alltoall, bytes: 10 B, algorithm: linear, staged: yes}"};
    static const gint64 whole[] = {10, 30};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnProgram) program = program_of(texts[i], 3, &error);
        g_assert_no_error(error);
        DnCursor cursor = {0};
        DnOp op;
        guint copies = 0;
        gint64 last = 0;
        while (program->type->next(program, 1, &cursor, &op)) {
            last = op.kind == DN_OP_COPY ? op.bytes : 0;
            copies += last == whole[i];
        }
        g_assert_cmpuint(copies, ==, 2);
        g_assert_cmpint(last, ==, whole[i]);
    }
}

/* Ranks 4, 0 and 5 of 7: the sum of the three; ranks 1, 2, 3, 6 are left alone. */
static void test_communicator(void)
{
    g_autoptr(GError) error = NULL;
    DnProgram *program = program_of(
        "{type: allreduce, bytes: 10 B, algorithm: ring, communicator: [4, 0, 5]}", 7, &error);
    g_assert_no_error(error);
    World *w = world_new(program, LEAST_AREA);
    for (guint32 r = 0; r < 7; r++)
        for (gint64 i = 0; i < 10; i++)
            w->ranks[r].area[DN_AREA_DATA][i] = value_of(r, i);
    world_run(w, "communicator");
    for (guint32 r = 0; r < 7; r++)
        for (gint64 i = 0; i < 10; i++)
            g_assert_cmpuint(w->ranks[r].area[DN_AREA_DATA][i], ==,
                             r == 4 || r == 0 || r == 5
                                 ? value_of(0, i) + value_of(4, i) + value_of(5, i)
                                 : value_of(r, i));
    world_free(w);
}

/* Every pair has its own size, within the spread; what is sent is what is expected. */
static void test_alltoallv(void)
{
    static const char *const algorithms[] = {"linear", "spread", "pairwise", "linear_sync",
                                             "grouped"};
    for (guint a = 0; a < G_N_ELEMENTS(algorithms); a++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *yaml = g_strdup_printf(
            "{type: alltoallv, bytes: 20 B, spread: 0.9, algorithm: %s}", algorithms[a]);
        DnProgram *program = program_of(yaml, 9, &error);
        g_assert_no_error(error);
        World *w = world_new(program, LEAST_AREA);
        DnCollCall call = {.n = 9, .bytes = 20, .spread = 0.9, .seed = program->seed};
        gint64 least = G_MAXINT64, most = 0;
        for (guint32 r = 0; r < 9; r++)
            for (gint64 i = 0; i < 9 * 40; i++)
                w->ranks[r].area[DN_AREA_INPUT][i] = value_of(r, i);
        world_run(w, yaml);
        for (guint32 r = 0; r < 9; r++)
            for (guint32 s = 0; s < 9; s++) {
                gint64 bytes = dn_coll_pair_bytes(&call, s, r);
                least = MIN(least, bytes);
                most = MAX(most, bytes);
                for (gint64 i = 0; i < 40; i++)
                    g_assert_cmpuint(w->ranks[r].area[DN_AREA_DATA][s * 40 + i], ==,
                                     i < bytes ? value_of(s, r * 40 + i) : 0);
            }
        g_assert_cmpint(least, >=, 2);
        g_assert_cmpint(most, <=, 38);
        g_assert_cmpint(least, <, most);
        world_free(w);
    }
}

/* ---- what they cost, in closed form ---- */

static double collective_moved(const char *yaml, guint32 n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    return program->type->bytes_moved(program);
}

/* 16 ranks, B = 1600 B. Rings, Rabenseifner and the trees move 2 (n - 1) B in all (Thakur et al.,
 * 4.5; a tree has n - 1 edges, each crossed twice); recursive doubling n log2 n B. Bruck's alltoall
 * sends n / 2 blocks a phase: n (n / 2) log2 n blocks; pairwise n (n - 1). Folding 18 ranks adds 2
 * * 2 buffers to the 16's. */
static void test_volumes(void)
{
    static const char *const ideal[] = {
        "ring",      "rabenseifner", "nonoverlapping", "kary_tree", "double_binary_tree",
        "nccl_ring", "nccl_tree",    "linear"};
    for (guint i = 0; i < G_N_ELEMENTS(ideal); i++) {
        g_autofree char *yaml =
            g_strdup_printf("{type: allreduce, bytes: 1600 B, algorithm: %s}", ideal[i]);
        g_assert_cmpfloat(collective_moved(yaml, 16), ==, 2 * 15 * 1600);
    }
    g_assert_cmpfloat(
        collective_moved("{type: allreduce, bytes: 1600 B, algorithm: recursive_doubling}", 16), ==,
        16 * 4 * 1600);
    g_assert_cmpfloat(
        collective_moved("{type: allreduce, bytes: 1600 B, algorithm: recursive_doubling}", 18), ==,
        (16 * 4 + 4) * 1600);
    g_assert_cmpfloat(collective_moved("{type: alltoall, bytes: 10 B, algorithm: bruck}", 16), ==,
                      16 * 8 * 4 * 10);
    g_assert_cmpfloat(collective_moved("{type: alltoall, bytes: 10 B, algorithm: pairwise}", 16),
                      ==, 16 * 15 * 10);
    g_assert_cmpfloat(
        collective_moved("{type: bcast, bytes: 1600 B, algorithm: scatter_allgather}", 16), ==,
        1600 * (0.5 * 4) + 15 * 1600);
    g_assert_cmpfloat(collective_moved("{type: allgather, bytes: 10 B, algorithm: neighbor}", 16),
                      ==, 16 * 15 * 10);
}

/* ---- choices ---- */

static void check_note(const char *yaml, guint32 n, const char *note)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(program->note, ==, note);
}

/* Open MPI by rows of its table, MPICH by the thresholds in its file's head. */
static void test_auto(void)
{
    check_note("{type: allreduce, bytes: 4 KiB}", 3,
               "allreduce of 4 KiB on 3 ranks: ompi by its choice ring");
    check_note("{type: allreduce, bytes: 1 MiB}", 8,
               "allreduce of 1 MiB on 8 ranks: ompi by its choice rabenseifner");
    check_note("{type: allreduce, bytes: 8 B}", 16,
               "allreduce of 8 B on 16 ranks: ompi by its choice segmented_ring; run as "
               "recursive_doubling");
    check_note("{type: allreduce, bytes: 28 B, library: mpich}", 8,
               "allreduce of 28 B on 8 ranks: mpich by its choice recursive_doubling");
    check_note("{type: allreduce, bytes: 32 B, library: mpich}", 8,
               "allreduce of 32 B on 8 ranks: mpich by its choice reduce_scatter_allgather; run "
               "as rabenseifner");
    check_note("{type: alltoall, bytes: 256 B, library: mpich, algorithm: auto}", 9,
               "alltoall of 256 B on 9 ranks: mpich by its choice brucks; run as bruck");
    check_note("{type: barrier, library: mpich}", 5,
               "barrier of 0 B on 5 ranks: mpich by its choice dissemination");
}

/* Every choice is an algorithm that runs, for all kinds, libraries, and numbers of ranks. */
static void test_auto_runs(void)
{
    static const char *const sizes[] = {"1 B", "3 kB", "200 kB", "30 MB"};
    for (guint k = 0; k < DN_COLL_KINDS; k++)
        for (guint l = 0; dn_coll_libraries[l] != NULL; l++)
            for (guint32 n = 1; n < 5000; n = n * 3 / 2 + 1)
                for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
                    g_autoptr(GError) error = NULL;
                    g_autofree char *yaml = g_strdup_printf(
                        "{type: %s, algorithm: auto, library: %s, bus_bandwidth: 200 GB/s%s%s}",
                        dn_coll_kind_name(k), dn_coll_library_names[l],
                        k == DN_COLL_BARRIER ? "" : ", bytes: ",
                        k == DN_COLL_BARRIER ? "" : sizes[s]);
                    g_autoptr(DnProgram) program = program_of(yaml, n, &error);
                    g_assert_no_error(error);
                    g_assert_nonnull(program->note);
                }
}

/* Types of one collective are told by what they are, not by how they are called. */
static void test_workload_is(void)
{
    g_assert_true(dn_workload_is("alltoall", DN_COLL_ALLTOALL));
    g_assert_false(dn_workload_is("alltoallv", DN_COLL_ALLTOALL));
    g_assert_true(dn_workload_is("allreduce_ring", DN_COLL_ALLREDUCE));
    g_assert_false(dn_workload_is("halo", DN_COLL_ALLREDUCE));
    g_assert_false(dn_workload_is("no_such_type", DN_COLL_ALLREDUCE));
}

static void check_choice(const DnNcclMachine *machine, const DnCollCall *call, DnCollKind kind,
                         const char *chosen, double us)
{
    DnSelection selection;
    dn_select_nccl(call, kind, machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, chosen);
    g_assert_cmpfloat_with_epsilon((double)selection.estimate_ps * 1e-6, us, 0.001 * us);
}

static void check_nccl(const DnCollCall *call, DnCollKind kind, DnNcclOnly only, const char *chosen,
                       double us)
{
    const DnNcclMachine machine = {
        .bus_bps = G_GINT64_CONSTANT(1600000000000), .gpu = DN_NCCL_AMPERE, .only = only};
    check_choice(&machine, call, kind, chosen, us);
}

/* NCCL's model by hand, 200 GB/s, A100. 8 ranks in a node, 8 B: ring LL 6.6 + 14 * 0.6 = 15 us,
 * tree LL 6.8 + 14 * 0.6 = 15.2 us. 1 GiB: ring Simple 8.4 + 14 * 3.4 = 56 us + 1 GiB / (200
 * GB/s * 8 / 14) = 9,395 us, against tree Simple at 92 GB/s. 64 nodes of 8 and 8 B: tree LL 6.8 +
 * 2 * (7 * 0.6 + 6 * 5) = 75.2 us; ring LL 6.6 + 896 * 1 + 126 * 2.7, over 1 ms. Allgather of 8 B:
 * ring LL 6.6 + 7 * 0.6 = 10.8 us. A tree when asked for one, 8 B: tree LL, 15.2 us. 2 nodes of 8,
 * 1 GiB: tree Simple 8.4 + 2 * (7 * 4 + 14) = 92.4 us + 1 GiB / (0.5 * 0.92 * 400 GB/s) = 5,836
 * us, against a ring's 107 GB/s. */
static void test_nccl_model(void)
{
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLREDUCE, DN_NCCL_BEST,
               "ring, LL", 15);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 1 << 30, .channels = 16}, DN_COLL_ALLREDUCE,
               DN_NCCL_BEST, "ring, Simple", 9451);
    check_nccl(&(DnCollCall){.n = 512, .bytes = 8, .group = 8, .channels = 16}, DN_COLL_ALLREDUCE,
               DN_NCCL_BEST, "tree, LL", 75.2);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLGATHER, DN_NCCL_BEST,
               "ring, LL", 10.8);
    check_nccl(&(DnCollCall){.n = 8, .bytes = 8, .channels = 16}, DN_COLL_ALLREDUCE, DN_NCCL_TREE,
               "tree, LL", 15.2);
    check_nccl(&(DnCollCall){.n = 16, .bytes = 1 << 30, .group = 8, .channels = 16},
               DN_COLL_ALLREDUCE, DN_NCCL_BEST, "tree, Simple", 5928);
}

/* RCCL's by hand, 108 GB/s, 32 nodes of 8. 8 B: tree LL 12 + 2 * (7 * 1.5 + 5 * 17.4) = 207 us.
 * 2 MiB: tree Simple 17 + 2 * (7 * 4.5 + 5 * 40.3) = 483 us + 2 MiB / (108 GB/s * 0.41 * 0.5) =
 * 94.7 us. 1 GiB: ring Simple 17 + (510 - 64) * 4.5 + 64 * 40.6 = 4,622.4 us + 1 GiB / (108 GB/s *
 * 256 / 510) = 19,806 us. LL in trees takes all 16 channels from 16 * 256 * 8 B on; 10 kB: 4. */
static void test_rccl_model(void)
{
    const DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(864000000000),
                                   .gpu = DN_NCCL_MI250X};
    DnCollCall call = {.n = 256, .bytes = 8, .group = 8, .channels = 16};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, LL", 207);
    call.bytes = 2 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", 577.7);
    call.bytes = 1 << 30;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, Simple", 24428.9);
    DnSelection selection;
    call = (DnCollCall){.n = 256, .bytes = 10000, .group = 8, .channels = 16};
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpuint(selection.channels, ==, 4);
}

static void check_rccl_chunk(const DnNcclMachine *machine, const DnCollCall *call, gint64 bytes)
{
    DnSelection selection;
    dn_select_nccl(call, DN_COLL_ALLREDUCE, machine, &selection);
    g_assert_cmpint(selection.segment, ==, bytes);
}

/* One node of RCCL's, 144 GB/s. 8 B: ring LL 12 + 14 * 1.5 = 33 us. 2 MiB: tree Simple 17 + 14 *
 * 4.5 = 80 us + 2 MiB / (144 GB/s * 1.3 * 0.5) = 22.4 us, a ring's 25.5 us; 16 MiB: ring Simple 80
 * + 16 MiB / (144 GB/s * 8 / 14) = 203.9 us, for the tree has 0.4 of its bandwidth. Chunks of a
 * buffer of 32 MiB, steps of 4: a ring's 4 of them; of 2 MiB in a tree, 128 KiB a channel and 7
 * levels: 128 KiB (1 chunk of the 56 wanted), 64 KiB (2 of 28), 32 KiB (4 of 7). 1 GiB: 1 MiB, 64
 * of 56. */
static void test_rccl_node(void)
{
    DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1152000000000),
                             .gpu = DN_NCCL_MI250X,
                             .buffer_bytes = 32 << 20};
    DnCollCall call = {.n = 8, .bytes = 8, .channels = 16};
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, LL", 33);
    call.bytes = 2 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "tree, Simple", 102.4);
    check_rccl_chunk(&machine, &call, 32 << 10);
    call.bytes = 16 << 20;
    check_choice(&machine, &call, DN_COLL_ALLREDUCE, "ring, Simple", 283.9);
    check_rccl_chunk(&machine, &call, 16 << 20);
    machine.only = DN_NCCL_TREE;
    call.bytes = 1 << 30;
    check_rccl_chunk(&machine, &call, 1 << 20);
}

/* One node of 4 is a chain in the order of its channel's ring. */
static void test_tree_of_one_node(void)
{
    const guint32 rings[] = {0, 1, 3, 2, 2, 3, 1, 0};
    const DnCollCall call = {.n = 4, .group = 4, .rings = rings, .n_rings = 2};
    DnTree tree;
    dn_tree_of_nodes(&call, 0, 3, &tree);
    g_assert_cmpuint(tree.parent, ==, 1);
    g_assert_cmpuint(tree.n_children, ==, 1);
    g_assert_cmpuint(tree.child[0], ==, 2);
    dn_tree_of_nodes(&call, 3, 2, &tree); /* the second tree, the second ring */
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.child[0], ==, 3);
}

/* 2 nodes of 3, chains from the first rank of each channel's turn: 0-1-2 and 3-4-5. In the first
 * tree node 0 is the root and node 1 its higher child, which goes to the first of the chain; in the
 * second, the mirrored one, node 1 is the root. Channel 2 begins with ranks 1 and 4. */
static void test_tree_of_nodes(void)
{
    const DnCollCall call = {.n = 6, .group = 3};
    DnTree tree;
    dn_tree_of_nodes(&call, 0, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, DN_ANY);
    g_assert_cmpuint(tree.n_children, ==, 2);
    g_assert_cmpuint(tree.child[0], ==, 1);
    g_assert_cmpuint(tree.child[1], ==, 3);
    dn_tree_of_nodes(&call, 1, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, 3);
    dn_tree_of_nodes(&call, 2, 4, &tree);
    g_assert_cmpuint(tree.parent, ==, 1);
    g_assert_cmpuint(tree.child[0], ==, 5);
    dn_tree_of_nodes(&call, 2, 0, &tree);
    g_assert_cmpuint(tree.parent, ==, 2);
    g_assert_cmpuint(tree.n_children, ==, 0);
}

/* Two nodes of four, by NCCL's src/init.cc and src/include/channel.h: rank 1 sends within its node,
 * by channel 0, to 2, 3, 0; by channel 1, the distance of the other node, to 5, 6, 7, 4. With one
 * peer at a time (RCCL) a channel more for each step: channel 1 has rank 2, then 5. */
static void test_grouped_order(void)
{
    static const guint32 apart[][2] = {{0, 2}, {0, 3}, {0, 0}, {1, 5}, {1, 6}, {1, 7}, {1, 4}};
    const DnCollAlgorithm *grouped = dn_coll_find(DN_COLL_ALLTOALL, "grouped");
    DnCollCall call = {.n = 8, .bytes = 1, .group = 4, .channels = 2, .window = 8};
    for (guint i = 0; i < G_N_ELEMENTS(apart); i++) {
        DnRound round = {.call = &call, .wanted = 1};
        g_assert_true(grouped->round(&call, 1, apart[i][0], i < 3 ? i : i - 3, &round));
        g_assert_cmpint(round.op.kind, ==, DN_OP_SEND);
        g_assert_cmpuint(round.op.peer, ==, apart[i][1]);
    }
    call.channels = 16;
    call.window = 1;
    for (guint k = 0; k < 2; k++) {
        DnRound round = {.call = &call, .wanted = 1};
        g_assert_true(grouped->round(&call, 1, 1, k, &round));
        g_assert_cmpuint(round.op.peer, ==, k == 0 ? 2 : 5);
    }
    DnRound none = {.call = &call};
    g_assert_false(grouped->round(&call, 1, 1, 2, &none));
}

/* Cray MPICH's settings: two levels up to 256 KiB where there are several nodes, Bruck's alltoall
 * up to 512 B, above it eight messages under way; GPU buffers on the host up to 128 KiB, above by
 * kernels. */
static void test_cray_mpich(void)
{
    DnCollCall call = {.n = 16, .bytes = 128 << 10, .group = 8};
    DnSelection selection;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "smp");
    g_assert_cmpstr(selection.protocol, ==, "host");
    call.bytes = 256 << 10;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "smp");
    g_assert_cmpstr(selection.protocol, ==, "kernel");
    call.bytes += 1;
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "rabenseifner");
    call = (DnCollCall){.n = 8, .bytes = 512, .group = 8};
    dn_select_mpich(&call, DN_COLL_ALLREDUCE, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "recursive_doubling");
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "bruck");
    g_assert_null(selection.protocol);
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "linear_sync");
    g_assert_cmpuint(selection.window, ==, 32);
    call.bytes = 1 << 20;
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "xor");
    dn_select_mpich(&call, DN_COLL_ALLTOALL, TRUE, &selection);
    g_assert_cmpstr(selection.algorithm, ==, "linear_sync");
    g_assert_cmpuint(selection.window, ==, 8);
}

/* Chunks: of a Simple ring 2 MiB, of a broadcast's 512 KiB; of LL 32 KiB, down a ring from a root
 * what 512 threads write at a time, 8 B each. Channels: all; for 100 kB by LL in a
 * ring of 8, which has at least 512 * 8 * 8 B for each, 3. Open MPI passes no segment size and no
 * limit of requests. */
static void test_chunks(void)
{
    const DnNcclMachine machine = {.bus_bps = G_GINT64_CONSTANT(1600000000000),
                                   .gpu = DN_NCCL_AMPERE};
    DnCollCall call = {.n = 8, .bytes = 1 << 30, .channels = 16};
    DnSelection selection;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpint(selection.segment, ==, 2 << 20);
    dn_select_nccl(&call, DN_COLL_BCAST, &machine, &selection);
    g_assert_cmpint(selection.segment, ==, 512 << 10);
    g_assert_cmpstr(selection.protocol, ==, "Simple");
    g_assert_cmpuint(selection.channels, ==, 16);
    call.bytes = 100000;
    dn_select_nccl(&call, DN_COLL_ALLREDUCE, &machine, &selection);
    g_assert_cmpstr(selection.chosen, ==, "ring, LL");
    g_assert_cmpuint(selection.channels, ==, 3);
    g_assert_cmpint(selection.segment, ==, 32 << 10);
    dn_select_nccl(&call, DN_COLL_BCAST, &machine, &selection);
    g_assert_cmpstr(selection.protocol, ==, "LL");
    g_assert_cmpint(selection.segment, ==, 4096);
    dn_select_ompi(&call, DN_COLL_ALLTOALL, &selection);
    g_assert_cmpint(selection.segment, ==, 0);
    g_assert_cmpuint(selection.window, ==, 8);
    dn_select_mpich(&call, DN_COLL_ALLTOALL, FALSE, &selection);
    g_assert_cmpuint(selection.window, ==, 32);
}

/* ---- bad input ---- */

static void expect_error(const char *yaml, guint32 ranks, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(program_of(yaml, ranks, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_true(g_str_has_prefix(error->message, "test.yaml:1:"));
    if (!strstr(error->message, in_message))
        g_error("'%s' lacks '%s'", error->message, in_message);
}

static void test_errors(void)
{
    expect_error("{type: allreduce, bytes: 1 B, algorithm: rign}", 4, DN_ERROR_UNKNOWN,
                 "did you mean 'ring'");
    expect_error("{type: allgather, bytes: 1 B, algorithm: recursive_doubling}", 6, DN_ERROR_RANGE,
                 "needs a power of two of ranks; there are 6");
    expect_error("{type: allgather, bytes: 1 B, algorithm: neighbor}", 5, DN_ERROR_RANGE,
                 "an even number");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: hierarchical, group: 3}", 4,
                 DN_ERROR_RANGE, "`group`");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: multi_ring}", 4, DN_ERROR_RANGE,
                 "`rings`");
    expect_error("{type: allreduce, bytes: 1 B, rings: [[0, 1, 1]]}", 3, DN_ERROR_RANGE, "once");
    expect_error("{type: allreduce, bytes: 1 B, rings: [[0, 1]]}", 3, DN_ERROR_RANGE, "all 3");
    expect_error("{type: allreduce, bytes: 1 B, rings: []}", 3, DN_ERROR_RANGE, "0 rings");
    expect_error("{type: allreduce, bytes: 1 B, rings: [0]}", 3, DN_ERROR_TYPE, "list");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_nod, group: 2}", 4, DN_ERROR_RANGE,
                 "'by_nod'; allowed");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_node}", 4, DN_ERROR_RANGE, "group");
    expect_error("{type: allreduce, bytes: 1 B, rings: by_node, group: 3}", 4, DN_ERROR_RANGE,
                 "group");
    expect_error("{type: bcast, bytes: 1 B, root: 4}", 4, DN_ERROR_RANGE, "0 to 3");
    expect_error("{type: scan, bytes: 1 B, communicator: [0, 0]}", 4, DN_ERROR_RANGE, "different");
    expect_error("{type: scan, bytes: 1 B, communicator: []}", 4, DN_ERROR_RANGE, "at least one");
    expect_error("{type: alltoallv, bytes: 1 B, algorithm: bruck}", 4, DN_ERROR_RANGE, "equal");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: smp, group: 3}", 4, DN_ERROR_RANGE,
                 "allreduce by smp needs `group`, which divides the ranks");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: smp, group: 1, communicator: [1, 0]}", 4,
                 DN_ERROR_RANGE, "needs a communicator of all ranks");
    expect_error("{type: allreduce, bytes: 1 B, algorithm: nccl_tree, group: 2, rings: [[0, 2, 1, "
                 "3]]}",
                 4, DN_ERROR_RANGE, "allreduce by nccl_tree needs rings that go node by node");
    expect_error("{type: allreduce, bytes: 1 B, library: nccl}", 4, DN_ERROR_MISSING,
                 "bus_bandwidth");
    expect_error("{type: alltoall, bytes: 1 B, algorithm: grouped, staged: yes}", 4, DN_ERROR_RANGE,
                 "2 streams");
    expect_error("{type: barrier, bytes: 1 B}", 4, DN_ERROR_UNKNOWN, "bytes");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; dn_coll_algorithms[i]; i++) {
        g_autofree char *path = g_strdup_printf("/collective/%s/%s",
                                                dn_coll_kind_name(dn_coll_algorithms[i]->kind),
                                                dn_coll_algorithms[i]->name);
        g_test_add_data_func(path, dn_coll_algorithms[i], test_algorithm);
    }
    g_test_add_func("/collective/workload-is", test_workload_is);
    g_test_add_func("/collective/libraries", test_libraries);
    g_test_add_func("/collective/arrangements", test_arrangements);
    g_test_add_func("/collective/rings-by-node", test_rings_by_node);
    g_test_add_func("/collective/staged", test_staged);
    g_test_add_func("/collective/communicator", test_communicator);
    g_test_add_func("/collective/alltoallv", test_alltoallv);
    g_test_add_func("/collective/volumes", test_volumes);
    g_test_add_func("/collective/auto", test_auto);
    g_test_add_func("/collective/auto-runs", test_auto_runs);
    g_test_add_func("/collective/nccl-model", test_nccl_model);
    g_test_add_func("/collective/rccl-model", test_rccl_model);
    g_test_add_func("/collective/rccl-node", test_rccl_node);
    g_test_add_func("/collective/tree-of-one-node", test_tree_of_one_node);
    g_test_add_func("/collective/tree-of-nodes", test_tree_of_nodes);
    g_test_add_func("/collective/grouped-order", test_grouped_order);
    g_test_add_func("/collective/cray-mpich", test_cray_mpich);
    g_test_add_func("/collective/chunks", test_chunks);
    g_test_add_func("/collective/errors", test_errors);
    return g_test_run();
}
