/* delay_breakdown.h - times added up by what they went into.
 *
 * One row for each different (kind, way: kind, lane, job, link, root), in the order in which they
 * came up first, which depends on nothing but the run. */
#pragma once
#include "engine/engine.h"

typedef enum {
    DN_SPENT_COMPUTE,  /* computation, copies and reductions in a rank's memory */
    DN_SPENT_ENDPOINT, /* what the mechanism takes at either end */
    DN_SPENT_NETWORK,  /* way: what of it */
    DN_SPENT_KINDS,
} DnSpentKind;

typedef struct {
    guint8 kind;   /* DnSpentKind */
    DnWayPart way; /* of the network; its ps is the sum, of every kind */
} DnSpent;

typedef struct DnTally DnTally;

DnTally *dn_tally_new(void);
void dn_tally_free(DnTally *tally);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTally, dn_tally_free)
void dn_tally_add(DnTally *tally, const DnSpent *spent);
/* Borrowed; *@n rows. */
const DnSpent *dn_tally_rows(const DnTally *tally, guint *n);
gint64 dn_tally_sum(const DnTally *tally);
