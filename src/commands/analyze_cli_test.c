/* analyze_cli_test.c - `darner analyze` run as a program: published peaks, JSON, a drawing, runs,
 * runs, wrong input. */
#include "commands/cli_test.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* The members that are looked at need no search for a throughput. */
static JsonParser *analyze_file(const CliFolder *f, const char *machine, const char *nodes)
{
    g_auto(CliAnswer)
        a = cli_run(f, "analyze", machine, "-n", nodes, "--effort", "1", "--json", "-");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    JsonParser *parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, a.out, -1, NULL));
    return parser;
}

/* "node.widest_path_bps.0.1": members, and indices of lists. */
static double analyze_member(JsonParser *parser, const char *path)
{
    g_auto(GStrv) words = g_strsplit(path, ".", -1);
    JsonNode *node = json_parser_get_root(parser);
    for (guint i = 0; words[i] != NULL; i++) {
        if (JSON_NODE_HOLDS_ARRAY(node))
            node = json_array_get_element(json_node_get_array(node),
                                          (guint)g_ascii_strtoull(words[i], NULL, 10));
        else
            node = json_object_get_member(json_node_get_object(node), words[i]);
        if (node == NULL)
            g_error("no member %s", path);
    }
    return json_node_get_double(node);
}

enum { ID, MACHINE, NODES, MEMBER, EXPECTED, UNIT, MEASURED, HOW, N_COLUMNS };

/* One row; TRUE when it is about S0-082. */
static gboolean check_peak(const CliFolder *f, char **cells, GHashTable *done)
{
    g_autofree char *key = g_strconcat(cells[MACHINE], " ", cells[NODES], NULL);
    if (!g_hash_table_contains(done, key))
        g_hash_table_insert(done, g_strdup(key), analyze_file(f, cells[MACHINE], cells[NODES]));
    double found = analyze_member(g_hash_table_lookup(done, key), cells[MEMBER]);
    double unit = strcmp(cells[UNIT], "Gb/s") == 0 ? 1e9 : 1;
    double expected = g_ascii_strtod(cells[EXPECTED], NULL) * unit;
    double measured = g_ascii_strtod(cells[MEASURED], NULL) * unit;
    if (measured > 0)
        g_test_message("%s %s %s: %g %s, measured %.1f %% of it (%s)", cells[ID], cells[MACHINE],
                       cells[MEMBER], found / unit, cells[UNIT], 100 * measured / found,
                       cells[HOW]);
    g_assert_cmpfloat_with_epsilon(found, expected, 1e-9 * expected);
    if (strcmp(cells[ID], "S0-082") != 0)
        return FALSE;
    g_assert_cmpfloat(measured / found, >=, 0.65);
    g_assert_cmpfloat(measured / found, <=, 0.80);
    return TRUE;
}

/* Every row of validation/sc24-expected-peaks/peaks.csv; see its source.md. */
static void test_peaks(CliFolder *f, gconstpointer unused)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *file = g_build_filename(g_getenv("DARNER_ROOT"), "validation",
                                             "sc24-expected-peaks", "peaks.csv", NULL);
    g_autofree char *text = NULL;
    g_file_get_contents(file, &text, NULL, &error);
    g_assert_no_error(error);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
    g_autoptr(GHashTable)
        done = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    guint ratios = 0;
    for (guint i = 1; lines[i] != NULL; i++) {
        g_auto(GStrv) cells = g_strsplit(lines[i], ",", -1);
        g_assert_cmpuint(g_strv_length(cells), ==, N_COLUMNS);
        ratios += check_peak(f, cells, done);
    }
    g_assert_cmpuint(ratios, ==, 21);
}

static void test_text(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) a = cli_run(f, "analyze", "lumi", "-n", "1");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "4 paths"));
    g_assert_nonnull(strstr(a.out, "gcd1 > gcd5"));
    g_assert_nonnull(strstr(a.out, "100 Gb/s over shortest paths"));
    g_assert_nonnull(strstr(a.out, "600 Gb/s as printed"));
    g_assert_nonnull(strstr(a.out, "800 Gb/s as printed"));
    g_assert_nonnull(strstr(a.out, "of memory"));
    g_auto(CliAnswer) b = cli_run(f, "analyze", "leonardo", "-n", "20", "-r",
                                  "{algorithm: valiant}", "-t", "group_adversarial");
    g_assert_cmpstr(b.err, ==, "");
    g_assert_nonnull(strstr(b.out, "routing valiant, all choices equally"));
    g_assert_nonnull(strstr(b.out, "none: no cycle of channels"));
    g_auto(CliAnswer) d = cli_run(f, "analyze", "h200x4");
    g_assert_nonnull(strstr(d.out, "alltoall, an endpoint  3.825 Tb/s: to the 3 others"));
    g_auto(CliAnswer) c = cli_run(f, "analyze", "leonardo", "-n", "2", "-e", "cpu", "-p", "fixed");
    g_assert_cmpstr(c.err, ==, "");
    g_assert_nonnull(strstr(c.out, "8 endpoints (cpu)"));
}

