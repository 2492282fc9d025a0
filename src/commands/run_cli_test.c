/* run_cli_test.c - `darner run` through the program: files, repeatability, cuts, wrong input. */
#include "commands/cli_test.h"
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <signal.h>
#include <string.h>

/* Two GPUs of our own node; the sweep's second key makes two rows for each size. */
#define GOOD                                                                                       \
    "machine: h200x4\n"                                                                            \
    "jobs:\n"                                                                                      \
    "  - name: a\n"                                                                                \
    "    workload: {type: pingpong, bytes: 1 MiB}\n"                                               \
    "    ranks: 2\n"                                                                               \
    "    mechanism: d2d\n"
#define SWEEP "sweep: {\"jobs[0].workload.bytes\": [1 B, 1 MiB, 2 MiB]}\n"
/* The second point moves 8 TiB, hours of work: whoever stops it stops it inside. */
#define ENDLESS GOOD "sweep: {\"jobs[0].workload.bytes\": [1 B, 4 TiB]}\n"

static guint count_lines(const char *text)
{
    guint n = 0;
    for (const char *p = text; *p != '\0'; p++)
        n += *p == '\n';
    return n;
}

/* Three points and one job: a header and three rows. */
static void test_files(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "good.yaml", GOOD SWEEP);
    g_auto(CliAnswer) first = cli_run(f, "run", "good.yaml");
    cli_assert_silent(&first);
    g_assert_cmpint(first.status, ==, 0);
    g_autofree char *results = cli_read(f, "out/good/results.csv");
    g_assert_nonnull(results);
    g_assert_true(g_str_has_prefix(results, "jobs[0].workload.bytes,job,point,"));
    g_assert_cmpuint(count_lines(results), ==, 4);
    g_assert_nonnull(strstr(first.out, "seed 1, config "));
    g_assert_nonnull(strstr(first.out, "; limits: "));
    g_assert_nonnull(strstr(first.out, "bottleneck at bytes 2 MiB: "));
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autofree char *summary = cli_read(f, "out/good/summary.json");
    g_assert_true(json_parser_load_from_data(parser, summary, -1, NULL));
    JsonObject *root = json_node_get_object(json_parser_get_root(parser));
    g_assert_true(json_object_get_boolean_member(root, "complete"));
    g_assert_cmpint(json_object_get_int_member(root, "points_done"), ==, 3);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(root, "points")), ==, 3);
}

/* MPICH's allreduce up to and above 8 B (select_mpich.c): a column of what was chosen, size by
 * size; who names an algorithm himself sees none. */
static void test_choices(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "auto.yaml",
              "machine: h200x4\n"
              "jobs:\n"
              "  - name: a\n"
              "    workload: {type: allreduce, bytes: 1 B, library: mpich}\n"
              "    mechanism: {t_start: 1 us, reduce_rate: 10 GB/s}\n"
              "sweep: {\"jobs[0].workload.bytes\": [8 B, 4 KiB]}\n");
    g_auto(CliAnswer) chosen = cli_run(f, "run", "auto.yaml");
    cli_assert_silent(&chosen);
    g_assert_nonnull(strstr(chosen.out, "ranks  chosen "));
    g_assert_nonnull(strstr(chosen.out, "  8 B  a        4  recursive_doubling "));
    g_assert_nonnull(strstr(chosen.out, "4 KiB  a        4  reduce_scatter_allgather "));
    g_autofree char *summary = cli_read(f, "out/auto/summary.json");
    g_assert_nonnull(strstr(summary, "\"chosen\" : \"recursive_doubling\""));
    g_assert_nonnull(
        strstr(summary, "by its choice reduce_scatter_allgather; run as rabenseifner"));
    g_autofree char *results = cli_read(f, "out/auto/results.csv");
    g_assert_nonnull(strstr(results, ",chosen\n"));
    g_assert_nonnull(strstr(results, ",recursive_doubling\n"));
    g_assert_nonnull(strstr(results, ",reduce_scatter_allgather\n"));
    g_auto(CliAnswer)
        named = cli_run(f, "run", "auto.yaml", "--set", "jobs[0].workload.algorithm=ring");
    g_assert_cmpint(named.status, ==, 0);
    g_assert_null(strstr(named.out, "chosen"));
}

