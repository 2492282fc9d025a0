/* unmodelled.c - calls of which only the name is kept, so that a replay can say what it lacks. */
#include "record/unmodelled.h"

UNMODELLED(Intercomm_create,
           (MPI_Comm local, int leader, MPI_Comm peers, int remote, int tag, MPI_Comm *made),
           (local, leader, peers, remote, tag, made))
UNMODELLED(Intercomm_merge, (MPI_Comm between, int high, MPI_Comm *made), (between, high, made))
UNMODELLED(Comm_spawn,
           (const char *command, char *argv[], int n, MPI_Info info, int root, MPI_Comm comm,
            MPI_Comm *made, int codes[]),
           (command, argv, n, info, root, comm, made, codes))
UNMODELLED(Comm_spawn_multiple,
           (int n, char *commands[], char **argvs[], const int counts[], const MPI_Info infos[],
            int root, MPI_Comm comm, MPI_Comm *made, int codes[]),
           (n, commands, argvs, counts, infos, root, comm, made, codes))
UNMODELLED(Comm_accept, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
           (port, info, root, comm, made))
UNMODELLED(Comm_connect, (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
           (port, info, root, comm, made))
UNMODELLED(Win_create,
           (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
           (base, size, unit, info, comm, made))
UNMODELLED(Win_allocate,
           (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
           (size, unit, info, comm, base, made))
UNMODELLED(Win_allocate_shared,
           (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
           (size, unit, info, comm, base, made))
UNMODELLED(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *made), (info, comm, made))
UNMODELLED(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *made),
           (comm, name, mode, info, made))
UNMODELLED(Neighbor_allgather,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm),
           (in, n_in, in_type, out, n_out, out_type, comm))
UNMODELLED(Neighbor_allgatherv,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, const int counts[],
            const int places[], MPI_Datatype out_type, MPI_Comm comm),
           (in, n_in, in_type, out, counts, places, out_type, comm))
UNMODELLED(Neighbor_alltoall,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm),
           (in, n_in, in_type, out, n_out, out_type, comm))
UNMODELLED(Neighbor_alltoallv,
           (const void *in, const int n_in[], const int in_places[], MPI_Datatype in_type,
            void *out, const int n_out[], const int out_places[], MPI_Datatype out_type,
            MPI_Comm comm),
           (in, n_in, in_places, in_type, out, n_out, out_places, out_type, comm))
UNMODELLED(Neighbor_alltoallw,
           (const void *in, const int n_in[], const MPI_Aint in_places[],
            const MPI_Datatype in_types[], void *out, const int n_out[],
            const MPI_Aint out_places[], const MPI_Datatype out_types[], MPI_Comm comm),
           (in, n_in, in_places, in_types, out, n_out, out_places, out_types, comm))
UNMODELLED(Ineighbor_allgather,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
           (in, n_in, in_type, out, n_out, out_type, comm, request))
UNMODELLED(Ineighbor_allgatherv,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, const int counts[],
            const int places[], MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
           (in, n_in, in_type, out, counts, places, out_type, comm, request))
UNMODELLED(Ineighbor_alltoall,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
           (in, n_in, in_type, out, n_out, out_type, comm, request))
UNMODELLED(Ineighbor_alltoallv,
           (const void *in, const int n_in[], const int in_places[], MPI_Datatype in_type,
            void *out, const int n_out[], const int out_places[], MPI_Datatype out_type,
            MPI_Comm comm, MPI_Request *request),
           (in, n_in, in_places, in_type, out, n_out, out_places, out_type, comm, request))
UNMODELLED(Ineighbor_alltoallw,
           (const void *in, const int n_in[], const MPI_Aint in_places[],
            const MPI_Datatype in_types[], void *out, const int n_out[],
            const MPI_Aint out_places[], const MPI_Datatype out_types[], MPI_Comm comm,
            MPI_Request *request),
           (in, n_in, in_places, in_types, out, n_out, out_places, out_types, comm, request))
#if MPI_VERSION >= 4
UNMODELLED(Psend_init,
           (const void *data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (data, partitions, count, type, peer, tag, comm, info, request))
UNMODELLED(Precv_init,
           (void *data, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (data, partitions, count, type, peer, tag, comm, info, request))
UNMODELLED(Isendrecv,
           (const void *out, int n_out, MPI_Datatype out_type, int to, int out_tag, void *in,
            int n_in, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
            MPI_Request *request),
           (out, n_out, out_type, to, out_tag, in, n_in, in_type, from, in_tag, comm, request))
UNMODELLED(Isendrecv_replace,
           (void *data, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
            MPI_Comm comm, MPI_Request *request),
           (data, count, type, to, out_tag, from, in_tag, comm, request))
UNMODELLED(Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (comm, info, request))
UNMODELLED(Bcast_init,
           (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
            MPI_Request *request),
           (data, count, type, root, comm, info, request))
UNMODELLED(Allreduce_init,
           (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            MPI_Info info, MPI_Request *request),
           (in, out, count, type, op, comm, info, request))
UNMODELLED(Reduce_init,
           (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (in, out, count, type, op, root, comm, info, request))
UNMODELLED(Allgather_init,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (in, n_in, in_type, out, n_out, out_type, comm, info, request))
UNMODELLED(Alltoall_init,
           (const void *in, int n_in, MPI_Datatype in_type, void *out, int n_out,
            MPI_Datatype out_type, MPI_Comm comm, MPI_Info info, MPI_Request *request),
           (in, n_in, in_type, out, n_out, out_type, comm, info, request))
UNMODELLED(Comm_create_from_group,
           (MPI_Group group, const char *name, MPI_Info info, MPI_Errhandler handler,
            MPI_Comm *made),
           (group, name, info, handler, made))
#endif
