/* text.h - a text file as an importer sees it: lines with numbers, no terminal escapes. */
#pragma once
#include "base/error.h"

#define DN_IMPORT_MAX_BYTES ((gsize)256 << 20)

typedef struct {
    char *file; /* as given, for messages */
    char *name; /* its last part, for `source:` */
    char *text; /* valid UTF-8; escape sequences and carriage returns gone, lines as they were */
    GPtrArray *lines; /* char*: line i + 1, without its end */
} DnImportText;

/* (transfer full); NULL + DN_ERROR_FILE or DN_ERROR_SYNTAX. */
DnImportText *dn_import_text_load(const char *file, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @length bytes at @bytes, which need not be text at all. */
DnImportText *dn_import_text_new(const char *file, const char *bytes, gsize length,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_import_text_free(DnImportText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnImportText, dn_import_text_free)

const char *dn_import_line(const DnImportText *text, guint number); /* from 1 */
/* `file:line:column: ...`; both from 1. */
void dn_import_error(const DnImportText *text, guint line, guint column, DnError code,
                     GError **error, const char *format, ...) G_GNUC_PRINTF(6, 7);

/* (transfer full): the words of @line, parted by blanks and tabs. */
GPtrArray *dn_import_words(const char *line);
/* @text is @prefix and a number below @limit: the number, else -1. */
gint64 dn_import_index(const char *text, const char *prefix, guint32 limit);
