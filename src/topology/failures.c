/* failures.c - see failures.h. */
#include "topology/failures.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

#define PAIRS_NAMED 4

const DnParamSpec dn_failures_keys[] = {
    {"links", DN_PARAM_NODE, "", 0, 0, NULL,
     "pairs of switches, [[0, 1], [4, 7]]: every cable between the two"},
    {"switches", DN_PARAM_INT_LIST, "", 0, 1 << 24, NULL, "numbers of switches: [12, 40]"},
    {"fraction", DN_PARAM_REAL, "0", 0, 1, NULL, "of the cables between switches, drawn: 2 %"},
    {"seed", DN_PARAM_INT, "1", 0, 1e9, NULL, "of that draw"},
    {0},
};

typedef struct {
    const DnMachinePlan *plan;
    const DnConfigNode *node;
    const DnLink *links;
    guint32 n_cables;
    guint8 *failed; /* [n_cables] */
} Failures;

static gboolean fail_between(Failures *x, const DnConfigNode *pair, GError **error)
{
    guint32 ends[2];
    static const DnParamSpec number = {"links", DN_PARAM_INT, NULL, 0, 1 << 24, NULL, NULL};
    if (!dn_config_expect(pair, DN_CONFIG_LIST, error))
        return FALSE;
    if (pair->children->len != 2) {
        dn_config_error(pair, DN_ERROR_RANGE, error,
                        "a failed link is a pair of switches, [0, 1]; this has %u numbers",
                        pair->children->len);
        return FALSE;
    }
    for (guint i = 0; i < 2; i++) {
        gint64 value;
        double unused;
        if (!dn_param_parse(pair->children->pdata[i], &number, &value, &unused, error))
            return FALSE;
        ends[i] = (guint32)value;
    }
    guint found = 0;
    for (guint32 c = 0; c < x->n_cables; c++) {
        const DnLink *l = &x->links[2 * c];
        if ((l->src != ends[0] || l->dst != ends[1]) && (l->src != ends[1] || l->dst != ends[0]))
            continue;
        x->failed[c] = 1;
        found++;
    }
    if (found == 0)
        dn_config_error(pair, DN_ERROR_RANGE, error, "no cable joins switches %u and %u", ends[0],
                        ends[1]);
    return found > 0;
}

static gboolean fail_links(Failures *x, const DnConfigNode *list, GError **error)
{
    if (list == NULL)
        return TRUE;
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    for (guint i = 0; i < list->children->len; i++)
        if (!fail_between(x, list->children->pdata[i], error))
            return FALSE;
    return TRUE;
}

static gboolean fail_switches(Failures *x, const DnParams *p, GError **error)
{
    guint n = 0;
    const gint64 *list = dn_params_has(p, "switches") ? dn_params_list(p, "switches", &n) : NULL;
    for (guint i = 0; i < n; i++) {
        if (list[i] >= x->plan->fabric.switches) {
            dn_params_error(p, "switches", DN_ERROR_RANGE, error,
                            "switch %" G_GINT64_FORMAT "; the fabric has 0 to %u", list[i],
                            x->plan->fabric.switches - 1);
            return FALSE;
        }
        for (guint32 c = 0; c < x->n_cables; c++)
            if (x->links[2 * c].src == list[i] || x->links[2 * c].dst == list[i])
                x->failed[c] = 1;
    }
    return TRUE;
}

/* Draws without repetition: the first so many of a shuffle. */
static void fail_fraction(Failures *x, double fraction, guint64 seed)
{
    guint64 key = dn_draw_key(seed, DN_DRAW_FAILURES, 0);
    guint32 wanted = (guint32)lround(fraction * x->n_cables);
    g_assert(wanted <= x->n_cables);
    g_autofree guint32 *order = g_new0(guint32, x->n_cables + 1);
    for (guint32 c = 0; c < x->n_cables; c++)
        order[c] = c;
    for (guint32 i = 0; i < wanted; i++) {
        guint32 j = i + dn_draw_below(dn_draw(key, i), x->n_cables - i), c = order[j];
        order[j] = order[i];
        x->failed[c] = 1;
    }
}

/* [R]: which part of the fabric a switch is in. */
static guint32 *find_parts(const Failures *x)
{
    guint32 n = x->plan->fabric.switches;
    guint32 *part = g_new(guint32, n + 1);
    gboolean changed = TRUE;
    for (guint32 s = 0; s < n; s++)
        part[s] = s;
    while (changed) { /* labels fall until both ends of every cable agree */
        changed = FALSE;
        for (guint32 c = 0; c < x->n_cables; c++) {
            guint32 *a = &part[x->links[2 * c].src], *b = &part[x->links[2 * c].dst];
            if (x->failed[c] || *a == *b)
                continue;
            *a = *b = MIN(*a, *b);
            changed = TRUE;
        }
    }
    return part;
}

static gboolean check_joined(const Failures *x, GError **error)
{
    const DnMachinePlan *plan = x->plan;
    g_autofree guint32 *part = find_parts(x);
    g_autoptr(GString) names = g_string_new(NULL);
    guint32 first = dn_machine_plan_switch(plan, 0, 0), n_cut = 0;
    for (guint32 n = 0; n < plan->nodes; n++)
        for (guint32 nic = 0; nic < plan->nics; nic++) {
            guint32 at = dn_machine_plan_switch(plan, n, nic);
            if (plan->fabric.planes > 1) /* messages stay in a plane */
                first = dn_machine_plan_switch(plan, 0, nic);
            if (part[at] == part[first])
                continue;
            if (n_cut++ < PAIRS_NAMED)
                g_string_append_printf(names, "%snode 0 (switch %u) and node %u (switch %u)",
                                       names->len > 0 ? ", " : "", first, n, at);
        }
    if (n_cut == 0)
        return TRUE;
    dn_config_error(x->node, DN_ERROR_RANGE, error, "no path is left between %s%s", names->str,
                    n_cut > PAIRS_NAMED ? ", and others" : "");
    return FALSE;
}

gboolean dn_failures_apply(const DnMachinePlan *plan, DnGraphBuilder *b, GError **error)
{
    static const char *const annotations[] = {"source", "assumed", NULL};
    const DnConfigNode *node =
        plan->fabric_node != NULL ? dn_config_get(plan->fabric_node, "failures") : NULL;
    if (node == NULL)
        return TRUE;
    guint32 n_links;
    Failures x = {plan, node, dn_graph_builder_links(b, &n_links), 0, NULL};
    g_autoptr(DnParams) p = NULL;
    if (!dn_config_expect(node, DN_CONFIG_MAP, error) ||
        (p = dn_params_read(node, dn_failures_keys, annotations, error)) == NULL)
        return FALSE;
    x.n_cables = n_links / 2;
    g_autofree guint8 *failed = x.failed = g_new0(guint8, x.n_cables + 1);
    if (!fail_links(&x, dn_params_node(p, "links"), error) || !fail_switches(&x, p, error))
        return FALSE;
    fail_fraction(&x, dn_params_real(p, "fraction"), (guint64)dn_params_int(p, "seed"));
    if (!check_joined(&x, error))
        return FALSE;
    plan->machine->failed_cables = dn_graph_builder_remove(b, failed);
    return TRUE;
}
