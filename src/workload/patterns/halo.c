/* halo.c - every rank of a process grid exchanges its boundary with its neighbours.
 *
 * `grid` of any number of dimensions up to 4, rank 0 at the origin, last dimension fastest;
 * neighbours across faces only, or all of the 3^d - 1 around (edges and corners too). Not periodic:
 * ranks at the rim have fewer. All receives, all sends, one wait; `compute` before, or beside the
 * exchange (`overlap`). A grid dimension of 1 that is periodic makes a rank its own neighbour: a
 * copy. `pack` is the time to gather a message before the first send, and to scatter one after the
 * wait. goodput counts what a rank inside sends to others.
 * Gropp, Lusk, Skjellum, Using MPI, 3rd ed., 2014, chapter 4; with `neighbours: all` in two
 * dimensions the 8-point exchange of a Game of Life. */
#include "workload/collective.h"

#define MAX_DIMS 4

static const char *const neighbour_names[] = {"faces", "all", NULL};
static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "message across a face"},
    {"diagonal_bytes", DN_PARAM_BYTES, "", 0, 1e15, NULL,
     "across an edge or corner; bytes if absent"},
    {"grid", DN_PARAM_INT_LIST, NULL, 0, 0, NULL, "processes in each dimension"},
    {"periodic", DN_PARAM_BOOL, "true", 0, 0, NULL, "the rims meet"},
    {"neighbours", DN_PARAM_CHOICE, "faces", 0, 0, neighbour_names,
     "faces, or edges and corners too"},
    {"compute", DN_PARAM_TIME, "0", 0, 1e15, NULL, "of a rank in each iteration"},
    {"overlap", DN_PARAM_BOOL, "false", 0, 0, NULL, "compute while messages move"},
    {"pack", DN_PARAM_TIME, "0", 0, 1e15, NULL, "of each message, at either end"},
    {0},
};

typedef struct {
    guint dims, codes; /* codes: 3^dims directions, the middle one is none */
    guint32 grid[MAX_DIMS];
    gboolean periodic, all, overlap;
    gint64 diagonal_bytes, compute_ps, pack_ps;
} Halo;

static gboolean halo_init(DnProgram *program, const DnParams *params, GError **error)
{
    guint n;
    guint64 product = 1;
    const gint64 *grid = dn_params_list(params, "grid", &n);
    Halo *halo = g_new0(Halo, 1);
    program->data = halo;
    for (guint d = 0; d < n && d < MAX_DIMS; d++) {
        halo->grid[d] = (guint32)CLAMP(grid[d], 0, G_MAXINT32);
        product = grid[d] < 1 || product > program->ranks ? 0 : product * (guint64)grid[d];
    }
    if (n < 1 || n > MAX_DIMS || product != program->ranks) {
        dn_params_error(
            params, "grid", DN_ERROR_RANGE, error,
            "a grid of 1 to %d dimensions that multiply to the job's %u ranks is needed", MAX_DIMS,
            program->ranks);
        return FALSE;
    }
    halo->dims = n;
    halo->codes = 1;
    for (guint d = 0; d < n; d++)
        halo->codes *= 3;
    program->bytes = dn_params_int(params, "bytes");
    halo->diagonal_bytes = dn_params_has(params, "diagonal_bytes")
                               ? dn_params_int(params, "diagonal_bytes")
                               : program->bytes;
    halo->periodic = dn_params_bool(params, "periodic");
    halo->all = dn_params_int(params, "neighbours") == 1;
    halo->compute_ps = dn_params_int(params, "compute");
    halo->overlap = dn_params_bool(params, "overlap");
    halo->pack_ps = dn_params_int(params, "pack");
    return TRUE;
}

/* Across direction @code: digits 0, 1, 2 in base 3 are -1, 0, +1. DN_ANY: nobody. *@steps: how many
 * dimensions change. */
