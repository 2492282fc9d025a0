/* ring_allreduce_test.c - `allreduce_ring` on real data: its schedule adds what each rank has. */
#include <math.h>

#include "workload/program.h"

static DnProgram *ring_program(const char *bytes, guint32 ranks)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf("workload: {type: allreduce_ring, bytes: %s}\n", bytes);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", &error);
    g_assert_no_error(error);
    DnProgram *program = dn_program_new(dn_config_get(root, "workload"), ranks, 1, 1, &error);
    g_assert_no_error(error);
    return program;
}

typedef struct {
    DnCursor cursor;
    DnOp op;
    guint step; /* exchanges begun */
    gboolean sent;
    double *data; /* [n chunks] */
    double incoming;
} RingRank;

/* One rank of the published schedule as far as it goes; TRUE when it moved. @wire[r][step]: what r
 * sent in that step, NAN before. Step s sends chunk r - s, and from step n - 1 on (the allgather)
 * chunk r + 1 - (s - (n - 1)): the copy, the recv, its size, its peer and the presence of a reduce
 * come from the stream. */
static gboolean ring_advance(const DnProgram *program, guint32 r, RingRank *rank, double *wire)
{
    guint32 n = program->ranks, steps = 2 * (n - 1);
    guint32 s = rank->step;
    guint32 out = (r + 2 * n - s % (n - 1) + (s >= n - 1)) % n, in = (out + n - 1) % n;
    switch (rank->op.kind) {
    case DN_OP_COPY: /* from the send to the receive buffer */
        g_assert_cmpuint(s, ==, 0);
        g_assert_cmpint(rank->op.bytes, ==, 1000);
        break;
    case DN_OP_RECV:
        g_assert_cmpuint(rank->op.peer, ==, (r + n - 1) % n);
        g_assert_cmpuint(rank->op.tag, ==, s);
        break;
    case DN_OP_SEND:
        g_assert_cmpuint(rank->op.peer, ==, (r + 1) % n);
        g_assert_cmpint(rank->op.bytes, ==, 1000 * (out + 1) / n - 1000 * out / n);
        wire[r * steps + s] = rank->data[out];
        break;
    case DN_OP_WAIT:
        rank->incoming = wire[(r + n - 1) % n * steps + s];
        if (isnan(rank->incoming))
            return FALSE;
        if (s >= n - 1) {
            rank->data[in] = rank->incoming;
            rank->step++;
        }
        break;
    case DN_OP_REDUCE:
        g_assert_cmpint(rank->op.bytes, ==, 1000 * (in + 1) / n - 1000 * in / n);
        rank->data[in] += rank->incoming;
        rank->step++;
        break;
    default:
        g_assert_cmpint(rank->op.kind, ==, DN_OP_MARK);
    }
    dn_program_next(program, r, &rank->cursor, &rank->op);
    return TRUE;
}

static void check_allreduce(guint32 n)
{
    g_autoptr(DnProgram) program = ring_program("1000 B", n);
    g_autofree RingRank *ranks = g_new0(RingRank, n);
    guint32 steps = 2 * (n - 1);
    g_autofree double *wire = g_new(double, n *steps);
    for (guint32 i = 0; i < n * steps; i++)
        wire[i] = NAN;
    for (guint32 r = 0; r < n; r++) {
        ranks[r].data = g_new(double, n);
        for (guint32 c = 0; c < n; c++)
            ranks[r].data[c] = (r + 1) * 100.0 + c * c;
        dn_program_next(program, r, &ranks[r].cursor, &ranks[r].op);
    }
    for (gboolean moved = TRUE; moved;) {
        moved = FALSE;
        for (guint32 r = 0; r < n; r++)
            if (ranks[r].op.kind != DN_OP_END)
                moved |= ring_advance(program, r, &ranks[r], wire);
    }
    for (guint32 r = 0; r < n; r++) {
        g_assert_cmpint(ranks[r].op.kind, ==, DN_OP_END);
        g_assert_cmpuint(ranks[r].step, ==, steps);
        for (guint32 c = 0; c < n; c++) /* sum over r of (r + 1) 100 + c^2 */
            g_assert_cmpfloat(ranks[r].data[c], ==, n * (n + 1) * 50.0 + n * (double)(c * c));
        g_free(ranks[r].data);
    }
}

static void test_allreduce(void)
{
    for (guint32 n = 2; n <= 17; n++)
        check_allreduce(n);
    g_autoptr(DnProgram) alone = ring_program("1 kB", 1);
    DnCursor cursor = {0};
    DnOp op;
    dn_program_next(alone, 0, &cursor, &op);
    g_assert_cmpint(op.kind, ==, DN_OP_COPY); /* from the send to the receive buffer */
    dn_program_next(alone, 0, &cursor, &op);
    g_assert_cmpint(op.kind, ==, DN_OP_MARK);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/program/ring-allreduce", test_allreduce);
    return g_test_run();
}
