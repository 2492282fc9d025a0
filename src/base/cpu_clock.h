/* cpu_clock.h - CPU seconds of this process, all threads, since it began. */
#pragma once
#include <time.h>

static inline double dn_cpu_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
