/* placement_torus_test.c - ranks at coordinates of a torus, logical tori mapped into a physical
 * one, and what does not fit. */
#include "config/test_run_spec.h"
#include "experiment/placement.h"
#include "topology/machine.h"

#include <string.h>

#define TORUS(dims, each)                                                                          \
    "{fabric: {type: torus, dims: " dims ", terminals_per_switch: " each ", links: "               \
    "{terminal: &c {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}, link: *c}}}"

static DnMachine *torus_test_load(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "m.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    return m;
}

/* (transfer full): endpoints of a job with @placement; NULL + error. */
static guint32 *torus_test_place(const DnMachine *m, const char *placement, guint32 *ranks,
                                 GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autofree char *text = g_strdup_printf(
        "machine: none\njobs:\n  - {name: a, workload: barrier, placement: %s}\n", placement);
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &problem);
    g_assert_no_error(problem);
    DnPlacement out = {0};
    gboolean good = dn_place_jobs(spec, m->graph, &out, error);
    *ranks = out.ranks;
    if (!good)
        g_clear_pointer(&out.endpoints, g_free);
    return out.endpoints;
}

static guint torus_test_hops(const DnMachine *m, const guint32 *endpoints, guint32 a, guint32 b)
{
    const DnGraph *g = m->graph;
    return m->type->distance(m->params, g->terminal_switch[g->endpoint_terminal[endpoints[a]]],
                             g->terminal_switch[g->endpoint_terminal[endpoints[b]]]);
}

/* Tofu's shape, 2 x 3 x 2 places in a, b, c: a logical torus of 6 x 9 x 8 fills a fabric of 3 x 3 x
 * 4 x 2 x 3 x 2; neighbours are one hop apart, and so are the ends of the rings over a and c. */
static void test_logical(void)
{
    static const guint32 lengths[] = {6, 9, 8};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = torus_test_load(TORUS("[3, 3, 4, 2, 3, 2]", "1"));
    guint32 ranks;
    g_autofree guint32 *e = torus_test_place(m, "{torus: [6, 9, 8]}", &ranks, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ranks, ==, 432);
    g_autofree guint8 *seen = g_new0(guint8, 432);
    for (guint32 r = 0; r < ranks; r++) {
        g_assert_cmpuint(seen[e[r]]++, ==, 0);
        for (guint32 i = 0, stride = 1; i < 3; stride *= lengths[i++]) {
            guint32 x = r / stride % lengths[i];
            if (x + 1 < lengths[i])
                g_assert_cmpuint(torus_test_hops(m, e, r, r + stride), ==, 1);
            else if (i != 1)
                g_assert_cmpuint(torus_test_hops(m, e, r, r - x * stride), ==, 1);
        }
    }
    g_autofree guint32 *same =
        torus_test_place(m, "{torus: [6, 9, 8], onto: [[0, 3], [1, 4], [2, 5]]}", &ranks, &error);
    g_assert_no_error(error);
    g_assert_cmpmem(same, ranks * sizeof *same, e, ranks * sizeof *e);
}

static void test_coordinates(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = torus_test_load(TORUS("[4, 3]", "2"));
    guint32 ranks;
    g_autofree guint32 *e =
        torus_test_place(m, "{coordinates: [[3, 2], [0, 0], [0, 0], [1, 2]]}", &ranks, &error);
    g_assert_no_error(error);
    static const guint32 wanted[] = {22, 0, 1, 18};
    g_assert_cmpmem(e, ranks * sizeof *e, wanted, sizeof wanted);
}

static void test_refused(void)
{
    static const struct {
        const char *placement, *says;
    } rows[] = {
        {"{coordinates: [[4, 0]]}", "rank 0: not a place of the torus of 2 dimensions"},
        {"{coordinates: [[0]]}", "not a place"},
        {"{coordinates: [[0, 0], [0, 0]]}", "rank 1: no endpoint is free there"},
        {"{torus: [5, 2]}", "longer than the dimensions it is mapped onto (5)"},
        {"{torus: [4, 3, 1]}", "wanted: onto"},
        {"{torus: [4], onto: [[0, 0]]}", "no such dimension, or twice (0)"},
        {"{torus: [4, 2], onto: [[0]]}", "wanted: a list for each logical dimension"},
        {"{torus: [4], coordinates: [[0, 0]]}", "just one of"},
    };
    g_autoptr(DnMachine) m = torus_test_load(TORUS("[4, 3]", "1"));
    g_autoptr(DnMachine) mesh = torus_test_load("dragonfly-1056");
    for (guint i = 0; i <= G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        guint32 ranks;
        gboolean last = i == G_N_ELEMENTS(rows);
        g_assert_null(torus_test_place(
            last ? mesh : m, last ? "{torus: [4, 4]}" : rows[i].placement, &ranks, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, last ? "the fabric is no torus" : rows[i].says));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/placement_torus/logical", test_logical);
    g_test_add_func("/placement_torus/coordinates", test_coordinates);
    g_test_add_func("/placement_torus/refused", test_refused);
    return g_test_run();
}
