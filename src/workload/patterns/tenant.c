/* tenant.c - another user's job, as its neighbours notice it: bursts of messages in a pattern that
 * changes when its job ends and the next one gets its nodes.
 *
 * One-sided. While a job lives (exponential lifetimes of mean `lifetime`), its ranks alternate
 * between bursts, in which each sends messages of `bytes` at `rate`, and silences. Both are Pareto
 * of exponent `shape`, with a mean of `burst` and of burst (1 / intensity - 1): between 1 and 2 the
 * sum of many is bursty at every time scale (Willinger, Taqqu, Sherman & Wilson, "Self-similarity
 * through high-variability", IEEE/ACM Trans. Networking 5(1), 1997). A burst is whole messages, at
 * least one, their number rounded up or down at random, so that its mean is kept; where bursts
 * shorter than a message are drawn, the silences are longer by as much. Each rank has bursts of its
 * own, or with `synchronous: yes` all have the same, as where a step of computation ends in one of
 * communication. All begin with a silence, or with `steady: yes` in the midst of what a long run
 * would have: of a burst or silence under way the rest (its equilibrium distribution), so that
 * short windows hold as many bursts as long ones. The intensity is drawn for each job, log-uniform
 * between `min_intensity` and `max_intensity`, or as `intensity: {0 %: 6, 15 %: 3, 30 %: 1}` says
 * (value: weight; at 0 % it sends nothing), and is that of its busiest ends: where n ranks send to
 * one, each sends an n-th of it, for together they get no more from the receiver. Its pattern by
 * weight:
 *   alltoall  every rank to each other one in turn
 *   halo      to the neighbours of a grid that is as cubic as the ranks allow
 *   incast    all to one rank, drawn
 *   io        all to the same sixteenth of the ranks, drawn: those near storage; or, where the last
 *             `stores` ranks are storage, these read from all others in turn, as a file server
 *             fetches what is written (RDMA GET), and the others send nothing meanwhile
 * `reads: yes`: in alltoall and halo a rank reads from those to whom it would send, as an MPI
 * library's rendezvous by GET; what one reads, another sends.
 * `receiver_paced: yes` is a receiver that fetches from one of those n after the other, as storage
 * does and a rendezvous by reading: its link is never asked for more than it has, and n senders of
 * a burst have a message under way in turn.
 * Open loop; or, with `outstanding` above 0, closed: a rank waits until the message so many before
 * has left its NIC, and the burst goes on later. So what holds back its NIC (credits, congestion
 * control) holds back the job; in an open loop a hindered job piles up what it will send.
 * Each iteration begins with the first job anew.
 * goodput: payload bytes a rank sends, over the iteration's time. */
#include <math.h>

#include "base/rate.h"
#include "base/rng.h"
#include "workload/distribution.h"
#include "workload/program.h"

#define EPOCHS 1024
#define LONGEST_PS G_GINT64_CONSTANT(100000000000000000) /* of one wait: 28 hours */
enum { ALLTOALL, HALO, INCAST, IO, KINDS };

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, "16 KiB", 1, 1e12, NULL, "size of each message"},
    {"rate", DN_PARAM_RATE, NULL, 1, 1e18, NULL, "of a rank inside a burst"},
    {"min_intensity", DN_PARAM_REAL, "1 %", 1e-6, 1, NULL, "of rate, on the mean"},
    {"max_intensity", DN_PARAM_REAL, "30 %", 1e-6, 1, NULL, "of rate, on the mean"},
    {"intensity", DN_PARAM_NODE, "", 0, 0, NULL, "intensity: weight, instead of these two"},
    {"burst", DN_PARAM_TIME, "50 us", 1, 1e15, NULL, "mean length of a burst of a message or more"},
    {"shape", DN_PARAM_REAL, "1.5", 1.01, 100, NULL, "of the tails: P(X > x) ~ x^-shape"},
    {"synchronous", DN_PARAM_BOOL, "no", 0, 0, NULL, "all ranks of the job burst at the same time"},
    {"steady", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "time 0 is in the midst of bursts and silences, not the beginning of a silence; yes in "
     "`background:` of a run"},
    {"lifetime", DN_PARAM_TIME, "10 ms", 1, 0, NULL, "mean time from job to job"},
    {"alltoall", DN_PARAM_REAL, "3", 0, 1e9, NULL, "weight of the pattern"},
    {"halo", DN_PARAM_REAL, "4", 0, 1e9, NULL, "weight of the pattern"},
    {"incast", DN_PARAM_REAL, "1", 0, 1e9, NULL, "weight of the pattern"},
    {"io", DN_PARAM_REAL, "2", 0, 1e9, NULL, "weight of the pattern"},
    {"receiver_paced", DN_PARAM_BOOL, "no", 0, 0, NULL, "many to one comes at the pace of the one"},
    {"outstanding", DN_PARAM_INT, "0", 0, 1024, NULL, "messages before a rank waits; 0: never"},
    {"stores", DN_PARAM_INT, "0", 0, 1 << 20, NULL,
     "last ranks, which read in io and do nothing else; 0: a sixteenth is sent to"},
    {"reads", DN_PARAM_BOOL, "no", 0, 0, NULL, "alltoall and halo read instead of sending"},
    {"messages", DN_PARAM_INT, "1000", 1, 1e9, NULL, "messages a rank sends in an iteration"},
    {0},
};

