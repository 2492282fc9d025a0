/* cg.c - conjugate gradients on a matrix spread over a square grid of processes, to be recorded.
 *
 * The communication is that of NAS CG (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007,
 * 1994): of a product w = A p, sums along the rows of the grid, an exchange across its diagonal,
 * and two scalar products a step. The matrix is symmetric, positive definite and made on the spot:
 * 4.5 on the diagonal, -1 at distances 1 and n / 3 (wrapped); the right-hand side is A s for a
 * known s.
 * `cg SIZE STEPS`: ranks are a square number, and SIZE a multiple of its root. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n, side, block, row, column, me;
static MPI_Comm along; /* the ranks of this row of the grid */

static double element(int i, int j)
{
    int apart = abs(i - j), far = n / 3;
    if (apart == 0)
        return 4.5;
    return apart == 1 || apart == n - 1 || apart == far || apart == n - far ? -1 : 0;
}

/* w = A p: block (row, column) times the column's part of p, summed along the row; then each rank
 * (row, column) needs the part of its column, which (column, row) has. */
static void multiply(const double *p, double *part, double *w)
{
    static const int shifts[] = {0, 1, -1};
    int far[] = {0, 0};
    far[0] = n / 3;
    far[1] = -far[0];
    for (int i = 0; i < block; i++) {
        int at = row * block + i;
        double sum = 0;
        for (int k = 0; k < 5; k++) {
            int j = (at + (k < 3 ? shifts[k] : far[k - 3]) + n) % n;
            if (j / block == column)
                sum += element(at, j) * p[j % block];
        }
        part[i] = sum;
    }
    MPI_Allreduce(MPI_IN_PLACE, part, block, MPI_DOUBLE, MPI_SUM, along);
    int across = column * side + row;
    MPI_Sendrecv(part, block, MPI_DOUBLE, across, 1, w, block, MPI_DOUBLE, across, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each part of a vector is there `side` times, once a row of the grid. */
static double product(const double *a, const double *b)
{
    double own = 0, all;
    for (int i = 0; i < block; i++)
        own += a[i] * b[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, along);
    return all;
}

static void solve(double *x, double *r, double *p, double *q, double *part, int steps)
{
    double rho = product(r, r);
    for (int step = 0; step < steps && rho > 1e-24; step++) {
        multiply(p, part, q);
        double alpha = rho / product(p, q);
        for (int i = 0; i < block; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = product(r, r), beta = next / rho;
        rho = next;
        for (int i = 0; i < block; i++)
            p[i] = r[i] + beta * p[i];
    }
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 4096;
    int steps = argc > 2 ? atoi(argv[2]) : 25;
    while (side * side < ranks)
        side++;
    if (side * side != ranks || n % side != 0 || n / 3 < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    block = n / side;
    row = me / side;
    column = me % side;
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &along);
    double *v[6];
    for (int i = 0; i < 6; i++)
        v[i] = calloc((size_t)block, sizeof(double));
    for (int i = 0; i < block; i++)
        v[0][i] = 1 + (column * block + i) * 37 % 11;
    multiply(v[0], v[4], v[1]); /* the right-hand side, which is the first residual */
    for (int i = 0; i < block; i++) {
        v[2][i] = v[1][i];
        v[5][i] = 0;
    }
    solve(v[5], v[1], v[2], v[3], v[4], steps);
    double worst = 0, all;
    for (int i = 0; i < block; i++)
        worst = fmax(worst, fabs(v[5][i] - v[0][i]));
    MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0)
        printf("cg: %d unknowns, %d ranks, error %.1e\n", n, ranks, all);
    MPI_Comm_free(&along);
    for (int i = 0; i < 6; i++)
        free(v[i]);
    MPI_Finalize();
    return 0;
}
