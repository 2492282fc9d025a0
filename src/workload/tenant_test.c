/* tenant_test.c - The tenants of a shared machine send the traffic that their description says. */
#include "workload/pattern_test.h"

/* ---- tenant ---- */

/* Peers of rank 5 of 64 in its first @n messages; *@mean_bps: what it sends on the mean. */
static void tenant_peers(const char *yaml, guint32 *peers, guint n, double *mean_bps)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(yaml, 64, &error);
    g_assert_no_error(error);
    program->endless = TRUE;
    DnCursor cursor = {0};
    DnOp op;
    double time_ps = 0, bytes = 0;
    for (guint sent = 0; sent < n;) {
        dn_program_next(program, 5, &cursor, &op);
        if (op.kind == DN_OP_COMPUTE)
            time_ps += (double)op.duration_ps;
        if (op.kind != DN_OP_SEND)
            continue;
        g_assert_cmpuint(op.flags, ==, DN_OP_ONE_SIDED);
        bytes += (double)op.bytes;
        peers[sent++] = op.peer;
    }
    *mean_bps = bytes * 8e12 / time_ps;
}

#define TENANT "{type: tenant, rate: 100 Gb/s, bytes: 16 KiB, lifetime: 1000 s, "

/* The intensity asked for comes out on the mean: with tails of shape 3, whose variance is finite,
 * 200,000 messages in about 13,000 bursts: within 5 %. */
static void test_tenant_intensity(void)
{
    g_autofree guint32 *peers = g_new(guint32, 200000);
    double mean_bps;
    tenant_peers(TENANT "min_intensity: 20 %, max_intensity: 20 %, shape: 3, burst: 20 us, "
                        "halo: 0, incast: 0, io: 0}",
                 peers, 200000, &mean_bps);
    g_assert_cmpfloat(mean_bps, >, 19e9);
    g_assert_cmpfloat(mean_bps, <, 21e9);
    for (guint i = 0; i < 63; i++) /* alltoall: each other rank in turn */
        g_assert_cmpuint(peers[i], ==, (6 + i) % 64);
    /* 63 send to one: together so much; sixteen to each of four */
    tenant_peers(TENANT "min_intensity: 20 %, max_intensity: 20 %, shape: 3, burst: 20 us, "
                        "halo: 0, alltoall: 0, io: 0}",
                 peers, 200000, &mean_bps);
    g_assert_cmpfloat_with_epsilon(mean_bps, 20e9 / 63, 0.05 * 20e9 / 63);
    tenant_peers(TENANT "min_intensity: 20 %, max_intensity: 20 %, shape: 3, burst: 20 us, "
                        "halo: 0, alltoall: 0, incast: 0}",
                 peers, 200000, &mean_bps);
    g_assert_cmpfloat_with_epsilon(mean_bps, 20e9 / 16, 0.05 * 20e9 / 16);
}

/* Bursts of about a message (2.62 us) and shorter: the intensity holds for them as well. 50,000
 * messages in 5,000 bursts or more: within 5 %. In the midst: 4,000 ranks in the first 130 us, of
 * which each sends ten messages on the mean (in bursts of ten, standard deviation 5 a rank). */
static void test_tenant_short_bursts(void)
{
    static const double bursts_us[] = {1, 2.7, 4, 6, 10, 50};
    g_autofree guint32 *peers = g_new(guint32, 50000);
    for (guint i = 0; i < G_N_ELEMENTS(bursts_us); i++) {
        double mean_bps;
        g_autofree char *yaml =
            g_strdup_printf("{type: tenant, rate: 200 Gb/s, bytes: 64 KiB, lifetime: 1000 s, "
                            "intensity: {20 %%: 1}, "
                            "shape: 3, halo: 0, incast: 0, io: 0, steady: yes, burst: %g us}",
                            bursts_us[i]);
        tenant_peers(yaml, peers, 50000, &mean_bps);
        g_assert_cmpfloat_with_epsilon(mean_bps, 40e9, 2e9);
        g_autoptr(GError) error = NULL;
        g_autoptr(DnProgram) program = try_program(yaml, 4000, &error);
        g_assert_no_error(error);
        guint64 sent = 0;
        for (guint32 rank = 0; rank < 4000; rank++) {
            DnCursor cursor = {0};
            DnOp op;
            for (gint64 time_ps = 0; time_ps < 131072000;) {
                dn_program_next(program, rank, &cursor, &op);
                time_ps += op.kind == DN_OP_COMPUTE ? op.duration_ps : 0;
                sent += op.kind == DN_OP_SEND;
            }
        }
        g_assert_cmpfloat_with_epsilon((double)sent / 4000, 10, 0.5);
    }
}