/* Every cost of a mechanism is in summary.json, those of its stages too: the GPU-initiated put of
 * this machine has stages, the second job an acknowledgement. */
static void test_costs(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "costs.yaml",
              CLI_PAIR "jobs:\n"
                       "  - name: a\n"
                       "    workload: {type: pingpong, bytes: 1 KiB}\n"
                       "    ranks: 2\n"
                       "    mechanism: {type: basic, serial: yes, t_ack: 1 us}\n"
                       "  - name: b\n"
                       "    workload: {type: pingpong, bytes: 1 KiB}\n"
                       "    ranks: 2\n"
                       "    placement: [2, 3]\n"
                       "    mechanism: {type: host_mpi, eager_copy_rate: 10 GB/s,\n"
                       "                eager_threshold: 8 KiB}\n");
    g_auto(CliAnswer) run = cli_run(f, "run", "costs.yaml");
    cli_assert_silent(&run);
    g_autofree char *summary = cli_read(f, "out/costs/summary.json");
    g_assert_nonnull(strstr(summary, "\"schema_version\" : 2"));
    g_assert_nonnull(strstr(summary, "\"ack_ns\" : 1000"));
    g_assert_nonnull(strstr(summary, "\"unit\" : \"cpu\""));
    g_assert_nonnull(strstr(summary, "\"max_bytes\" : 8192"));
    g_assert_nonnull(strstr(summary, "\"change_ps\" : 0"));
    g_assert_nonnull(strstr(summary, "\"arrival_bps\" : 0"));
}

/* Once more, on two threads, elsewhere: the same bytes. Another seed: another hash. */
static void test_repeats(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "good.yaml", GOOD SWEEP);
    g_auto(CliAnswer) first = cli_run(f, "run", "good.yaml", "-o", "a");
    g_auto(CliAnswer) again = cli_run(f, "run", "good.yaml", "-o", "b", "--threads", "2");
    g_auto(CliAnswer) quiet = cli_run(f, "run", "-q", "-o", "deep/er/c", "good.yaml");
    g_assert_cmpint(first.status | again.status | quiet.status, ==, 0);
    g_assert_cmpstr(quiet.out, ==, "");
    cli_same_results(f, "a", "b");
    cli_same_results(f, "a", "deep/er/c");
    g_auto(CliAnswer) other = cli_run(f, "run", "good.yaml", "-o", "d", "--set", "seed=2");
    g_assert_cmpint(other.status, ==, 0);
    g_autofree char *one = cli_read(f, "a/summary.json");
    g_autofree char *two = cli_read(f, "d/summary.json");
    g_assert_cmpstr(one, !=, two);
}

/* Warnings stand on standard error, and nothing else. */
static void test_quiet(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "cut.yaml", GOOD "until: 1 ns\n");
    g_auto(CliAnswer) quiet = cli_run(f, "run", "-q", "cut.yaml");
    g_assert_cmpint(quiet.status, ==, 0);
    g_assert_cmpstr(quiet.out, ==, "");
    g_assert_nonnull(strstr(quiet.err, "warning: job a completed 0 of 1 iterations"));
    g_auto(CliAnswer) help = cli_run(f, "run", "--help");
    g_assert_nonnull(strstr(help.out, "no progress and no tables; warnings and errors only"));
}

