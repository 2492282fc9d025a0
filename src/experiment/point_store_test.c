/* point_store_test.c - Tests of the point store: what a process leaves that is killed at any byte,
 * other runs' heads, damaged bytes. */
#include "experiment/point_store.h"

#include <glib/gstdio.h>
#include <string.h>

#define HEAD "version 1\nrun:\n  seed: 1\n  bytes: 2\nfiles:\n  ab /x\n"
#define FILE_NAME "points"
#define N 5

static DnPointStore *store_open(const char *head)
{
    g_autoptr(GError) error = NULL;
    DnPointStore *store = dn_point_store_open(FILE_NAME, head, N, &error);
    g_assert_no_error(error);
    return store;
}

static GVariant *record_of(guint point)
{
    GVariantDict dict;
    g_autofree char *text = g_strnfill(100 + point, (char)('a' + point));
    g_variant_dict_init(&dict, NULL);
    g_variant_dict_insert(&dict, "text", "s", text);
    g_variant_dict_insert(&dict, "number", "d", 0.1 * point);
    return g_variant_dict_end(&dict);
}

static void store_add(DnPointStore *store, guint point)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(dn_point_store_add(store, point, record_of(point), &error));
    g_assert_no_error(error);
}

static void store_holds(DnPointStore *store, guint point)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) wanted = g_variant_ref_sink(record_of(point));
    g_assert_true(dn_point_store_has(store, point));
    g_autoptr(GVariant) got = dn_point_store_get(store, point, &error);
    g_assert_no_error(error);
    g_assert_true(g_variant_equal(got, wanted));
}

/* Points in any order, twice the same: once. They are there again for whoever opens it next. */
static void test_again(void)
{
    g_unlink(FILE_NAME);
    DnPointStore *store = store_open(HEAD);
    store_add(store, 3);
    store_add(store, 0);
    store_add(store, 3);
    g_assert_cmpuint(dn_point_store_done(store), ==, 2);
    dn_point_store_free(store);
    store = store_open(HEAD);
    g_assert_cmpuint(dn_point_store_done(store), ==, 2);
    g_assert_cmpstr(dn_point_store_head(store), ==, HEAD);
    store_holds(store, 0);
    store_holds(store, 3);
    g_assert_false(dn_point_store_has(store, 1));
    dn_point_store_free(store);
}

/* Cut after each of its bytes: the records before the cut are there, and more can be added. */
static void test_cut(void)
{
    g_autofree char *whole = NULL;
    gsize length;
    gsize ends[N + 1];
    g_unlink(FILE_NAME);
    DnPointStore *store = store_open(HEAD);
    g_assert_true(g_file_get_contents(FILE_NAME, &whole, &ends[0], NULL));
    for (guint p = 0; p < 3; p++) {
        store_add(store, p);
        g_free(whole);
        g_assert_true(g_file_get_contents(FILE_NAME, &whole, &ends[p + 1], NULL));
    }
    length = ends[3];
    dn_point_store_free(store);
    for (gsize cut = ends[0]; cut <= length; cut++) {
        guint done = cut < ends[1] ? 0 : cut < ends[2] ? 1 : cut < ends[3] ? 2 : 3;
        g_assert_true(g_file_set_contents(FILE_NAME, whole, (gssize)cut, NULL));
        g_autoptr(DnPointStore) again = store_open(HEAD);
        g_assert_cmpuint(dn_point_store_done(again), ==, done);
        g_assert_cmpuint(dn_point_store_cut(again), ==, cut - ends[done]);
        store_add(again, 4);
        for (guint p = 0; p < done; p++)
            store_holds(again, p);
        store_holds(again, 4);
    }
}

/* One wrong bit: that record and those after it are not there, nothing else happens. */
static void test_damage(void)
{
    g_autofree char *whole = NULL;
    gsize length, head;
    g_unlink(FILE_NAME);
    DnPointStore *store = store_open(HEAD);
    g_assert_true(g_file_get_contents(FILE_NAME, &whole, &head, NULL));
    g_clear_pointer(&whole, g_free);
    store_add(store, 0);
    store_add(store, 1);
    dn_point_store_free(store);
    g_assert_true(g_file_get_contents(FILE_NAME, &whole, &length, NULL));
    for (gsize at = 0; at < length; at++) {
        g_autoptr(GError) error = NULL;
        whole[at] ^= 0x10;
        g_assert_true(g_file_set_contents(FILE_NAME, whole, (gssize)length, NULL));
        whole[at] ^= 0x10;
        g_autoptr(DnPointStore) again = dn_point_store_open(FILE_NAME, HEAD, N, &error);
        if (at < head) {
            g_assert_null(again);
            g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
            continue;
        }
        g_assert_no_error(error);
        g_assert_cmpuint(dn_point_store_done(again), <, 2);
    }
}

static void expect_difference(const char *head, const char *wanted)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_point_store_open(FILE_NAME, head, N, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, wanted));
}

static void test_other_run(void)
{
    g_unlink(FILE_NAME);
    dn_point_store_free(store_open(HEAD));
    expect_difference("version 2\nrun:\n  seed: 1\n  bytes: 2\nfiles:\n  ab /x\n",
                      "version differs: was `version 1`, is `version 2`");
    expect_difference("version 1\nrun:\n  seed: 1\n  bytes: 3\nfiles:\n  ab /x\n",
                      "run differs: was `bytes: 2`, is `bytes: 3`");
    expect_difference("version 1\nrun:\n  seed: 1\n  bytes: 2\n  more: 1\nfiles:\n  ab /x\n",
                      "run differs: was `(nothing)`, is `more: 1`");
    expect_difference("version 1\nrun:\n  seed: 1\n  bytes: 2\nfiles:\n",
                      "files differs: was `ab /x`, is `(nothing)`");
}

/* A reader sees what is complete while another process appends. */
static void test_reader(void)
{
    g_autoptr(GError) error = NULL;
    g_unlink(FILE_NAME);
    g_assert_null(dn_point_store_read_only(FILE_NAME, NULL, N, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_clear_error(&error);
    g_autoptr(DnPointStore) store = store_open(HEAD);
    store_add(store, 2);
    g_autoptr(DnPointStore) reader = dn_point_store_read_only(FILE_NAME, NULL, N, &error);
    g_assert_no_error(error);
    store_holds(reader, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("darner-store-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_test_add_func("/experiment/point-store/again", test_again);
    g_test_add_func("/experiment/point-store/cut", test_cut);
    g_test_add_func("/experiment/point-store/damage", test_damage);
    g_test_add_func("/experiment/point-store/other-run", test_other_run);
    g_test_add_func("/experiment/point-store/reader", test_reader);
    int status = g_test_run();
    g_unlink(FILE_NAME);
    g_rmdir(folder);
    return status;
}
