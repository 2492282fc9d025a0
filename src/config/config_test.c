/* config_test.c - trees from YAML: positions, includes, overrides, canonical text; every error. */
#include "config/config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *folder; /* a temporary one; the tests run in it */

static void write_file(const char *name, const char *text)
{
    g_assert_true(g_file_set_contents(name, text, -1, NULL));
}

static void remove_tree(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name = NULL;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        if (g_file_test(below, G_FILE_TEST_IS_DIR) && !g_file_test(below, G_FILE_TEST_IS_SYMLINK))
            remove_tree(below);
        else
            g_remove(below);
    }
    g_rmdir(path);
}

static DnConfigNode *config_parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    DnConfigNode *root = dn_config_parse(text, "t.yaml", &error);
    g_assert_no_error(error);
    return root;
}

static void assert_message(GError *error, DnError code, const char *message)
{
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
    g_assert_null(strchr(error->message, '\n'));
    g_error_free(error);
}

static void config_fails(const char *text, DnError code, const char *message)
{
    GError *error = NULL;
    g_assert_null(dn_config_parse(text, "t.yaml", &error));
    assert_message(error, code, message);
}

static void load_fails(const char *file, DnError code, const char *message)
{
    GError *error = NULL;
    g_assert_null(dn_config_load(file, NULL, &error));
    assert_message(error, code, message);
}

static void config_prints(const char *text, const char *expected)
{
    g_autoptr(DnConfigNode) root = config_parse(text);
    g_autofree char *printed = dn_config_to_string(root);
    g_assert_cmpstr(printed, ==, expected);
    g_autoptr(DnConfigNode) again = config_parse(printed);
    g_autofree char *twice = dn_config_to_string(again);
    g_assert_cmpstr(twice, ==, printed);
}

static void test_tree(void)
{
    g_autoptr(DnConfigNode) root = config_parse("# first\n"
                                                "machine: lumi\n"
                                                "jobs:\n"
                                                "  - name: \"a\"\n"
                                                "    workload: {type: alltoall, bytes: 1 MiB}\n");
    const DnConfigNode *jobs = dn_config_get(root, "jobs");
    g_assert_cmpint(jobs->kind, ==, DN_CONFIG_LIST);
    const DnConfigNode *job = jobs->children->pdata[0];
    const DnConfigNode *bytes = dn_config_get(dn_config_get(job, "workload"), "bytes");
    g_assert_cmpstr(bytes->scalar, ==, "1 MiB");
    g_assert_cmpstr(bytes->path, ==, "jobs[0].workload.bytes");
    g_assert_cmpstr(bytes->file, ==, "t.yaml");
    /* `    workload: {type: alltoall, bytes: 1 MiB}`: the 39th character is the 1 */
    g_assert_cmpuint(bytes->line, ==, 5);
    g_assert_cmpuint(bytes->column, ==, 39);
    g_assert_false(bytes->quoted);
    g_assert_true(dn_config_get(job, "name")->quoted);
    g_assert_null(dn_config_get(root, "absent"));
    g_assert_null(dn_config_get(bytes, "key of a scalar"));
    const DnConfigNode *key = root->key_nodes->pdata[1];
    g_assert_cmpuint(key->line, ==, 3);
    g_assert_cmpuint(key->column, ==, 1);
}

static void test_print(void)
{
    config_prints("b: 1 # comment\na:   [x , 'y']\n", "b: 1\na: [x, \"y\"]\n");
    config_prints("a: {b: {c: [ ]}, d: {}}\n", "a: {b: {c: []}, d: {}}\n");
    config_prints("a: {value: 200 Gb/s, source: 'Kim, \"fig\" 3'}\n",
                  "a: {value: 200 Gb/s, source: \"Kim, \\\"fig\\\" 3\"}\n");
    config_prints("a: {value: [1, 2], assumed: guess}\n",
                  "a: {value: [1, 2], assumed: \"guess\"}\n");
    config_prints("a: |\n  two\n  lines\n", "a: \"two\\nlines\\n\"\n");
    config_prints("a: \"\\x01\\t \\u00e9\\\\\"\n", "a: \"\\u0001\\u0009 \303\251\\\\\"\n");
    config_prints("a: \"\\N\\L\\P\"\n", "a: \"\\u0085\\u2028\\u2029\"\n");
    config_prints("a: [~, null, 'null']\n", "a: [null, null, \"null\"]\n");
    config_prints("a:\nb: -3 %\n'c d': ./x\n", "a: null\nb: -3 %\n\"c d\": ./x\n");
    config_prints("just text", "just text");
    config_prints("[1, 2]", "[1, 2]");
}

