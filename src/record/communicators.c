/* communicators.c - numbers for communicators, and how each was made. */
#include <stdlib.h>

#include "record/record.h"

static DnHandles numbers;
static uint32_t next_number;

static uint64_t key_of(MPI_Comm comm)
{
    return (uint64_t)(uintptr_t)comm;
}

static uint32_t communicators_adopt(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return DN_NO_NUMBER;
    dn_handles_set(&numbers, key_of(comm), next_number);
    return next_number++;
}

void dn_comms_open(void)
{
    communicators_adopt(MPI_COMM_WORLD);
    communicators_adopt(MPI_COMM_SELF);
}

uint32_t dn_comm_number(MPI_Comm comm)
{
    /* Most programs stay with one; its number is found without a search. */
    static MPI_Comm last;
    static uint32_t number = DN_NO_NUMBER;
    if (comm != last || number == DN_NO_NUMBER) {
        number = dn_handles_get(&numbers, key_of(comm));
        last = comm;
    }
    return number;
}

/* Ranks in @parent of all members of @made. */
static int *members_of(MPI_Comm parent, MPI_Comm made, int *n)
{
    MPI_Group above, below;
    PMPI_Comm_size(made, n);
    int *own = malloc((size_t)*n * sizeof *own), *ranks = malloc((size_t)*n * sizeof *ranks);
    if (own == NULL || ranks == NULL)
        abort();
    for (int i = 0; i < *n; i++)
        own[i] = i;
    PMPI_Comm_group(parent, &above);
    PMPI_Comm_group(made, &below);
    PMPI_Group_translate_ranks(below, *n, own, above, ranks);
    PMPI_Group_free(&above);
    PMPI_Group_free(&below);
    free(own);
    return ranks;
}

static void note_made(DnCall *call, DnRecComm how, MPI_Comm parent, MPI_Comm made)
{
    uint32_t from = dn_comm_number(parent);
    int n = 0, me = 0;
    int *members = NULL;
    if (from == DN_NO_NUMBER) {
        dn_record_unmodelled(call, "a communicator made from an inter-communicator");
        return;
    }
    if (made != MPI_COMM_NULL && how != DN_REC_DUP) {
        members = members_of(parent, made, &n);
        PMPI_Comm_rank(made, &me);
    }
    int listed = how == DN_REC_CREATE_GROUP ? n : 0;
    uint8_t *at = dn_record_begin(call, DN_REC_COMM, 6 + (size_t)listed);
    if (at != NULL) {
        at = dn_put(at, how);
        at = dn_put(at, from);
        at = dn_put(at, made == MPI_COMM_NULL ? 0 : (uint64_t)communicators_adopt(made) + 1);
        at = dn_put(at, n > 0 ? (uint64_t)members[0] : 0);
        at = dn_put(at, (uint64_t)me);
        at = dn_put(at, (uint64_t)listed);
        for (int i = 0; i < listed; i++)
            at = dn_put(at, (uint64_t)members[i]);
        dn_record_end(at);
    }
    free(members);
}

int MPI_Comm_dup(MPI_Comm parent, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_dup)(parent, made), note_made(&call, DN_REC_DUP, parent, *made));
}

int MPI_Comm_dup_with_info(MPI_Comm parent, MPI_Info info, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_dup_with_info)(parent, info, made),
            note_made(&call, DN_REC_DUP, parent, *made));
}

/* The handle is there at once; the new communicator may be used after the request's end. */
int MPI_Comm_idup(MPI_Comm parent, MPI_Comm *made, MPI_Request *request)
{
    DN_WRAP(DN_PMPI(Comm_idup)(parent, made, request), note_made(&call, DN_REC_DUP, parent, *made));
}

#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm parent, MPI_Info info, MPI_Comm *made, MPI_Request *request)
{
    DN_WRAP(DN_PMPI(Comm_idup_with_info)(parent, info, made, request),
            note_made(&call, DN_REC_DUP, parent, *made));
}
DN_ALSO_PMPI(Comm_idup_with_info)
#endif

int MPI_Comm_split(MPI_Comm parent, int color, int key, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_split)(parent, color, key, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Comm_split_type(MPI_Comm parent, int type, int key, MPI_Info info, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_split_type)(parent, type, key, info, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Comm_create(MPI_Comm parent, MPI_Group group, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_create)(parent, group, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Comm_create_group(MPI_Comm parent, MPI_Group group, int tag, MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Comm_create_group)(parent, group, tag, made),
            note_made(&call, DN_REC_CREATE_GROUP, parent, *made));
}

/* ---- with a topology ---- */

int MPI_Cart_create(MPI_Comm parent, int n, const int sizes[], const int wrapped[], int reorder,
                    MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Cart_create)(parent, n, sizes, wrapped, reorder, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Cart_sub(MPI_Comm parent, const int kept[], MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Cart_sub)(parent, kept, made), note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Graph_create(MPI_Comm parent, int n, const int index[], const int edges[], int reorder,
                     MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Graph_create)(parent, n, index, edges, reorder, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Dist_graph_create(MPI_Comm parent, int n, const int sources[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Dist_graph_create)(parent, n, sources, degrees, targets, weights, info, reorder,
                                       made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

int MPI_Dist_graph_create_adjacent(MPI_Comm parent, int n_in, const int sources[],
                                   const int source_weights[], int n_out, const int targets[],
                                   const int target_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *made)
{
    DN_WRAP(DN_PMPI(Dist_graph_create_adjacent)(parent, n_in, sources, source_weights, n_out,
                                                targets, target_weights, info, reorder, made),
            note_made(&call, DN_REC_SPLIT, parent, *made));
}

/* ---- freeing ---- */

static void note_freed(DnCall *call, MPI_Comm handle, uint32_t number)
{
    uint8_t *at = number == DN_NO_NUMBER ? NULL : dn_record_begin(call, DN_REC_COMM_FREE, 1);
    if (at == NULL)
        return;
    dn_handles_drop(&numbers, key_of(handle));
    dn_comm_number(MPI_COMM_WORLD); /* the remembered one may be @handle */
    dn_record_end(dn_put(at, number));
}

int MPI_Comm_free(MPI_Comm *comm)
{
    MPI_Comm before = *comm;
    uint32_t number = dn_comm_number(before);
    DN_WRAP(DN_PMPI(Comm_free)(comm), note_freed(&call, before, number));
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    MPI_Comm before = *comm;
    uint32_t number = dn_comm_number(before);
    DN_WRAP(DN_PMPI(Comm_disconnect)(comm), note_freed(&call, before, number));
}

DN_ALSO_PMPI(Comm_dup)
DN_ALSO_PMPI(Comm_dup_with_info)
DN_ALSO_PMPI(Comm_idup)
DN_ALSO_PMPI(Comm_split)
DN_ALSO_PMPI(Comm_split_type)
DN_ALSO_PMPI(Comm_create)
DN_ALSO_PMPI(Comm_create_group)
DN_ALSO_PMPI(Cart_create)
DN_ALSO_PMPI(Cart_sub)
DN_ALSO_PMPI(Graph_create)
DN_ALSO_PMPI(Dist_graph_create)
DN_ALSO_PMPI(Dist_graph_create_adjacent)
DN_ALSO_PMPI(Comm_free)
DN_ALSO_PMPI(Comm_disconnect)
