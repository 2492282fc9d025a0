/* units.h - text with a unit to a number in base units, and back.
 *
 * Base units: ps, bytes, bit/s, m, 1/s. Decimal prefixes k M G T, binary Ki Mi Gi Ti; b is bit,
 * B byte. A space before the unit is optional. */
#pragma once
#include "base/error.h"

typedef enum {
    DN_UNIT_NONE,
    DN_UNIT_TIME,
    DN_UNIT_BYTES,
    DN_UNIT_RATE,
    DN_UNIT_LENGTH,
    DN_UNIT_PER_SECOND,
} DnUnit;

/* FALSE + DN_ERROR_UNIT (missing, unknown, wrong dimension; says what is allowed) or
 * DN_ERROR_SYNTAX. No position: the caller prefixes it. "80 %" is 0.8 with DN_UNIT_NONE. */
gboolean dn_unit_parse(const char *text, DnUnit unit, double *value, GError **error);

/* Finds the unit of that @name: its kind, and the base units in one of it. FALSE: there is none. */
gboolean dn_unit_find(const char *name, DnUnit *unit, double *scale);

/* Shortest readable form with 3-4 significant digits: "2.58 us", "395 Gb/s", "4 KiB". Into @buf,
 * returned. */
#define DN_UNIT_BUF 32
const char *dn_format_time(gint64 ps, char buf[DN_UNIT_BUF]);
const char *dn_format_bytes(gint64 bytes, char buf[DN_UNIT_BUF]); /* binary prefixes */
const char *dn_format_rate(double bps, char buf[DN_UNIT_BUF]);
const char *dn_format_length(double m, char buf[DN_UNIT_BUF]);
const char *dn_format_per_second(double per_s, char buf[DN_UNIT_BUF]); /* "1.5 M/s" */
