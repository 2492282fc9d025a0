/* collective_calls.c - collectives of a trace, each in a worker's streams, by any algorithm.
 *
 * A worker's stream awaits its start, runs the algorithm, signals the end, and begins again. What
 * tells apart the messages of collectives that run at once (on other communicators, or
 * non-blocking) is a tag with 28 bits hashed of communicator, its k-th collective, and the
 * algorithm's own tag: two in flight between one pair of ranks share one with odds of 1 in 2^28.
 * A collective that the machine's MPI chooses is staged, cut into blocks and paid for as the same
 * workload is (collective_program.c). */
#include <string.h>

#include "trace/lower.h"
#include "trace/store.h"

static DnCollKind kind_of(guint8 call)
{
    static const guint8 kinds[DN_CALLS] = {
        [DN_CALL_BARRIER] = DN_COLL_BARRIER,
        [DN_CALL_BCAST] = DN_COLL_BCAST,
        [DN_CALL_REDUCE] = DN_COLL_REDUCE,
        [DN_CALL_ALLREDUCE] = DN_COLL_ALLREDUCE,
        [DN_CALL_SCAN] = DN_COLL_SCAN,
        [DN_CALL_EXSCAN] = DN_COLL_SCAN,
        [DN_CALL_GATHER] = DN_COLL_GATHER,
        [DN_CALL_SCATTER] = DN_COLL_SCATTER,
        [DN_CALL_ALLGATHER] = DN_COLL_ALLGATHER,
        [DN_CALL_ALLTOALL] = DN_COLL_ALLTOALL,
        [DN_CALL_REDUCE_SCATTER_BLOCK] = DN_COLL_REDUCE_SCATTER,
        [DN_CALL_GATHERV] = DN_COLL_GATHER,
        [DN_CALL_SCATTERV] = DN_COLL_SCATTER,
        [DN_CALL_ALLGATHERV] = DN_COLL_ALLGATHER,
        [DN_CALL_ALLTOALLV] = DN_COLL_ALLTOALL,
        [DN_CALL_ALLTOALLW] = DN_COLL_ALLTOALL,
        [DN_CALL_REDUCE_SCATTER] = DN_COLL_REDUCE_SCATTER,
        [DN_CALL_COMM_DUP] = DN_COLL_ALLREDUCE,
        [DN_CALL_COMM_SPLIT] = DN_COLL_ALLGATHER,
        [DN_CALL_COMM_CREATE] = DN_COLL_ALLREDUCE,
    };
    return kinds[call];
}

/* ---- the algorithm ---- */

/* Returns what the machine's MPI does for @kind; NULL: the run names an algorithm or a library. */
static const DnMpiMachine *machine_mpi(const DnLower *lower, DnCollKind kind)
{
    return lower->fixed[kind] == NULL ? lower->mpi : NULL;
}

/* Sets what of @call is a matter of choice. Returns the library's protocol, or NULL. */
static const char *coll_calls_choose(const DnLower *lower, DnLowerRank *rank, DnCollKind kind,
                                     DnCollCall *call)
{
    guint32 slot = (guint32)(dn_trace_mix(dn_trace_mix(kind, (guint64)call->bytes), call->n) >> 32);
    DnChoice *choice = &rank->choices[slot % DN_CHOICES];
    if (!choice->algorithm || call->unequal || choice->kind != kind || choice->n != call->n ||
        choice->bytes != call->bytes || choice->group != call->group ||
        choice->nodes != call->ring_orders.nodes || choice->one_count != call->one_count ||
        choice->form != call->form) {
        DnCollCall chosen = *call;
        chosen.algorithm = lower->fixed[kind];
        chosen.segment = chosen.algorithm ? chosen.algorithm->segment : 0;
        chosen.style = lower->choice.style;
        const char *protocol = NULL;
        if (!chosen.algorithm || !dn_coll_fits(chosen.algorithm, call) ||
            !dn_coll_fits_form(chosen.algorithm, call)) {
            DnSelection selection;
            lower->choice.library->select(call, kind, &lower->choice.nccl, &selection);
            dn_selection_apply(&selection, kind, lower->choice.window_given, &chosen);
            protocol = selection.protocol;
        }
        *choice = (DnChoice){.kind = call->unequal ? DN_COLL_KINDS : kind,
                             .n = call->n,
                             .bytes = call->bytes,
                             .group = call->group,
                             .nodes = call->ring_orders.nodes,
                             .one_count = call->one_count,
                             .form = call->form,
                             .algorithm = chosen.algorithm,
                             .style = chosen.style,
                             .segment = chosen.segment,
                             .window = chosen.window,
                             .channels = chosen.channels,
                             .n_rings = chosen.n_rings,
                             .in_flight = chosen.ring_orders.in_flight,
                             .protocol = protocol};
    }
    call->algorithm = choice->algorithm;
    call->style = choice->style;
    call->segment = choice->segment;
    call->window = choice->window;
    call->channels = choice->channels;
    call->n_rings = choice->n_rings;
    call->ring_orders.in_flight = choice->in_flight;
    return choice->protocol;
}

