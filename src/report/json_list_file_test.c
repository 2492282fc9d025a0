/* json_list_file_test.c - a growing list in a file: laid out as json-glib does, and written with a
 * cost that is proportional to its length. */
#include "report/json_list_file.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

static JsonNode *json_list_file_parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    JsonNode *node = json_from_string(text, &error);
    g_assert_no_error(error);
    return node;
}

/* (transfer full): text of @head with @n items {"i": 0, "empty": {}, "of": [[], "a\nb"]}, ... */
static char *write_list(guint n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnJsonListFile) file = dn_json_list_file_new();
    g_autoptr(JsonNode) head = json_list_file_parse("{\"name\": \"x\", \"none\": []}");
    for (guint i = 0; i < n; i++) {
        g_autofree char *text =
            g_strdup_printf("{\"i\": %u, \"empty\": {}, \"of\": [[], \"a\\nb\"]}", i);
        g_autoptr(JsonNode) item = json_list_file_parse(text);
        dn_json_list_file_add(file, item);
    }
    g_assert_true(dn_json_list_file_write(file, "list.json", head, "points", &error));
    g_assert_no_error(error);
    char *text = NULL;
    g_assert_true(g_file_get_contents("list.json", &text, NULL, NULL));
    g_unlink("list.json");
    return text;
}

/* As json-glib writes the same object in one go. */
static void test_layout(void)
{
    for (guint n = 0; n < 3; n++) {
        g_autofree char *text = write_list(n);
        g_autoptr(JsonNode) whole = json_list_file_parse(text);
        g_autofree char *again = dn_json_text(whole);
        g_assert_cmpstr(text, ==, again);
        JsonObject *object = json_node_get_object(whole);
        g_assert_cmpstr(json_object_get_string_member(object, "name"), ==, "x");
        g_assert_cmpuint(json_array_get_length(json_object_get_array_member(object, "points")), ==,
                         n);
    }
}

/* Bytes written for @n items that come one after another. */
static guint64 bytes_written(guint n)
{
    g_autoptr(DnJsonListFile) file = dn_json_list_file_new();
    g_autoptr(JsonNode) head = json_list_file_parse("{\"name\": \"x\"}");
    g_autoptr(JsonNode) item = json_list_file_parse("{\"a\": [1, 2, 3]}");
    guint64 bytes = 0;
    for (guint i = 0; i < n; i++) {
        GStatBuf info;
        dn_json_list_file_add(file, item);
        if (!dn_json_list_file_is_due(file))
            continue;
        g_assert_true(dn_json_list_file_write(file, "list.json", head, "points", NULL));
        g_assert_false(dn_json_list_file_is_due(file));
        g_assert_cmpint(g_stat("list.json", &info), ==, 0);
        bytes += (guint64)info.st_size;
    }
    g_unlink("list.json");
    return bytes;
}

/* Ten times the items are ten times the bytes, not a hundred times. */
static void test_linear(void)
{
    g_assert_cmpuint(bytes_written(10000), <, 15 * bytes_written(1000));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("darner-json-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_test_add_func("/json_list_file/layout", test_layout);
    g_test_add_func("/json_list_file/linear", test_linear);
    int status = g_test_run();
    g_rmdir(folder);
    return status;
}
