/* host_noise_test.c - detours lengthen work by the share of time they take. */
#include "runtime/host_noise.h"

#include <string.h>

static gboolean read_noise(const char *text, DnHostNoise *noise, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "noise.yaml", NULL);
    g_assert_nonnull(node);
    return dn_host_noise_read(node, noise, error);
}

static const char *const spreads[] = {"fixed", "exponential", "pareto"};

/* Detours of 25 us every 1 ms take 2.5 % of the time: work of 10 s takes 10 / 0.975 s, give or take
 * what 10,000 detours scatter by: a standard deviation of 0.025 % (fixed), of the exponential one
 * sqrt(2) of that; the heavy tail has no variance, so only 1 % is held. */
static void test_share(void)
{
    static const double allowed[] = {0.001, 0.0015, 0.01};
    for (guint i = 0; i < 3; i++) {
        DnHostNoise noise;
        DnHostState state = {0};
        g_autofree char *text =
            g_strdup_printf("{period: 1 ms, duration: 25 us, spread: %s}", spreads[i]);
        g_assert_true(read_noise(text, &noise, NULL));
        gint64 work_ps = 10 * G_GINT64_CONSTANT(1000000000000);
        gint64 took_ps = dn_host_noise_stretch(&noise, &state, 3, 0, work_ps);
        double ratio = (double)took_ps / (double)work_ps * 0.975;
        g_assert_cmpfloat(ABS(ratio - 1), <, allowed[i]);
    }
}

/* One long piece of work and many short ones one after the other end at the same time. */
static void test_pieces(void)
{
    DnHostNoise noise;
    DnHostState whole = {0}, parts = {0};
    g_assert_true(
        read_noise("{period: 100 us, duration: 10 us, spread: exponential}", &noise, NULL));
    gint64 took_ps = dn_host_noise_stretch(&noise, &whole, 0, 0, 5000000000), now_ps = 0;
    for (guint i = 0; i < 1000; i++)
        now_ps += dn_host_noise_stretch(&noise, &parts, 0, now_ps, 5000000);
    g_assert_cmpint(now_ps, ==, took_ps);
}

/* Ranks differ, and equal ranks do not; work of no length waits for the end of a detour. */
static void test_ranks(void)
{
    DnHostNoise noise;
    gint64 took_ps[3];
    g_assert_true(read_noise("{period: 100 us, duration: 50 us}", &noise, NULL));
    for (guint i = 0; i < 3; i++) {
        DnHostState state = {0};
        took_ps[i] = dn_host_noise_stretch(&noise, &state, i % 2, 0, 1000000000);
    }
    g_assert_cmpint(took_ps[0], !=, took_ps[1]);
    g_assert_cmpint(took_ps[0], ==, took_ps[2]);
    /* A look every 10 us meets each detour, of which 10 ms hold 100, give or take 7 (their gaps
     * scatter, their lengths do not), and waits for its end, at most 50 us. */
    guint waited = 0;
    DnHostState state = {0};
    for (gint64 now_ps = 0; now_ps < 10000000000; now_ps += 10000000) {
        gint64 wait_ps = dn_host_noise_stretch(&noise, &state, 0, now_ps, 0);
        g_assert_cmpint(wait_ps, <=, 50000000);
        waited += wait_ps > 0;
        now_ps += wait_ps;
    }
    g_assert_cmpuint(waited, >, 72);
    g_assert_cmpuint(waited, <, 128);
}

/* A thousand seconds of work with a detour each us, half of it, take 2,000; after as long a pause
 * work goes on as before. Neither draws a billion detours. */
static void test_long(void)
{
    DnHostNoise noise;
    DnHostState state = {0};
    const gint64 s = G_GINT64_CONSTANT(1000000000000);
    g_assert_true(read_noise("{period: 1 us, duration: 500 ns}", &noise, NULL));
    for (guint i = 0; i < 2; i++) {
        gint64 took_ps = dn_host_noise_stretch(&noise, &state, 0, 10000 * i * s, 1000 * s);
        g_assert_cmpint(took_ps, >, 1999 * s);
        g_assert_cmpint(took_ps, <, 2001 * s);
    }
    g_assert_cmpuint(state.n, <, 10000000);
}

static void test_imbalance(void)
{
    DnHostNoise noise;
    double sum = 0;
    g_assert_true(read_noise("{imbalance: 10 %}", &noise, NULL));
    for (guint32 rank = 0; rank < 1000; rank++) {
        DnHostState state = {0};
        gint64 took_ps = dn_host_noise_compute_ps(&noise, &state, rank, 1000000);
        g_assert_cmpint(took_ps, >=, 1000000);
        g_assert_cmpint(took_ps, <=, 1100000);
        g_assert_cmpint(dn_host_noise_stretch(&noise, &state, rank, 0, 7), ==, 7);
        sum += (double)took_ps;
    }
    g_assert_cmpfloat(ABS(sum / 1000 - 1050000), <, 5000); /* deviation of the mean: 913 */
}

static void host_noise_refuses(const char *text, const char *part)
{
    DnHostNoise noise;
    g_autoptr(GError) error = NULL;
    g_assert_false(read_noise(text, &noise, &error));
    g_assert_nonnull(strstr(error->message, part));
}

static void test_errors(void)
{
    host_noise_refuses("{period: 1 ms}", "belong together");
    host_noise_refuses("{duration: 1 ms}", "belong together");
    host_noise_refuses("{period: 1 ms, duration: 1 ms}", "no time to work");
    host_noise_refuses("{period: 1 ms, duration: 1 us, spread: normal}", "unknown spread");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/host-noise/share", test_share);
    g_test_add_func("/host-noise/pieces", test_pieces);
    g_test_add_func("/host-noise/ranks", test_ranks);
    g_test_add_func("/host-noise/long", test_long);
    g_test_add_func("/host-noise/imbalance", test_imbalance);
    g_test_add_func("/host-noise/errors", test_errors);
    return g_test_run();
}
