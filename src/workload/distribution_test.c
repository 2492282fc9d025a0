/* distribution_test.c - values come as often as their weights say; what is no distribution. */
#include "workload/distribution.h"

#include <string.h>

#include "base/rng.h"

static const DnParamSpec NODES = {"sizes", DN_PARAM_INT, NULL, 1, 1000, NULL, "nodes of a job"};
static const DnParamSpec SHARE = {"intensity", DN_PARAM_REAL, NULL, 0, 1, NULL, "of the rate"};

/* 40,000 draws of weights 1 : 0 : 3: a quarter and three quarters, each within four standard
 * deviations of a count, 4 sqrt(40000 * 1/4 * 3/4) = 346. */
static void test_draws(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) map = dn_config_parse("{0 %: 0.5, 8 %: 0, 25 %: 1.5}", "x", &error);
    g_assert_no_error(error);
    g_autoptr(DnDistribution) d = dn_distribution_read(map, &SHARE, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(d->n, ==, 3);
    guint zero = 0, quarter = 0;
    for (guint64 i = 0; i < 40000; i++) {
        double value = dn_distribution_draw(d, dn_draw(7, i));
        zero += value == 0;
        quarter += value == 0.25;
    }
    g_assert_cmpuint(zero + quarter, ==, 40000);
    g_assert_cmpuint(zero, >, 10000 - 346);
    g_assert_cmpuint(zero, <, 10000 + 346);
}

/* The ends of the range of bits: the first and the last value with a weight. */
static void test_ends(void)
{
    static const double weights[] = {0, 1, 2, 0};
    g_assert_cmpuint(dn_draw_weighted(weights, 4, 0), ==, 1);
    g_assert_cmpuint(dn_draw_weighted(weights, 4, G_MAXUINT64), ==, 2);
}

static void distribution_refuses(const char *text, const DnParamSpec *value, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) map = dn_config_parse(text, "x.yaml", &error);
    g_assert_no_error(error);
    g_assert_null(dn_distribution_read(map, value, &error));
    g_assert_nonnull(strstr(error->message, part));
    g_assert_true(g_str_has_prefix(error->message, "x.yaml:1:"));
}

static void test_errors(void)
{
    distribution_refuses("[1, 2]", &NODES, "mapping");
    distribution_refuses("{}", &NODES, "sizes: no value has a weight");
    distribution_refuses("{4: 0}", &NODES, "sizes: no value has a weight");
    distribution_refuses("{4.5: 1}", &NODES, "4.5");
    distribution_refuses("{0: 1}", &NODES, "sizes");
    distribution_refuses("{4: -1}", &NODES, "weight");
    distribution_refuses("{4: many}", &NODES, "many");
    distribution_refuses("{120 %: 1}", &SHARE, "intensity");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/distribution/draws", test_draws);
    g_test_add_func("/distribution/ends", test_ends);
    g_test_add_func("/distribution/errors", test_errors);
    return g_test_run();
}
