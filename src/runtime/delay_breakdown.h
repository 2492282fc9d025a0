/* delay_breakdown.h - times added up by what they went into.
 *
 * One row for each different (kind, way: kind, lane, job, link, root), in the order in which they
 * came up first, which depends on nothing but the run. */
#pragma once
#include "engine/engine.h"

typedef enum {
    DN_BREAKDOWN_COMPUTE,  /* computation, copies and reductions in a rank's memory */
    DN_BREAKDOWN_ENDPOINT, /* what the mechanism takes at either end */
    DN_BREAKDOWN_NETWORK,  /* way: what of it */
    DN_BREAKDOWN_KINDS,
} DnBreakdownKind;

typedef struct {
    guint8 kind;      /* DnBreakdownKind */
    DnDelaySpan span; /* of the network; its ps is the sum, of every kind */
} DnBreakdownRow;

typedef struct DnDelayBreakdown DnDelayBreakdown;

DnDelayBreakdown *dn_delay_breakdown_new(void);
void dn_delay_breakdown_free(DnDelayBreakdown *breakdown);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnDelayBreakdown, dn_delay_breakdown_free)
void dn_delay_breakdown_add(DnDelayBreakdown *breakdown, const DnBreakdownRow *item);
/* Borrowed; *@n rows. */
const DnBreakdownRow *dn_delay_breakdown_rows(const DnDelayBreakdown *breakdown, guint *n);
gint64 dn_delay_breakdown_sum(const DnDelayBreakdown *breakdown);