typedef struct {
    gint64 end_ps;
    guint8 kind;
    guint32 target; /* first rank of incast, io */
    gint64 slot_ps; /* between messages of a burst */
    gint64 turn_ps; /* between the turns of ranks that send to one; 0: all send at once */
    double silence; /* over a burst, on the mean; below 0: nothing else */
    double least_silence_ps;
} Epoch;

typedef struct {
    guint32 messages, outstanding;
    guint32 stores, clients; /* the last ranks; the others */
    gboolean reads;
    double shape, least_burst_ps;
    gint64 slot_ps;
    gboolean synchronous, receiver_paced, steady;
    guint32 grid[3];
    Epoch epochs[EPOCHS];
} Tenant;

static double tenant_pareto(double least, double shape, guint64 bits)
{
    return MIN((double)LONGEST_PS, least * pow(dn_draw_unit(bits), -1.0 / shape));
}

/* Mean of the larger of @floor and a Pareto value. */
static double floored_mean(double least, double shape, double floor)
{
    double from = MAX(least, floor);
    return from + from * pow(least / from, shape) / (shape - 1);
}

/* Draws the rest of the larger of @floor and a Pareto value at a random moment of it: Cox, "Renewal
 * Theory", 1962, section 5.1. */
static double floored_residual(double least, double shape, double floor, guint64 bits)
{
    double from = MAX(least, floor), u = dn_draw_unit(bits);
    double mean = floored_mean(least, shape, floor);
    if (u * mean < from)
        return u * mean;
    double tail = mean / from - 1; /* of the mean, beyond from */
    return MIN((double)LONGEST_PS, from * pow((1 - u) * mean / from / tail, -1 / (shape - 1)));
}

static const char *const kind_names[KINDS] = {"alltoall", "halo", "incast", "io"};

static gboolean read_weights(const DnParams *params, double weights[KINDS], GError **error)
{
    double sum = 0;
    for (guint k = 0; k < KINDS; k++)
        sum += weights[k] = dn_params_real(params, kind_names[k]);
    if (sum > 0)
        return TRUE;
    dn_params_error(params, kind_names[0], DN_ERROR_RANGE, error,
                    "no pattern has a weight; allowed: at least one of alltoall, halo, incast, io "
                    "above 0");
    return FALSE;
}

/* Distribution of intensities: log-uniform between two values, or as given. */
typedef struct {
    DnDistribution *given;
    double least, most;
} Intensities;

static gboolean read_given(const DnParams *params, Intensities *intensities, GError **error)
{
    static const DnParamSpec VALUE = {"intensity", DN_PARAM_REAL,         NULL, 0, 1,
                                      NULL,        "of rate, on the mean"};
    DnDistribution *d = dn_distribution_read(dn_params_node(params, "intensity"), &VALUE, error);
    if (d == NULL)
        return FALSE;
    intensities->given = d;
    intensities->most = 0;
    for (guint i = 0; i < d->n; i++)
        if (d->weights[i] > 0)
            intensities->most = MAX(intensities->most, d->values[i]);
    if (intensities->most > 0)
        return TRUE;
    dn_params_error(params, "intensity", DN_ERROR_RANGE, error,
                    "intensity: nobody sends; at least one value above 0 needs a weight");
    return FALSE;
}

static gboolean read_intensities(const DnParams *params, Intensities *intensities, GError **error)
{
    intensities->least = dn_params_real(params, "min_intensity");
    intensities->most = dn_params_real(params, "max_intensity");
    if (intensities->least > intensities->most) {
        dn_params_error(params, "min_intensity", DN_ERROR_RANGE, error,
                        "min_intensity is above max_intensity");
        return FALSE;
    }
    return !dn_params_has(params, "intensity") || read_given(params, intensities, error);
}

