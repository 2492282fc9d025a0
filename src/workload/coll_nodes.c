/* coll_nodes.c - the order of nodes and ranks, whatever the numbers of ranks that nodes have.
 *
 * Nodes are numbered by their lowest ranks, and the ranks of each upwards, by NCCL as by MPICH
 * (src/util/mpir_localproc.c, MPIR_Find_local and MPIR_Find_external).
 * Rings, of NCCL alone: each node finds some of its own. All nodes use as many of them as the node
 * with the fewest has, and ring i goes through the i-th of each node, one node after another (NCCL
 * 2.18 to 2.28, src/init.cc, initTransportsRank; src/graph/connect.cc, connectRings). What a node
 * finds goes by its own ranks: the machine's orders where they are all of its GPUs, else a ring
 * from each adapter's GPU on, as on nodes of equal numbers.
 * Grouped sends: NCCL 2.18 and 2.20 count each node as of as many ranks as the largest has, and
 * skip who is not there (src/init.cc, p2pSendOrder). In 2.28 nodes of unequal numbers count as one
 * node, whose ranks are in the order of their numbers (src/init.cc, p2pSchedule).
 * LIMITATIONS: the n-th rank of a node is taken to have the n-th GPU of those in use; on part of a
 * node of MI250X RCCL is taken to find rings as NCCL does; 2.20 and before round the ranks of the
 * largest node up to a power of two or a multiple of eight, which adds slots without a peer. */
#include "workload/coll_nodes.h"
#include "workload/select.h"

void dn_coll_nodes_free(DnCollNodes *nodes)
{
    if (nodes == NULL)
        return;
    g_free(nodes->node);
    g_free(nodes->members);
    g_free(nodes->ranks);
    g_free(nodes->first);
    g_free(nodes->at);
    g_free(nodes->roots);
    g_free(nodes->rings);
    g_free(nodes->places);
    g_free(nodes->slots);
    g_free(nodes->slot);
    g_free(nodes);
}

static void nodes_number(const DnCollChoice *choice, const DnCollCall *call, DnCollNodes *out)
{
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL); /* node -> number + 1 */
    guint32 n = call->n;
    out->node = g_new(guint32, n);
    out->first = g_new0(guint32, n + 1);
    for (guint32 i = 0; i < n; i++) {
        gpointer id = GUINT_TO_POINTER(dn_coll_choice_node(choice, call, i));
        guint32 number = GPOINTER_TO_UINT(g_hash_table_lookup(known, id));
        if (number == 0) {
            number = ++out->nodes;
            g_hash_table_insert(known, id, GUINT_TO_POINTER(number));
        }
        out->node[i] = number - 1;
        out->first[number]++;
    }
    out->least = n;
    for (guint32 v = 0; v < out->nodes; v++) {
        out->least = MIN(out->least, out->first[v + 1]);
        out->most = MAX(out->most, out->first[v + 1]);
        out->first[v + 1] += out->first[v];
    }
}

static void nodes_collect(const DnCollCall *call, DnCollNodes *out)
{
    g_autofree guint32 *next = g_new0(guint32, out->nodes);
    out->members = g_new0(guint32, call->n);
    out->ranks = g_new0(guint32, call->n);
    out->at = g_new0(guint32, call->n);
    out->roots = g_new0(guint32, out->nodes);
    for (guint32 i = 0; i < call->n; i++) {
        guint32 v = out->node[i];
        out->at[i] = next[v]++;
        out->members[out->first[v] + out->at[i]] = i;
        out->ranks[out->first[v] + out->at[i]] = dn_coll_rank(call, i);
        if (out->at[i] == 0)
            out->roots[v] = dn_coll_rank(call, i);
    }
}

/* ---- rings ---- */

/* Returns the number of rings that a node of @size ranks has. */
static guint32 rings_of_node(const DnCollMachine *machine, guint32 size)
{
    if (size == machine->gpus && machine->orders != NULL)
        return machine->n_orders;
    return MAX(1, MIN(machine->nics, size));
}

/* Returns which of a node's @size ranks comes @at-th in ring @ring. */
static guint32 ring_member(const DnCollMachine *machine, guint32 size, guint32 ring, guint32 at)
{
    if (size == machine->gpus && machine->orders != NULL)
        return machine->orders[ring * size + at];
    return (at + ring * (size / rings_of_node(machine, size))) % size;
}

static void nodes_rings(const DnCollMachine *machine, guint32 n, DnCollNodes *out)
{
    out->n_rings = G_MAXUINT32;
    for (guint32 v = 0; v < out->nodes; v++)
        out->n_rings = MIN(out->n_rings, rings_of_node(machine, out->first[v + 1] - out->first[v]));
    out->rings = g_new(guint32, (gsize)out->n_rings * n);
    out->places = g_new(guint32, (gsize)out->n_rings * n);
    for (guint32 ring = 0; ring < out->n_rings; ring++)
        for (guint32 place = 0; place < n; place++) {
            guint32 v = out->node[out->members[place]], first = out->first[v];
            guint32 at = ring_member(machine, out->first[v + 1] - first, ring, place - first);
            guint32 rank = out->members[first + at];
            out->rings[(gsize)ring * n + place] = rank;
            out->places[(gsize)ring * n + rank] = place;
        }
}

/* ---- grouped sends ---- */

static void nodes_slots(gboolean one_node, guint32 n, DnCollNodes *out)
{
    out->slot_nodes = one_node ? 1 : out->nodes;
    out->slot_ranks = one_node ? n : out->most;
    gsize slots = (gsize)out->slot_nodes * out->slot_ranks;
    out->slots = g_new(guint32, slots);
    out->slot = g_new(guint32, n);
    for (gsize i = 0; i < slots; i++)
        out->slots[i] = DN_ANY;
    for (guint32 place = 0; place < n; place++) {
        guint32 rank = out->members[place], v = out->node[rank];
        out->slot[rank] = one_node ? rank : v * out->most + place - out->first[v];
        out->slots[out->slot[rank]] = rank;
    }
}

DnCollNodes *dn_coll_choice_nodes(const DnCollChoice *choice, gboolean listed,
                                  const DnCollCall *call)
{
    const DnCollMachine *machine = choice->machine;
    if (!listed || (machine == NULL && !choice->two_levels))
        return NULL;
    DnCollNodes *out = g_new0(DnCollNodes, 1);
    nodes_number(choice, call, out);
    nodes_collect(call, out);
    if (machine == NULL || choice->group_given)
        return out;
    gboolean rccl = choice->nccl.gpu == DN_NCCL_MI250X;
    gboolean later = choice->nccl.version == DN_NCCL_2_28 && !rccl;
    nodes_rings(machine, call->n, out);
    nodes_slots(later && out->least < out->most, call->n, out);
    return out;
}