static void test_aliases(void)
{
    config_prints("a: &x {p: 1}\nb: *x\nc: [*x, *x]\n",
                  "a: {p: 1}\nb: {p: 1}\nc: [{p: 1}, {p: 1}]\n");
    /* what is written beside << wins; of a list the later */
    config_prints("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3, r: 4}\n",
                  "a: {p: 1, q: 2}\nb: {p: 1, q: 3, r: 4}\n");
    config_fails("a: *x\n", DN_ERROR_UNKNOWN, "t.yaml:1:4: alias 'x' has no anchor above it");
    config_fails("a: &x [1, *x]\n", DN_ERROR_CYCLE,
                 "t.yaml:1:11: alias 'x' stands inside what it names");
    config_fails("a: {<<: 3}\n", DN_ERROR_TYPE,
                 "t.yaml:1:9: <<: a mapping or a list of them is wanted");
}

/* Nine lists each of nine of the one before: 9^9 = 387 million scalars, more than 256 MiB. */
static void test_alias_bomb(void)
{
    GString *text = g_string_new("l0: &l0 x\n");
    for (guint i = 1; i <= 9; i++) {
        g_string_append_printf(text, "l%u: &l%u [", i, i);
        for (guint k = 0; k < 9; k++)
            g_string_append_printf(text, "*l%u,", i - 1);
        g_string_append(text, "]\n");
    }
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_config_parse(text->str, "t.yaml", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "grows too large here"));
    g_assert_true(g_str_has_prefix(error->message, "t.yaml:"));
    g_string_free(text, TRUE);
}

static void test_syntax_errors(void)
{
    config_fails("", DN_ERROR_SYNTAX, "t.yaml:1:1: empty: nothing but comments and blanks");
    config_fails("# only this\n", DN_ERROR_SYNTAX,
                 "t.yaml:1:1: empty: nothing but comments and blanks");
    config_fails("---\n", DN_ERROR_SYNTAX, "t.yaml:1:1: empty: nothing but comments and blanks");
    config_fails("a: 1\nb:\n\tc: 2\n", DN_ERROR_SYNTAX,
                 "t.yaml:3:1: not YAML: a tab indents this line; use spaces");
    config_fails(
        "a: [1, 2\nb: 3\n", DN_ERROR_SYNTAX,
        "t.yaml:2:2: not YAML: did not find expected ',' or ']' (while parsing a flow sequence)");
    config_fails("a: b: c\n", DN_ERROR_SYNTAX,
                 "t.yaml:1:5: not YAML: mapping values are not allowed in this context");
    /* e-acute is one character of two bytes: the bad byte is the fifth character */
    config_fails("a: \303\251\377\n", DN_ERROR_SYNTAX, "t.yaml:1:5: not text in UTF-8 (byte 0xff)");
    config_fails("a: 1\nb: \001\n", DN_ERROR_SYNTAX,
                 "t.yaml:2:4: not YAML: control characters are not allowed");
    config_fails("a: 1\n---\nb: 2\n", DN_ERROR_SYNTAX,
                 "t.yaml:2:1: a second document begins here; one a file is allowed");
    config_fails("a: 1\nb: 2\na: 3\n", DN_ERROR_SYNTAX,
                 "t.yaml:3:1: duplicate key 'a'; first at line 1");
    config_fails("[x]: 1\n", DN_ERROR_TYPE, "t.yaml:1:1: a key must be a plain name, not a list");
    config_fails("'': 1\n", DN_ERROR_TYPE, "t.yaml:1:1: a key must be a plain name, not ''");
    config_fails("a: !mine 3\n", DN_ERROR_SYNTAX,
                 "t.yaml:1:4: tag '!mine' is not supported; write the plain value");
    config_fails("a: \"x\\0y\"\n", DN_ERROR_SYNTAX, "t.yaml:1:4: a zero character in a value");
    g_autofree char *key = g_strnfill(1025, 'k');
    g_autofree char *text = g_strconcat("? ", key, "\n: 1\n", NULL);
    config_fails(text, DN_ERROR_RANGE, "t.yaml:1:3: a key of more than 1024 bytes");
}

