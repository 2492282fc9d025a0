/* reference_table.c - see reference_table.h. */
#include "report/reference_table.h"
#include <math.h>

static void measured_clear(gpointer item)
{
    DnBesideMeasured *m = item;
    g_free(m->metric);
    g_free(m->evidence);
}

DnBeside *dn_beside_new(guint n_jobs)
{
    DnBeside *beside = g_new0(DnBeside, n_jobs + 1);
    for (guint j = 0; j < n_jobs; j++) {
        beside[j].bound_us = beside[j].peak_bps = NAN;
        beside[j].measured = g_array_new(FALSE, FALSE, sizeof(DnBesideMeasured));
        g_array_set_clear_func(beside[j].measured, measured_clear);
    }
    return beside;
}

void dn_beside_free(DnBeside *beside, guint n_jobs)
{
    for (guint j = 0; beside != NULL && j < n_jobs; j++)
        g_array_unref(beside[j].measured);
    g_free(beside);
}

void dn_beside_measured(DnBeside *beside, const char *metric, const char *evidence, double measured,
                        double simulated)
{
    DnBesideMeasured m = {g_strdup(metric), g_strdup(evidence), measured, simulated};
    g_array_append_val(beside->measured, m);
}

void dn_beside_json(JsonBuilder *json, const DnBeside *beside)
{
    if (!isnan(beside->bound_us))
        dn_json_number(json, "bound_us", beside->bound_us);
    if (!isnan(beside->peak_bps)) {
        dn_json_number(json, "peak_bps", beside->peak_bps);
        dn_json_string(json, "peak", beside->peak);
    }
    if (beside->measured->len == 0)
        return;
    dn_json_list(json, "measured");
    for (guint i = 0; i < beside->measured->len; i++) {
        const DnBesideMeasured *m = &g_array_index(beside->measured, DnBesideMeasured, i);
        json_builder_begin_object(json);
        dn_json_string(json, "metric", m->metric);
        dn_json_string(json, "evidence", m->evidence);
        dn_json_number(json, "measured", m->measured);
        dn_json_number(json, "simulated", m->simulated);
        dn_json_number(json, "error_percent", dn_beside_error_percent(m));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}
