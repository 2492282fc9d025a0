/* record.h - the recorder: MPI's profiling interface, from a call to a record.
 *
 * Each MPI function that moves data or makes a communicator is wrapped: the time since the rank's
 * last call is computing, the time in PMPI_x is the call's own. Built once for each MPI, whose
 * handles differ; nothing but MPI and libc is used, for this runs inside foreign programs.
 *
 * Environment: DARNER_RECORD_DIR (folder; default `darner-trace`), DARNER_RECORD_CLOCK (`wall`,
 * `cpu`; default cpu where ranks outnumber the processors of their node, whose waiting for a
 * processor would else count as computing).
 * MPI's Fortran bindings (mpif.h, mpi and mpi_f08) turn their arguments into C's and call MPI_x or,
 * as Open MPI's do, PMPI_x: so the recorder has both names, and finds the library's own PMPI_x
 * behind itself.
 * LIMITATIONS: calls of several threads make one stream under a lock. Windows, files, spawned
 * processes, inter-communicators, neighbourhood collectives, partitioned communication and what
 * else unmodelled.c lists leave a record of their name only. MPI 4's functions with large counts
 * (MPI_x_c) and its persistent collectives beyond those listed there leave none. */
#pragma once
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

#include "base/record_format.h"

#define DN_NO_NUMBER UINT32_MAX

/* ---- handles.c: numbers for handles; open addressing, linear probing ---- */

typedef struct {
    uint64_t *keys; /* [1 << bits]; 0: empty */
    uint32_t *values;
    uint32_t bits, used;
} DnHandles;
void dn_handles_set(DnHandles *handles, uint64_t key, uint32_t value);
uint32_t dn_handles_get(const DnHandles *handles, uint64_t key); /* or DN_NO_NUMBER */
void dn_handles_drop(DnHandles *handles, uint64_t key);

/* Numbers that come back, the last given up first. */
typedef struct {
    uint32_t *spare; /* [capacity] */
    uint32_t n_spare, capacity, next;
} DnNumbers;
uint32_t dn_numbers_take(DnNumbers *numbers);
void dn_numbers_give(DnNumbers *numbers, uint32_t number);

/* ---- writer.c: records into mapped blocks ---- */

/* Any failure stops the recording for good, after one line on standard error. */
bool dn_writer_open(const char *folder, uint64_t run, int rank, int ranks);
void dn_writer_close(void);
/* Closes the file, if there is one, and removes it. */
void dn_writer_discard(void);
/* Space for a record of at most @bytes; NULL: not recording. */
uint8_t *dn_writer_reserve(size_t bytes);
void dn_writer_commit(const uint8_t *end);

static inline uint8_t *dn_put(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}
static inline uint8_t *dn_put_signed(uint8_t *at, int64_t value)
{
    return dn_put(at, dn_rec_zigzag(value));
}
uint8_t *dn_put_text(uint8_t *at, const char *text, size_t most);

/* ---- session.c: the clock, a call's frame ---- */

typedef struct {
    uint64_t gap_ns, wall_ns; /* computing before it; when it began, then how long it took */
    bool recording;           /* a call of the program, between MPI_Init and MPI_Finalize */
} DnCall;

void dn_call_enter(DnCall *call);
void dn_call_leave(DnCall *call, int status); /* PMPI_x came back; a failed call leaves no record */
void dn_call_over(const DnCall *call);        /* back to the program */
/* While a call is noted, other threads wait: the numbers of communicators, requests and matched
 * messages are theirs too. A record takes the same lock once more. */
void dn_note_begin(void);
void dn_note_end(void);
/* MPI's own PMPI_@name, which ours stands before. */
#define DN_PMPI(name)                                                                              \
    __extension__({                                                                                \
        static __typeof__(&PMPI_##name) dn_found;                                                  \
        if (dn_found == NULL) /* by several threads at worst, which find the same */               \
            dn_found = (__typeof__(&PMPI_##name))dn_pmpi("PMPI_" #name);                           \
        dn_found;                                                                                  \
    })
void (*dn_pmpi(const char *name))(void);
/* Behind the definition of MPI_@name: called PMPI_@name too. */
#define DN_ALSO_PMPI(name)                                                                         \
    extern __typeof__(PMPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));
/* The body of a wrapper: the call, what is done when it is recorded, and the return. */
#define DN_WRAP(pmpi, ...)                                                                         \
    DnCall call;                                                                                   \
    dn_call_enter(&call);                                                                          \
    int status = pmpi;                                                                             \
    dn_call_leave(&call, status);                                                                  \
    if (call.recording) {                                                                          \
        dn_note_begin();                                                                           \
        __VA_ARGS__;                                                                               \
        dn_note_end();                                                                             \
    }                                                                                              \
    dn_call_over(&call);                                                                           \
    return status
/* Begins a record: its head is written, @fields more varints fit behind it; NULL: not recording.
 * dn_record_end() ends it; until then other threads wait. */
uint8_t *dn_record_begin(DnCall *call, DnRecOperation operation, size_t fields);
void dn_record_end(const uint8_t *end);
/* A test or a probe that found nothing: counted, and its time kept for the next record. */
void dn_record_poll(DnCall *call);
/* Once for each @name (a literal). */
void dn_record_unmodelled(DnCall *call, const char *name);

/* ---- communicators.c ---- */

void dn_comms_open(void);
/* DN_NO_NUMBER: one between two groups, or made from such. */
uint32_t dn_comm_number(MPI_Comm comm);

/* ---- requests.c ---- */

typedef struct {
    int32_t source, tag; /* of a receive: as asked for */
    int64_t bytes;
    bool receive, persistent;
    /* Filled by dn_request_new(). */
    bool active, cancelled;
    uint32_t next, last; /* of the requests with the same handle, in their order */
} DnRequest;
#define DN_RECEIVE(peer, tag_, bytes_)                                                             \
    (DnRequest)                                                                                    \
    {                                                                                              \
        .receive = true, .source = dn_peer(peer), .tag = dn_tag(tag_), .bytes = (bytes_)           \
    }
/* The number of a new request. */
uint32_t dn_request_new(MPI_Request handle, DnRequest what);

/* ---- fields ---- */

static inline int dn_peer(int peer)
{
    return peer == MPI_ANY_SOURCE ? DN_REC_ANY : peer == MPI_PROC_NULL ? DN_REC_NULL : peer;
}
static inline int dn_tag(int tag)
{
    return tag == MPI_ANY_TAG ? DN_REC_ANY : tag;
}
static inline int dn_size(MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return size == MPI_UNDEFINED ? 0 : size;
}
typedef struct {
    MPI_Comm comm;
    int peer, tag, count;
    MPI_Datatype type;
} DnMessageArguments;
#define DN_MESSAGE_FIELDS 5
uint8_t *dn_put_message(uint8_t *at, const DnMessageArguments *message);
#define DN_COMPLETION_FIELDS 4
uint8_t *dn_put_completion(uint8_t *at, const DnRequest *asked, MPI_Status *status);