/* A run's own traffic: GPU 0 of one node sends 1 GB to one of the next; 100 Gb/s wires. */
static void test_run(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml",
              "machine: leonardo\nnodes: 2\njobs:\n  - name: a\n    workload: {type: flows, flows: "
              "[[0, 1]], bytes: 1 GB}\n    ranks: 2\n    placement: [0, 4]\n");
    g_auto(CliAnswer) a = cli_run(f, "analyze", "run.yaml", "--json", "out.json");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_nonnull(strstr(a.out, "no faster than         80 ms"));
    g_autofree char *text = cli_read(f, "out.json");
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    g_assert_cmpfloat_with_epsilon(analyze_member(parser, "traffic.any_paths_time_ps"), 80e9, 1);
    g_assert_cmpfloat_with_epsilon(analyze_member(parser, "traffic.total"), 1e9, 1);
}

static void test_drawing(CliFolder *f, gconstpointer unused)
{
    g_autofree char *dot = g_find_program_in_path("dot");
    if (dot == NULL) {
        g_test_skip("Graphviz' dot is not installed: the drawing is NOT tested");
        return;
    }
    g_auto(CliAnswer) a = cli_run(f, "analyze", "lumi", "-n", "1", "--svg", "node.svg");
    g_assert_cmpstr(a.err, ==, "");
    g_autofree char *svg = cli_read(f, "node.svg");
    g_assert_nonnull(svg);
    g_assert_nonnull(strstr(svg, "gcd7"));
    g_assert_nonnull(strstr(svg, "4 over 2"));
    g_assert_nonnull(strstr(svg, "#b10026")); /* the fullest link's colour */
    g_assert_null(strstr(svg, "cpu0"));
}

static void analyze_fails(const CliFolder *f, const char *const *words, const char *message)
{
    g_auto(CliAnswer) a = cli_run_words(f, words);
    if (strstr(a.err, message) == NULL)
        g_error("'%s' lacks '%s'", a.err, message);
    g_assert_cmpint(a.status, ==, 2);
    g_assert_cmpstr(a.out, ==, "");
}
#define FAILS(message, ...)                                                                        \
    analyze_fails(f, (const char *const[]){"analyze", __VA_ARGS__, NULL}, message)

static void test_errors(CliFolder *f, gconstpointer unused)
{
    FAILS("2 subjects given", "lumi", "alps");
    FAILS("did you mean 'lumi'", "lumy");
    FAILS("--nodes -1", "lumi", "-n", "-1");
    FAILS("--effort 0", "lumi", "--effort", "0");
    FAILS("did you mean 'alltoall'", "h200x4", "-t", "altoall");
    FAILS("unknown --paths 'equall'; did you mean 'equal'", "h200x4", "-p", "equall");
    FAILS("give one", "h200x4", "-p", "equal", "-r", "minimal");
    FAILS("did you mean 'minimal'", "leonardo", "-n", "2", "-r", "minimul");
    FAILS("did you mean '--traffic'", "lumi", "--trafic", "x");
    FAILS("--json", "h200x4", "--json", "/nowhere/x.json");
    cli_write(f, "broken.yaml", "machine: [\n");
    FAILS("broken.yaml:", "./broken.yaml");
    cli_write(f, "run.yaml", "machine: h200x4\njobs:\n  - {name: a, workload: {type: alltoal}}\n");
    FAILS("run.yaml:3:", "run.yaml");
    FAILS("--set machine.endpoints=cpu", "run.yaml", "-e", "cpu");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/analyze/peaks", test_peaks);
    cli_test_add("/analyze/text", test_text);
    cli_test_add("/analyze/run", test_run);
    cli_test_add("/analyze/drawing", test_drawing);
    cli_test_add("/analyze/errors", test_errors);
    return g_test_run();
}
