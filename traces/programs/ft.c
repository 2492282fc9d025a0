/* ft.c - a three-dimensional Fourier transform by slabs, there and back, to be recorded.
 *
 * The communication is that of NAS FT (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007,
 * 1994): two dimensions are local, an alltoall turns the cube for the third, and a sum over all
 * ranks checks each step. `ft SIZE STEPS`: SIZE a power of two and a multiple of the ranks. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, ranks, me, thick; /* planes a rank */

/* In place, of n numbers @stride apart (Cooley and Tukey, 1965); @sign -1 there, +1 back. */
static void transform(double complex *x, int stride, int sign)
{
    for (int i = 1, j = 0; i < n; i++) {
        int bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double complex swap = x[i * stride];
            x[i * stride] = x[j * stride];
            x[j * stride] = swap;
        }
    }
    for (int length = 2; length <= n; length *= 2) {
        double complex step = cexp(sign * 2 * M_PI * I / length);
        for (int first = 0; first < n; first += length) {
            double complex turn = 1;
            for (int k = 0; k < length / 2; k++, turn *= step) {
                double complex *a = &x[(first + k) * stride];
                double complex *b = &x[(first + k + length / 2) * stride];
                double complex odd = *b * turn;
                *b = *a - odd;
                *a += odd;
            }
        }
    }
}

/* [thick][n][n] (z, y, x) to (y, z, x) of the same shape: rank r gets the rows of its y. */
static void turn(double complex *cube, double complex *packed)
{
    int piece = thick * thick * n;
    for (int r = 0; r < ranks; r++)
        for (int z = 0; z < thick; z++)
            for (int y = 0; y < thick; y++)
                for (int x = 0; x < n; x++)
                    packed[r * piece + (z * thick + y) * n + x] =
                        cube[(z * n + r * thick + y) * n + x];
    MPI_Alltoall(MPI_IN_PLACE, 2 * piece, MPI_DOUBLE, packed, 2 * piece, MPI_DOUBLE,
                 MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        for (int z = 0; z < thick; z++)
            for (int y = 0; y < thick; y++)
                for (int x = 0; x < n; x++)
                    cube[(y * n + r * thick + z) * n + x] =
                        packed[r * piece + (z * thick + y) * n + x];
}

static void planes(double complex *cube, int sign)
{
    for (int z = 0; z < thick; z++) {
        for (int y = 0; y < n; y++)
            transform(cube + (z * n + y) * n, 1, sign);
        for (int x = 0; x < n; x++)
            transform(cube + z * n * n + x, n, sign);
    }
}

static void third(double complex *cube, int sign)
{
    for (int y = 0; y < thick; y++)
        for (int x = 0; x < n; x++)
            transform(cube + y * n * n + x, n, sign);
}

static double energy(const double complex *cube)
{
    double own = 0, all = 0;
    for (int i = 0; i < thick * n * n; i++)
        own += creal(cube[i] * conj(cube[i]));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 64;
    int steps = argc > 2 ? atoi(argv[2]) : 5;
    if (n < ranks || n % ranks != 0 || (n & (n - 1)) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    thick = n / ranks;
    size_t size = (size_t)thick * (size_t)(n * n);
    double complex *cube = calloc(size, sizeof *cube), *packed = calloc(size, sizeof *packed);
    for (size_t i = 0; i < size; i++)
        cube[i] = sin((double)(i * 7 + (size_t)me)) + I * cos((double)(i * 3));
    double before = energy(cube), between = 0, whole = (double)n * n * n;
    for (int step = 0; step < steps; step++) {
        planes(cube, -1);
        turn(cube, packed);
        third(cube, -1);
        between = energy(cube); /* Parseval: n^3 times that before */
        third(cube, 1);
        turn(cube, packed);
        planes(cube, 1);
        for (size_t i = 0; i < size; i++)
            cube[i] /= whole;
    }
    double after = energy(cube);
    if (me == 0)
        printf("ft: %d^3, %d ranks, Parseval off by %.1e, there and back by %.1e\n", n, ranks,
               fabs(between / whole / before - 1), fabs(after / before - 1));
    free(cube);
    free(packed);
    MPI_Finalize();
    return 0;
}
