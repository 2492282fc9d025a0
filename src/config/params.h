/* params.h - typed values with units, read from a mapping by a table of what is known.
 *
 * A type (topology, routing, pattern, mechanism) states its keys in a DnParamSpec table; this file
 * reads, checks ranges and units, fills defaults, consumes keys, reports unknown ones with the
 * nearest known. Values are then fetched by key at set-up time, never inside a loop.
 * Units: times in ps, sizes in bytes, rates in bit/s, lengths in m. "200 Gb/s", "25 GB/s",
 * "350 ns", "2 MiB", "4 kB", "10 m", "1.5 M/s" (message rates, 1/s). A bare number where a unit is
 * needed is DN_ERROR_UNIT (0 is allowed bare). Bytes are whole; times round to ps, rates to bit/s.
 * Numbers without a unit and truth values are not written in quotes. */
#pragma once
#include "config/config.h"

typedef enum {
    DN_PARAM_INT,  /* whole number, no unit */
    DN_PARAM_REAL, /* number, no unit; "80 %" allowed */
    DN_PARAM_BOOL, /* true/false/yes/no/on/off */
    DN_PARAM_STRING,
    DN_PARAM_CHOICE,     /* one of .choices; value = index (dn_params_int) and text */
    DN_PARAM_BYTES,      /* gint64 */
    DN_PARAM_TIME,       /* gint64 ps */
    DN_PARAM_RATE,       /* gint64 bit/s */
    DN_PARAM_PER_SECOND, /* double 1/s */
    DN_PARAM_LENGTH,     /* double m */
    DN_PARAM_INT_LIST,   /* [4, 2, 8] */
    DN_PARAM_BOOL_LIST,
    DN_PARAM_NODE, /* any subtree, handed through unread (marked consumed at its root only) */
} DnParamType;

typedef struct {
    const char *key;
    DnParamType type;
    const char *fallback; /* default, as YAML text; NULL: required; "" : optional, no value */
    double min, max;      /* in base units; min == max == 0: unbounded (but never below 0 with a
                             unit); max < min: no upper bound; a fallback is not held to them */
    const char *const *choices; /* DN_PARAM_CHOICE, NULL-terminated */
    const char *help;           /* one line, with the unit's meaning */
} DnParamSpec;                  /* a NULL key ends a table */

typedef struct DnParams DnParams;

/* (transfer full). @ignore: NULL-terminated keys that somebody else reads (e.g. "type"), or NULL;
 * of them source, assumed and description, which are for people, count as read.
 * Unknown keys are errors. @map may be NULL: all defaults. */
DnParams *dn_params_read(const DnConfigNode *map, const DnParamSpec *specs,
                         const char *const *ignore, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_params_free(DnParams *params);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnParams, dn_params_free)

/* All g_assert that @key is in the spec and of that type. */
gboolean dn_params_has(const DnParams *params, const char *key);   /* given or defaulted */
gboolean dn_params_given(const DnParams *params, const char *key); /* written by the user */
/* Values of parameters; without a value 0, FALSE or NULL. */
gint64 dn_params_int(const DnParams *params, const char *key);  /* INT, BYTES, TIME, RATE, CHOICE */
double dn_params_real(const DnParams *params, const char *key); /* REAL, PER_SECOND, LENGTH */
gboolean dn_params_bool(const DnParams *params, const char *key);
const char *dn_params_string(const DnParams *params, const char *key); /* STRING, CHOICE */
const gint64 *dn_params_list(const DnParams *params, const char *key, guint *n); /* *_LIST */
const DnConfigNode *dn_params_node(const DnParams *params, const char *key);     /* where it stands;
                                                                  NULL when defaulted */
/* Error at @key's value (or at the mapping when defaulted). */
void dn_params_error(const DnParams *params, const char *key, DnError code, GError **error,
                     const char *format, ...) G_GNUC_PRINTF(5, 6);

/* One scalar outside a table. Result through @out_int or @out_real. */
gboolean dn_param_parse(const DnConfigNode *scalar, const DnParamSpec *spec, gint64 *out_int,
                        double *out_real, GError **error);

/* Returns the allowed values in words: "1 to 64", "at least 1 ps"; NULL: any. (transfer full) */
char *dn_param_allowed(const DnParamSpec *spec);
const char *dn_param_type_name(DnParamType type); /* "whole number", "time" */
