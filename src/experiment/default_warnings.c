/* default_warnings.c - see default_warnings.h. */
#include "experiment/default_warnings.h"

#include "experiment/mpi_machine.h"
#include "workload/collective.h"

void dn_warn_free_calls(DnRunResult *result, const char *name, const char *library)
{
    g_autofree char *lack = dn_machine_lack_text(result->machine, library);
    g_ptr_array_add(
        result->warnings,
        g_strdup_printf("job %s: its calls are free, only the wires take time: %s", name, lack));
}

void dn_warn_free_pattern(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnPlacement *placement)
{
    const DnConfigNode *defaults = result->machine->default_mechanism;
    if (defaults == NULL || program->offered_bps > 0)
        return;
    const DnConfigNode *costs =
        dn_config_get(defaults, dn_mpi_machine_mechanism(result->machine, placement, FALSE, FALSE));
    if (costs != NULL)
        g_ptr_array_add(result->warnings,
                        g_strdup_printf("job %s: its messages are free, only the wires take time, "
                                        "as by `mechanism: direct`; MPI's costs are `mechanism: "
                                        "%s`",
                                        name, costs->scalar));
}

void dn_warn_idle_library(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnConfigNode *workload)
{
    const DnConfigNode *library = dn_config_get(workload, "library");
    if (program->type->collective == 0 || program->chosen != NULL || library == NULL ||
        dn_config_get(workload, "algorithm") != NULL)
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `library: %s` chooses nothing, %s goes by its own "
                                    "default; `algorithm: auto` lets the library choose",
                                    name, library->scalar, program->type->name));
}

void dn_warn_overlap(DnRunResult *result, const char *name, const DnProgram *program)
{
    static const guint one_way = 1u << DN_COLL_BCAST | 1u << DN_COLL_REDUCE | 1u << DN_COLL_GATHER |
                                 1u << DN_COLL_SCATTER | 1u << DN_COLL_SCAN;
    guint collective = program->type->collective;
    if (collective == 0 || (one_way >> (collective - 1) & 1) == 0 || program->iterations < 2 ||
        program->ranks < 2 || program->after_barrier)
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: its iterations overlap, since a rank of a %s goes on "
                                    "when its own part is done: after the first one, times are "
                                    "those between two ends, as of calls without a barrier; "
                                    "`barrier: yes` of the workload begins each with one, as "
                                    "benchmarks do, `iterations: 1` takes the time of one alone",
                                    name, program->type->name));
}

void dn_warn_no_channels(DnRunResult *result, const char *name, const DnConfigNode *named,
                         const DnConfigNode *fits, const DnProgram *program)
{
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `mechanism: %s` has the rates of one channel of a "
                                    "ring or tree; %s has none, so that its messages go by `%s`, "
                                    "as ncclSend and ncclRecv",
                                    name, named->scalar, program->type->name, fits->scalar));
}

void dn_warn_channel_rates(DnRunResult *result, const char *name, const DnMechanism *mechanism,
                           const DnProgram *program)
{
    if (!dn_mechanism_by_channel(mechanism))
        return;
    g_ptr_array_add(result->warnings,
                    g_strdup_printf("job %s: `mechanism: %s` chooses by protocol or algorithm of "
                                    "NCCL's rings and trees, whose rates are of one channel; %s "
                                    "has none, and gets that rate for whole messages",
                                    name, mechanism->name, program->type->name));
}

/* Several of @n ranks are in one node, but not equally many consecutive ones in each. */
static gboolean nodes_unequal(const guint32 *node_of, guint32 n)
{
    const DnCollChoice choice = {.node_of = node_of};
    const DnCollCall call = {.n = n};
    if (node_of == NULL || dn_coll_choice_group(&choice, &call) != 1)
        return FALSE;
    g_autoptr(GHashTable) nodes = g_hash_table_new(NULL, NULL);
    for (guint32 r = 0; r < n; r++)
        g_hash_table_add(nodes, GUINT_TO_POINTER(node_of[r]));
    return g_hash_table_size(nodes) < n;
}

void dn_warn_unequal_nodes(DnRunResult *result, const char *name, const DnProgram *program,
                           const DnCollMachine *machine)
{
    if (program->library != DN_LIBRARY_NCCL || !nodes_unequal(machine->node_of, program->ranks))
        return;
    g_ptr_array_add(
        result->warnings,
        g_strdup_printf("job %s: its nodes have unequal numbers of ranks, or ranks that "
                        "do not follow one another; rings and trees are then modelled "
                        "as of one rank a node over one adapter, up to as many times "
                        "slower than the library's own as a node has adapters",
                        name));
}
