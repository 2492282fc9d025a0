/* validation_report.c - a judged case as a table and as JSON. */
#include "validation/validation_case.h"
#include "report/json.h"
#include "report/table.h"
#include <math.h>
#include <string.h>

/* Keys by their last word: "bytes 1 MiB, placement [0, 1]". */
static char *label_of(const DnCheckedPoint *point)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; point->keys[i] != NULL; i++) {
        const char *dot = strrchr(point->keys[i], '.');
        g_string_append_printf(out, "%s%s %s", i > 0 ? ", " : "",
                               dot != NULL ? dot + 1 : point->keys[i], point->values[i]);
    }
    return g_string_free(out, FALSE);
}

static const char *verdict_of(const DnCheckedPoint *point)
{
    if (!point->passed)
        return point->within && point->known_cause != NULL ? "KNOWN MISS HOLDS" : "MISSED";
    if (point->evidence == DN_EVIDENCE_OBSERVED)
        return "";
    return point->known_cause != NULL ? "known miss" : "ok";
}

static void append_point(DnTable *table, const DnCheckedPoint *point)
{
    g_autofree char *label = label_of(point);
    dn_table_row(table);
    dn_table_cell(table, "%s", point->run);
    dn_table_cell(table, "%s", label);
    dn_table_cell(table, "%s", point->metric);
    dn_table_number(table, point->measured, 4);
    dn_table_number(table, point->simulated, 4);
    if (isnan(point->error_percent))
        dn_table_cell(table, "missing");
    else
        dn_table_cell(table, "%+.2f", point->error_percent);
    if (point->evidence == DN_EVIDENCE_OBSERVED)
        dn_table_cell(table, "-");
    else
        dn_table_number(table, point->tolerance_percent, 3);
    dn_table_cell(table, "%s", dn_evidence_names[point->evidence]);
    dn_table_cell(table, "%s", verdict_of(point));
}

static void append_limit(GString *out, const char *what, double value, double limit)
{
    if (isnan(value))
        g_string_append_printf(out, ", %s |error| unknown", what);
    else
        g_string_append_printf(out, ", %s |error| %.2f %%", what, value);
    if (!isnan(limit))
        g_string_append_printf(out, " (allowed %.4g %%)", limit);
}

static void append_class(GString *out, const DnCase *case_, DnEvidence evidence)
{
    const DnEvidenceResult *r = &case_->by_evidence[evidence];
    gboolean gates = evidence != DN_EVIDENCE_OBSERVED;
    if (r->n == 0)
        return;
    g_string_append_printf(out, "%s: %u point%s", dn_evidence_names[evidence], r->n,
                           r->n > 1 ? "s" : "");
    if (r->claims > 0)
        g_string_append_printf(out, ", %u of %u claims hold", r->held, r->claims);
    if (r->n > r->claims) {
        append_limit(out, "median", r->median_percent, gates ? case_->median_limit : NAN);
        append_limit(out, "worst", r->worst_percent, gates ? case_->worst_limit : NAN);
    }
    if (r->known > 0)
        g_string_append_printf(out, ", %u known miss%s", r->known, r->known > 1 ? "es" : "");
    if (r->missed > 0)
        g_string_append_printf(out, ", %u missed", r->missed);
    g_string_append_printf(out, "%s\n", !r->passed ? ": MISSED" : gates ? ": ok" : "");
}

char *dn_case_text(const DnCase *case_)
{
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "run", DN_ALIGN_LEFT);
    dn_table_column(table, "point", DN_ALIGN_LEFT);
    dn_table_column(table, "metric", DN_ALIGN_LEFT);
    static const char *const numbers[] = {"measured", "simulated", "error %", "allowed %"};
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        dn_table_column(table, numbers[i], DN_ALIGN_RIGHT);
    dn_table_column(table, "evidence", DN_ALIGN_LEFT);
    dn_table_column(table, "", DN_ALIGN_LEFT);
    for (guint i = 0; i < case_->points->len; i++)
        append_point(table, g_ptr_array_index(case_->points, i));
    g_autofree char *rows = dn_table_text(table);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s%s%s\n%s", case_->name, case_->description != NULL ? ": " : "",
                           case_->description != NULL ? case_->description : "", rows);
    for (guint evidence = 0; evidence < DN_EVIDENCE_CLASSES; evidence++)
        append_class(out, case_, (DnEvidence)evidence);
    return g_string_free(out, FALSE);
}

static void add_point(JsonBuilder *json, const DnCheckedPoint *point)
{
    g_autofree char *label = label_of(point);
    json_builder_begin_object(json);
    dn_json_string(json, "run", point->run);
    dn_json_string(json, "label", label);
    dn_json_object(json, "keys");
    for (guint i = 0; point->keys[i] != NULL; i++)
        dn_json_string(json, point->keys[i], point->values[i]);
    json_builder_end_object(json);
    dn_json_int(json, "bytes", point->bytes);
    dn_json_string(json, "job", point->job);
    dn_json_string(json, "metric", point->metric);
    dn_json_string(json, "relation", point->relation < 0 ? "<=" : point->relation > 0 ? ">=" : "=");
    dn_json_number(json, "measured", point->measured);
    dn_json_number(json, "simulated", point->simulated);
    dn_json_number(json, "error_percent", point->error_percent);
    dn_json_number(json, "tolerance_percent", point->tolerance_percent);
    dn_json_string(json, "evidence", dn_evidence_names[point->evidence]);
    if (point->echo != NULL)
        dn_json_string(json, "echo_of", point->echo);
    dn_json_string(json, "reason", point->reason);
    if (point->known_cause != NULL)
        dn_json_string(json, "known_cause", point->known_cause);
    dn_json_flag(json, "within", point->within);
    dn_json_flag(json, "vacuous", point->vacuous);
    dn_json_flag(json, "passed", point->passed);
    json_builder_end_object(json);
}

void dn_case_json(JsonBuilder *json, const DnCase *case_)
{
    json_builder_begin_object(json);
    dn_json_string(json, "name", case_->name);
    dn_json_string(json, "description", case_->description != NULL ? case_->description : "");
    dn_json_flag(json, "passed", case_->passed);
    dn_json_object(json, "evidence");
    for (guint evidence = 0; evidence < DN_EVIDENCE_CLASSES; evidence++) {
        const DnEvidenceResult *r = &case_->by_evidence[evidence];
        dn_json_object(json, dn_evidence_names[evidence]);
        dn_json_int(json, "points", r->n);
        dn_json_int(json, "known_misses", r->known);
        dn_json_int(json, "claims", r->claims);
        dn_json_int(json, "claims_held", r->held);
        dn_json_number(json, "median_percent", r->median_percent);
        dn_json_number(json, "worst_percent", r->worst_percent);
        dn_json_flag(json, "passed", r->passed);
        json_builder_end_object(json);
    }
    json_builder_end_object(json);
    dn_json_list(json, "points");
    for (guint i = 0; i < case_->points->len; i++)
        add_point(json, g_ptr_array_index(case_->points, i));
    json_builder_end_array(json);
    json_builder_end_object(json);
}
