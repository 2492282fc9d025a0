/* job_mechanism.c - see job_mechanism.h.
 *
 * The machine's `ccl` has the rates of one channel of a ring or tree. What has no channels NCCL
 * sends by ncclSend and ncclRecv, which take several channels by the size of a message: a run that
 * names `ccl` gets `ccl_group` for grouped sends and receives, and `ccl_p2p` for all else, whose
 * messages are calls of their own. */
#include "experiment/job_mechanism.h"

#include <string.h>

#include "experiment/default_warnings.h"
#include "experiment/mpi_machine.h"
#include "experiment/staging_check.h"
#include "experiment/what_if.h"

/* Returns whether MPI's messages of @costs are those of a staged reduction. */
static gboolean is_staged(const DnSetup *setup, guint j, DnCallCosts costs)
{
    const DnProgram *program = setup->programs[j];
    gboolean reduces = costs != DN_CALL_COSTS_OWN && costs != DN_CALL_COSTS_ALLTOALL;
    return program->staged && (reduces || !program->costs_by_call);
}

/* Returns the library whose costs a job has that names no mechanism: of MPI by where its ranks are,
 * or NCCL's; NULL: its messages are no library's. */
static const char *library_of(const DnSetup *setup, guint j, DnCallCosts costs)
{
    const DnJobSpec *job = &setup->spec->jobs[j];
    const DnProgramType *type = setup->programs[j]->type;
    gboolean trace = strcmp(type->name, "trace") == 0;
    if (j >= setup->own_jobs || job->background || (!trace && type->collective == 0))
        return NULL;
    DnProgramLibrary program = setup->programs[j]->library;
    if (trace && program == DN_LIBRARY_NCCL && costs == DN_CALL_COSTS_OWN)
        return dn_nccl_machine_pair(setup->result->machine);
    if (trace && program == DN_LIBRARY_NCCL && costs == DN_CALL_COSTS_GROUP)
        program = DN_LIBRARY_NCCL_GROUP;
    const char *nccl = dn_nccl_machine_mechanism(setup->result->machine, program);
    if (nccl != NULL)
        return nccl;
    gboolean alltoall = type->collective == DN_COLL_ALLTOALL + 1 || costs == DN_CALL_COSTS_ALLTOALL;
    return dn_mpi_machine_mechanism(setup->result->machine, &setup->placements[j], alltoall,
                                    is_staged(setup, j, costs));
}

/* Returns the default mechanism of @library, or NULL. */
static const DnConfigNode *default_of(const DnMachine *machine, const char *library)
{
    const DnConfigNode *defaults = machine->default_mechanism;
    return library != NULL && defaults != NULL ? dn_config_get(defaults, library) : NULL;
}

/* Returns @named, or what takes its place for a program without channels. */
static const DnConfigNode *with_channels(DnSetup *setup, guint j, const DnConfigNode *named)
{
    const DnProgram *program = setup->programs[j];
    const DnConfigNode *fits =
        dn_nccl_machine_without_channels(setup->result->machine, named, program->library);
    if (fits != NULL && j < setup->own_jobs)
        dn_warn_no_channels(setup->result, setup->spec->jobs[j].name, named, fits, program);
    return fits != NULL ? fits : named;
}

/* Returns whether @named is what the machine's MPI reduces buffers with by default. */
static gboolean is_default_reduction(const DnMachine *machine, const DnPlacement *placement,
                                     const DnConfigNode *named)
{
    const DnConfigNode *own =
        default_of(machine, dn_mpi_machine_mechanism(machine, placement, FALSE, TRUE));
    return own != NULL && named->kind == DN_CONFIG_SCALAR && own->kind == DN_CONFIG_SCALAR &&
           strcmp(named->scalar, own->scalar) == 0;
}

gboolean dn_job_machine_place(const DnMachine *machine, const DnJobSpec *job,
                              const DnPlacement *placement, DnCollMachine *out, GError **error)
{
    if (!dn_nccl_machine_place(machine, placement, out, error) ||
        (!job->background && !dn_mpi_machine_place(machine, placement, out, error)))
        return FALSE;
    /* Other costs that are named are all that it has. */
    if (job->mechanism != NULL && !is_default_reduction(machine, placement, job->mechanism)) {
        out->mpi.staged = FALSE;
        out->mpi.block_bytes = 0;
    }
    return TRUE;
}

/* Returns the mechanism of job @j, whose program and placement are set; NULL: none. Warns when
 * calls of a library are free, and when a mechanism of another name takes the place of the named
 * one. */