/* What is on the disk after a cut: whole rows of what finished, JSON that parses. */
static void check_cut(const CliFolder *f, gboolean killed)
{
    g_autofree char *results = cli_read(f, "out/unfinished/results.csv");
    g_assert_nonnull(results);
    g_assert_true(g_str_has_suffix(results, "\n"));
    g_assert_cmpuint(count_lines(results), ==, 2);
    g_autofree char *links = cli_read(f, "out/unfinished/links.csv");
    g_assert_true(g_str_has_suffix(links, "\n"));
    if (killed)
        return; /* the JSON files come at the end */
    g_autofree char *summary = cli_read(f, "out/unfinished/summary.json");
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, summary, -1, NULL));
    JsonObject *root = json_node_get_object(json_parser_get_root(parser));
    g_assert_false(json_object_get_boolean_member(root, "complete"));
    g_assert_cmpint(json_object_get_int_member(root, "points_done"), ==, 1);
}

static void test_cuts(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "endless.yaml", ENDLESS);
    g_assert_cmpint(cli_run_and_signal(f, "endless.yaml", 1, SIGINT), ==, 130);
    check_cut(f, FALSE);
    g_assert_cmpint(cli_run_and_signal(f, "endless.yaml", 1, SIGTERM), ==, 130);
    check_cut(f, FALSE);
    g_assert_cmpint(cli_run_and_signal(f, "endless.yaml", 1, SIGKILL), ==, -SIGKILL);
    check_cut(f, TRUE);
}

/* The results of a complete run stay until another one is complete. */
static void test_earlier(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "endless.yaml", ENDLESS);
    cli_write(f, "good.yaml", GOOD SWEEP);
    g_auto(CliAnswer) first = cli_run(f, "run", "good.yaml", "-o", "out");
    g_autofree char *before = cli_read(f, "out/summary.json");
    g_assert_cmpint(cli_run_and_signal(f, "endless.yaml", 1, SIGINT), ==, 130);
    check_cut(f, FALSE);
    g_autofree char *after = cli_read(f, "out/summary.json");
    g_assert_cmpstr(after, ==, before);
    g_auto(CliAnswer) other = cli_run(f, "run", "good.yaml", "-o", "out");
    g_assert_cmpint(other.status, ==, 2);
    g_assert_nonnull(strstr(other.err, "points of another run: sweep differs: was "));
    g_auto(CliAnswer) again = cli_run(f, "run", "good.yaml", "-o", "out", "--restart");
    g_assert_cmpint(again.status, ==, 0);
    g_assert_cmpstr(again.out, ==, first.out);
    g_assert_false(cli_exists(f, "out/unfinished"));
    g_autofree char *restarted = cli_read(f, "out/summary.json");
    g_assert_cmpstr(restarted, ==, before);
}

static void expect_error(CliFolder *f, const char *text, const char *option, const char *pattern)
{
    cli_write(f, "bad.yaml", text);
    g_auto(CliAnswer) a = option != NULL ? cli_run(f, "run", "bad.yaml", option)
                                         : cli_run(f, "run", "bad.yaml");
    if (a.status != 2 || count_lines(a.err) != 1 || !g_regex_match_simple(pattern, a.err, 0, 0))
        g_error("status %d, wanted /%s/, said: %s", a.status, pattern, a.err);
    g_assert_cmpstr(a.out, ==, "");
    g_assert_false(cli_exists(f, "out"));
}

static void test_wrong_keys(CliFolder *f, gconstpointer unused)
{
    expect_error(f, "machin: h200x4\njobs: []\n", NULL, "^bad.yaml:1:1: .*did you mean 'machine'");
    expect_error(f, GOOD "seed: [1]\n", NULL, "^bad.yaml:7:7: ");
    expect_error(f, GOOD "until: 5\n", NULL, "^bad.yaml:7:8: .*unit");
    expect_error(f, GOOD "until: 5 parsec\n", NULL, "^bad.yaml:7:8: .*parsec");
    expect_error(f, GOOD "threads: 0\n", NULL, "^bad.yaml:7:10: .*0");
    expect_error(f, GOOD, "--set=jobs[0].ranks=5", "ranks.*5.*4");
    expect_error(f, "machine: leonardo\njobs: [{workload: {type: pingpong, bytes: 1 B}}]\n",
                 "--set=packet.max_memory=2 MiB", "packet.max_memory allows 2 MiB");
    expect_error(f, GOOD, "--set=routing.algorithm=minimum", "did you mean 'minimal'");
    expect_error(f, GOOD, "--thread=2", "'--thread'; did you mean '--threads'");
    expect_error(f, GOOD, "--threads=many", "many");
    expect_error(f, GOOD, "--threads=-1", "allowed: 1 to 256");
    expect_error(f, GOOD, "--links=-1", "allowed: 0");
    expect_error(f, GOOD, "--jobs=0", "^--jobs is out of range; allowed: 1 to 1024\n$");
    /* The mistake in the third point is found before the first one runs. */
    expect_error(f, GOOD "sweep: {\"jobs[0].workload.bytes\": [1 B, 2 B, 3 ns]}\n", NULL,
                 "^bad.yaml:7:\\d+: .*3 ns");
}

