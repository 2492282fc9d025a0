/* override_test.c - --set, keys nobody read, excerpts for the terminal, and damaged input. */
#include "config/config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/rng.h"

static const char RUN[] = "machine: lumi\n"
                          "packet:\n"
                          "routing: {algorithm: minimal}\n"
                          "jobs:\n"
                          "  - name: a\n"
                          "    workload: pingpong\n"
                          "  - workload: {type: alltoall, bytes: {value: 1 B, source: us}}\n";

static DnConfigNode *run_file(void)
{
    return dn_config_parse(RUN, "run.yaml", NULL);
}

static void override_sets(const char *assignment, const char *key, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = run_file();
    gboolean ok = dn_config_override(root, assignment, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_autofree char *text = dn_config_to_string(dn_config_get(root, key));
    g_assert_cmpstr(text, ==, expected);
}

static void test_set(void)
{
    override_sets("machine=cori", "machine", "cori");
    override_sets(" machine = cori ", "machine", "cori");
    override_sets("seed=7", "seed", "7");
    override_sets("routing.algorithm=valiant", "routing", "algorithm: valiant\n");
    override_sets("routing.bias=3", "routing", "algorithm: minimal\nbias: 3\n");
    override_sets("routing={algorithm: ugal}", "routing", "algorithm: ugal\n");
    override_sets("jobs[0].name=b=c", "jobs",
                  "[{name: \"b=c\", workload: pingpong}, "
                  "{workload: {type: alltoall, bytes: {value: 1 B, source: \"us\"}}}]");
    override_sets("jobs[0]={name: z}", "jobs",
                  "[{name: z}, {workload: {type: alltoall, bytes: {value: 1 B, source: \"us\"}}}]");
    /* a value replaced has lost its source */
    override_sets("jobs[1].workload.bytes=2 B", "jobs",
                  "[{name: a, workload: pingpong}, {workload: {type: alltoall, bytes: 2 B}}]");
    /* absent or empty mappings come into being */
    override_sets("packet.size=4 KiB", "packet", "size: 4 KiB\n");
    override_sets("a.b.c=1", "a", "b: {c: 1}\n");
}

static void test_position(void)
{
    g_autoptr(DnConfigNode) root = run_file();
    g_assert_true(dn_config_override(root, "jobs[1].workload.sizes=[1 B, 2 B]", NULL));
    const DnConfigNode *job = dn_config_get(root, "jobs")->children->pdata[1];
    const DnConfigNode *sizes = dn_config_get(dn_config_get(job, "workload"), "sizes");
    const DnConfigNode *second = sizes->children->pdata[1];
    g_assert_cmpstr(second->file, ==, "--set jobs[1].workload.sizes");
    g_assert_cmpuint(second->line, ==, 1);
    g_assert_cmpuint(second->column, ==, 7);
    g_assert_cmpstr(second->path, ==, "jobs[1].workload.sizes[1]");
}

static void override_refuses(const char *assignment, DnError code, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = run_file();
    g_autofree char *before = dn_config_to_string(root);
    g_assert_false(dn_config_override(root, assignment, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
    g_autofree char *after = dn_config_to_string(root);
    g_assert_cmpstr(after, ==, before); /* nothing half done */
}

/* A machine by its name has keys all the same. */
static void test_machine_by_name(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse("machine: lumi\nseed: 1\n", "r.yaml", &error);
    g_assert_no_error(error);
    g_assert_true(dn_config_override(root, "machine.fabric.groups=3", &error));
    g_assert_true(dn_config_override(root, "machine.nodes=9", &error));
    g_autofree char *text = dn_config_to_string(root);
    g_assert_cmpstr(text, ==, "machine: {name: lumi, fabric: {groups: 3}, nodes: 9}\nseed: 1\n");
}

static void test_set_errors(void)
{
    override_refuses(
        "jobs[0].workload.bytes=1MiB", DN_ERROR_TYPE,
        "--set jobs[0].workload.bytes: cannot set 'jobs[0].workload.bytes': "
        "jobs[0].workload is 'pingpong', which has no keys; set jobs[0].workload={...} whole");
    override_refuses(
        "jobs[2].name=x", DN_ERROR_RANGE,
        "--set jobs[2].name: cannot set 'jobs[2].name': jobs has 2 items, counted from 0");
    override_refuses(
        "jobs[99999999999999999999].name=x", DN_ERROR_RANGE,
        "--set jobs[99999999999999999999].name: "
        "cannot set 'jobs[99999999999999999999].name': jobs has 2 items, counted from 0");
    override_refuses("jobs.name=x", DN_ERROR_TYPE,
                     "--set jobs.name: cannot set 'jobs.name': jobs is a list; "
                     "name an item, like jobs[0].name");
    override_refuses("machine[0]=x", DN_ERROR_TYPE,
                     "--set machine[0]: cannot set 'machine[0]': machine is 'lumi', not a list");
    override_refuses("new[0]=x", DN_ERROR_MISSING,
                     "--set new[0]: cannot set 'new[0]': there is no 'new'; "
                     "there are: machine, packet, routing, jobs");
    override_refuses("packet[0]=x", DN_ERROR_MISSING,
                     "--set packet[0]: cannot set 'packet[0]': packet is empty");
    override_refuses("packet.lanes[0]=x", DN_ERROR_MISSING,
                     "--set packet.lanes[0]: cannot set 'packet.lanes[0]': packet is empty");
    override_refuses("job[0].name=x", DN_ERROR_MISSING,
                     "--set job[0].name: cannot set 'job[0].name': there is no 'job'; "
                     "did you mean 'jobs'? there are: machine, packet, routing, jobs");
    override_refuses("seed", DN_ERROR_SYNTAX,
                     "--set seed: a value is missing; "
                     "wanted: like seed=2 or jobs[0].workload.bytes=1MiB");
    override_refuses("seed= ", DN_ERROR_SYNTAX,
                     "--set seed: a value is missing; "
                     "wanted: like seed=2 or jobs[0].workload.bytes=1MiB");
    override_refuses("seed=null", DN_ERROR_SYNTAX,
                     "--set seed: a value is missing; "
                     "wanted: like seed=2 or jobs[0].workload.bytes=1MiB");
    override_refuses("seed={a: 1", DN_ERROR_SYNTAX,
                     "--set seed:2:1: not YAML: did not find expected ',' or '}' "
                     "(while parsing a flow mapping)");
    override_refuses("a={include: nowhere}", DN_ERROR_FILE,
                     "--set a:1:11: cannot read 'nowhere': No such file or directory");
}

static void test_path_errors(void)
{
    static const char *const BAD[] = {"",     ".a",  "a.",    "a..b",  "[0]", "a[0",
                                      "a[x]", "a[]", "a[-1]", "a[0]b", "a b", "a.[0]"};
    for (guint i = 0; i < G_N_ELEMENTS(BAD); i++) {
        g_autofree char *assignment = g_strconcat(BAD[i], "=1", NULL);
        g_autofree char *message = g_strdup_printf("--set %s: '%s' is not a key path; "
                                                   "wanted: like jobs[0].workload.bytes",
                                                   BAD[i], BAD[i]);
        override_refuses(assignment, DN_ERROR_SYNTAX, message);
    }
    /* 64 levels are allowed in a path as in a file */
    GString *deep = g_string_new("a");
    for (guint i = 0; i < 64; i++)
        g_string_append(deep, ".a");
    g_string_append(deep, "=1");
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = run_file();
    g_assert_false(dn_config_override(root, deep->str, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_string_free(deep, TRUE);
}

static void test_load_with_overrides(void)
{
    g_autofree char *folder = g_dir_make_tmp("darner-override-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "run.yaml", NULL);
    g_assert_true(g_file_set_contents(file, RUN, -1, NULL));
    static const char *const SET[] = {"seed=1", "seed=2", "packet={size: 1 B}", NULL};
    g_autoptr(DnConfigNode) root = dn_config_load(file, SET, NULL);
    g_assert_cmpstr(dn_config_get(root, "seed")->scalar, ==, "2"); /* the last wins */
    static const char *const BAD[] = {"seed=1", "jobs[0].workload.x=2", NULL};
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_config_load(file, BAD, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_TYPE);
    g_remove(file);
    g_rmdir(folder);
}

static void test_consumed(void)
{
    static const char *const KNOWN[] = {"machine", "packet", "routing", "jobs", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode)
        root = dn_config_parse("machine: x\nroutign: {a: 1}\njobs: [{b: 2}]\n", "c.yaml", NULL);
    dn_config_get(root, "machine");
    g_assert_false(dn_config_check_consumed(root, KNOWN, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_UNKNOWN);
    g_assert_cmpstr(error->message, ==,
                    "c.yaml:2:1: unknown key 'routign'; did you mean 'routing'? "
                    "known: machine, packet, routing, jobs");
    g_clear_error(&error);
    dn_config_consume(dn_config_get(root, "routign"));
    dn_config_get(root, "jobs");
    g_assert_false(dn_config_check_consumed(root, KNOWN, &error)); /* inside a list too */
    g_assert_cmpstr(error->message, ==, "c.yaml:3:9: unknown key 'b'");
    g_clear_error(&error);
    g_autoptr(DnConfigNode) copy = dn_config_copy(root);
    dn_config_consume(root);
    g_assert_true(dn_config_check_consumed(root, NULL, &error));
    g_assert_false(dn_config_check_consumed(copy, NULL, NULL)); /* a copy starts unread */
}

static void test_require(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = run_file();
    g_assert_nonnull(dn_config_require(root, "machine", &error));
    g_assert_null(dn_config_require(root, "engine", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_MISSING);
    g_assert_cmpstr(error->message, ==, "run.yaml:1:1: missing key 'engine'");
    g_clear_error(&error);
    const DnConfigNode *jobs = dn_config_get(root, "jobs");
    g_assert_null(dn_config_require(jobs, "engine", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_TYPE);
    g_assert_cmpstr(error->message, ==,
                    "run.yaml:5:3: jobs: a mapping (key: value) is wanted, not a list");
}

static void test_one_line(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = run_file();
    dn_config_error(root, DN_ERROR_TYPE, &error, "%s", "a\nb\033[31m\377");
    g_assert_cmpstr(error->message, ==, "run.yaml:1:1: a\\u000ab\\u001b[31m\357\277\275");
}

static void test_excerpt(void)
{
    g_autofree char *folder = g_dir_make_tmp("darner:1:excerpt-XXXXXX", NULL);
    g_autofree char *file = g_build_filename(folder, "x.yaml", NULL);
    g_assert_true(g_file_set_contents(file, "a: 1\r\nb: caf\303\251 \t?\n\n", -1, NULL));
    const struct {
        const char *rest, *expected;
    } CASES[] = {
        {":1:4: wrong", "    a: 1\n       ^"},
        {":2:9: wrong: 1:1: x", "    b: caf\303\251 \t?\n            ^"},
        {":2:10: wrong", "    b: caf\303\251 \t?\n            \t^"},
        {":1:5: at the end", "    a: 1\n        ^"},
        {":1:6: past the end", NULL},
        {":3:1: an empty line", NULL},
        {":9:1: no such line", NULL},
        {":0:1: no such line", NULL},
        {": no position", NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autofree char *message = g_strconcat(file, CASES[i].rest, NULL);
        g_autofree char *excerpt = dn_config_excerpt(message, NULL);
        g_assert_cmpstr(excerpt, ==, CASES[i].expected);
    }
    g_assert_null(dn_config_excerpt("", NULL));
    g_assert_null(dn_config_excerpt("--set seed: not a file", NULL));
    g_remove(file);
    g_rmdir(folder);
}

static void test_excerpt_of_set(void)
{
    static const char *const SET[] = {"seed=1", " a.b =  {c: 1, d: 2}", "seed = x", NULL};
    g_autofree char *value = dn_config_excerpt("--set a.b:1:8: unknown key 'd'", SET);
    g_assert_cmpstr(value, ==, "    {c: 1, d: 2}\n           ^");
    g_autofree char *last = dn_config_excerpt("--set seed: wrong", SET);
    g_assert_cmpstr(last, ==, "    x\n    ^");
    g_assert_null(dn_config_excerpt("--set a: another key", SET));
}

/* `file:line:column: ` */
static gboolean has_position(const char *message)
{
    return g_regex_match_simple(
        "^(fuzz:[1-9][0-9]*:[1-9][0-9]*|--set [^:]*(:[1-9][0-9]*:[1-9][0-9]*)?): .", message,
        G_REGEX_DOTALL, 0);
}

/* Whatever the bytes: a tree whose text is stable, or an error with a position. */
static void override_survives(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "fuzz", &error);
    if (root == NULL) {
        g_assert_nonnull(error);
        g_assert_true(error->domain == DN_ERROR);
        if (!has_position(error->message))
            g_error("no position in '%s'", error->message);
        return;
    }
    g_autofree char *once = dn_config_to_string(root);
    g_autoptr(DnConfigNode) again = dn_config_parse(once, "again", &error);
    g_assert_no_error(error);
    g_autofree char *twice = dn_config_to_string(again);
    g_assert_cmpstr(twice, ==, once);
}

static void test_damage(void)
{
    enum { ROUNDS = 4000 };
    static const char MARKS[] = "{}[]:,&*!|>'\"%@`#-?\t\n <=";
    g_autofree char *text = g_strconcat(RUN, "x: &a {p: 1}\ny: {<<: *a, q: \"r\\n\"}\n", NULL);
    guint32 length = (guint32)strlen(text);
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0), n = 0;
    for (guint i = 0; i < ROUNDS; i++) {
        g_autofree char *damaged = g_strdup(text);
        guint32 wounds = 1 + dn_draw_below(dn_draw(key, n++), 4);
        for (guint32 w = 0; w < wounds; w++) {
            char *at = &damaged[dn_draw_below(dn_draw(key, n++), length)];
            guint64 bits = dn_draw(key, n++);
            if (bits & 1)
                *at ^= (char)(1 << dn_draw_below(bits, 8));
            else
                *at = MARKS[dn_draw_below(bits, sizeof MARKS - 1)];
        }
        if (i % 8 == 0) /* cut short as well */
            damaged[dn_draw_below(dn_draw(key, n++), length)] = '\0';
        override_survives(damaged);
    }
}

static void test_damaged_set(void)
{
    static const char SET[] = "jobs[1].workload.bytes={value: 1 MiB, source: x}";
    guint64 key = dn_draw_key(2, DN_DRAW_TEST, 0), n = 0;
    for (guint i = 0; i < 2000; i++) {
        g_autofree char *damaged = g_strdup(SET);
        guint64 bits = dn_draw(key, n++);
        damaged[dn_draw_below(bits, sizeof SET - 1)] ^= (char)(1 << (bits & 7));
        g_autoptr(GError) error = NULL;
        g_autoptr(DnConfigNode) root = run_file();
        if (dn_config_override(root, damaged, &error))
            continue;
        g_assert_nonnull(error);
        if (!has_position(error->message) && strchr(damaged, ':') == NULL)
            g_error("no position in '%s'", error->message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/override/set", test_set);
    g_test_add_func("/override/position", test_position);
    g_test_add_func("/override/errors", test_set_errors);
    g_test_add_func("/override/machine-by-name", test_machine_by_name);
    g_test_add_func("/override/path-errors", test_path_errors);
    g_test_add_func("/override/load", test_load_with_overrides);
    g_test_add_func("/override/consumed", test_consumed);
    g_test_add_func("/override/require", test_require);
    g_test_add_func("/override/one-line", test_one_line);
    g_test_add_func("/override/excerpt", test_excerpt);
    g_test_add_func("/override/excerpt-of-set", test_excerpt_of_set);
    g_test_add_func("/override/damaged-text", test_damage);
    g_test_add_func("/override/damaged-set", test_damaged_set);
    return g_test_run();
}
