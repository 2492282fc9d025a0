/* user_measurements_cli_test.c - `darner validate --against`, `darner import`: one's own
 * measurements. */
#include "commands/cli_test.h"
#include <string.h>

/* Two terminals on one switch, round numbers: b bytes take 120 ns plus 80 ps a byte. An alltoall of
 * two ranks is one such message each way at once. */
#define PING                                                                                       \
    CLI_SWITCH("2") "jobs: [{name: a, workload: {type: pingpong, bytes: 1 kB}, ranks: 2}]\n"
#define ALL CLI_SWITCH("2") "jobs: [{name: a, workload: {type: alltoall, bytes: 1 kB}, ranks: 2}]\n"

static CliAnswer user_compare(const CliFolder *f, const char *run, const char *measured,
                              const char *map)
{
    cli_write(f, "run.yaml", run);
    cli_write(f, "measured", measured);
    if (map == NULL)
        return cli_run(f, "validate", "--against", "measured", "run.yaml");
    cli_write(f, "map.yaml", map);
    return cli_run(f, "validate", "--against", "measured", "--map", "map.yaml", "run.yaml");
}

static void user_holds(const CliAnswer *a, int status, const char *words)
{
    const char *said = status == 2 ? a->err : a->out;
    if (a->status != status || strstr(said, words) == NULL)
        g_error("status %d, '%s' is not in: %s%s", a->status, words, a->out, a->err);
}

/* 1 MB is simulated as 80.12 us; 100.15 were measured: - 20.0 %. Size 0 is left out. */
static void test_osu(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) a = user_compare(f, PING,
                                       "# OSU MPI Latency Test v7.2\n# Size          Latency (us)\n"
                                       "0   1.10\n1000000   100.15\n2000000  160.12\n",
                                       NULL);
    user_holds(&a, 1, "bytes 1000000 B  time_us     100.2      80.12   -20.00");
    user_holds(&a, 1, "bytes 2000000 B  time_us     160.1      160.1");
    user_holds(&a, 1, "predicted: 2 points");
}

/* All that a rank has to send, itself included, is twice what goes to the other. */
static void test_nccl(CliFolder *f, gconstpointer unused)
{
    const char *table =
        "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        "2000000 500000 float none -1 80.12 1 1 0 80 1 1 N/A\n";
    g_auto(CliAnswer) a = user_compare(f, ALL, table, NULL);
    user_holds(&a, 0, "bytes 1000000 B  time_us     80.12      80.12");
    g_auto(CliAnswer) own = user_compare(f, ALL, table, "divide_bytes: 4\ntolerance: 60 %\n");
    user_holds(&own, 0, "bytes 500000 B  time_us     80.12      40.12");
}

/* Rows of one kind; three repetitions count as their median; round trips halved; two keys. */
static void test_csv(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer)
        a = user_compare(f, PING,
                         "kind,size,seed,t_ms\nx,1000000,1,0.16\nx,1000000,1,0.1\n"
                         "x,1000000,1,0.9\nx,2000000,2,0.32\ny,oops,1,1\n",
                         "rows: {kind: x}\nbytes: size\nkeys: {seed: seed}\ntime: t_ms\n"
                         "scale: 0.5\ntolerance: 1 %\n");
    user_holds(&a, 0, "bytes 1000000 B, seed 1  time_us     80.00      80.12");
    user_holds(&a, 0, "bytes 2000000 B, seed 2  time_us     160.0      160.1");
    /* 1 MB in 80.12 us are 99.85 Gb/s */
    g_auto(CliAnswer) rate = user_compare(f, PING, "bytes,rate_gbps\n1000000,99.85\n",
                                          "goodput: rate_gbps\ntolerance: 0.1 %\n");
    user_holds(&rate, 0, "goodput_gbps");
}

/* Two algorithms, or two numbers of nodes, become one median: a warning for each column. */
static void test_kinds(CliFolder *f, gconstpointer unused)
{
    const char *rows = "bytes,time_us,nodes,seed,algorithm\n1000000,79,2,1,ring\n"
                       "1000000,81,2,2,ring\n1000000,80,4,3,tree\n1000000,80,4,4,ring\n";
    g_auto(CliAnswer) a = user_compare(f, PING, rows, NULL);
    user_holds(&a, 0, "predicted: 1 point");
    g_assert_cmpstr(a.err, ==,
                    "measured:4:12: warning: column 'nodes' has '4' here and '2' in line 2, and "
                    "both rows count as repetitions; a map takes the rows of one value (`rows:`) "
                    "or makes the column a key (`keys:`)\n"
                    "measured:4:16: warning: column 'algorithm' has 'tree' here and 'ring' in line "
                    "2, and both rows count as repetitions; a map takes the rows of one value "
                    "(`rows:`) or makes the column a key (`keys:`)\n");
    g_auto(CliAnswer) one = user_compare(f, PING, rows, "rows: {nodes: 2}\n");
    user_holds(&one, 0, "predicted: 1 point");
    g_assert_cmpstr(one.err, ==, "");
}

