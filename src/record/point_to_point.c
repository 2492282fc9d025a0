/* point_to_point.c - sends and receives, blocking or begun, and probes. */
#include "record/record.h"

uint8_t *dn_put_message(uint8_t *at, const DnMessageArguments *m)
{
    at = dn_put(at, dn_comm_number(m->comm));
    at = dn_put_signed(at, dn_peer(m->peer));
    at = dn_put_signed(at, dn_tag(m->tag));
    at = dn_put(at, (uint64_t)m->count);
    return dn_put(at, (uint64_t)dn_size(m->type));
}

uint8_t *dn_put_completion(uint8_t *at, const DnRequest *asked, MPI_Status *status)
{
    unsigned flags = (asked->cancelled ? DN_REC_CANCELLED : 0) |
                     (asked->persistent ? DN_REC_KEPT : 0);
    if (!asked->receive || asked->cancelled)
        return dn_put(at, flags);
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    int source = dn_peer(status->MPI_SOURCE);
    if (source == asked->source && status->MPI_TAG == asked->tag && bytes == asked->bytes)
        return dn_put(at, flags);
    at = dn_put(at, flags | DN_REC_UNLIKE);
    at = dn_put_signed(at, source);
    at = dn_put_signed(at, dn_tag(status->MPI_TAG));
    return dn_put(at, bytes < 0 ? 0 : (uint64_t)bytes);
}

static bool point_to_point_known(DnCall *call, MPI_Comm comm)
{
    if (dn_comm_number(comm) != DN_NO_NUMBER)
        return true;
    dn_record_unmodelled(call, "message on an inter-communicator");
    return false;
}

static int64_t bytes_of(const DnMessageArguments *m)
{
    return (int64_t)m->count * dn_size(m->type);
}

/* ---- sends ---- */

static void note_send(DnCall *call, DnRecOperation operation, DnRecMode mode,
                      const DnMessageArguments *m, const MPI_Request *request)
{
    if (!point_to_point_known(call, m->comm))
        return;
    uint8_t *at = dn_record_begin(call, operation, 2 + DN_MESSAGE_FIELDS);
    if (at == NULL)
        return;
    if (request != NULL)
        at = dn_put(
            at, dn_request_new(*request, (DnRequest){.persistent = operation == DN_REC_SEND_INIT}));
    at = dn_put_message(at, m);
    dn_record_end(dn_put(at, mode));
}

#define SEND(name, mode)                                                                           \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm comm)                                                                  \
    {                                                                                              \
        const DnMessageArguments m = {comm, peer, tag, count, type};                               \
        DN_WRAP(DN_PMPI(name)(data, count, type, peer, tag, comm),                                 \
                note_send(&call, DN_REC_SEND, mode, &m, NULL));                                    \
    }                                                                                              \
    DN_ALSO_PMPI(name)
#define SEND_BEGUN(name, operation, mode)                                                          \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int peer, int tag,              \
                   MPI_Comm comm, MPI_Request *request)                                            \
    {                                                                                              \
        const DnMessageArguments m = {comm, peer, tag, count, type};                               \
        DN_WRAP(DN_PMPI(name)(data, count, type, peer, tag, comm, request),                        \
                note_send(&call, operation, mode, &m, request));                                   \
    }                                                                                              \
    DN_ALSO_PMPI(name)

SEND(Send, DN_REC_STANDARD)
SEND(Bsend, DN_REC_BUFFERED)
SEND(Ssend, DN_REC_SYNCHRONOUS)
SEND(Rsend, DN_REC_READY)
SEND_BEGUN(Isend, DN_REC_ISEND, DN_REC_STANDARD)
SEND_BEGUN(Ibsend, DN_REC_ISEND, DN_REC_BUFFERED)
SEND_BEGUN(Issend, DN_REC_ISEND, DN_REC_SYNCHRONOUS)
SEND_BEGUN(Irsend, DN_REC_ISEND, DN_REC_READY)
SEND_BEGUN(Send_init, DN_REC_SEND_INIT, DN_REC_STANDARD)
SEND_BEGUN(Bsend_init, DN_REC_SEND_INIT, DN_REC_BUFFERED)
SEND_BEGUN(Ssend_init, DN_REC_SEND_INIT, DN_REC_SYNCHRONOUS)
SEND_BEGUN(Rsend_init, DN_REC_SEND_INIT, DN_REC_READY)

