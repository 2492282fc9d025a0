/* mode_rules.c - see mode_rules.h. */
#include "runtime/mode_rules.h"
#include "workload/collective.h"

#include <string.h>

const DnParamSpec dn_mode_rule_keys[] = {
    {"to", DN_PARAM_BYTES, "1 TiB", 0, 1099511627776.0, NULL, "largest message"},
    {"mode", DN_PARAM_NODE, "", 0, 0, NULL, "a mode of the routing algorithm"},
    {0},
};

static gboolean read_rule(const DnConfigNode *node, const DnRouter *router, DnModeRules *out,
                          GError **error)
{
    if (!dn_config_expect(node, DN_CONFIG_MAP, error))
        return FALSE;
    g_autoptr(DnParams) params = dn_params_read(node, dn_mode_rule_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    const DnConfigNode *mode = dn_config_get(node, "mode");
    if (mode == NULL) {
        dn_config_error(node, DN_ERROR_MISSING, error, "a rule without a mode");
        return FALSE;
    }
    gint64 to = dn_params_int(params, "to");
    if (out->n > 0 && to <= out->to_bytes[out->n - 1]) {
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "rules rise in size, and the last alone is without 'to'");
        return FALSE;
    }
    out->to_bytes[out->n] = to;
    return dn_router_find_mode(router, mode, &out->modes[out->n++], error);
}

gboolean dn_mode_rules_read(const DnConfigNode *list, const DnRouter *router, DnModeRules *out,
                            GError **error)
{
    *out = (DnModeRules){0};
    guint n = list->children->len;
    if (n == 0 || n > DN_MODE_RULES_MAX) {
        dn_config_error(list, DN_ERROR_RANGE, error, "%u rules; 1 to %d", n, DN_MODE_RULES_MAX);
        return FALSE;
    }
    for (guint i = 0; i < n; i++)
        if (!read_rule(g_ptr_array_index(list->children, i), router, out, error))
            return FALSE;
    const DnConfigNode *last = g_ptr_array_index(list->children, n - 1);
    if (dn_config_get(last, "to") == NULL)
        return TRUE;
    dn_config_error(last, DN_ERROR_RANGE, error, "the last rule is for the rest: without 'to'");
    return FALSE;
}

gboolean dn_mode_turns_are(const DnConfigNode *list)
{
    const DnConfigNode *first = list->children->len > 0 ? g_ptr_array_index(list->children, 0)
                                                        : NULL;
    if (first == NULL || first->kind == DN_CONFIG_LIST)
        return FALSE;
    return first->kind == DN_CONFIG_SCALAR ||
           (dn_config_get(first, "mode") == NULL && dn_config_get(first, "to") == NULL);
}

gboolean dn_mode_turns_read(const DnConfigNode *list, const DnRouter *router, DnModeTurns *out,
                            const DnConfigNode **aware, GError **error)
{
    *out = (DnModeTurns){0};
    *aware = NULL;
    if (list->children->len > DN_MODE_RULES_MAX) {
        dn_config_error(list, DN_ERROR_RANGE, error, "%u modes in turn; 1 to %d",
                        list->children->len, DN_MODE_RULES_MAX);
        return FALSE;
    }
    for (guint i = 0; i < list->children->len; i++) {
        const DnConfigNode *item = g_ptr_array_index(list->children, i);
        if (item->kind != DN_CONFIG_MAP) {
            if (!dn_router_find_mode(router, item, &out->modes[out->n++], error))
                return FALSE;
            continue;
        }
        if (*aware != NULL) {
            dn_config_error(item, DN_ERROR_RANGE, error,
                            "a second application-aware turn; a job has one");
            return FALSE;
        }
        *aware = item;
        out->modes[out->n++] = DN_MODE_AWARE;
    }
    dn_config_consume(list);
    return TRUE;
}

guint8 dn_mode_default(const DnRouter *router, const DnConfigNode *routing, const char *workload)
{
    gboolean written = routing != NULL && dn_config_get(routing, "mode") != NULL;
    if (written || !dn_workload_is(workload, DN_COLL_ALLTOALL))
        return router->mode;
    for (guint8 i = 0; router->type->modes[i] != NULL; i++)
        if (strcmp(router->type->modes[i], "ADAPTIVE_1") == 0)
            return i;
    return router->mode;
}
