/* calibrate_cli_test.c - `darner calibrate` through the program: known parameters come back, in
 * print and as a mechanism that a run can use; real data give what the machines carry; what must
 * not be calibrated on is refused. */
#include "commands/cli_test.h"

#include <math.h>
#include <string.h>

/* The number behind @label in a table row of @out. */
static double value_of(const char *out, const char *label)
{
    g_autofree char *start = g_strconcat("\n", label, " ", NULL);
    const char *at = strstr(out, start);
    if (at == NULL)
        g_error("no '%s' in: %s", label, out);
    return g_ascii_strtod(at + strlen(start), NULL);
}

static void calibrate_near(double value, double wanted, double relative)
{
    if (fabs(value / wanted - 1.0) > relative)
        g_error("%g, wanted %g", value, wanted);
}

/* The median time of the only row of out/results.csv. */
static double time_us(const CliFolder *f)
{
    g_autofree char *results = cli_read(f, "out/results.csv");
    g_assert_nonnull(results);
    g_auto(GStrv) lines = g_strsplit(results, "\n", -1);
    g_auto(GStrv) names = g_strsplit(lines[0], ",", -1);
    g_auto(GStrv) cells = g_strsplit(lines[1], ",", -1);
    guint column = 0;
    while (names[column] != NULL && strcmp(names[column], "time_median_s") != 0)
        column++;
    g_assert_nonnull(names[column]);
    return g_ascii_strtod(cells[column], NULL) * 1e6;
}

/* 4 us + 1.5 us from 8 KiB on + b at 80 Gb/s (0.1 ns a byte), and a scatter of 1 % either way. */
static char *make_table(void)
{
    GString *csv = g_string_new("kind,bytes,iteration,time_us\n");
    for (guint i = 0; i <= 24; i++) {
        double bytes = (double)(1u << i), us = 4.0 + (i >= 13 ? 1.5 : 0.0) + bytes * 1e-4;
        g_string_append_printf(csv, "put,%.0f,0,%.6f\nput,%.0f,1,%.6f\n", bytes,
                               us * (i % 2 ? 1.01 : 0.99), bytes, us * (i % 3 ? 0.99 : 1.01));
        g_string_append_printf(csv, "get,%.0f,0,%.6f\n", bytes, 9.0 + bytes * 1e-4);
    }
    return g_string_free(csv, FALSE);
}

static void test_synthetic(CliFolder *f, gconstpointer unused)
{
    g_autofree char *csv = make_table();
    cli_write(f, "data.csv", csv);
    g_auto(CliAnswer) a = cli_run(f, "calibrate", "data.csv", "-w", "kind=put", "-n", "put",
                                  "--split", "1:2:1", "-o", "put.yaml");
    if (a.status != 0)
        g_error("%s", a.err);
    calibrate_near(value_of(a.out, "latency (us)"), 4.0, 0.02);
    calibrate_near(value_of(a.out, "step (us)"), 1.5, 0.1);
    calibrate_near(value_of(a.out, "rate (Gb/s)"), 80.0, 0.02);
    g_assert_nonnull(strstr(a.out, "the step is from 8 KiB on, not yet at 4 KiB\n"));
    g_assert_nonnull(strstr(a.out, "25 medians of 50 rows of data.csv: kind=put\n"));
    /* A machine takes the file up, and its own run gives the measured times again: a byte takes
     * 4 us and 1 us of wire (two links of 0.5 us); 16 MiB are 5.5 us and 1,677.7 us. */
    g_autofree char *yaml = cli_read(f, "put.yaml");
    g_assert_nonnull(strstr(yaml, "source: \"calibrated on data.csv: kind=put; residuals "));
    cli_write(f, "run.yaml",
              "machine: {name: h200x4, mechanisms: {include: put.yaml}}\nengine: bound\njobs:\n"
              "  - name: copy\n    workload: {type: flows, flows: [[0, 1]], bytes: 16 MiB}\n"
              "    mechanism: put\n");
    g_auto(CliAnswer) run = cli_run(f, "run", "run.yaml", "-o", "out");
    if (run.status != 0)
        g_error("%s", run.err);
    calibrate_near(time_us(f), 5.5 + 1677.7, 0.02);
}