/* A routing that the swept fabric does not have is skipped with a line; a wrong one is an error, as
 * is a sweep of which nothing is left. */
static void test_skipped_points(CliFolder *f, gconstpointer unused)
{
#define SWEPT                                                                                      \
    "machine: apenet-4x2\nrouting: {algorithm: valiant}\njobs:\n"                                  \
    "  - {name: a, workload: {type: alltoall, bytes: 1 KiB}}\nsweep:\n  routing.algorithm: "
    cli_write(f, "some.yaml", SWEPT "[d_mod_k, dimension_order, ugal, valiant]\n");
    g_auto(CliAnswer) some = cli_run(f, "run", "some.yaml", "-o", "some");
    g_assert_cmpint(some.status, ==, 0);
    g_assert_nonnull(strstr(some.out, "points   2; "));
    g_assert_nonnull(strstr(some.out, "\nskipped  routing.algorithm d_mod_k: some.yaml:6:23: "
                                      "unknown routing 'd_mod_k' for torus"));
    g_assert_nonnull(strstr(some.out, "\nskipped  routing.algorithm ugal: "));
    cli_write(f, "none.yaml", SWEPT "[d_mod_k, ugal]\n");
    g_auto(CliAnswer) none = cli_run(f, "run", "none.yaml", "-o", "none");
    g_assert_cmpint(none.status, ==, 2);
    cli_write(f, "wrong.yaml", SWEPT "[valiant, minimal_adaptve]\n");
    g_auto(CliAnswer) wrong = cli_run(f, "run", "wrong.yaml", "-o", "wrong");
    g_assert_cmpint(wrong.status, ==, 2);
    g_assert_nonnull(strstr(wrong.err, "did you mean"));
}

static void test_wrong_files(CliFolder *f, gconstpointer unused)
{
    expect_error(f, "machine: {h200x4\njobs: [\n", NULL, "^bad.yaml:\\d+:\\d+: ");
    expect_error(f, "include: bad.yaml\n", NULL, "bad.yaml:1:10: .*cycle");
    expect_error(f, "include: none.yaml\n", NULL, "bad.yaml:1:10: .*none.yaml");
    cli_write(f, "folder.yaml/x", "");
    g_auto(CliAnswer) folder = cli_run(f, "run", "folder.yaml");
    g_assert_cmpint(folder.status, ==, 2);
    g_auto(CliAnswer) none = cli_run(f, "run", "none.yaml");
    g_assert_cmpint(none.status, ==, 2);
    g_assert_true(g_str_has_prefix(none.err, "none.yaml:"));
    g_auto(CliAnswer) two = cli_run(f, "run", "a.yaml", "b.yaml");
    g_assert_cmpint(two.status, ==, 2);
}

static void test_empty_file(CliFolder *f, gconstpointer unused)
{
    expect_error(f, "", NULL, "^bad.yaml:1:1: ");
    expect_error(f, "# only a comment\n", NULL, "^bad.yaml:\\d+:1: ");
}

