/* word_packing.h - A record as its words that are not zero, and a mask that tells which they are:
 * most members of what is sent to another process are zero, or small differences. */
#pragma once
#include <glib.h>
#include <string.h>

#define DN_PACKED_WORDS 16 /* of a record, at most: the bits of a mask */

/* Writes the words of @record[n] that are not zero to @out, which has space for @n; returns their
 * mask. *@bytes: how much that was. */
static inline guint32 dn_words_pack(const guint64 *record, guint n, guint8 *out, gsize *bytes)
{
    guint32 mask = 0;
    gsize used = 0;
    for (guint i = 0; i < n; i++) { /* no branch to guess */
        memcpy(out + used, &record[i], sizeof record[i]);
        mask |= (guint32)(record[i] != 0) << i;
        used += (gsize)(record[i] != 0) * sizeof record[i];
    }
    *bytes = used;
    return mask;
}

/* Reads @record[n], all zeros, back from @in; returns the bytes taken. */
static inline gsize dn_words_unpack(guint64 *record, guint32 mask, const guint8 *in)
{
    gsize used = 0;
    for (; mask != 0; mask &= mask - 1, used += sizeof *record)
        memcpy(&record[__builtin_ctz(mask)], in + used, sizeof *record);
    return used;
}
