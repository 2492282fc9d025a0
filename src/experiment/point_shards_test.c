/* point_shards_test.c - Tests of the parts of a run: each point is one part's, and counts once. */
#include "experiment/point_shards.h"

#include <glib/gstdio.h>
#include <string.h>

#define N 20

static DnPointShards *shards_open(const DnShard *shard)
{
    g_autoptr(GError) error = NULL;
    DnPointShards *shards = dn_point_shards_open(".", shard, "run 1\n", N, &error);
    g_assert_no_error(error);
    return shards;
}

static GVariant *record_of(guint point, guint by)
{
    GVariantDict dict;
    g_variant_dict_init(&dict, NULL);
    g_variant_dict_insert(&dict, "point", "u", point);
    g_variant_dict_insert(&dict, "by", "u", by);
    return g_variant_dict_end(&dict);
}

static void test_parse(void)
{
    static const char *const wrong[] = {"",         "1",     "0/2", "3/2",  "1/0",
                                        "1/100001", "1/2/3", "a/b", "-1/2", "1/ 2"};
    DnShard shard;
    g_assert_true(dn_shard_parse("2/8", &shard, NULL));
    g_assert_cmpuint(shard.i, ==, 2);
    g_assert_cmpuint(shard.n, ==, 8);
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(dn_shard_parse(wrong[i], &shard, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    }
}

/* Each point is in exactly one of the shards. */
static void test_division(void)
{
    for (guint n = 1; n < 8; n++)
        for (guint point = 0; point < N; point++) {
            guint in = 0;
            for (guint i = 1; i <= n; i++)
                in += dn_shard_has(&(DnShard){.i = i, .n = n}, point) ? 1 : 0;
            g_assert_cmpuint(in, ==, 1);
        }
    g_assert_true(dn_shard_has(&(DnShard){0}, 7));
}

/* Two parts that both have a point: the first counts, and a third one sees what is done. */
static void test_twice(void)
{
    const DnShard first = {.i = 1, .n = 2}, second = {.i = 2, .n = 2};
    g_autoptr(DnPointShards) a = shards_open(&first);
    g_autoptr(DnPointShards) b = shards_open(&second);
    for (guint point = 0; point < 6; point++)
        g_assert_true(dn_point_shards_add(a, point, record_of(point, 1), NULL));
    for (guint point = 4; point < 9; point++)
        g_assert_true(dn_point_shards_add(b, point, record_of(point, 2), NULL));
    g_autoptr(DnPointShards) all = shards_open(NULL);
    g_assert_cmpuint(dn_point_shards_done(all), ==, 9);
    g_assert_cmpuint(dn_point_shards_twice(all), ==, 2);
    for (guint point = 0; point < 9; point++) {
        guint32 at = N, by = 0;
        g_autoptr(GVariant) record = dn_point_shards_get(all, point, NULL);
        g_variant_lookup(record, "point", "u", &at);
        g_variant_lookup(record, "by", "u", &by);
        g_assert_cmpuint(at, ==, point);
        g_assert_cmpuint(by, ==, point < 6 ? 1 : 2);
    }
    g_assert_false(dn_point_shards_has(all, 9));
}

/* A part of another version is refused, with its file. */
static void test_mixed(void)
{
    g_autoptr(GError) error = NULL;
    const DnShard first = {.i = 1, .n = 2};
    g_autoptr(DnPointShards) a = shards_open(&first);
    g_assert_nonnull(a);
    g_assert_null(dn_point_shards_open(".", NULL, "run 2\n", N, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "points.1-of-2: points of another run: run differs"));
    g_autofree char *head = NULL;
    g_assert_true(dn_point_shards_head(".", &head, NULL));
    g_assert_cmpstr(head, ==, "run 1\n");
}

/* What cannot be read as a folder is no folder without points; one that is not there is. */
static void test_unreadable(void)
{
    g_autoptr(GError) error = NULL;
    char *head = NULL;
    g_assert_true(dn_point_shards_head("none", &head, NULL));
    g_assert_null(head);
    g_assert_false(dn_point_shards_head("points.1-of-2", &head, &error));
    g_assert_null(head);
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_assert_true(g_str_has_prefix(error->message, "points.1-of-2: cannot read the folder: "));
    g_assert_null(dn_point_shards_open("points.1-of-2", NULL, "run 1\n", N, NULL));
}

static void clear_folder(void)
{
    g_unlink("points.1-of-2");
    g_unlink("points.2-of-2");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("darner-shards-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_test_add_func("/experiment/point-shards/parse", test_parse);
    g_test_add_func("/experiment/point-shards/division", test_division);
    g_test_add_func("/experiment/point-shards/twice", test_twice);
    g_test_add_func("/experiment/point-shards/mixed", test_mixed);
    g_test_add_func("/experiment/point-shards/unreadable", test_unreadable);
    int status = g_test_run();
    clear_folder();
    g_rmdir(folder);
    return status;
}
