/* timeline_cli_test.c - `darner run --timeline`: slices that add up, and both formats'
 * structure. */
#include "commands/cli_test.h"
#include <json-glib/json-glib.h>
#include <string.h>

#define PINGPONG                                                                                   \
    CLI_PAIR                                                                                       \
    "jobs:\n  - name: a\n    workload: {type: pingpong, bytes: 16 KiB}\n"                          \
    "    placement: [0, 5]\n    iterations: 3\n"                                                   \
    "    mechanism: {type: basic, t_issue: 1 us}\n"

/* Of the events of @category (NULL: any slice): how long in all, in ps; each inside [0, end]. */
static gint64 total_ps(JsonArray *events, const char *category, guint *n)
{
    double sum_us = 0.0;
    *n = 0;
    for (guint i = 0; i < json_array_get_length(events); i++) {
        JsonObject *e = json_array_get_object_element(events, i);
        if (strcmp(json_object_get_string_member(e, "ph"), "X") != 0 ||
            strcmp(json_object_get_string_member(e, "cat"), category) != 0)
            continue;
        g_assert_cmpfloat(json_object_get_double_member(e, "ts"), >=, 0.0);
        g_assert_cmpfloat(json_object_get_double_member(e, "dur"), >, 0.0);
        sum_us += json_object_get_double_member(e, "dur");
        ++*n;
    }
    return (gint64)(sum_us * 1e6 + 0.5);
}

static guint timeline_named(JsonArray *events, const char *what)
{
    guint n = 0;
    for (guint i = 0; i < json_array_get_length(events); i++) {
        JsonObject *e = json_array_get_object_element(events, i);
        n += strcmp(json_object_get_string_member(e, "name"), what) == 0;
    }
    return n;
}

/* One direction takes 1 us to issue, 240 ns, and 1,638.4 ns for the bytes; three round trips. Each
 * rank has three iterations and issues three times. Six links (three each way) are busy for the
 * bytes three times; nobody waits for credit. Two processes, two ranks, six links have names. */
static void test_chrome(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml", "--timeline");
    cli_assert_silent(&ran);
    g_assert_cmpint(ran.status, ==, 0);
    g_autofree char *text = cli_read(f, "out/pp/timeline.json");
    g_assert_nonnull(text);
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    JsonArray *events = json_object_get_array_member(
        json_node_get_object(json_parser_get_root(parser)), "traceEvents");
    guint n;
    gint64 ps = total_ps(events, "send", &n);
    g_assert_cmpint(ps, ==, 6 * 1000000);
    g_assert_cmpuint(n, ==, 6);
    ps = total_ps(events, "sending", &n);
    g_assert_cmpint(ps, ==, 6 * 3 * 1638400);
    ps = total_ps(events, "stalled", &n);
    g_assert_cmpint(ps, ==, 0);
    ps = total_ps(events, "iteration", &n);
    g_assert_cmpint(ps, >=, 3 * 2 * 2878400);
    g_assert_cmpuint(n, ==, 6);
    ps = total_ps(events, "wait", &n);
    g_assert_cmpint(ps, >, 0);
    g_assert_cmpuint(timeline_named(events, "process_name"), ==, 2);
    g_assert_cmpuint(timeline_named(events, "thread_name"), ==, 2 + 6);
}

