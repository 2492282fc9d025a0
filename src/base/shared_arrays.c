/* shared_arrays.c - see shared_arrays.h. */
#include "base/shared_arrays.h"

#include "base/processes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A large array of this process. */
typedef struct {
    guint8 *base;
    gsize bytes;
    gboolean offered; /* in a call of dn_arrays_share() */
} Array;

/* An array that a process offers to the others. */
typedef struct {
    guint64 host, sum; /* of the computer's name, of the contents */
    guint64 bytes;
    gint32 process, file; /* as the system numbers them */
} Offer;

static struct {
    GMutex lock;
    GArray *list; /* Array */
} arrays;

void *dn_array_new(gsize bytes)
{
    if (bytes < DN_SHARED_ARRAY_LEAST)
        return g_malloc0(bytes);
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return g_malloc0(bytes); /* which says how it fails */
    const Array made = {.base = base, .bytes = bytes};
    g_mutex_lock(&arrays.lock);
    if (arrays.list == NULL)
        arrays.list = g_array_new(FALSE, FALSE, sizeof(Array));
    g_array_append_val(arrays.list, made);
    g_mutex_unlock(&arrays.lock);
    return base;
}

/* The place of the large array at @base; -1: there is none. */
static gint arrays_find(const void *base)
{
    for (guint i = 0; arrays.list != NULL && i < arrays.list->len; i++)
        if (g_array_index(arrays.list, Array, i).base == base)
            return (gint)i;
    return -1;
}

void dn_array_free(void *array)
{
    g_mutex_lock(&arrays.lock);
    gint i = array != NULL ? arrays_find(array) : -1;
    if (i >= 0) {
        munmap(array, g_array_index(arrays.list, Array, i).bytes);
        g_array_remove_index_fast(arrays.list, (guint)i);
    }
    g_mutex_unlock(&arrays.lock);
    if (i < 0)
        g_free(array);
}

/* ---- sharing ---- */

static guint64 array_sum(const Array *array)
{
    guint64 sum = array->bytes;
    for (gsize at = 0; at + sizeof sum <= array->bytes; at += sizeof sum) {
        guint64 word;
        memcpy(&word, array->base + at, sizeof word);
        sum = (sum ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

/* @array's contents become those of @file, which has the same; FALSE: they stay. */
static gboolean array_map(const Array *array, int file)
{
    return mmap(array->base, array->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
                0) != MAP_FAILED;
}

/* A file in memory with the contents of @array, which then are that file's; -1: it cannot be. */
static int array_publish(const Array *array)
{
    int file = memfd_create("darner-array", MFD_CLOEXEC);
    gsize at = 0;
    if (file < 0)
        return -1;
    while (at < array->bytes) {
        gssize n = write(file, array->base + at, MIN(array->bytes - at, (gsize)1 << 30));
        if (n <= 0)
            break;
        at += (gsize)n;
    }
    if (at == array->bytes && array_map(array, file))
        return file;
    close(file);
    return -1;
}

/* TRUE: @array is now a part of what the process of @offer has. */
static gboolean array_take(const Array *array, const Offer *offer)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd/%d", offer->process, offer->file);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return FALSE;
    void *other = mmap(NULL, array->bytes, PROT_READ, MAP_SHARED, file, 0);
    gboolean same = lseek(file, 0, SEEK_END) == (off_t)array->bytes && other != MAP_FAILED &&
                    memcmp(other, array->base, array->bytes) == 0;
    if (other != MAP_FAILED)
        munmap(other, array->bytes);
    same = same && array_map(array, file);
    close(file);
    return same;
}

/* The first of @offers on the same computer with the same contents; @own is one of them. */
static guint offers_find(const Offer *offers, guint own)
{
    for (guint i = 0; i < own; i++)
        if (offers[i].host == offers[own].host && offers[i].sum == offers[own].sum &&
            offers[i].bytes == offers[own].bytes && offers[i].process != offers[own].process)
            return i;
    return own;
}

/* Returns TRUE when a later process than that of offer @own has an equal array. */
static gboolean is_wanted(const Offer *offers, guint n, guint own)
{
    for (guint i = own + 1; i < n; i++)
        if (offers_find(offers, i) == own)
            return TRUE;
    return FALSE;
}

/* (transfer full): the arrays that were not offered before, [*@n]; they stay where they are. */
static Offer *offers_new(GArray *own, gsize *n)
{
    Offer *offers = g_new0(Offer, arrays.list != NULL ? arrays.list->len + 1 : 1);
    guint64 host = g_str_hash(g_get_host_name());
    *n = 0;
    for (guint i = 0; arrays.list != NULL && i < arrays.list->len; i++) {
        Array *array = &g_array_index(arrays.list, Array, i);
        if (array->offered)
            continue;
        array->offered = TRUE;
        g_array_append_val(own, *array);
        offers[(*n)++] = (Offer){.host = host,
                                 .sum = array_sum(array),
                                 .bytes = array->bytes,
                                 .process = (gint32)getpid(),
                                 .file = -1};
    }
    return offers;
}

/* (transfer full): the offers of all processes, [*@n]; @own of them come from here, the first of
 * these is number *@first. */
static Offer *offers_gather(const DnProcesses *processes, const Offer *offers, gsize own, guint *n,
                            guint *first)
{
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    Offer *all = (Offer *)(void *)processes->gather(offers, own * sizeof *offers, sizes);
    *n = *first = 0;
    for (guint p = 0; p < processes->n; p++) {
        if (p == processes->rank)
            *first = *n;
        *n += (guint)(sizes[p] / sizeof *all);
    }
    return all;
}

gsize dn_arrays_share(const DnProcesses *processes)
{
    g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(Array));
    gsize n_own, shared = 0;
    guint n, first;
    g_mutex_lock(&arrays.lock);
    g_autofree Offer *offers = offers_new(own, &n_own);
    g_autofree Offer *wishes = offers_gather(processes, offers, n_own, &n, &first);
    for (guint i = 0; i < n_own; i++) {
        const Array *array = &g_array_index(own, Array, i);
        if (is_wanted(wishes, n, first + i))
            offers[i].file = array_publish(array);
        shared += offers[i].file >= 0 ? array->bytes : 0;
    }
    g_autofree Offer *there = offers_gather(processes, offers, n_own, &n, &first);
    for (guint i = 0; i < n_own; i++) {
        const Array *array = &g_array_index(own, Array, i);
        guint from = offers_find(there, first + i);
        if (from != first + i && there[from].file >= 0 && array_take(array, &there[from]))
            shared += array->bytes;
    }
    g_free(offers_gather(processes, NULL, 0, &n, &first)); /* all have mapped what they want */
    for (guint i = 0; i < n_own; i++)
        if (offers[i].file >= 0)
            close(offers[i].file);
    g_mutex_unlock(&arrays.lock);
    return shared;
}
