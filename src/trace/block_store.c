/* block_store.c - see block_store.h. */
#include "trace/block_store.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static gboolean block_store_failed(const char *what, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s a temporary file: %s",
                g_get_tmp_dir(), what, g_strerror(errno));
    return FALSE;
}

gboolean dn_block_store_init(DnBlockStore *block_store, GError **error)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "darner-trace-XXXXXX", NULL);
    *block_store = (DnBlockStore){.file = g_mkstemp(path)};
    block_store->chains = g_array_new(FALSE, TRUE, sizeof(DnBlockChain));
    if (block_store->file < 0)
        return block_store_failed("make", error);
    unlink(path);
    return TRUE;
}

void dn_block_store_clear(DnBlockStore *block_store)
{
    if (!block_store->chains)
        return;
    for (guint i = 0; i < block_store->chains->len; i++)
        g_free(g_array_index(block_store->chains, DnBlockChain, i).block);
    g_array_unref(block_store->chains);
    if (block_store->file >= 0)
        close(block_store->file);
    *block_store = (DnBlockStore){.file = -1};
}

void dn_block_store_grow(DnBlockStore *block_store, guint32 chains)
{
    if (chains > block_store->chains->len)
        g_array_set_size(block_store->chains, chains);
}

static gboolean write_block(DnBlockStore *block_store, const DnBlockChain *chain, GError **error)
{
    const guint8 *bytes = (const guint8 *)chain->block;
    gsize done = 0;
    while (done < DN_STORED_BLOCK_BYTES) {
        ssize_t n = pwrite(block_store->file, bytes + done, DN_STORED_BLOCK_BYTES - done,
                           (off_t)((chain->here - 1) * DN_STORED_BLOCK_BYTES + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return block_store_failed("write", error);
        done += (gsize)n;
    }
    return TRUE;
}

gboolean dn_block_store_append(DnBlockStore *block_store, guint32 chain_id, const guint8 *bytes,
                               gsize n, GError **error)
{
    DnBlockChain *chain = &g_array_index(block_store->chains, DnBlockChain, chain_id);
    if (!chain->block) {
        chain->block = g_new0(DnStoredBlock, 1);
        chain->first = chain->here = ++block_store->blocks;
    }
    while (n > 0) {
        DnStoredBlock *block = chain->block;
        if (block->used == DN_STORED_BLOCK_PAYLOAD) {
            block->next = ++block_store->blocks;
            if (!write_block(block_store, chain, error))
                return FALSE;
            chain->here = block->next;
            block->next = 0;
            block->used = 0;
        }
        gsize part = MIN(n, DN_STORED_BLOCK_PAYLOAD - block->used);
        memcpy(block->bytes + block->used, bytes, part);
        block->used += (guint32)part;
        bytes += part;
        n -= part;
    }
    return TRUE;
}

gboolean dn_block_store_finish(DnBlockStore *block_store, GError **error)
{
    for (guint i = 0; i < block_store->chains->len; i++) {
        DnBlockChain *chain = &g_array_index(block_store->chains, DnBlockChain, i);
        if (chain->block && !write_block(block_store, chain, error))
            return FALSE;
        g_clear_pointer(&chain->block, g_free);
    }
    return TRUE;
}

static void block_store_load(DnBlockCursor *cursor, guint64 number)
{
    ssize_t n;
    do
        n = pread(cursor->block_store->file, cursor->block, DN_STORED_BLOCK_BYTES,
                  (off_t)((number - 1) * DN_STORED_BLOCK_BYTES));
    while (n < 0 && errno == EINTR);
    if (n != DN_STORED_BLOCK_BYTES) /* of our own file, behind our back */
        g_error("a temporary file in %s was damaged", g_get_tmp_dir());
    cursor->taken = 0;
}

void dn_block_cursor_rewind(DnBlockCursor *cursor, const DnBlockStore *block_store, guint32 chain)
{
    cursor->block_store = block_store;
    cursor->chain = chain;
    cursor->taken = cursor->position = cursor->held = 0;
    if (cursor->block == NULL)
        cursor->block = g_new(DnStoredBlock, 1);
    cursor->block->used = 0;
    cursor->block->next = g_array_index(block_store->chains, DnBlockChain, chain).first;
}

gboolean dn_block_cursor_refill(DnBlockCursor *cursor)
{
    const DnStoredBlock *block = cursor->block;
    if (cursor->taken == block->used) {
        if (block->next == 0)
            return FALSE;
        block_store_load(cursor, block->next);
        if (block->used == 0)
            return FALSE;
    }
    cursor->position = 0;
    cursor->held = (guint8)MIN(DN_BLOCK_WINDOW, block->used - cursor->taken);
    memcpy(cursor->window, block->bytes + cursor->taken, cursor->held);
    cursor->taken += cursor->held;
    return TRUE;
}

/* Reads a byte; the caller knows that there is one. */
static inline guint8 block_cursor_byte(DnBlockCursor *cursor)
{
    if (G_UNLIKELY(cursor->position == cursor->held)) {
        gboolean more = dn_block_cursor_refill(cursor);
        g_assert(more);
    }
    return cursor->window[cursor->position++];
}

guint64 dn_block_cursor_long_number(DnBlockCursor *cursor)
{
    guint64 value = 0;
    for (guint shift = 0;; shift += 7) {
        guint8 byte = block_cursor_byte(cursor);
        value |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

void dn_block_cursor_clear(DnBlockCursor *cursor)
{
    g_clear_pointer(&cursor->block, g_free);
}
