/* collective_program.c - the workload type of each collective: its keys, and the choice of
 * algorithm.
 *
 * `algorithm` is a name or `auto`, what `library` would take (program->note), as a library alone.
 * goodput counts: allreduce, reduce_scatter, bcast, reduce, scan the buffer; allgather the result
 * (NCCL's algorithm bandwidth); alltoall, gather, scatter blocks for others; barrier nothing. */
#include <string.h>

#include "base/units.h"
#include "workload/collective_barrier.h"
#include "workload/select.h"
#include "workload/staged_collective.h"

typedef struct {
    DnCollCall call;
    DnCollChoice choice;
    guint32 *rings, *places, *ranks;
    guint32 *index; /* [program->ranks] place in the communicator, DN_NONE */
    DnCollNodes *nodes;
    DnCollStaging staging;
    DnCollCall barrier; /* before each iteration of a program that is after_barrier */
} Collective;

static const char *const shares[] = {"rank", "block", NULL}; /* of reduce_scatter */
static const char *const bases[] = {"pair", "rank", NULL};

#define MOST_BYTES 1e15
#define BYTES(help)                                                                                \
    {                                                                                              \
        "bytes", DN_PARAM_BYTES, NULL, 0, MOST_BYTES, NULL, help                                   \
    }
#define COMMON(algorithm_)                                                                         \
    {"algorithm", DN_PARAM_STRING, algorithm_, 0, 0, NULL, "its name, or auto"},                   \
        {"communicator", DN_PARAM_INT_LIST, "", 0, 0, NULL, "its ranks; all when left out"},       \
        {"segment", DN_PARAM_BYTES, "", 1, 1e15, NULL, "piece of a pipelined algorithm"},          \
        {"staged", DN_PARAM_BOOL, "no", 0, 0, NULL, "the buffer is copied before and after"},      \
        DN_COLL_PARAMS
#define BARRIER                                                                                    \
    {                                                                                              \
        "barrier", DN_PARAM_BOOL, "no", 0, 0, NULL,                                                \
            "each iteration begins with the MPI library's barrier (by dissemination where it is "  \
            "NCCL's or none), which is not timed, and takes as long as the slowest rank from its " \
            "own end of it, as benchmarks measure"                                                 \
    }
#define ROOT                                                                                       \
    {                                                                                              \
        "root", DN_PARAM_INT, "0", 0, 1e9, NULL, "where it comes from or ends"                     \
    }

#define RINGS                                                                                      \
    {                                                                                              \
        "rings", DN_PARAM_NODE, "", 0, 0, NULL, "lists of ranks; by_node; or the machine's"        \
    }

static const DnParamSpec scan_params[] = {
    BYTES("size of each rank's buffer"), DN_COLL_COMMUTATIVE, COMMON("auto"), BARRIER, {0}};
static const DnParamSpec reduce_scatter_params[] = {
    BYTES("size of each rank's buffer, or of its block of the result"),
    {"bytes_per", DN_PARAM_CHOICE, "rank", 0, 0, shares, "what `bytes` is the size of"},
    DN_COLL_ONE_COUNT,
    DN_COLL_COMMUTATIVE,
    COMMON("auto"),
    BARRIER,
    RINGS,
    {0}};
static const DnParamSpec allreduce_params[] = {
    BYTES("size of each rank's buffer"),
    {"block", DN_PARAM_BYTES, "", 1, 1e15, NULL, "done piece by piece of this size"},
    DN_COLL_COMMUTATIVE,
    COMMON("auto"),
    BARRIER,
    RINGS,
    {0}};
static const DnParamSpec ring_params[] = {
    BYTES("size of each rank's buffer"), COMMON("ring"), BARRIER, {0}};
static const DnParamSpec rooted_params[] = {
    BYTES("size of the buffer, or of a rank's block (gather, scatter)"),
    ROOT,
    COMMON("auto"),
    BARRIER,
    {0}};
static const DnParamSpec reduce_params[] = {
    BYTES("size of the buffer"), ROOT, DN_COLL_COMMUTATIVE, COMMON("auto"), BARRIER, {0}};
static const DnParamSpec block_params[] = {
    BYTES("size of each rank's block"), COMMON("auto"), BARRIER, RINGS, {0}};