static void test_tags(void)
{
    g_autoptr(DnConfigNode) root = config_parse("a: !!str 5\nb: !!int 5\n");
    g_assert_true(dn_config_get(root, "a")->quoted);
    g_assert_false(dn_config_get(root, "b")->quoted);
}

static void test_depth(void)
{
    GString *deep = g_string_new(NULL);
    for (guint i = 0; i < 64; i++)
        g_string_append_c(deep, '[');
    g_autofree char *closing = g_strnfill(64, ']');
    g_autofree char *most = g_strconcat(deep->str, closing, NULL);
    g_autoptr(DnConfigNode) root = config_parse(most);
    g_assert_nonnull(root);
    g_autofree char *more = g_strconcat("[", most, "]", NULL);
    config_fails(more, DN_ERROR_RANGE, "t.yaml:1:65: nested too deep; allowed: 64 levels");
    /* 100,000 levels: the same, and no deep recursion on the way */
    g_autofree char *huge = g_strnfill(100000, '[');
    config_fails(huge, DN_ERROR_RANGE, "t.yaml:1:65: nested too deep; allowed: 64 levels");
    g_string_free(deep, TRUE);
}

static void test_annotations(void)
{
    g_autoptr(DnConfigNode) root = config_parse("a: {value: 1 us, assumed: a guess}\n"
                                                "b: {value: 2, source: a paper}\n"
                                                "c: {value: 3}\n"
                                                "d: {source: of, assumed: nothing}\n");
    const DnConfigNode *a = dn_config_get(root, "a");
    g_assert_cmpstr(a->scalar, ==, "1 us");
    g_assert_cmpstr(a->assumed, ==, "a guess");
    g_assert_null(a->source);
    g_assert_cmpuint(a->column, ==, 12);
    g_assert_cmpstr(a->path, ==, "a");
    g_assert_cmpstr(dn_config_get(root, "b")->source, ==, "a paper");
    /* without both halves it is a mapping like any other */
    g_assert_cmpint(dn_config_get(root, "c")->kind, ==, DN_CONFIG_MAP);
    g_assert_cmpint(dn_config_get(root, "d")->kind, ==, DN_CONFIG_MAP);
    config_fails("a: {value: 1, source: x, assumed: y}\n", DN_ERROR_SYNTAX,
                 "t.yaml:1:26: a value has a source: or is assumed:, not both");
    config_fails(
        "a: {value: 1, source: x, sauce: y}\n", DN_ERROR_UNKNOWN,
        "t.yaml:1:26: unknown key 'sauce' beside value:; allowed: value, and source or assumed");
    config_fails("a: {value: 1, source: }\n", DN_ERROR_TYPE,
                 "t.yaml:1:23: source: a text that says where from is wanted");
    config_fails("a: {value: 1, assumed: [x]}\n", DN_ERROR_TYPE,
                 "t.yaml:1:24: assumed: a text that says where from is wanted");
    config_fails("a: {value: {value: 1, source: x}, source: y}\n", DN_ERROR_SYNTAX,
                 "t.yaml:1:20: a value is annotated twice");
}

static void config_loads(const char *file, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, &error);
    g_assert_no_error(error);
    g_autofree char *printed = dn_config_to_string(root);
    g_assert_cmpstr(printed, ==, expected);
}

static void test_include(void)
{
    g_assert_cmpint(g_mkdir_with_parents("sub/deep", 0700), ==, 0);
    write_file("sub/base.yaml", "a: 1\nb: {c: 2}\ninclude: deep/more.yaml\n");
    write_file("sub/deep/more.yaml", "b: lost\nd: {value: 4 ns, source: there}\n");
    write_file("top.yaml", "x: 0\ninclude: sub/base.yaml\na: 9\n");
    /* relative to the includer; what is beside wins whole and keeps the included place */
    config_loads("top.yaml", "b: {c: 2}\nd: {value: 4 ns, source: \"there\"}\na: 9\nx: 0\n");
    write_file("list.yaml", "part: {include: [sub/base.yaml, sub/deep/more.yaml]}\n");
    config_loads(
        "list.yaml",
        "part: {b: lost, d: {value: 4 ns, source: \"there\"}, a: 1}\n"); /* the later wins */
    g_autoptr(DnConfigNode) root = dn_config_load("list.yaml", NULL, NULL);
    const DnConfigNode *d = dn_config_get(dn_config_get(root, "part"), "d");
    g_assert_cmpstr(d->file, ==, "sub/deep/more.yaml");
    g_assert_cmpstr(d->path, ==, "part.d");
    g_autofree char *absolute = g_strdup_printf("include: %s/sub/deep/more.yaml\n", folder);
    write_file("absolute.yaml", absolute);
    config_loads("absolute.yaml", "b: lost\nd: {value: 4 ns, source: \"there\"}\n");
}

