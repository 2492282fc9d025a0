/* receive_ranges_test.c - posted receives, of which many are ranges, against a plain list searched
 * from the front. */
#include "runtime/receive_ranges.h"

#include "base/rng.h"
#include "workload/program.h"

static gboolean list_agrees(const DnRecord *r, guint32 source, guint32 tag)
{
    return (r->peer == source || r->peer == DN_ANY) && dn_tags_agree(r->tag, tag);
}

static void assert_same(const DnRecord *a, const DnRecord *b)
{
    g_assert_cmpuint(a->peer, ==, b->peer);
    g_assert_cmpuint(a->tag, ==, b->tag);
    g_assert_cmpint(a->bytes, ==, b->bytes);
    g_assert_cmpuint(a->receive.request, ==, b->receive.request);
    g_assert_cmpuint(a->receive.stream, ==, b->receive.stream);
    g_assert_cmpuint(a->receive.flags, ==, b->receive.flags);
    g_assert_cmpuint(a->receive.entries, ==, b->receive.entries);
}

typedef struct {
    DnPostedReceives posted;
    DnRecordPool pool;
    GArray *list;             /* of DnRecord */
    guint taken, most_ranged; /* most_ranged: not in the table, but for those from any source */
} Both;

static void add_both(Both *both, const DnRecord *receive)
{
    dn_receives_add(&both->posted, &both->pool, receive);
    g_array_append_val(both->list, *receive);
    both->most_ranged = MAX(both->most_ranged, both->list->len - both->posted.table.count);
}

static void take_both(Both *both, guint32 source, guint32 tag)
{
    DnRecord receive;
    gboolean found = dn_receives_take(&both->posted, &both->pool, source, tag, &receive);
    for (guint i = 0; i < both->list->len; i++) {
        const DnRecord *r = &g_array_index(both->list, DnRecord, i);
        if (!list_agrees(r, source, tag))
            continue;
        g_assert_true(found);
        assert_same(&receive, r);
        g_array_remove_index(both->list, i);
        both->taken++;
        return;
    }
    g_assert_false(found);
}

static void first_both(const Both *both, guint32 request, guint32 stream)
{
    DnRecord receive;
    gboolean found = dn_receives_first(&both->posted, &both->pool, request, stream, &receive);
    for (guint i = 0; i < both->list->len; i++) {
        const DnRecord *r = &g_array_index(both->list, DnRecord, i);
        if ((request != DN_ANY && r->receive.request != request) ||
            (stream != DN_ANY && r->receive.stream != stream))
            continue;
        g_assert_true(found);
        assert_same(&receive, r);
        return;
    }
    g_assert_false(found);
}

/* A row of receives as a random program posts them: often long and alike, sources up or down or the
 * same; sometimes from any source, or each with its own tag or size. */
static void add_row(Both *both, guint64 bits)
{
    guint32 n = bits % 4 == 0 ? 1 + (bits >> 8) % 100 : 1 + (bits >> 8) % 6;
    gint32 step = (gint32)((bits >> 16) % 7) - 3;
    DnRecord receive = {.kind = DN_RECORD_RECEIVE,
                        .peer = 400 + (bits >> 20) % 100,
                        .tag = (bits >> 28) % 9 == 0 ? DN_ANY : (bits >> 28) % 3,
                        .bytes = (bits >> 32) % 2,
                        .receive = {.entries = (bits >> 34) % 8 == 0,
                                    .request = (bits >> 38) % 3,
                                    .stream = (bits >> 42) % 2,
                                    .flags = (bits >> 44) % 2}};
    gboolean wild = (bits >> 46) % 16 == 0, sizes = (bits >> 50) % 16 == 0;
    for (guint32 i = 0; i < n; i++) {
        DnRecord r = receive;
        if (wild && i % 20 == 19)
            r.peer = DN_ANY;
        if (sizes && i % 30 == 29)
            r.bytes += i;
        add_both(both, &r);
        receive.peer = (guint32)((gint32)receive.peer + step);
    }
}

/* Random programs: 4,000 rows and bursts of messages; sequence numbers wrap on the way. */
static void test_against_list(void)
{
    Both both = {.posted.table.sequence = G_MAXUINT32 - 2000};
    both.list = g_array_new(FALSE, FALSE, sizeof(DnRecord));
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 1), n = 0;
    for (guint i = 0; i < 4000; i++) {
        if (both.list->len < 1500)
            add_row(&both, dn_draw(key, n++));
        for (guint k = dn_draw(key, n++) % 24; k > 0; k--) {
            guint64 bits = dn_draw(key, n++);
            guint32 source = 100 + (bits >> 8) % 700;
            if (both.list->len > 0 && bits % 4 != 0) /* of one that is posted */
                source = g_array_index(both.list, DnRecord, (bits >> 8) % both.list->len).peer;
            take_both(&both, source == DN_ANY ? 5 : source, (bits >> 40) % 3);
        }
        guint64 bits = dn_draw(key, n++);
        first_both(&both, bits % 4 == 3 ? DN_ANY : bits % 4,
                   bits >> 8 & 1 ? DN_ANY : bits >> 9 & 1);
    }
    g_assert_cmpuint(both.taken, >, 10000);
    g_assert_cmpuint(both.most_ranged, >, 300);
    g_array_free(both.list, TRUE);
    dn_receives_clear(&both.posted);
    dn_record_pool_clear(&both.pool);
}

/* The receives of an alltoall over 16,384 ranks, taken in another order, are few records. */
static void test_alltoall(void)
{
    DnPostedReceives posted = {0};
    DnRecordPool pool = {0};
    const guint32 n = 16384, me = 5000;
    for (guint32 i = 1; i < n; i++) {
        DnRecord receive = {.kind = DN_RECORD_RECEIVE, .peer = (me + i) % n, .bytes = 8};
        dn_receives_add(&posted, &pool, &receive);
    }
    g_assert_cmpuint(pool.capacity, <=, 64);
    for (guint32 i = 1; i < n; i++) {
        DnRecord receive;
        guint32 source = (me + i * 5077) % n; /* odd: each once */
        g_assert_true(dn_receives_take(&posted, &pool, source, 0, &receive));
        g_assert_cmpuint(receive.peer, ==, source);
        g_assert_false(dn_receives_take(&posted, &pool, source, 0, &receive));
    }
    dn_receives_clear(&posted);
    dn_record_pool_clear(&pool);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/receives/against-list", test_against_list);
    g_test_add_func("/receives/alltoall", test_alltoall);
    return g_test_run();
}
