/* staged_collective.h - A collective in blocks, each of which a library may copy to a staging
 * buffer before and back after. */
#pragma once
#include "workload/collective.h"

typedef struct {
    gboolean staged; /* each block is copied before and after */
    gint64 total;    /* of an allreduce, done in blocks of call->bytes, one after another; of
                        others call->bytes */
} DnCollStaging;

/* Block @i of @whole; FALSE: past the last. An empty buffer is one block. */
gboolean dn_coll_block(const DnCollCall *whole, const DnCollStaging *staging, guint64 i,
                       DnCollCall *block);
/* Does what dn_coll_next() does, for all blocks and their copies. cursor->c: blocks that are done,
 * and in its lowest bit whether this one's first copy is. */
gboolean dn_coll_staged_next(const DnCollCall *whole, const DnCollStaging *staging, guint32 me,
                             DnCursor *cursor, DnOp *op);
