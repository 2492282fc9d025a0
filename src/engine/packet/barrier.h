/* barrier.h - threads meet, many thousand times a second: spin a little, then let others run. */
#pragma once
#include <glib.h>
#include <sched.h>

typedef struct {
    guint n;
    guint waiting;
    guint round;
    guint patience; /* spins before others may run; 0 with more threads than processors */
} DnBarrier;

/* Tells the processor that the thread waits for another one. */
static inline void barrier_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static inline void dn_barrier_wait(DnBarrier *barrier)
{
    if (barrier->n <= 1)
        return;
    guint round = __atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&barrier->waiting, 1, __ATOMIC_ACQ_REL) == barrier->n) {
        barrier->waiting = 0;
        __atomic_store_n(&barrier->round, round + 1, __ATOMIC_RELEASE);
        return;
    }
    for (guint spins = 0; __atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE) == round; spins++) {
        if (spins >= barrier->patience)
            sched_yield();
        else
            barrier_pause();
    }
}
