/* xml.c - see xml.h. */
#include "topology/import/xml.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 200        /* hwloc nests the most, some 30 */
#define MAX_ELEMENTS 2000000 /* against memory: an element takes some 200 bytes */

typedef struct {
    const DnImportText *text;
    DnXml *root;
    GPtrArray *open; /* DnXml*, borrowed */
    guint elements;
    guint line, column; /* of @at: characters in a line are counted on from the tag before */
    const char *at;
} Reader;

static void free_child(gpointer data)
{
    dn_xml_free(data);
}

void dn_xml_free(DnXml *xml)
{
    if (xml == NULL)
        return;
    g_free(xml->name);
    g_strfreev(xml->attributes);
    if (xml->text != NULL)
        g_string_free(xml->text, TRUE);
    g_ptr_array_unref(xml->children);
    g_free(xml);
}

/* Goes to the character before @column of line @line, or to the line's end. */
static void seek_column(Reader *r, guint line, guint column)
{
    if (r->at == NULL || r->line != line || r->column > column) {
        r->line = line;
        r->column = 0;
        r->at = dn_import_line(r->text, line);
    }
    for (; r->column < column && *r->at != '\0'; r->column++)
        r->at = g_utf8_next_char(r->at);
}

/* The last @tag between @start and @end, or NULL. g_strrstr_len() would read all of it first. */
static const char *find_back(const char *start, const char *end, const char *tag)
{
    gsize n = strlen(tag);
    const char *p = (gsize)(end - start) >= n ? end - n : NULL;
    while (p != NULL && memcmp(p, tag, n) != 0)
        p = p > start ? p - 1 : NULL;
    return p;
}

/* GMarkup has the place where a start tag ends; people look for where it begins. A file may be one
 * line of many elements. */
static void find_tag(Reader *r, const char *name, guint *line, guint *column)
{
    g_autofree char *tag = g_strconcat("<", name, NULL);
    seek_column(r, *line, *column);
    for (guint at = *line, tries = 0; at >= 1 && tries < 100; at--, tries++) {
        const char *whole = dn_import_line(r->text, at);
        const char *end = tries == 0 ? r->at : whole + strlen(whole);
        const char *found = find_back(whole, end, tag);
        if (found != NULL) {
            glong behind = g_utf8_pointer_to_offset(found, end);
            glong before = tries == 0 ? (glong)r->column : g_utf8_strlen(whole, -1);
            *line = at;
            *column = (guint)(before - behind) + 1;
            return;
        }
    }
}

static void xml_start(GMarkupParseContext *context, const char *name, const char **names,
                      const char **values, gpointer data, GError **error)
{
    Reader *r = data;
    gint line, column;
    g_markup_parse_context_get_position(context, &line, &column);
    if (r->open->len >= MAX_DEPTH || ++r->elements > MAX_ELEMENTS) {
        g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_PARSE,
                    "too many elements, or too deep; allowed: %d in %d levels", MAX_ELEMENTS,
                    MAX_DEPTH);
        return;
    }
    if (r->open->len == 0 && r->root != NULL) {
        g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_PARSE, "a second root element");
        return;
    }
    DnXml *xml = g_new0(DnXml, 1);
    xml->name = g_strdup(name);
    xml->line = (guint)line;
    xml->column = (guint)column;
    find_tag(r, name, &xml->line, &xml->column);
    xml->children = g_ptr_array_new_with_free_func(free_child);
    GPtrArray *pairs = g_ptr_array_new();
    for (guint i = 0; names[i] != NULL; i++) {
        g_ptr_array_add(pairs, g_strdup(names[i]));
        g_ptr_array_add(pairs, g_strdup(values[i]));
    }
    g_ptr_array_add(pairs, NULL);
    xml->attributes = (char **)g_ptr_array_free(pairs, FALSE);
    if (r->open->len > 0)
        g_ptr_array_add(((DnXml *)r->open->pdata[r->open->len - 1])->children, xml);
    else
        r->root = xml;
    g_ptr_array_add(r->open, xml);
}

