/* unmodelled_mpi4.c - Calls of MPI 4 of which only the name is kept, as in unmodelled.c: those with
 * large counts (MPI_Count) and persistent collectives. */
#include "record/unmodelled.h"

#if MPI_VERSION >= 4
UNMODELLED(Allgatherv_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
            MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
            request))
UNMODELLED(Alltoallv_init,
           (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            info, request))
UNMODELLED(Alltoallw_init,
           (const void *sendbuf, const int sendcounts[], const int sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
            const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            info, request))
UNMODELLED(Exscan_init,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, info, request))
UNMODELLED(Gather_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
UNMODELLED(Gatherv_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
            request))
UNMODELLED(Neighbor_allgather_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Neighbor_allgatherv_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
            MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
            request))
UNMODELLED(Neighbor_alltoall_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Neighbor_alltoallv_init,
           (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
            void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            info, request))
UNMODELLED(Neighbor_alltoallw_init,
           (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            info, request))
UNMODELLED(Reduce_scatter_block_init,
           (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))
UNMODELLED(Reduce_scatter_init,
           (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))
UNMODELLED(Scan_init,
           (const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, info, request))
UNMODELLED(Scatter_init,
           (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
UNMODELLED(Scatterv_init,
           (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
            void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            MPI_Info info, MPI_Request *request),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
            request))
UNMODELLED(Intercomm_create_from_groups,
           (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
            const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
            MPI_Comm *newintercomm),
           (local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
            newintercomm))
UNMODELLED(Allgather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
UNMODELLED(Allgather_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Allgatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
UNMODELLED(Allgatherv_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
            request))
UNMODELLED(Allreduce_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm),
           (sendbuf, recvbuf, count, datatype, op, comm))
UNMODELLED(Allreduce_init_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, info, request))
UNMODELLED(Alltoall_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
UNMODELLED(Alltoall_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Alltoallv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
UNMODELLED(Alltoallv_init_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            info, request))
UNMODELLED(Alltoallw_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
UNMODELLED(Alltoallw_init_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            info, request))
UNMODELLED(Bcast_c, (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm),
           (buffer, count, datatype, root, comm))
UNMODELLED(Bcast_init_c,
           (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
            MPI_Info info, MPI_Request *request),
           (buffer, count, datatype, root, comm, info, request))
UNMODELLED(Exscan_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm),
           (sendbuf, recvbuf, count, datatype, op, comm))
UNMODELLED(Exscan_init_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, info, request))
UNMODELLED(Gather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
UNMODELLED(Gather_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
UNMODELLED(Gatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
UNMODELLED(Gatherv_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info,
            request))
UNMODELLED(Iallgather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
UNMODELLED(Iallgatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
UNMODELLED(Iallreduce_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, request))
UNMODELLED(Ialltoall_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
UNMODELLED(Ialltoallv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            request))
UNMODELLED(Ialltoallw_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            request))
UNMODELLED(Ibcast_c,
           (void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
            MPI_Request *request),
           (buffer, count, datatype, root, comm, request))
UNMODELLED(Iexscan_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, request))
UNMODELLED(Igather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
UNMODELLED(Igatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
            request))
UNMODELLED(Ineighbor_allgather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
UNMODELLED(Ineighbor_allgatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request))
UNMODELLED(Ineighbor_alltoall_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
UNMODELLED(Ineighbor_alltoallv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            request))
UNMODELLED(Ineighbor_alltoallw_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            request))
UNMODELLED(Ireduce_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            int root, MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, root, comm, request))
UNMODELLED(Ireduce_scatter_c,
           (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, recvcounts, datatype, op, comm, request))
UNMODELLED(Ireduce_scatter_block_c,
           (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, recvcount, datatype, op, comm, request))
UNMODELLED(Iscan_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, request))
UNMODELLED(Iscatter_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
UNMODELLED(Iscatterv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
            MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
            request))
UNMODELLED(Neighbor_allgather_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
UNMODELLED(Neighbor_allgather_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Neighbor_allgatherv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
UNMODELLED(Neighbor_allgatherv_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
            request))
UNMODELLED(Neighbor_alltoall_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
UNMODELLED(Neighbor_alltoall_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request))
UNMODELLED(Neighbor_alltoallv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
UNMODELLED(Neighbor_alltoallv_init_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
            info, request))
UNMODELLED(Neighbor_alltoallw_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
UNMODELLED(Neighbor_alltoallw_init_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
            const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm,
            info, request))
UNMODELLED(Reduce_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            int root, MPI_Comm comm),
           (sendbuf, recvbuf, count, datatype, op, root, comm))
UNMODELLED(Reduce_init_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, root, comm, info, request))
UNMODELLED(Reduce_scatter_c,
           (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (sendbuf, recvbuf, recvcounts, datatype, op, comm))
UNMODELLED(Reduce_scatter_block_c,
           (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm),
           (sendbuf, recvbuf, recvcount, datatype, op, comm))
UNMODELLED(Reduce_scatter_block_init_c,
           (const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, recvcount, datatype, op, comm, info, request))
UNMODELLED(Reduce_scatter_init_c,
           (const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
            MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request))
UNMODELLED(Scan_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm),
           (sendbuf, recvbuf, count, datatype, op, comm))
UNMODELLED(Scan_init_c,
           (const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, recvbuf, count, datatype, op, comm, info, request))
UNMODELLED(Scatter_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
UNMODELLED(Scatter_init_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
            MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request))
UNMODELLED(Scatterv_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
            MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
UNMODELLED(Scatterv_init_c,
           (const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
            MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
            request))
UNMODELLED(Bsend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm),
           (buf, count, datatype, dest, tag, comm))
UNMODELLED(Bsend_init_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Ibsend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Imrecv_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
            MPI_Request *request),
           (buf, count, datatype, message, request))
UNMODELLED(Irecv_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Request *request),
           (buf, count, datatype, source, tag, comm, request))
UNMODELLED(Irsend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Isend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Isendrecv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
            MPI_Comm comm, MPI_Request *request),
           (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
            recvtag, comm, request))
UNMODELLED(Isendrecv_replace_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
            int recvtag, MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, sendtag, source, recvtag, comm, request))
UNMODELLED(Issend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Mrecv_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
            MPI_Status *seen),
           (buf, count, datatype, message, seen))
UNMODELLED(Recv_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Status *seen),
           (buf, count, datatype, source, tag, comm, seen))
UNMODELLED(Recv_init_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
            MPI_Request *request),
           (buf, count, datatype, source, tag, comm, request))
UNMODELLED(Rsend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm),
           (buf, count, datatype, dest, tag, comm))
UNMODELLED(Rsend_init_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Send_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm),
           (buf, count, datatype, dest, tag, comm))
UNMODELLED(Send_init_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
UNMODELLED(Sendrecv_c,
           (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
            MPI_Comm comm, MPI_Status *seen),
           (sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
            recvtag, comm, seen))
UNMODELLED(Sendrecv_replace_c,
           (void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
            int recvtag, MPI_Comm comm, MPI_Status *seen),
           (buf, count, datatype, dest, sendtag, source, recvtag, comm, seen))
UNMODELLED(Ssend_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm),
           (buf, count, datatype, dest, tag, comm))
UNMODELLED(Ssend_init_c,
           (const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
            MPI_Comm comm, MPI_Request *request),
           (buf, count, datatype, dest, tag, comm, request))
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
