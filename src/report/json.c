/* json.c - see json.h. */
#include "report/json.h"
#include <math.h>

void dn_json_int(JsonBuilder *json, const char *member, gint64 value)
{
    json_builder_set_member_name(json, member);
    json_builder_add_int_value(json, value);
}

void dn_json_number(JsonBuilder *json, const char *member, double value)
{
    json_builder_set_member_name(json, member);
    if (isfinite(value))
        json_builder_add_double_value(json, value);
    else
        json_builder_add_null_value(json);
}

void dn_json_flag(JsonBuilder *json, const char *member, gboolean value)
{
    json_builder_set_member_name(json, member);
    json_builder_add_boolean_value(json, value);
}

void dn_json_string(JsonBuilder *json, const char *member, const char *value)
{
    json_builder_set_member_name(json, member);
    if (value != NULL)
        json_builder_add_string_value(json, value);
    else
        json_builder_add_null_value(json);
}

void dn_json_object(JsonBuilder *json, const char *member)
{
    json_builder_set_member_name(json, member);
    json_builder_begin_object(json);
}

void dn_json_list(JsonBuilder *json, const char *member)
{
    json_builder_set_member_name(json, member);
    json_builder_begin_array(json);
}

char *dn_json_text(JsonNode *root)
{
    g_autoptr(JsonGenerator) generator = json_generator_new();
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    g_autofree char *text = json_generator_to_data(generator, NULL);
    return g_strconcat(text, "\n", NULL);
}
