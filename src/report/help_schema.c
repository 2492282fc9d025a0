/* help_schema.c - see help_schema.h. A topic is a definition; "run jobs" is $defs/run.jobs. */
#include "report/help_schema.h"

#include <string.h>

#include "report/help_schema_keys.h"
#include "report/json.h"

/* ---- mappings ---- */

/* The members that the topic's own mapping may have besides its table. */
static void add_common_keys(JsonBuilder *json, const DnTopic *topic)
{
    if (topic->flags & DN_TOPIC_NOTES)
        dn_schema_notes(json);
    else
        dn_schema_empty(json, "include");
    if (topic->flags & DN_TOPIC_PROSE)
        dn_schema_empty(json, "description");
}

/* Keys without a default are there, unless another file is included or the mapping only changes
 * keys of one. */
static void add_required(JsonBuilder *json, const DnTopic *topic)
{
    dn_json_list(json, "anyOf");
    json_builder_begin_object(json);
    dn_json_list(json, "required");
    json_builder_add_string_value(json, "include");
    json_builder_end_array(json);
    json_builder_end_object(json);
    json_builder_begin_object(json);
    dn_json_list(json, "required");
    for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++)
        if (spec->fallback == NULL)
            json_builder_add_string_value(json, spec->key);
    json_builder_end_array(json);
    json_builder_end_object(json);
    json_builder_end_array(json);
}

static void add_mapping(JsonBuilder *json, const DnTopic *topic)
{
    dn_json_string(json, "description", topic->help);
    dn_json_string(json, "type", "object");
    dn_json_object(json, "properties");
    add_common_keys(json, topic);
    dn_schema_keys(json, topic);
    json_builder_end_object(json);
    if (topic->flags & DN_TOPIC_PATHS) {
        dn_json_object(json, "patternProperties");
        dn_schema_empty(json, "^[a-z_]+[.\\[]");
        json_builder_end_object(json);
    }
    dn_json_flag(json, "additionalProperties", FALSE);
    add_required(json, topic);
}

/* ---- typed mappings ---- */

static void add_required_key(JsonBuilder *json, const char *key)
{
    dn_json_list(json, "required");
    json_builder_add_string_value(json, key);
    json_builder_end_array(json);
}

/* Requires the selector; or (@fallback) allows its absence without an `include` that may set it. */
static void add_has(JsonBuilder *json, const DnTopic *parent, gboolean fallback)
{
    if (!fallback) {
        add_required_key(json, parent->selector);
        return;
    }
    dn_json_list(json, "anyOf");
    json_builder_begin_object(json);
    add_required_key(json, parent->selector);
    json_builder_end_object(json);
    json_builder_begin_object(json);
    dn_json_object(json, "not");
    add_required_key(json, "include");
    json_builder_end_object(json);
    json_builder_end_object(json);
    json_builder_end_array(json);
}

/* Adds the names of all keys of any type, where no selector says which type it is. */
static void add_untyped(JsonBuilder *json, const GPtrArray *topics, const DnTopic *parent)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    json_builder_begin_object(json);
    dn_json_object(json, "if");
    dn_json_object(json, "not");
    add_required_key(json, parent->selector);
    json_builder_end_object(json);
    if (parent->fallback != NULL)
        add_required_key(json, "include");
    json_builder_end_object(json);
    dn_json_object(json, "then");
    dn_json_object(json, "properties");
    add_common_keys(json, parent);
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        if (topic != parent && (topic->value == NULL || !dn_topic_is_below(topic, parent)))
            continue;
        for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++)
            if (g_hash_table_add(seen, (gpointer)spec->key))
                dn_schema_empty(json, spec->key);
    }
    json_builder_end_object(json);
    dn_json_flag(json, "additionalProperties", FALSE);
    json_builder_end_object(json);
    json_builder_end_object(json);
}

/* The keys of every topic below @parent whose selector is @value. */
static void add_type_keys(JsonBuilder *json, const GPtrArray *topics, const DnTopic *parent,
                          const char *value)
{
    dn_json_object(json, "properties");
    add_common_keys(json, parent);
    dn_schema_empty(json, parent->selector);
    dn_schema_keys(json, parent);
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        if (dn_topic_is_below(topic, parent) && g_strcmp0(topic->value, value) == 0)
            dn_schema_keys(json, topic);
    }
    json_builder_end_object(json);
    dn_json_flag(json, "additionalProperties", FALSE);
}