static double draw_intensity(const Intensities *i, guint64 bits)
{
    if (i->given != NULL)
        return dn_distribution_draw(i->given, bits);
    double least = log(i->least), most = log(i->most);
    return exp(least + (most - least) * dn_draw_unit(bits));
}

/* Ranks that receive, of io. */
static guint32 tenant_stores(guint32 ranks)
{
    return MAX(1, ranks / 16);
}

/* Returns how many ranks send to the busiest rank. */
static double senders_of(const Tenant *t, guint8 kind)
{
    double senders = kind == INCAST                 ? t->clients - 1
                     : kind == IO && t->stores == 0 ? (double)t->clients / tenant_stores(t->clients)
                                                    : 1;
    return MAX(1, senders);
}

/* Returns the shortest burst of @epoch, in messages; one that is shorter than one has one. */
static double least_messages(const Tenant *t, const Epoch *epoch)
{
    return t->least_burst_ps / (double)epoch->slot_ps;
}

/* The last job is none of the quiet ones: it never ends. */
static void draw_epochs(const DnProgram *program, double lifetime_ps, const double *weights,
                        const Intensities *intensities)
{
    Tenant *t = program->data;
    guint64 key = dn_draw_key(program->seed, DN_DRAW_WORKLOAD, G_MAXUINT32);
    double end_ps = 0;
    for (guint64 e = 0; e < EPOCHS; e++) {
        Epoch *epoch = &t->epochs[e];
        gboolean last = e + 1 == EPOCHS;
        double intensity = draw_intensity(intensities, dn_draw(key, 4 * e));
        if (last && intensity <= 0)
            intensity = intensities->most;
        end_ps += -log(dn_draw_unit(dn_draw(key, 4 * e + 1))) * lifetime_ps;
        epoch->end_ps = last ? G_MAXINT64 : (gint64)MIN(9e18, end_ps);
        epoch->kind = (guint8)dn_draw_weighted(weights, KINDS, dn_draw(key, 4 * e + 2));
        epoch->target = dn_draw_below(dn_draw(key, 4 * e + 3), t->clients);
        double senders = senders_of(t, epoch->kind);
        double ends =
            t->receiver_paced ? 1 : senders; /* that use up what the busiest end has, at once */
        epoch->turn_ps = t->receiver_paced && senders > 1 ? t->slot_ps : 0;
        epoch->slot_ps = t->receiver_paced ? (gint64)(senders * (double)t->slot_ps) : t->slot_ps;
        epoch->silence = intensity > 0 ? ends / MIN(1, intensity) - 1 : -1;
        epoch->least_silence_ps = epoch->silence * (double)epoch->slot_ps *
                                  floored_mean(least_messages(t, epoch), t->shape, 1) *
                                  (t->shape - 1) / t->shape;
    }
}

/* Sides as equal as whole numbers allow: the third is the largest divisor not above the cube root,
 * and so on. */
static void fit_grid(guint32 ranks, guint32 grid[3])
{
    for (guint d = 0; d < 3; d++) {
        guint32 side = (guint32)floor(pow(ranks, 1.0 / (3 - d)) + 1e-9);
        while (ranks % side != 0)
            side--;
        grid[d] = side;
        ranks /= side;
    }
}

static gboolean tenant_init(DnProgram *program, const DnParams *params, GError **error)
{
    Tenant *t = g_new0(Tenant, 1);
    double weights[KINDS];
    Intensities intensities = {0};
    program->data = t;
    program->bytes = dn_params_int(params, "bytes");
    if (!read_weights(params, weights, error))
        return FALSE;
    gboolean well = read_intensities(params, &intensities, error);
    double rate_bps = (double)dn_params_int(params, "rate");
    t->messages = (guint32)dn_params_int(params, "messages");
    t->outstanding = (guint32)dn_params_int(params, "outstanding");
    t->stores = (guint32)dn_params_int(params, "stores");
    t->reads = dn_params_bool(params, "reads");
    if (t->stores + 2 > program->ranks) {
        dn_params_error(params, "stores", DN_ERROR_RANGE, error,
                        "%u stores of %u ranks; at least two others are needed", t->stores,
                        program->ranks);
        well = FALSE;
    }
    t->clients = well ? program->ranks - t->stores : program->ranks;
    program->reads = t->reads || t->stores > 0;
    program->apart = TRUE;
    t->synchronous = dn_params_bool(params, "synchronous");
    t->receiver_paced = dn_params_bool(params, "receiver_paced");
    t->steady = dn_params_bool(params, "steady");
    t->shape = dn_params_real(params, "shape");
    t->least_burst_ps = (double)dn_params_int(params, "burst") * (t->shape - 1) / t->shape;
    t->slot_ps = MAX(1, dn_rate_time_ps((double)program->bytes, rate_bps));
    fit_grid(t->clients, t->grid);
    if (well)
        draw_epochs(program, (double)dn_params_int(params, "lifetime"), weights, &intensities);
    dn_distribution_free(intensities.given);
    return well;
}

