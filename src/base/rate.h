/* rate.h - bytes, rates in bit/s and times in ps: one conversion, and one rounding to whole ps. */
#pragma once
#include <glib.h>

/* Returns the time of @bytes at @bps in ps, unrounded. */
static inline double dn_rate_time(double bytes, double bps)
{
    return bytes * 8e12 / bps;
}

/* The same, rounded to the nearest ps; the largest number there is when that is exceeded. */
static inline gint64 dn_rate_time_ps(double bytes, double bps)
{
    double ps = dn_rate_time(bytes, bps) + 0.5;
    return ps < 0x1p63 ? (gint64)ps : G_MAXINT64;
}

/* The bytes that a rate brings in @ps. */
static inline double dn_rate_bytes(double ps, double bps)
{
    return ps * bps / 8e12;
}

/* The rate, in bit/s, at which @bytes take @ps. */
static inline double dn_rate_bps(double bytes, double ps)
{
    return bytes * 8e12 / ps;
}
