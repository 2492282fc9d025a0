/* reported_values_cli_test.c - the papers' figures: all there, each pointer good, the page up to
 * date.
 * */
#include "commands/cli_test.h"
#include "base/csv.h"
#include "base/test_heavy.h"
#include <string.h>

static DnCsv *reported_load(const char *path)
{
    g_autoptr(GError) error = NULL;
    DnCsv *csv = dn_csv_load(path, &error);
    g_assert_no_error(error);
    return csv;
}

static const char *reported_cell(const DnCsv *csv, guint row, const char *column)
{
    int c = dn_csv_column(csv, column);
    g_assert_cmpint(c, >=, 0);
    return ((const DnCsvRow *)g_ptr_array_index(csv->rows, row))->cells[c];
}

/* Stated in words ("thousands" of cycles, a domain that is mispredicted): figures.csv has the
 * number that they come to. */
static gboolean stated_in_words(const char *id)
{
    static const char *const ids[] = {"S4-033", "S4-034", "S4-056", NULL};
    return g_strv_contains(ids, id);
}

/* Five papers state 406 numbers: each once. */
static void test_ids(void)
{
    const char *root = g_getenv("DARNER_ROOT");
    g_autofree char *file = g_build_filename(root, "validation", "figures.csv", NULL);
    g_autoptr(DnCsv) csv = reported_load(file);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint r = 0; r < csv->rows->len; r++)
        g_assert_true(g_hash_table_add(seen, (char *)reported_cell(csv, r, "id")));
    g_assert_cmpuint(csv->rows->len, ==, 406);
    g_autofree char *seed =
        g_build_filename(root, "..", "shared", "measured", "seed_figures.csv", NULL);
    if (!g_file_test(seed, G_FILE_TEST_EXISTS)) {
        g_test_skip("no shared/measured/ beside the project: statements are NOT compared with it");
        return;
    }
    static const char *const same[] = {"id",        "system",   "experiment", "where",
                                       "condition", "quantity", "value",      "unit"};
    enum { OF_WORDS = 4 };
    g_autoptr(DnCsv) from = reported_load(seed);
    g_assert_cmpuint(from->rows->len, ==, csv->rows->len);
    for (guint r = 0; r < from->rows->len; r++)
        for (guint i = 0;
             i < (stated_in_words(reported_cell(csv, r, "id")) ? OF_WORDS : G_N_ELEMENTS(same));
             i++)
            g_assert_cmpstr(reported_cell(csv, r, same[i]), ==, reported_cell(from, r, same[i]));
}

/* validation/README.md is what the results kept in validation/results/ come to. Every pointer is
 * followed on the way. */
static void test_page(CliFolder *f, gconstpointer unused)
{
    if (!test_heavy_wanted())
        return;
    const char *root = g_getenv("DARNER_ROOT");
    g_autofree char *kept = g_build_filename(root, "validation", "results", NULL);
    g_auto(CliAnswer) a = cli_run(f, "validate", "-q", "--full", "--keep", kept, "--stored",
                                  "--page", "page.md", "--page", "page.html");
    g_assert_cmpint(a.status, <=, 1); /* a missed tolerance is no matter of this test */
    g_autofree char *page = cli_read(f, "page.md");
    g_assert_nonnull(page);
    g_assert_true(cli_exists(f, "page.html"));
    /* Otherwise: darner validate --full --keep validation/results CASE..., and with --null. */
    g_assert_cmpstr(a.err, ==, "");
    g_autofree char *file = g_build_filename(root, "validation", "README.md", NULL);
    g_autofree char *written = NULL;
    g_assert_true(g_file_get_contents(file, &written, NULL, NULL));
    g_assert_cmpstr(page, ==, written);
}

/* ---- a project of one case ---- */

/* 1 MB between two terminals of one switch: 80.12 us, see validate_cli_test.c. */
#define RUN                                                                                        \
    "machine: {fabric: {type: full_mesh, switches: 2, terminals_per_switch: 2, links: {assumed: "  \
    "round numbers, terminal: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}, link: "       \
    "{bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}}, switch: {latency: {value: 100 ns, "   \
    "assumed: round}}}, hardware: {assumed: round numbers, packet: 1 kB}}\n"                       \
    "jobs:\n  - {name: a, workload: {type: pingpong, bytes: 1 MB}, ranks: 2}\n"
#define HEAD                                                                                       \
    "id,system,experiment,condition,quantity,value,unit,where,relation,kind,pointer,reason\n"