static const DnParamSpec alltoall_params[] = {
    BYTES("size of a block, or of a rank's buffer"),
    {"bytes_per", DN_PARAM_CHOICE, "pair", 0, 0, bases, "what `bytes` is the size of"},
    DN_COLL_IN_PLACE_KEY,
    COMMON("pairwise"),
    BARRIER,
    {0},
};
static const DnParamSpec alltoallv_params[] = {
    BYTES("mean size of a block"),
    {"spread", DN_PARAM_REAL, "0.5", 0, 1, NULL, "sizes: bytes times 1 - this to 1 + this"},
    DN_COLL_IN_PLACE_KEY,
    COMMON("pairwise"),
    BARRIER,
    {0},
};
static const DnParamSpec barrier_params[] = {COMMON("auto"), {0}};

static DnCollKind kind_of(const DnProgram *program)
{
    g_assert(program->type->collective != 0);
    return (DnCollKind)(program->type->collective - 1);
}

/* ---- communicator ---- */

static gboolean read_communicator(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = program->data;
    guint n;
    c->call.n = program->ranks;
    if (!dn_params_has(params, "communicator"))
        return TRUE;
    const gint64 *list = dn_params_list(params, "communicator", &n);
    c->ranks = g_new(guint32, MAX(1, n));
    c->index = g_new(guint32, program->ranks);
    memset(c->index, 0xff, program->ranks * sizeof *c->index);
    for (guint i = 0; i < n; i++) {
        if (list[i] < 0 || list[i] >= program->ranks || c->index[list[i]] != DN_ANY) {
            dn_params_error(params, "communicator", DN_ERROR_RANGE, error,
                            "a communicator is a list of different ranks, 0 to %u",
                            program->ranks - 1);
            return FALSE;
        }
        c->ranks[i] = (guint32)list[i];
        c->index[list[i]] = i;
    }
    if (n == 0) {
        dn_params_error(params, "communicator", DN_ERROR_RANGE, error,
                        "a communicator has at least one rank");
        return FALSE;
    }
    c->call.ranks = c->ranks;
    c->call.n = n;
    return TRUE;
}

/* ---- the algorithm ---- */

/* Returns whether no algorithm is named: then a library chooses. */
static gboolean library_chooses(const DnProgram *program, const DnParams *params)
{
    return strcmp(dn_params_string(params, "algorithm"), "auto") == 0 ||
           dn_coll_library_decides(params, program->machine, kind_of(program));
}

/* Returns what the machine's MPI does where @params do not say; NULL: it does not choose. */
static const DnMpiMachine *machine_mpi(const DnProgram *program, const DnParams *params)
{
    const Collective *c = program->data;
    const DnCollMachine *machine = program->machine;
    gboolean own = machine != NULL && machine->mpi.library == c->choice.library;
    return own && library_chooses(program, params) ? &machine->mpi : NULL;
}

static void unknown_algorithm(DnCollKind kind, const DnParams *params, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; dn_coll_algorithms[i]; i++)
        if (dn_coll_algorithms[i]->kind == kind)
            g_ptr_array_add(names, (gpointer)dn_coll_algorithms[i]->name);
    g_ptr_array_add(names, (gpointer) "auto");
    g_ptr_array_add(names, NULL);
    g_autofree char *where = g_strconcat(" for ", dn_coll_kind_name(kind), NULL);
    g_autofree char *unknown = dn_unknown_where(dn_params_string(params, "algorithm"), where,
                                                (const char *const *)names->pdata, "known");
    dn_params_error(params, "algorithm", DN_ERROR_UNKNOWN, error, "unknown algorithm %s", unknown);
}

static void coll_program_note(DnProgram *program, DnCollKind kind, const char *library,
                              const DnSelection *selection)
{
    const Collective *c = program->data;
    char size[DN_UNIT_BUF], time[DN_UNIT_BUF];
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%s of %s on %u ranks: %s by its choice %s", dn_coll_kind_name(kind),
                    dn_format_bytes(program->bytes, size), c->call.n, library, selection->chosen);
    if (selection->estimate_ps > 0)
        g_string_append_printf(text, " (its model says %s)",
                               dn_format_time(selection->estimate_ps, time));
    if (strcmp(selection->chosen, c->call.algorithm->name) != 0)
        g_string_append_printf(text, "; run as %s", c->call.algorithm->name);
    program->chosen = g_strdup(selection->falls_back ? c->call.algorithm->name : selection->chosen);
    program->note = g_string_free(text, FALSE);
}