/* Counts an algorithm's use, for reports. */
static void count_use(DnLowerRank *rank, guint8 op_call, const DnCollCall *call, gint64 bytes)
{
    DnLowerUse *use = NULL;
    if (rank->uses == NULL)
        rank->uses = g_array_new(FALSE, FALSE, sizeof(DnLowerUse));
    for (guint i = 0; use == NULL && i < rank->uses->len; i++) {
        DnLowerUse *known = &g_array_index(rank->uses, DnLowerUse, i);
        if (known->call == op_call && known->algorithm == call->algorithm && known->n == call->n)
            use = known;
    }
    if (use == NULL) {
        const DnLowerUse first = {.call = op_call,
                                  .algorithm = call->algorithm,
                                  .n = call->n,
                                  .least_bytes = bytes,
                                  .most_bytes = bytes};
        g_array_append_val(rank->uses, first);
        use = &g_array_index(rank->uses, DnLowerUse, rank->uses->len - 1);
    }
    use->times++;
    use->least_bytes = MIN(use->least_bytes, bytes);
    use->most_bytes = MAX(use->most_bytes, bytes);
}

/* ---- a call ---- */

static void keep_sizes(DnWorker *w, const DnTraceOp *op)
{
    DnCollCall *call = &w->call;
    g_assert(call->n > 0 && op->n_list >= call->n); /* dn_trace_check_order() */
    if (op->n_list + 1 > w->capacity) {
        w->capacity = op->n_list + 1;
        w->sizes = g_renew(gint64, w->sizes, w->capacity);
    }
    if (dn_call_lists_pairs(op->call)) {
        memcpy(w->sizes, op->list, op->n_list * sizeof *op->list);
        call->send_bytes = w->sizes;
        call->recv_bytes = w->sizes + call->n;
        for (guint32 i = 0; i < call->n; i++)
            call->bytes += w->sizes[i] / call->n; /* a mean, for the choice */
        return;
    }
    w->sizes[0] = 0;
    for (guint32 i = 0; i < call->n; i++)
        w->sizes[i + 1] = w->sizes[i] + op->list[i];
    call->starts = w->sizes;
    gint64 all = w->sizes[call->n];
    call->bytes = op->call == DN_CALL_REDUCE_SCATTER ? all : all / call->n;
}

static gint64 own_bytes(const DnTraceOp *op)
{
    switch (op->call) {
    case DN_CALL_COMM_SPLIT:
        return 8;
    case DN_CALL_COMM_DUP:
    case DN_CALL_COMM_CREATE:
        return 4;
    default:
        return MAX(0, op->bytes);
    }
}

/* Returns the ranks of @comm by node, or NULL (dn_coll_choice_nodes()). They are the same for all
 * threads that make them at a time: one of which keeps its own. */
static const DnCollNodes *coll_calls_nodes(const DnLower *lower, const DnTraceComm *comm,
                                           gboolean listed, const DnCollCall *call)
{
    DnCollNodes **kept = &lower->nodes[comm - lower->trace->comms];
    const DnCollNodes *known = g_atomic_pointer_get(kept);
    if (known != NULL)
        return known;
    DnCollNodes *made = dn_coll_choice_nodes(&lower->choice, listed, call);
    if (made == NULL || g_atomic_pointer_compare_and_exchange(kept, NULL, made))
        return made;
    dn_coll_nodes_free(made);
    return g_atomic_pointer_get(kept);
}

/* The channels and nodes of a communicator, looked up once for each that comes again. */
static void coll_calls_place(const DnLower *lower, DnLowerRank *rank, const DnTraceComm *comm,
                             DnCollCall *call)
{
    if (lower->choice.node_of == NULL && !lower->choice.two_levels)
        return;
    DnPlace *place = &rank->places[comm->context % DN_CHOICES];
    if (place->comm != comm) {
        gboolean listed;
        guint32 group = dn_coll_choice_group(&lower->choice, call, &listed);
        *place = (DnPlace){comm, group, coll_calls_nodes(lower, comm, listed, call)};
    }
    dn_coll_choice_place(&lower->choice, place->group, place->nodes, call);
}

