/* job_traffic.c - the traffic matrix of a run: what all its jobs send in one iteration.
 *
 * Each rank's stream is read to its end without simulating: sends are added up, nothing waits. Jobs
 * without an end of their own (open loop) are read up to a limit.
 * LIMITATIONS: order and dependencies are gone; a bound from the sum holds all the same. */
#include "experiment/job_traffic.h"
#include "experiment/job_mechanism.h"

#define MOST_OPERATIONS G_GUINT64_CONSTANT(300000000)

typedef struct {
    GHashTable *rows; /* source << 32 | target -> double*; only added up, then sorted */
    guint64 operations;
} Sum;

typedef struct {
    gint64 key;
    double bytes;
} Cell;

static void job_traffic_add(Sum *sum, guint32 src, guint32 dst, gint64 bytes)
{
    gint64 key = (gint64)((guint64)src << 32 | dst);
    Cell *cell = g_hash_table_lookup(sum->rows, &key);
    if (cell == NULL) {
        cell = g_new(Cell, 1);
        *cell = (Cell){key, 0};
        g_hash_table_insert(sum->rows, &cell->key, cell);
    }
    cell->bytes += (double)bytes;
}

static gboolean read_stream(Sum *sum, const DnProgram *program, guint32 rank, guint32 stream,
                            const DnPlacement *placement)
{
    DnCursor cursor = {.stream = stream};
    DnOp op;
    for (;;) {
        dn_program_next(program, rank, &cursor, &op);
        if (op.kind == DN_OP_END || op.kind == DN_OP_MARK)
            return TRUE;
        if (sum->operations++ > MOST_OPERATIONS)
            return FALSE;
        if (op.kind == DN_OP_SEND)
            job_traffic_add(sum, placement->endpoints[rank], placement->endpoints[op.peer],
                            op.bytes);
    }
}

static gboolean read_job(Sum *sum, const DnRunSpec *spec, const DnMachine *machine, guint j,
                         const DnPlacement *placement, GError **error)
{
    const DnJobSpec *job = &spec->jobs[j];
    g_auto(DnCollMachine) coll = {0};
    if (!dn_job_machine_place(machine, job, placement, &coll, error))
        return FALSE;
    g_autoptr(DnProgram)
        program = dn_program_new_on(job->workload, &coll, placement->ranks, 1, spec->seed, error);
    if (program == NULL)
        return FALSE;
    gboolean ok = TRUE;
    for (guint32 r = 0; ok && r < placement->ranks; r++)
        for (guint32 stream = 0; ok && stream < program->streams; stream++)
            ok = read_stream(sum, program, r, stream, placement);
    if (!ok)
        dn_config_error(job->workload, DN_ERROR_RANGE, error,
                        "more than %" G_GUINT64_FORMAT " operations to read; take fewer ranks",
                        MOST_OPERATIONS);
    return ok;
}

static gint by_key(gconstpointer a, gconstpointer b)
{
    const DnTrafficFlow *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return x->dst < y->dst ? -1 : x->dst > y->dst;
}

static GArray *flows_of(const Sum *sum)
{
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnTrafficFlow));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, sum->rows);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Cell *cell = value;
        DnTrafficFlow flow = {(guint32)((guint64)cell->key >> 32), (guint32)cell->key, cell->bytes};
        g_array_append_val(flows, flow);
    }
    g_array_sort(flows, by_key);
    return flows;
}

DnTraffic *dn_traffic_of_spec(const DnRunSpec *spec, const DnMachine *machine, GError **error)
{
    const DnGraph *graph = machine->graph;
    DnPlacement *placements = g_new0(DnPlacement, spec->n_jobs);
    Sum sum = {g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free), 0};
    gboolean ok = dn_place_jobs(spec, graph, placements, error);
    for (guint j = 0; ok && j < spec->n_jobs; j++)
        ok = read_job(&sum, spec, machine, j, &placements[j], error);
    DnTraffic *traffic = NULL;
    if (ok)
        traffic = dn_traffic_from_flows("the run's own", flows_of(&sum), graph->size.endpoints);
    if (ok && traffic->n_flows == 0) {
        g_clear_pointer(&traffic, dn_traffic_free);
        dn_config_error(spec->root, DN_ERROR_RANGE, error,
                        "no job of this run sends anything between endpoints");
    }
    for (guint j = 0; j < spec->n_jobs; j++)
        g_free(placements[j].endpoints);
    g_free(placements);
    g_hash_table_unref(sum.rows);
    return traffic;
}