/* To 4 KiB 2 us and 1 GB/s, above it 10 us and 10 GB/s: two rules, which a run chooses by size. */
static void test_ranges(CliFolder *f, gconstpointer unused)
{
    g_autoptr(GString) csv = g_string_new("bytes,time_us\n");
    for (guint i = 0; i <= 24; i++) {
        double bytes = (double)(1u << i);
        double us = i <= 12 ? 2.0 + bytes * 1e-3 : 10.0 + bytes * 1e-4;
        g_string_append_printf(csv, "%.0f,%.6f\n", bytes, us * (i % 2 ? 1.004 : 0.996));
    }
    cli_write(f, "data.csv", csv->str);
    g_auto(CliAnswer) a = cli_run(f, "calibrate", "data.csv", "--ranges", "4", "-o", "put.yaml");
    if (a.status != 0)
        g_error("%s", a.err);
    g_assert_nonnull(strstr(a.out, "\nsizes 1 to 4096 B\n"));
    g_assert_nonnull(strstr(a.out, "\nsizes 8192 to 16777216 B\n"));
    g_autofree char *yaml = cli_read(f, "put.yaml");
    g_assert_nonnull(strstr(yaml, "\ncalibrated:\n  - to: {value: 4096 B, "));
    cli_write(f, "run.yaml",
              "machine: {name: h200x4, mechanisms: {include: put.yaml}}\nengine: bound\njobs:\n"
              "  - name: copy\n    workload: {type: flows, flows: [[0, 1]], bytes: 4 KiB}\n"
              "    mechanism: calibrated\n");
    /* 0.65 us of wire on top: no --machine was given to take it off. */
    g_auto(CliAnswer) small = cli_run(f, "run", "run.yaml", "-o", "out");
    if (small.status != 0)
        g_error("%s", small.err);
    calibrate_near(time_us(f), 2.0 + 4.096 + 0.652, 0.03);
    g_auto(CliAnswer)
        large = cli_run(f, "run", "run.yaml", "-o", "out", "--set", "jobs[0].workload.bytes=1 MiB");
    g_assert_cmpint(large.status, ==, 0);
    calibrate_near(time_us(f), 10.0 + 104.858 + 0.652, 0.03);
}

/* A stream and an overhead give serial, t_start and t_issue; the rest of the latency is t_recv. */
static void test_stream(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "data.csv",
              "test,bytes,time_us\none_way,1,6.0001\none_way,1000,6.1\none_way,100000,16\n"
              "one_way,1000000,106\nstream,1,2.0001\nstream,1000,2.1\nstream,100000,12\n"
              "stream,1000000,102\noverhead,1,0.5\noverhead,1000,0.5\noverhead,100000,0.5\n");
    g_auto(CliAnswer) a = cli_run(f, "calibrate", "data.csv", "--no-step");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "  t_issue: 0.5 us\n"));
    g_assert_nonnull(strstr(a.out, "  t_start: 2 us\n"));
    g_assert_nonnull(strstr(a.out, "  t_recv: 3.5 us\n"));
    g_assert_nonnull(strstr(a.out, "  serial: true\n"));
    g_assert_nonnull(strstr(a.out, "  rate: 80 Gb/s\n"));
}

