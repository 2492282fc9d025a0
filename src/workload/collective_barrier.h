/* collective_barrier.h - `barrier:` of a collective: each iteration begins with a barrier, after
 * which a rank's own time counts, as benchmarks measure. */
#pragma once
#include "workload/select.h"

/* Chooses the barrier before @call: that of MPI's library of @choice; by dissemination where it is
 * NCCL or none. */
void dn_coll_barrier_before(DnProgram *program, const DnCollCall *call, const DnCollChoice *choice,
                            DnCollCall *barrier);
/* Writes the next operation of rank @me into @op: once its other streams are ready, the barrier in
 * stream 0, for which they wait, then BEGIN. FALSE: it is over. Uses cursor->step. */
gboolean dn_coll_barrier_next(const DnProgram *program, const DnCollCall *barrier, guint32 me,
                              DnCursor *cursor, DnOp *op);
