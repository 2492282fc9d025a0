/* sweep_plan.c - reads every point, builds each different machine and router once, places its jobs,
 * asks each program for its size. */
#include "experiment/sweep_plan.h"
#include "base/interrupt.h"
#include "base/input_files.h"
#include "base/rng.h"
#include "base/units.h"
#include "experiment/results.h"
#include "topology/machine.h"
#include "routing/path.h"
#include "base/version.h"
#include <string.h>
#include <sys/stat.h>

/* Routes walked for the mean path: a progress line needs no more. */
#define SAMPLED_ROUTES 64

/* Links from @src to @dst on an idle machine. */
static guint count_hops(const DnRouter *router, guint32 src, guint32 dst, guint64 key)
{
    DnPath path = dn_path_begin(router, src, dst, 0, DN_RAIL_OWN);
    while (dn_path_next(&path, &dn_load_idle, dn_draw(key, path.hops)))
        continue;
    return path.hops;
}

static double mean_hops(const DnRouter *router)
{
    const DnGraph *graph = router->machine->graph;
    guint32 n = graph->size.endpoints;
    if (n < 2)
        return 0.0;
    guint total = 0;
    for (guint i = 0; i < SAMPLED_ROUTES; i++) {
        guint64 key = dn_draw_key(0, DN_DRAW_ESTIMATE, i);
        guint32 a = dn_draw_below(dn_draw(key, 0), n);
        guint32 b = (a + 1 + dn_draw_below(dn_draw(key, 1), n - 1)) % n;
        total += count_hops(router, graph->endpoints[a], graph->endpoints[b], key);
    }
    return (double)total / SAMPLED_ROUTES;
}

static char *heading_of(const DnPlan *plan, const DnRunSpec *spec, const DnRunCheck *check)
{
    const DnNetworkModel *built = check->network;
    const DnGraphSize *size = &built->machine->graph->size;
    const DnEngineType *engine = dn_engine_find(spec->engine);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "darner %s, run %s, seed %" G_GUINT64_FORMAT ", config %s\n",
                           dn_version, plan->name, spec->seed, spec->hash);
    g_string_append_printf(out, "machine  %s: nodes %u, endpoints %u, switches %u, links %u",
                           built->machine->name, size->nodes, size->endpoints, size->switches,
                           size->links);
    if (built->machine->failed_cables > 0)
        g_string_append_printf(out, ", failed cables %u", built->machine->failed_cables);
    g_string_append_c(out, '\n');
    g_string_append_printf(out, "routing  %s, %u virtual channel%s\n", built->router->type->name,
                           built->router->channels, built->router->channels > 1 ? "s" : "");
    g_string_append_printf(out, "engine   %s; limits: %s\n", spec->engine,
                           engine != NULL ? engine->limits : "");
    g_autofree char *packets = dn_packet_text(built->machine, check->packet_bytes);
    g_string_append_printf(out, "packets  %s\n", packets);
    return g_string_free(out, FALSE);
}

/* Appends how many points there are, and which combinations do not exist. */
static void add_points(DnPlan *plan)
{
    const DnSweep *sweep = plan->sweep;
    if (sweep->n_points + sweep->skipped->len < 2)
        return;
    GString *out = g_string_new(plan->heading);
    g_string_append_printf(out, "points   %u; the lines above are the first one's\n",
                           sweep->n_points);
    for (guint i = 0; i < sweep->skipped->len; i++)
        g_string_append_printf(out, "skipped  %s\n", (const char *)sweep->skipped->pdata[i]);
    g_free(plan->heading);
    plan->heading = g_string_free(out, FALSE);
}

DnRunSpec *dn_plan_spec(const DnPlan *plan, guint point, GError **error)
{
    return dn_sweep_spec(plan->sweep, point, error);
}

static gboolean check_point(const DnSweep *sweep, guint p, DnNetworkCache *networks,
                            DnPointChecked checked, gpointer data, GError **error)
{
    g_auto(DnRunCheck) check = {0};
    const DnRunOptions options = {.no_estimate = checked == NULL};
    g_autoptr(DnRunSpec) spec = dn_sweep_spec(sweep, p, error);
    if (spec == NULL || !dn_simulate_check(spec, &options, networks, &check, error))
        return FALSE;
    if (checked != NULL)
        checked(data, p, spec, &check);
    return TRUE;
}

/* Refuses two names of one machine file. A name that is no file is an error of its point. */
static gboolean check_machines(const DnConfigNode *list, const char *key, GError **error)
{
    g_autofree struct stat *files = g_new0(struct stat, list->children->len);
    for (guint i = 0; i < list->children->len; i++) {
        const DnConfigNode *value = list->children->pdata[i];
        g_autofree char *file =
            value->kind == DN_CONFIG_SCALAR ? dn_machine_find(value->scalar, value, NULL) : NULL;
        if (file == NULL || stat(file, &files[i]) != 0)
            continue;
        for (guint k = 0; k < i; k++)
            if (files[k].st_ino == files[i].st_ino && files[k].st_dev == files[i].st_dev) {
                dn_sweep_same_value_error(value, list->children->pdata[k], key, error);
                return FALSE;
            }
    }
    return TRUE;
}

static gboolean check_names(const DnSweep *sweep, GError **error)
{
    for (guint k = 0; k < sweep->n_keys; k++) {
        const char *key = sweep->keys[k];
        if ((strcmp(key, "machine") == 0 || strcmp(key, "machine.name") == 0) &&
            !check_machines(sweep->map->children->pdata[k], key, error))
            return FALSE;
    }
    return TRUE;
}

