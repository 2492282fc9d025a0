/* placement_torus.c - ranks at coordinates of a torus: as written, or of a logical torus mapped
 * into a physical one with more dimensions.
 *
 * Ajima, Sumimoto, Shimizu, "Tofu: A 6D Mesh/Torus Interconnect for Exascale Computers", IEEE
 * Computer 42(11), 2009: a job sees a logical torus of three dimensions, each of them a path
 * through two physical ones (x with a, y with b, z with c; Tofu-D: Ajima et al., "The Tofu
 * Interconnect D", CLUSTER 2018). The path is a reflected mixed-radix Gray code, the first physical
 * dimension fastest: neighbours along a logical dimension are one hop apart; its ring closes in one
 * hop where the last physical dimension has two places, and all places are used.
 * LIMITATIONS: a job's corner is the origin; the system's own choice of the path is not published,
 * any such path has neighbours one hop apart. */
#include "experiment/placement_torus.h"

typedef struct {
    const DnParams *params;
    const DnGraphSize *size;
    DnSite *site;
    guint32 *next; /* [switches]: the first of `free` on it that no rank has yet; or n_free */
    guint n_logical;
    guint32 lengths[DN_MAX_DIMS];
    guint n_onto[DN_MAX_DIMS];
    guint32 onto[DN_MAX_DIMS][DN_MAX_DIMS];
} Torus;

static gboolean torus_refuse(const Torus *x, const char *key, GError **error, const char *why,
                             guint32 number)
{
    dn_params_error(x->params, key, DN_ERROR_RANGE, error, "%s: %s (%u)", key, why, number);
    return FALSE;
}

/* The next free endpoint on the switch at @at into @endpoint. */
static gboolean take_at(const Torus *x, const guint32 *at, guint32 *endpoint)
{
    guint32 vertex = 0, stride = 1;
    for (guint d = 0; d < x->size->n_dims; stride *= x->size->dims[d++])
        vertex += at[d] * stride;
    guint32 i = x->next[vertex];
    if (i == x->site->n_free)
        return FALSE;
    *endpoint = x->site->free[i++];
    while (i < x->site->n_free && dn_site_switch(x->site, x->site->free[i]) != vertex)
        i++;
    x->next[vertex] = i;
    return TRUE;
}

static void find_first(const Torus *x)
{
    for (guint32 s = 0; s < x->size->switches; s++)
        x->next[s] = x->site->n_free;
    for (guint32 i = x->site->n_free; i-- > 0;) {
        guint32 leaf = dn_site_switch(x->site, x->site->free[i]);
        if (leaf != DN_NONE)
            x->next[leaf] = i;
    }
}

static gboolean read_numbers(const DnConfigNode *list, guint32 *numbers, guint most, guint *n,
                             GError **error)
{
    static const DnParamSpec number = {"coordinates", DN_PARAM_INT, NULL, 0, 1 << 24, NULL, NULL};
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    dn_config_consume(list);
    for (*n = 0; *n < list->children->len; (*n)++) {
        gint64 value;
        double unused;
        if (*n == most) {
            dn_config_error(list, DN_ERROR_RANGE, error, "%u numbers; at most %u",
                            list->children->len, most);
            return FALSE;
        }
        if (!dn_param_parse(list->children->pdata[*n], &number, &value, &unused, error))
            return FALSE;
        numbers[*n] = (guint32)value;
    }
    return TRUE;
}

/* Rank by rank, as written. */
static gboolean place_coordinates(const Torus *x, DnPlacement *out, GError **error)
{
    const DnConfigNode *list = dn_params_node(x->params, "coordinates");
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    dn_config_consume(list);
    out->ranks = list->children->len;
    out->endpoints = g_new(guint32, out->ranks + 1);
    for (guint32 r = 0; r < out->ranks; r++) {
        const DnConfigNode *item = list->children->pdata[r];
        guint32 at[DN_MAX_DIMS];
        guint n;
        if (!read_numbers(item, at, x->size->n_dims, &n, error))
            return FALSE;
        gboolean inside = n == x->size->n_dims;
        for (guint d = 0; inside && d < n; d++)
            inside = at[d] < x->size->dims[d];
        if (inside && take_at(x, at, &out->endpoints[r]))
            continue;
        dn_config_error(item, DN_ERROR_RANGE, error,
                        inside ? "rank %u: no endpoint is free there (%u dimensions)"
                               : "rank %u: not a place of the torus of %u dimensions",
                        r, x->size->n_dims);
        return FALSE;
    }
    return TRUE;
}