/* Half of the jobs send nothing, the others at 40 %: lives of 1 ms on the mean, of which 20,000
 * messages (1.3 us each at the full rate) take about 130; a mean of 20 %, with a standard deviation
 * of about a tenth of it. */
static void test_tenant_quiet(void)
{
    g_autofree guint32 *peers = g_new(guint32, 20000);
    double mean_bps;
    tenant_peers("{type: tenant, rate: 100 Gb/s, bytes: 16 KiB, lifetime: 1 ms, shape: 3, "
                 "burst: 20 us, halo: 0, incast: 0, io: 0, intensity: {0 %: 2, 40 %: 2, 90 %: 0}}",
                 peers, 20000, &mean_bps);
    g_assert_cmpfloat_with_epsilon(mean_bps, 20e9, 6e9);
}

/* Closed: before its fourth message rank 5 waits for the first, of the same request, and so on. */
static void test_tenant_closed(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(TENANT "outstanding: 3, messages: 7}", 64, &error);
    g_assert_no_error(error);
    DnCursor cursor = {0};
    DnOp op;
    guint sent = 0, waited = 0;
    for (dn_program_next(program, 5, &cursor, &op); op.kind != DN_OP_MARK;
         dn_program_next(program, 5, &cursor, &op)) {
        if (op.kind == DN_OP_WAIT && op.request == DN_ANY) {
            g_assert_cmpuint(sent, ==, 7);
        } else if (op.kind == DN_OP_WAIT) {
            g_assert_cmpuint(op.request, ==, waited % 3);
            waited++;
        } else if (op.kind == DN_OP_SEND) {
            g_assert_cmpuint(op.request, ==, sent % 3);
            sent++;
        }
        g_assert_cmpuint(waited - sent, <=, 1);
    }
    g_assert_cmpuint(waited, ==, 7);
}

/* Together: the gaps of two ranks are the same, in all patterns; else they are not. */
static gboolean same_gaps(const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(yaml, 64, &error);
    g_assert_no_error(error);
    DnCursor cursors[2] = {0};
    for (guint n = 0; n < 500; n++) {
        gint64 gaps[2];
        for (guint k = 0; k < 2; k++) {
            DnOp op;
            do
                dn_program_next(program, 5 + 20 * k, &cursors[k], &op);
            while (op.kind != DN_OP_COMPUTE);
            gaps[k] = op.duration_ps;
        }
        if (gaps[0] != gaps[1])
            return FALSE;
    }
    return TRUE;
}

static void test_tenant_synchronous(void)
{
    g_assert_true(same_gaps(TENANT "synchronous: yes, halo: 0, incast: 0, io: 0}"));
    g_assert_true(same_gaps(TENANT "synchronous: yes, alltoall: 0, incast: 0, io: 0}"));
    g_assert_true(same_gaps(TENANT "synchronous: yes, alltoall: 0, halo: 0, io: 0}"));
    g_assert_true(same_gaps(TENANT "synchronous: yes, alltoall: 0, halo: 0, incast: 0}"));
    g_assert_false(same_gaps(TENANT "halo: 0, incast: 0, io: 0}"));
}

/* Pulled: in a burst of 1 s ranks 0 and 1 of 64, which send to the same store among 16, do so every
 * 16 messages' times (1.31072 us each) and one such time apart; at their first message sixteen
 * ranks are at each of the four stores, but for the stores', who skip themselves. */
