/* rng.h - counter-based random draws: a draw is a pure function of what it is for.
 *
 * draw(seed, purpose, entity, n): no stream is shared, so the order in which vertices run, the
 * number of threads and a new draw somewhere else change nothing. The mixer is the finaliser of
 * SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
 * fig. 16, constants by D. Stafford, "mix13") applied over each key in turn.
 * Not cryptographic. Period: each (seed, purpose, entity) has 2^64 draws. */
#pragma once
#include <glib.h>

typedef enum {
    DN_DRAW_ROUTE = 1, /* path choice; entity: vertex or message */
    DN_DRAW_WORKLOAD,  /* gaps and destinations; entity: rank */
    DN_DRAW_PLACEMENT, /* entity: job */
    DN_DRAW_NOISE,     /* entity: rank */
    DN_DRAW_ESTIMATE,  /* of what a run will move, before it starts */
    DN_DRAW_TEST,
    DN_DRAW_BOOTSTRAP, /* resamples and permutations; entity: the number of one */
    DN_DRAW_FAILURES,  /* which cables are out */
} DnDrawPurpose;

static inline guint64 dn_mix64(guint64 x)
{
    x ^= x >> 30;
    x *= G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= G_GUINT64_CONSTANT(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Key of a stream; keep it with the entity, then each draw costs one mix. */
static inline guint64 dn_draw_key(guint64 seed, DnDrawPurpose purpose, guint64 entity)
{
    guint64 key = dn_mix64(seed + G_GUINT64_CONSTANT(0x9e3779b97f4a7c15));
    key = dn_mix64(key ^ ((guint64)purpose * G_GUINT64_CONSTANT(0xd1342543de82ef95)));
    return dn_mix64(key ^ (entity + G_GUINT64_CONSTANT(0x632be59bd9b4e019)));
}

/* The @n-th 64 random bits of stream @key. */
static inline guint64 dn_draw(guint64 key, guint64 n)
{
    return dn_mix64(key + (n + 1) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15));
}

/* @bits to 0 .. @bound-1; the bias of the multiply-shift is below bound / 2^32. */
static inline guint32 dn_draw_below(guint64 bits, guint32 bound)
{
    return (guint32)(((bits >> 32) * (guint64)bound) >> 32);
}

/* @bits to a double in (0, 1]. */
static inline double dn_draw_unit(guint64 bits)
{
    return (double)((bits >> 11) + 1) * (1.0 / 9007199254740992.0);
}
