/* expensive.h - Checks of what code assumes that are too costly for a release build. */
#pragma once
#include <glib.h>

/* 1 with the Meson option expensive_checks, as the sanitizer suite builds. */
#ifndef DN_EXPENSIVE_CHECKS
#define DN_EXPENSIVE_CHECKS 0
#endif

/* Ends the program unless @condition holds; not evaluated where checks are not wanted. */
#define dn_check(condition) g_assert(!DN_EXPENSIVE_CHECKS || (condition))
