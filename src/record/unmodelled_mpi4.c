/* unmodelled_mpi4.c - Calls of MPI 4 of which only the name is kept, as in unmodelled.c: those with
 * large counts (MPI_Count) and persistent collectives. A collective blocks, is nonblocking or
 * persistent, with the same parameters before those of its kind. */
#include "record/unmodelled.h"

#if MPI_VERSION >= 4
/* Types and names of the parameters at the end. */
#define BLOCKING_TYPES
#define BLOCKING_NAMES
#define NONBLOCKING_TYPES , MPI_Request *request
#define NONBLOCKING_NAMES , request
#define PERSISTENT_TYPES , MPI_Info info, MPI_Request *request
#define PERSISTENT_NAMES , info, request
#define RECEIVED_TYPES , MPI_Status *seen
#define RECEIVED_NAMES , seen

/* Families of calls with equal parameters, of counts of type @COUNT and places of type @PLACE. */
#define EXCHANGE(name, kind, COUNT)                                                                \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,        \
                COUNT recvcount, MPI_Datatype recvtype, MPI_Comm comm kind##_TYPES),               \
               (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm kind##_NAMES))
#define GATHER_TO_ALL_V(name, kind, COUNT, PLACE)                                                  \
    UNMODELLED(                                                                                    \
        name,                                                                                      \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,               \
         const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype,                    \
         MPI_Comm comm kind##_TYPES),                                                              \
        (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm kind##_NAMES))
#define EXCHANGE_V(name, kind, COUNT, PLACE)                                                       \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],              \
                MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],                    \
                const PLACE rdispls[], MPI_Datatype recvtype, MPI_Comm comm kind##_TYPES),         \
               (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,    \
                comm kind##_NAMES))
#define EXCHANGE_W(name, kind, COUNT, PLACE)                                                       \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[],              \
                const MPI_Datatype sendtypes[], void *recvbuf, const COUNT recvcounts[],           \
                const PLACE rdispls[], const MPI_Datatype recvtypes[],                             \
                MPI_Comm comm kind##_TYPES),                                                       \
               (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,  \
                comm kind##_NAMES))
#define ROOTED(name, kind, COUNT)                                                                  \
    UNMODELLED(                                                                                    \
        name,                                                                                      \
        (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,               \
         COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm kind##_TYPES),            \
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm kind##_NAMES))
#define GATHER_V(name, kind, COUNT, PLACE)                                                         \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf,        \
                const COUNT recvcounts[], const PLACE displs[], MPI_Datatype recvtype, int root,   \
                MPI_Comm comm kind##_TYPES),                                                       \
               (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,         \
                comm kind##_NAMES))
#define SCATTER_V(name, kind, COUNT, PLACE)                                                        \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, const COUNT sendcounts[], const PLACE displs[],               \
                MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,      \
                int root, MPI_Comm comm kind##_TYPES),                                             \
               (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,         \
                comm kind##_NAMES))
#define BROADCAST(name, kind, COUNT)                                                               \
    UNMODELLED(                                                                                    \
        name,                                                                                      \
        (void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm kind##_TYPES),  \
        (buffer, count, datatype, root, comm kind##_NAMES))
#define REDUCTION(name, kind, COUNT)                                                               \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, \
                MPI_Comm comm kind##_TYPES),                                                       \
               (sendbuf, recvbuf, count, datatype, op, comm kind##_NAMES))
#define REDUCTION_TO_ROOT(name, kind, COUNT)                                                       \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, \
                int root, MPI_Comm comm kind##_TYPES),                                             \
               (sendbuf, recvbuf, count, datatype, op, root, comm kind##_NAMES))
#define REDUCTION_SCATTERED(name, kind, COUNT)                                                     \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, void *recvbuf, const COUNT recvcounts[],                      \
                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm kind##_TYPES),                     \
               (sendbuf, recvbuf, recvcounts, datatype, op, comm kind##_NAMES))
#define SEND(name, kind)                                                                           \
    UNMODELLED(name,                                                                               \
               (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,        \
                MPI_Comm comm kind##_TYPES),                                                       \
               (buf, count, datatype, dest, tag, comm kind##_NAMES))
#define RECEIVE(name, kind)                                                                        \
    UNMODELLED(name,                                                                               \
               (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,            \
                MPI_Comm comm kind##_TYPES),                                                       \
               (buf, count, datatype, source, tag, comm kind##_NAMES))
#define MATCHED_RECEIVE(name, kind)                                                                \
    UNMODELLED(                                                                                    \
        name,                                                                                      \
        (void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message kind##_TYPES),    \
        (buf, count, datatype, message kind##_NAMES))
#define SEND_AND_RECEIVE(name, kind)                                                               \
    UNMODELLED(name,                                                                               \
               (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,         \
                int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,            \
                int source, int recvtag, MPI_Comm comm kind##_TYPES),                              \
               (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, \
                recvtag, comm kind##_NAMES))
#define SEND_AND_REPLACE(name, kind)                                                               \
    UNMODELLED(name,                                                                               \
               (void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,          \
                int source, int recvtag, MPI_Comm comm kind##_TYPES),                              \
               (buf, count, datatype, dest, sendtag, source, recvtag, comm kind##_NAMES))

/* The three kinds of a collective with large counts. */
#define LARGE(FAMILY, blocking, nonblocking, persistent, ...)                                      \
    FAMILY(blocking##_c, BLOCKING, __VA_ARGS__)                                                    \
    FAMILY(nonblocking##_c, NONBLOCKING, __VA_ARGS__)                                              \
    FAMILY(persistent##_c, PERSISTENT, __VA_ARGS__)

/* Persistent collectives. */
GATHER_TO_ALL_V(Allgatherv_init, PERSISTENT, int, int)
EXCHANGE_V(Alltoallv_init, PERSISTENT, int, int)
EXCHANGE_W(Alltoallw_init, PERSISTENT, int, int)
REDUCTION(Exscan_init, PERSISTENT, int)
ROOTED(Gather_init, PERSISTENT, int)
GATHER_V(Gatherv_init, PERSISTENT, int, int)
EXCHANGE(Neighbor_allgather_init, PERSISTENT, int)
GATHER_TO_ALL_V(Neighbor_allgatherv_init, PERSISTENT, int, int)
EXCHANGE(Neighbor_alltoall_init, PERSISTENT, int)
EXCHANGE_V(Neighbor_alltoallv_init, PERSISTENT, int, int)
EXCHANGE_W(Neighbor_alltoallw_init, PERSISTENT, int, MPI_Aint)
REDUCTION(Reduce_scatter_block_init, PERSISTENT, int)
REDUCTION_SCATTERED(Reduce_scatter_init, PERSISTENT, int)
REDUCTION(Scan_init, PERSISTENT, int)
ROOTED(Scatter_init, PERSISTENT, int)
SCATTER_V(Scatterv_init, PERSISTENT, int, int)

UNMODELLED(Intercomm_create_from_groups,
           (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
            const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
            MPI_Comm *newintercomm),
           (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
            newintercomm))

LARGE(EXCHANGE, Allgather, Iallgather, Allgather_init, MPI_Count)
LARGE(GATHER_TO_ALL_V, Allgatherv, Iallgatherv, Allgatherv_init, MPI_Count, MPI_Aint)
LARGE(REDUCTION, Allreduce, Iallreduce, Allreduce_init, MPI_Count)
LARGE(EXCHANGE, Alltoall, Ialltoall, Alltoall_init, MPI_Count)
LARGE(EXCHANGE_V, Alltoallv, Ialltoallv, Alltoallv_init, MPI_Count, MPI_Aint)
LARGE(EXCHANGE_W, Alltoallw, Ialltoallw, Alltoallw_init, MPI_Count, MPI_Aint)
LARGE(BROADCAST, Bcast, Ibcast, Bcast_init, MPI_Count)
LARGE(REDUCTION, Exscan, Iexscan, Exscan_init, MPI_Count)
LARGE(ROOTED, Gather, Igather, Gather_init, MPI_Count)
LARGE(GATHER_V, Gatherv, Igatherv, Gatherv_init, MPI_Count, MPI_Aint)
LARGE(EXCHANGE, Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, MPI_Count)
LARGE(GATHER_TO_ALL_V, Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init,
      MPI_Count, MPI_Aint)
LARGE(EXCHANGE, Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, MPI_Count)
LARGE(EXCHANGE_V, Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, MPI_Count,
      MPI_Aint)
LARGE(EXCHANGE_W, Neighbor_alltoallw, Ineighbor_alltoallw, Neighbor_alltoallw_init, MPI_Count,
      MPI_Aint)
LARGE(REDUCTION_TO_ROOT, Reduce, Ireduce, Reduce_init, MPI_Count)
LARGE(REDUCTION_SCATTERED, Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, MPI_Count)
LARGE(REDUCTION, Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, MPI_Count)
LARGE(REDUCTION, Scan, Iscan, Scan_init, MPI_Count)
LARGE(ROOTED, Scatter, Iscatter, Scatter_init, MPI_Count)
LARGE(SCATTER_V, Scatterv, Iscatterv, Scatterv_init, MPI_Count, MPI_Aint)

/* Messages with large counts; a persistent one has no MPI_Info. */
SEND(Bsend_c, BLOCKING)
SEND(Bsend_init_c, NONBLOCKING)
SEND(Ibsend_c, NONBLOCKING)
SEND(Rsend_c, BLOCKING)
SEND(Rsend_init_c, NONBLOCKING)
SEND(Irsend_c, NONBLOCKING)
SEND(Send_c, BLOCKING)
SEND(Send_init_c, NONBLOCKING)
SEND(Isend_c, NONBLOCKING)
SEND(Ssend_c, BLOCKING)
SEND(Ssend_init_c, NONBLOCKING)
SEND(Issend_c, NONBLOCKING)
RECEIVE(Recv_c, RECEIVED)
RECEIVE(Recv_init_c, NONBLOCKING)
RECEIVE(Irecv_c, NONBLOCKING)
MATCHED_RECEIVE(Mrecv_c, RECEIVED)
MATCHED_RECEIVE(Imrecv_c, NONBLOCKING)
SEND_AND_RECEIVE(Sendrecv_c, RECEIVED)
SEND_AND_RECEIVE(Isendrecv_c, NONBLOCKING)
SEND_AND_REPLACE(Sendrecv_replace_c, RECEIVED)
SEND_AND_REPLACE(Isendrecv_replace_c, NONBLOCKING)

UNMODELLED(Win_allocate_c,
           (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
            MPI_Win *win),
           (size, disp_unit, info, comm, baseptr, win))
UNMODELLED(Win_allocate_shared_c,
           (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
            MPI_Win *win),
           (size, disp_unit, info, comm, baseptr, win))
UNMODELLED(Win_create_c,
           (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
            MPI_Win *win),
           (base, size, disp_unit, info, comm, win))
#endif
