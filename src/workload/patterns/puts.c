/* puts.c - ranks write into others' memory and nobody receives: put bandwidth and put rate.
 *
 * Rank r of the first half puts `count` times to rank r + pairs, all at once, and waits until they
 * have left; the last iteration lasts until the last has arrived. A put of `words` words is what a
 * warp's threads put one word each: as many messages, unless the mechanism coalesces them.
 * goodput counts the bytes of all puts: divided by a word's it is the put rate.
 * NVSHMEM performance tests, shmem_put_bw (words: 1) and shmem_p_bw (words: 32). */
#include "workload/program.h"

typedef struct {
    guint32 pairs, count, words;
} Puts;

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "of a put, all its words together"},
    {"words", DN_PARAM_INT, "1", 1, 32, NULL, "a warp's threads that put a word each"},
    {"count", DN_PARAM_INT, "64", 1, 1e7, NULL, "puts of a rank in an iteration"},
    {"pairs", DN_PARAM_INT, "0", 0, 1e9, NULL, "of ranks; 0: half of the ranks put"},
    {0},
};

static gboolean puts_init(DnProgram *program, const DnParams *params, GError **error)
{
    Puts *data = g_new0(Puts, 1);
    program->data = data;
    gint64 pairs = dn_params_int(params, "pairs"), words = dn_params_int(params, "words");
    program->bytes = dn_params_int(params, "bytes");
    if (pairs > program->ranks / 2) {
        dn_params_error(params, "pairs", DN_ERROR_RANGE, error, "at most %u pairs in %u ranks",
                        program->ranks / 2, program->ranks);
        return FALSE;
    }
    if (program->bytes % words != 0) {
        dn_params_error(params, "words", DN_ERROR_RANGE, error,
                        "%" G_GINT64_FORMAT " B do not divide into %" G_GINT64_FORMAT " words",
                        program->bytes, words);
        return FALSE;
    }
    *data = (Puts){.pairs = pairs > 0 ? (guint32)pairs : program->ranks / 2,
                   .count = (guint32)dn_params_int(params, "count"),
                   .words = (guint32)words};
    return TRUE;
}

static gboolean puts_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Puts *data = program->data;
    if (rank >= data->pairs || cursor->step > data->count)
        return FALSE;
    if (cursor->step++ == data->count)
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    else
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = rank + data->pairs,
                     .bytes = program->bytes,
                     .pieces = data->words,
                     .flags = DN_OP_ONE_SIDED};
    return TRUE;
}

static double all_bytes(const DnProgram *program)
{
    const Puts *data = program->data;
    return (double)program->bytes * data->count * data->pairs;
}

const DnProgramType dn_program_puts = {
    .name = "puts",
    .help = "one-sided puts from half of the ranks to the other half, of whole blocks or of a "
            "warp's words",
    .goodput = "bytes of all puts",
    .limits = "what a program does between its puts (a barrier over the thread blocks) is not "
              "here; a mechanism's time to post may hold it",
    .source = "NVIDIA, NVSHMEM performance tests, shmem_put_bw and shmem_p_bw",
    .params = params_,
    .min_ranks = 2,
    .init = puts_init,
    .free = dn_program_free_data,
    .next = puts_next,
    .bytes_moved = all_bytes,
    .goodput_bytes = all_bytes,
    .time_scale = 1,
};
