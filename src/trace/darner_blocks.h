/* darner_blocks.h - the recorder's blocks, one after the other, checked: from a folder with a file
 * a rank, or from one file; and the folder packed into one.
 *
 * Checked here: that every block is whole and its sum right, that blocks are of one run and of as
 * many ranks, that ranks come in order from 0 without gaps, and a rank's blocks likewise. Only a
 * rank's last block may be open. */
#pragma once
#include "base/error.h"
#include "base/record_format.h"

typedef struct {
    DnRecBlock head;
    const guint8 *records; /* [head.raw_bytes] until the next; NULL: no more blocks */
    const char *path;      /* whose file */
    guint64 at;            /* where it begins in that */
} DnRecPiece;

gboolean dn_rec_recognise(const char *path, const guint8 *head, gsize n);

typedef struct DnRecReader DnRecReader;
DnRecReader *dn_rec_reader_open(const char *path, GError **error);
void dn_rec_reader_free(DnRecReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRecReader, dn_rec_reader_free)
gboolean dn_rec_reader_next(DnRecReader *reader, DnRecPiece *piece, GError **error);

typedef struct {
    guint32 ranks, cut; /* cut: ranks whose last block is open */
    guint64 bytes;      /* of records */
} DnRecSummary;
/* All of @folder into the file @path, compressed by zstd; whole or not at all. */
gboolean dn_rec_pack(const char *folder, const char *path, DnRecSummary *summary, GError **error);
