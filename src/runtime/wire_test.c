/* wire_test.c - Tests that what is packed into a tag, a word or a cookie comes out, at every limit.
 * */
#include "runtime/wire.h"

static void check_tag(DnWireTag t)
{
    DnWireTag u = dn_wire_tag_unpack(dn_wire_tag_pack(t));
    g_assert_cmpuint(u.tag, ==, t.tag);
    g_assert_cmpuint(u.source, ==, t.source);
    g_assert_cmpuint(u.kind, ==, t.kind);
    g_assert_cmpuint(u.local, ==, t.local);
}

static void test_tag(void)
{
    for (DnWire kind = DN_WIRE_EAGER; kind <= DN_WIRE_DONE; kind++)
        for (guint i = 0; i < 8; i++)
            check_tag((DnWireTag){.tag = i & 1 ? G_MAXUINT32 : 0,
                                  .source = i & 2 ? DN_REPLAY_MAX_RANKS - 1 : 0,
                                  .kind = kind,
                                  .local = i & 4 ? DN_REPLAY_MAX_SHARING - 1 : 0});
}

static void test_word(void)
{
    DnWireWord w = dn_wire_word_unpack(dn_wire_word_pack((DnWireWord){7, G_MAXUINT32}));
    g_assert_cmpuint(w.number, ==, 7);
    g_assert_cmpuint(w.remote, ==, G_MAXUINT32);
    w = dn_wire_word_unpack(dn_wire_word_pack((DnWireWord){G_MAXUINT32, 0}));
    g_assert_cmpuint(w.number, ==, G_MAXUINT32);
    g_assert_cmpuint(w.remote, ==, 0);
}

static void test_cookie(void)
{
    for (DnCookieKind kind = DN_COOKIE_WAKE; kind <= DN_COOKIE_KNOWN; kind++) {
        DnCookie c = dn_cookie_unpack(dn_cookie_of_stream(kind, 255, DN_STREAMS - 1));
        g_assert_cmpuint(c.kind, ==, kind);
        g_assert_cmpuint(c.local, ==, 255);
        g_assert_cmpuint(c.lower, ==, DN_STREAMS - 1);
        c = dn_cookie_unpack(dn_cookie_of_record(kind, 1, G_MAXUINT32, 3));
        g_assert_cmpuint(c.kind, ==, kind);
        g_assert_cmpuint(c.local, ==, 1);
        g_assert_cmpuint(c.lower, ==, G_MAXUINT32);
        g_assert_cmpuint(c.upper, ==, 3);
        DnCompletion done = {.request = DN_REQUESTS - 1,
                             .entries = (1u << DN_COOKIE_ENTRIES_BITS) - 1,
                             .stream = DN_STREAMS - 1,
                             .serial = kind & 1};
        c = dn_cookie_unpack(dn_cookie_of_completion(kind, 9, done));
        g_assert_cmpuint(c.kind, ==, kind);
        g_assert_cmpuint(c.local, ==, 9);
        DnCompletion out = dn_cookie_completion(c);
        g_assert_cmpuint(out.request, ==, done.request);
        g_assert_cmpuint(out.entries, ==, done.entries);
        g_assert_cmpuint(out.stream, ==, done.stream);
        g_assert_cmpuint(out.serial, ==, done.serial);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/wire/tag", test_tag);
    g_test_add_func("/wire/word", test_word);
    g_test_add_func("/wire/cookie", test_cookie);
    return g_test_run();
}