/* Cuts an allreduce into the blocks that the machine's MPI does one after another. */
static void cut_blocks(DnWorker *w, const DnMpiMachine *mpi, guint8 call)
{
    w->staging.total = w->call.bytes;
    if (mpi != NULL && mpi->block_bytes > 0 && call == DN_CALL_ALLREDUCE)
        w->call.bytes = MIN(w->call.bytes, mpi->block_bytes);
}

/* Returns whose costs a call of @kind has; the library chose @protocol, or NULL. */
static DnCallCosts costs_of(DnCollKind kind, gboolean staged, const char *protocol)
{
    if (kind == DN_COLL_ALLTOALL)
        return DN_CALL_COSTS_ALLTOALL;
    if (g_strcmp0(protocol, "host") == 0)
        return DN_CALL_COSTS_HOST;
    if (g_strcmp0(protocol, "kernel") == 0)
        return DN_CALL_COSTS_KERNEL;
    return staged ? DN_CALL_COSTS_REDUCE : DN_CALL_COSTS_OWN;
}

/* The same of a call of NCCL's, of which the library or the run chose the algorithm. */
static DnCallCosts nccl_costs_of(const DnCollAlgorithm *algorithm, const char *protocol)
{
    guint p = 0;
    if (algorithm->nccl == DN_NCCL_BEST)
        return DN_CALL_COSTS_GROUP;
    while (p + 1 < DN_NCCL_PROTOCOLS && g_strcmp0(protocol, dn_nccl_protocols[p]) != 0)
        p++; /* without a choice, Simple */
    return (
        DnCallCosts)((algorithm->nccl == DN_NCCL_TREE ? DN_CALL_COSTS_TREE : DN_CALL_COSTS_RING) +
                     p);
}

static void coll_calls_form(DnLower *lower, DnWorker *w, const DnTraceOp *op, DnCollKind kind)
{
    DnCollCall *call = &w->call;
    gboolean listed = op->n_list > 0 && dn_call_is_collective(op->call);
    if (listed)
        keep_sizes(w, op);
    call->one_count = op->call == DN_CALL_REDUCE_SCATTER_BLOCK && op->bytes % call->n == 0;
    call->many_types = op->call == DN_CALL_ALLTOALLW;
    if (op->flags & DN_TRACE_ORDERED && dn_coll_kind_reduces(kind))
        call->form |= DN_COLL_ORDERED;
    if (op->flags & DN_TRACE_IN_PLACE && kind == DN_COLL_ALLTOALL)
        call->form |= DN_COLL_IN_PLACE;
    if (op->call == DN_CALL_EXSCAN)
        call->form |= DN_COLL_EXCLUSIVE;
    call->own_in_place |= (op->flags & DN_TRACE_IN_PLACE) != 0;
    call->unequal = listed || op->call == DN_CALL_GATHERV || op->call == DN_CALL_SCATTERV;
}

gboolean dn_lower_collective(DnLower *lower, guint32 r, guint32 worker, const DnTraceOp *op,
                             guint32 sequence)
{
    DnLowerRank *rank = &lower->ranks[r];
    DnWorker *w = &rank->workers[worker];
    const DnTraceComm *comm = dn_trace_comm(lower->trace, r, op->comm, &w->me);
    w->instance = dn_trace_mix(dn_trace_mix(1, comm->context), sequence);
    if (comm->n == 1)
        return FALSE;
    DnCollKind kind = kind_of(op->call);
    /* What making a communicator sends is the library's own, in the host's memory. */
    const DnMpiMachine *mpi = dn_call_is_collective(op->call) ? machine_mpi(lower, kind) : NULL;
    w->op = *op;
    w->call = lower->model;
    w->call.n = comm->n;
    w->call.root = op->root;
    w->call.bytes = own_bytes(op);
    w->call.ranks = comm->ranks;
    w->call.me = w->me;
    coll_calls_place(lower, rank, comm, &w->call);
    coll_calls_form(lower, w, op, kind);
    cut_blocks(w, mpi, op->call);
    const char *protocol = coll_calls_choose(lower, rank, kind, &w->call);
    count_use(rank, op->call, &w->call, w->staging.total);
    w->streams = dn_coll_streams(&w->call);
    g_assert(w->streams <= lower->channels_each);
    w->staging.staged = mpi != NULL && mpi->staged && dn_coll_kind_reduces(kind) && w->streams == 1;
    w->call.own_in_place |= w->staging.staged && dn_coll_stages_in_place(lower->choice.library);
    w->costs = DN_CALL_COSTS_OWN;
    if (lower->nccl)
        w->costs = nccl_costs_of(w->call.algorithm, protocol);
    else if (dn_call_is_collective(op->call))
        w->costs = costs_of(kind, w->staging.staged, lower->fixed[kind] == NULL ? protocol : NULL);
    return TRUE;
}

