/* tsan_mutex.c - LD_PRELOAD: GLib's mutexes as those of pthreads, which ThreadSanitizer sees.
 *
 * GLib takes its mutexes by system calls of its own; a library that is not built with
 * ThreadSanitizer would have each of their critical sections reported. */
#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex_of(GMutex *mutex)
{
    pthread_mutex_t *made,
        *found = __atomic_load_n((pthread_mutex_t **)&mutex->p, __ATOMIC_ACQUIRE);
    if (found != NULL)
        return found;
    made = calloc(1, sizeof *made);
    if (made == NULL || pthread_mutex_init(made, NULL) != 0)
        abort();
    if (__atomic_compare_exchange_n((pthread_mutex_t **)&mutex->p, &found, made, FALSE,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    pthread_mutex_destroy(made);
    free(made);
    return found;
}

void g_mutex_init(GMutex *mutex)
{
    mutex->p = NULL;
}

void g_mutex_clear(GMutex *mutex)
{
    pthread_mutex_t *made = mutex->p;
    if (made != NULL)
        pthread_mutex_destroy(made);
    free(made);
    mutex->p = NULL;
}

void g_mutex_lock(GMutex *mutex)
{
    pthread_mutex_lock(mutex_of(mutex));
}

gboolean g_mutex_trylock(GMutex *mutex)
{
    return pthread_mutex_trylock(mutex_of(mutex)) == 0;
}

void g_mutex_unlock(GMutex *mutex)
{
    pthread_mutex_unlock(mutex_of(mutex));
}
