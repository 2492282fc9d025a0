/* distribution.h - a discrete distribution, as a run file gives it: `{value: weight, ...}`.
 *
 * Values are numbers of the caller's kind ("8 %", 64), weights are any numbers, of which only the
 * proportions count. Read at set-up; a draw takes time linear in the number of values. */
#pragma once
#include "config/params.h"

typedef struct {
    guint n;
    double *values, *weights; /* [n] */
} DnDistribution;

/* Which of @weights (not all 0) @bits falls on. */
guint dn_draw_weighted(const double *weights, guint n, guint64 bits);

/* (transfer full). @map: the mapping; @value: what its keys are (DN_PARAM_INT or _REAL) and their
 * range; its key names the distribution in messages. */
DnDistribution *dn_distribution_read(const DnConfigNode *map, const DnParamSpec *value,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_distribution_free(DnDistribution *distribution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnDistribution, dn_distribution_free)

static inline double dn_distribution_draw(const DnDistribution *d, guint64 bits)
{
    return d->values[dn_draw_weighted(d->weights, d->n, bits)];
}