/* 3 us to 4 KiB, 5 us from 8 KiB on: two path times (none given) and two handlings of 1 us. */
static void test_rendezvous(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "data.csv",
              "bytes,round_ns\n1,6000\n256,6051.2\n1024,6204.8\n4096,6819.2\n8192,11638.4\n"
              "16384,13276.8\n65536,23107.2\n1048576,219715.2\n");
    g_auto(CliAnswer) a =
        cli_run(f, "calibrate", "data.csv", "--rendezvous", "--time", "round_ns", "--scale", "0.5");
    g_assert_cmpint(a.status, ==, 0);
    calibrate_near(value_of(a.out, "latency (us)"), 3.0, 0.001);
    g_assert_nonnull(strstr(a.out, "  t_control: 1 us\n"));
    g_assert_nonnull(strstr(a.out, "  eager_threshold: 4096 B\n"));
}

/* (transfer full), or NULL: a file of measurements that is not part of the project. */
static char *measured_file(const char *name)
{
    const char *folder = g_getenv("DARNER_MEASURED");
    g_autofree char *neighbour =
        g_build_filename(g_getenv("DARNER_ROOT"), "..", "shared", "measured", NULL);
    char *path = g_build_filename(folder != NULL ? folder : neighbour, name, NULL);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        g_clear_pointer(&path, g_free);
    return path;
}

/* One copy from GPU 0 to GPU 1: the numbers of topologies/h200x4.yaml are 5.79 us in all, 0.6 us
 * from 16 KiB on, and efficiency 0.83, by hand from the same rows. */
static void test_h200x4(CliFolder *f, gconstpointer unused)
{
    g_autofree char *data =
        g_build_filename(g_getenv("DARNER_ROOT"), "validation/h200x4/h200x4.csv.gz", NULL);
    g_auto(CliAnswer)
        a = cli_run(f, "calibrate", data, "-w", "experiment=p2p", "-w", "mechanism=d2d",
                    "--machine", "h200x4", "--between", "0,1", "--split", "1:1:1");
    if (a.status != 0)
        g_error("%s", a.err);
    calibrate_near(value_of(a.out, "latency (us)"), 5.79 + 0.652, 0.01);
    calibrate_near(value_of(a.out, "step (us)"), 0.6, 0.15);
    calibrate_near(value_of(a.out, "efficiency"), 0.83, 0.01);
    g_assert_nonnull(strstr(a.out, "the step is from 16 KiB on, not yet at 4 KiB\n"));
    g_assert_nonnull(strstr(a.out, "  t_issue: 1.929 us\n"));
    g_assert_null(strstr(a.out, "  rate:")); /* the wires give it */
}

/* Half a round trip of 1 B in one switch takes 1.045 us, 0.46 us of it the path (figure 8b of De
 * Sensi et al., SC 2024): 0.29 us an end, as topologies/leonardo.yaml has it. */
static void test_leonardo(CliFolder *f, gconstpointer unused)
{
    g_autofree char *data = measured_file("sc24/iterations_fig4_fig8_fig12.csv.gz");
    if (data == NULL) {
        g_test_skip("no sc24/iterations_fig4_fig8_fig12.csv.gz; set DARNER_MEASURED");
        return;
    }
    g_auto(CliAnswer)
        a = cli_run(f, "calibrate", data, "-w", "figure=Fig8b", "-w", "system=leonardo", "-w",
                    "condition=same_switch", "-w", "bench=pw-ping-pong_b", "--machine",
                    "{name: leonardo, endpoints: cpu}", "--between", "0,4");
    if (a.status != 0)
        g_error("%s", a.err);
    calibrate_near(value_of(a.out, "latency (us)"), 1.045, 0.001);
    calibrate_near(value_of(a.out, "rate (Gb/s)"), 395.02 / 4.0, 0.001);
    g_assert_nonnull(strstr(a.out, "the path takes 0.46 us"));
    g_assert_nonnull(strstr(a.out, "no residuals, no standard errors"));
    g_assert_nonnull(strstr(a.out, "  t_start: 0.2925 us\n"));
}