/* The neighbour in direction @k of six; DN_NONE where the grid is one thick. */
static guint32 tenant_neighbour(const guint32 grid[3], guint32 rank, guint k)
{
    guint32 stride = 1;
    for (guint d = 0; d < k / 2; d++)
        stride *= grid[d];
    guint32 side = grid[k / 2], at = rank / stride % side;
    guint32 to = k % 2 ? (at + 1) % side : (at + side - 1) % side;
    return to == at ? G_MAXUINT32 : rank + to * stride - at * stride;
}

/* Each store in turn; as many ranks at each, also where all are at their @n-th message. */
static guint32 store_of(guint32 rank, guint32 ranks, guint64 n)
{
    guint32 senders = MAX(1, ranks / tenant_stores(ranks));
    return (guint32)((rank / senders + n) % tenant_stores(ranks));
}

/* Returns the destination of message @n of @rank; the rank itself: no message. */
static guint32 peer_of(const DnProgram *program, const Epoch *epoch, guint32 rank, guint64 n)
{
    const Tenant *t = program->data;
    guint32 ranks = t->clients;
    gboolean store = rank >= ranks, stores_work = epoch->kind == IO && t->stores > 0;
    if (store && stores_work)
        return (guint32)((rank - ranks + n * t->stores) % ranks);
    if (store || stores_work)
        return rank;
    switch (epoch->kind) {
    case HALO:
        for (guint k = 0; k < 6; k++) {
            guint32 other = tenant_neighbour(t->grid, rank, (guint)((n + k) % 6));
            if (other != G_MAXUINT32)
                return other;
        }
        return rank;
    case INCAST:
        return epoch->target;
    case IO:
        return (epoch->target + store_of(rank, ranks, n)) % ranks;
    default:
        return (guint32)((rank + 1 + n % (ranks - 1)) % ranks);
    }
}

/* Returns the length of a burst: whole messages, rounded at random. */
static guint64 burst_ps(const Tenant *t, const Epoch *epoch, guint64 length, guint64 rounding)
{
    double messages = MAX(1, tenant_pareto(least_messages(t, epoch), t->shape, length));
    double whole = floor(messages);
    whole += dn_draw_unit(rounding) <= messages - whole;
    return (guint64)MIN((double)LONGEST_PS, whole * (double)epoch->slot_ps);
}

/* Before the first message of a rank that is in the midst of a burst or a silence. Where lengths
 * are rounded at random, so many whole messages as fit into the rest of a length are left, and that
 * which is under way. */
static gint64 first_gap_ps(const Tenant *t, const Epoch *epoch, guint64 key, DnCursor *cursor)
{
    double slot_ps = (double)epoch->slot_ps;
    if (dn_draw_unit(dn_draw(key, 1)) * (1 + epoch->silence) <= 1) {
        double left = floored_residual(least_messages(t, epoch), t->shape, 1, dn_draw(key, 2));
        gint64 first_ps = (gint64)(dn_draw_unit(dn_draw(key, 3)) * slot_ps);
        cursor->c =
            MAX(1, (guint64)first_ps + (guint64)MIN((double)LONGEST_PS, floor(left) * slot_ps));
        return first_ps;
    }
    gint64 silence_ps =
        (gint64)floored_residual(epoch->least_silence_ps, t->shape, 0, dn_draw(key, 2));
    cursor->c = (guint64)silence_ps + burst_ps(t, epoch, dn_draw(key, 3), dn_draw(key, 4));
    return epoch->slot_ps + silence_ps;
}

