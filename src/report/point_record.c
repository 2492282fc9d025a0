/* point_record.c - see point_record.h. Texts are byte strings: a name of a file need not be UTF-8.
 * */
#include "report/point_record.h"

#include "report/json_list_file.h"

#include <math.h>

static JsonNode *timing_of(guint point, const DnRunResult *result)
{
    const DnEngineResult *e = &result->engine;
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_int(json, "point", point);
    dn_json_int(json, "threads", result->threads);
    dn_json_int(json, "events", (gint64)e->events);
    dn_json_number(json, "cpu_s", e->cpu_s);
    dn_json_number(json, "packet_hops_per_cpu_s",
                   e->cpu_s > 0.0 ? (double)e->packet_hops / e->cpu_s : NAN);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

static void add_text(GVariantBuilder *record, const char *name, const char *text)
{
    g_variant_builder_add(record, "{sv}", name, g_variant_new_bytestring(text));
}

static void add_item(GVariantBuilder *record, const char *name, JsonNode *item)
{
    g_autofree char *text = dn_json_list_item_text(item);
    json_node_unref(item);
    add_text(record, name, text);
}

static void add_rows(GVariantBuilder *record, DnRunRows *rows, guint point,
                     const DnRunResult *result)
{
    for (guint f = 0; f < DN_ROWS_FILES; f++)
        g_string_truncate(rows->text[f], 0);
    dn_run_rows_add(rows, point, result);
    for (guint f = 0; f < DN_ROWS_FILES; f++) {
        add_text(record, dn_rows_file_names[f], rows->text[f]->str);
        g_string_truncate(rows->text[f], 0);
    }
}

GVariant *dn_point_record_new(DnRunRows *rows, const DnRunTable *table, guint point,
                              const DnRunSpec *spec, const DnRunResult *result,
                              const DnReferences *references)
{
    const DnEngineResult *e = &result->engine;
    const GPtrArray *warnings = result->warnings;
    GVariantBuilder record;
    g_variant_builder_init(&record, G_VARIANT_TYPE_VARDICT);
    add_rows(&record, rows, point, result);
    add_item(&record, "summary", dn_run_rows_summary_point(rows, point, spec, result, references));
    add_item(&record, "timing", timing_of(point, result));
    g_variant_builder_add(&record, "{sv}", "table",
                          dn_run_table_record(table, point, result, references));
    g_variant_builder_add(&record, "{sv}", "cpu_s", g_variant_new_double(e->cpu_s));
    g_variant_builder_add(&record, "{sv}", "packet_hops", g_variant_new_uint64(e->packet_hops));
    g_variant_builder_add(&record, "{sv}", "events", g_variant_new_uint64(e->events));
    if (warnings != NULL && warnings->len > 0)
        g_variant_builder_add(
            &record, "{sv}", "warnings",
            g_variant_new_bytestring_array((const char *const *)warnings->pdata, warnings->len));
    return g_variant_builder_end(&record);
}

const char *dn_point_record_text(GVariant *record, const char *name)
{
    const char *text = "";
    g_variant_lookup(record, name, "^&ay", &text);
    return text;
}

double dn_point_record_number(GVariant *record, const char *name)
{
    double value = 0.0;
    g_variant_lookup(record, name, "d", &value);
    return value;
}

guint64 dn_point_record_count(GVariant *record, const char *name)
{
    guint64 value = 0;
    g_variant_lookup(record, name, "t", &value);
    return value;
}

char **dn_point_record_warnings(GVariant *record)
{
    char **warnings = NULL;
    g_variant_lookup(record, "warnings", "^aay", &warnings);
    return warnings != NULL ? warnings : g_new0(char *, 1);
}