static const DnConfigNode *job_mechanism(DnSetup *setup, guint j)
{
    const DnMachine *machine = setup->result->machine;
    const DnJobSpec *job = &setup->spec->jobs[j];
    if (job->mechanism != NULL)
        return with_channels(setup, j, job->mechanism);
    const char *library = library_of(setup, j, DN_CALL_COSTS_OWN);
    if (library == NULL && j < setup->own_jobs && !job->background)
        dn_warn_free_pattern(setup->result, job->name, setup->programs[j], &setup->placements[j]);
    if (library == NULL)
        return NULL;
    const DnConfigNode *found = default_of(setup->result->machine, library);
    gboolean trace = strcmp(setup->programs[j]->type->name, "trace") == 0;
    /* A bare fabric has wires only, as its files say. */
    if (found == NULL && (trace || machine->mechanisms != NULL))
        dn_warn_free_calls(setup->result, job->name, library);
    return found;
}

/* Gives @out, read from @node, for messages of 0 bytes the machine's costs between hosts, where it
 * is a mechanism of the machine for MPI between GPUs. */
static gboolean read_empty(const DnMachine *machine, const DnConfigNode *node, DnMechanism *out,
                           GError **error)
{
    const DnConfigNode *host = machine->default_mechanism != NULL
                                   ? dn_config_get(machine->default_mechanism, "host")
                                   : NULL;
    if (host == NULL || node == NULL || node->kind != DN_CONFIG_SCALAR)
        return TRUE;
    DnMechanism between_hosts;
    if (!dn_mechanism_read(host, machine->mechanisms, &between_hosts, error))
        return FALSE;
    dn_mechanism_keep(&between_hosts, NULL, NULL);
    dn_mechanism_empty_by_host(out, &between_hosts);
    return TRUE;
}

/* FALSE + error at @at: @m is for messages inside a node, and the ranks are on several. */
static gboolean check_reach(const DnMechanism *m, const DnPlacement *placement,
                            const guint32 *node_of, const DnConfigNode *at, GError **error)
{
    if (!dn_mechanism_inside_only(m))
        return TRUE;
    guint32 first = node_of[placement->endpoints[0]];
    for (guint32 r = 1; r < placement->ranks; r++) {
        guint32 node = node_of[placement->endpoints[r]];
        if (node == first)
            continue;
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "mechanism '%s' is for messages inside a node, and ranks 0 and %u are on "
                        "nodes %u and %u; allowed: ranks of one node, or a list with another "
                        "mechanism between nodes, [{reach: node, use: %s}, {use: ...}]",
                        m->name, r, first, node, m->name);
        return FALSE;
    }
    return TRUE;
}

/* FALSE + error at @at: @m is for the NICs of a machine that has no network. */
static gboolean check_nics(const DnMechanism *m, const DnGraph *graph, const DnConfigNode *at,
                           GError **error)
{
    for (guint i = 0; i < m->n_rules && graph->size.switches == 0; i++) {
        if (!m->rules[i].costs.path.by_nics)
            continue;
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "mechanism '%s' has `via: nic`, and the machine has no network; allowed: "
                        "`via: links`",
                        m->name);
        return FALSE;
    }
    return TRUE;
}

/* FALSE + error at @at: @m is for ranks on others than the machine's endpoints. */
static gboolean check_endpoints(const DnMechanism *m, const DnGraph *graph, const DnConfigNode *at,
                                GError **error)
{
    const char *kind = dn_endpoint_kind_name(graph);
    if (m->endpoints == NULL || strcmp(m->endpoints, kind) == 0)
        return TRUE;
    dn_config_error(at, DN_ERROR_RANGE, error,
                    "mechanism '%s' is for ranks on %ss, and here they are on %ss; allowed: "
                    "`endpoints: %s` of the machine, or another mechanism",
                    m->name, m->endpoints, kind, m->endpoints);
    return FALSE;
}

/* By what rules of a mechanism are chosen. */
typedef struct {
    const char *protocol, *algorithm;
    gboolean grouped; /* if the program has grouped sends, rules go by the size of a block */
} Chosen;

/* Returns how many ranks of job @j are on the node that has most of them. */
static guint32 most_in_node(const DnSetup *setup, guint j)
{
    const DnPlacement *placement = &setup->placements[j];
    g_autofree guint32 *ranks = g_new0(guint32, setup->result->machine->graph->size.nodes);
    guint32 most = 1;
    for (guint32 r = 0; r < placement->ranks; r++) {
        guint32 n = ++ranks[setup->node_of[placement->endpoints[r]]];
        most = MAX(most, n);
    }
    return most;
}

