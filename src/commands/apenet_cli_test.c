/* apenet_cli_test.c - Tests of what Ammendola et al., CASS 2013, section V.C say of peer-to-peer
 * against staging, held against configs/apenet-crossover.yaml: nothing was fitted to it. */
#include "commands/cli_test.h"

#include <string.h>

#define SIZES 5 /* 8 to 128 KiB */
enum { PEER, STAGED, HOST, MECHANISMS };

/* Goodputs in file order: sizes slow, mechanisms fast. */
static void read_goodputs(const CliFolder *f, double goodput[SIZES][MECHANISMS])
{
    g_autofree char *text = cli_read(f, "out/results.csv");
    g_assert_nonnull(text);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_auto(GStrv) names = g_strsplit(lines[0], ",", -1);
    guint column = 0;
    while (names[column] != NULL && strcmp(names[column], "goodput_bps") != 0)
        column++;
    g_assert_nonnull(names[column]);
    for (guint i = 0; i < SIZES * MECHANISMS; i++) {
        g_assert_true(lines[i + 1] != NULL && lines[i + 1][0] != '\0');
        g_auto(GStrv) cells = g_strsplit(lines[i + 1], ",", -1);
        goodput[i / MECHANISMS][i % MECHANISMS] = g_ascii_strtod(cells[column], NULL);
    }
}

/* "definitively effective for small buffer sizes, i.e. up to 32 KB; after that limit, staging seems
 * a better approach"; "only for larger buffer sizes, i.e. beyond 32 KB, the plateau is reached";
 * "for 8 KB message size the bandwidth is twice that of the GPU-to-GPU case" of a source in host
 * memory ("almost half", figure 6): 1.6 to 2.2. */
static void test_crossover(CliFolder *f, gconstpointer unused)
{
    double goodput[SIZES][MECHANISMS];
    g_autofree char *run =
        g_build_filename(g_getenv("DARNER_ROOT"), "configs", "apenet-crossover.yaml", NULL);
    g_auto(CliAnswer) a = cli_run(f, "run", run, "-o", "out");
    if (a.status != 0)
        g_error("%s", a.err);
    read_goodputs(f, goodput);
    for (guint i = 0; i < SIZES; i++) {
        if (i <= 2) /* 8, 16, 32 KiB */
            g_assert_cmpfloat(goodput[i][PEER], >, goodput[i][STAGED]);
        else
            g_assert_cmpfloat(goodput[i][PEER], <, goodput[i][STAGED]);
    }
    g_assert_cmpfloat(goodput[1][PEER], <, 0.9 * goodput[4][PEER]);
    g_assert_cmpfloat(goodput[3][PEER], >, 0.98 * goodput[4][PEER]);
    g_assert_cmpfloat(goodput[0][HOST], >, 1.6 * goodput[0][PEER]);
    g_assert_cmpfloat(goodput[0][HOST], <, 2.2 * goodput[0][PEER]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/apenet/crossover", test_crossover);
    return g_test_run();
}
