/* validation_case.c - reads a case, simulates its runs, compares. */
#include "validation/validation_case.h"
#include "base/file.h"
#include "validation/case_inputs.h"
#include "validation/known_misses.h"
#include "base/interrupt.h"
#include "stats/summary.h"
#include "experiment/experiment.h"
#include "experiment/packet_bias.h"
#include <math.h>
#include <string.h>

/* Stored results have nine digits. */
#define ECHO_DIGITS 2e-8

static const char *const tiers[] = {"quick", "full", NULL};

const DnParamSpec dn_case_keys[] = {
    {"tier", DN_PARAM_CHOICE, "quick", 0, 0, tiers, "full: only when asked for"},
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "what the case shows"},
    {"median_percent", DN_PARAM_REAL, "", 0, 1000, NULL,
     "largest median |error|, per evidence class"},
    {"worst_percent", DN_PARAM_REAL, "", 0, 1000, NULL, "largest |error|, per evidence class"},
    {"parameters", DN_PARAM_NODE, "", 0, 0, NULL, "date since which each parameter has its value"},
    {0},
};

void dn_case_free(DnCase *case_)
{
    if (case_ == NULL)
        return;
    g_free(case_->name);
    g_free(case_->dir);
    g_free(case_->description);
    g_free(case_->inputs);
    g_clear_pointer(&case_->points, g_ptr_array_unref);
    g_clear_pointer(&case_->plans, g_ptr_array_unref);
    g_free(case_);
}

/* (transfer full): of case.yaml; all defaults without one. */
static DnParams *read_case_yaml(const char *dir, GError **error)
{
    g_autofree char *file = g_build_filename(dir, "case.yaml", NULL);
    if (!g_file_test(file, G_FILE_TEST_EXISTS))
        return dn_params_read(NULL, dn_case_keys, NULL, error);
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, error);
    return root != NULL ? dn_params_read(root, dn_case_keys, NULL, error) : NULL;
}

gboolean dn_case_is_full(const char *dir, gboolean *full, GError **error)
{
    g_autoptr(DnParams) params = read_case_yaml(dir, error);
    if (params == NULL)
        return FALSE;
    *full = dn_params_int(params, "tier") == 1;
    return TRUE;
}

static gboolean read_limits(DnCase *case_, GError **error)
{
    case_->median_limit = case_->worst_limit = NAN;
    g_autoptr(DnParams) params = read_case_yaml(case_->dir, error);
    if (params == NULL)
        return FALSE;
    if (dn_params_has(params, "description"))
        case_->description = g_strdup(dn_params_string(params, "description"));
    if (dn_params_has(params, "median_percent"))
        case_->median_limit = dn_params_real(params, "median_percent");
    if (dn_params_has(params, "worst_percent"))
        case_->worst_limit = dn_params_real(params, "worst_percent");
    return TRUE;
}

/* ---- the runs ---- */

/* (transfer full): paths of the case's runs, sorted. */
static GPtrArray *list_runs(const char *dir, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    gboolean there = g_file_test(dir, G_FILE_TEST_IS_DIR);
    g_autoptr(GPtrArray) names = there ? dn_file_list(dir, error) : NULL;
    if (there && names == NULL)
        return NULL;
    for (guint i = 0; names != NULL && i < names->len; i++)
        if (g_str_has_suffix(names->pdata[i], ".yaml") && strcmp(names->pdata[i], "case.yaml") != 0)
            g_ptr_array_add(files, g_build_filename(dir, names->pdata[i], NULL));
    if (files->len == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: not a validation case; one holds a run (*.yaml) and expected.csv", dir);
        return NULL;
    }
    return g_steal_pointer(&files);
}

/* (transfer full): a plan to simulate by. */
static DnPlan *plan_run(const char *file, GError **error)
{
    DnPlan *plan = dn_plan_new(file, NULL, error);
    if (plan != NULL)
        dn_network_cache_clear(plan->networks); /* other cases wait before this one */
    return plan;
}

/* (transfer full): DnPlan* for each run file; @networks as of dn_case_read(). */
static GPtrArray *plan_runs(const char *dir, DnNetworkCache *networks, GError **error)
{
    g_autoptr(GPtrArray) files = list_runs(dir, error);
    if (files == NULL)
        return NULL;
    g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)dn_plan_free);
    for (guint i = 0; i < files->len; i++) {
        const char *file = g_ptr_array_index(files, i);
        DnPlan *plan = networks != NULL ? dn_plan_check(file, networks, error)
                                        : plan_run(file, error);
        if (plan == NULL)
            return NULL;
        g_ptr_array_add(plans, plan);
    }
    return g_steal_pointer(&plans);
}

