/* coll_library.c - the libraries that `library:` names, and the keys that go with them. */
#include <string.h>

#include "workload/select.h"
#include "base/registry.h"

const char *const dn_coll_own_block_names[] = {"copied", "in_place", NULL};

const DnCollLibrary *dn_coll_library_find(const char *name)
{
    return dn_registry_find(dn_coll_libraries, name);
}

const DnParamSpec dn_nccl_machine_keys[] = {
    {"gpu", DN_PARAM_CHOICE, NULL, 0, 0, dn_nccl_gpu_names, "generation of the GPUs"},
    {"version", DN_PARAM_CHOICE, "2.28", 0, 0, dn_nccl_version_names, "of NCCL"},
    {"nic_path", DN_PARAM_CHOICE, "pxb", 0, 0, dn_nccl_path_names, "from a GPU to its adapter"},
    {"node_channels", DN_PARAM_INT, NULL, 1, 64, NULL, "of collectives inside a node"},
    {0},
};

const DnParamSpec dn_mpi_machine_keys[] = {
    {"library", DN_PARAM_CHOICE, NULL, 0, 0, dn_coll_library_names, "of MPI, by its name here"},
    {"staged", DN_PARAM_BOOL, "no", 0, 0, NULL,
     "in reductions on GPUs the buffer is copied before and after"},
    {"block", DN_PARAM_BYTES, "", 1, 1e15, NULL,
     "an allreduce on GPUs is done piece by piece of this size"},
    {0},
};

gboolean dn_coll_library_decides(const DnParams *params, const DnCollMachine *machine,
                                 DnCollKind kind)
{
    gboolean known = dn_params_given(params, "library") ||
                     (machine != NULL && machine->mpi.library != NULL);
    return kind == DN_COLL_ALLTOALL && known && !dn_params_given(params, "algorithm");
}

/* A GPU that is not written is the machine's, or the first that the library knows. */
static gboolean read_gpu(const DnParams *params, DnCollChoice *choice, GError **error)
{
    guint known = choice->library->gpus;
    guint gpu = (guint)dn_params_int(params, "gpu");
    if (choice->machine != NULL && !dn_params_given(params, "gpu"))
        gpu = choice->machine->nccl.gpu;
    choice->nccl.gpu = (DnNcclGpu)gpu;
    if (known == 0 || known & 1u << gpu)
        return TRUE;
    guint first = (guint)g_bit_nth_lsf(known, -1);
    choice->nccl.gpu = (DnNcclGpu)first;
    if (!dn_params_given(params, "gpu"))
        return TRUE;
    dn_params_error(params, "gpu", DN_ERROR_RANGE, error,
                    "gpu: %s's model does not know %s; allowed: %s", choice->library->title,
                    dn_nccl_gpu_names[gpu], dn_nccl_gpu_names[first]);
    return FALSE;
}

/* Reads NCCL's keys; what they leave open is the machine's. */
static void read_nccl(const DnParams *params, DnCollChoice *choice)
{
    const DnCollMachine *machine = choice->machine;
    DnNcclMachine *nccl = &choice->nccl;
    nccl->bus_bps = dn_params_int(params, "bus_bandwidth");
    nccl->version = (DnNcclVersion)dn_params_int(params, "version");
    nccl->nic_path = (DnNcclPath)dn_params_int(params, "nic_path");
    nccl->buffer_bytes = dn_params_int(params, "buffer");
    if (machine == NULL)
        return;
    if (!dn_params_given(params, "version"))
        nccl->version = machine->nccl.version;
    if (!dn_params_given(params, "nic_path"))
        nccl->nic_path = machine->nccl.nic_path;
    if (dn_params_has(params, "bus_bandwidth"))
        return;
    nccl->bus_bps = machine->nccl.bus_bps;
    nccl->node_bus_bps = machine->nccl.node_bus_bps;
    nccl->nics = machine->nccl.nics;
}

const DnCollLibrary *dn_coll_library_of_gpus(const DnCollMachine *machine)
{
    if (machine == NULL || !machine->known)
        return NULL;
    return dn_coll_library_find(machine->nccl.gpu == DN_NCCL_MI250X ? "rccl" : "nccl");
}

gboolean dn_coll_choice_read(const DnParams *params, const DnCollMachine *machine,
                             const DnCollLibrary *unnamed, DnCollChoice *choice, DnCollCall *call,
                             GError **error)
{
    call->radix = (guint32)dn_params_int(params, "radix");
    call->channels = (guint32)dn_params_int(params, "channels");
    call->window = (guint32)dn_params_int(params, "window");
    call->own_in_place = dn_params_int(params, "own_block") == 1;
    call->group = (guint32)dn_params_int(params, "group");
    call->element = dn_params_int(params, "element");
    *choice = (DnCollChoice){
        .library = unnamed != NULL && !dn_params_given(params, "library")
                       ? unnamed
                       : dn_coll_libraries[dn_params_int(params, "library")],
        .style = dn_params_given(params, "library")
                     ? dn_coll_libraries[dn_params_int(params, "library")]->style
                     : DN_STYLE_TEXTBOOK,
        .window_given = dn_params_given(params, "window"),
        .group_given = dn_params_given(params, "group"),
        .channels_given = dn_params_given(params, "channels"),
    };
    if (machine != NULL && machine->known && choice->library->channels)
        choice->machine = machine;
    if (machine != NULL && (choice->machine == machine || choice->library->two_levels ||
                            machine->mpi.library == choice->library))
        choice->node_of = machine->node_of;
    read_nccl(params, choice);
    return read_gpu(params, choice, error);
}