/* ---- its streams ---- */

static guint32 coll_tag(const DnWorker *w, guint32 tag)
{
    guint32 hash = (guint32)(dn_trace_mix(w->instance, tag) >> 37); /* below DN_TAG_WILD */
    return DN_TAG_CALLS | (guint32)w->costs << 28 | hash;
}

gboolean dn_lower_worker_next(const DnLower *lower, guint32 r, DnCursor *cursor, DnOp *op)
{
    DnLowerRank *rank = &lower->ranks[r];
    guint32 index = cursor->stream - 1 - lower->cpus;
    guint32 worker = index / lower->channels_each, k = index % lower->channels_each;
    DnWorker *w = &rank->workers[worker];
    if (cursor->step == 0) {
        cursor->step = 1;
        *op = (DnOp){.kind = DN_OP_AWAIT, .tag = dn_lower_start_event(lower, worker, k)};
        return TRUE;
    }
    if (cursor->iteration < rank->finished)
        return FALSE;
    DnCursor inner = {.stream = k, .a = cursor->a, .b = cursor->b, .c = cursor->c};
    gboolean plain = !w->staging.staged && w->call.bytes == w->staging.total;
    if (plain ? dn_coll_next(&w->call, w->me, &inner, op)
              : dn_coll_staged_next(&w->call, &w->staging, w->me, &inner, op)) {
        if (op->kind == DN_OP_SEND || op->kind == DN_OP_RECV || op->kind == DN_OP_COPY ||
            op->kind == DN_OP_REDUCE)
            op->tag = coll_tag(w, op->tag);
        else if (op->kind == DN_OP_SIGNAL || op->kind == DN_OP_AWAIT)
            op->tag += dn_lower_own_event(lower, worker);
    } else {
        cursor->step = 0;
        inner.c = 0;
        *op = (DnOp){.kind = DN_OP_SIGNAL, .tag = dn_lower_done_event(lower, worker)};
    }
    cursor->a = inner.a;
    cursor->b = inner.b;
    cursor->c = inner.c;
    op->call = w->op.call;
    op->at = w->op.at;
    return TRUE;
}

/* ---- keys ---- */

/* The most streams that an algorithm of a trace may take. */
static void count_channels(DnLower *lower)
{
    lower->channels_each = 1;
    for (guint i = 0; dn_coll_algorithms[i]; i++) {
        const DnCollAlgorithm *a = dn_coll_algorithms[i];
        gboolean may = lower->fixed[a->kind] == a || (lower->choice.library->channels && a->nccl);
        DnCollCall call = lower->model;
        const DnCollMachine *machine = lower->choice.machine;
        call.algorithm = a;
        call.n = MAX(2, lower->trace->ranks);
        if (machine != NULL && !lower->choice.channels_given)
            call.channels = MAX(machine->channels, machine->node_channels);
        if (may)
            lower->channels_each = MAX(lower->channels_each, dn_coll_streams(&call));
    }
}

/* Fixes the algorithm of one kind, or (DN_COLL_KINDS) of all kinds that have an algorithm of that
 * name. */
static gboolean coll_calls_fix(DnLower *lower, const DnConfigNode *at, DnCollKind kind,
                               GError **error)
{
    gboolean found = FALSE;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; dn_coll_algorithms[i]; i++) {
        const DnCollAlgorithm *a = dn_coll_algorithms[i];
        if ((kind != DN_COLL_KINDS && a->kind != kind) || a->needs_rings)
            continue;
        if (!g_ptr_array_find_with_equal_func(names, a->name, g_str_equal, NULL)) /* of all kinds */
            g_ptr_array_add(names, (gpointer)a->name);
        if (strcmp(a->name, at->scalar) != 0)
            continue;
        lower->fixed[a->kind] = a;
        found = TRUE;
    }
    if (found || strcmp(at->scalar, "auto") == 0)
        return TRUE;
    g_ptr_array_add(names, (gpointer) "auto");
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown = dn_unknown(at->scalar, (const char *const *)names->pdata, "known");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown algorithm %s", unknown);
    return FALSE;
}

