/* help_schema_keys.c - see help_schema_keys.h. */
#include "report/help_schema_keys.h"

#include <string.h>

#include "report/json.h"

#define NUMBER "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?"
#define LARGEST 9007199254740992.0 /* of whole numbers that JSON can say */

typedef struct {
    const char *name;    /* of the definition */
    DnParamType type;    /* NODE: any text */
    const char *pattern; /* of text */
} Scalar;

static const Scalar scalars[] = {
    {"size", DN_PARAM_BYTES, NUMBER " *([kMGT]|[KMGT]i)?B$"},
    {"time", DN_PARAM_TIME, NUMBER " *([pnum\302\265\316\274]?s)$"},
    {"data-rate", DN_PARAM_RATE, NUMBER " *([kMGT]|[KMGT]i)?(b|B|bit)/s$"},
    {"rate-per-second", DN_PARAM_PER_SECOND, NUMBER " *[kMGT]?/s$"},
    {"length", DN_PARAM_LENGTH, NUMBER " *[mck]?m$"},
    {"real", DN_PARAM_REAL, NUMBER " *%?$"},
};

char *dn_schema_definition(const char *topic)
{
    char *name = g_strdup(topic);
    return g_strdelimit(name, " ", '.');
}

void dn_schema_ref(JsonBuilder *json, const char *topic)
{
    g_autofree char *name = dn_schema_definition(topic);
    g_autofree char *ref = g_strdup_printf("#/$defs/%s", name);
    dn_json_string(json, "$ref", ref);
}

static void add_types(JsonBuilder *json, const char *const *types)
{
    dn_json_list(json, "type");
    for (; *types != NULL; types++)
        json_builder_add_string_value(json, *types);
    json_builder_end_array(json);
}

/* Text; YAML reads some names as numbers or truth values. */
static void add_text(JsonBuilder *json)
{
    add_types(json, (const char *const[]){"string", "number", "boolean", NULL});
}

void dn_schema_empty(JsonBuilder *json, const char *member)
{
    dn_json_object(json, member);
    json_builder_end_object(json);
}

void dn_schema_notes(JsonBuilder *json)
{
    dn_schema_empty(json, "include");
    dn_schema_empty(json, "source");
    dn_schema_empty(json, "assumed");
}

static void add_choices(JsonBuilder *json, const char *const *choices)
{
    dn_json_list(json, "enum");
    for (; *choices != NULL; choices++)
        json_builder_add_string_value(json, *choices);
    json_builder_end_array(json);
}

/* ---- forms ---- */

static const char *add_form(JsonBuilder *json, const DnHelpForm *form, const char *at);

static void add_word(JsonBuilder *json, const DnHelpForm *form, const char *word)
{
    if (word[0] == '@')
        dn_schema_ref(json, word + 1);
    else if (word[0] == '\'') {
        g_autofree char *inner = g_strndup(word + 1, strlen(word) - 2);
        dn_json_string(json, "const", inner);
    } else if (strcmp(word, "name") == 0)
        add_text(json);
    else if (strcmp(word, "choice") == 0)
        add_choices(json, form->choices);
    else if (strcmp(word, "int") == 0)
        dn_json_string(json, "type", "integer");
    else if (strcmp(word, "any") != 0)
        dn_schema_ref(json, word);
}

/* The value of a mapping's entry, or {value:, source:} around it. Returns where its form ends. */
static const char *add_entry(JsonBuilder *json, const DnHelpForm *form, const char *at)
{
    dn_json_list(json, "anyOf");
    json_builder_begin_object(json);
    dn_schema_ref(json, "annotated");
    json_builder_end_object(json);
    json_builder_begin_object(json);
    const char *end = add_form(json, form, at);
    json_builder_end_object(json);
    json_builder_end_array(json);
    json_builder_end_object(json);
    return end;
}

/* One alternative; returns what follows it. */
static const char *add_alternative(JsonBuilder *json, const DnHelpForm *form, const char *at)
{
    if (*at == '[' || *at == '{') {
        gboolean list = *at == '[';
        dn_json_string(json, "type", list ? "array" : "object");
        if (!list) {
            dn_json_object(json, "properties");
            dn_schema_notes(json);
            json_builder_end_object(json);
        }
        if (at[1] == '#') {
            dn_json_object(json, "propertyNames");
            dn_json_string(json, "pattern", "^([0-9]+|include|source|assumed)$");
            json_builder_end_object(json);
        }
        dn_json_object(json, list ? "items" : "additionalProperties");
        if (list) {
            const char *end = add_form(json, form, at + 1);
            json_builder_end_object(json);
            return end + 1;
        }
        return add_entry(json, form, at + 1 + (at[1] == '#')) + 1;
    }
    gsize n = strcspn(at, "|]}");
    g_autofree char *word = g_strstrip(g_strndup(at, n));
    add_word(json, form, word);
    return at + n;
}