gboolean dn_coll_read_form(const DnParams *params, const DnProgram *program, DnCollCall *call,
                           GError **error)
{
    if (dn_program_has_key(program, "commutative") && !dn_params_bool(params, "commutative"))
        call->form |= DN_COLL_ORDERED;
    if (dn_program_has_key(program, "in_place") && dn_params_bool(params, "in_place"))
        call->form |= DN_COLL_IN_PLACE;
    call->one_count = dn_program_has_key(program, "one_count") &&
                      dn_params_bool(params, "one_count");
    if (!call->one_count || call->bytes % call->n == 0)
        return TRUE;
    dn_params_error(params, "one_count", DN_ERROR_RANGE, error,
                    "%" G_GINT64_FORMAT " B are no equal parts for %u ranks; `bytes` must be a "
                    "multiple of the number of ranks",
                    call->bytes, call->n);
    return FALSE;
}

gboolean dn_coll_fits_form(const DnCollAlgorithm *algorithm, const DnCollCall *call)
{
    gboolean order = call->form & DN_COLL_ORDERED && !algorithm->ordered;
    return !order && (!(call->form & DN_COLL_IN_PLACE) || algorithm->in_place);
}

gboolean dn_coll_check_form(const DnParams *params, const DnCollCall *call, GError **error)
{
    const DnCollAlgorithm *algorithm = call->algorithm;
    gboolean order = call->form & DN_COLL_ORDERED && !algorithm->ordered;
    if (dn_coll_fits_form(algorithm, call))
        return TRUE;
    g_autoptr(GString) others = g_string_new(NULL);
    for (guint i = 0; dn_coll_algorithms[i]; i++) {
        const DnCollAlgorithm *other = dn_coll_algorithms[i];
        if (other->kind == algorithm->kind && (order ? other->ordered : other->in_place))
            g_string_append_printf(others, "%s, ", other->name);
    }
    dn_params_error(params, order ? "commutative" : "in_place", DN_ERROR_RANGE, error,
                    "%s by %s %s; take %sor auto of a library of MPI",
                    dn_coll_kind_name(algorithm->kind), algorithm->name,
                    order ? "changes the order of operands" : "does not work in place",
                    others->str);
    return FALSE;
}

/* Returns whether all nodes have @first consecutive ranks of @call. */
static gboolean nodes_are_equal(const DnCollChoice *choice, const DnCollCall *call, guint32 first)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < call->n; i++) {
        gpointer node = GUINT_TO_POINTER(dn_coll_choice_node(choice, call, i) + 1);
        gboolean begins = i % first == 0;
        if (call->n % first != 0 || begins == g_hash_table_contains(seen, node))
            return FALSE;
        if (!begins &&
            dn_coll_choice_node(choice, call, i) != dn_coll_choice_node(choice, call, i - 1))
            return FALSE;
        g_hash_table_add(seen, node);
    }
    return TRUE;
}

/* Returns whether the workload's `group`, which counts ranks of the job, does not tell the nodes of
 * @call, a communicator: unless its ranks follow one another from a node's first on. */
static gboolean group_is_of_others(const DnCollChoice *choice, const DnCollCall *call)
{
    if (!choice->two_levels || call->ranks == NULL || call->group == 0)
        return FALSE;
    for (guint32 i = 0; i < call->n; i++)
        if (call->ranks[i] != call->ranks[0] + i)
            return TRUE;
    return call->ranks[0] % call->group != 0;
}

guint32 dn_coll_choice_group(const DnCollChoice *choice, const DnCollCall *call, gboolean *listed)
{
    gboolean given = choice->node_of == NULL || choice->group_given, other = FALSE;
    guint32 first = 1;
    if (given) {
        first = call->group;
        other = choice->group_given && group_is_of_others(choice, call);
    } else {
        while (first < call->n &&
               dn_coll_choice_node(choice, call, first) == dn_coll_choice_node(choice, call, 0))
            first++;
        other = first < call->n && !nodes_are_equal(choice, call, first);
        first = other ? 1 : first == call->n ? 0 : first;
    }
    if (listed != NULL)
        *listed = other;
    return first;
}

/* Sets the rings of @call. Without an order given by the machine, each of a node's adapters is used
 * by one ring between nodes. */
