/* collective_barrier.c - see collective_barrier.h. */
#include "workload/collective_barrier.h"

/* Above all tags of the collectives. */
#define TAG_BARRIER 4000000u
#define BARRIER_EVENT (DN_EVENTS - 1) /* the other streams of a rank may go on */

void dn_coll_barrier_before(DnProgram *program, const DnCollCall *call, const DnCollChoice *choice,
                            DnCollCall *barrier)
{
    const DnCollLibrary *library = choice->library;
    program->after_barrier = TRUE;
    *barrier = (DnCollCall){.n = call->n, .ranks = call->ranks, .tag = TAG_BARRIER};
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
    gboolean first = cursor->stream == 0;
    guint32 signals = first ? program->streams - 1 : 1;
    if (cursor->step == 0 && first && dn_coll_next(barrier, me, cursor, op))
        return TRUE;
    if (cursor->step > signals)
        return FALSE;
    *op = (DnOp){.kind = cursor->step == signals ? DN_OP_BEGIN
                         : first                 ? DN_OP_SIGNAL
                                                 : DN_OP_AWAIT,
                 .tag = BARRIER_EVENT};
    cursor->step++;
    return TRUE;
}
