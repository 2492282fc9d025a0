/* event_rank.h - the ranks of some keys: how many of them are smaller than each. Every key is
 * compared with all, a vector at a time: there is no branch that could be guessed wrong. */
#pragma once
#include <glib.h>

#define DN_RANK_MOST 192 /* keys */
#define DN_RANK_LANES 16 /* of a vector */
#define DN_RANK_WIDE_LANES 8

typedef gint16 DnRankVector __attribute__((vector_size(32)));
typedef guint16 DnRankSlotVector __attribute__((vector_size(32)));
typedef gint32 DnRankWideVector __attribute__((vector_size(32)));

typedef union {
    gint16 at[DN_RANK_MOST];
    DnRankVector vectors[DN_RANK_MOST / DN_RANK_LANES];
} DnRankKeys;

typedef union {
    guint16 at[DN_RANK_MOST];
    DnRankSlotVector vectors[DN_RANK_MOST / DN_RANK_LANES];
} DnRankSlots;

typedef union {
    gint32 at[DN_RANK_MOST];
    DnRankWideVector vectors[DN_RANK_MOST / DN_RANK_WIDE_LANES];
} DnRankWideKeys;

/* Up to so many keys are ranked; 0: the CPU has no vectors for it. What is in the last vector of
 * keys behind the last one is of no account. */
guint dn_rank_most(void);
/* @rank: of the @n @keys, 1 to DN_RANK_MOST, not negative; those whose slot is below @second come
 * before all others, and become negative. Returns how many these are. */
guint dn_rank_parts(DnRankKeys *keys, DnRankSlots *slots, guint n, guint16 second,
                    DnRankKeys *rank);
/* The same without parts. */
void dn_rank_wide(const DnRankWideKeys *keys, guint n, DnRankKeys *rank);
