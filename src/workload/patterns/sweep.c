/* sweep.c - a wavefront over a 2-D process grid, as in Sweep3D.
 *
 * 8 octants: two from each corner of the grid. In an octant every rank handles `blocks` blocks in
 * turn: receives from the two ranks upstream, computes, sends to the two downstream.
 * goodput counts what a rank inside sends.
 * Koch, Baker, Alcouffe, Solution of the first-order form of the 3-D discrete ordinates equation on
 * a massively parallel processor, Trans. Am. Nucl. Soc. 65, 1992; Hoisie, Lubeck, Wasserman,
 * Performance and scalability analysis of teraflop-scale parallel architectures using
 * multidimensional wavefront applications, IJHPCA 14(4), 2000. */
#include "workload/collective.h"

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "a block's message to either side"},
    {"grid", DN_PARAM_INT_LIST, NULL, 0, 0, NULL, "columns and rows of processes"},
    {"blocks", DN_PARAM_INT, "10", 1, 1e6, NULL, "blocks of an octant"},
    {"compute", DN_PARAM_TIME, "0", 0, 1e15, NULL, "of a block"},
    {0},
};

typedef struct {
    guint32 columns, rows;
    guint64 blocks;
    gint64 compute_ps;
} Sweep;

static gboolean sweep_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint32 grid[2];
    Sweep *sweep = g_new0(Sweep, 1);
    program->data = sweep;
    if (!dn_program_grid(program, params, "columns, rows", grid, error))
        return FALSE;
    sweep->columns = grid[0];
    sweep->rows = grid[1];
    sweep->blocks = (guint64)dn_params_int(params, "blocks");
    sweep->compute_ps = dn_params_int(params, "compute");
    program->bytes = dn_params_int(params, "bytes");
    return TRUE;
}

/* The neighbour @by (-1 or 1) along x or y; DN_ANY: none. */
static guint32 sweep_neighbour(const Sweep *sweep, guint32 rank, gboolean along_y, gint by)
{
    guint32 at = along_y ? rank / sweep->columns : rank % sweep->columns;
    guint32 size = along_y ? sweep->rows : sweep->columns, step = along_y ? sweep->columns : 1;
    if ((by < 0 && at == 0) || (by > 0 && at == size - 1))
        return DN_ANY;
    return by < 0 ? rank - step : rank + step;
}

static gboolean sweep_round(const DnProgram *program, guint32 rank, guint64 k, DnRound *r)
{
    const Sweep *sweep = program->data;
    guint64 octant = k / sweep->blocks;
    if (octant >= 8)
        return FALSE;
    gint dx = octant & 2 ? -1 : 1, dy = octant & 4 ? -1 : 1;
    DnSpan span = dn_scratch(0, program->bytes);
    guint32 from[2] = {sweep_neighbour(sweep, rank, FALSE, -dx),
                       sweep_neighbour(sweep, rank, TRUE, -dy)};
    guint32 to[2] = {sweep_neighbour(sweep, rank, FALSE, dx),
                     sweep_neighbour(sweep, rank, TRUE, dy)};
    for (guint i = 0; i < 2; i++)
        if (from[i] != DN_ANY)
            dn_round_recv(r, from[i], (guint32)octant, 0, span);
    dn_round_wait(r, 0);
    dn_round_compute(r, sweep->compute_ps);
    for (guint i = 0; i < 2; i++)
        if (to[i] != DN_ANY)
            dn_round_send(r, to[i], (guint32)octant, 1, span);
    if (k + 1 == 8 * sweep->blocks)
        dn_round_wait(r, DN_ANY);
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Sweep *sweep = program->data;
    return 16.0 * (double)sweep->blocks * (double)program->bytes;
}

static gboolean sweep_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    return dn_rounds_next(program, rank, cursor, op, sweep_round);
}

const DnProgramType dn_program_sweep = {
    .name = "sweep",
    .help = "wavefronts over a process grid from its four corners, twice (Sweep3D)",
    .goodput = "bytes a rank inside sends",
    .source = "Koch, Baker, Alcouffe, Trans. Am. Nucl. Soc. 65, 1992",
    .params = params_,
    .min_ranks = 1,
    .init = sweep_init,
    .free = dn_program_free_data,
    .next = sweep_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
