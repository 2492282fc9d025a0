/* event_rank.c - see event_rank.h. */
#include "engine/packet/event_rank.h"

#ifdef __x86_64__

#define FOR_AVX2 __attribute__((target("avx2")))
#define BLOCK 6 /* so many vectors of keys, and of ranks, fit into registers */

/* NAME_block() counts for each key of @vectors vectors (a constant at each call) the smaller ones
 * of the @n at @key; NAME_all() does so for all vectors. */
#define RANK(NAME, TYPE, VECTOR)                                                                   \
    static inline FOR_AVX2 __attribute__((always_inline)) void NAME##_block(                       \
        const TYPE *key, guint n, const VECTOR *keys, VECTOR *rank, guint vectors)                 \
    {                                                                                              \
        VECTOR sum[BLOCK] = {{0}};                                                                 \
        for (guint i = 0; i < n; i++) {                                                            \
            VECTOR one = key[i] - (VECTOR){0};                                                     \
            for (guint v = 0; v < vectors; v++)                                                    \
                sum[v] -= one < keys[v];                                                           \
        }                                                                                          \
        for (guint v = 0; v < vectors; v++)                                                        \
            rank[v] = sum[v];                                                                      \
    }                                                                                              \
    static FOR_AVX2 void NAME##_all(const TYPE *key, guint n, const VECTOR *keys, VECTOR *rank)    \
    {                                                                                              \
        guint lanes = sizeof(VECTOR) / sizeof(TYPE), left = (n + lanes - 1) / lanes;               \
        for (; left > BLOCK; left -= BLOCK, keys += BLOCK, rank += BLOCK)                          \
            NAME##_block(key, n, keys, rank, BLOCK);                                               \
        if (left == 1)                                                                             \
            NAME##_block(key, n, keys, rank, 1);                                                   \
        else if (left == 2)                                                                        \
            NAME##_block(key, n, keys, rank, 2);                                                   \
        else if (left == 3)                                                                        \
            NAME##_block(key, n, keys, rank, 3);                                                   \
        else if (left == 4)                                                                        \
            NAME##_block(key, n, keys, rank, 4);                                                   \
        else if (left == 5)                                                                        \
            NAME##_block(key, n, keys, rank, 5);                                                   \
        else                                                                                       \
            NAME##_block(key, n, keys, rank, BLOCK);                                               \
    }

RANK(rank_narrow, gint16, DnRankVector)
RANK(rank_wide, gint32, DnRankWideVector)

/* Makes the keys of slots below @second negative, so that they rank first; returns how many. */
static FOR_AVX2 guint mark_first_part(DnRankKeys *keys, DnRankSlots *slots, guint n, guint16 second)
{
    DnRankVector sum = {0};
    guint before = 0, vectors = (n + DN_RANK_LANES - 1) / DN_RANK_LANES;
    for (guint i = n; i < vectors * DN_RANK_LANES; i++)
        slots->at[i] = G_MAXUINT16;
    for (guint v = 0; v < vectors; v++) {
        DnRankVector in = (DnRankVector)(slots->vectors[v] < second);
        keys->vectors[v] |= in & G_MININT16;
        sum -= in;
    }
    for (guint lane = 0; lane < DN_RANK_LANES; lane++)
        before += (guint)sum[lane];
    return before;
}

guint dn_rank_most(void)
{
    return __builtin_cpu_supports("avx2") ? DN_RANK_MOST : 0;
}

guint dn_rank_parts(DnRankKeys *keys, DnRankSlots *slots, guint n, guint16 second, DnRankKeys *rank)
{
    guint before = mark_first_part(keys, slots, n, second);
    rank_narrow_all(keys->at, n, keys->vectors, rank->vectors);
    return before;
}

void dn_rank_wide(const DnRankWideKeys *keys, guint n, DnRankKeys *rank)
{
    DnRankWideKeys wide;
    rank_wide_all(keys->at, n, keys->vectors, wide.vectors);
    for (guint i = 0; i < n; i++)
        rank->at[i] = (gint16)wide.at[i];
}

#else

guint dn_rank_most(void)
{
    return 0;
}

guint dn_rank_parts(DnRankKeys *keys, DnRankSlots *slots, guint n, guint16 second, DnRankKeys *rank)
{
    g_assert_not_reached();
}

void dn_rank_wide(const DnRankWideKeys *keys, guint n, DnRankKeys *rank)
{
    g_assert_not_reached();
}

#endif
