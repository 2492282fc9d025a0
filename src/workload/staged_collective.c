/* staged_collective.c - see staged_collective.h. */
#include "workload/staged_collective.h"

/* A rank's whole buffer. */
static gint64 buffer_bytes(const DnCollCall *call)
{
    switch (call->algorithm->kind) {
    case DN_COLL_ALLTOALL:
    case DN_COLL_ALLGATHER:
    case DN_COLL_GATHER:
    case DN_COLL_SCATTER:
        return call->bytes * call->n;
    default:
        return call->bytes;
    }
}

gboolean dn_coll_block(const DnCollCall *whole, const DnCollStaging *staging, guint64 i,
                       DnCollCall *block)
{
    *block = *whole;
    gint64 done = (gint64)i * whole->bytes;
    if (done >= staging->total && i > 0)
        return FALSE;
    block->bytes = MIN(whole->bytes, staging->total - done);
    block->offset = done;
    return TRUE;
}

gboolean dn_coll_staged_next(const DnCollCall *whole, const DnCollStaging *staging, guint32 me,
                             DnCursor *cursor, DnOp *op)
{
    DnCollCall call;
    while (dn_coll_block(whole, staging, cursor->c / 2, &call)) {
        gboolean before = staging->staged && cursor->c % 2 == 0;
        if (!before && dn_coll_next(&call, me, cursor, op))
            return TRUE;
        cursor->c += staging->staged ? 1 : 2;
        *op = (DnOp){.kind = DN_OP_COPY,
                     .flags = DN_OP_STAGING,
                     .bytes = buffer_bytes(&call),
                     .offset = call.offset,
                     .from = call.offset};
        if (staging->staged)
            return TRUE;
    }
    return FALSE;
}
