/* mpich.c - records what MPICH's collectives (ch4 over UCX) send, preloaded: looks at every message
 * on its way to UCX. Which endpoint is whose, collectives.c tells by one message to each rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

typedef struct {
    int peer;
    size_t bytes;
} Message;

static Message *messages;
static size_t count, room;
static ucp_ep_h peers[4096];
static int learning = -1, recording;

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}

/* UCX has no call for the size of a generic datatype: what it asks of MPICH's is looked at. MPICH
 * has one set of functions for all of them. */
static ucp_generic_dt_ops_t packing;
static size_t packed;

static size_t packed_size(void *state)
{
    return packed = packing.packed_size(state);
}

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t *ops, void *context,
                                   ucp_datatype_t *type)
{
    static ucs_status_t (*real)(const ucp_generic_dt_ops_t *, void *, ucp_datatype_t *);
    if (!real)
        real = next("ucp_dt_create_generic");
    packing = *ops;
    ucp_generic_dt_ops_t mine = *ops;
    mine.packed_size = packed_size;
    return real(&mine, context, type);
}

/* @n of what @param says, after they were sent. */
static size_t size_of(size_t n, const ucp_request_param_t *param)
{
    if (!(param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE))
        return n;
    if ((param->datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG)
        return n * (size_t)(param->datatype >> UCP_DATATYPE_SHIFT);
    return packed;
}

static void note(ucp_ep_h ep, size_t bytes)
{
    int peer = 0;
    if (learning >= 0)
        peers[learning] = ep;
    if (!recording)
        return;
    while (peer < 4096 && peers[peer] != ep)
        peer++;
    if (count == room) {
        room = room ? 2 * room : 1024;
        messages = realloc(messages, room * sizeof *messages);
    }
    messages[count++] = (Message){peer, bytes};
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void *buffer, size_t n, ucp_tag_t tag,
                                  const ucp_request_param_t *param)
{
    static ucs_status_ptr_t (*real)(ucp_ep_h, const void *, size_t, ucp_tag_t,
                                    const ucp_request_param_t *);
    if (!real)
        real = next("ucp_tag_send_nbx");
    ucs_status_ptr_t request = real(ep, buffer, n, tag, param);
    note(ep, size_of(n, param));
    return request;
}

/* Many processes share a core here: a poll that finds nothing gives it away. */
unsigned ucp_worker_progress(ucp_worker_h worker)
{
    static unsigned (*real)(ucp_worker_h);
    if (!real)
        real = next("ucp_worker_progress");
    unsigned done = real(worker);
    if (done == 0)
        sched_yield();
    return done;
}

void recorder_peer(int rank)
{
    learning = rank;
}

void recorder_begin(void)
{
    count = 0;
    recording = 1;
}

void recorder_end(FILE *to)
{
    recording = 0;
    for (size_t i = 0; i < count; i++)
        fprintf(to, " %d:%zu", messages[i].peer, messages[i].bytes);
}