static void calibrate_fails(CliFolder *f, const char *const *words, const char *said)
{
    g_auto(CliAnswer) a = cli_run_words(f, words);
    if (a.status != 2 || strstr(a.err, said) == NULL || a.out[0] != '\0')
        g_error("status %d, wanted '%s', said: %s%s", a.status, said, a.out, a.err);
}
#define FAILS(message, ...)                                                                        \
    calibrate_fails(f, (const char *const[]){"calibrate", __VA_ARGS__, NULL}, message)

static void test_refused(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "coll.csv",
              "bench,bytes,time_us\np2p,1,2\ngpubench/a2a-nccl,1,3\nflows ring,1,3\nincast2,1,3\n");
    FAILS("coll.csv:3:1: 'gpubench/a2a-nccl' is several messages at once", "coll.csv", "-w",
          "bench=gpubench/a2a-nccl");
    FAILS("coll.csv:4:1: 'flows ring' is several", "coll.csv", "-w", "bench=flows ring");
    FAILS("coll.csv:5:1: 'incast2' is several", "coll.csv", "-w", "bench=incast2");
    cli_write(f, "mixed.csv", "ctas,bytes,time_us\n1,1,2\n4,1,3\n");
    FAILS("mixed.csv:3:1: rows of '1' and of '4' in column ctas", "mixed.csv");
    FAILS("no row has all that --where asks for", "mixed.csv", "-w", "ctas=7");
}

static void test_bad_table(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "a.csv", "bytes,time_us\n1,2\n1.5,3\n");
    FAILS("a.csv:3:1: a size is a whole number", "a.csv");
    cli_write(f, "b.csv", "bytes,time_us\n1,2\n2,-3\n");
    FAILS("b.csv:3:3: a time is 1 ps", "b.csv");
    cli_write(f, "c.csv", "bytes,time_us\n1,zwei\n");
    FAILS("c.csv:2:3:", "c.csv");
    cli_write(f, "d.csv", "bytes,time\n1,2\n");
    FAILS("no column 'time_us' of times", "d.csv");
    FAILS("d.csv:1:1: the column 'time' does not say its unit", "d.csv", "-t", "time");
    FAILS("no column 'byte' of sizes; did you mean 'bytes'?", "d.csv", "-t", "time", "-b", "byte");
    FAILS("no column 'tets' for --where", "a.csv", "-w", "tets=1");
    FAILS("--where 'bytes'; expected COLUMN=VALUE", "a.csv", "-w", "bytes");
    cli_write(f, "e.csv", "bytes,time_us,test\n1,2,one-way\n");
    FAILS("e.csv:2:5: unknown test 'one-way'; did you mean 'one_way'?", "e.csv");
    cli_write(f, "g.csv", "bytes,time_us\n");
    FAILS("g.csv:1:1: no row after the header", "g.csv");
    cli_write(f, "h.csv", "bytes,time_us\n8,2\n");
    FAILS("h.csv: messages of 1 size for 2 parameters", "h.csv");
    cli_write(f, "k.csv", "bytes,time_us,test\n1,2,stream\n8,2,stream\n64,3,stream\n");
    FAILS("--ranges is for rows of test one_way alone", "k.csv", "-r", "2");
    g_autoptr(GString) many = g_string_new("bytes,time_us\n");
    for (guint i = 0; i < 4097; i++)
        g_string_append_printf(many, "%u,%u\n", i, i + 1);
    cli_write(f, "many.csv", many->str);
    FAILS("many.csv:1:1: 4097 sizes; at most 4096 are fitted", "many.csv");
    FAILS("no.csv", "no.csv");
    FAILS("no.csv.gz", "no.csv.gz");
    cli_write(f, "x.csv.gz", "bytes,time_us\n1,2\n");
    FAILS("x.csv.gz", "x.csv.gz");
}