/* "A | B" up to the bracket that closes it; returns that place. */
static const char *add_form(JsonBuilder *json, const DnHelpForm *form, const char *at)
{
    dn_json_list(json, "anyOf");
    for (;;) {
        at += strspn(at, " ");
        json_builder_begin_object(json);
        at = add_alternative(json, form, at);
        json_builder_end_object(json);
        at += strspn(at, " ");
        if (*at != '|')
            break;
        at++;
    }
    json_builder_end_array(json);
    return at;
}

/* ---- keys ---- */

static void add_range(JsonBuilder *json, const DnParamSpec *spec)
{
    gboolean bounded = spec->min != 0 || spec->max != 0;
    if (!bounded)
        return;
    /* a default may stand outside the range (0: automatic) */
    dn_json_int(json, "minimum", (gint64)(spec->fallback != NULL ? MIN(0, spec->min) : spec->min));
    if (spec->max >= spec->min && spec->max < LARGEST)
        dn_json_int(json, "maximum", (gint64)spec->max);
}

static void add_integer(JsonBuilder *json, const DnParamSpec *spec)
{
    dn_json_string(json, "type", "integer");
    add_range(json, spec);
}

static void add_list(JsonBuilder *json, const DnParamSpec *spec)
{
    dn_json_string(json, "type", "array");
    dn_json_object(json, "items");
    if (spec->type == DN_PARAM_INT_LIST)
        add_integer(json, spec);
    else
        dn_schema_ref(json, "truth");
    json_builder_end_object(json);
}

static void add_plain_value(JsonBuilder *json, const DnTopic *topic, const DnParamSpec *spec)
{
    const DnHelpForm *form = dn_topic_form(topic, spec);
    switch (spec->type) {
    case DN_PARAM_INT:
        add_integer(json, spec);
        return;
    case DN_PARAM_BOOL:
        dn_schema_ref(json, "truth");
        return;
    case DN_PARAM_STRING:
        add_text(json);
        return;
    case DN_PARAM_CHOICE:
        add_choices(json, spec->choices);
        return;
    case DN_PARAM_INT_LIST:
    case DN_PARAM_BOOL_LIST:
        add_list(json, spec);
        return;
    case DN_PARAM_NODE:
        if (form != NULL)
            (void)add_form(json, form, form->form);
        return;
    default:
        break;
    }
    for (guint i = 0; i < G_N_ELEMENTS(scalars); i++)
        if (scalars[i].type == spec->type)
            dn_schema_ref(json, scalars[i].name);
}

/* The value, or {value:, source:} around it. */
static void add_key(JsonBuilder *json, const DnTopic *topic, const DnParamSpec *spec)
{
    dn_json_object(json, spec->key);
    dn_json_string(json, "description", spec->help);
    if (spec->fallback != NULL && spec->fallback[0] != '\0')
        dn_json_string(json, "default", spec->fallback);
    dn_json_list(json, "anyOf");
    json_builder_begin_object(json);
    add_plain_value(json, topic, spec);
    json_builder_end_object(json);
    json_builder_begin_object(json);
    dn_schema_ref(json, "annotated");
    json_builder_end_object(json);
    json_builder_end_array(json);
    json_builder_end_object(json);
}

void dn_schema_keys(JsonBuilder *json, const DnTopic *topic)
{
    for (const DnParamSpec *spec = topic->keys; spec != NULL && spec->key != NULL; spec++)
        add_key(json, topic, spec);
}

void dn_schema_scalars(JsonBuilder *json)
{
    for (guint i = 0; i < G_N_ELEMENTS(scalars); i++) {
        dn_json_object(json, scalars[i].name);
        add_types(json, (const char *const[]){"string", "number", NULL});
        dn_json_string(json, "pattern", scalars[i].pattern);
        if (scalars[i].type != DN_PARAM_REAL) /* bare, only 0 */
            dn_json_int(json, "maximum", 0);
        json_builder_end_object(json);
    }
    dn_json_object(json, "truth");
    dn_json_list(json, "enum");
    json_builder_add_boolean_value(json, TRUE);
    json_builder_add_boolean_value(json, FALSE);
    static const char *const words[] = {"yes", "no", "on", "off", "true", "false"};
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        json_builder_add_string_value(json, words[i]);
    json_builder_end_array(json);
    json_builder_end_object(json);
    dn_json_object(json, "annotated");
    dn_json_string(json, "type", "object");
    dn_json_object(json, "properties");
    dn_schema_empty(json, "value");
    dn_schema_empty(json, "source");
    dn_schema_empty(json, "assumed");
    json_builder_end_object(json);
    dn_json_flag(json, "additionalProperties", FALSE);
    dn_json_list(json, "required");
    json_builder_add_string_value(json, "value");
    json_builder_end_array(json);
    json_builder_end_object(json);
}
