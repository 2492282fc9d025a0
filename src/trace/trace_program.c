/* trace_program.c - the program type `trace`: a recorded program, run anew on another machine.
 *
 * `workload: {type: trace, file: halo.txt}`, the file beside the run file. The job has as many
 * ranks as the trace. With several iterations the whole trace is run again; a MARK ends each. */
#include "base/sparse_array.h"
#include "trace/lower.h"

#include <string.h>

/* Collectives of a rank at once in a graph; more wait their turn. */
#define GRAPH_WORKERS 8

static const DnParamSpec params_[] = {
    {"file", DN_PARAM_STRING, NULL, 0, 0, NULL, "the trace: relative to the run file"},
    {"format", DN_PARAM_STRING, "auto", 0, 0, NULL, "a reader's name, or auto: by content"},
    {"algorithm", DN_PARAM_NODE, "", 0, 0, NULL,
     "of collectives: auto, a name, or {allreduce: ring, ...}"},
    {"compute_scale", DN_PARAM_REAL, "1", 0, 1e9, NULL, "factor on the recorded computing times"},
    {"flop_rate", DN_PARAM_PER_SECOND, "1 G/s", 1, 1e18, NULL,
     "of a rank, where computations are counted and not timed"},
    DN_COLL_PARAMS,
    {0},
};

extern const DnProgramType dn_program_trace;

const DnTrace *dn_trace_of_program(const DnProgram *program)
{
    return program->type == &dn_program_trace ? ((const DnLower *)program->data)->trace : NULL;
}

/* Opened errors are of the trace; the run file's line goes before them only where it is wrong. */
static gboolean open_trace(DnProgram *program, const DnParams *params, GError **error)
{
    DnLower *lower = program->data;
    const DnConfigNode *at = dn_params_node(params, "file");
    g_autofree char *folder = g_path_get_dirname(at->file);
    const char *name = dn_params_string(params, "file");
    g_autofree char *path = g_path_is_absolute(name) ? g_strdup(name)
                                                     : g_build_filename(folder, name, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        dn_params_error(params, "file", DN_ERROR_FILE, error, "no file %s", path);
        return FALSE;
    }
    lower->trace = dn_trace_open_again(path, dn_params_string(params, "format"), error);
    if (!lower->trace)
        return FALSE;
    if (lower->trace->ranks == program->ranks)
        return TRUE;
    dn_params_error(params, "file", DN_ERROR_RANGE, error,
                    "the trace has %u ranks, the job %u; they must be as many", lower->trace->ranks,
                    program->ranks);
    return FALSE;
}

static gboolean check_streams(DnProgram *program, const DnParams *params, GError **error)
{
    const DnLower *lower = program->data;
    guint32 streams = 1 + lower->cpus + lower->n_workers * lower->channels_each;
    if (streams <= DN_STREAMS) {
        program->streams = streams;
        return TRUE;
    }
    dn_params_error(params, "file", DN_ERROR_RANGE, error,
                    "%u streams a rank (one, %u cpus, %u collectives at once of %u each); at most "
                    "%d are allowed",
                    streams, lower->cpus, lower->n_workers, lower->channels_each, DN_STREAMS);
    return FALSE;
}

static void make_ranks(DnLower *lower)
{
    lower->ranks = dn_sparse_of(DnLowerRank, lower->trace->ranks);
    lower->blocks = dn_sparse_of(DnLowerBlock, lower->trace->ranks);
    for (guint32 r = 0; r < lower->trace->ranks; r++) {
        DnLowerRank *rank = &lower->ranks[r];
        rank->workers = g_new0(DnWorker, MAX(1, lower->n_workers));
        rank->n_numbers = dn_trace_comm_numbers(lower->trace, r);
        rank->sequence = g_new0(guint32, rank->n_numbers);
        rank->cursor.block_store.block = &lower->blocks[r].block;
        dn_trace_cursor_init(&rank->cursor, lower->trace, r);
    }
}

static gboolean has_collectives(const DnTrace *trace)
{
    for (guint call = DN_CALL_BARRIER; call <= DN_CALL_COMM_CREATE; call++)
        if (trace->calls[call] > 0)
            return TRUE;
    return FALSE;
}

