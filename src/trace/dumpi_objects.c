/* dumpi_objects.c - The datatypes and groups that DUMPI's records define, by their numbers. */
#include "trace/dumpi.h"

gint64 dn_dumpi_value(const DnDumpiRecord *r, guint i)
{
    g_assert(i < r->n_values);
    return r->values[i];
}

const GArray *dn_dumpi_list(const DnDumpiRecord *r, guint i)
{
    g_assert(i < r->n_lists);
    return r->lists[i];
}

/* ---- datatypes ---- */

/* Limit of a datatype that a record defines, in bytes; a larger one is damage. */
#define TYPE_MOST ((gint64)1 << 40)

/* @n times @unit; beyond 64 bits the most they hold, which the sink refuses as a message's size. */
static gint64 dumpi_objects_product(gint64 n, gint64 unit)
{
    gint64 product;
    return __builtin_mul_overflow(n, unit, &product) ? G_MAXINT64 : product;
}

static gint64 type_bytes(const DnDumpi *d, gint64 type)
{
    return type >= 0 && type < d->type_bytes->len
               ? g_array_index(d->type_bytes, gint64, (guint)type)
               : -1;
}

gboolean dn_dumpi_bytes(DnDumpi *d, const DnDumpiRecord *r, gint64 count, gint64 type,
                        gint64 *bytes)
{
    gint64 unit = type_bytes(d, type);
    if (count < 0 || (unit < 0 && count > 0))
        return dn_trace_error(d->sink, d->rank, r->at, d->error,
                              count < 0
                                  ? "%" G_GINT64_FORMAT " elements of datatype %" G_GINT64_FORMAT
                                  : "%" G_GINT64_FORMAT " elements of datatype %" G_GINT64_FORMAT
                                    ", whose size is not known",
                              count, type);
    *bytes = dumpi_objects_product(count, MAX(0, unit));
    return TRUE;
}

static void set_type(DnDumpi *d, gint64 type, gint64 bytes)
{
    guint known = d->type_bytes->len;
    if (type < 0 || type > 65535)
        return;
    if (type >= known) {
        g_array_set_size(d->type_bytes, (guint)type + 1);
        for (guint i = known; i <= type; i++)
            g_array_index(d->type_bytes, gint64, i) = -1;
    }
    g_array_index(d->type_bytes, gint64, (guint)type) = MIN(bytes, TYPE_MOST);
}

static gint64 dumpi_objects_sum(const GArray *list)
{
    gint64 all = 0;
    for (guint i = 0; i < list->len; i++)
        all += g_array_index(list, gint64, i);
    return all;
}

static void new_struct(DnDumpi *d, const DnDumpiRecord *r)
{
    const GArray *counts = dn_dumpi_list(r, 0), *types = dn_dumpi_list(r, r->n_lists - 1);
    gint64 bytes = 0;
    for (guint i = 0; i < MIN(counts->len, types->len); i++) {
        gint64 unit = type_bytes(d, g_array_index(types, gint64, i));
        if (unit < 0)
            return;
        gint64 part = dumpi_objects_product(MAX(0, g_array_index(counts, gint64, i)), unit);
        bytes = MIN(TYPE_MOST, bytes + MIN(TYPE_MOST, part));
    }
    set_type(d, dn_dumpi_value(r, r->n_values - 1), bytes);
}

static void new_type(DnDumpi *d, const DnDumpiRecord *r)
{
    gint64 n = 1, made = dn_dumpi_value(r, r->n_values - 1),
           old = dn_dumpi_value(r, r->n_values - 2);
    switch (r->function) {
    case 35: /* contiguous: count */
        n = dn_dumpi_value(r, 0);
        break;
    case 36: /* vector, hvector: count, blocklength, stride */
    case 37:
    case 219:
    case 220: /* indexed_block: count, blocklength */
        n = dumpi_objects_product(dn_dumpi_value(r, 0), dn_dumpi_value(r, 1));
        break;
    case 38: /* indexed, hindexed: lengths */
    case 39:
    case 218:
        n = dumpi_objects_sum(dn_dumpi_list(r, 0));
        break;
    case 221: /* resized: old, lower bound, extent */
        old = dn_dumpi_value(r, 0);
        break;
    case 223: /* subarray: sizes, subsizes */
        for (guint i = 0; i < dn_dumpi_list(r, 1)->len && n < TYPE_MOST; i++)
            n = dumpi_objects_product(n, g_array_index(dn_dumpi_list(r, 1), gint64, i));
        break;
    default: /* dup */
        break;
    }
    gint64 unit = type_bytes(d, old);
    if (unit >= 0 && n >= 0)
        set_type(d, made, dumpi_objects_product(n, unit));
}