static void test_page(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", PING);
    cli_write(f, "measured", "bytes,time_us\n1000000,80.12\n");
    g_auto(CliAnswer) a = cli_run(f, "validate", "-a", "measured", "run.yaml", "-q", "--page",
                                  "p.md", "--json", "p.json");
    g_assert_cmpint(a.status, ==, 0);
    g_autofree char *page = cli_read(f, "p.md");
    g_autofree char *json = cli_read(f, "p.json");
    g_assert_true(g_str_has_prefix(page, "# Measured and simulated\n"));
    g_assert_nonnull(strstr(page, "| 80.12 us | 80.12 | "));
    g_assert_nonnull(strstr(page, "| all | predicted | 1 | "));
    g_assert_nonnull(strstr(json, "\"measured\" : 80.12"));
}

/* Nothing is predicted on which the mechanism was calibrated. */
static void test_calibrated(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "data.csv", "bytes,time_us\n8,4\n4096,4.1\n65536,6\n1048576,30\n16777216,420\n");
    cli_write(f, "other.csv", "bytes,time_us\n8,4\n4096,4.1\n65536,6\n1048576,30\n");
    cli_write(f, "run.yaml",
              "machine: {name: h200x4, mechanisms: {include: put.yaml}}\nengine: bound\njobs:\n"
              "  - {name: copy, workload: {type: flows, flows: [[0, 1]], bytes: 1 MiB}, "
              "mechanism: put}\n");
    g_auto(CliAnswer) fit = cli_run(f, "calibrate", "data.csv", "--name", "put", "-o", "put.yaml");
    g_assert_cmpint(fit.status, ==, 0);
    g_auto(CliAnswer) same = cli_run(f, "validate", "-a", "data.csv", "run.yaml", "-q");
    g_assert_nonnull(strstr(same.out, "data.csv  calibrated       5"));
    g_auto(CliAnswer) other = cli_run(f, "validate", "-a", "other.csv", "run.yaml", "-q");
    g_assert_nonnull(strstr(other.out, "other.csv  predicted       4"));
}

static guint count_of(const char *text, const char *part)
{
    guint n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        n++;
    return n;
}

/* A page to open has measured and simulated curves over the sizes, and a residual a point; where no
 * size was swept, points in the order of the table. */
static void test_curves(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", PING);
    cli_write(f, "measured", "bytes,time_us\n1000,1\n100000,9\n1000000,80.12\n");
    g_auto(CliAnswer)
        a = cli_run(f, "validate", "-a", "measured", "run.yaml", "-q", "--page", "p.html");
    g_assert_cmpint(a.status, <=, 1);
    g_autofree char *page = cli_read(f, "p.html");
    g_assert_cmpuint(count_of(page, "aria-label=\"Measured and simulated: job a, time_us\""), ==,
                     1);
    g_assert_cmpuint(count_of(page, "<polyline"), ==, 2);
    g_assert_cmpuint(count_of(page, "stroke-width=\"2\"/>"), ==, 3); /* residuals */
    cli_write(f, "seeds", "s,time_us\n1,1\n2,9\n");
    cli_write(f, "map.yaml", "keys: {seed: s}\n");
    g_auto(CliAnswer) b = cli_run(f, "validate", "-a", "seeds", "run.yaml", "-q", "-m", "map.yaml",
                                  "--page", "s.html");
    g_assert_cmpint(b.status, <=, 1);
    g_autofree char *seeds = cli_read(f, "s.html");
    g_assert_nonnull(strstr(seeds, "points in the order of the table"));
    g_assert_cmpuint(count_of(seeds, "Measured and simulated: job a, time_us"), ==, 1);
}

/* What --expected writes, a run shows beside its results. */
static void test_expected(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", PING);
    cli_write(f, "measured", "bytes,time_us\n1000000,90\n");
    g_auto(CliAnswer)
        a = cli_run(f, "validate", "-a", "measured", "run.yaml", "-q", "--expected", "e.csv");
    g_assert_cmpint(a.status, ==, 0); /* 11 % off, 20 % allowed */
    g_autofree char *text = cli_read(f, "e.csv");
    g_assert_cmpstr(
        text, ==,
        "run,jobs[0].workload.bytes,job,metric,measured,tolerance_percent,evidence,reason\n"
        "run,1000000 B,a,time_us,90,20,predicted,\n");
    cli_write(f, "run.yaml", PING "measured: e.csv\n");
    g_auto(CliAnswer)
        b = cli_run(f, "run", "run.yaml", "--set", "jobs[0].workload.bytes=1000000 B");
    user_holds(&b, 0, "90.00    -11.0");
    g_auto(CliAnswer) alone = cli_run(f, "validate", "--expected", "e.csv");
    user_holds(&alone, 2, "--expected goes with --against FILE");
}

