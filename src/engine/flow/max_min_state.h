/* max_min_state.h - The transfers and links, as max_min.c and max_min_share.c both use them. */
#pragma once
#include "engine/flow/max_min.h"

#define MAX_MIN_NO_PLACE G_MAXUINT32

typedef struct {
    guint32 link, weight;
    guint32 place; /* in the link's crossings */
} MaxMinUse;

typedef struct {
    guint32 transfer, use, weight;
} MaxMinCrossing;

typedef struct {
    MaxMinUse *uses;
    guint32 n, allocated;
    gboolean started;
    double cap; /* INFINITY: none */
    double remains, since_ps, end_ps;
    gint64 begun_ps;
} MaxMinTransfer;

/* One line of the cache: what a sharing needs of it first. */
typedef struct {
    double capacity;
    double rest, weights; /* while sharing: what is free, for transfers of that weight */
    MaxMinCrossing *crossings;
    gint64 weight; /* of all that cross it */
    guint32 n, n_free;
    guint32 round; /* of the last sharing that looked at it */
    guint32 mark;  /* of the last transfer that was added over it: the last of its crossings */
    guint32 allocated;
    guint32 place; /* in `crossed` */
} __attribute__((aligned(64))) MaxMinLink;
G_STATIC_ASSERT(sizeof(MaxMinLink) == 64);

/* A binary heap of transfers or links: the least key first. */
typedef struct {
    GArray *ids;     /* guint32 */
    double *keys;    /* [ids] put right one by one */
    guint32 *places; /* [ids] where it is; MAX_MIN_NO_PLACE: it is not there. NULL: nobody asks, and
                        of equal keys any may be first; else the least id is */
} MaxMinHeap;

/* The order of `ends`. */
typedef enum {
    DN_ENDS_SORTED,   /* a heap */
    DN_ENDS_NEW,      /* none */
    DN_ENDS_SEARCHED, /* none, and the first ones were looked for */
} MaxMinOrder;

struct DnMaxMin {
    MaxMinLink *links;
    guint32 n_links;
    GArray *crossed; /* guint32: links that a transfer crosses, in no order */
    MaxMinTransfer *transfers;
    double *rates; /* [n_transfers] G_MAXDOUBLE: it starts now */
    guint32
        *marks; /* [n_transfers] twice the last sharing that changes it, and 1 when it is fixed */
    guint32 n_transfers;
    MaxMinHeap ends; /* transfers under way, by end; as `order` says */
    MaxMinOrder order;
    GArray *touched;            /* guint32: links of what started or ended since the last sharing */
    GArray *started;            /* guint32: transfers */
    MaxMinHeap open;            /* links of this sharing, at last by a lower bound of their level */
    GArray *free;               /* guint32: transfers of this sharing */
    guint32 opened;             /* of the links in `crossed`, those that this sharing reached */
    GArray *capped;             /* guint32: those of them with a cap, ascending by it */
    double lowest;              /* level below which nothing changed */
    double tolerance;           /* of a transfer's time */
    double first_ps, latest_ps; /* DN_ENDS_SEARCHED: of ends and of the latest allowed ones */
    gint64 now_ps;
    guint32 round, mark;
};

#define MAX_MIN_AT(array, i) g_array_index(array, guint32, i)

/* max_min_heap.c: @id goes down from @place, which is free, to where it belongs. */
void max_min_heap_sink(MaxMinHeap *heap, guint32 place, guint32 id);
/* @id, which is there, has a new key. */
void max_min_heap_move(MaxMinHeap *heap, guint32 id);
void max_min_heap_drop_first(MaxMinHeap *heap);
/* Orders all ids anew. */
void max_min_heap_order(MaxMinHeap *heap);

/* max_min_share.c: gives the transfers that a change may reach their new rates and ends, and lists
 * them in `free`. */
void dn_max_min_share(DnMaxMin *system);
