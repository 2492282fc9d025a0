/* mpi_collectives.c - collectives, blocking and begun. */
#include "record/record.h"

typedef struct {
    int64_t count;
    MPI_Datatype type;
} Part;

typedef struct {
    DnRecCollective kind;
    MPI_Comm comm;
    int root;
    Part sent, received; /* a count of 0: not significant here, and its type not looked at */
    MPI_Op op;
    const MPI_Request *request;           /* NULL: blocking */
    const int *sent_list, *received_list; /* [ranks of comm] NULL: none */
    const MPI_Datatype *sent_types, *received_types;
    const void *data; /* MPI_IN_PLACE is recognised by it */
} Collective;

static uint8_t *put_part(uint8_t *at, const Part *part)
{
    at = dn_put(at, (uint64_t)part->count);
    return dn_put(at, part->type == (MPI_Datatype)0 ? 0 : (uint64_t)dn_size(part->type));
}

/* Counts are bytes when @types is given. */
static uint8_t *put_list(uint8_t *at, int n, const int *counts, const MPI_Datatype *types)
{
    at = dn_put(at, counts == NULL ? 0 : (uint64_t)n);
    for (int i = 0; i < n && counts != NULL; i++)
        at = dn_put(at, types == NULL || counts[i] == 0
                            ? (uint64_t)counts[i]
                            : (uint64_t)counts[i] * (uint64_t)dn_size(types[i]));
    return at;
}

static unsigned flags_of(const Collective *c)
{
    int commutes = 0;
    bool reduces = c->kind == DN_REC_REDUCE || c->kind == DN_REC_ALLREDUCE ||
                   c->kind == DN_REC_REDUCE_SCATTER || c->kind == DN_REC_REDUCE_SCATTER_BLOCK ||
                   c->kind == DN_REC_SCAN || c->kind == DN_REC_EXSCAN;
    if (reduces)
        PMPI_Op_commutative(c->op, &commutes);
    return (commutes ? DN_REC_UNORDERED : 0) | (c->data == MPI_IN_PLACE ? DN_REC_IN_PLACE : 0);
}

static void mpi_collectives_note(DnCall *call, const Collective *c)
{
    uint32_t comm = dn_comm_number(c->comm);
    int n = 0;
    bool lists = c->kind == DN_REC_GATHERV || c->kind == DN_REC_SCATTERV ||
                 c->kind == DN_REC_ALLGATHERV || c->kind == DN_REC_ALLTOALLV ||
                 c->kind == DN_REC_ALLTOALLW || c->kind == DN_REC_REDUCE_SCATTER;
    if (comm == DN_NO_NUMBER) {
        dn_record_unmodelled(call, "collective on an inter-communicator");
        return;
    }
    if (c->sent_list != NULL || c->received_list != NULL)
        PMPI_Comm_size(c->comm, &n);
    uint8_t *at = dn_record_begin(call, DN_REC_COLLECTIVE, 13 + 2 * (size_t)n);
    if (at == NULL)
        return;
    at = dn_put(at, c->kind);
    at = dn_put(at, c->request == NULL
                        ? 0
                        : 1 + (uint64_t)dn_request_new(*c->request, (DnRequest){.receive = false}));
    at = dn_put(at, comm);
    at = dn_put(at, (uint64_t)c->root);
    at = put_part(at, &c->sent);
    at = put_part(at, &c->received);
    at = dn_put(at, flags_of(c));
    if (lists) {
        at = put_list(at, n, c->sent_list, c->sent_types);
        at = put_list(at, n, c->received_list, c->received_types);
    }
    dn_record_end(at);
}

static bool is_root(MPI_Comm comm, int root)
{
    int me = -1;
    PMPI_Comm_rank(comm, &me);
    return me == root;
}

/* Returns a part; an empty one for MPI_IN_PLACE, where MPI does not look at count and type. */
static Part mpi_collectives_given(const void *data, int count, MPI_Datatype type)
{
    if (data == MPI_IN_PLACE)
        return (Part){0};
    return (Part){count, type};
}

static int64_t size_of(MPI_Comm comm)
{
    int n = 0;
    PMPI_Comm_size(comm, &n);
    return n;
}

static Part at_root(MPI_Comm comm, int root, const void *data, int count, MPI_Datatype type)
{
    if (!is_root(comm, root))
        return (Part){0};
    return mpi_collectives_given(data, count, type);
}

/* Both forms of one collective: MPI_X(arguments) and MPI_Ix(arguments, request). */
#define BOTH(name, iname, parameters, arguments, ...)                                              \
    int MPI_##name(SPREAD parameters)                                                              \
    {                                                                                              \
        DN_WRAP(DN_PMPI(name)(SPREAD arguments),                                                   \
                mpi_collectives_note(&call, &(Collective){__VA_ARGS__}));                          \
    }                                                                                              \
    int MPI_##iname(SPREAD parameters, MPI_Request *request)                                       \
    {                                                                                              \
        DN_WRAP(DN_PMPI(iname)(SPREAD arguments, request),                                         \
                mpi_collectives_note(&call, &(Collective){.request = request, __VA_ARGS__}));      \
    }                                                                                              \
    DN_ALSO_PMPI(name) DN_ALSO_PMPI(iname)
#define SPREAD(...) __VA_ARGS__

BOTH(Barrier, Ibarrier, (MPI_Comm comm), (comm), .kind = DN_REC_BARRIER, .comm = comm)

BOTH(Bcast, Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (data, count, type, root, comm), .kind = DN_REC_BCAST, .comm = comm, .root = root,
     .sent = {count, type})

