/* openmpi.c - records what Open MPI's collectives send, preloaded: the three calls of the point-to-
 * point layer (`mca_pml`) by which they send go through here between the marks of collectives.c. */
#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int peer;
    size_t bytes;
} Message;

static Message *messages;
static size_t count, room;
static mca_pml_base_module_t real;

static void note(int peer, size_t n, struct ompi_datatype_t *type)
{
    int size = 0;
    MPI_Type_size(type, &size);
    if (count == room) {
        room = room ? 2 * room : 1024;
        messages = realloc(messages, room * sizeof *messages);
    }
    messages[count++] = (Message){peer, n * (size_t)size};
}

static int send_(const void *buf, size_t n, struct ompi_datatype_t *type, int to, int tag,
                 mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    note(to, n, type);
    return real.pml_send(buf, n, type, to, tag, mode, comm);
}

static int isend_(const void *buf, size_t n, struct ompi_datatype_t *type, int to, int tag,
                  mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                  struct ompi_request_t **request)
{
    note(to, n, type);
    return real.pml_isend(buf, n, type, to, tag, mode, comm, request);
}

/* Of persistent requests, which are started in the order in which they are made. */
static int isend_init_(const void *buf, size_t n, struct ompi_datatype_t *type, int to, int tag,
                       mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                       struct ompi_request_t **request)
{
    note(to, n, type);
    return real.pml_isend_init(buf, n, type, to, tag, mode, comm, request);
}

void recorder_peer(int rank)
{
}

void recorder_begin(void)
{
    real = mca_pml;
    count = 0;
    mca_pml.pml_send = send_;
    mca_pml.pml_isend = isend_;
    mca_pml.pml_isend_init = isend_init_;
}

void recorder_end(FILE *to)
{
    mca_pml = real;
    for (size_t i = 0; i < count; i++)
        fprintf(to, " %d:%zu", messages[i].peer, messages[i].bytes);
}
