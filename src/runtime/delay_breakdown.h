/* delay_breakdown.h - A delay breakdown sums times by their cause.
 *
 * It has one row for each different (kind; span: kind, lane, job, link, root, src, dst), in the
 * order of first occurrence, which depends on the run alone. */
#pragma once
#include "engine/engine.h"

typedef enum {
    DN_BREAKDOWN_COMPUTE,  /* computation, copies and reductions in a rank's memory */
    DN_BREAKDOWN_ENDPOINT, /* costs of the mechanism at either end */
    DN_BREAKDOWN_NETWORK,  /* span: the cause within the network */
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
