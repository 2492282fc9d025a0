/* sort.h - Sorts large samples of numbers. */
#pragma once
#include <glib.h>

/* Puts the @n numbers at @values into ascending order; none of them is NAN. */
void dn_doubles_sort(double *values, gsize n);
