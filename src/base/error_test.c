/* error_test.c - Tests of name suggestions and of how a user's text is shown. */
#include "base/error.h"

static const char *const KNOWN[] = {"minimal", "valiant", "ugal", "dimension-order", "p", NULL};

static void test_near(void)
{
    /* each distance counted by hand; case is free */
    g_assert_cmpstr(dn_nearest("ugla", KNOWN), ==, "ugal");        /* one swap */
    g_assert_cmpstr(dn_nearest("minmal", KNOWN), ==, "minimal");   /* one insertion */
    g_assert_cmpstr(dn_nearest("minimall", KNOWN), ==, "minimal"); /* one deletion */
    g_assert_cmpstr(dn_nearest("vAliamt", KNOWN), ==, "valiant");  /* one replacement, case free */
    g_assert_cmpstr(dn_nearest("MINIMAL", KNOWN), ==, "minimal");
    /* 15 letters: a third is 5 edits; "dim-order" is 6 deletions away and itself 9 letters long */
    g_assert_cmpstr(dn_nearest("dimensoin_ordre", KNOWN), ==, "dimension-order");
    g_assert_null(dn_nearest("dim-order", KNOWN));
}

static void test_far(void)
{
    g_assert_null(dn_nearest("banana", KNOWN));
    g_assert_null(dn_nearest("", KNOWN));
    g_assert_null(dn_nearest("q", KNOWN)); /* one edit from "p", but nothing is shared */
    g_assert_null(dn_nearest("minimal", NULL));
    g_autofree char *huge = g_strnfill(100000, 'u');
    g_assert_null(dn_nearest(huge, KNOWN));
}

/* Distance 2 is near, 3 is not, for a word of 8 letters (8 / 3 = 2). */
static void test_threshold(void)
{
    static const char *const ONE[] = {"abcdefgh", NULL};
    g_assert_cmpstr(dn_nearest("abXdeXgh", ONE), ==, "abcdefgh");
    g_assert_null(dn_nearest("aXXdeXgh", ONE));
    /* 9 letters: 3 are near, 4 are not */
    static const char *const NINE[] = {"abcdefghi", NULL};
    g_assert_cmpstr(dn_nearest("aXXdeXghi", NINE), ==, "abcdefghi");
    g_assert_null(dn_nearest("aXXXeXghi", NINE));
}

/* A word that begins only one name, or stands between its underscores; two slips in five letters
 * name nothing. */
static void test_parts(void)
{
    static const char *const KEYS[] = {"iterations", "noise", "ranks_per_node",
                                       "host_rate",  "ranks", NULL};
    g_assert_cmpstr(dn_nearest("iter", KEYS), ==, "iterations");
    g_assert_cmpstr(dn_nearest("rate", KEYS), ==, "host_rate");
    g_assert_cmpstr(dn_nearest("per_node", KEYS), ==, "ranks_per_node");
    g_assert_null(dn_nearest("nodes", KEYS));
    g_assert_cmpstr(dn_nearest("niose", KEYS), ==, "noise");
    g_assert_null(dn_nearest("ran", KEYS)); /* two */
    g_assert_null(dn_nearest("it", KEYS));
    g_assert_null(dn_nearest("rat", KEYS)); /* not the whole part */
}

static void test_best_wins(void)
{
    static const char *const BOTH[] = {"bytez", "bytes", "byte", NULL};
    g_assert_cmpstr(dn_nearest("byte", BOTH), ==, "byte");   /* distance 0 beats 1 */
    g_assert_cmpstr(dn_nearest("bytex", BOTH), ==, "bytez"); /* the first of equals */
    g_assert_cmpstr(dn_nearest("byets", BOTH), ==, "bytes"); /* one swap beats two edits */
}

static void check_quote(const char *text, const char *expected)
{
    g_autofree char *shown = dn_quote(text);
    g_assert_cmpstr(shown, ==, expected);
}

static void test_quote(void)
{
    check_quote("plain", "'plain'");
    check_quote("two\nlines\tand\001more", "'two\\nlines\\tand\\u0001more'");
    check_quote("caf\303\251", "'caf\303\251'");
    check_quote("bad \377 byte", "'bad ?'");
    check_quote("123456789012345678901234567890123456789012345678",
                "'123456789012345678901234567890123456789012345678'");
    check_quote("1234567890123456789012345678901234567890123456789",
                "'123456789012345678901234567890123456789012345678...'");
}

static void test_suggest(void)
{
    g_autofree char *near = dn_unknown("ugla", KNOWN, "known");
    g_assert_cmpstr(
        near, ==, "'ugla'; did you mean 'ugal'? known: minimal, valiant, ugal, dimension-order, p");
    g_autofree char *far = dn_unknown_where("banana", " here", KNOWN, "allowed");
    g_assert_cmpstr(far, ==, "'banana' here; allowed: minimal, valiant, ugal, dimension-order, p");
    g_autofree char *none = dn_unknown("banana", NULL, "allowed");
    g_assert_cmpstr(none, ==, "'banana'");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/error/near", test_near);
    g_test_add_func("/error/far", test_far);
    g_test_add_func("/error/threshold", test_threshold);
    g_test_add_func("/error/best", test_best_wins);
    g_test_add_func("/error/parts", test_parts);
    g_test_add_func("/error/quote", test_quote);
    g_test_add_func("/error/suggest", test_suggest);
    return g_test_run();
}