/* Whose choice the collectives of a Chakra trace follow, which does not say. */
static void note_library(const DnLower *lower, GString *text)
{
    const DnCollLibrary *library = lower->choice.library;
    g_string_append(text, text->len > 0 ? "; " : "");
    if (library->channels)
        g_string_append_printf(text,
                               "collectives are chosen as by %s, which PyTorch calls; as by "
                               "another: `library:` of the workload",
                               library->title);
    else
        g_string_append_printf(text,
                               "collectives are chosen as by %s, since the machine has no "
                               "`nccl:`; PyTorch calls NCCL: `library: nccl` of the workload",
                               library->title);
}

static void note_gaps(DnProgram *program, const DnTrace *trace, const DnParams *params)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < trace->notes->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "",
                               (const char *)g_ptr_array_index(trace->notes, i));
    gboolean says = dn_params_given(params, "library") || dn_params_given(params, "algorithm");
    if (dn_lower_is_chakra(trace) && has_collectives(trace) && !says)
        note_library(program->data, text);
    if (text->len > 0)
        program->note = g_strdup(text->str);
}

/* No more workers than there are streams for: more collectives wait their turn anyhow. */
static void load_graph(DnLower *lower)
{
    dn_dag_rank_load(lower);
    if (lower->n_workers == 0 || lower->cpus + 1 >= DN_STREAMS)
        return;
    guint32 fit = (DN_STREAMS - 1 - lower->cpus) / lower->channels_each;
    lower->n_workers = CLAMP(lower->n_workers, 1, MAX(1, fit));
}

/* Returns the computing time of a rank in a trace that is a graph: the GPU's in a Chakra trace,
 * else that of the processor that computes most. */
static gint64 trace_program_computes(const DnProgram *program, guint32 rank)
{
    const DnLower *lower = program->data;
    gint64 most = 0;
    if (!lower->trace->reader->graph)
        return 0;
    if (dn_lower_is_chakra(lower->trace))
        return dn_dag_rank_computes(lower, rank, 1);
    for (guint32 cpu = 0; cpu < lower->cpus; cpu++)
        most = MAX(most, dn_dag_rank_computes(lower, rank, cpu));
    return most;
}

/* After the trace is open. */
static gboolean trace_program_prepare(DnProgram *program, const DnParams *params, GError **error)
{
    DnLower *lower = program->data;
    if (!dn_lower_algorithms(program, params, error))
        return FALSE;
    lower->graph = lower->trace->reader->graph;
    lower->compute_scale = dn_params_real(params, "compute_scale");
    if (lower->trace->reader->flops)
        lower->compute_scale *= 1e9 / dn_params_real(params, "flop_rate");
    if (has_collectives(lower->trace))
        lower->n_workers = lower->trace->reader->graph ? GRAPH_WORKERS
                                                       : 1 + lower->trace->most_outstanding;
    make_ranks(lower);
    note_gaps(program, lower->trace, params);
    if (lower->trace->reader->graph)
        load_graph(lower);
    return check_streams(program, params, error);
}

static gboolean trace_program_init(DnProgram *program, const DnParams *params, GError **error)
{
    program->data = g_new0(DnLower, 1);
    return open_trace(program, params, error) && trace_program_prepare(program, params, error);
}

static void trace_program_free(DnProgram *program)
{
    DnLower *lower = program->data;
    if (!lower)
        return;
    for (guint32 r = 0; lower->ranks && r < lower->trace->ranks; r++) {
        DnLowerRank *rank = &lower->ranks[r];
        rank->cursor.block_store.block = NULL;
        dn_trace_cursor_clear(&rank->cursor);
        dn_lower_workers_free(lower, rank);
        dn_dag_rank_free(rank->graph, lower->cpus);
        g_free(rank->sequence);
        g_clear_pointer(&rank->uses, g_array_unref);
    }
    dn_sparse_free(lower->ranks);
    dn_sparse_free(lower->blocks);
    dn_lower_nodes_free(lower);
    dn_trace_free(lower->trace);
    g_free(lower);
}

