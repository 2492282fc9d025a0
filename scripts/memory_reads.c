/* memory_reads - how long a core takes to go through what a device wrote to memory, and what it
 * takes out of a cache: MPI_Reduce_local of MPI_SUM by type, and the look at the flags of NCCL's LL
 * lines. x86-64; any MPI:
 *
 *     mpicc -O2 scripts/memory_reads.c -o memory_reads && mpirun -n 1 ./memory_reads
 *
 * Prints CSV: what, bytes, buffers, cached_ns, uncached_ns; medians of 2,001 calls, less the time
 * of the clock. `buffers`: 1, what is read is at the same place in each call; 8, at one of eight
 * drawn at random, which the processor's prefetching may tell apart. From it come `reduce_start`
 * and `reduce_rate` of host MPI and `proxy_scan_rate` (topologies/lumi.yaml). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

enum { CALLS = 2001, BUFFERS = 8, LONGEST = 1 << 18, LINE = 64, PAGE = 4096, NETWORK_NS = 3000 };

/* NVIDIA/nccl, src/include/device.h: ncclLLFifoLine. */
typedef struct {
    uint32_t data1, flag1, data2, flag2;
} LlLine;

static char written[BUFFERS][LONGEST] __attribute__((aligned(PAGE)));
static char sum[LONGEST] __attribute__((aligned(PAGE)));

typedef void Read(const char *from, int bytes);

static void sum_int(const char *from, int bytes)
{
    MPI_Reduce_local(from, sum, bytes / (int)sizeof(int), MPI_INT, MPI_SUM);
}

static void sum_float(const char *from, int bytes)
{
    MPI_Reduce_local(from, sum, bytes / (int)sizeof(float), MPI_FLOAT, MPI_SUM);
}

static void sum_double(const char *from, int bytes)
{
    MPI_Reduce_local(from, sum, bytes / (int)sizeof(double), MPI_DOUBLE, MPI_SUM);
}

static void scan_ll(const char *from, int bytes)
{
    const volatile LlLine *lines = (const volatile LlLine *)from;
    for (int i = 0; i < bytes / (int)sizeof *lines; i++)
        if (lines[i].flag1 != 0 || lines[i].flag2 != 0)
            return;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v)
{
    qsort(v, CALLS, sizeof *v, by_value);
    return v[CALLS / 2];
}

static double time_of(Read *read, const char *from, int bytes)
{
    double start = now_ns();
    read(from, bytes);
    return now_ns() - start;
}

/* What a device's write to memory does to the caches, and the wait for it. */
static void write_by_device(const char *to, int bytes)
{
    for (int at = 0; at < bytes; at += LINE)
        _mm_clflush(to + at);
    _mm_mfence();
    for (double start = now_ns(); now_ns() < start + NETWORK_NS;)
        ;
}

static void measure(const char *name, Read *read, int bytes, int buffers)
{
    static double cached[CALLS], uncached[CALLS], clock_alone[CALLS];
    for (int i = 0; i < CALLS; i++) {
        const char *from = written[rand() % buffers];
        write_by_device(from, bytes);
        uncached[i] = time_of(read, from, bytes);
    }
    for (int i = 0; i < CALLS; i++) {
        cached[i] = time_of(read, written[0], bytes);
        double start = now_ns();
        clock_alone[i] = now_ns() - start;
    }
    double own = median(clock_alone);
    printf("%s,%d,%d,%.0f,%.0f\n", name, bytes, buffers, median(cached) - own,
           median(uncached) - own);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    memset(written, 0, sizeof written);
    memset(sum, 0, sizeof sum);
    printf("what,bytes,buffers,cached_ns,uncached_ns\n");
    for (int buffers = 1; buffers <= BUFFERS; buffers *= BUFFERS)
        for (int bytes = LINE; bytes <= LONGEST; bytes *= 2) {
            measure("int", sum_int, bytes, buffers);
            measure("float", sum_float, bytes, buffers);
            measure("double", sum_double, bytes, buffers);
            measure("ll", scan_ll, bytes, buffers);
        }
    return MPI_Finalize();
}
