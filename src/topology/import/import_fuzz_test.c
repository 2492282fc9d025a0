/* import_fuzz_test.c - samples with random damage: an importer either refuses with a line of the
 * file, or hands out a machine that loads. Seeds are fixed: each run tries the same texts. */
#include "base/rng.h"
#include "topology/import/import_test.h"

#define ROUNDS 1500
#define LONGEST 65536 /* repeated growing stops here */

typedef struct {
    guint64 key, n;
} Draws;

static guint32 import_fuzz_below(Draws *d, guint32 bound)
{
    return dn_draw_below(dn_draw(d->key, d->n++), bound);
}

static void import_fuzz_insert(GString *s, gsize at, const char *bytes, gsize n)
{
    g_string_insert_len(s, (gssize)at, bytes, (gssize)n);
}

/* One damage: a byte changed, a stretch cut, doubled or moved, or a nasty word put in. */
static void import_fuzz_damage(GString *s, Draws *d)
{
    static const char *const words[] = {"99999999999999999999",
                                        "-1",
                                        "0",
                                        "[0-99999]",
                                        "[",
                                        "]",
                                        "\"",
                                        "<",
                                        ">",
                                        "</a>",
                                        "&",
                                        "NV",
                                        "X",
                                        "\n",
                                        " ",
                                        "\t",
                                        "\xff",
                                        "GPU0",
                                        "0x",
                                        "4xHDR",
                                        "=",
                                        ",",
                                        "1e999",
                                        "nan"};
    gsize at = import_fuzz_below(d, (guint32)s->len + 1), wanted = import_fuzz_below(d, 40),
          n = MIN(wanted, s->len - at);
    g_autofree char *part = g_strndup(s->str + at, n);
    switch (import_fuzz_below(d, 6)) {
    case 0:
        if (at < s->len)
            s->str[at] = (char)(1 + import_fuzz_below(d, 255));
        break;
    case 1:
        g_string_erase(s, (gssize)at, (gssize)n);
        break;
    case 2:
        if (s->len < LONGEST)
            import_fuzz_insert(s, at, part, strlen(part));
        break;
    case 3:
        g_string_erase(s, (gssize)at, (gssize)n);
        import_fuzz_insert(s, import_fuzz_below(d, (guint32)s->len + 1), part, strlen(part));
        break;
    case 4:
        g_string_truncate(s, at);
        break;
    default: {
        const char *word = words[import_fuzz_below(d, G_N_ELEMENTS(words))];
        import_fuzz_insert(s, at, word, strlen(word));
    }
    }
}

/* "fuzz:<line>:<column>: ", the line one of the text's. */
static void check_message(const char *message, const DnImportText *text)
{
    char *end;
    g_assert_true(g_str_has_prefix(message, "fuzz:"));
    guint64 line = g_ascii_strtoull(message + 5, &end, 10);
    g_assert_true(*end == ':');
    g_assert_cmpuint(line, >=, 1);
    g_assert_cmpuint(line, <=, text->lines->len + 1);
    if (!g_utf8_validate(message, -1, NULL))
        g_error("not UTF-8: %s", message);
}

static void import_fuzz_try(const GString *s, const char *format)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText) text = dn_import_text_new("fuzz", s->str, s->len, &error);
    if (text == NULL)
        return;
    g_autofree char *yaml = dn_import(text, format, NULL, &error);
    g_assert_true((yaml == NULL) == (error != NULL));
    if (error == NULL)
        return;
    g_assert_true(error->domain == DN_ERROR);
    check_message(error->message, text);
}

static void import_fuzz_fuzz(gconstpointer data)
{
    const char *const *sample = data; /* format, file */
    g_autofree char *path = sample_path(sample[1]), *whole = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &whole, &length, NULL));
    for (guint round = 0; round < ROUNDS; round++) {
        Draws d = {dn_draw_key(round, DN_DRAW_TEST, g_str_hash(sample[1])), 0};
        g_autoptr(GString) s = g_string_new_len(whole, (gssize)length);
        for (guint n = 1 + import_fuzz_below(&d, 6); n > 0; n--)
            import_fuzz_damage(s, &d);
        import_fuzz_try(s, sample[0]);
    }
}