/* ---- receives ---- */

static void note_receive(DnCall *call, const DnMessageArguments *m, MPI_Status *status)
{
    const DnRequest asked = DN_RECEIVE(m->peer, m->tag, bytes_of(m));
    if (!point_to_point_known(call, m->comm))
        return;
    uint8_t *at = dn_record_begin(call, DN_REC_RECV, DN_MESSAGE_FIELDS + DN_COMPLETION_FIELDS);
    if (at == NULL)
        return;
    at = dn_put_message(at, m);
    dn_record_end(dn_put_completion(at, &asked, status));
}

static void note_receive_begun(DnCall *call, DnRecOperation operation, const DnMessageArguments *m,
                               MPI_Request request)
{
    DnRequest asked = DN_RECEIVE(m->peer, m->tag, bytes_of(m));
    asked.persistent = operation == DN_REC_RECV_INIT;
    if (!point_to_point_known(call, m->comm))
        return;
    uint8_t *at = dn_record_begin(call, operation, 1 + DN_MESSAGE_FIELDS);
    if (at == NULL)
        return;
    at = dn_put(at, dn_request_new(request, asked));
    dn_record_end(dn_put_message(at, m));
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    const DnMessageArguments m = {comm, peer, tag, count, type};
    DN_WRAP(DN_PMPI(Recv)(data, count, type, peer, tag, comm, seen), note_receive(&call, &m, seen));
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    const DnMessageArguments m = {comm, peer, tag, count, type};
    DN_WRAP(DN_PMPI(Irecv)(data, count, type, peer, tag, comm, request),
            note_receive_begun(&call, DN_REC_IRECV, &m, *request));
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    const DnMessageArguments m = {comm, peer, tag, count, type};
    DN_WRAP(DN_PMPI(Recv_init)(data, count, type, peer, tag, comm, request),
            note_receive_begun(&call, DN_REC_RECV_INIT, &m, *request));
}

static void note_both(DnCall *call, const DnMessageArguments *sent,
                      const DnMessageArguments *received, MPI_Status *status)
{
    const DnRequest asked = DN_RECEIVE(received->peer, received->tag, bytes_of(received));
    if (!point_to_point_known(call, sent->comm))
        return;
    uint8_t *at =
        dn_record_begin(call, DN_REC_SENDRECV, 2 * DN_MESSAGE_FIELDS + DN_COMPLETION_FIELDS);
    if (at == NULL)
        return;
    at = dn_put_message(at, sent);
    at = dn_put_message(at, received);
    dn_record_end(dn_put_completion(at, &asked, status));
}

int MPI_Sendrecv(const void *out, int n_out, MPI_Datatype out_type, int target, int out_tag,
                 void *in, int n_in, MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm,
                 MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    const DnMessageArguments sent = {comm, target, out_tag, n_out, out_type};
    const DnMessageArguments received = {comm, source, in_tag, n_in, in_type};
    DN_WRAP(DN_PMPI(Sendrecv)(out, n_out, out_type, target, out_tag, in, n_in, in_type, source,
                              in_tag, comm, seen),
            note_both(&call, &sent, &received, seen));
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int target, int out_tag,
                         int source, int in_tag, MPI_Comm comm, MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    const DnMessageArguments sent = {comm, target, out_tag, count, type};
    const DnMessageArguments received = {comm, source, in_tag, count, type};
    DN_WRAP(
        DN_PMPI(Sendrecv_replace)(data, count, type, target, out_tag, source, in_tag, comm, seen),
        note_both(&call, &sent, &received, seen));
}

/* ---- probes ---- */