static void test_bad_options(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "a.csv", "bytes,time_us\n1,0.2\n1000,0.3\n100000,3\n1000000,30\n");
    calibrate_fails(f, (const char *const[]){"calibrate", NULL}, "no measurements given");
    FAILS("one file of measurements", "a.csv", "b.csv");
    FAILS("--scale is out of range", "a.csv", "--scale", "0");
    FAILS("--ranges is out of range", "a.csv", "--ranges", "9");
    FAILS("--rendezvous is a step within one range", "a.csv", "-r", "2", "--rendezvous");
    FAILS("--name:", "a.csv", "--name", "a b");
    FAILS("--machine and --between go together", "a.csv", "--machine", "h200x4");
    FAILS("unknown machine", "a.csv", "--machine", "a\nb: c", "--between", "0,1");
    FAILS("--machine:", "a.csv", "--machine", "{name: [", "--between", "0,1");
    FAILS("unknown machine", "a.csv", "--machine", "h200x5", "--between", "0,1");
    FAILS("--between '0,9'; expected two different endpoints of 0 to 3", "a.csv", "--machine",
          "h200x4", "--between", "0,9");
    FAILS("--between '1,1'", "a.csv", "--machine", "h200x4", "--between", "1,1");
    FAILS("--split '1:1'", "a.csv", "--split", "1:1");
    FAILS("--split '0:0:0'", "a.csv", "--split", "0:0:0");
    FAILS("--split '1:-1:1'", "a.csv", "--split", "1:-1:1");
    FAILS("the machine's path alone takes 0.652 us", "a.csv", "--machine", "h200x4", "--between",
          "0,1");
    FAILS("did you mean '--where'?", "a.csv", "--were", "a=b");
    g_auto(CliAnswer) a = cli_run(f, "calibrate", "a.csv", "-o", "no/such/folder.yaml");
    g_assert_cmpint(a.status, ==, 2);
    g_assert_nonnull(strstr(a.err, "no/such/folder.yaml: cannot write"));
}

/* What `import` writes of OSU's text, `calibrate` reads: the test's own name is no obstacle. */
static void test_imported(CliFolder *f, gconstpointer unused)
{
    GString *osu = g_string_new("# OSU MPI-CUDA Latency Test v7.0\n# Size          Latency (us)\n");
    for (guint i = 0; i <= 22; i++)
        g_string_append_printf(osu, "%u %.3f\n", 1u << i, 2.0 + (double)(1u << i) * 1e-4);
    cli_write(f, "osu.txt", osu->str);
    g_string_free(osu, TRUE);
    g_auto(CliAnswer) import = cli_run(f, "import", "osu.txt", "-o", "lat.csv");
    g_assert_cmpint(import.status, ==, 0);
    g_auto(CliAnswer) fit = cli_run(f, "calibrate", "lat.csv");
    g_assert_cmpstr(fit.err, ==, "");
    g_assert_cmpint(fit.status, ==, 0);
}

/* 24 GB/s over a link of 5 GB/s. */
static void test_too_fast(CliFolder *f, gconstpointer unused)
{
    (void)unused;
    cli_write(f, "fast.csv", "bytes,time_us\n1024,8\n4096,8.2\n1048576,50\n16777216,700\n");
    g_auto(CliAnswer)
        a = cli_run(f, "calibrate", "fast.csv", "-m", "torus-4x4x4", "--between", "0,1");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.err, "times as fast as the narrowest link between endpoints 0,1"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/calibrate/synthetic", test_synthetic);
    cli_test_add("/calibrate/imported", test_imported);
    cli_test_add("/calibrate/ranges", test_ranges);
    cli_test_add("/calibrate/stream", test_stream);
    cli_test_add("/calibrate/rendezvous", test_rendezvous);
    cli_test_add("/calibrate/h200x4", test_h200x4);
    cli_test_add("/calibrate/leonardo", test_leonardo);
    cli_test_add("/calibrate/refused", test_refused);
    cli_test_add("/calibrate/too_fast", test_too_fast);
    cli_test_add("/calibrate/bad_table", test_bad_table);
    cli_test_add("/calibrate/bad_options", test_bad_options);
    return g_test_run();
}
