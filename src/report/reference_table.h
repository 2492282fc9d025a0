/* reference_table.h - The references that a result is compared with: a bound, a peak in print,
 * measured values.
 *
 * Plain data that whoever runs a point fills in (validation/baseline.c); summary.json keeps it with
 * the job, the report draws it. */
#pragma once
#include "report/json.h"

typedef struct {
    char *metric, *evidence; /* as in validation/reference_values.h */
    double measured, simulated;
} DnReferenceValue;

/* Returns the error in percent of the measured value. */
static inline double dn_reference_error_percent(const DnReferenceValue *m)
{
    return 100.0 * (m->simulated / m->measured - 1.0);
}

typedef struct {
    double bound_us;  /* no iteration is faster; NAN: not asked for */
    double peak_bps;  /* of goodput, as papers count it; NAN: none is known */
    const char *peak; /* how it is counted */
    GArray *measured; /* DnReferenceValue */
} DnReferences;

/* [@n_jobs], all unknown. */
DnReferences *dn_references_new(guint n_jobs);
void dn_references_free(DnReferences *references, guint n_jobs);
void dn_references_add(DnReferences *references, const char *metric, const char *evidence,
                       double measured, double simulated);
/* Writes members of the job's object; none for unknown values. */
void dn_references_json(JsonBuilder *json, const DnReferences *references);