/* As `algorithm: auto`, or by @named, one of NCCL's whose protocol and chunks its model chooses. */
static gboolean coll_program_choose(DnProgram *program, const DnCollAlgorithm *named,
                                    const DnParams *params, GError **error)
{
    Collective *c = program->data;
    DnCollKind kind = kind_of(program);
    DnNcclMachine machine = c->choice.nccl;
    const DnCollLibrary *library = c->choice.library;
    DnSelection selection;
    if (named && !library->channels)
        library = dn_coll_library_find("nccl");
    if (named)
        machine.only = named->nccl;
    if (!dn_coll_choice_check(params, &c->choice, library, 1u << kind, error))
        return FALSE;
    library->select(&c->call, kind, &machine, &selection);
    dn_selection_apply(&selection, kind, c->choice.window_given, &c->call);
    program->protocol = selection.protocol;
    coll_program_note(program, kind, library->name, &selection);
    return TRUE;
}

static gboolean check_algorithm(const DnProgram *program, const DnParams *params, GError **error)
{
    const Collective *c = program->data;
    const DnCollAlgorithm *algorithm = c->call.algorithm;
    const char *needs = algorithm->needs ? algorithm->needs(&c->call) : NULL;
    if (needs) {
        dn_params_error(params, "algorithm", DN_ERROR_RANGE, error,
                        "%s by %s needs %s; there are %u ranks", dn_coll_kind_name(algorithm->kind),
                        algorithm->name, needs, c->call.n);
        return FALSE;
    }
    if (dn_coll_fits(algorithm, &c->call))
        return TRUE;
    dn_params_error(params, "algorithm", DN_ERROR_RANGE, error,
                    "%s needs blocks of equal size; take linear, pairwise or linear_sync",
                    algorithm->name);
    return FALSE;
}

static gboolean read_algorithm(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = program->data;
    DnCollKind kind = kind_of(program);
    const char *name = dn_params_string(params, "algorithm");
    if (library_chooses(program, params))
        return coll_program_choose(program, NULL, params, error);
    const DnCollAlgorithm *algorithm = dn_coll_find(kind, name);
    if (!algorithm) {
        unknown_algorithm(kind, params, error);
        return FALSE;
    }
    if (algorithm->nccl != DN_NCCL_BEST && c->choice.nccl.bus_bps > 0)
        return coll_program_choose(program, algorithm, params, error);
    c->call.algorithm = algorithm;
    c->call.segment = algorithm->segment;
    c->call.style = c->choice.style;
    return check_algorithm(program, params, error);
}

/* Returns the shape of an algorithm by which mechanisms decide. */
static const char *algorithm_shape(const DnCollAlgorithm *algorithm)
{
    if (algorithm->nccl == DN_NCCL_TREE)
        return "tree";
    return algorithm->nccl == DN_NCCL_RING ? "ring" : NULL;
}

/* Returns the size of the pieces of an allreduce. */
static gint64 allreduce_block(const DnProgram *program, const DnParams *params)
{
    const DnMpiMachine *mpi = machine_mpi(program, params);
    if (dn_params_has(params, "block"))
        return dn_params_int(params, "block");
    return mpi != NULL && mpi->block_bytes > 0 ? mpi->block_bytes : G_MAXINT64;
}

/* Takes `bytes` as a rank's buffer (alltoall) or block (reduce_scatter), not as what it is by
 * default. */
static gboolean count_other_bytes(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = program->data;
    if (program->type->collective != 1 + DN_COLL_REDUCE_SCATTER) {
        c->call.bytes = c->staging.total = c->call.bytes / c->call.n;
        return TRUE;
    }
    if (c->call.bytes > (gint64)MOST_BYTES / c->call.n) {
        dn_params_error(params, "bytes", DN_ERROR_RANGE, error,
                        "%u blocks are more than a buffer of 909.5 TiB", c->call.n);
        return FALSE;
    }
    c->call.bytes = c->staging.total = c->call.bytes * c->call.n;
    return TRUE;
}

static gboolean has_barrier(const DnProgram *program, const DnParams *params)
{
    return dn_program_has_key(program, "barrier") && dn_params_bool(params, "barrier");
}