static gboolean fix_each(DnLower *lower, const DnConfigNode *map, GError **error)
{
    const char *names[DN_COLL_KINDS + 1] = {0};
    for (guint k = 0; k < DN_COLL_KINDS; k++) {
        names[k] = dn_coll_kind_name(k);
        const DnConfigNode *at = dn_config_get(map, names[k]);
        if (at && (!dn_config_expect(at, DN_CONFIG_SCALAR, error) ||
                   !coll_calls_fix(lower, at, k, error)))
            return FALSE;
    }
    return dn_config_check_consumed(map, names, error);
}

/* Returns whether the run names an algorithm that is none of NCCL's. */
static gboolean is_fixed_otherwise(const DnLower *lower)
{
    for (guint k = 0; k < DN_COLL_KINDS; k++) {
        const DnCollAlgorithm *fixed = lower->fixed[k];
        if (fixed != NULL && fixed->nccl == DN_NCCL_BEST && !dn_coll_is_grouped(fixed))
            return TRUE;
    }
    return FALSE;
}

/* Returns the batch of an alltoall of 64 KiB each by NCCL over the largest communicator, which is
 * taken for all of the trace. */
static DnProgramBatch alltoall_batch(const DnLower *lower)
{
    DnCollCall call = lower->model;
    DnSelection selection;
    call.n = 0;
    for (guint32 c = 0; c < lower->trace->n_comms; c++)
        if (lower->trace->comms[c].n > call.n) {
            call.n = lower->trace->comms[c].n;
            call.ranks = lower->trace->comms[c].ranks;
        }
    if (call.n < 2)
        return (DnProgramBatch){0};
    call.bytes = 65536;
    if (lower->choice.node_of != NULL)
        dn_coll_choice_place(&lower->choice, dn_coll_choice_group(&lower->choice, &call, NULL),
                             NULL, &call);
    lower->choice.library->select(&call, DN_COLL_ALLTOALL, &lower->choice.nccl, &selection);
    dn_selection_apply(&selection, DN_COLL_ALLTOALL, lower->choice.window_given, &call);
    return dn_coll_is_grouped(call.algorithm) ? dn_coll_grouped_batch(&call) : (DnProgramBatch){0};
}

gboolean dn_lower_algorithms(DnProgram *program, const DnParams *params, GError **error)
{
    DnLower *lower = program->data;
    const DnConfigNode *node = dn_params_node(params, "algorithm");
    const DnCollMachine *machine = program->machine;
    const DnCollLibrary *mpi = machine != NULL ? machine->mpi.library : NULL;
    const DnCollLibrary *unnamed =
        dn_lower_is_chakra(lower->trace) ? dn_coll_library_of_gpus(machine) : mpi;
    if (!dn_coll_choice_read(params, machine, unnamed, &lower->choice, &lower->model, error) ||
        !dn_coll_choice_check(params, &lower->choice, lower->choice.library, ~0u, error))
        return FALSE;
    if (node) {
        gboolean ok = node->kind == DN_CONFIG_SCALAR
                          ? coll_calls_fix(lower, node, DN_COLL_KINDS, error)
                          : dn_config_expect(node, DN_CONFIG_MAP, error) &&
                                fix_each(lower, node, error);
        if (!ok)
            return FALSE;
    }
    const DnCollAlgorithm *fixed = lower->fixed[DN_COLL_ALLREDUCE];
    lower->choice.two_levels = lower->choice.library->two_levels ||
                               (fixed != NULL && fixed->two_levels);
    count_channels(lower);
    lower->nodes = g_new0(DnCollNodes *, lower->trace->n_comms);
    if (mpi != NULL && lower->choice.library == mpi)
        lower->mpi = &machine->mpi;
    program->library = lower->choice.library->channels && !is_fixed_otherwise(lower)
                           ? DN_LIBRARY_NCCL
                           : DN_LIBRARY_MPI;
    lower->nccl = program->library == DN_LIBRARY_NCCL;
    program->costs_by_call = TRUE;
    program->batch = lower->nccl ? alltoall_batch(lower) : (DnProgramBatch){0};
    program->staged = lower->mpi != NULL && lower->mpi->staged;
    return TRUE;
}

void dn_lower_nodes_free(DnLower *lower)
{
    for (guint32 c = 0; lower->nodes != NULL && c < lower->trace->n_comms; c++)
        dn_coll_nodes_free(lower->nodes[c]);
    g_free(lower->nodes);
}

void dn_lower_workers_free(DnLower *lower, DnLowerRank *rank)
{
    for (guint32 w = 0; rank->workers && w < lower->n_workers; w++)
        g_free(rank->workers[w].sizes);
    g_free(rank->workers);
}
