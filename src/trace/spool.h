/* spool.h - chains of bytes in one unlinked temporary file ($TMPDIR), one chain a rank.
 *
 * A chain is a list of blocks; the next block's place is chosen when a block begins to be written,
 * so chains grow side by side in one pass. What is in memory is one block a chain while writing
 * and one a cursor while reading. */
#pragma once
#include "base/error.h"

#define DN_SPOOL_BLOCK 4096
#define DN_SPOOL_PAYLOAD (DN_SPOOL_BLOCK - 16)

typedef struct {
    guint64 next; /* number of the chain's next block; 0: none */
    guint32 used, pad;
    guint8 bytes[DN_SPOOL_PAYLOAD];
} DnSpoolBlock;

typedef struct {
    guint64 first, here; /* block numbers, from 1; 0: none yet */
    DnSpoolBlock *block;
} DnSpoolChain;

typedef struct {
    int file;
    guint64 blocks;
    GArray *chains; /* DnSpoolChain */
} DnSpool;

gboolean dn_spool_init(DnSpool *spool, GError **error);
void dn_spool_clear(DnSpool *spool);
void dn_spool_grow(DnSpool *spool, guint32 chains); /* at least so many */
gboolean dn_spool_append(DnSpool *spool, guint32 chain, const guint8 *bytes, gsize n,
                         GError **error);
/* Writes what is still in memory; nothing can be appended after. */
gboolean dn_spool_finish(DnSpool *spool, GError **error);

typedef struct {
    const DnSpool *spool;
    guint32 chain, position;
    DnSpoolBlock block;
} DnSpoolCursor;

void dn_spool_rewind(DnSpoolCursor *cursor, const DnSpool *spool, guint32 chain);
gboolean dn_spool_refill(DnSpoolCursor *cursor); /* FALSE: at the end */

static inline gboolean dn_spool_more(DnSpoolCursor *cursor)
{
    return cursor->position < cursor->block.used || dn_spool_refill(cursor);
}
/* Only where a byte is known to be. */
static inline guint8 dn_spool_byte(DnSpoolCursor *cursor)
{
    if (G_UNLIKELY(cursor->position == cursor->block.used))
        g_assert(dn_spool_refill(cursor));
    return cursor->block.bytes[cursor->position++];
}
static inline guint64 dn_spool_number(DnSpoolCursor *cursor)
{
    guint64 value = 0;
    for (guint shift = 0;; shift += 7) {
        guint8 byte = dn_spool_byte(cursor);
        value |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}
