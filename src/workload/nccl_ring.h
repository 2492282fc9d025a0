/* nccl_ring.h - The rings of NCCL's channels, which its algorithms by rings share. */
#pragma once
#include "workload/collective.h"

/* A round of NCCL's ring algorithms on one rank. A channel sends its part of the buffer around its
 * ring in loops; a loop has a chunk of `segment` bytes for each rank and several steps. */
typedef struct {
    const DnCollCall *call;
    guint32 ring;           /* number of the channel's ring */
    guint32 at;             /* position of the rank in the ring */
    guint32 next, previous; /* ranks */
    guint32 in_flight;      /* chunks that may be leaving the node at once */
    guint64 round, loop, step;
    gboolean leaves; /* the next rank is in another node */
    gboolean last;   /* it is the channel's last round */
    DnSpan part;     /* of this loop, of the buffer or of each block: the first chunk */
    gint64 stride;   /* from a chunk to the next; 0: the part is cut evenly into all chunks */
} DnNcclRing;
/* Fills @out for round @k of channel @stream. FALSE: past the last. @steps: of a loop; @total:
 * bytes that the channels share; @chunks: of a loop. */
gboolean dn_nccl_ring(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, guint64 steps,
                      gint64 total, guint64 chunks, DnNcclRing *out);
/* Returns chunk @i of @chunks of this loop; it may be empty. */
DnSpan dn_nccl_ring_chunk(const DnCollCall *call, const DnNcclRing *ring, gint64 total,
                          guint64 chunks, guint64 i);
static inline guint32 dn_nccl_ring_rank(const DnNcclRing *ring, guint32 place)
{
    return dn_coll_ring_rank(ring->call, ring->ring, place);
}
/* Adds the send of @out to the next rank and the receive of @in from the previous one. Inside a
 * node the thread block waits for both; a chunk that leaves the node is sent by a proxy thread, out
 * of a buffer of `in_flight` chunks, while the block continues. */
void dn_nccl_ring_exchange(DnRound *r, const DnNcclRing *ring, DnSpan out, DnSpan in);
/* The same without the receive, which a round may have posted before as request 0: both are waited
 * for. */
void dn_nccl_ring_forward(DnRound *r, const DnNcclRing *ring, DnSpan out);
guint32 dn_nccl_ring_streams(const DnCollCall *call);
