/* timeline_test.c - Tests of what a timeline keeps: packets without a gap are one slice, and
 * nothing that begins after its end. */
#include "runtime/timeline.h"

#include "runtime/runtime_internal.h"

static void timeline_expect(const DnTimeline *timeline, guint at, guint32 link, gint64 from_ps,
                            gint64 to_ps)
{
    const DnSlice *slice = &g_array_index(timeline->links, DnSlice, at);
    g_assert_cmpuint(slice->row, ==, link);
    g_assert_cmpint(slice->from_ps, ==, from_ps);
    g_assert_cmpint(slice->to_ps, ==, to_ps);
}

static void test_joined(void)
{
    g_autoptr(DnTimeline) timeline = dn_timeline_new(10, DN_TIMELINE_ALL);
    DnReplay replay = {0};
    dn_timeline_begin(timeline, &replay, 2);
    dn_timeline_link(timeline, 0, 0, 0, 10, FALSE);
    dn_timeline_link(timeline, 1, 0, 5, 15, FALSE);
    dn_timeline_link(timeline, 0, 0, 10, 20, FALSE);
    dn_timeline_link(timeline, 0, 1, 20, 30, FALSE);
    dn_timeline_link(timeline, 0, 1, 30, 40, TRUE);
    g_assert_cmpuint(timeline->links->len, ==, 4);
    timeline_expect(timeline, 0, 0, 0, 20);
    timeline_expect(timeline, 1, 1, 5, 15);
    timeline_expect(timeline, 2, 0, 20, 30);
    timeline_expect(timeline, 3, 0, 30, 40);
    g_assert_cmpint(timeline->links_cut_ps, ==, G_MAXINT64);
}

static void test_cut(void)
{
    g_autoptr(DnTimeline) timeline = dn_timeline_new(2, DN_TIMELINE_ALL);
    DnReplay replay = {0};
    dn_timeline_begin(timeline, &replay, 3);
    dn_timeline_link(timeline, 0, 0, 0, 10, FALSE);
    dn_timeline_link(timeline, 1, 0, 0, 12, FALSE);
    dn_timeline_link(timeline, 2, 0, 5, 15, FALSE); /* no space */
    g_assert_cmpint(timeline->links_cut_ps, ==, 15);
    dn_timeline_link(timeline, 0, 0, 10, 20, FALSE);
    dn_timeline_link(timeline, 0, 0, 20, 30, FALSE);
    g_assert_cmpuint(timeline->links->len, ==, 2);
    timeline_expect(timeline, 0, 0, 0, 20);
    timeline_expect(timeline, 1, 1, 0, 12);
}

/* Ranks have a limit of their own: links cannot use it up. */
static void test_parts(void)
{
    g_autoptr(DnTimeline) timeline = dn_timeline_new(2, DN_TIMELINE_ALL);
    DnReplay replay = {0};
    dn_timeline_begin(timeline, &replay, 3);
    for (guint32 link = 0; link < 3; link++)
        dn_timeline_link(timeline, link, 0, 0, 10, FALSE);
    replay.was(replay.was_data, &(DnSlice){.from_ps = 0, .to_ps = 5, .kind = DN_SLICE_WAIT});
    replay.was(replay.was_data, &(DnSlice){.from_ps = 5, .to_ps = 5, .kind = DN_SLICE_WAIT});
    g_assert_cmpuint(timeline->links->len, ==, 2);
    g_assert_cmpint(timeline->links_cut_ps, ==, 10);
    g_assert_cmpuint(timeline->slices->len, ==, 1);
    g_assert_cmpint(timeline->cut_ps, ==, G_MAXINT64);
    g_autoptr(DnTimeline) links = dn_timeline_new(2, DN_TIMELINE_LINKS);
    DnReplay other = {0};
    dn_timeline_begin(links, &other, 3);
    g_assert_true(other.was == NULL);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/timeline/joined", test_joined);
    g_test_add_func("/timeline/cut", test_cut);
    g_test_add_func("/timeline/parts", test_parts);
    return g_test_run();
}
