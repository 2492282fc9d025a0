/* text.c - see text.h. */
#include "topology/import/text.h"

#include "base/file.h"

#include <string.h>

/* Past an escape sequence at @p (ECMA-48: ESC [ parameters final, or ESC and one character). */
static const char *skip_escape(const char *p, const char *end)
{
    if (++p < end && *p == '[') {
        for (p++; p < end && (guchar)*p >= 0x20 && (guchar)*p < 0x40; p++)
            ;
    }
    return p < end && *p != '\n' ? p + 1 : p;
}

static char *text_clean(const char *bytes, gsize length)
{
    GString *out = g_string_sized_new(length);
    const char *end = bytes + length;
    for (const char *p = bytes; p < end;) {
        if (*p == '\033') {
            p = skip_escape(p, end);
            continue;
        }
        if (*p != '\r')
            g_string_append_c(out, *p);
        p++;
    }
    g_autofree char *raw = g_string_free(out, FALSE);
    return g_utf8_make_valid(raw, -1);
}

static GPtrArray *text_split(const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    const char *end = text + strlen(text);
    for (const char *p = text; p < end;) {
        const char *stop = memchr(p, '\n', (gsize)(end - p));
        gsize n = (gsize)((stop != NULL ? stop : end) - p);
        g_ptr_array_add(lines, g_strndup(p, n));
        p += n + (stop != NULL);
    }
    return lines;
}

DnImportText *dn_import_text_new(const char *file, const char *bytes, gsize length, GError **error)
{
    const char *nul = memchr(bytes, '\0', length);
    if (length > DN_IMPORT_MAX_BYTES || nul != NULL) {
        guint line = 1;
        for (const char *p = bytes; nul != NULL && p < nul; p++)
            line += *p == '\n';
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:%u:1: %s; wanted: text", file, line,
                    nul != NULL ? "a zero byte" : "more than 256 MiB");
        return NULL;
    }
    DnImportText *text = g_new0(DnImportText, 1);
    text->file = g_strdup(file);
    g_autofree char *base = g_path_get_basename(file);
    text->name = g_utf8_make_valid(base, -1);
    gsize mark = dn_file_mark(bytes, length);
    text->text = text_clean(bytes + mark, length - mark);
    text->lines = text_split(text->text);
    return text;
}

DnImportText *dn_import_text_load(const char *file, GError **error)
{
    gsize length = 0;
    g_autofree char *bytes = dn_file_read_bytes(file, &length, error);
    if (bytes == NULL)
        return NULL;
    return dn_import_text_new(file, bytes, length, error);
}

void dn_import_text_free(DnImportText *text)
{
    if (text == NULL)
        return;
    g_free(text->file);
    g_free(text->name);
    g_free(text->text);
    g_ptr_array_unref(text->lines);
    g_free(text);
}

const char *dn_import_line(const DnImportText *text, guint number)
{
    return number >= 1 && number <= text->lines->len ? text->lines->pdata[number - 1] : "";
}

void dn_import_error(const DnImportText *text, guint line, guint column, DnError code,
                     GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, DN_ERROR, code, "%s:%u:%u: %s", text->file, line, column, message);
}

GPtrArray *dn_import_words(const char *line)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    for (const char *p = line + strspn(line, " \t"); *p != '\0'; p += strspn(p, " \t")) {
        gsize n = strcspn(p, " \t");
        g_ptr_array_add(words, g_strndup(p, n));
        p += n;
    }
    return words;
}

gint64 dn_import_index(const char *text, const char *prefix, guint32 limit)
{
    if (!g_str_has_prefix(text, prefix))
        return -1;
    const char *digits = text + strlen(prefix);
    guint64 value = 0;
    if (!g_ascii_string_to_unsigned(digits, 10, 0, (guint64)limit - 1, &value, NULL))
        return -1;
    return (gint64)value;
}