static void add_branch(JsonBuilder *json, const GPtrArray *topics, const DnTopic *parent,
                       const char *value)
{
    json_builder_begin_object(json);
    dn_json_object(json, "if");
    dn_json_object(json, "properties");
    dn_json_object(json, parent->selector);
    dn_json_string(json, "const", value);
    json_builder_end_object(json);
    json_builder_end_object(json);
    add_has(json, parent, g_strcmp0(value, parent->fallback) == 0);
    json_builder_end_object(json);
    dn_json_object(json, "then");
    add_type_keys(json, topics, parent, value);
    json_builder_end_object(json);
    json_builder_end_object(json);
}

static GPtrArray *selector_values(const GPtrArray *topics, const DnTopic *parent)
{
    GPtrArray *values = g_ptr_array_new();
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        if (topic->value != NULL && dn_topic_is_below(topic, parent) &&
            !g_ptr_array_find_with_equal_func(values, topic->value, g_str_equal, NULL))
            g_ptr_array_add(values, (gpointer)topic->value);
    }
    return values;
}

static void add_typed(JsonBuilder *json, const GPtrArray *topics, const DnTopic *parent)
{
    g_autoptr(GPtrArray) values = selector_values(topics, parent);
    dn_json_string(json, "description", parent->help);
    dn_json_string(json, "type", "object");
    dn_json_object(json, "properties");
    dn_json_object(json, parent->selector);
    dn_json_list(json, "enum");
    for (guint i = 0; i < values->len; i++)
        json_builder_add_string_value(json, values->pdata[i]);
    json_builder_end_array(json);
    json_builder_end_object(json);
    json_builder_end_object(json);
    dn_json_list(json, "allOf");
    for (guint i = 0; i < values->len; i++)
        add_branch(json, topics, parent, values->pdata[i]);
    add_untyped(json, topics, parent);
    json_builder_end_array(json);
}

/* ---- the document ---- */

/* TRUE when a key's form names @topic, one type of a typed mapping. */
static gboolean is_referred_to(const GPtrArray *topics, const DnTopic *topic)
{
    g_autofree char *word = g_strconcat("@", topic->name, NULL);
    for (guint i = 0; i < topics->len; i++) {
        const DnHelpForm *form = ((const DnTopic *)topics->pdata[i])->forms;
        for (; form != NULL && form->key != NULL; form++)
            if (strcmp(form->form, word) == 0)
                return TRUE;
    }
    return FALSE;
}

/* A mapping of one type only, which need not say so. */
static void add_one_type(JsonBuilder *json, const GPtrArray *topics, const DnTopic *topic)
{
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *parent = topics->pdata[i];
        if (!dn_topic_is_below(topic, parent))
            continue;
        dn_json_string(json, "description", topic->help);
        dn_json_string(json, "type", "object");
        add_type_keys(json, topics, parent, topic->value);
    }
}

static void add_definitions(JsonBuilder *json, const GPtrArray *topics)
{
    dn_json_object(json, "$defs");
    dn_schema_scalars(json);
    for (guint i = 0; i < topics->len; i++) {
        const DnTopic *topic = topics->pdata[i];
        gboolean typed = topic->flags & DN_TOPIC_TYPED;
        if (topic->value != NULL ? !is_referred_to(topics, topic) : !typed && topic->keys == NULL)
            continue;
        g_autofree char *name = dn_schema_definition(topic->name);
        dn_json_object(json, name);
        if (typed)
            add_typed(json, topics, topic);
        else if (topic->value != NULL)
            add_one_type(json, topics, topic);
        else
            add_mapping(json, topic);
        json_builder_end_object(json);
    }
    json_builder_end_object(json);
}

/* {"if": {"required": [@key]}, "then": @topic, "else": ...}: the caller ends "else". */
static void add_if(JsonBuilder *json, const char *key, const char *topic)
{
    dn_json_object(json, "if");
    dn_json_list(json, "required");
    json_builder_add_string_value(json, key);
    json_builder_end_array(json);
    json_builder_end_object(json);
    dn_json_object(json, "then");
    dn_schema_ref(json, topic);
    json_builder_end_object(json);
    dn_json_object(json, "else");
}

char *dn_help_schema(const GPtrArray *topics)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    dn_json_string(json, "title", "Run, machine and workload files of Darner");
    add_if(json, "jobs", "run");
    add_if(json, "type", "workload");
    dn_schema_ref(json, "machine");
    json_builder_end_object(json);
    json_builder_end_object(json);
    add_definitions(json, topics);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return dn_json_text(root);
}