/* Three round trips are six messages of 16 KiB; an arrow leaves one rank and ends at the other. */
static void test_arrows(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml", "--timeline=ranks");
    g_assert_cmpint(ran.status, ==, 0);
    g_autofree char *text = cli_read(f, "out/pp/timeline.json");
    g_autoptr(JsonParser) parser = json_parser_new();
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    JsonArray *events = json_object_get_array_member(
        json_node_get_object(json_parser_get_root(parser)), "traceEvents");
    guint n, ends[2] = {0};
    double began_us[2] = {0};
    gint64 began_at = -1, id = -1;
    for (guint i = 0; i < json_array_get_length(events); i++) {
        JsonObject *e = json_array_get_object_element(events, i);
        const char *phase = json_object_get_string_member(e, "ph");
        if (strcmp(phase, "s") != 0 && strcmp(phase, "f") != 0)
            continue;
        gboolean end = *phase == 'f';
        ends[end]++;
        began_us[end] = json_object_get_double_member(e, "ts");
        if (end) {
            g_assert_cmpint(json_object_get_int_member(e, "id"), ==, id);
            g_assert_cmpint(json_object_get_int_member(e, "tid"), !=, began_at);
            g_assert_cmpfloat(began_us[1] - began_us[0], >, 1.6384);
            g_assert_cmpstr(json_object_get_string_member(e, "bp"), ==, "e");
        }
        id = json_object_get_int_member(e, "id");
        began_at = json_object_get_int_member(e, "tid");
        g_assert_cmpint(
            json_object_get_int_member(json_object_get_object_member(e, "args"), "bytes"), ==,
            16384);
    }
    g_assert_cmpuint(ends[0], ==, 6);
    g_assert_cmpuint(ends[1], ==, 6);
    total_ps(events, "sending", &n);
    g_assert_cmpuint(n, ==, 0); /* links were not asked for */
    total_ps(events, "send", &n);
    g_assert_cmpuint(n, ==, 6);
}

/* Links alone, and a part that is none. */
static void test_parts(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml", "--timeline=links");
    g_assert_cmpint(ran.status, ==, 0);
    g_autofree char *text = cli_read(f, "out/pp/timeline.json");
    g_assert_nonnull(strstr(text, "\"cat\":\"sending\""));
    g_assert_null(strstr(text, "\"cat\":\"send\""));
    g_assert_null(strstr(text, "\"ph\":\"s\""));
    g_auto(CliAnswer) bad = cli_run(f, "run", "pp.yaml", "--timeline=link");
    g_assert_cmpint(bad.status, ==, 2);
    g_assert_nonnull(strstr(bad.err, "--timeline: unknown part 'link'; did you mean 'links'? "
                                     "known: ranks, links, all"));
}

/* Every line is one of the defined events with its number of fields; time does not run backward;
 * what is pushed is popped; containers come before their states. */
static void test_paje(CliFolder *f, gconstpointer unused)
{
    static const guint fields[10] = {4, 4, 5, 6, 4, 5, 4, 6, 7, 7};
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) ran = cli_run(f, "run", "pp.yaml", "--timeline", "-q");
    g_assert_cmpint(ran.status, ==, 0);
    g_autofree char *text = cli_read(f, "out/pp/timeline.paje");
    g_assert_nonnull(text);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GHashTable) depth = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    double last = 0.0;
    guint definitions = 0, states = 0, messages = 0;
    for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++) {
        definitions += g_str_has_prefix(lines[i], "%EventDef Paje");
        if (lines[i][0] == '%')
            continue;
        char **words;
        g_assert_true(g_shell_parse_argv(lines[i], NULL, &words, NULL));
        g_ptr_array_add(kept, words);
        guint kind = (guint)(words[0][0] - '0');
        g_assert_cmpuint(g_strv_length(words), ==, fields[kind % 10]);
        if (kind == 3)
            g_hash_table_insert(depth, words[2], GINT_TO_POINTER(1));
        if (kind < 5 || kind == 7)
            continue;
        double now = g_ascii_strtod(words[1], NULL);
        g_assert_cmpfloat(now, >=, last);
        last = now;
        messages += kind == 8;
        if (kind > 6) {
            g_assert_true(g_hash_table_contains(depth, words[4]));
            continue;
        }
        gint at = GPOINTER_TO_INT(g_hash_table_lookup(depth, words[3]));
        g_assert_cmpint(at, >=, kind == 5 ? 1 : 2);
        g_hash_table_insert(depth, words[3], GINT_TO_POINTER(kind == 5 ? at + 1 : at - 1));
        states++;
    }
    g_assert_cmpuint(definitions, ==, 10);
    g_assert_cmpuint(messages, ==, 6);
    g_assert_cmpuint(states, >, 20);
    GHashTableIter iter;
    gpointer at;
    g_hash_table_iter_init(&iter, depth);
    while (g_hash_table_iter_next(&iter, NULL, &at))
        g_assert_cmpint(GPOINTER_TO_INT(at), ==, 1);
}