/* A file where the folder should be, a folder where a file should be: nothing runs. */
static void test_unwritable(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "good.yaml", ENDLESS);
    cli_write(f, "file", "x");
    g_auto(CliAnswer) a = cli_run(f, "run", "good.yaml", "-o", "file/out");
    g_assert_cmpint(a.status, ==, 2);
    g_assert_nonnull(strstr(a.err, "file"));
    cli_write(f, "taken/results.csv/x", "");
    g_auto(CliAnswer) b = cli_run(f, "run", "good.yaml", "-o", "taken");
    g_assert_cmpint(b.status, ==, 2);
    g_assert_nonnull(strstr(b.err, "results.csv"));
    g_assert_cmpstr(b.out, ==, "");
}

/* Workloads and validation cases are looked for in the order of machines: in the working folder
 * before $DARNER_ROOT, which has a workload `alltoall` and cases of its own. */
static void test_data_folders(CliFolder *f, gconstpointer unused)
{
    static const char *const folders[] = {"workloads", "validation", "validation/mine"};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(f->dir, folders[i], NULL);
        g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    }
    cli_write(f, "workloads/w.yaml", "type: pingpong\nbytes: 1 B\n");
    cli_write(f, "workloads/alltoall.yaml", "type: pingpong\nbytes: 2 B\n");
    cli_write(f, "validation/mine/expected.csv", "");
    g_autofree char *other = g_dir_make_tmp("darner-other-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(other, "run.yaml", NULL);
    g_assert_true(g_file_set_contents(file,
                                      "machine: h200x4\njobs:\n"
                                      "  - {name: a, workload: w, ranks: 2}\n"
                                      "  - {name: b, workload: alltoall, ranks: 2}\n",
                                      -1, NULL));
    g_auto(CliAnswer) a = cli_run(f, "run", file);
    g_assert_cmpint(g_remove(file) + g_rmdir(other), ==, 0);
    cli_assert_silent(&a);
    g_autofree char *results = cli_read(f, "out/run/results.csv");
    g_assert_nonnull(strstr(results, "b,0,pingpong,2,2,"));
    g_auto(CliAnswer) cases = cli_run(f, "validate", "--list");
    g_assert_cmpstr(cases.out, ==, "mine\n");
}

/* A name from --set is looked for beside the run file, as one that stands in it. */
static void test_set_names(CliFolder *f, gconstpointer unused)
{
    static const char *const folders[] = {"there", "there/topologies", "there/workloads"};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(f->dir, folders[i], NULL);
        g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    }
    cli_write(f, "there/workloads/own.yaml", "type: pingpong\nbytes: 2 B\n");
    cli_write(f, "there/topologies/own.yaml",
              "fabric:\n  type: full_mesh\n  assumed: any values do\n  switches: 2\n"
              "  terminals_per_switch: 1\n  links:\n"
              "    terminal: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
              "    link: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
              "  switch: {latency: 100 ns}\n");
    cli_write(f, "there/run.yaml",
              "machine: h200x4\njobs:\n  - {name: a, workload: alltoall, ranks: 2}\n");
    g_auto(CliAnswer) set = cli_run(f, "run", "there/run.yaml", "-o", "set", "--set", "machine=own",
                                    "--set", "jobs[0].workload=own");
    cli_assert_silent(&set);
    g_assert_nonnull(strstr(set.out, "machine  own: "));
    g_auto(CliAnswer) map = cli_run(f, "run", "there/run.yaml", "-o", "map", "--set",
                                    "machine={name: own}", "--set", "jobs[0].workload=own");
    cli_assert_silent(&map);
    g_auto(CliAnswer) none = cli_run(f, "run", "nowhere.yaml");
    g_assert_cmpint(none.status, ==, 2);
    g_assert_cmpstr(none.err, ==, "nowhere.yaml: cannot read: No such file or directory\n");
}

