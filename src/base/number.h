/* number.h - one way to write a number, the same on every machine and in every locale. */
#pragma once
#include <glib.h>

#define DN_NUMBER_BUF 40

/* @digits significant digits without an exponent ("0.00123", "12340"); "-" for NAN. */
const char *dn_format_digits(double value, int digits, char buf[DN_NUMBER_BUF]);
/* @decimals after the point, for files; "" for NAN. */
const char *dn_format_fixed(double value, int decimals, char buf[DN_NUMBER_BUF]);
/* "1.5 s", "3 min 20 s", "2 h 5 min": wall-clock durations for people. */
const char *dn_format_duration(double seconds, char buf[DN_NUMBER_BUF]);
/* A whole number at *@at after the literal @before; moves *@at behind it. FALSE: there is none that
 * fits 32 bits, and *@at stays. */
gboolean dn_take_number(const char **at, const char *before, guint *number);