/* Sets the call's nodes, and what depends on them. */
static void place_call(DnProgram *program, const DnParams *params)
{
    Collective *c = program->data;
    DnCollKind kind = kind_of(program);
    const DnCollAlgorithm *named = dn_coll_find(kind, dn_params_string(params, "algorithm"));
    gboolean asks = named == NULL && dn_coll_find(kind, "smp") != NULL;
    c->choice.two_levels =
        (named != NULL && named->two_levels) ||
        ((asks || has_barrier(program, params)) && c->choice.library->two_levels);
    gboolean listed;
    guint32 group = dn_coll_choice_group(&c->choice, &c->call, &listed);
    c->nodes = dn_coll_choice_nodes(&c->choice, listed, &c->call);
    dn_coll_choice_place(&c->choice, group, c->nodes, &c->call);
}

static gboolean read_sizes(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = program->data;
    DnCollCall *call = &c->call;
    if (dn_program_has_key(program, "bytes"))
        program->bytes = dn_params_int(params, "bytes");
    call->bytes = c->staging.total = program->bytes;
    if (dn_program_has_key(program, "bytes_per") && dn_params_int(params, "bytes_per") == 1 &&
        !count_other_bytes(program, params, error))
        return FALSE;
    if (dn_program_has_key(program, "spread"))
        call->spread = dn_params_real(params, "spread");
    if (dn_program_has_key(program, "root"))
        call->root = (guint32)dn_params_int(params, "root");
    if (call->root >= call->n) {
        dn_params_error(params, "root", DN_ERROR_RANGE, error, "root %u; ranks are 0 to %u",
                        call->root, call->n - 1);
        return FALSE;
    }
    call->seed = program->seed;
    call->unequal = program->type->unequal;
    const DnCollLibrary *unnamed = program->machine != NULL ? program->machine->mpi.library : NULL;
    if (!dn_coll_choice_read(params, program->machine, unnamed, &c->choice, call, error) ||
        !dn_coll_read_form(params, program, call, error))
        return FALSE;
    if (dn_program_has_key(program, "block"))
        call->bytes = MIN(call->bytes, allreduce_block(program, params));
    place_call(program, params);
    return TRUE;
}

static gboolean read_staged(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = program->data;
    const DnMpiMachine *mpi = machine_mpi(program, params);
    gboolean reduces = dn_coll_kind_reduces(kind_of(program));
    c->staging.staged = dn_params_bool(params, "staged");
    if (mpi != NULL && !dn_params_given(params, "staged"))
        c->staging.staged = mpi->staged && reduces && program->streams == 1;
    program->staged = c->staging.staged;
    c->call.own_in_place |= c->staging.staged && reduces &&
                            dn_coll_stages_in_place(c->choice.library);
    if (!c->staging.staged || program->streams == 1)
        return TRUE;
    dn_params_error(params, "staged", DN_ERROR_RANGE, error,
                    "%s runs in %u streams; only algorithms of one can be staged",
                    c->call.algorithm->name, program->streams);
    return FALSE;
}

/* In these a rank need not wait for all others. */
static gboolean is_one_way(DnCollKind kind)
{
    return kind == DN_COLL_BCAST || kind == DN_COLL_REDUCE || kind == DN_COLL_GATHER ||
           kind == DN_COLL_SCATTER || kind == DN_COLL_SCAN;
}

static gboolean coll_program_init(DnProgram *program, const DnParams *params, GError **error)
{
    Collective *c = g_new0(Collective, 1);
    program->data = c;
    if (!read_communicator(program, params, error) || !read_sizes(program, params, error) ||
        (dn_program_has_key(program, "rings") &&
         !dn_coll_rings_read(params, &c->call, &c->rings, &c->places, error)) ||
        !read_algorithm(program, params, error) || !dn_coll_check_form(params, &c->call, error))
        return FALSE;
    program->communicator_ranks = c->call.n;
    if (dn_params_has(params, "segment"))
        c->call.segment = dn_params_int(params, "segment");
    program->streams = dn_coll_streams(&c->call);
    program->algorithm = algorithm_shape(c->call.algorithm);
    dn_coll_choice_report(&c->choice, &c->call, program);
    if (has_barrier(program, params))
        dn_coll_barrier_before(program, &c->call, &c->choice, &c->barrier);
    program->apart = is_one_way(c->call.algorithm->kind) && !program->after_barrier;
    return read_staged(program, params, error);
}

static void coll_program_free(DnProgram *program)
{
    Collective *c = program->data;
    if (!c)
        return;
    g_free(c->rings);
    g_free(c->places);
    g_free(c->ranks);
    g_free(c->index);
    dn_coll_nodes_free(c->nodes);
    g_free(c);
}