static void test_tenant_receiver_paced(void)
{
    static const gint64 SLOT_PS = 1310720;
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(
        TENANT
        "receiver_paced: yes, synchronous: yes, burst: 1 s, shape: 3, intensity: {100 %: 1}, "
        "halo: 0, alltoall: 0, incast: 0}",
        64, &error);
    g_assert_no_error(error);
    guint at[64] = {0};
    for (guint32 rank = 0; rank < 64; rank++) {
        DnCursor cursor = {0};
        DnOp op;
        gint64 time_ps = 0;
        for (guint sent = 0; sent < 5;) {
            dn_program_next(program, rank, &cursor, &op);
            if (op.kind == DN_OP_COMPUTE)
                time_ps += op.duration_ps;
            if (op.kind != DN_OP_SEND)
                continue;
            sent++;
            at[op.peer] += sent == 1;
            if (sent == 5)
                g_assert_cmpint((time_ps - rank % 16 * SLOT_PS) % (16 * SLOT_PS), ==, 0);
        }
    }
    for (guint i = 0; i < 64; i++)
        g_assert_true(at[i] == 0 || (at[i] >= 15 && at[i] <= 17));
}

/* The next message of @rank, or what it waits for without one: @op. */
static gboolean next_message(DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    do
        dn_program_next(program, rank, cursor, op);
    while (op->kind == DN_OP_COMPUTE && op->duration_ps < G_GINT64_CONSTANT(100000000000000));
    return op->kind == DN_OP_SEND;
}

/* The last four of 64 are storage: in I/O rank 61 reads from 1, 5, ... of the 60 others, which do
 * nothing; else the 60 are by themselves, and read with `reads`. */