/* Settles what of @m depends on the job. */
static gboolean settle_mechanism(DnSetup *setup, guint j, const DnConfigNode *node,
                                 const Chosen *chosen, DnMechanism *m, GError **error)
{
    const DnProgram *program = setup->programs[j];
    dn_mechanism_keep(m, chosen->protocol, chosen->algorithm);
    if (!read_empty(setup->result->machine, node, m, error))
        return FALSE;
    guint32 communicator = program->communicator_ranks;
    dn_mechanism_peers(
        m, (DnRankCounts){.in_node = most_in_node(setup, j),
                          .communicator = communicator > 0 ? communicator : program->ranks,
                          .job = program->ranks});
    dn_mechanism_batch(m, program->batch.peers, chosen->grouped ? program->batch.blocks : 0,
                       program->batch.pieces);
    dn_what_if_apply_mechanism(m, setup->options.what_if.unlimited);
    const DnGraph *graph = setup->result->machine->graph;
    return check_endpoints(m, graph, node, error) && check_nics(m, graph, node, error) &&
           check_reach(m, &setup->placements[j], setup->node_of, node, error) &&
           dn_check_hosts(m, &setup->placements[j], setup->result->router, node, error);
}

static gboolean goes_by_choice(const DnMechanism *m)
{
    for (guint i = 0; i < m->n_rules; i++)
        if (m->rules[i].protocol != NULL || m->rules[i].algorithm != NULL)
            return TRUE;
    return FALSE;
}

/* Returns what the library chose for a trace's calls of @costs. */
static Chosen chosen_of(const DnProgram *program, DnCallCosts costs)
{
    static const Chosen mpi[] = {[DN_CALL_COSTS_HOST] = {.protocol = "host"},
                                 [DN_CALL_COSTS_KERNEL] = {.protocol = "kernel"}};
    if (program->library != DN_LIBRARY_NCCL)
        return costs < G_N_ELEMENTS(mpi) ? mpi[costs] : (Chosen){0};
    if (costs < DN_CALL_COSTS_RING)
        return (Chosen){.grouped = costs == DN_CALL_COSTS_GROUP};
    guint n = (guint)costs - DN_CALL_COSTS_RING;
    return (Chosen){.protocol = dn_nccl_protocols[n % DN_NCCL_PROTOCOLS],
                    .algorithm = costs < DN_CALL_COSTS_TREE ? "ring" : "tree"};
}

/* Returns the mechanism of a trace's calls of @costs; @own: the job's. */
static const DnConfigNode *node_of_call(const DnSetup *setup, guint j, const DnConfigNode *own,
                                        DnCallCosts costs)
{
    const DnConfigNode *named = setup->spec->jobs[j].mechanism;
    if (named == NULL)
        return default_of(setup->result->machine, library_of(setup, j, costs));
    if (setup->programs[j]->library != DN_LIBRARY_NCCL || costs != DN_CALL_COSTS_GROUP)
        return own;
    const DnConfigNode *group =
        dn_nccl_machine_without_channels(setup->result->machine, named, DN_LIBRARY_NCCL_GROUP);
    return group != NULL ? group : own;
}

/* Sets the mechanism of a trace's calls of @costs, if it is another than the job's own. */
static gboolean read_of_call(DnSetup *setup, guint j, const DnConfigNode *own, DnCallCosts costs,
                             GError **error)
{
    const Chosen chosen = chosen_of(setup->programs[j], costs);
    const DnConfigNode *node = node_of_call(setup, j, own, costs);
    DnMechanism m;
    if (!dn_mechanism_read(node, setup->result->machine->mechanisms, &m, error))
        return FALSE;
    gboolean chooses = chosen.protocol != NULL || chosen.algorithm != NULL;
    if (node == own && !(chooses && goes_by_choice(&m)))
        return TRUE;
    DnMechanism *kept = g_memdup2(&m, sizeof m);
    g_ptr_array_add(setup->of_call, kept);
    setup->jobs[j].of_call[costs] = kept;
    return settle_mechanism(setup, j, node, &chosen, kept, error);
}

gboolean dn_job_mechanisms_read(DnSetup *setup, guint j, GError **error)
{
    const DnProgram *program = setup->programs[j];
    const DnConfigNode *node = job_mechanism(setup, j);
    DnMechanism *mechanism = &setup->jobs[j].mechanism;
    if (!dn_mechanism_read(node, setup->result->machine->mechanisms, mechanism, error))
        return FALSE;
    if (j < setup->own_jobs && program->library != DN_LIBRARY_NCCL)
        dn_warn_channel_rates(setup->result, setup->spec->jobs[j].name, mechanism, program);
    if (j < setup->own_jobs && !setup->spec->jobs[j].background)
        dn_warn_free_reductions(setup->result, setup->spec->jobs[j].name, mechanism, program);
    for (DnCallCosts c = DN_CALL_COSTS_OWN + 1; program->costs_by_call && c < DN_CALL_COSTS; c++)
        if (!read_of_call(setup, j, node, c, error))
            return FALSE;
    const Chosen chosen = {program->protocol, program->algorithm, !program->costs_by_call};
    return settle_mechanism(setup, j, node, &chosen, mechanism, error);
}