/* Results are those of a run that nobody looks at; two threads change nothing; what an older run
 * showed leaves the folder. */
static void test_same(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG);
    g_auto(CliAnswer) looked = cli_run(f, "run", "pp.yaml", "--timeline", "-o", "a");
    g_auto(CliAnswer) twice = cli_run(f, "run", "pp.yaml", "--timeline", "-o", "b", "-t", "2");
    g_autofree char *first = cli_read(f, "a/timeline.json");
    g_autofree char *second = cli_read(f, "b/timeline.json");
    g_assert_cmpstr(first, ==, second);
    g_autofree char *with = cli_read(f, "a/results.csv");
    g_auto(CliAnswer) plain = cli_run(f, "run", "pp.yaml", "-o", "a");
    g_autofree char *without = cli_read(f, "a/results.csv");
    g_assert_cmpint(looked.status | twice.status | plain.status, ==, 0);
    g_assert_cmpstr(with, ==, without);
    g_assert_false(cli_exists(f, "a/timeline.json"));
    g_assert_false(cli_exists(f, "a/timeline.paje"));
}

/* Each point of a sweep has its own, said so at the end; a run of one point leaves none of them. */
static void test_points(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "pp.yaml", PINGPONG "sweep: {seed: [1, 2]}\n");
    g_auto(CliAnswer) two = cli_run(f, "run", "pp.yaml", "--timeline", "-o", "a");
    g_assert_nonnull(strstr(two.out, " timeline-*.json timeline-*.paje\n"));
    g_assert_true(cli_exists(f, "a/timeline-1.json"));
    cli_write(f, "a/timeline-of-mine.json", "{}\n");
    g_auto(CliAnswer)
        one = cli_run(f, "run", "pp.yaml", "--timeline", "-o", "a", "--set", "seed=1");
    g_assert_nonnull(strstr(one.out, " timeline.json timeline.paje\n"));
    g_assert_cmpint(two.status | one.status, ==, 0);
    g_assert_true(cli_exists(f, "a/timeline.paje"));
    g_assert_false(cli_exists(f, "a/timeline-0.paje"));
    g_assert_false(cli_exists(f, "a/timeline-1.json"));
    g_assert_true(cli_exists(f, "a/timeline-of-mine.json"));
}

static void test_refused(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "bound.yaml", PINGPONG "engine: bound\n");
    g_auto(CliAnswer) answer = cli_run(f, "run", "bound.yaml", "--timeline");
    g_assert_cmpint(answer.status, ==, 2);
    g_assert_nonnull(strstr(answer.err, "only the packet engine has one"));
    cli_write(f, "sweep.yaml", PINGPONG "sweep: {engine: [packet, bound]}\n");
    g_auto(CliAnswer) sweep = cli_run(f, "run", "sweep.yaml", "--timeline");
    g_assert_cmpint(sweep.status, ==, 2);
    g_assert_nonnull(strstr(sweep.err, "this run is for engine bound"));
    g_assert_false(cli_exists(f, "out")); /* before the first point runs */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/timeline/chrome", test_chrome);
    cli_test_add("/timeline/paje", test_paje);
    cli_test_add("/timeline/arrows", test_arrows);
    cli_test_add("/timeline/parts", test_parts);
    cli_test_add("/timeline/same", test_same);
    cli_test_add("/timeline/points", test_points);
    cli_test_add("/timeline/refused", test_refused);
    return g_test_run();
}