/* ---- simulate and compare ---- */

gboolean dn_case_wants(const DnCase *case_, const DnPlan *plan, guint sweep_point)
{
    for (guint i = 0; i < case_->points->len; i++)
        if (dn_expected_matches(g_ptr_array_index(case_->points, i), plan, sweep_point) ||
            dn_expected_is_over(g_ptr_array_index(case_->points, i), plan, sweep_point))
            return TRUE;
    return FALSE;
}

/* The points of @plan's sweep point @p take what @result has; @job: only those of this one. */
static void compare_points(const DnCase *case_, const DnPlan *plan, guint p, const char *job,
                           const DnRunResult *result)
{
    for (guint i = 0; i < case_->points->len; i++) {
        DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
        if (job != NULL && strcmp(point->job, job) != 0)
            continue;
        if (dn_expected_matches(point, plan, p))
            dn_expected_compare(point, result);
        if (dn_expected_is_over(point, plan, p))
            dn_expected_compare_over(point, result);
    }
}

/* A run that fails leaves its points missing. */
static gboolean simulate_point(const DnCase *case_, const DnPlan *plan, guint p,
                               const DnRunSpec *spec, const DnRunOptions *options, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(DnRunResult) result = dn_experiment_run(spec, options, plan->networks, &problem);
    const char *job = options->isolated_job > 0 ? spec->jobs[options->isolated_job - 1].name : NULL;
    if (dn_interrupted()) {
        g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted in case %s", case_->name);
        return FALSE;
    }
    if (result != NULL && result->packet_bias.text != NULL)
        g_printerr("warning: %s/%s, point %u: %s\n", case_->name, plan->name, p,
                   result->packet_bias.text);
    if (result != NULL)
        compare_points(case_, plan, p, job, result);
    else
        g_printerr("%s\n", problem->message);
    return TRUE;
}

static void reset_points(const DnCase *case_, const DnPlan *plan)
{
    for (guint i = 0; i < case_->points->len; i++) {
        DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
        if (strcmp(point->run, plan->name) == 0)
            dn_expected_reset(point); /* nothing older stays */
    }
}

gboolean dn_case_simulate_run(const DnCase *case_, guint run, gboolean packet_bias, GError **error)
{
    const DnPlan *plan = g_ptr_array_index(case_->plans, run);
    const DnRunOptions options = {.packet_bias_hops = packet_bias ? DN_PACKET_BIAS_HOPS : 0,
                                  .packet_bias_whole_hops = DN_PACKET_BIAS_WHOLE_HOPS,
                                  .progress = {.call = dn_interrupt_progress}};
    reset_points(case_, plan);
    for (guint p = 0; p < plan->sweep->n_points; p++) {
        if (!dn_case_wants(case_, plan, p))
            continue;
        g_autoptr(DnRunSpec) spec = dn_plan_spec(plan, p, error);
        if (spec == NULL || !simulate_point(case_, plan, p, spec, &options, error))
            return FALSE;
    }
    dn_network_cache_clear(plan->networks);
    return TRUE;
}

/* Each job that is not background alone. */
static gboolean simulate_isolated(const DnCase *case_, const DnPlan *plan, guint p,
                                  const DnRunSpec *spec, const char *engine, GError **error)
{
    for (guint j = 0; j < spec->n_jobs; j++) {
        const DnRunOptions options = {.engine = engine,
                                      .isolated_job = j + 1,
                                      .no_slowdown = TRUE,
                                      .progress = {.call = dn_interrupt_progress}};
        if (!spec->jobs[j].background && !simulate_point(case_, plan, p, spec, &options, error))
            return FALSE;
    }
    return TRUE;
}

