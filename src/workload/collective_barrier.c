/* collective_barrier.c - see collective_barrier.h. */
#include "workload/collective_barrier.h"

/* Above all tags of the collectives. */
#define TAG_BARRIER 4000000u

void dn_coll_barrier_before(DnProgram *program, const DnCollCall *call, const DnCollChoice *choice,
                            DnCollCall *barrier)
{
    const DnCollLibrary *library = choice->library;
    program->after_barrier = TRUE;
    *barrier = (DnCollCall){.n = call->n,
                            .ranks = call->ranks,
                            .radix = call->radix,
                            .group = call->group,
                            .ring_orders.nodes = call->ring_orders.nodes,
                            .tag = TAG_BARRIER};
    if (library == NULL || library->channels) {
        barrier->algorithm = dn_coll_find(DN_COLL_BARRIER, "dissemination");
        return;
    }
    DnSelection selection;
    library->select(barrier, DN_COLL_BARRIER, &choice->nccl, &selection);
    dn_selection_apply(&selection, DN_COLL_BARRIER, FALSE, barrier);
}

gboolean dn_coll_barrier_next(const DnProgram *program, const DnCollCall *barrier, guint32 me,
                              DnCursor *cursor, DnOp *op)
{
    /* Events: algorithms have one a stream at most. */
    guint32 others = program->streams - 1, ready = program->streams, go = program->streams + 1;
    gboolean first = cursor->stream == 0;
    guint32 last = first ? 2 * others : 2; /* the step of BEGIN */
    if (first && cursor->step == others && dn_coll_next(barrier, me, cursor, op))
        return TRUE;
    if (cursor->step > last)
        return FALSE;
    if (cursor->step == last)
        *op = (DnOp){.kind = DN_OP_BEGIN};
    else if (first)
        *op = cursor->step < others ? (DnOp){.kind = DN_OP_AWAIT, .tag = ready}
                                    : (DnOp){.kind = DN_OP_SIGNAL, .tag = go};
    else
        *op = cursor->step == 0 ? (DnOp){.kind = DN_OP_SIGNAL, .tag = ready}
                                : (DnOp){.kind = DN_OP_AWAIT, .tag = go};
    cursor->step++;
    return TRUE;
}