static gboolean coll_program_next(const DnProgram *program, guint32 rank, DnCursor *cursor,
                                  DnOp *op)
{
    const Collective *c = program->data;
    guint32 me = c->index ? c->index[rank] : rank;
    if (me == DN_ANY)
        return FALSE;
    if (program->after_barrier && dn_coll_barrier_next(program, &c->barrier, me, cursor, op))
        return TRUE;
    return dn_coll_staged_next(&c->call, &c->staging, me, cursor, op);
}

static double bytes_moved(const DnProgram *program)
{
    const Collective *c = program->data;
    DnCollCall call;
    double bytes = 0;
    guint64 whole = c->call.bytes > 0 ? (guint64)(c->staging.total / c->call.bytes) : 0;
    if (whole > 0)
        bytes = (double)whole * dn_coll_bytes_moved(&c->call);
    return dn_coll_block(&c->call, &c->staging, whole, &call) ? bytes + dn_coll_bytes_moved(&call)
                                                              : bytes;
}

static double goodput_bytes(const DnProgram *program)
{
    const Collective *c = program->data;
    const DnCollCall *call = &c->call;
    switch (call->algorithm->kind) {
    case DN_COLL_ALLTOALL:
    case DN_COLL_GATHER:
    case DN_COLL_SCATTER:
        return (double)call->bytes * (call->n - 1);
    case DN_COLL_ALLGATHER:
        return (double)call->bytes * call->n;
    case DN_COLL_ALLREDUCE:
        return (double)c->staging.total;
    default:
        return (double)call->bytes;
    }
}

#define COLLECTIVE(name_, kind_, params_, help_, goodput_, ...)                                    \
    const DnProgramType dn_program_##name_ = {                                                     \
        .name = #name_,                                                                            \
        .help = help_,                                                                             \
        .goodput = goodput_,                                                                       \
        .limits = "buffers are cut at bytes, not at elements; the algorithm's own limits",         \
        .source = "MPI 4.0, chapter 6; the algorithm's file has its own",                          \
        .params = params_,                                                                         \
        .collective = kind_ + 1,                                                                   \
        __VA_ARGS__.min_ranks = 1,                                                                 \
        .init = coll_program_init,                                                                 \
        .free = coll_program_free,                                                                 \
        .next = coll_program_next,                                                                 \
        .bytes_moved = bytes_moved,                                                                \
        .goodput_bytes = goodput_bytes,                                                            \
        .time_scale = 1,                                                                           \
    }

COLLECTIVE(allreduce, DN_COLL_ALLREDUCE, allreduce_params, "sum of all ranks' buffers, everywhere",
           "bytes (the buffer)", );
COLLECTIVE(allreduce_ring, DN_COLL_ALLREDUCE, ring_params, "allreduce whose default is the ring",
           "bytes", );
COLLECTIVE(alltoall, DN_COLL_ALLTOALL, alltoall_params, "every rank to every other",
           "bytes a rank sends to others", );
COLLECTIVE(alltoallv, DN_COLL_ALLTOALL, alltoallv_params,
           "every rank to every other, every pair its own size around bytes",
           "mean bytes a rank sends to others", .unequal = TRUE, );
COLLECTIVE(allgather, DN_COLL_ALLGATHER, block_params, "every rank's block, everywhere",
           "bytes × ranks (the result)", );
COLLECTIVE(reduce_scatter, DN_COLL_REDUCE_SCATTER, reduce_scatter_params,
           "sum of all buffers, a piece each", "bytes (the buffer)", );
COLLECTIVE(bcast, DN_COLL_BCAST, rooted_params, "the root's buffer to all", "bytes", );
COLLECTIVE(reduce, DN_COLL_REDUCE, reduce_params, "sum of all buffers at the root", "bytes", );
COLLECTIVE(gather, DN_COLL_GATHER, rooted_params, "a block of each rank at the root",
           "bytes × (ranks - 1)", );
COLLECTIVE(scatter, DN_COLL_SCATTER, rooted_params, "a block for each rank from the root",
           "bytes × (ranks - 1)", );
COLLECTIVE(barrier, DN_COLL_BARRIER, barrier_params, "nobody goes on before all have come",
           "nothing", );
COLLECTIVE(scan, DN_COLL_SCAN, scan_params, "sum of the ranks up to each", "bytes", );
