/* record_format.h - the recorder's files: what record/ writes and workload/traces/ reads.
 *
 * A file is a row of blocks, each a header and `stored_bytes` behind it; all numbers little-endian.
 * A rank's blocks are numbered from 0 and stand together in that order; a recorded folder has a
 * file a rank, `rank-000000.drn` and so on; a packed trace is all of them in one, by rank, and may
 * be compressed as a whole. The recorder writes into mapped memory and moves `raw_bytes` on after
 * each whole record, so a killed process leaves all records up to its last call: its last block is
 * then DN_REC_OPEN.
 *
 * A block holds whole records. A record: operation (u8), ns of computing since the rank's call
 * before (varint), ns inside the call (varint), fields. Varints are LEB128; signed fields ("i") are
 * zigzag varints. Peers are ranks in the communicator, or DN_REC_ANY or DN_REC_NULL; tags likewise.
 * Communicators and requests carry small numbers of the rank's own choice: communicator 0 is
 * MPI_COMM_WORLD, 1 MPI_COMM_SELF; a request's number is used again after it is complete
 * (persistent: after it is freed).
 * Plain C: the recorder lives in foreign programs and brings no library. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define DN_REC_MAGIC 0x424e5244u /* "DRNB" */
#define DN_REC_VERSION 1
#define DN_REC_BLOCK 32768 /* header and payload, of a block as the recorder makes it */

typedef enum { DN_REC_OPEN, DN_REC_SEALED } DnRecState;

typedef struct {
    uint32_t magic;
    uint16_t version;
    uint8_t state; /* DnRecState */
    uint8_t reserved;
    uint64_t run; /* the same in all files of one run */
    uint32_t rank, ranks;
    uint32_t number;       /* of the rank's blocks */
    uint32_t raw_bytes;    /* of records */
    uint32_t stored_bytes; /* from the header's end to the next block; >= raw_bytes */
    uint32_t checksum;     /* dn_rec_checksum() of the records; 0 while open */
} DnRecBlock;

#define DN_REC_ANY (-1)  /* MPI_ANY_SOURCE, MPI_ANY_TAG */
#define DN_REC_NULL (-2) /* MPI_PROC_NULL */

typedef enum {
    DN_REC_BEGIN = 1,  /* u clock, u thread level, text program, text MPI library */
    DN_REC_END,        /* MPI_Finalize */
    DN_REC_SEND,       /* message, u mode */
    DN_REC_ISEND,      /* u request, message, u mode */
    DN_REC_SEND_INIT,  /* likewise, persistent */
    DN_REC_RECV,       /* message, completion */
    DN_REC_IRECV,      /* u request, message */
    DN_REC_RECV_INIT,  /* likewise, persistent */
    DN_REC_SENDRECV,   /* message, message, completion */
    DN_REC_START,      /* u n, n times: u request */
    DN_REC_COMPLETE,   /* u how, u given, u n, n times: u request, completion */
    DN_REC_FREE,       /* u request */
    DN_REC_CANCEL,     /* u request */
    DN_REC_PROBE,      /* u how, u comm, i peer, i tag, completion */
    DN_REC_POLLS,      /* u how many tests and probes found nothing, in a row */
    DN_REC_COLLECTIVE, /* u kind, u request + 1 (0: blocking), u comm, u root, part sent, part
                           received, u flags; those with a v or w and reduce_scatter: what is sent
                           to each rank and what is received from each, twice u n, n times u count
                           (n is 0 where MPI looks at no such list) */
    DN_REC_COMM,       /* u how, u parent, u number + 1 (0: in none), u colour, u key, u n, n times
                           u member (create_group only: rank in the parent) */
    DN_REC_COMM_FREE,  /* u comm */
    DN_REC_UNMODELLED, /* text name: first call of something that this format has no record of */
    DN_REC_OPERATIONS,
} DnRecOperation;
/* message: u comm, i peer, i tag, u count, u size of an element
 * part: u count, u size of an element; reduce_scatter_block: of all ranks together; with a list the
 *   size is that of the list's elements; gatherv's sent and scatterv's received are the own
 * text: u length, bytes
 * completion: u flags; with DN_REC_UNLIKE: i source, i tag, u bytes */
#define DN_REC_UNLIKE 1    /* not just what was asked for: any source or tag, or fewer bytes */
#define DN_REC_CANCELLED 2 /* the request was */
#define DN_REC_KEPT 4      /* persistent: its number stays */

typedef enum { DN_REC_STANDARD, DN_REC_BUFFERED, DN_REC_SYNCHRONOUS, DN_REC_READY } DnRecMode;
typedef enum { DN_REC_WALL, DN_REC_CPU } DnRecClock;
typedef enum {
    DN_REC_WAIT,
    DN_REC_WAITALL,
    DN_REC_WAITANY,
    DN_REC_WAITSOME,
    DN_REC_TEST,
    DN_REC_TESTALL,
    DN_REC_TESTANY,
    DN_REC_TESTSOME,
} DnRecComplete;
/* The call that made a probe; after the last two a receive of the message follows. */
typedef enum { DN_REC_PROBED, DN_REC_IPROBED, DN_REC_MPROBED, DN_REC_IMPROBED } DnRecProbe;
typedef enum {
    DN_REC_BARRIER,
    DN_REC_BCAST,
    DN_REC_REDUCE,
    DN_REC_ALLREDUCE,
    DN_REC_GATHER,
    DN_REC_GATHERV,
    DN_REC_SCATTER,
    DN_REC_SCATTERV,
    DN_REC_ALLGATHER,
    DN_REC_ALLGATHERV,
    DN_REC_ALLTOALL,
    DN_REC_ALLTOALLV,
    DN_REC_ALLTOALLW, /* counts are bytes */
    DN_REC_REDUCE_SCATTER,
    DN_REC_REDUCE_SCATTER_BLOCK,
    DN_REC_SCAN,
    DN_REC_EXSCAN,
    DN_REC_COLLECTIVES,
} DnRecCollective;
#define DN_REC_IN_PLACE 1
#define DN_REC_UNORDERED 2 /* the reduction's operation is commutative */
/* Whatever MPI call split a communicator, its record says who is with whom: the colour is the rank
 * in the parent of the new one's rank 0, the key the own rank in the new one. */
typedef enum { DN_REC_DUP, DN_REC_SPLIT, DN_REC_CREATE_GROUP } DnRecComm;

#define DN_REC_VARINT 10 /* most bytes a varint takes */

static inline uint64_t dn_rec_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}
static inline int64_t dn_rec_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* FNV-1a by Fowler, Noll and Vo, 32 bits; never 0. */
static inline uint32_t dn_rec_checksum(const uint8_t *bytes, size_t n)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum == 0 ? 1 : sum;
}
