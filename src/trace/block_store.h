/* block_store.h - Chains of bytes, one for each rank, in one unlinked temporary file ($TMPDIR).
 *
 * A chain is a list of blocks. The position of its next block is chosen when a block begins to be
 * written, so that all chains grow in one pass. Memory holds one block of each chain while writing
 * and one block of each cursor while reading. */
#pragma once
#include "base/error.h"

#define DN_STORED_BLOCK_BYTES 4096
#define DN_STORED_BLOCK_PAYLOAD (DN_STORED_BLOCK_BYTES - 16)

typedef struct {
    guint64 next; /* number of the chain's next block; 0: none */
    guint32 used, pad;
    guint8 bytes[DN_STORED_BLOCK_PAYLOAD];
} DnStoredBlock;

typedef struct {
    guint64 first, here; /* block numbers, from 1; 0: none yet */
    DnStoredBlock *block;
} DnBlockChain;

typedef struct {
    int file;
    guint64 blocks;
    GArray *chains; /* DnBlockChain */
} DnBlockStore;

/* The functions that return gboolean set DN_ERROR_FILE where the file cannot be written. */
gboolean dn_block_store_init(DnBlockStore *block_store, GError **error);
void dn_block_store_clear(DnBlockStore *block_store);
/* Makes at least @chains chains. */
void dn_block_store_grow(DnBlockStore *block_store, guint32 chains);
gboolean dn_block_store_append(DnBlockStore *block_store, guint32 chain, const guint8 *bytes,
                               gsize n, GError **error);
/* Writes the blocks that are still in memory; nothing can be appended afterwards. */
gboolean dn_block_store_finish(DnBlockStore *block_store, GError **error);

/* Bytes of its block that a cursor copies next to its state: when thousands of cursors are read in
 * turn, a read then loads the cursor's cache lines alone and not those of its block. */
#define DN_BLOCK_WINDOW 88

/* A position in a chain; all zeros before its first rewind. */
typedef struct {
    const DnBlockStore *block_store;
    DnStoredBlock *block; /* NULL: none read yet */
    guint32 chain;
    guint16 taken;         /* bytes of the block already copied into the window */
    guint8 position, held; /* position in the window; bytes in it */
    guint8 window[DN_BLOCK_WINDOW];
} DnBlockCursor;

void dn_block_cursor_rewind(DnBlockCursor *cursor, const DnBlockStore *block_store, guint32 chain);
gboolean dn_block_cursor_refill(DnBlockCursor *cursor); /* FALSE: at the end */
void dn_block_cursor_clear(DnBlockCursor *cursor);

/* Returns FALSE at the end of the chain. */
static inline gboolean dn_block_cursor_more(DnBlockCursor *cursor)
{
    return cursor->position < cursor->held || dn_block_cursor_refill(cursor);
}
guint64 dn_block_cursor_long_number(DnBlockCursor *cursor);
/* Reads a number in groups of 7 bits, the lowest first; all but the last have bit 7 set. */
static inline guint64 dn_block_cursor_number(DnBlockCursor *cursor)
{
    const guint8 *at = cursor->window + cursor->position;
    if (G_LIKELY(cursor->position < cursor->held && at[0] < 128)) {
        cursor->position++;
        return at[0];
    }
    if (cursor->position + 1 < cursor->held && at[1] < 128) {
        cursor->position += 2;
        return (at[0] & 127u) | (guint64)at[1] << 7;
    }
    return dn_block_cursor_long_number(cursor);
}
