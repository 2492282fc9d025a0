/* json_list_file.h - Writes a JSON file whose last member is a list: items are added one by one, as
 * text, and the file is written whole. */
#pragma once
#include "report/json.h"

typedef struct DnJsonListFile DnJsonListFile;

DnJsonListFile *dn_json_list_file_new(void);
void dn_json_list_file_free(DnJsonListFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnJsonListFile, dn_json_list_file_free)

void dn_json_list_file_add(DnJsonListFile *file, JsonNode *item);
/* (transfer full): the text of an item; and the same as above with that text. */
char *dn_json_list_item_text(JsonNode *item);
void dn_json_list_file_add_text(DnJsonListFile *file, const char *text);
/* (transfer full): the members of the object @head, of which there is at least one, and the list as
 * @member. */
char *dn_json_list_file_text(const DnJsonListFile *file, JsonNode *head, const char *member);
/* Writes that text to @path. */
gboolean dn_json_list_file_write(const DnJsonListFile *file, const char *path, JsonNode *head,
                                 const char *member, GError **error);