static void reported_project(const CliFolder *f, const char *rows)
{
    g_autofree char *figures = g_strconcat(HEAD, rows, NULL);
    cli_write(f, "validation/c/run.yaml", RUN);
    cli_write(
        f, "validation/c/expected.csv",
        "job,metric,measured,tolerance_percent,evidence,reason\na,time_us,80.12,1,predicted,x\n"
        "a,goodput_gbps,99.9,1,calibrated,x\n");
    cli_write(
        f, "validation/blind/predictions.csv",
        "run,point,job,metric,predicted\nb,,a,time_us,50\nd,x,a,time_us,1\nd,y,a,time_us,2\n");
    cli_write(f, "validation/papers.csv", "key,paper\nS0,One\n");
    cli_write(f, "validation/raw.csv", "id,raw_value,verdict,note\nS0-1,81,match,\n");
    cli_write(f, "validation/figures.csv", figures);
}

static CliAnswer in_project(const CliFolder *f, const char *const *words)
{
    g_autofree char *root = g_strdup(g_getenv("DARNER_ROOT"));
    g_setenv("DARNER_ROOT", f->dir, TRUE);
    CliAnswer answer = cli_run_words(f, words);
    g_setenv("DARNER_ROOT", root, TRUE);
    return answer;
}
#define IN_PROJECT(f, ...) in_project(f, (const char *const[]){"validate", __VA_ARGS__, NULL})

static void test_small(CliFolder *f, gconstpointer unused)
{
    reported_project(f,
                     "S0-1,s,e,c,q,100,us,w,,case,{case c time_us},\n"
                     "S0-2,s,e,c,q,8e-5,s,w,>=,case,{case c a time_us},\n"
                     "S0-3,s,e,c,q,800,x,w,,case,{case c time_us} * {case c goodput_gbps} / 1e16,\n"
                     "S0-4,s,e,c,q,few,,w,,out,,words\n"
                     "S0-5,s,e,c,q,50,us,w,,case,{blind b},\n"
                     "S0-6,s,e,c,q,2,us,w,,case,{blind d y time_us},\n");
    g_auto(CliAnswer) a = IN_PROJECT(f, "-q", "--keep", "kept", "--page", "p.md");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    g_autofree char *page = cli_read(f, "p.md");
    g_assert_nonnull(strstr(page, "| 100 us | 80.12 | -19.9 | predicted |"));
    g_assert_nonnull(strstr(page, "| >= 8e-5 s | 0.00008012 | holds | predicted |"));
    /* 80.12e6 ps times 99.85e9 bit/s over 1e16: the weaker class of both */
    g_assert_nonnull(strstr(page, "| 800 x | 800.0 | +0.0 | calibrated |"));
    g_assert_nonnull(strstr(page, "| few |  |  | out of scope | w | words |"));
    g_assert_nonnull(strstr(page, "| 50 us | 50.00 | +0.0 | developed |"));
    g_assert_nonnull(strstr(page, "| 2 us | 2.000 | +0.0 | developed |"));
    g_assert_nonnull(strstr(page, "| 100 us | 81 (match) |"));

    /* A kept result is taken, not simulated: one that is not true shows. */
    g_autofree char *kept = cli_read(f, "kept/c.csv");
    g_auto(GStrv) parts = g_strsplit(kept, "time_us,80.12", 2);
    g_assert_cmpuint(g_strv_length(parts), ==, 2);
    g_autofree char *changed = g_strjoinv("time_us,88.00", parts);
    cli_write(f, "kept/c.csv", changed);
    g_auto(CliAnswer) b = IN_PROJECT(f, "--keep", "kept");
    g_assert_cmpint(b.status, ==, 1);
    g_assert_nonnull(strstr(b.out, "88.00"));
    /* What changes no result makes none old: case.yaml, descriptions, comments, sources, and files
     * that the case does not name. */
    cli_write(f, "validation/c/case.yaml", "description: other\n");
    cli_write(f, "validation/c/run.yaml", "# a comment\n" RUN "description: other\n");
    cli_write(f, "topologies/other.yaml", "description: other\n");
    g_auto(CliAnswer) fresh = IN_PROJECT(f, "--keep", "kept", "--stored");
    g_assert_null(strstr(fresh.err, "has changed since"));
    cli_write(f, "validation/c/run.yaml", RUN "seed: 2\n");
    g_auto(CliAnswer) stale = IN_PROJECT(f, "--keep", "kept", "--stored");
    g_assert_nonnull(strstr(stale.err, "has changed since"));
    g_auto(CliAnswer) again = IN_PROJECT(f, "--keep", "kept");
    g_assert_cmpint(again.status, ==, 0);
    g_assert_null(strstr(again.out, "88.00"));
}