static void note_probe(DnCall *call, DnRecProbe how, int peer, int tag, MPI_Comm comm, int found,
                       MPI_Status *status)
{
    /* No receive asks for a negative size, so what came is always written. */
    const DnRequest asked = DN_RECEIVE(peer, tag, -1);
    if (!found) {
        dn_record_poll(call);
        return;
    }
    if (!point_to_point_known(call, comm))
        return;
    uint8_t *at = dn_record_begin(call, DN_REC_PROBE, 4 + DN_COMPLETION_FIELDS);
    if (at == NULL)
        return;
    at = dn_put(at, how);
    at = dn_put(at, dn_comm_number(comm));
    at = dn_put_signed(at, dn_peer(peer));
    at = dn_put_signed(at, dn_tag(tag));
    dn_record_end(dn_put_completion(at, &asked, status));
}

int MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    DN_WRAP(DN_PMPI(Probe)(peer, tag, comm, seen),
            note_probe(&call, DN_REC_PROBED, peer, tag, comm, 1, seen));
}

int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int *found, MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    DN_WRAP(DN_PMPI(Iprobe)(peer, tag, comm, found, seen),
            note_probe(&call, DN_REC_IPROBED, peer, tag, comm, *found, seen));
}

/* A matched message belongs to the receive that names it: where it came from is kept by handle. */
static DnHandles matched;
static struct {
    MPI_Comm comm;
    int peer, tag;
} matches[256];
static DnNumbers match_numbers;

static void keep_match(MPI_Message message, MPI_Comm comm, const MPI_Status *status)
{
    uint32_t number = dn_numbers_take(&match_numbers);
    if (number >= sizeof matches / sizeof *matches) {
        dn_numbers_give(&match_numbers, number);
        return;
    }
    matches[number].comm = comm;
    matches[number].peer = status->MPI_SOURCE;
    matches[number].tag = status->MPI_TAG;
    dn_handles_set(&matched, (uint64_t)(uintptr_t)message, number);
}

/* FALSE: more than that were matched and not received yet. */
static bool take_match(DnCall *call, MPI_Message message, DnMessageArguments *m)
{
    uint32_t number = dn_handles_get(&matched, (uint64_t)(uintptr_t)message);
    if (number == DN_NO_NUMBER) {
        dn_record_unmodelled(call, "MPI_Mrecv of one of more than 256 matched messages");
        return false;
    }
    m->comm = matches[number].comm;
    m->peer = matches[number].peer;
    m->tag = matches[number].tag;
    dn_handles_drop(&matched, (uint64_t)(uintptr_t)message);
    dn_numbers_give(&match_numbers, number);
    return true;
}

int MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    DN_WRAP(DN_PMPI(Mprobe)(peer, tag, comm, message, seen), keep_match(*message, comm, seen);
            note_probe(&call, DN_REC_MPROBED, peer, tag, comm, 1, seen));
}

int MPI_Improbe(int peer, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    DN_WRAP(DN_PMPI(Improbe)(peer, tag, comm, found, message, seen),
            if (*found) keep_match(*message, comm, seen);
            note_probe(&call, DN_REC_IMPROBED, peer, tag, comm, *found, seen));
}

int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *given)
{
    MPI_Status own = {0}, *seen = given == MPI_STATUS_IGNORE ? &own : given;
    MPI_Message before = *message;
    DnMessageArguments m = {.count = count, .type = type};
    DN_WRAP(DN_PMPI(Mrecv)(data, count, type, message, seen),
            if (take_match(&call, before, &m)) note_receive(&call, &m, seen));
}

int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    MPI_Message before = *message;
    DnMessageArguments m = {.count = count, .type = type};
    DN_WRAP(DN_PMPI(Imrecv)(data, count, type, message, request),
            if (take_match(&call, before, &m))
                note_receive_begun(&call, DN_REC_IRECV, &m, *request));
}

DN_ALSO_PMPI(Recv)
DN_ALSO_PMPI(Irecv)
DN_ALSO_PMPI(Recv_init)
DN_ALSO_PMPI(Sendrecv)
DN_ALSO_PMPI(Sendrecv_replace)
DN_ALSO_PMPI(Probe)
DN_ALSO_PMPI(Iprobe)
DN_ALSO_PMPI(Mprobe)
DN_ALSO_PMPI(Improbe)
DN_ALSO_PMPI(Mrecv)
DN_ALSO_PMPI(Imrecv)
