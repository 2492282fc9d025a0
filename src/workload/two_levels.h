/* two_levels.h - Collectives of two levels: other collectives among the ranks of each node and
 * among the nodes' leaders, which are their lowest ranks, one after another.
 *
 * A level's rounds are those of the algorithm that the library takes for so many ranks and bytes:
 * in an algorithm of two levels a rank plays the rounds of one part after another. */
#pragma once
#include "workload/select.h"

/* The ranks of a level, as in DnCollCall. */
typedef struct {
    guint32 n, me;         /* me: place of the rank at hand; DN_ANY: it is none of them */
    guint32 first, stride; /* of the call's ranks */
    const guint32 *ranks;  /* [n] by their numbers in the program, borrowed; NULL: the call's */
    guint32 group;         /* 1: each is in a node of its own; 0: all are in one */
    gint64 bytes;          /* of a part's buffer */
} DnLevel;

typedef struct {
    DnLevel node;          /* the ranks of the node of the rank at hand */
    DnLevel leaders;       /* the leaders of all nodes */
    guint32 number;        /* of its node */
    guint32 root, root_at; /* of the call's root: number of its node, place there */
} DnLevels;

/* A collective of a level as part of another collective. */
typedef struct {
    DnCollKind kind;
    guint32 root; /* place in the level */
    guint number; /* of the part: its messages have tags of their own */
    /* NULL: the one that MPICH, or Cray MPICH, takes in that level. */
    const DnCollAlgorithm *algorithm;
} DnLevelPart;

/* Returns what @call lacks for two levels, or NULL. */
const char *dn_levels_need(const DnCollCall *call);
/* Returns whether several nodes have ranks of @call, and some node more than one. */
gboolean dn_levels_are_two(const DnCollCall *call);
/* Returns whether the ranks of @call follow one another node by node. */
gboolean dn_levels_are_consecutive(const DnCollCall *call);
DnLevels dn_levels(const DnCollCall *call, guint32 me);

/* Adds round *@k of @part in @level to @round. FALSE: the rank has no such round; then *@k is
 * counted from the part's last round on. */
gboolean dn_level_round(const DnLevel *level, const DnLevelPart *part, guint64 *k, DnRound *round);
/* The same of a message of @span in one round, from a place of the level to another; @into: where
 * it arrives. */
gboolean dn_level_message(const DnLevel *level, guint number, guint32 from, guint32 to, DnSpan span,
                          DnSpan into, guint64 *k, DnRound *round);