/* `onto:`, or in the order of the physical dimensions: [[0], [1], ..], of twice as many
 * [[0, n], ..]. */
static gboolean read_onto(Torus *x, GError **error)
{
    const DnConfigNode *list = dn_params_node(x->params, "onto");
    guint dims = x->size->n_dims, n = x->n_logical, used = 0;
    for (guint i = 0; list == NULL && i < n; i++) {
        x->onto[i][0] = i;
        x->onto[i][1] = i + n;
        x->n_onto[i] = dims == 2 * n ? 2 : 1;
    }
    if (list == NULL)
        return dims == n || dims == 2 * n ||
               torus_refuse(x, "torus", error, "wanted: onto, for a fabric with these dimensions",
                            dims);
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    dn_config_consume(list);
    if (list->children->len != n)
        return torus_refuse(x, "onto", error, "wanted: a list for each logical dimension", n);
    for (guint i = 0; i < n; i++) {
        if (!read_numbers(list->children->pdata[i], x->onto[i], DN_MAX_DIMS, &x->n_onto[i], error))
            return FALSE;
        for (guint k = 0; k < x->n_onto[i]; k++) {
            if (x->onto[i][k] >= dims || used >> x->onto[i][k] & 1)
                return torus_refuse(x, "onto", error, "no such dimension, or twice", x->onto[i][k]);
            used |= 1u << x->onto[i][k];
        }
    }
    return TRUE;
}

static gboolean read_logical(Torus *x, guint64 *cells, GError **error)
{
    const gint64 *lengths = dn_params_list(x->params, "torus", &x->n_logical);
    if (x->n_logical == 0 || x->n_logical > DN_MAX_DIMS)
        return torus_refuse(x, "torus", error, "so many dimensions are not allowed", x->n_logical);
    if (!read_onto(x, error))
        return FALSE;
    *cells = 1;
    for (guint i = 0; i < x->n_logical; i++) {
        guint64 places = 1;
        for (guint k = 0; k < x->n_onto[i]; k++)
            places *= x->size->dims[x->onto[i][k]];
        if ((guint64)lengths[i] > places)
            return torus_refuse(x, "torus", error, "longer than the dimensions it is mapped onto",
                                (guint32)lengths[i]);
        x->lengths[i] = (guint32)lengths[i];
        *cells *= x->lengths[i];
    }
    return TRUE;
}

/* Place @k of logical dimension @i: a digit goes back and forth as those behind it count. */
static void gray_place(const Torus *x, guint i, guint32 k, guint32 *at)
{
    for (guint d = 0; d < x->n_onto[i]; d++) {
        guint32 radix = x->size->dims[x->onto[i][d]], digit = k % radix;
        k /= radix;
        at[x->onto[i][d]] = k % 2 == 0 ? digit : radix - 1 - digit;
    }
}

static gboolean place_logical(Torus *x, const DnJobSpec *job, DnPlacement *out, GError **error)
{
    guint64 cells = 0;
    if (!read_logical(x, &cells, error))
        return FALSE;
    out->ranks = job->ranks > 0 ? job->ranks : (guint32)cells;
    if (cells > x->site->n_free || out->ranks % cells != 0)
        return torus_refuse(x, "torus", error, "the ranks are not a multiple of its places",
                            (guint32)cells);
    out->endpoints = g_new(guint32, out->ranks + 1);
    guint32 each = (guint32)(out->ranks / cells);
    for (guint32 r = 0; r < out->ranks; r++) {
        guint32 at[DN_MAX_DIMS] = {0}, rest = r / each;
        for (guint i = 0; i < x->n_logical; rest /= x->lengths[i++])
            gray_place(x, i, rest % x->lengths[i], at);
        if (!take_at(x, at, &out->endpoints[r]))
            return torus_refuse(x, "torus", error, "no endpoint is free at the place of a rank", r);
    }
    return TRUE;
}

gboolean dn_place_on_torus(const DnParams *params, const DnJobSpec *job, DnSite *site,
                           DnPlacement *out, GError **error)
{
    const DnGraphSize *size = &site->graph->size;
    gboolean written = dn_params_has(params, "coordinates");
    g_autofree guint32 *next = g_new(guint32, size->switches + 1);
    Torus x = {.params = params, .size = size, .site = site, .next = next};
    if (size->n_dims == 0)
        return torus_refuse(&x, written ? "coordinates" : "torus", error,
                            "the fabric is no torus; switches", size->switches);
    find_first(&x);
    return written ? place_coordinates(&x, out, error) : place_logical(&x, job, out, error);
}