/* A machine that a case names is one of its inputs, and what that machine includes. */
static void test_named_input(CliFolder *f, gconstpointer unused)
{
    static const char *const machine =
        "fabric: {type: full_mesh, switches: 2, terminals_per_switch: 2, links: {terminal: "
        "{bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}, link: {include: link.yaml}}, "
        "switch: {latency: 100 ns}}\nhardware: {packet: 1 kB}\n";
    static const char *const link = "{bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n";
    reported_project(f, "");
    cli_write(f, "topologies/near.yaml", machine);
    cli_write(f, "topologies/link.yaml", link);
    cli_write(
        f, "validation/c/run.yaml",
        "machine: {name: near}\njobs:\n  - {name: a, workload: {type: pingpong, bytes: 1 MB}, "
        "ranks: 2}\n");
    g_auto(CliAnswer) first = IN_PROJECT(f, "--keep", "kept");
    g_assert_cmpint(first.status, ==, 0);
    g_autofree char *described = g_strconcat("# words\ndescription: words\n", machine, NULL);
    cli_write(f, "topologies/near.yaml", described);
    g_auto(CliAnswer) fresh = IN_PROJECT(f, "--keep", "kept", "--stored");
    g_assert_cmpstr(fresh.err, ==, "");
    cli_write(f, "topologies/link.yaml", "{bandwidth: 50 Gb/s, latency: 10 ns, buffer: 64 KiB}\n");
    g_auto(CliAnswer) stale = IN_PROJECT(f, "--keep", "kept", "--stored");
    g_assert_nonnull(strstr(stale.err, "has changed since"));
}

static void reported_wrong(const CliFolder *f, const char *row, const char *said)
{
    reported_project(f, row);
    g_auto(CliAnswer) a = IN_PROJECT(f, "-q", "--page", "p.md");
    if (a.status != 2 || strstr(a.err, said) == NULL)
        g_error("'%s': status %d, '%s'", row, a.status, a.err);
    g_assert_false(cli_exists(f, "p.md"));
}

static void test_wrong(CliFolder *f, gconstpointer unused)
{
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{case d},\n", "d: not a validation case");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{case c b},\n", ": no point of case c");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{case c a},\n", "more than one point of case c");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,machine,{case c time_us},\n",
                   "reads nothing of this kind");
    reported_wrong(f, "S0-1,s,e,c,q,few,us,w,,case,{case c time_us},\n", "'few' is no number");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{case c time_us} +,\n", "a number, '('");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{cash c},\n", "known: {case NAME WORD...}");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,machine,{machine nowhere x},\n", "nowhere");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{blind d},\n", "several have these words");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,case,{blind e},\n", "no such number in the blind");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,stated,,\n", "needs a reason");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,,maybe,,x\n", "unknown kind 'maybe'");
    reported_wrong(f, "S0-1,s,e,c,q,80,us,w,<,out,,x\n", "unknown relation '<'");
    reported_wrong(f, "S0-2,s,e,c,q,80,us,w,,out,,x\n", "raw.csv:2:1: no figure 'S0-1'");
    g_auto(CliAnswer) page = IN_PROJECT(f, "--page", "p.txt");
    g_assert_nonnull(strstr(page.err, "ends in .md or .html"));
    g_auto(CliAnswer) stored = IN_PROJECT(f, "--stored");
    g_assert_nonnull(strstr(stored.err, "--keep FOLDER"));
    cli_write(f, "kept/c.csv", "a,b\n1,2\n");
    g_auto(CliAnswer) other = IN_PROJECT(f, "--keep", "kept", "--stored");
    g_assert_cmpint(other.status, ==, 2);
    g_assert_nonnull(strstr(other.err, "kept/c.csv:1:1: not results of a case"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/commands/agreement/ids", test_ids);
    cli_test_add("/commands/agreement/page", test_page);
    cli_test_add("/commands/agreement/small", test_small);
    cli_test_add("/commands/agreement/inputs", test_named_input);
    cli_test_add("/commands/agreement/wrong", test_wrong);
    return g_test_run();
}