/* ---- groups ---- */

static void group_free(gpointer group)
{
    if (group)
        g_array_unref(group);
}

static void set_group(DnDumpi *d, gint64 number, GArray *ranks)
{
    if (!d->groups)
        d->groups = g_hash_table_new_full(NULL, NULL, NULL, group_free);
    g_hash_table_insert(d->groups, GINT_TO_POINTER((int)number), ranks);
}

GArray *dn_dumpi_group(DnDumpi *d, gint64 number)
{
    return d->groups ? g_hash_table_lookup(d->groups, GINT_TO_POINTER((int)number)) : NULL;
}

static void comm_group(DnDumpi *d, const DnDumpiRecord *r)
{
    GArray *all = NULL;
    if (dn_dumpi_value(r, 0) == DN_DUMPI_COMM_WORLD) {
        all = g_array_new(FALSE, FALSE, sizeof(gint64));
        for (gint64 i = 0; i < d->ranks; i++)
            g_array_append_val(all, i);
    }
    set_group(d, dn_dumpi_value(r, 1), all);
}

/* incl, excl: base, count, ranks, made */
static void group_part(DnDumpi *d, const DnDumpiRecord *r, gboolean incl)
{
    const GArray *base = dn_dumpi_group(d, dn_dumpi_value(r, 0)), *wanted = dn_dumpi_list(r, 0);
    if (!base) {
        set_group(d, dn_dumpi_value(r, 2), NULL);
        return;
    }
    GArray *part = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autofree gboolean *listed = g_new0(gboolean, base->len + 1);
    for (guint i = 0; i < wanted->len; i++) {
        gint64 at = g_array_index(wanted, gint64, i);
        if (at < 0 || at >= base->len)
            continue;
        listed[at] = TRUE;
        if (incl)
            g_array_append_val(part, g_array_index(base, gint64, (guint)at));
    }
    for (guint i = 0; !incl && i < base->len; i++)
        if (!listed[i])
            g_array_append_val(part, g_array_index(base, gint64, i));
    set_group(d, dn_dumpi_value(r, 2), part);
}

static void set_operation(DnDumpi *d, gint64 number, gboolean ordered)
{
    guint bit = (guint8)number;
    guint64 mask = (guint64)1 << bit % 64;
    d->ordered[bit / 64] = ordered ? d->ordered[bit / 64] | mask : d->ordered[bit / 64] & ~mask;
}

void dn_dumpi_define(DnDumpi *d, const DnDumpiRecord *r)
{
    switch (r->function) {
    case 40:
    case 222:
        new_struct(d, r);
        return;
    case 35: /* contiguous .. hindexed, and their like of MPI 2 */
    case 36:
    case 37:
    case 38:
    case 39:
    case 178:
    case 218:
    case 219:
    case 220:
    case 221:
    case 223:
        new_type(d, r);
        return;
    case 43:
        set_type(d, dn_dumpi_value(r, 0), dn_dumpi_value(r, 1));
        return;
    case 72:
        comm_group(d, r);
        return;
    case 76:
    case 77:
        group_part(d, r, r->function == 76);
        return;
    case 63: /* op_create: commute, op */
        set_operation(d, dn_dumpi_value(r, 1), dn_dumpi_value(r, 0) == 0);
        return;
    case 64:
        set_operation(d, dn_dumpi_value(r, 0), FALSE);
        return;
    default:
        return;
    }
}