/* Before message @n of @rank: its slot, and where the burst is over a silence and a new burst. */
static gint64 gap_ps(const DnProgram *program, const Epoch *epoch, guint32 rank, guint64 n,
                     DnCursor *cursor)
{
    const Tenant *t = program->data;
    if ((gint64)cursor->a + epoch->slot_ps <= (gint64)cursor->c)
        return epoch->slot_ps;
    guint64 key =
        dn_draw_key(program->seed, DN_DRAW_WORKLOAD, t->synchronous ? G_MAXUINT32 - 1 : rank);
    if (t->steady && cursor->iteration == 0 && cursor->c == 0)
        return first_gap_ps(t, epoch, dn_mix64(key), cursor);
    guint64 draw = ((guint64)cursor->iteration << 40 | n) << 1;
    gint64 silence_ps =
        (gint64)tenant_pareto(epoch->least_silence_ps, t->shape, dn_draw(key, draw));
    cursor->c = cursor->a + (guint64)silence_ps +
                burst_ps(t, epoch, dn_draw(key, draw + 1), dn_draw(dn_mix64(~key), draw));
    return epoch->slot_ps + silence_ps;
}

/* Steps of a message: cursor->b & 3. */
enum { GAP, CAPACITY, SEND };

/* cursor->a: time at which the last message was issued, if nothing delayed it; b: messages << 2 |
 * what comes next; c: end of the burst; step: job. */
static gboolean tenant_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Tenant *t = program->data;
    guint64 n = cursor->b >> 2;
    while ((gint64)cursor->a >= t->epochs[cursor->step].end_ps)
        cursor->step++;
    const Epoch *epoch = &t->epochs[cursor->step];
    if (!program->endless && n >= t->messages) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return cursor->b++ == 4 * (guint64)t->messages;
    }
    guint32 peer = peer_of(program, epoch, rank, n), slot = t->outstanding ? n % t->outstanding : 0;
    if ((cursor->b & 3) == CAPACITY) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = slot};
        cursor->b++;
        return TRUE;
    }
    if ((cursor->b & 3) == SEND && peer != rank) {
        gboolean reads = epoch->kind == IO ? t->stores > 0 : t->reads && epoch->kind != INCAST;
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = peer,
                     .request = slot,
                     .bytes = program->bytes,
                     .flags = DN_OP_ONE_SIDED | (reads ? DN_OP_READ : 0)};
        cursor->b = (n + 1) << 2;
        return TRUE;
    }
    if ((cursor->b & 3) == SEND) /* nobody to send to: as if sent */
        cursor->b = ++n << 2;
    gint64 wait_ps;
    gboolean quiet = epoch->silence < 0 || (t->stores > 0 && peer == rank);
    if (quiet) { /* a quiet job: until it ends */
        wait_ps = MIN(epoch->end_ps - (gint64)cursor->a, LONGEST_PS);
    } else {
        wait_ps = gap_ps(program, epoch, rank, n, cursor);
        cursor->b |= t->outstanding > 0 ? CAPACITY : SEND;
    }
    cursor->a += (guint64)wait_ps;
    if (n == 0) /* its turn among those that send to one */
        wait_ps += epoch->turn_ps * (gint64)(rank % (guint32)senders_of(t, epoch->kind));
    *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = wait_ps};
    return TRUE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Tenant *t = program->data;
    return (double)program->bytes * t->messages;
}

static const char *tenant_pattern(const DnProgram *program, gint64 now_ps)
{
    const Tenant *t = program->data;
    guint e = 0;
    while (t->epochs[e].end_ps <= now_ps) /* that of the last is G_MAXINT64 */
        e++;
    return t->epochs[e].silence < 0 ? "silence" : kind_names[t->epochs[e].kind];
}

extern const DnProgramType dn_program_tenant;
const DnProgramType dn_program_tenant = {
    .name = "tenant",
    .help = "another user's job: bursts with heavy tails in a pattern (all-to-all, halo, incast, "
            "I/O) that changes when jobs end; what background: of a run draws",
    .goodput = "bytes a rank sends",
    .limits = "a rank does not wait for what it is sent, so ranks that burst together drift apart "
              "when some are hindered; the first jobs begin at time 0 together; after its last "
              "drawn job the last one goes on",
    .source = "Willinger, Taqqu, Sherman, Wilson, IEEE/ACM Trans. Networking 5(1), 1997",
    .drawable = TRUE,
    .params = params_,
    .min_ranks = 2,
    .init = tenant_init,
    .free = dn_program_free_data,
    .pattern = tenant_pattern,
    .next = tenant_next,
    .bytes_moved = dn_program_moved_by_all,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1.0,
};
