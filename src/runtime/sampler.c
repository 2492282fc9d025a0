/* sampler.c - see sampler.h. */
#include "runtime/sampler.h"

void dn_sampler_keep(DnSampler *sampler, gint64 value)
{
    g_assert(sampler->capacity >= 2);
    if (sampler->n == sampler->capacity) {
        guint64 number = (guint64)sampler->n << sampler->shift;
        guint32 kept = 0;
        for (guint32 i = 0; i < sampler->n; i += 2)
            sampler->values[kept++] = sampler->values[i];
        sampler->n = kept;
        sampler->shift++;
        if (number & ((G_GUINT64_CONSTANT(1) << sampler->shift) - 1))
            return; /* this value falls between the wider stride */
    }
    if (sampler->n == sampler->allocated) {
        sampler->allocated = MIN(sampler->capacity, MAX(16, 2 * sampler->allocated));
        sampler->values = g_renew(gint64, sampler->values, sampler->allocated);
    }
    sampler->values[sampler->n++] = value;
}

guint32 dn_sampler_read(const DnSampler *sampler, guint shift, gint64 *out)
{
    guint32 n = 0;
    g_assert(shift >= sampler->shift);
    for (guint64 i = 0; i < sampler->n; i += G_GUINT64_CONSTANT(1) << (shift - sampler->shift))
        out[n++] = sampler->values[i];
    return n;
}

void dn_sampler_clear(DnSampler *sampler)
{
    g_free(sampler->values);
    *sampler = (DnSampler){0};
}
