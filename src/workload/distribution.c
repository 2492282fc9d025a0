/* distribution.c - see distribution.h. */
#include "workload/distribution.h"

#include "base/rng.h"

guint dn_draw_weighted(const double *weights, guint n, guint64 bits)
{
    double sum = 0;
    guint last = 0;
    for (guint i = 0; i < n; i++)
        sum += weights[i];
    double left = dn_draw_unit(bits) * sum;
    for (guint i = 0; i < n; i++) {
        if (weights[i] <= 0)
            continue;
        last = i;
        left -= weights[i];
        if (left <= 0)
            break;
    }
    return last;
}

static gboolean read_pair(const DnConfigNode *map, guint i, const DnParamSpec *value,
                          DnDistribution *d, GError **error)
{
    static const DnParamSpec WEIGHT = {"weight", DN_PARAM_REAL, NULL, 0, 1e12, NULL, "a weight"};
    const DnConfigNode *weight = dn_config_get(map, g_ptr_array_index(map->keys, i));
    gint64 whole = 0;
    if (!dn_param_parse(g_ptr_array_index(map->key_nodes, i), value, &whole, &d->values[i],
                        error) ||
        !dn_param_parse(weight, &WEIGHT, NULL, &d->weights[i], error))
        return FALSE;
    if (value->type == DN_PARAM_INT)
        d->values[i] = (double)whole;
    return TRUE;
}

DnDistribution *dn_distribution_read(const DnConfigNode *map, const DnParamSpec *value,
                                     GError **error)
{
    g_assert(value->type == DN_PARAM_INT || value->type == DN_PARAM_REAL);
    if (!dn_config_expect(map, DN_CONFIG_MAP, error))
        return NULL;
    g_autoptr(DnDistribution) d = g_new0(DnDistribution, 1);
    d->n = map->keys->len;
    d->values = g_new0(double, MAX(1, d->n));
    d->weights = g_new0(double, MAX(1, d->n));
    double sum = 0;
    for (guint i = 0; i < d->n; i++) {
        if (!read_pair(map, i, value, d, error))
            return NULL;
        sum += d->weights[i];
    }
    if (sum > 0)
        return g_steal_pointer(&d);
    dn_config_error(map, DN_ERROR_RANGE, error,
                    "%s: no value has a weight above 0; e.g. {8: 3, 64: 1}", value->key);
    return NULL;
}

void dn_distribution_free(DnDistribution *d)
{
    if (d == NULL)
        return;
    g_free(d->values);
    g_free(d->weights);
    g_free(d);
}
