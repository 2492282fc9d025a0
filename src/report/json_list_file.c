/* json_list_file.c - see json_list_file.h: items are kept as text, as they stand in the file. */
#include "report/json_list_file.h"
#include "base/file.h"
#include <string.h>

struct DnJsonListFile {
    GString *items; /* with the commas between them */
    guint n;
};

DnJsonListFile *dn_json_list_file_new(void)
{
    DnJsonListFile *file = g_new0(DnJsonListFile, 1);
    file->items = g_string_new(NULL);
    return file;
}

void dn_json_list_file_free(DnJsonListFile *file)
{
    if (file == NULL)
        return;
    g_string_free(file->items, TRUE);
    g_free(file);
}

/* Lets json-glib lay out a list with this item alone, and cuts the item out of the text. */
char *dn_json_list_item_text(JsonNode *item)
{
    static const char before[] = "{\n  \"\" : [", after[] = "\n  ]\n}\n";
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_list(json, "");
    json_builder_add_value(json, json_node_ref(item));
    json_builder_end_array(json);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *text = dn_json_text(root);
    g_assert(g_str_has_prefix(text, before) && g_str_has_suffix(text, after));
    return g_strndup(text + strlen(before), strlen(text) - strlen(before) - strlen(after));
}

void dn_json_list_file_add_text(DnJsonListFile *file, const char *text)
{
    if (file->n++ > 0)
        g_string_append_c(file->items, ',');
    g_string_append(file->items, text);
}

void dn_json_list_file_add(DnJsonListFile *file, JsonNode *item)
{
    g_autofree char *text = dn_json_list_item_text(item);
    dn_json_list_file_add_text(file, text);
}

char *dn_json_list_file_text(const DnJsonListFile *file, JsonNode *head, const char *member)
{
    static const char end[] = "\n}\n";
    g_autofree char *before = dn_json_text(head);
    g_assert(g_str_has_suffix(before, end));
    before[strlen(before) - strlen(end)] = '\0';
    g_autoptr(GString) text = g_string_sized_new(strlen(before) + file->items->len + 64);
    g_string_append_printf(text, "%s,\n  \"%s\" : [", before, member);
    g_string_append_len(text, file->items->str, (gssize)file->items->len);
    g_string_append(text, file->n > 0 ? "\n  ]" : "]");
    g_string_append(text, end);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

gboolean dn_json_list_file_write(const DnJsonListFile *file, const char *path, JsonNode *head,
                                 const char *member, GError **error)
{
    g_autofree char *text = dn_json_list_file_text(file, head, member);
    return dn_file_write(path, text, error);
}