BOTH(Reduce, Ireduce,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (in, out, count, type, op, root, comm), .kind = DN_REC_REDUCE, .comm = comm, .root = root,
     .sent = {count, type}, .op = op, .data = in)

BOTH(Allreduce, Iallreduce,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), .kind = DN_REC_ALLREDUCE, .comm = comm,
     .sent = {count, type}, .op = op, .data = in)

BOTH(Scan, Iscan,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), .kind = DN_REC_SCAN, .comm = comm, .sent = {count, type},
     .op = op, .data = in)

BOTH(Exscan, Iexscan,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), .kind = DN_REC_EXSCAN, .comm = comm, .sent = {count, type},
     .op = op, .data = in)

BOTH(Reduce_scatter_block, Ireduce_scatter_block,
     (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), .kind = DN_REC_REDUCE_SCATTER_BLOCK, .comm = comm,
     .received = {count * size_of(comm), type}, .op = op, .data = in)

BOTH(Reduce_scatter, Ireduce_scatter,
     (const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, counts, type, op, comm), .kind = DN_REC_REDUCE_SCATTER, .comm = comm,
     .received = {1, type}, .op = op, .received_list = counts, .data = in)

BOTH(Gather, Igather,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out, MPI_Datatype out_type,
      int root, MPI_Comm comm),
     (in, n_in, in_type, out, n_out, out_type, root, comm), .kind = DN_REC_GATHER, .comm = comm,
     .root = root, .sent = mpi_collectives_given(in, n_in, in_type),
     .received = at_root(comm, root, out, n_out, out_type), .data = in)

BOTH(Gatherv, Igatherv,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, const int counts[],
      const int places[], MPI_Datatype out_type, int root, MPI_Comm comm),
     (in, n_in, in_type, out, counts, places, out_type, root, comm), .kind = DN_REC_GATHERV,
     .comm = comm, .root = root,
     .sent = in == MPI_IN_PLACE ? (Part){counts[root], out_type} : (Part){n_in, in_type},
     .received = at_root(comm, root, out, 1, out_type),
     .received_list = is_root(comm, root) ? counts : NULL, .data = in)

BOTH(Scatter, Iscatter,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out, MPI_Datatype out_type,
      int root, MPI_Comm comm),
     (in, n_in, in_type, out, n_out, out_type, root, comm), .kind = DN_REC_SCATTER, .comm = comm,
     .root = root, .sent = at_root(comm, root, in, n_in, in_type),
     .received = mpi_collectives_given(out, n_out, out_type), .data = out)

BOTH(Scatterv, Iscatterv,
     (const void *in, const int counts[], const int places[], MPI_Datatype in_type, void *out,
      int n_out, MPI_Datatype out_type, int root, MPI_Comm comm),
     (in, counts, places, in_type, out, n_out, out_type, root, comm), .kind = DN_REC_SCATTERV,
     .comm = comm, .root = root, .sent = at_root(comm, root, in, 1, in_type),
     .received = out == MPI_IN_PLACE ? (Part){counts[root], in_type} : (Part){n_out, out_type},
     .sent_list = is_root(comm, root) ? counts : NULL, .data = out)

BOTH(Allgather, Iallgather,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out, MPI_Datatype out_type,
      MPI_Comm comm),
     (in, n_in, in_type, out, n_out, out_type, comm), .kind = DN_REC_ALLGATHER, .comm = comm,
     .sent = mpi_collectives_given(in, n_in, in_type), .received = {n_out, out_type}, .data = in)

BOTH(Allgatherv, Iallgatherv,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, const int counts[],
      const int places[], MPI_Datatype out_type, MPI_Comm comm),
     (in, n_in, in_type, out, counts, places, out_type, comm), .kind = DN_REC_ALLGATHERV,
     .comm = comm, .sent = mpi_collectives_given(in, n_in, in_type), .received = {1, out_type},
     .received_list = counts, .data = in)

BOTH(Alltoall, Ialltoall,
     (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out, MPI_Datatype out_type,
      MPI_Comm comm),
     (in, n_in, in_type, out, n_out, out_type, comm), .kind = DN_REC_ALLTOALL, .comm = comm,
     .sent = mpi_collectives_given(in, n_in, in_type), .received = {n_out, out_type}, .data = in)

/* In place, a rank sends as much as it receives. */
BOTH(Alltoallv, Ialltoallv,
     (const void *in, const int n_in[], const int in_places[], MPI_Datatype in_type, void *out,
      const int n_out[], const int out_places[], MPI_Datatype out_type, MPI_Comm comm),
     (in, n_in, in_places, in_type, out, n_out, out_places, out_type, comm),
     .kind = DN_REC_ALLTOALLV, .comm = comm, .sent = {1, in == MPI_IN_PLACE ? out_type : in_type},
     .received = {1, out_type}, .sent_list = in == MPI_IN_PLACE ? n_out : n_in,
     .received_list = n_out, .data = in)

BOTH(Alltoallw, Ialltoallw,
     (const void *in, const int n_in[], const int in_places[], const MPI_Datatype in_types[],
      void *out, const int n_out[], const int out_places[], const MPI_Datatype out_types[],
      MPI_Comm comm),
     (in, n_in, in_places, in_types, out, n_out, out_places, out_types, comm),
     .kind = DN_REC_ALLTOALLW, .comm = comm, .sent = {1, MPI_BYTE}, .received = {1, MPI_BYTE},
     .sent_list = in == MPI_IN_PLACE ? n_out : n_in, .received_list = n_out,
     .sent_types = in == MPI_IN_PLACE ? out_types : in_types, .received_types = out_types,
     .data = in)
