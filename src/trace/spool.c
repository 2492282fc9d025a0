/* spool.c - see spool.h. */
#include "trace/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static gboolean failed(const char *what, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s a temporary file: %s",
                g_get_tmp_dir(), what, g_strerror(errno));
    return FALSE;
}

gboolean dn_spool_init(DnSpool *spool, GError **error)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "darner-trace-XXXXXX", NULL);
    *spool = (DnSpool){.file = g_mkstemp(path)};
    spool->chains = g_array_new(FALSE, TRUE, sizeof(DnSpoolChain));
    if (spool->file < 0)
        return failed("make", error);
    unlink(path);
    return TRUE;
}

void dn_spool_clear(DnSpool *spool)
{
    if (!spool->chains)
        return;
    for (guint i = 0; i < spool->chains->len; i++)
        g_free(g_array_index(spool->chains, DnSpoolChain, i).block);
    g_array_unref(spool->chains);
    if (spool->file >= 0)
        close(spool->file);
    *spool = (DnSpool){.file = -1};
}

void dn_spool_grow(DnSpool *spool, guint32 chains)
{
    if (chains > spool->chains->len)
        g_array_set_size(spool->chains, chains);
}

static gboolean write_block(DnSpool *spool, const DnSpoolChain *chain, GError **error)
{
    const guint8 *bytes = (const guint8 *)chain->block;
    gsize done = 0;
    while (done < DN_SPOOL_BLOCK) {
        ssize_t n = pwrite(spool->file, bytes + done, DN_SPOOL_BLOCK - done,
                           (off_t)((chain->here - 1) * DN_SPOOL_BLOCK + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return failed("write", error);
        done += (gsize)n;
    }
    return TRUE;
}

gboolean dn_spool_append(DnSpool *spool, guint32 chain_id, const guint8 *bytes, gsize n,
                         GError **error)
{
    DnSpoolChain *chain = &g_array_index(spool->chains, DnSpoolChain, chain_id);
    if (!chain->block) {
        chain->block = g_new0(DnSpoolBlock, 1);
        chain->first = chain->here = ++spool->blocks;
    }
    while (n > 0) {
        DnSpoolBlock *block = chain->block;
        if (block->used == DN_SPOOL_PAYLOAD) {
            block->next = ++spool->blocks;
            if (!write_block(spool, chain, error))
                return FALSE;
            chain->here = block->next;
            block->next = 0;
            block->used = 0;
        }
        gsize part = MIN(n, DN_SPOOL_PAYLOAD - block->used);
        memcpy(block->bytes + block->used, bytes, part);
        block->used += (guint32)part;
        bytes += part;
        n -= part;
    }
    return TRUE;
}

gboolean dn_spool_finish(DnSpool *spool, GError **error)
{
    for (guint i = 0; i < spool->chains->len; i++) {
        DnSpoolChain *chain = &g_array_index(spool->chains, DnSpoolChain, i);
        if (chain->block && !write_block(spool, chain, error))
            return FALSE;
        g_clear_pointer(&chain->block, g_free);
    }
    return TRUE;
}

static void load(DnSpoolCursor *cursor, guint64 number)
{
    ssize_t n;
    do
        n = pread(cursor->spool->file, &cursor->block, DN_SPOOL_BLOCK,
                  (off_t)((number - 1) * DN_SPOOL_BLOCK));
    while (n < 0 && errno == EINTR);
    if (n != DN_SPOOL_BLOCK) /* of our own file, behind our back */
        g_error("a temporary file in %s was damaged", g_get_tmp_dir());
    cursor->position = 0;
}

void dn_spool_rewind(DnSpoolCursor *cursor, const DnSpool *spool, guint32 chain)
{
    cursor->spool = spool;
    cursor->chain = chain;
    cursor->position = cursor->block.used = 0;
    cursor->block.next = g_array_index(spool->chains, DnSpoolChain, chain).first;
}

gboolean dn_spool_refill(DnSpoolCursor *cursor)
{
    if (cursor->block.next == 0)
        return FALSE;
    load(cursor, cursor->block.next);
    return cursor->block.used > 0;
}
