/* yaml.c - libyaml's events to a raw tree with positions.
 *
 * Positions are libyaml's marks, counted from 1, columns in characters. Aliases are copied in
 * place. LIMITATIONS: keys are scalars; of the tags only the core ones (!!str makes a string); one
 * document a file; a file is UTF-8. */
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "config/config_internal.h"

typedef struct {
    yaml_parser_t yaml;
    const char *text; /* as given, for hints */
    gsize length;
    const char *file;
    GHashTable *anchors; /* char* -> node in the tree (borrowed), NULL while it is being read */
    gint64 *budget;
    guint depth;
} Reader;

static DnConfigNode *read_value(Reader *reader, yaml_event_t *event, GError **error);

static void error_at(const Reader *reader, gsize line, gsize column, DnError code,
                     const char *message, GError **error)
{
    DnConfigNode at = {.file = reader->file, .line = (guint)line + 1, .column = (guint)column + 1};
    dn_config_error(&at, code, error, "%s", message);
}

/* Line and column of a byte, for what fails below characters. */
static void error_at_offset(const Reader *reader, gsize offset, const char *message, GError **error)
{
    gsize line = 0, column = 0;
    for (gsize i = 0; i < MIN(offset, reader->length); i++) {
        if (reader->text[i] == '\n')
            line++, column = 0;
        else if (((guchar)reader->text[i] & 0xc0) != 0x80) /* not inside a character */
            column++;
    }
    error_at(reader, line, column, DN_ERROR_SYNTAX, message, error);
}

static gboolean tab_indents(const Reader *reader, gsize line)
{
    const char *p = reader->text, *end = reader->text + reader->length;
    for (; line > 0 && p != NULL; line--) {
        p = memchr(p, '\n', (gsize)(end - p));
        p = p != NULL ? p + 1 : NULL;
    }
    while (p != NULL && p < end && *p == ' ')
        p++;
    return p != NULL && p < end && *p == '\t';
}

static void syntax_error(const Reader *reader, GError **error)
{
    const yaml_parser_t *yaml = &reader->yaml;
    const char *problem = yaml->problem != NULL ? yaml->problem : "cannot be read";
    if (yaml->error == YAML_READER_ERROR) {
        g_autofree char *text = g_strdup_printf("not YAML: %s", problem);
        error_at_offset(reader, yaml->problem_offset, text, error);
        return;
    }
    const yaml_mark_t *mark = &yaml->problem_mark;
    if (yaml->error == YAML_MEMORY_ERROR) {
        error_at(reader, mark->line, mark->column, DN_ERROR_MEMORY,
                 "libyaml failed to allocate a token", error);
        return;
    }
    if (tab_indents(reader, mark->line)) {
        error_at(reader, mark->line, mark->column, DN_ERROR_SYNTAX,
                 "not YAML: a tab indents this line; use spaces", error);
        return;
    }
    g_autofree char *text = yaml->context != NULL
                                ? g_strdup_printf("not YAML: %s (%s)", problem, yaml->context)
                                : g_strdup_printf("not YAML: %s", problem);
    error_at(reader, mark->line, mark->column, DN_ERROR_SYNTAX, text, error);
}

static gboolean next_event(Reader *reader, yaml_event_t *event, GError **error)
{
    if (yaml_parser_parse(&reader->yaml, event))
        return TRUE;
    syntax_error(reader, error);
    return FALSE;
}

static DnConfigNode *new_node(const Reader *reader, DnConfigKind kind, const yaml_mark_t *mark)
{
    return dn_config_node_new(kind, reader->file, (guint)mark->line + 1, (guint)mark->column + 1);
}

/* Core tags change nothing but !!str; a tag we do not know may mean anything, so it is refused. */
static gboolean check_tag(const DnConfigNode *at, const yaml_char_t *tag, GError **error)
{
    if (tag == NULL || g_str_has_prefix((const char *)tag, "tag:yaml.org,2002:") ||
        strcmp((const char *)tag, "!") == 0)
        return TRUE;
    g_autofree char *shown = dn_quote((const char *)tag);
    dn_config_error(at, DN_ERROR_SYNTAX, error, "tag %s is not supported; write the plain value",
                    shown);
    return FALSE;
}

static gboolean charge_node(Reader *reader, const DnConfigNode *node, GError **error)
{
    return dn_config_charge(reader->budget, dn_config_cost(node), node, error);
}

static void set_anchor(Reader *reader, const yaml_char_t *anchor, DnConfigNode *node)
{
    if (anchor != NULL)
        g_hash_table_insert(reader->anchors, g_strdup((const char *)anchor), node);
}

