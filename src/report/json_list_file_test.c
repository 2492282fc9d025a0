/* json_list_file_test.c - a growing list in a file: laid out as json-glib does. */
#include "report/json_list_file.h"

#include <glib/gstdio.h>

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("darner-json-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_test_add_func("/json_list_file/layout", test_layout);
    int status = g_test_run();
    g_rmdir(folder);
    return status;
}