static void xml_end(GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
    Reader *r = data;
    g_ptr_array_set_size(r->open, (gint)r->open->len - 1);
}

static void xml_text(GMarkupParseContext *context, const char *characters, gsize n, gpointer data,
                     GError **error)
{
    Reader *r = data;
    if (r->open->len == 0)
        return;
    DnXml *xml = r->open->pdata[r->open->len - 1];
    if (xml->text == NULL)
        xml->text = g_string_new(NULL);
    g_string_append_len(xml->text, characters, (gssize)n);
}

/* GMarkup puts "Error on line 3 char 5: " before its words. */
static const char *words_of(const GError *fault)
{
    const char *colon = strstr(fault->message, ": ");
    return g_str_has_prefix(fault->message, "Error on line ") && colon != NULL ? colon + 2
                                                                               : fault->message;
}

DnXml *dn_xml_parse(const DnImportText *from, GError **error)
{
    static const GMarkupParser parser = {
        .start_element = xml_start, .end_element = xml_end, .text = xml_text};
    Reader r = {.text = from, .open = g_ptr_array_new()};
    GMarkupParseContext *context =
        g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &r, NULL);
    g_autoptr(GError) fault = NULL;
    gboolean ok =
        g_markup_parse_context_parse(context, from->text, (gssize)strlen(from->text), &fault) &&
        g_markup_parse_context_end_parse(context, &fault);
    gint line, column;
    g_markup_parse_context_get_position(context, &line, &column);
    g_markup_parse_context_free(context);
    g_ptr_array_unref(r.open);
    if (ok && r.root != NULL)
        return r.root;
    if (ok) {
        dn_import_error(from, 1, 1, DN_ERROR_SYNTAX, error, "not XML: no element");
        return NULL;
    }
    dn_xml_free(r.root);
    g_autofree char *words = g_utf8_make_valid(words_of(fault), -1); /* it shows single bytes */
    dn_import_error(from, (guint)line, (guint)column, DN_ERROR_SYNTAX, error, "not XML: %s", words);
    return NULL;
}

const char *dn_xml_attribute(const DnXml *xml, const char *name)
{
    for (char **a = xml->attributes; a[0] != NULL; a += 2)
        if (g_str_equal(a[0], name))
            return a[1];
    return NULL;
}

const char *dn_xml_require(const DnImportText *from, const DnXml *xml, const char *name,
                           GError **error)
{
    const char *value = dn_xml_attribute(xml, name);
    if (value == NULL)
        dn_import_error(from, xml->line, xml->column, DN_ERROR_MISSING, error,
                        "<%s> has no %s=\"...\"", xml->name, name);
    return value;
}

double dn_xml_number(const DnXml *xml, const char *name, double fallback)
{
    const char *value = dn_xml_attribute(xml, name);
    char *after;
    if (value == NULL)
        return fallback;
    double number = g_ascii_strtod(value, &after);
    return after == value || !isfinite(number) ? fallback : number;
}

const char *dn_xml_text(const DnXml *xml)
{
    return xml->text != NULL ? xml->text->str : "";
}

char *dn_xml_root_name(const DnImportText *from)
{
    const char *p = from->text;
    for (;;) {
        p += strspn(p, " \t\n");
        if (g_str_has_prefix(p, "\xef\xbb\xbf"))
            p += 3;
        else if (g_str_has_prefix(p, "<!--") && strstr(p, "-->") != NULL)
            p = strstr(p, "-->") + 3;
        else if ((g_str_has_prefix(p, "<?") || g_str_has_prefix(p, "<!")) && strchr(p, '>') != NULL)
            p = strchr(p, '>') + 1;
        else
            break;
    }
    if (*p != '<')
        return NULL;
    return g_strndup(p + 1, strcspn(p + 1, " \t\n/>"));
}