gboolean dn_case_simulate_null(const DnCase *case_, guint run, DnNullModel model, GError **error)
{
    g_assert(model == DN_NULL_IDLE || model == DN_NULL_BOUND);
    const DnPlan *plan = g_ptr_array_index(case_->plans, run);
    const char *engine = model == DN_NULL_BOUND ? "bound" : NULL;
    reset_points(case_, plan);
    for (guint p = 0; p < plan->sweep->n_points; p++) {
        if (!dn_case_wants(case_, plan, p))
            continue;
        g_autoptr(DnRunSpec) spec = dn_plan_spec(plan, p, error);
        if (spec == NULL)
            return FALSE;
        gboolean others = spec->n_jobs > 1 || spec->background != NULL;
        gboolean open = spec->measure.node != NULL; /* an open loop has no bound */
        if ((model == DN_NULL_BOUND ? !open : others) &&
            !simulate_isolated(case_, plan, p, spec, engine, error))
            return FALSE;
    }
    dn_network_cache_clear(plan->networks);
    return TRUE;
}

/* A simulated number of the point that does not change with the size of its messages: its value,
 * or of a rate the time that one message takes. */
static double case_essence(const DnCheckedPoint *point)
{
    gboolean rate = strcmp(point->metric, "goodput_gbps") == 0 && point->bytes > 0;
    return rate ? (double)point->bytes / point->simulated : point->simulated;
}

/* A point that repeats exactly the value fitted at another one of the case is no new evidence: its
 * class is `calibrated`, whatever the file says. */
static void find_echo(const DnCase *case_, DnCheckedPoint *point)
{
    point->evidence = point->stated;
    g_clear_pointer(&point->echo, g_free);
    if (point->stated != DN_EVIDENCE_PREDICTED && point->stated != DN_EVIDENCE_DEVELOPED)
        return;
    double own = case_essence(point);
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *other = g_ptr_array_index(case_->points, i);
        if (other->stated != DN_EVIDENCE_CALIBRATED || strcmp(other->metric, point->metric) != 0 ||
            !(fabs(case_essence(other) - own) <= ECHO_DIGITS * fabs(own)))
            continue;
        point->evidence = DN_EVIDENCE_CALIBRATED;
        point->echo = g_strdup(other->run);
        return;
    }
}

void dn_case_judge(DnCase *case_)
{
    g_autofree double *errors = g_new(double, case_->points->len);
    case_->passed = TRUE;
    for (guint i = 0; i < case_->points->len; i++) {
        find_echo(case_, g_ptr_array_index(case_->points, i));
        dn_expected_judge(g_ptr_array_index(case_->points, i));
    }
    for (guint k = 0; k < DN_EVIDENCE_CLASSES; k++) {
        DnEvidenceResult *r = &case_->by_evidence[k];
        gboolean missing = FALSE;
        *r = (DnEvidenceResult){.median_percent = NAN, .worst_percent = NAN};
        for (guint i = 0; i < case_->points->len; i++) {
            const DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
            if (point->evidence != k)
                continue;
            r->n++;
            r->missed += !point->passed;
            r->vacuous += point->vacuous;
            r->known += point->passed && point->known_cause != NULL;
            missing = missing || isnan(point->error_percent);
            if (point->relation != 0) {
                r->claims++;
                r->held += fabs(point->error_percent) <= point->tolerance_percent;
            } else {
                errors[r->n - r->claims - 1] = fabs(point->error_percent);
            }
        }
        if (r->n > r->claims && !missing) {
            DnSummary s = dn_summary(errors, r->n - r->claims);
            r->median_percent = s.median;
            r->worst_percent = s.max;
        }
        gboolean gates = k != DN_EVIDENCE_OBSERVED;
        r->passed = r->missed == 0 && !(gates && r->median_percent > case_->median_limit) &&
                    !(gates && r->worst_percent > case_->worst_limit);
        case_->passed = case_->passed && r->passed;
    }
}

DnCase *dn_case_read(const char *dir, DnNetworkCache *networks, GError **error)
{
    g_autoptr(DnCase) case_ = g_new0(DnCase, 1);
    case_->dir = g_strdup(dir);
    case_->name = g_path_get_basename(dir);
    case_->inputs = dn_case_inputs_hash(dir);
    if (!read_limits(case_, error))
        return NULL;
    case_->plans = plan_runs(dir, networks, error);
    if (case_->plans == NULL)
        return NULL;
    g_autofree char *file = g_build_filename(dir, "expected.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv != NULL)
        case_->points = dn_expected_read(csv, case_->plans, NULL, error);
    if (case_->points == NULL)
        return NULL;
    g_autofree char *folder = g_path_get_dirname(dir);
    g_autoptr(GPtrArray) misses = dn_known_misses_read(folder, error);
    if (misses == NULL)
        return NULL;
    dn_known_misses_mark(misses, case_);
    return g_steal_pointer(&case_);
}