static DnConfigNode *read_scalar(Reader *reader, const yaml_event_t *event, GError **error)
{
    g_autoptr(DnConfigNode) node = new_node(reader, DN_CONFIG_SCALAR, &event->start_mark);
    const char *value = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    node->scalar = g_strndup(value, event->data.scalar.length);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
                   g_strcmp0(tag, "tag:yaml.org,2002:str") == 0;
    if (!node->quoted && (strcmp(node->scalar, "~") == 0 || strcmp(node->scalar, "null") == 0))
        node->scalar[0] = '\0'; /* YAML's words for nothing */
    if (strlen(value) != event->data.scalar.length) {
        dn_config_error(node, DN_ERROR_SYNTAX, error, "a zero character in a value");
        return NULL;
    }
    if (!check_tag(node, event->data.scalar.tag, error) || !charge_node(reader, node, error))
        return NULL;
    set_anchor(reader, event->data.scalar.anchor, node);
    return g_steal_pointer(&node);
}

static DnConfigNode *read_alias(Reader *reader, const yaml_event_t *event, GError **error)
{
    const char *name = (const char *)event->data.alias.anchor;
    g_autoptr(DnConfigNode) here = new_node(reader, DN_CONFIG_SCALAR, &event->start_mark);
    gpointer found = NULL;
    g_autofree char *shown = dn_quote(name);
    if (!g_hash_table_lookup_extended(reader->anchors, name, NULL, &found)) {
        dn_config_error(here, DN_ERROR_UNKNOWN, error, "alias %s has no anchor above it", shown);
        return NULL;
    }
    if (found == NULL) {
        dn_config_error(here, DN_ERROR_CYCLE, error, "alias %s stands inside what it names", shown);
        return NULL;
    }
    if (!dn_config_charge(reader->budget, dn_config_cost(found), here, error))
        return NULL;
    return dn_config_copy(found);
}

static gboolean yaml_enter(Reader *reader, const DnConfigNode *node, GError **error)
{
    if (++reader->depth <= DN_CONFIG_MAX_DEPTH)
        return TRUE;
    dn_config_error(node, DN_ERROR_RANGE, error, "nested too deep; allowed: %d levels",
                    DN_CONFIG_MAX_DEPTH);
    return FALSE;
}

static DnConfigNode *read_list(Reader *reader, const yaml_event_t *start, GError **error)
{
    g_autoptr(DnConfigNode) list = new_node(reader, DN_CONFIG_LIST, &start->start_mark);
    if (!check_tag(list, start->data.sequence_start.tag, error) ||
        !charge_node(reader, list, error) || !yaml_enter(reader, list, error))
        return NULL;
    set_anchor(reader, start->data.sequence_start.anchor, NULL);
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event, error))
            return NULL;
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        DnConfigNode *child = read_value(reader, &event, error);
        if (child == NULL)
            return NULL;
        dn_config_list_add(list, child);
    }
    reader->depth--;
    set_anchor(reader, start->data.sequence_start.anchor, list);
    return g_steal_pointer(&list);
}

/* (transfer full): a key fit to be one; NULL + error otherwise. */
static DnConfigNode *read_key(Reader *reader, yaml_event_t *event, GHashTable *seen, GError **error)
{
    g_autoptr(DnConfigNode) key = read_value(reader, event, error);
    if (key == NULL)
        return NULL;
    if (key->kind != DN_CONFIG_SCALAR || key->scalar[0] == '\0') {
        g_autofree char *found = dn_config_describe(key);
        dn_config_error(key, DN_ERROR_TYPE, error, "a key must be a plain name, not %s", found);
        return NULL;
    }
    if (strlen(key->scalar) > DN_CONFIG_MAX_KEY) {
        dn_config_error(key, DN_ERROR_RANGE, error, "a key of more than %d bytes",
                        DN_CONFIG_MAX_KEY);
        return NULL;
    }
    const DnConfigNode *first = g_hash_table_lookup(seen, key->scalar);
    if (first != NULL) {
        g_autofree char *shown = dn_quote(key->scalar);
        dn_config_error(key, DN_ERROR_SYNTAX, error, "duplicate key %s; first at line %u", shown,
                        first->line);
        return NULL;
    }
    return g_steal_pointer(&key);
}