static void test_include_errors(void)
{
    write_file("one.yaml", "a: 1\ninclude: two.yaml\n");
    write_file("two.yaml", "b: {include: three.yaml}\n");
    write_file("three.yaml", "include: two.yaml\n");
    load_fails("one.yaml", DN_ERROR_CYCLE,
               "three.yaml:1:10: include cycle: two.yaml -> three.yaml -> two.yaml");
    write_file("self.yaml", "include: self.yaml\n");
    load_fails("self.yaml", DN_ERROR_CYCLE,
               "self.yaml:1:10: include cycle: self.yaml -> self.yaml");
    g_assert_cmpint(symlink("link.yaml", "other.yaml"), ==, 0);
    write_file("link.yaml", "include: other.yaml\n"); /* the same file by another name */
    load_fails("link.yaml", DN_ERROR_CYCLE,
               "link.yaml:1:10: include cycle: link.yaml -> other.yaml");
    write_file("lost.yaml", "a: 1\ninclude: slef.yaml\n");
    load_fails("lost.yaml", DN_ERROR_FILE,
               "lost.yaml:2:10: cannot read 'slef.yaml': No such file or directory; "
               "did you mean 'self.yaml'?");
    config_fails("include: {a: 1}\n", DN_ERROR_TYPE,
                 "t.yaml:1:10: include: a file name or a list of them is wanted, not a mapping");
    config_fails("include:\n", DN_ERROR_TYPE,
                 "t.yaml:1:9: include: a file name or a list of them is wanted, not nothing");
    write_file("none.yaml", ""); /* no bytes at all */
    load_fails("none.yaml", DN_ERROR_SYNTAX,
               "none.yaml:1:1: empty: nothing but comments and blanks");
    write_file("item.yaml", "[1, 2]\n");
    write_file("wants.yaml", "include: item.yaml\n");
    load_fails("wants.yaml", DN_ERROR_TYPE,
               "item.yaml:1:1: a mapping (key: value) is wanted, not a list");
    write_file("deep.yaml", "[[[1}\n");
    write_file("wants.yaml", "include: deep.yaml\n"); /* the error stands in the included file */
    load_fails("wants.yaml", DN_ERROR_SYNTAX,
               "deep.yaml:1:5: not YAML: did not find expected ',' or ']' "
               "(while parsing a flow sequence)");
}

