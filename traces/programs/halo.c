/* halo.c - Jacobi steps on a cube, spread over a grid of processes, to be recorded.
 *
 * Each step sends six faces, computes, and sums the change over all ranks: neighbours and one
 * allreduce. `halo SIZE STEPS`: SIZE cells each way a rank. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n; /* cells each way, without the frame */

static size_t at(int z, int y, int x)
{
    return ((size_t)z * (size_t)(n + 2) + (size_t)y) * (size_t)(n + 2) + (size_t)x;
}

/* Plane @where of direction @d, to or from @face. */
static void copy_face(double *cube, double *face, int d, int where, int out)
{
    for (int a = 1; a <= n; a++)
        for (int b = 1; b <= n; b++) {
            size_t i = d == 0 ? at(where, a, b) : d == 1 ? at(a, where, b) : at(a, b, where);
            double *cell = &cube[i], *place = &face[(a - 1) * n + b - 1];
            if (out)
                *place = *cell;
            else
                *cell = *place;
        }
}

static void exchange(double *cube, double **faces, MPI_Comm grid)
{
    MPI_Request requests[12];
    for (int d = 0; d < 3; d++) {
        int before, after;
        MPI_Cart_shift(grid, d, 1, &before, &after);
        copy_face(cube, faces[4 * d], d, 1, 1);
        copy_face(cube, faces[4 * d + 1], d, n, 1);
        MPI_Irecv(faces[4 * d + 2], n * n, MPI_DOUBLE, before, d, grid, &requests[4 * d]);
        MPI_Irecv(faces[4 * d + 3], n * n, MPI_DOUBLE, after, d + 3, grid, &requests[4 * d + 1]);
        MPI_Isend(faces[4 * d], n * n, MPI_DOUBLE, before, d + 3, grid, &requests[4 * d + 2]);
        MPI_Isend(faces[4 * d + 1], n * n, MPI_DOUBLE, after, d, grid, &requests[4 * d + 3]);
    }
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int d = 0; d < 3; d++) {
        copy_face(cube, faces[4 * d + 2], d, 0, 0);
        copy_face(cube, faces[4 * d + 3], d, n + 1, 0);
    }
}

static double step(const double *old, double *new)
{
    double change = 0;
    for (int z = 1; z <= n; z++)
        for (int y = 1; y <= n; y++)
            for (int x = 1; x <= n; x++) {
                double mean = (old[at(z - 1, y, x)] + old[at(z + 1, y, x)] + old[at(z, y - 1, x)] +
                               old[at(z, y + 1, x)] + old[at(z, y, x - 1)] + old[at(z, y, x + 1)]) /
                              6;
                change += fabs(mean - old[at(z, y, x)]);
                new[at(z, y, x)] = mean;
            }
    return change;
}

int main(int argc, char **argv)
{
    int ranks, me, sizes[3] = {0, 0, 0}, wrapped[3] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 32;
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Dims_create(ranks, 3, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 3, sizes, wrapped, 0, &grid);
    MPI_Comm_rank(grid, &me);
    size_t cells = (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2);
    double *cube = calloc(cells, sizeof *cube), *other = calloc(cells, sizeof *other);
    double *faces[12], first = 0, change = 0;
    for (int i = 0; i < 12; i++)
        faces[i] = calloc((size_t)(n * n), sizeof(double));
    for (size_t i = 0; i < cells; i++)
        cube[i] = (double)((i * 2654435761u + (size_t)me) % 1000);
    for (int i = 0; i < steps; i++) {
        exchange(cube, faces, grid);
        double own = step(cube, other), *swap = cube;
        cube = other;
        other = swap;
        MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, grid);
        first = i == 0 ? change : first;
    }
    if (me == 0)
        printf("halo: %d ranks of %d^3, change fell to %.3f of the first\n", ranks, n,
               change / first);
    for (int i = 0; i < 12; i++)
        free(faces[i]);
    free(cube);
    free(other);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
