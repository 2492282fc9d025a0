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
    guint32 place; /* in the heap of ends; MAX_MIN_NO_PLACE: not under way */
    gboolean started;
    double cap; /* INFINITY: none */
    double remains, since_ps;
    double end_ps, key_ps; /* the heap of ends is ordered by the second, put right one by one */
} MaxMinTransfer;

typedef struct {
    MaxMinCrossing *crossings;
    guint32 n, allocated;
    guint32 round; /* of the last sharing that looked at it */
    guint32 mark;  /* of the last transfer that was added over it, and where that one has it */
    guint32 use;
    guint32 n_free;
    double capacity;
    double rest, weights; /* while sharing: what is free, for transfers of that weight */
    double level;         /* its lower bound, by which the heap is ordered */
} MaxMinLink;

struct DnMaxMin {
    MaxMinLink *links;
    guint32 n_links;
    MaxMinTransfer *transfers;
    double *rates; /* [n_transfers] G_MAXDOUBLE: it starts now */
    guint32
        *marks; /* [n_transfers] twice the last sharing that changes it, and 1 when it is fixed */
    guint32 n_transfers;
    GArray *ends;    /* guint32: heap of transfers by end, then number */
    GArray *touched; /* guint32: links of what started or ended since the last sharing */
    GArray *started; /* guint32: transfers */
    GArray *open;    /* guint32: links of this sharing, at last a heap by level */
    GArray *free;    /* guint32: transfers of this sharing */
    GArray *capped;  /* guint32: those of them with a cap, ascending by it */
    double lowest;   /* level below which nothing changed */
    gint64 now_ps, grid_ps;
    guint32 round, mark;
};

#define MAX_MIN_AT(array, i) g_array_index(array, guint32, i)

/* max_min_share.c: gives the transfers that a change may reach their new rates and ends, and lists
 * them in `free`. */
void dn_max_min_share(DnMaxMin *system);