/* A word for each importer that is of another format altogether. */
static void test_wrong_format(void)
{
    static const char *const files[] = {
        "h200x4_topo.txt",  "h200x4_nccl.xml", "mi250x_showtopo.txt",   "slurm_tree.conf",
        "two_level_ib.txt", "zoo.graphml",     "two_sockets_hwloc.xml", "simgrid_graph.xml"};
    for (guint k = 0; k < G_N_ELEMENTS(files); k++) {
        g_autofree char *path = sample_path(files[k]), *whole = NULL;
        g_assert_true(g_file_get_contents(path, &whole, NULL, NULL));
        for (const DnImporter *const *i = dn_importers; *i != NULL; i++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(DnImportText) text = dn_import_text_new("fuzz", whole, strlen(whole), &error);
            g_assert_no_error(error);
            g_autofree char *yaml = dn_import(text, (*i)->name, NULL, &error);
            g_assert_true((yaml != NULL) == (*i)->recognise(text));
            if (yaml == NULL)
                check_message(error->message, text);
        }
    }
}

static void test_not_recognised(void)
{
    assert_refused("hello, world\n", NULL, DN_ERROR_SYNTAX,
                   "sample:1:1: no format that is known by its content; wanted one of: graphml");
    assert_refused("", NULL, DN_ERROR_SYNTAX, "sample:1:1: no format");
    assert_refused("x", "slurmm", DN_ERROR_UNKNOWN,
                   "--format: unknown format 'slurmm'; did you mean 'slurm'?");
}

static void test_not_text(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_import_text_new("f", "a\nb\0c", 5, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
    g_assert_cmpstr(error->message, ==, "f:2:1: a zero byte; wanted: text");
    g_clear_error(&error);
    g_assert_null(dn_import_text_load("/nonexistent/file", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
}

/* Escape sequences go, lines keep their numbers. */
static void test_escapes(void)
{
    static const char bytes[] = "\033[4mGPU0\033[0m\r\nb\033[1\nc\033";
    g_autoptr(DnImportText) text = dn_import_text_new("f", bytes, sizeof bytes - 1, NULL);
    g_assert_nonnull(text);
    g_assert_cmpstr(dn_import_line(text, 1), ==, "GPU0");
    g_assert_cmpstr(dn_import_line(text, 2), ==, "b");
    g_assert_cmpstr(dn_import_line(text, 3), ==, "c");
    g_assert_cmpstr(dn_import_line(text, 4), ==, "");
}

int main(int argc, char **argv)
{
    static const char *const samples[][2] = {
        {"nvidia_topo", "h200x4_topo.txt"},   {"nvidia_topo", "four_gpus_topo.txt"},
        {"nccl_xml", "h200x4_nccl.xml"},      {"nccl_xml", "four_gpus_nccl.xml"},
        {"rocm_topo", "mi250x_showtopo.txt"}, {"slurm", "slurm_tree.conf"},
        {"slurm", "slurm_block.conf"},        {"ibnetdiscover", "two_level_ib.txt"},
        {"graphml", "zoo.graphml"},           {"hwloc_xml", "two_sockets_hwloc.xml"},
        {"simgrid", "simgrid_graph.xml"}};
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import/not-recognised", test_not_recognised);
    g_test_add_func("/import/not-text", test_not_text);
    g_test_add_func("/import/escapes", test_escapes);
    g_test_add_func("/import/wrong-format", test_wrong_format);
    for (guint i = 0; i < G_N_ELEMENTS(samples); i++) {
        g_autofree char *path = g_strdup_printf("/import/fuzz/%s", samples[i][1]);
        g_test_add_data_func(path, samples[i], import_fuzz_fuzz);
    }
    return g_test_run();
}
