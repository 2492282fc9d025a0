/* block_store.h - Chains of bytes in one unlinked temporary file ($TMPDIR), one chain a rank.
 *
 * A chain is a list of blocks; the next block's place is chosen when a block begins to be written,
 * so chains grow side by side in one pass. What is in memory is one block a chain while writing
 * and one a cursor while reading. */
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

gboolean dn_block_store_init(DnBlockStore *block_store, GError **error);
void dn_block_store_clear(DnBlockStore *block_store);
void dn_block_store_grow(DnBlockStore *block_store, guint32 chains); /* at least so many */
gboolean dn_block_store_append(DnBlockStore *block_store, guint32 chain, const guint8 *bytes,
                               gsize n, GError **error);
/* Writes what is still in memory; nothing can be appended after. */
gboolean dn_block_store_finish(DnBlockStore *block_store, GError **error);

/* Bytes of a block that a cursor holds beside its state: thousands of cursors are read in turn, and
 * their blocks are a page each. */
#define DN_BLOCK_WINDOW 88

/* All zeros before its first rewind. */
typedef struct {
    const DnBlockStore *block_store;
    DnStoredBlock *block; /* NULL: none read yet */
    guint32 chain;
    guint16 taken;         /* bytes of the block that went into the window */
    guint8 position, held; /* in the window; bytes there */
    guint8 window[DN_BLOCK_WINDOW];
} DnBlockCursor;

void dn_block_cursor_rewind(DnBlockCursor *cursor, const DnBlockStore *block_store, guint32 chain);
gboolean dn_block_cursor_refill(DnBlockCursor *cursor); /* FALSE: at the end */
void dn_block_cursor_clear(DnBlockCursor *cursor);

static inline gboolean dn_block_cursor_more(DnBlockCursor *cursor)
{
    return cursor->position < cursor->held || dn_block_cursor_refill(cursor);
}
/* Reads a byte where the caller knows that there is one. */
static inline guint8 dn_block_cursor_byte(DnBlockCursor *cursor)
{
    if (G_UNLIKELY(cursor->position == cursor->held)) {
        gboolean more = dn_block_cursor_refill(cursor);
        g_assert(more);
    }
    return cursor->window[cursor->position++];
}
static inline guint64 dn_block_cursor_number(DnBlockCursor *cursor)
{
    guint64 value = 0;
    for (guint shift = 0;; shift += 7) {
        guint8 byte = dn_block_cursor_byte(cursor);
        value |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}