static guint32 halo_neighbour(const Halo *halo, guint32 rank, guint code, guint *steps)
{
    guint32 to = 0, place = 1;
    *steps = 0;
    for (guint d = halo->dims; d-- > 0; code /= 3) {
        guint32 size = halo->grid[d], x = rank % size;
        rank /= size;
        guint digit = code % 3;
        *steps += digit != 1;
        if (!halo->periodic && ((digit == 0 && x == 0) || (digit == 2 && x == size - 1)))
            return DN_ANY;
        to += (x + size + digit - 1) % size * place;
        place *= size;
    }
    return *steps == 0 || (*steps > 1 && !halo->all) ? DN_ANY : to;
}

typedef enum { RECEIVE, PACK, SEND, WAIT, UNPACK = WAIT + 1 } Phase;

static void halo_exchange(const DnProgram *program, guint32 rank, guint code, Phase phase,
                          DnRound *r)
{
    const Halo *halo = program->data;
    guint steps;
    guint32 peer = halo_neighbour(halo, rank, code, &steps);
    if (peer == DN_ANY)
        return;
    DnSpan span = dn_scratch(0, steps == 1 ? program->bytes : halo->diagonal_bytes);
    /* The tag is the sender's direction: two messages between a pair stay apart. */
    if (phase == PACK || phase == UNPACK)
        dn_round_compute(r, halo->pack_ps);
    else if (phase == SEND && peer == rank)
        dn_round_copy(r, span, span);
    else if (phase == SEND)
        dn_round_isend(r, peer, code, 0, span);
    else if (peer != rank)
        dn_round_recv(r, peer, halo->codes - 1 - code, 0, span);
}

/* Directions of one phase after the other; the wait is a round by itself. */
static gboolean halo_round(const DnProgram *program, guint32 rank, guint64 k, DnRound *r)
{
    static const Phase plain[] = {RECEIVE, SEND, WAIT},
                       packed[] = {RECEIVE, PACK, SEND, WAIT, UNPACK};
    const Halo *halo = program->data;
    const Phase *phases = halo->pack_ps > 0 ? packed : plain;
    guint64 before = halo->pack_ps > 0 ? 3 : 2;
    if (k == 0 && !halo->overlap)
        dn_round_compute(r, halo->compute_ps);
    if (k == before * halo->codes) {
        if (halo->overlap)
            dn_round_compute(r, halo->compute_ps);
        dn_round_wait(r, DN_ANY);
        return TRUE;
    }
    guint64 n = k > before * halo->codes ? k - 1 + halo->codes : k;
    if (n >= (before + (halo->pack_ps > 0 ? 2 : 0)) * halo->codes)
        return FALSE;
    halo_exchange(program, rank, (guint)(n % halo->codes), phases[n / halo->codes], r);
    return TRUE;
}

/* The rank in the middle has the most neighbours. */
static double goodput_bytes(const DnProgram *program)
{
    const Halo *halo = program->data;
    guint32 middle = 0;
    double bytes = 0;
    for (guint d = 0; d < halo->dims; d++)
        middle = middle * halo->grid[d] + halo->grid[d] / 2;
    for (guint code = 0; code < halo->codes; code++) {
        guint steps;
        guint32 peer = halo_neighbour(halo, middle, code, &steps);
        if (peer != DN_ANY && peer != middle)
            bytes += (double)(steps == 1 ? program->bytes : halo->diagonal_bytes);
    }
    return bytes;
}

static gboolean halo_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    return dn_rounds_next(program, rank, cursor, op, halo_round);
}

const DnProgramType dn_program_halo = {
    .name = "halo",
    .help = "boundary exchange on a process grid of 1 to 4 dimensions",
    .goodput = "bytes a rank inside sends to others",
    .source = "Gropp, Lusk, Skjellum, Using MPI, 3rd ed., 2014, chapter 4",
    .params = params_,
    .min_ranks = 1,
    .init = halo_init,
    .free = dn_program_free_data,
    .next = halo_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
