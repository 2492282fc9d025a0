/* coll_nodes.h - The ranks of a communicator by node, where its nodes do not have equal numbers of
 * consecutive ranks: for NCCL's algorithms and for MPI's of two levels. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 nodes;       /* in the order of their lowest ranks */
    guint32 least, most; /* ranks of the smallest node, of the largest */
    guint32 *node;       /* [n] of each rank */
    guint32 *members;    /* [n] ranks node by node, rising in each */
    guint32 *ranks;      /* [n] the same by their numbers in the program */
    guint32 *first;      /* [nodes + 1] where each node's ranks begin in `members` and in rings */
    guint32 *at;         /* [n] place of each rank among those of its node */
    guint32 *roots;      /* [nodes] each one's lowest rank, by its number in the program */
    guint32 n_rings;     /* as many as the node with the fewest has; 0: NCCL is not asked */
    guint32 *rings;      /* [n_rings * n] ranks in order, node by node */
    guint32 *places;     /* [n_rings * n] position of each rank in each ring */
    /* The order of grouped sends: peers are so many slots away, of which some are empty. */
    guint32 slot_nodes, slot_ranks; /* the slots: so many groups of so many */
    guint32 *slots;                 /* [slot_nodes * slot_ranks] rank, or DN_ANY */
    guint32 *slot;                  /* [n] of each rank */
} DnCollNodes;

void dn_coll_nodes_free(DnCollNodes *nodes); /* or NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnCollNodes, dn_coll_nodes_free)
