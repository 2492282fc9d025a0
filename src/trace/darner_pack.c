/* darner_pack.c - a recorded folder as one file: the blocks in their order, without the space
 * behind open ones, as one zstd stream. Many small blocks become few large ones, for records
 * compress by what came before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "trace/darner_blocks.h"

#define LEVEL 15
#define JOINED_BYTES (1u << 20)

typedef struct {
    FILE *file;
    ZSTD_CStream *stream;
    gboolean failed;
    DnRecBlock head; /* of what is gathered; ranks 0: nothing yet */
    GByteArray *records;
    guint32 number;
} Packing;

static void darner_pack_put(Packing *p, const void *bytes, gsize n, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, n, 0};
    for (;;) {
        guint8 packed[65536];
        ZSTD_outBuffer out = {packed, sizeof packed, 0};
        size_t left = ZSTD_compressStream2(p->stream, &out, &in, how);
        g_assert(!ZSTD_isError(left));
        p->failed = p->failed || fwrite(packed, 1, out.pos, p->file) != out.pos;
        if (how == ZSTD_e_end ? left == 0 : in.pos == in.size)
            return;
    }
}

static void put_block(Packing *p)
{
    if (p->head.ranks == 0)
        return;
    p->head.number = p->number++;
    p->head.raw_bytes = p->head.stored_bytes = p->records->len;
    p->head.checksum =
        p->head.state == DN_REC_OPEN ? 0 : dn_rec_checksum(p->records->data, p->records->len);
    darner_pack_put(p, &p->head, sizeof p->head, ZSTD_e_continue);
    darner_pack_put(p, p->records->data, p->records->len, ZSTD_e_continue);
    g_byte_array_set_size(p->records, 0);
    p->head.ranks = 0;
}

static void darner_pack_gather(Packing *p, const DnRecPiece *piece)
{
    gboolean other = p->head.ranks > 0 && p->head.rank != piece->head.rank;
    if (other || p->records->len + piece->head.raw_bytes > JOINED_BYTES)
        put_block(p);
    if (piece->head.number == 0)
        p->number = 0;
    p->head = piece->head;
    g_byte_array_append(p->records, piece->records, piece->head.raw_bytes);
}

static gboolean pack_all(Packing *p, DnRecReader *reader, DnRecSummary *summary, GError **error)
{
    DnRecPiece piece;
    *summary = (DnRecSummary){0};
    for (;;) {
        if (!dn_rec_reader_next(reader, &piece, error))
            return FALSE;
        if (!piece.records)
            break;
        darner_pack_gather(p, &piece);
        summary->ranks = piece.head.ranks;
        summary->cut += piece.head.state == DN_REC_OPEN;
        summary->bytes += piece.head.raw_bytes;
    }
    put_block(p);
    darner_pack_put(p, NULL, 0, ZSTD_e_end);
    return TRUE;
}

static gboolean pack_into(FILE *file, const char *folder, DnRecSummary *summary, GError **error)
{
    g_autoptr(DnRecReader) reader = dn_rec_reader_open(folder, error);
    if (!reader)
        return FALSE;
    Packing p = {.file = file, .stream = ZSTD_createCStream(), .records = g_byte_array_new()};
    ZSTD_CCtx_setParameter(p.stream, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(p.stream, ZSTD_c_checksumFlag, 1);
    gboolean ok = pack_all(&p, reader, summary, error);
    ZSTD_freeCStream(p.stream);
    g_byte_array_unref(p.records);
    if (ok && p.failed)
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "writing the packed trace: %s",
                    g_strerror(errno));
    return ok && !p.failed;
}

gboolean dn_rec_pack(const char *folder, const char *path, DnRecSummary *summary, GError **error)
{
    g_autofree char *target = NULL;
    g_autofree char *temporary = dn_file_new_path(path, ".new", &target);
    FILE *file = fopen(temporary, "wb");
    gboolean ok = file != NULL && pack_into(file, folder, summary, error);
    if (file != NULL && fclose(file) != 0 && ok) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", temporary, g_strerror(errno));
        ok = FALSE;
    }
    if (file == NULL || (ok && !dn_file_publish(temporary, target))) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: %s", path, g_strerror(errno));
        ok = FALSE;
    }
    if (!ok && file != NULL)
        dn_file_discard(temporary, target);
    return ok;
}
