/* darner.c - reads what our own recorder wrote (base/record_format.h): a folder with a file a rank,
 * or all in one file.
 *
 * A receive names whom it took the message from, as recorded, also where the program asked for any
 * source: what its wait says of it comes later in the file, so a second look at the rank's blocks
 * runs ahead of the first by one rank and notes what differs from what was asked.
 * What a rank did in MPI takes no time here: the replay says how long. Calls of DN_REC_POLLS found
 * nothing; only the computing between them stays.
 * A receive that was cancelled is left out, for it took nothing. Persistent receives from any
 * source stay so. What the recorder could only name is a note on the trace. */
#include "trace/darner_blocks.h"
#include "trace/darner_records.h"

static gboolean walk_block(DnRecWalk *w, const DnRecPiece *piece, GError **error)
{
    DnRecFields f = {piece->records, piece->records + piece->head.raw_bytes, FALSE};
    while (f.at < f.end) {
        w->at = piece->at + sizeof(DnRecBlock) + (guint64)(f.at - piece->records);
        if (!dn_rec_walk_record(w, &f, error))
            return FALSE;
    }
    return TRUE;
}

/* All blocks of the rank whose first is @piece; *@piece: the next rank's first, or none. */
static gboolean walk_rank(DnRecWalk *w, DnRecReader *reader, DnRecPiece *piece, GError **error)
{
    g_array_set_size(w->requests, 0);
    dn_request_table_clear(&w->numbers);
    w->begun = 0;
    w->rank = piece->head.rank;
    do {
        if (!walk_block(w, piece, error) || !dn_rec_reader_next(reader, piece, error))
            return FALSE;
    } while (piece->records && piece->head.rank == w->rank && piece->head.number > 0);
    return TRUE;
}

static gboolean walk_all(DnRecWalk *w, DnRecReader *scout, DnRecReader *reader, GError **error)
{
    DnRecPiece ahead, piece;
    if (!dn_rec_reader_next(scout, &ahead, error) || !dn_rec_reader_next(reader, &piece, error))
        return FALSE;
    if (piece.records && !dn_trace_sink_allows(w->sink, piece.head.ranks, error))
        return FALSE; /* each rank is added with its first block: the file may end before it */
    while (piece.records) {
        dn_trace_sink_file(w->sink, piece.head.rank, piece.path);
        g_hash_table_remove_all(w->outcomes);
        w->scouting = TRUE;
        if (!walk_rank(w, scout, &ahead, error))
            return FALSE;
        w->scouting = FALSE;
        if (!walk_rank(w, reader, &piece, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_darner(const char *path, DnTraceSink *sink, GError **error)
{
    g_autoptr(DnRecReader) scout = dn_rec_reader_open(path, error);
    g_autoptr(DnRecReader) reader = scout ? dn_rec_reader_open(path, error) : NULL;
    if (!reader)
        return FALSE;
    DnRecWalk w = {.sink = sink,
                   .list = g_array_new(FALSE, FALSE, sizeof(gint64)),
                   .requests = g_array_new(FALSE, TRUE, sizeof(DnRecRequest)),
                   .outcomes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free)};
    gboolean ok = walk_all(&w, scout, reader, error);
    g_array_unref(w.list);
    g_array_unref(w.requests);
    dn_request_table_clear(&w.numbers);
    g_hash_table_unref(w.outcomes);
    return ok;
}

const DnTraceReader dn_trace_darner = {
    .name = "darner",
    .killed = TRUE,
    .source = "base/record_format.h",
    .unit = "byte",
    .recognise = dn_rec_recognise,
    .read = read_darner,
};
