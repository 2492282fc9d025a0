/* validation_case.h - A case, validation/<case>/, has runs, measured values, and limits of the
 * error.
 *
 *   *.yaml        runs (each as for `darner run`); all but case.yaml
 *   case.yaml     optional: description, median_percent, worst_percent; tier: full for a case that
 *                 takes more than seconds and runs only when it is named or with --full;
 *                 parameters: a list of {file, key, since}: the parameters that the runs rest on,
 *                 and when each was last changed; scripts/evidence writes it from the git history
 *   expected.csv  measured values (reference_values.h)
 *   source.md     where the measured values come from
 *
 * The limits of case.yaml hold for the median and the worst |error| of the calibrated points, and
 * of the predicted points, apart. A point that the simulation does not yield is a failure. */
#pragma once
#include "validation/reference_values.h"
#include <json-glib/json-glib.h>

typedef struct {
    guint n, missed;       /* points; of them outside their own tolerance and not known for it, or
                            * known for it and inside */
    guint vacuous;         /* that a null model passes as well */
    guint known;           /* outside their tolerance, and listed with their cause */
    guint claims, held;    /* points of <= or >=, which have no error to speak of; that hold, give
                            * or take their tolerance */
    double median_percent; /* of the others' |error|; NAN when one is missing or there is none */
    double worst_percent;
    gboolean passed; /* own tolerances and the case's limits */
} DnEvidenceResult;

typedef struct {
    char *name, *dir, *description;
    char *inputs;                     /* their hash when the case was read (case_inputs.h) */
    double median_limit, worst_limit; /* percent; NAN: none */
    GPtrArray *points;                /* DnCheckedPoint*, in the file's order */
    GPtrArray *plans;                 /* DnPlan*, its runs */
    DnEvidenceResult by_evidence[DN_EVIDENCE_CLASSES];
    gboolean passed;
} DnCase;

/* *@full: its tier. */
gboolean dn_case_is_full(const char *dir, gboolean *full, GError **error);
/* (transfer full): read, nothing simulated yet. @networks: its runs are checked with networks of
 * that cache, and cannot be simulated; NULL: they can. NULL + error when the case itself is
 * wrong. */
DnCase *dn_case_read(const char *dir, DnNetworkCache *networks,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* TRUE when some value is compared with @plan's point @sweep_point. */
gboolean dn_case_wants(const DnCase *case_, const DnPlan *plan, guint sweep_point);
/* Fills the points of its @run-th plan. FALSE + error when interrupted; a run that fails in the
 * engine leaves its points missing, with a line on stderr. @packet_bias: with others there of what
 * packets larger than the machine's own change. */
gboolean dn_case_simulate_run(const DnCase *case_, guint run, gboolean packet_bias,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same with a null model, idle or bound; without effect where there is nobody to leave out. */
gboolean dn_case_simulate_null(const DnCase *case_, guint run, DnNullModel model,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Errors, evidence classes and passed, from the points' simulated values. */
void dn_case_judge(DnCase *case_);
void dn_case_free(DnCase *case_);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnCase, dn_case_free)

char *dn_case_text(const DnCase *case_); /* the table and the lines per evidence class */
void dn_case_json(JsonBuilder *json, const DnCase *case_);

/* Keys of case.yaml. */
extern const DnParamSpec dn_case_keys[];
