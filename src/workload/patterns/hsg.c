/* hsg.c - over-relaxation of a Heisenberg spin glass on a cubic lattice cut into slabs.
 *
 * An iteration updates every spin once, first those of one colour of the checkerboard, then those
 * of the other. For each colour a rank computes its two boundary planes, sends them to the slabs
 * above and below (periodic), one message for each component of a spin, and takes theirs, while its
 * GPU updates the bulk; both are over before the next colour. Stream 0 is the host with the
 * boundary and the exchange, stream 1 the bulk. A component of a plane and colour is lattice^2 / 2
 * numbers: 128 KiB for 256^3 in single precision, 6 messages out and 6 in.
 * `pack`: the program copies all messages to host memory before it sends the first. `unpack`: they
 * arrive in host memory; when all are there they are copied in, one by one. `each`: the program
 * sends each message as soon as it is copied, and copies in each as it comes, in the order of
 * sending.
 * One rank has nobody to talk to. goodput counts what a rank sends.
 * Bernaschi, Bisson, Fatica, Phillips, "An introduction to multi-GPU programming for physicists",
 * Eur. Phys. J. Special Topics 210, 2012; Ammendola et al., "GPU peer-to-peer techniques applied to
 * a cluster interconnect", CASS 2013, section V.D. */
#include "workload/collective.h"

static const DnParamSpec params_[] = {
    {"lattice", DN_PARAM_INT, NULL, 2, 65536, NULL, "sites along an edge, even"},
    {"components", DN_PARAM_INT, "3", 1, 1024, NULL, "of a spin, a message each"},
    {"number", DN_PARAM_BYTES, "4 B", 1, 64, NULL, "size of a component"},
    {"spin_time", DN_PARAM_TIME, "0", 0, 1e12, NULL, "of a GPU for one spin of the bulk"},
    {"boundary", DN_PARAM_TIME, "0", 0, 1e15, NULL, "for both planes and both colours"},
    {"pack", DN_PARAM_BOOL, "false", 0, 0, NULL, "messages are copied from the GPU before"},
    {"unpack", DN_PARAM_BOOL, "false", 0, 0, NULL, "messages are copied to the GPU afterwards"},
    {"each", DN_PARAM_BOOL, "false", 0, 0, NULL, "messages are packed and unpacked one at a time"},
    {0},
};

enum { COLOURS = 2, SIDES = 2, BULK_DONE = 0, EXCHANGE_DONE = 1 };

typedef struct {
    guint32 components;
    gint64 boundary_ps, bulk_ps; /* of a colour */
    gboolean pack, unpack, each;
} Hsg;

static gboolean hsg_init(DnProgram *program, const DnParams *params, GError **error)
{
    Hsg *h = g_new0(Hsg, 1);
    program->data = h;
    gint64 edge = dn_params_int(params, "lattice");
    if (edge % 2 != 0 || (program->ranks > 1 && edge < 2 * (gint64)program->ranks)) {
        dn_params_error(params, "lattice", DN_ERROR_RANGE, error,
                        "an even number of sites, at least 2 for each of the %u ranks, is needed",
                        program->ranks);
        return FALSE;
    }
    h->components = (guint32)dn_params_int(params, "components");
    h->boundary_ps = dn_params_int(params, "boundary") / COLOURS;
    h->pack = dn_params_bool(params, "pack");
    h->unpack = dn_params_bool(params, "unpack");
    h->each = dn_params_bool(params, "each");
    program->bytes = edge * edge / COLOURS * dn_params_int(params, "number");
    program->streams = 2;
    double planes = (double)edge / program->ranks - (program->ranks > 1 ? SIDES : 0);
    double spins = planes * (double)(edge * edge) / COLOURS;
    h->bulk_ps = (gint64)(spins * (double)dn_params_int(params, "spin_time") + 0.5);
    return TRUE;
}

/* The neighbour on @side: 0 below, 1 above. */
static guint32 hsg_neighbour(const DnProgram *program, guint32 rank, guint side)
{
    return (rank + (side == 0 ? program->ranks - 1 : 1)) % program->ranks;
}

/* Sends the data that the program copies out of the GPU. */
static void send_out(const DnProgram *program, guint32 rank, DnRound *r, guint n, DnSpan span)
{
    const Hsg *h = program->data;
    for (guint i = 0; h->pack && !h->each && i < n; i++)
        dn_round_copy(r, span, span);
    for (guint i = 0; i < n; i++) {
        if (h->pack && h->each)
            dn_round_copy(r, span, span);
        dn_round_isend(r, hsg_neighbour(program, rank, i % SIDES), i ^ 1, 0, span);
    }
}

static void hsg_exchange(const DnProgram *program, guint32 rank, DnRound *r)
{
    const Hsg *h = program->data;
    DnSpan span = dn_scratch(0, program->bytes);
    guint n = SIDES * h->components;
    /* Tags say where the sender stands: below or above the receiver. */
    for (guint i = 0; i < n; i++)
        dn_round_recv(r, hsg_neighbour(program, rank, i % SIDES), i, 1 + i, span);
    send_out(program, rank, r, n, span);
    if (!h->each)
        dn_round_wait(r, DN_ANY);
    for (guint i = 0; i < n; i++) {
        if (h->each)
            dn_round_wait(r, 1 + (i ^ 1));
        if (h->unpack)
            dn_round_copy(r, span, span);
    }
    if (h->each)
        dn_round_wait(r, DN_ANY);
}

static gboolean host_round(const DnProgram *program, guint32 rank, guint64 k, DnRound *r)
{
    const Hsg *h = program->data;
    if (k >= COLOURS)
        return FALSE;
    dn_round_compute(r, h->boundary_ps);
    if (program->ranks > 1)
        hsg_exchange(program, rank, r);
    dn_round_signal(r, EXCHANGE_DONE);
    dn_round_await(r, BULK_DONE);
    return TRUE;
}

static gboolean bulk_round(const DnProgram *program, guint32 rank, guint64 k, DnRound *r)
{
    const Hsg *h = program->data;
    (void)rank;
    if (k >= COLOURS)
        return FALSE;
    dn_round_compute(r, h->bulk_ps);
    dn_round_signal(r, BULK_DONE);
    dn_round_await(r, EXCHANGE_DONE);
    return TRUE;
}

static gboolean hsg_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    return dn_rounds_next(program, rank, cursor, op, cursor->stream == 0 ? host_round : bulk_round);
}

static double goodput_bytes(const DnProgram *program)
{
    const Hsg *h = program->data;
    return program->ranks > 1 ? (double)COLOURS * SIDES * h->components * (double)program->bytes
                              : 0.0;
}

const DnProgramType dn_program_hsg = {
    .name = "hsg",
    .help = "spin glass on a cubic lattice in slabs, exchange beside the bulk's update",
    .goodput = "bytes a rank sends",
    .limits = "kernels and messages do not slow each other; times of kernels are given",
    .source = "Bernaschi et al., An introduction to multi-GPU programming for physicists, 2012",
    .params = params_,
    .min_ranks = 1,
    .init = hsg_init,
    .free = dn_program_free_data,
    .next = hsg_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
