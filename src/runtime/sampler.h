/* sampler.h - A sampler keeps a bounded, even sample of a stream: every 2^shift-th value.
 *
 * When full it drops every other value and doubles its stride, so the sample is always the values
 * number 0, 2^shift, 2 * 2^shift, ...: it uses no random draw and depends on the stream alone.
 * Samplers with different strides are read at a common one. */
#pragma once
#include <glib.h>

typedef struct {
    gint64 *values;
    guint32 n, allocated; /* allocated grows to capacity */
    guint32 capacity;     /* >= 2, set by the owner */
    guint32 shift;
    guint64 seen;
} DnSampler;

void dn_sampler_keep(DnSampler *sampler, gint64 value);

static inline void dn_sampler_add(DnSampler *sampler, gint64 value)
{
    guint64 number = sampler->seen++;
    if ((number & ((G_GUINT64_CONSTANT(1) << sampler->shift) - 1)) == 0)
        dn_sampler_keep(sampler, value);
}

/* Values at stride 2^@shift (>= the sampler's own) into @out; returns how many. */
guint32 dn_sampler_read(const DnSampler *sampler, guint shift, gint64 *out);
void dn_sampler_clear(DnSampler *sampler);