/* Adds the swept values of @p to @problem: earlier points are valid, so one of these is wrong. */
static void name_point(const DnSweep *sweep, guint p, GError *problem)
{
    g_autoptr(GString) name = g_string_new(" (at");
    for (guint k = 0; k < sweep->n_keys; k++)
        g_string_append_printf(name, "%s %s=%s", k > 0 ? "," : "", sweep->keys[k],
                               sweep->values[p][k]);
    char *message = g_strdup_printf("%s%s)", problem->message, name->str);
    g_free(problem->message);
    problem->message = message;
}

gboolean dn_sweep_check(DnSweep *sweep, DnNetworkCache *networks, DnPointChecked checked,
                        gpointer data, GError **error)
{
    if (!check_names(sweep, error))
        return FALSE;
    for (guint p = 0; p < sweep->n_points;) {
        g_autoptr(GError) problem = NULL;
        if (!dn_interrupt_check(error))
            return FALSE;
        if (check_point(sweep, p, networks, checked, data, &problem)) {
            p++;
            continue;
        }
        if (sweep->n_points == 1 || !g_error_matches(problem, DN_ERROR, DN_ERROR_COMBINATION)) {
            if (p > 0 && !g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED))
                name_point(sweep, p, problem);
            g_propagate_error(error, g_steal_pointer(&problem));
            return FALSE;
        }
        dn_sweep_drop(sweep, p, problem->message);
    }
    return TRUE;
}

typedef struct {
    DnPlan *plan;
    char *key;   /* of the network of the point before */
    double hops; /* the mean there */
} Checking;

static void plan_take_point(gpointer data, guint p, const DnRunSpec *spec, const DnRunCheck *check)
{
    Checking *x = data;
    DnPlan *plan = x->plan;
    if (g_strcmp0(x->key, check->network->key) != 0) {
        g_free(x->key);
        x->key = g_strdup(check->network->key);
        x->hops = mean_hops(check->network->router);
    }
    if (spec->measure.node == NULL) /* else: as long as it takes */
        plan->work[p] = check->hops + check->packets * x->hops;
    if (!check->background) /* else they are no measure of how far the run is */
        plan->hops[p] = plan->work[p];
    plan->runs[p] = spec->repeat * (spec->slowdown ? 2.0 : 1.0);
    plan->until_ps[p] = spec->until_ps;
    plan->bytes[p] = check->bytes;
    if (p == 0) {
        plan->heading = heading_of(plan, spec, check);
        plan->output = g_strdup(spec->output);
    }
}

static gboolean check_points(DnPlan *plan, GError **error)
{
    Checking checking = {.plan = plan};
    GError *problem = NULL;
    gboolean good =
        dn_sweep_check(plan->sweep, plan->networks, plan_take_point, &checking, &problem);
    g_free(checking.key);
    if (good) {
        add_points(plan);
        return TRUE;
    }
    if (!g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED)) {
        g_propagate_error(error, problem);
        return FALSE;
    }
    g_error_free(problem);
    g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted; 0 of %u points are complete",
                plan->sweep->n_points);
    return FALSE;
}

/* (transfer full): nothing but its sweep is read; or NULL. */
static DnPlan *load_plan(const char *file, const char *const *overrides, GError **error)
{
    g_autoptr(DnPlan) plan = g_new0(DnPlan, 1);
    plan->file = g_strdup(file);
    plan->overrides = g_strdupv((char **)overrides);
    plan->name = g_path_get_basename(file);
    char *dot = strrchr(plan->name, '.');
    if (dot != NULL && dot != plan->name)
        *dot = '\0';
    plan->sweep = dn_sweep_load(file, overrides, error);
    return plan->sweep != NULL ? g_steal_pointer(&plan) : NULL;
}

DnPlan *dn_plan_check(const char *file, DnNetworkCache *networks, GError **error)
{
    g_autoptr(DnPlan) plan = load_plan(file, NULL, error);
    if (plan == NULL || !dn_sweep_check(plan->sweep, networks, NULL, NULL, error))
        return NULL;
    return g_steal_pointer(&plan);
}

DnPlan *dn_plan_new(const char *file, const char *const *overrides, GError **error)
{
    dn_input_files_begin();
    g_autoptr(DnPlan) plan = load_plan(file, overrides, error);
    if (plan == NULL)
        return NULL;
    plan->networks = dn_network_cache_new();
    plan->hops = g_new0(double, plan->sweep->n_points);
    plan->work = g_new0(double, plan->sweep->n_points);
    plan->until_ps = g_new0(gint64, plan->sweep->n_points);
    plan->runs = g_new0(double, plan->sweep->n_points);
    plan->bytes = g_new0(guint64, plan->sweep->n_points);
    if (!check_points(plan, error))
        return NULL;
    return g_steal_pointer(&plan);
}

void dn_plan_free(DnPlan *plan)
{
    if (plan == NULL)
        return;
    g_free(plan->file);
    g_strfreev(plan->overrides);
    dn_sweep_free(plan->sweep);
    g_free(plan->hops);
    g_free(plan->work);
    g_free(plan->until_ps);
    g_free(plan->runs);
    g_free(plan->bytes);
    g_free(plan->output);
    g_free(plan->name);
    dn_network_cache_free(plan->networks);
    g_free(plan->heading);
    g_free(plan);
}