static void test_program(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) help = cli_run(f, "--help");
    g_assert_cmpint(help.status, ==, 0);
    g_auto(CliAnswer) version = cli_run(f, "--version");
    g_assert_cmpint(version.status, ==, 0);
    g_assert_true(g_str_has_prefix(version.out, "darner "));
    static const char *const commands[] = {"run", "topo", "validate"};
    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_assert_nonnull(strstr(help.out, commands[i]));
        g_auto(CliAnswer) one = cli_run(f, commands[i], "--help");
        g_assert_cmpint(one.status, ==, 0);
        g_assert_nonnull(strstr(one.out, "Usage:"));
    }
    g_auto(CliAnswer) none = cli_run_words(f, (const char *const[]){NULL});
    g_assert_cmpint(none.status, ==, 2);
    g_auto(CliAnswer) rum = cli_run(f, "rum");
    g_assert_cmpint(rum.status, ==, 2);
    g_assert_nonnull(strstr(rum.err, "did you mean 'run'"));
}

/* All in one group of a dragonfly: said, as is that latency limits a lone small message. */
static void test_one_group(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "one.yaml",
              "machine: lumi\nnodes: 4\njobs:\n"
              "  - {name: a, workload: {type: pingpong, bytes: 8 B}, "
              "placement: [0, 8]}\n");
    g_auto(CliAnswer) one = cli_run(f, "run", "one.yaml");
    g_assert_cmpint(one.status, ==, 0);
    g_assert_nonnull(strstr(one.err, "warning: no message left its group"));
    g_assert_nonnull(strstr(one.out, "no single link limits; latency does (1 step of "));
    /* Sixteen ranks exchange in four rounds. */
    static const char sixteen[] = "jobs[0]={name: a, ranks: 16, mechanism: direct, workload: "
                                  "{type: allreduce, bytes: 8 B, algorithm: recursive_doubling}}";
    g_auto(CliAnswer) four = cli_run(f, "run", "one.yaml", "--set", sixteen);
    g_assert_nonnull(strstr(four.out, "no single link limits; latency does (4 steps of "));
    cli_write(f, "two.yaml",
              "machine: lumi\nnodes: 4\njobs:\n  - {name: a, mechanism: direct, placement: [0, 8], "
              "workload: {type: pingpong, bytes: 8 B}}\nsweep: {seed: [1, 2]}\n");
    g_auto(CliAnswer) two = cli_run(f, "run", "two.yaml");
    g_assert_cmpint(two.status, ==, 0);
    g_assert_nonnull(strstr(two.err, "\n1 more warning of the same words at other points; "));
}

/* What limits is said of the job that lasts longest, here one that computes. */
static void test_computation(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "two.yaml",
              "machine: lumi\nnodes: 4\njobs:\n"
              "  - {name: a, workload: {type: pingpong, bytes: 8 B}, placement: [0, 8]}\n"
              "  - {name: b, workload: {type: hsg, lattice: 32, spin_time: 100 ns}, "
              "placement: [1, 9]}\n");
    g_auto(CliAnswer) two = cli_run(f, "run", "two.yaml", "--set", "jobs[0].iterations=1");
    g_assert_cmpint(two.status, ==, 0);
    g_assert_nonnull(strstr(two.out, "; of job b no single link limits; computation does ("));
}

/* A population of workloads/populations by its name, and one that is not there. */
static void test_population(CliFolder *f, gconstpointer unused)
{
    const char *const text = "machine: leonardo\nnodes: 40\nbackground: %s\njobs:\n"
                             "  - {workload: {type: pingpong, bytes: 8 B}, ranks: 2}\n";
    g_autofree char *known = g_strdup_printf(text, "seren");
    g_autofree char *unknown = g_strdup_printf(text, "sern");
    cli_write(f, "known.yaml", known);
    cli_write(f, "unknown.yaml", unknown);
    g_auto(CliAnswer) good = cli_run(f, "run", "known.yaml");
    g_assert_cmpint(good.status, ==, 0);
    g_auto(CliAnswer) bad = cli_run(f, "run", "unknown.yaml");
    g_assert_cmpint(bad.status, ==, 2);
    g_assert_nonnull(strstr(bad.err, "unknown.yaml:3:13: background: unknown population 'sern'"));
}

/* Off a terminal a run of more than an hour is refused within seconds, and leaves nothing: at once
 * beyond four hours, else (in the full tier) after half a minute. */