static void test_tenant_stores(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram)
        io = try_program(TENANT "stores: 4, alltoall: 0, halo: 0, incast: 0}", 64, &error);
    g_assert_no_error(error);
    g_assert_true(io->reads);
    DnCursor store = {0}, client = {0};
    DnOp op;
    for (guint n = 0; n < 30; n++) {
        g_assert_true(next_message(io, 61, &store, &op));
        g_assert_cmpuint(op.peer, ==, (1 + 4 * n) % 60);
        g_assert_cmpuint(op.flags, ==, DN_OP_ONE_SIDED | DN_OP_READ);
    }
    g_assert_false(next_message(io, 5, &client, &op));
    g_autoptr(DnProgram) alltoall =
        try_program(TENANT "stores: 4, reads: yes, io: 0, halo: 0, incast: 0}", 64, &error);
    g_assert_no_error(error);
    DnCursor cursors[2] = {0};
    for (guint n = 0; n < 70; n++) {
        g_assert_true(next_message(alltoall, 5, &cursors[0], &op));
        g_assert_cmpuint(op.peer, ==, (6 + n % 59) % 60);
        g_assert_cmpuint(op.flags, ==, DN_OP_ONE_SIDED | DN_OP_READ);
    }
    g_assert_false(next_message(alltoall, 61, &cursors[1], &op));
    g_assert_null(try_program(TENANT "stores: 63}", 64, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
}

/* In the midst: at 20 % a fifth of 4,000 ranks is in a burst at time 0 (standard deviation 0.6 %),
 * and of silences of at least 66.7 us, 200 us on the mean (bursts of 50 us, shape 1.5), a third of
 * the residual times is shorter than that least. */
static void test_tenant_steady(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(
        TENANT "steady: yes, intensity: {20 %: 1}, halo: 0, incast: 0, io: 0}", 4000, &error);
    g_assert_no_error(error);
    guint bursts = 0, within = 0;
    for (guint32 rank = 0; rank < 4000; rank++) {
        DnCursor cursor = {0};
        DnOp op;
        dn_program_next(program, rank, &cursor, &op);
        g_assert_cmpint(op.kind, ==, DN_OP_COMPUTE);
        bursts += op.duration_ps < 1310720;
        within += op.duration_ps < 66666667;
    }
    g_assert_cmpfloat_with_epsilon(bursts / 4000.0, 0.2, 0.02);
    g_assert_cmpfloat_with_epsilon(within / 4000.0, 0.2 + 0.8 / 3, 0.03);
}

/* Rank 5 of a 4 x 4 x 4 grid is (1, 1, 0): neighbours 4, 6, 1, 9, 53, 21. Incast: all to one. I/O:
 * four in a row, a sixteenth of 64. */
static void test_tenant_patterns(void)
{
    guint32 peers[64];
    double mean_bps;
    static const guint32 halo[] = {4, 6, 1, 9, 53, 21};
    tenant_peers(TENANT "alltoall: 0, incast: 0, io: 0, burst: 1 ms}", peers, 12, &mean_bps);
    for (guint i = 0; i < 12; i++)
        g_assert_cmpuint(peers[i], ==, halo[i % 6]);
    tenant_peers(TENANT "alltoall: 0, halo: 0, io: 0, burst: 1 ms}", peers, 64, &mean_bps);
    for (guint i = 1; i < 64; i++)
        g_assert_cmpuint(peers[i], ==, peers[0]);
    tenant_peers(TENANT "alltoall: 0, halo: 0, incast: 0, burst: 1 ms}", peers, 64, &mean_bps);
    for (guint i = 4; i < 64; i++)
        g_assert_cmpuint(peers[i], ==, peers[i - 4]);
    g_assert_cmpuint(peers[1], !=, peers[0]);
}

/* Short lives: rank 5 meets every pattern's peers; a job has an end as others have. */
static void test_tenant_lives(void)
{
    g_autoptr(GError) error = NULL;
    guint32 peers[5000];
    double mean_bps;
    guint seen[64] = {0}, many = 0;
    tenant_peers("{type: tenant, rate: 100 Gb/s, lifetime: 200 us, burst: 20 us, shape: 3, "
                 "alltoall: 0, halo: 0, io: 0}",
                 peers, G_N_ELEMENTS(peers), &mean_bps);
    for (guint i = 0; i < G_N_ELEMENTS(peers); i++)
        seen[peers[i]]++;
    for (guint i = 0; i < 64; i++)
        many += seen[i] > 0;
    g_assert_cmpuint(many, >, 3); /* each life has another target */
    g_autoptr(DnProgram) finite = try_program(
        "{type: tenant, rate: 1 Gb/s, messages: 3, halo: 0, incast: 0, io: 0}", 4, &error);
    g_assert_no_error(error);
    guint sends = 0;
    DnCursor cursor = {0};
    DnOp op;
    for (dn_program_next(finite, 0, &cursor, &op); op.kind != DN_OP_END;
         dn_program_next(finite, 0, &cursor, &op))
        sends += op.kind == DN_OP_SEND;
    g_assert_cmpuint(sends, ==, 3);
    g_assert_null(try_program(
        "{type: tenant, rate: 1 Gb/s, alltoall: 0, halo: 0, incast: 0, io: 0}", 4, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_clear_error(&error);
    g_assert_null(try_program("{type: tenant, rate: 1 Gb/s, min_intensity: 50 %}", 4, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_clear_error(&error);
    g_assert_null(try_program("{type: tenant, rate: 1 Gb/s, intensity: {0 %: 1}}", 4, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pattern/tenant-intensity", test_tenant_intensity);
    g_test_add_func("/pattern/tenant-short-bursts", test_tenant_short_bursts);
    g_test_add_func("/pattern/tenant-quiet", test_tenant_quiet);
    g_test_add_func("/pattern/tenant-closed", test_tenant_closed);
    g_test_add_func("/pattern/tenant-synchronous", test_tenant_synchronous);
    g_test_add_func("/pattern/tenant-receiver-paced", test_tenant_receiver_paced);
    g_test_add_func("/pattern/tenant-stores", test_tenant_stores);
    g_test_add_func("/pattern/tenant-steady", test_tenant_steady);
    g_test_add_func("/pattern/tenant-patterns", test_tenant_patterns);
    g_test_add_func("/pattern/tenant-lives", test_tenant_lives);
    return g_test_run();
}
