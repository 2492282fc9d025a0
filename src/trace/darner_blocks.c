/* darner_blocks.c - see darner_blocks.h. */
#include "trace/darner_blocks.h"

#include <string.h>

#include "trace/input.h"

G_STATIC_ASSERT(G_BYTE_ORDER == G_LITTLE_ENDIAN); /* blocks are read as they are */

struct DnRecReader {
    char *path; /* of the one file, or the folder */
    gboolean folder;
    char *file; /* present one */
    DnInput *input;
    GByteArray *records;
    DnRecBlock last; /* the block before; ranks 0: none yet */
    guint32 next_rank;
};

static char *rank_file(const char *folder, guint32 rank)
{
    g_autofree char *name = g_strdup_printf("rank-%06u.drn", rank);
    return g_build_filename(folder, name, NULL);
}

gboolean dn_rec_recognise(const char *path, const guint8 *head, gsize n)
{
    const guint32 magic = DN_REC_MAGIC;
    if (head)
        return n >= sizeof magic && memcmp(head, &magic, sizeof magic) == 0;
    g_autofree char *first = rank_file(path, 0);
    return g_file_test(first, G_FILE_TEST_IS_REGULAR);
}

static gboolean next_file(DnRecReader *reader, GError **error)
{
    g_clear_pointer(&reader->input, dn_input_free);
    g_free(reader->file);
    reader->file = reader->folder ? rank_file(reader->path, reader->next_rank)
                                  : g_strdup(reader->path);
    reader->input = dn_input_open(reader->file, error);
    return reader->input != NULL;
}

DnRecReader *dn_rec_reader_open(const char *path, GError **error)
{
    g_autoptr(DnRecReader) reader = g_new0(DnRecReader, 1);
    reader->path = g_strdup(path);
    reader->folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    reader->records = g_byte_array_new();
    return next_file(reader, error) ? g_steal_pointer(&reader) : NULL;
}

void dn_rec_reader_free(DnRecReader *reader)
{
    if (!reader)
        return;
    dn_input_free(reader->input);
    g_byte_array_unref(reader->records);
    g_free(reader->file);
    g_free(reader->path);
    g_free(reader);
}

G_GNUC_PRINTF(4, 5)
static gboolean darner_blocks_wrong(const DnRecReader *reader, guint64 at, GError **error,
                                    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: byte %" G_GUINT64_FORMAT ": %s",
                reader->file, at, what);
    return FALSE;
}

/* ---- one block ---- */

/* @n bytes onto @to, or (NULL) past them; FALSE: the file has fewer. */
static gboolean darner_blocks_get(DnInput *input, gsize n, GByteArray *to)
{
    while (n > 0) {
        gsize have;
        const guint8 *bytes = dn_input_peek(input, MIN(n, DN_INPUT_PEEK), &have);
        if (have == 0)
            return FALSE;
        if (to)
            g_byte_array_append(to, bytes, (guint)have);
        dn_input_skip(input, have);
        n -= have;
    }
    return TRUE;
}

static const char *fault_of(const DnRecBlock *head)
{
    if (head->magic == GUINT32_SWAP_LE_BE(DN_REC_MAGIC))
        return "a block of the other byte order";
    if (head->magic != DN_REC_MAGIC)
        return "no block begins here";
    if (head->version != DN_REC_VERSION)
        return "a block of another version of the format";
    if (head->state > DN_REC_SEALED || head->reserved != 0 ||
        head->raw_bytes > head->stored_bytes || head->ranks == 0 || head->rank >= head->ranks)
        return "a block whose head contradicts itself";
    return NULL;
}

/* Checks the order of blocks: one run, ranks in order, a rank's blocks in order. */
static gboolean check_row(DnRecReader *reader, const DnRecBlock *head, guint64 at, GError **error)
{
    const DnRecBlock *last = &reader->last;
    gboolean first = last->ranks == 0;
    if (!first && (head->run != last->run || head->ranks != last->ranks))
        return darner_blocks_wrong(reader, at, error,
                                   "a block of another run, or of another number of ranks");
    gboolean same = !first && head->rank == last->rank;
    guint32 rank = same ? last->rank : reader->next_rank;
    guint32 number = same ? last->number + 1 : 0;
    if (head->rank != rank || head->number != number)
        return darner_blocks_wrong(reader, at, error,
                                   "block %u of rank %u where block %u of rank %u should be",
                                   head->number, head->rank, number, rank);
    if (same && last->state == DN_REC_OPEN)
        return darner_blocks_wrong(reader, at, error,
                                   "a block behind an open one, which is always the last");
    reader->next_rank = head->rank + 1;
    reader->last = *head;
    return TRUE;
}

static gboolean read_block(DnRecReader *reader, DnRecPiece *piece, GError **error)
{
    guint64 at = dn_input_at(reader->input);
    g_byte_array_set_size(reader->records, 0);
    if (!darner_blocks_get(reader->input, sizeof piece->head, reader->records))
        return darner_blocks_wrong(reader, at, error, "the file ends inside a block's head");
    memcpy(&piece->head, reader->records->data, sizeof piece->head);
    const DnRecBlock *head = &piece->head;
    if (fault_of(head))
        return darner_blocks_wrong(reader, at, error, "%s", fault_of(head));
    if (!check_row(reader, head, at, error))
        return FALSE;
    g_byte_array_set_size(reader->records, 0);
    if (!darner_blocks_get(reader->input, head->raw_bytes, reader->records) ||
        !darner_blocks_get(reader->input, head->stored_bytes - head->raw_bytes, NULL))
        return darner_blocks_wrong(reader, at, error, "the file ends inside a block of %u bytes",
                                   head->stored_bytes);
    guint32 sum = dn_rec_checksum(reader->records->data, head->raw_bytes);
    if (head->state == DN_REC_SEALED && head->checksum != sum)
        return darner_blocks_wrong(reader, at, error,
                                   "the block's sum is wrong: the file was damaged");
    piece->records = reader->records->data ? reader->records->data : (const guint8 *)"";
    piece->path = reader->file;
    piece->at = at;
    return TRUE;
}

/* ---- the row ---- */

static gboolean at_end(DnInput *input)
{
    gsize have;
    dn_input_peek(input, 1, &have);
    return have == 0;
}

gboolean dn_rec_reader_next(DnRecReader *reader, DnRecPiece *piece, GError **error)
{
    piece->records = NULL;
    while (at_end(reader->input)) {
        if (!dn_input_good(reader->input, error))
            return FALSE;
        guint32 ranks = reader->last.ranks;
        if (ranks > 0 && reader->next_rank == ranks)
            return TRUE;
        guint64 at = dn_input_at(reader->input);
        if (!reader->folder || ranks == 0)
            return darner_blocks_wrong(reader, at, error, "the file ends before rank %u%s",
                                       reader->next_rank,
                                       ranks == 0 ? "" : ", and there should be more");
        if (!next_file(reader, error))
            return FALSE;
        /* An empty file would be passed over for ever. */
        if (at_end(reader->input) && dn_input_good(reader->input, NULL))
            return darner_blocks_wrong(reader, 0, error, "no block at all");
    }
    return read_block(reader, piece, error);
}