static DnConfigNode *read_map(Reader *reader, const yaml_event_t *start, GError **error)
{
    g_autoptr(DnConfigNode) map = new_node(reader, DN_CONFIG_MAP, &start->start_mark);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    if (!check_tag(map, start->data.mapping_start.tag, error) || !charge_node(reader, map, error) ||
        !yaml_enter(reader, map, error))
        return NULL;
    set_anchor(reader, start->data.mapping_start.anchor, NULL);
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event, error))
            return NULL;
        if (event.type == YAML_MAPPING_END_EVENT) {
            yaml_event_delete(&event);
            break;
        }
        g_autoptr(DnConfigNode) key = read_key(reader, &event, seen, error);
        if (key == NULL || !next_event(reader, &event, error))
            return NULL;
        DnConfigNode *child = read_value(reader, &event, error);
        if (child == NULL)
            return NULL;
        g_hash_table_insert(seen, key->scalar, key);
        const char *name = key->scalar;
        dn_config_map_add(map, name, g_steal_pointer(&key), child);
    }
    reader->depth--;
    set_anchor(reader, start->data.mapping_start.anchor, map);
    return g_steal_pointer(&map);
}

/* Frees @event. */
static DnConfigNode *read_value(Reader *reader, yaml_event_t *event, GError **error)
{
    DnConfigNode *node = NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        node = read_scalar(reader, event, error);
        break;
    case YAML_ALIAS_EVENT:
        node = read_alias(reader, event, error);
        break;
    case YAML_SEQUENCE_START_EVENT:
        node = read_list(reader, event, error);
        break;
    case YAML_MAPPING_START_EVENT:
        node = read_map(reader, event, error);
        break;
    default:
        g_assert_not_reached(); /* libyaml's grammar has no other event here */
    }
    yaml_event_delete(event);
    return node;
}

/* Skips to the event that begins the document or ends the stream; FALSE + error. */
static gboolean next_document(Reader *reader, gboolean *there, GError **error)
{
    for (;;) {
        yaml_event_t event;
        if (!next_event(reader, &event, error))
            return FALSE;
        yaml_event_type_t type = event.type;
        gsize line = event.start_mark.line, column = event.start_mark.column;
        yaml_event_delete(&event);
        if (type == YAML_DOCUMENT_START_EVENT && *there) {
            error_at(reader, line, column, DN_ERROR_SYNTAX,
                     "a second document begins here; one a file is allowed", error);
            return FALSE;
        }
        *there = type == YAML_DOCUMENT_START_EVENT;
        if (*there || type == YAML_STREAM_END_EVENT)
            return TRUE;
        *there = type == YAML_DOCUMENT_END_EVENT;
    }
}

static DnConfigNode *read_document(Reader *reader, GError **error)
{
    gboolean there = FALSE;
    if (!next_document(reader, &there, error))
        return NULL;
    yaml_event_t event;
    if (!there) {
        error_at(reader, 0, 0, DN_ERROR_SYNTAX, "empty: nothing but comments and blanks", error);
        return NULL;
    }
    if (!next_event(reader, &event, error))
        return NULL;
    g_autoptr(DnConfigNode) root = read_value(reader, &event, error);
    if (root == NULL)
        return NULL;
    if (dn_config_is_empty(root)) {
        error_at(reader, 0, 0, DN_ERROR_SYNTAX, "empty: nothing but comments and blanks", error);
        return NULL;
    }
    if (!next_document(reader, &there, error))
        return NULL;
    return g_steal_pointer(&root);
}

DnConfigNode *dn_yaml_parse(const char *text, gsize length, const char *file, gint64 *budget,
                            GError **error)
{
    if (text == NULL) /* an empty file: GLib has no bytes then, and libyaml wants some */
        text = "";
    gsize mark = dn_file_mark(text, length);
    text += mark;
    length -= mark;
    Reader reader = {.text = text, .length = length, .file = g_intern_string(file)};
    reader.budget = budget;
    const char *bad = NULL;
    if (!g_utf8_validate_len(text, length, &bad)) {
        g_autofree char *message =
            g_strdup_printf("not text in UTF-8 (byte 0x%02x)", (guint)(guchar)*bad);
        error_at_offset(&reader, (gsize)(bad - text), message, error);
        return NULL;
    }
    if (!yaml_parser_initialize(&reader.yaml))
        g_error("libyaml failed to allocate its parser");
    yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.yaml, (const yaml_char_t *)text, length);
    reader.anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    DnConfigNode *root = read_document(&reader, error);
    if (root != NULL)
        root = dn_config_expand_ranges(root, budget, error);
    g_hash_table_unref(reader.anchors);
    yaml_parser_delete(&reader.yaml);
    return root;
}