static gboolean trace_program_next(const DnProgram *program, guint32 rank, DnCursor *cursor,
                                   DnOp *op)
{
    const DnLower *lower = program->data;
    if (lower->graph)
        return dn_dag_rank_next(program, rank, cursor, op);
    if (cursor->stream > lower->cpus)
        return dn_lower_worker_next(lower, rank, cursor, op);
    return dn_lower_calls_next(program, rank, cursor, op);
}

static void trace_program_prefetch(const DnProgram *program, guint32 rank, guint step)
{
    const DnLower *lower = program->data;
    const DnLowerRank *r = &lower->ranks[rank];
    if (step == 0) {
        dn_trace_cursor_prefetch(&r->cursor);
        return;
    }
    for (guint i = 0; i < DN_LOWER_LINES; i++)
        __builtin_prefetch((const char *)r + DN_LOWER_LINE * i, 1);
}

static void add_use(GArray *all, const DnLowerUse *use)
{
    for (guint i = 0; i < all->len; i++) {
        DnTraceAlgorithm *known = &g_array_index(all, DnTraceAlgorithm, i);
        if (known->call == use->call && known->ranks == use->n &&
            known->name == use->algorithm->name) {
            known->calls += use->times;
            known->least_bytes = MIN(known->least_bytes, use->least_bytes);
            known->most_bytes = MAX(known->most_bytes, use->most_bytes);
            return;
        }
    }
    const DnTraceAlgorithm first = {.call = (DnCall)use->call,
                                    .name = use->algorithm->name,
                                    .ranks = use->n,
                                    .calls = use->times,
                                    .least_bytes = use->least_bytes,
                                    .most_bytes = use->most_bytes};
    g_array_append_val(all, first);
}

static gint trace_algorithm_order(gconstpointer x, gconstpointer y)
{
    const DnTraceAlgorithm *a = x, *b = y;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->ranks != b->ranks)
        return a->ranks > b->ranks ? -1 : 1;
    if (a->least_bytes != b->least_bytes)
        return a->least_bytes < b->least_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

GArray *dn_trace_algorithms(const DnProgram *program)
{
    if (program->type != &dn_program_trace)
        return NULL;
    const DnLower *lower = program->data;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(DnTraceAlgorithm));
    for (guint32 r = 0; r < lower->trace->ranks; r++)
        for (guint i = 0; lower->ranks[r].uses != NULL && i < lower->ranks[r].uses->len; i++)
            add_use(all, &g_array_index(lower->ranks[r].uses, DnLowerUse, i));
    g_array_sort(all, trace_algorithm_order);
    return all;
}

/* A program of calls has no figure that its field counts as goodput. */
static double goodput_bytes(const DnProgram *program)
{
    return 0;
}

const DnProgramType dn_program_trace = {
    .name = "trace",
    .help = "a recorded program, as many ranks as it had",
    .goodput = "nothing",
    .limits = DN_TRACE_LIMITS,
    .source = "MPI 4.0; the reader's file has the format's",
    .params = params_,
    .min_ranks = 1,
    .init = trace_program_init,
    .free = trace_program_free,
    .next = trace_program_next,
    .prefetch = trace_program_prefetch,
    .computes = trace_program_computes,
    .goodput_bytes = goodput_bytes,
    .calls = DN_CALLS,
    .time_scale = 1,
    .completed = dn_dag_rank_completed,
};

DnProgram *dn_trace_program(DnTrace *trace, const DnConfigNode *map, const DnCollMachine *machine,
                            GError **error)
{
    static const char *const ignore[] = {"type", NULL};
    g_autoptr(DnProgram) program = g_new0(DnProgram, 1);
    DnLower *lower = g_new0(DnLower, 1);
    *program = (DnProgram){.type = &dn_program_trace,
                           .ranks = trace->ranks,
                           .iterations = 1,
                           .streams = 1,
                           .machine = machine,
                           .data = lower};
    lower->trace = trace;
    g_autoptr(DnParams) params = dn_params_read(map, params_, ignore, error);
    if (!params || !trace_program_prepare(program, params, error))
        return NULL;
    return g_steal_pointer(&program);
}