/* Predictions registered before: found by name, nothing is simulated. */
static void test_blind(CliFolder *f, gconstpointer unused)
{
    g_autofree char *root = g_strdup(g_getenv("DARNER_ROOT"));
    cli_write(f, "validation/c/expected.csv", "");
    cli_write(f, "validation/blind/predictions.csv",
              "run,point,job,metric,predicted,engine,cpu_s,date,version\n"
              "a,bytes 8 B,all,time_us,90,packet,1,2026-11-22,v\na,,all,time_us,5,bound,1,d,v\n");
    cli_write(f, "m.csv", "run,point,job,metric,measured\na,bytes 8 B,all,time_us,100\n");
    cli_write(f, "other.csv", "run,point,job,metric,measured\nb,,all,time_us,100\n");
    g_setenv("DARNER_ROOT", f->dir, TRUE);
    g_auto(CliAnswer) a = cli_run(f, "validate", "--blind", "--against", "m.csv"),
                      b = cli_run(f, "validate", "--blind", "--against", "other.csv"),
                      c = cli_run(f, "validate", "--blind");
    g_setenv("DARNER_ROOT", root, TRUE);
    user_holds(&a, 0, "-10.00  2026-11-22");
    user_holds(&a, 0, "1 of 2 predictions compared: median |error| 10.00 %");
    user_holds(&b, 2, "other.csv:2:1: no prediction is registered for run 'b'");
    user_holds(&c, 2, "--blind goes with --against FILE");
}

static void test_errors(CliFolder *f, gconstpointer unused)
{
    const char *good = "bytes,time_us\n8,1\n";
    const struct {
        const char *measured, *map, *words;
    } cases[] = {
        {"size,time_us\nx,1\n", "bytes: sise\n",
         "map.yaml:1:8: no column 'sise' in measured; did you mean 'size'?"},
        {"bytes,t\n8,1\n", NULL, "measured:1:1: no column 'time_us'; a map says which"},
        {"bytes,t\n8,1\n", "time: t\n", "column 't' does not say its unit"},
        {good, "tyme: t\n", "map.yaml:1:1: unknown key 'tyme'; did you mean 'time'?"},
        {good, "time: time_us\ngoodput: x\n", "not both"},
        {good, "metric: speed\n", "map.yaml:1:9: unknown metric 'speed'"},
        {good, "job: b\n", "map.yaml:1:6: no job 'b'"},
        {good, "rows: {bytes: 9}\n", "no row has what `rows` of the map asks for"},
        {good, "rows: {byte: 9}\n", "no column 'byte'"},
        {good, "keys:\n  jobs[0].rank: bytes\n", "unknown key 'rank'"},
        {good, "format: blink\n", "measured:1:1: not blink"},
        {"bytes,time_us\n8.5,1\n", NULL, "measured:2:1: a size is a whole number"},
        {"bytes,time_us\n8,0\n", NULL, "measured:2:3: a measured value is above 0"},
        {"bytes,time_us\n0,1\n", NULL, "no row with a size above 0"},
        {"bytes,time_us\n", NULL, "measured:1:1: no row"},
        {"s,time_us\n1,1\n]x,1\n", "keys: {seed: s}\n", "measured:3:1: ']x' is no value of seed"},
        {"s,time_us\n\"1, 2\",1\n", "keys: {seed: s}\n", "measured:2:1: '1, 2' is no value of"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(CliAnswer) a = user_compare(f, PING, cases[i].measured, cases[i].map);
        user_holds(&a, 2, cases[i].words);
    }
    g_auto(CliAnswer) none = cli_run(f, "validate", "--against", "measured"),
                      map = cli_run(f, "validate", "--map", "map.yaml"),
                      keep = cli_run(f, "validate", "-a", "measured", "run.yaml", "--full");
    user_holds(&none, 2, "--against FILE goes with one run file");
    user_holds(&map, 2, "--map goes with --against FILE");
    user_holds(&keep, 2, "--against goes without");
}

static void test_import(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "m", "# OSU MPI Latency Test v7.2\n# Size Latency (us)\n8 1.5\n");
    g_auto(CliAnswer) a = cli_run(f, "import", "m"), b = cli_run(f, "import", "m", "-o", "m.csv");
    g_auto(CliAnswer) none = cli_run(f, "import"), bad = cli_run(f, "import", "m", "-f", "blonk");
    g_assert_cmpstr(a.out, ==, "test,bytes,time_us\nOSU MPI Latency Test,8,1.5\n");
    g_assert_cmpint(b.status, ==, 0);
    g_autofree char *file = cli_read(f, "m.csv");
    g_assert_cmpstr(file, ==, a.out);
    user_holds(&none, 2, "0 files given; wanted: one file or folder");
    user_holds(&bad, 2, "unknown format 'blonk'");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/against/osu", test_osu);
    cli_test_add("/against/nccl", test_nccl);
    cli_test_add("/against/csv", test_csv);
    cli_test_add("/against/kinds", test_kinds);
    cli_test_add("/against/page", test_page);
    cli_test_add("/against/curves", test_curves);
    cli_test_add("/against/calibrated", test_calibrated);
    cli_test_add("/against/expected", test_expected);
    cli_test_add("/against/blind", test_blind);
    cli_test_add("/against/errors", test_errors);
    cli_test_add("/against/import", test_import);
    return g_test_run();
}