static void place_rings(const DnCollMachine *machine, gboolean inside, DnCollCall *call)
{
    gboolean whole = (inside ? call->n : call->group) == machine->gpus;
    call->rings = NULL;
    call->ring_orders = (DnRingOrders){0};
    call->n_rings = inside ? 0 : MIN(machine->nics, call->group);
    call->ring_orders.turn = call->n_rings > 0 ? call->group / call->n_rings : 0;
    if (whole && inside) {
        call->ring_orders.by_node = machine->node_orders;
        call->n_rings = machine->n_node_orders;
    } else if (whole && machine->orders != NULL) {
        call->ring_orders.by_node = machine->orders;
        call->n_rings = machine->n_orders;
    }
    call->n_rings = MIN(call->n_rings, call->channels);
}

static void place_rings_of_nodes(const DnCollNodes *nodes, DnCollCall *call)
{
    call->rings = nodes->rings;
    call->ring_orders = (DnRingOrders){.places = nodes->places, .nodes = nodes};
    call->n_rings = MIN(nodes->n_rings, call->channels);
}

void dn_coll_choice_place(const DnCollChoice *choice, guint32 group, const DnCollNodes *nodes,
                          DnCollCall *call)
{
    const DnCollMachine *machine = choice->machine;
    call->group = group;
    call->ring_orders.nodes = nodes;
    if (machine == NULL)
        return;
    gboolean inside = group == 0 || group >= call->n, by_node = nodes != NULL && nodes->n_rings > 0;
    if (!choice->channels_given)
        call->channels = inside ? machine->node_channels : machine->channels;
    guint32 least = by_node ? nodes->least : group;
    if (!choice->channels_given && !inside && least < machine->nics)
        call->channels = call->channels * least / machine->nics;
    if (by_node)
        place_rings_of_nodes(nodes, call);
    else
        place_rings(machine, inside, call);
    call->ring_orders.nodes = nodes;
}

/* Cray MPICH (De Sensi et al., SC 2024, section III.B). */
gboolean dn_coll_stages_in_place(const DnCollLibrary *library)
{
    return strcmp(library->name, "cray_mpich") == 0;
}

/* An algorithm that is named and none of NCCL's is MPI's, whatever `library` says. */
void dn_coll_choice_report(const DnCollChoice *choice, const DnCollCall *call, DnProgram *program)
{
    gboolean chosen = choice->library->channels && program->chosen != NULL;
    gboolean grouped = dn_coll_is_grouped(call->algorithm);
    if (call->algorithm->nccl != DN_NCCL_BEST)
        program->library = DN_LIBRARY_NCCL;
    else if (chosen || grouped)
        program->library = DN_LIBRARY_NCCL_GROUP;
    program->by_node = call->rings != NULL || (choice->machine != NULL && !choice->group_given);
    if (grouped)
        program->batch = dn_coll_grouped_batch(call);
}

gboolean dn_coll_choice_check(const DnParams *params, const DnCollChoice *choice,
                              const DnCollLibrary *library, guint kinds, GError **error)
{
    if ((library->modelled & kinds) == 0 || choice->nccl.bus_bps > 0)
        return TRUE;
    dn_params_error(params, "library", DN_ERROR_MISSING, error,
                    "%s's model needs `bus_bandwidth`, what a rank's rings carry together, or a "
                    "machine that has `nccl:`; e.g. bus_bandwidth: 200 GB/s",
                    library->title);
    return FALSE;
}

gboolean dn_coll_fits(const DnCollAlgorithm *algorithm, const DnCollCall *call)
{
    if (algorithm->needs && algorithm->needs(call))
        return FALSE;
    return !algorithm->equal_blocks || !call->unequal;
}

/* Returns algorithm @name, or that which a library runs where it does not fit the number of ranks
 * or the blocks. */
static const DnCollAlgorithm *library_that_fits(const DnCollCall *call, DnCollKind kind,
                                                const char *name)
{
    const DnCollAlgorithm *chosen = dn_coll_find(kind, name);
    g_assert(chosen != NULL);
    const char *names[] = {name, chosen->otherwise ? chosen->otherwise : "bruck", "ring", "linear",
                           "pairwise"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const DnCollAlgorithm *algorithm = dn_coll_find(kind, names[i]);
        if (algorithm && dn_coll_fits(algorithm, call))
            return algorithm;
    }
    g_assert_not_reached();
}

void dn_selection_apply(const DnSelection *selection, DnCollKind kind, gboolean window_given,
                        DnCollCall *call)
{
    call->algorithm = library_that_fits(call, kind, selection->algorithm);
    call->segment = selection->segment >= 0 ? selection->segment : call->algorithm->segment;
    call->style = selection->style;
    if (selection->window > 0 && !window_given)
        call->window = selection->window;
    if (selection->channels > 0) { /* the first ones, so the first rings */
        call->channels = selection->channels;
        call->n_rings = MIN(call->n_rings, selection->channels);
    }
    call->ring_orders.in_flight = selection->in_flight;
    if (selection->grain > 0) {
        call->style = DN_STYLE_NCCL;
        call->element = selection->grain;
    }
}