static void test_too_long(CliFolder *f, gconstpointer unused)
{
    g_autofree char *text = g_strdup_printf(
        CLI_PAIR "jobs: [{name: a, workload: {type: alltoall, bytes: %s}, ranks: 8, "
                 "iterations: 1000000}]\n",
        g_getenv("DARNER_FULL") != NULL ? "1 MiB" : "1 GiB");
    cli_write(f, "long.yaml", text);
    g_auto(CliAnswer) refused = cli_run(f, "run", "long.yaml", "-o", "out");
    g_assert_cmpint(refused.status, ==, 2);
    g_assert_nonnull(strstr(refused.err, "estimate, by the first seconds: about "));
    g_assert_nonnull(strstr(refused.err, "a run of more than an hour needs --yes"));
    g_assert_false(cli_exists(f, "out"));
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(SANITIZED)
#define MEASURED 1 /* memory is mostly the sanitizer's there */
#else
#define MEASURED 2
#endif

/* The CPU time and the memory estimated after the first second are within a factor of 2 of what the
 * process took, however busy the computer is. Some 2 CPU seconds. */
static void test_estimate(CliFolder *f, gconstpointer unused)
{
    cli_write(
        f, "load.yaml",
        "machine: dragonfly-1056\nrouting: {algorithm: ugal_l}\njobs:\n  - {name: a, "
        "workload: {type: uniform, bytes: 256 B, load: 0.5, rate: 100 Gb/s, messages: 2500}}\n");
    g_auto(CliAnswer) answer = cli_run(f, "run", "load.yaml", "-o", "out");
    g_assert_cmpint(answer.status, ==, 0);
    g_assert_nonnull(strstr(answer.err, "estimate, by the first seconds: about "));
    g_autofree char *text = cli_read(f, "out/timing.json");
    double cost[2][2]; /* estimated and taken: CPU seconds, bytes */
    static const char *const names[] = {"\"estimate\"", "\"process\""};
    for (guint i = 0; i < 2; i++) {
        const char *at = strstr(text, names[i]);
        g_assert_nonnull(at);
        cost[i][0] = g_ascii_strtod(strstr(at, "\"cpu_s\" : ") + strlen("\"cpu_s\" : "), NULL);
        at = strstr(at, "\"memory_bytes\" : ");
        cost[i][1] = g_ascii_strtod(at + strlen("\"memory_bytes\" : "), NULL);
    }
    for (guint k = 0; k < MEASURED; k++) {
        g_test_message("estimated %g, taken %g", cost[0][k], cost[1][k]);
        g_assert_cmpfloat(cost[0][k], >, cost[1][k] / 2);
        g_assert_cmpfloat(cost[0][k], <, cost[1][k] * 2);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/run/estimate", test_estimate);
    cli_test_add("/commands/program", test_program);
    cli_test_add("/commands/run/files", test_files);
    cli_test_add("/commands/run/choices", test_choices);
    cli_test_add("/run/too-long", test_too_long);
    cli_test_add("/run/costs", test_costs);
    cli_test_add("/commands/run/repeats", test_repeats);
    cli_test_add("/commands/run/quiet", test_quiet);
    cli_test_add("/commands/run/cuts", test_cuts);
    cli_test_add("/commands/run/earlier", test_earlier);
    cli_test_add("/commands/run/wrong-keys", test_wrong_keys);
    cli_test_add("/commands/run/skipped-points", test_skipped_points);
    cli_test_add("/commands/run/wrong-files", test_wrong_files);
    cli_test_add("/commands/run/unwritable", test_unwritable);
    cli_test_add("/commands/run/empty-file", test_empty_file);
    cli_test_add("/commands/run/set-names", test_set_names);
    cli_test_add("/commands/run/data-folders", test_data_folders);
    cli_test_add("/commands/run/one-group", test_one_group);
    cli_test_add("/commands/run/computation", test_computation);
    cli_test_add("/commands/run/population", test_population);
    return g_test_run();
}
