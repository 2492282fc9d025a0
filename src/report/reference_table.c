/* reference_table.c - see reference_table.h. */
#include "report/reference_table.h"
#include <math.h>

static void measured_clear(gpointer item)
{
    DnReferenceValue *m = item;
    g_free(m->metric);
    g_free(m->evidence);
}

DnReferences *dn_references_new(guint n_jobs)
{
    DnReferences *references = g_new0(DnReferences, n_jobs + 1);
    for (guint j = 0; j < n_jobs; j++) {
        references[j].bound_us = references[j].peak_bps = NAN;
        references[j].measured = g_array_new(FALSE, FALSE, sizeof(DnReferenceValue));
        g_array_set_clear_func(references[j].measured, measured_clear);
    }
    return references;
}

void dn_references_free(DnReferences *references, guint n_jobs)
{
    for (guint j = 0; references != NULL && j < n_jobs; j++)
        g_array_unref(references[j].measured);
    g_free(references);
}

void dn_references_add(DnReferences *references, const char *metric, const char *evidence,
                       double measured, double simulated)
{
    DnReferenceValue m = {g_strdup(metric), g_strdup(evidence), measured, simulated};
    g_array_append_val(references->measured, m);
}

void dn_references_json(JsonBuilder *json, const DnReferences *references)
{
    if (!isnan(references->bound_us))
        dn_json_number(json, "bound_us", references->bound_us);
    if (!isnan(references->peak_bps)) {
        dn_json_number(json, "peak_bps", references->peak_bps);
        dn_json_string(json, "peak", references->peak);
    }
    if (references->measured->len == 0)
        return;
    dn_json_list(json, "measured");
    for (guint i = 0; i < references->measured->len; i++) {
        const DnReferenceValue *m = &g_array_index(references->measured, DnReferenceValue, i);
        json_builder_begin_object(json);
        dn_json_string(json, "metric", m->metric);
        dn_json_string(json, "evidence", m->evidence);
        dn_json_number(json, "measured", m->measured);
        dn_json_number(json, "simulated", m->simulated);
        dn_json_number(json, "error_percent", dn_reference_error_percent(m));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}
