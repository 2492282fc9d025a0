/* json_list_file.h - Writes a JSON file whose last member is a list that grows while a run goes on.
 *
 * The file is replaced whole, so that it can be read at any time. It is replaced when the list has
 * grown by DN_JSON_LIST_GROWTH of the file's items, or when DN_JSON_LIST_SECONDS have passed, or
 * when the caller asks for it: the bytes written are then proportional to the final size, whatever
 * the number of items, and a process that is killed loses the items of some seconds at most. */
#pragma once
#include "report/json.h"

#define DN_JSON_LIST_GROWTH 0.25
#define DN_JSON_LIST_SECONDS 5

typedef struct DnJsonListFile DnJsonListFile;

DnJsonListFile *dn_json_list_file_new(void);
void dn_json_list_file_free(DnJsonListFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnJsonListFile, dn_json_list_file_free)

void dn_json_list_file_add(DnJsonListFile *file, JsonNode *item);
/* The file lacks enough items to be written again. */
gboolean dn_json_list_file_is_due(const DnJsonListFile *file);
/* (transfer full): the members of the object @head, of which there is at least one, and the list as
 * @member. */
char *dn_json_list_file_text(const DnJsonListFile *file, JsonNode *head, const char *member);
/* Writes that text to @path. */
gboolean dn_json_list_file_write(DnJsonListFile *file, const char *path, JsonNode *head,
                                 const char *member, GError **error);