static void test_include_depth(void)
{
    for (guint i = 0; i < 70; i++) {
        g_autofree char *name = g_strdup_printf("chain%u.yaml", i);
        g_autofree char *text = g_strdup_printf("include: chain%u.yaml\n", i + 1);
        write_file(name, text);
    }
    load_fails("chain0.yaml", DN_ERROR_RANGE,
               "chain63.yaml:1:10: includes nest too deep; allowed: 64 levels");
    /* 40 levels in a file that is included at the 40th level */
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < 40; i++)
        g_string_append(text, "{a: ");
    g_string_append(text, "{include: tail.yaml}");
    for (guint i = 0; i < 40; i++)
        g_string_append_c(text, '}');
    write_file("head.yaml", text->str);
    g_string_replace(text, "{include: tail.yaml}", "{}", 1);
    write_file("tail.yaml", text->str);
    GError *error = NULL;
    g_assert_null(dn_config_load("head.yaml", NULL, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_cmpstr(strchr(error->message, ' '), ==, " nested too deep; allowed: 64 levels");
    g_error_free(error);
    g_string_free(text, TRUE);
}

/* Two includes a file, 40 files: 2^40 loads if nothing stopped it. */
static void test_include_bomb(void)
{
    g_autofree char *pad = g_strnfill(2000, 'x');
    for (guint i = 1; i < 2000; i += 2)
        pad[i] = ','; /* a value of 2 bytes costs more than 100 in memory */
    for (guint i = 0; i < 40; i++) {
        g_autofree char *name = g_strdup_printf("bomb%u.yaml", i);
        g_autofree char *text =
            g_strdup_printf("pad: [%s]\ninclude: [bomb%u.yaml, bomb%u.yaml]\n", pad, i + 1, i + 1);
        write_file(name, text);
    }
    write_file("bomb40.yaml", "a: 1\n");
    GError *error = NULL;
    g_assert_null(dn_config_load("bomb0.yaml", NULL, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "grows too large here"));
    g_error_free(error);
}

static void test_files(void)
{
    load_fails("nowhere.yaml", DN_ERROR_FILE,
               "nowhere.yaml: cannot read: No such file or directory");
    load_fails(".", DN_ERROR_FILE, ".: cannot read: Is a directory");
    write_file("secret.yaml", "a: 1\n");
    g_assert_cmpint(g_chmod("secret.yaml", 0), ==, 0);
    if (access("secret.yaml", R_OK) != 0) /* root reads everything */
        load_fails("secret.yaml", DN_ERROR_FILE, "secret.yaml: cannot read: Permission denied");
    write_file("huge.yaml", "");
    g_assert_cmpint(truncate("huge.yaml", ((off_t)64 << 20) + 1), ==, 0);
    load_fails("huge.yaml", DN_ERROR_RANGE,
               "huge.yaml:1:1: 'huge.yaml' is too large; allowed: 64 MiB");
    write_file("scalar.yaml", "word\n");
    load_fails("scalar.yaml", DN_ERROR_TYPE,
               "scalar.yaml:1:1: a mapping (key: value) is wanted, not 'word'");
}

/* A tree of more than 256 MiB from a file of less than 64 MiB. */
static void test_too_many_values(void)
{
    gsize n = 2000000;
    char *text = g_malloc(2 * n + 2);
    for (gsize i = 0; i < n; i++) {
        text[2 * i] = i == 0 ? '[' : 'x';
        text[2 * i + 1] = i == 0 ? ' ' : ',';
    }
    text[2 * n] = ']';
    text[2 * n + 1] = '\0';
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_config_parse(text, "t.yaml", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "grows too large here"));
    g_free(text);
}

/* Any text comes back as it was; of one that is not UTF-8 the file can be read. */
static void test_quote(void)
{
    static const char *const texts[] = {"a \"b\" \\ c: [d]", "x\ny\tz", "\303\274ber/\342\202\254",
                                        ""};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *quoted = dn_config_quote(texts[i]);
        g_autofree char *yaml = g_strconcat("k: ", quoted, "\n", NULL);
        g_autoptr(DnConfigNode) root = dn_config_parse(yaml, "q.yaml", NULL);
        g_assert_nonnull(root);
        g_assert_cmpstr(dn_config_get(root, "k")->scalar, ==, texts[i]);
    }
    g_autofree char *odd = dn_config_quote("a\377b");
    g_assert_cmpstr(odd, ==, "\"a\357\277\275b\"");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("darner-config-XXXXXX", NULL);
    g_assert_cmpint(chdir(folder), ==, 0);
    g_test_add_func("/config/tree", test_tree);
    g_test_add_func("/config/print", test_print);
    g_test_add_func("/config/quote", test_quote);
    g_test_add_func("/config/aliases", test_aliases);
    g_test_add_func("/config/alias-bomb", test_alias_bomb);
    g_test_add_func("/config/syntax-errors", test_syntax_errors);
    g_test_add_func("/config/tags", test_tags);
    g_test_add_func("/config/depth", test_depth);
    g_test_add_func("/config/annotations", test_annotations);
    g_test_add_func("/config/include", test_include);
    g_test_add_func("/config/include-errors", test_include_errors);
    g_test_add_func("/config/include-depth", test_include_depth);
    g_test_add_func("/config/include-bomb", test_include_bomb);
    g_test_add_func("/config/files", test_files);
    g_test_add_func("/config/too-many-values", test_too_many_values);
    int status = g_test_run();
    remove_tree(folder);
    g_free(folder);
    return status;
}
