/* params_test.c - typed values through a table: every type, default, range and refusal. */
#include "config/params.h"
#include "config/run_spec.h"

#include <string.h>

static const char *const COLOURS[] = {"absolute", "relative", "circulant", NULL};

static const DnParamSpec SPECS[] = {
    {"count", DN_PARAM_INT, "3", 1, 10, NULL, "how many"},
    {"any", DN_PARAM_INT, "", 0, 0, NULL, NULL},
    {"up", DN_PARAM_INT, "0", 5, -1, NULL, "at least 5 when given"},
    {"share", DN_PARAM_REAL, "50 %", 0, 1, NULL, NULL},
    {"on", DN_PARAM_BOOL, "yes", 0, 0, NULL, NULL},
    {"title", DN_PARAM_STRING, "", 0, 0, NULL, NULL},
    {"order", DN_PARAM_CHOICE, "relative", 0, 0, COLOURS, NULL},
    {"size", DN_PARAM_BYTES, "4 KiB", 1, 1 << 20, NULL, "payload"},
    {"delay", DN_PARAM_TIME, "350 ns", 0, 0, NULL, NULL},
    {"rate", DN_PARAM_RATE, "", 1e9, 400e9, NULL, NULL},
    {"messages", DN_PARAM_PER_SECOND, "1.5 M/s", 0, 0, NULL, NULL},
    {"cable", DN_PARAM_LENGTH, "30 cm", 0.1, 100, NULL, NULL},
    {"dims", DN_PARAM_INT_LIST, "[4, 2]", 1, 64, NULL, NULL},
    {"wrap", DN_PARAM_BOOL_LIST, "[]", 0, 0, NULL, NULL},
    {"sub", DN_PARAM_NODE, "", 0, 0, NULL, NULL},
    {0},
};

static const DnParamSpec NEEDED[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 0, NULL, "message size, e.g. 1 MiB"},
    {0},
};

static const char *const TYPE[] = {"type", NULL};

static DnParams *read_text(const char *text, const DnParamSpec *specs, DnConfigNode **root)
{
    g_autoptr(GError) error = NULL;
    *root = dn_config_parse(text, "p.yaml", &error);
    g_assert_no_error(error);
    DnParams *params = dn_params_read(*root, specs, TYPE, &error);
    g_assert_no_error(error);
    return params;
}

static void test_defaults(void)
{
    g_autoptr(DnParams) p = dn_params_read(NULL, SPECS, NULL, NULL);
    g_assert_nonnull(p);
    guint n = 99;
    g_assert_cmpint(dn_params_int(p, "count"), ==, 3);
    g_assert_cmpint(dn_params_int(p, "up"), ==, 0); /* outside its range: automatic */
    g_assert_cmpfloat(dn_params_real(p, "share"), ==, 0.5);
    g_assert_true(dn_params_bool(p, "on"));
    g_assert_cmpint(dn_params_int(p, "order"), ==, 1);
    g_assert_cmpstr(dn_params_string(p, "order"), ==, "relative");
    g_assert_cmpint(dn_params_int(p, "size"), ==, 4096);
    g_assert_cmpint(dn_params_int(p, "delay"), ==, 350000); /* ps */
    g_assert_cmpfloat(dn_params_real(p, "messages"), ==, 1.5e6);
    g_assert_cmpfloat(dn_params_real(p, "cable"), ==, 0.3);
    const gint64 *dims = dn_params_list(p, "dims", &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpint(dims[0], ==, 4);
    g_assert_cmpint(dims[1], ==, 2);
    dn_params_list(p, "wrap", &n);
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(dn_params_has(p, "wrap"));
    g_assert_true(dn_params_has(p, "count"));
    g_assert_false(dn_params_given(p, "count"));
    g_assert_false(dn_params_has(p, "any"));
    g_assert_false(dn_params_has(p, "rate"));
    g_assert_cmpint(dn_params_int(p, "rate"), ==, 0);
    g_assert_null(dn_params_string(p, "title"));
    g_assert_null(dn_params_node(p, "sub"));
    g_assert_null(dn_params_node(p, "count"));
}

static void test_given(void)
{
    g_autoptr(DnConfigNode) root = NULL;
    g_autoptr(DnParams)
        p = read_text("{type: x, count: 10, any: -9223372036854775808, up: 9223372036854775807, "
                      "share: 1, on: Off, title: \"5\", order: circulant, size: 1 MiB, "
                      "delay: {value: 2.5 us, source: us}, rate: 25 GB/s, messages: 0, "
                      "cable: 100 m, dims: [64], wrap: [on, false], sub: {a: 1}}",
                      SPECS, &root);
    guint n = 0;
    g_assert_cmpint(dn_params_int(p, "count"), ==, 10);
    g_assert_cmpint(dn_params_int(p, "any"), ==, G_MININT64);
    g_assert_cmpint(dn_params_int(p, "up"), ==, G_MAXINT64);
    g_assert_cmpfloat(dn_params_real(p, "share"), ==, 1);
    g_assert_false(dn_params_bool(p, "on"));
    g_assert_cmpstr(dn_params_string(p, "title"), ==, "5");
    g_assert_cmpint(dn_params_int(p, "order"), ==, 2);
    g_assert_cmpint(dn_params_int(p, "size"), ==, 1048576);
    g_assert_cmpint(dn_params_int(p, "delay"), ==, 2500000);
    g_assert_cmpint(dn_params_int(p, "rate"), ==, G_GINT64_CONSTANT(200000000000)); /* bit/s */
    g_assert_cmpfloat(dn_params_real(p, "messages"), ==, 0);
    const gint64 *wrap = dn_params_list(p, "wrap", &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpint(wrap[0], ==, 1);
    g_assert_cmpint(wrap[1], ==, 0);
    g_assert_true(dn_params_given(p, "count"));
    g_assert_cmpstr(dn_params_node(p, "delay")->source, ==, "us");
    const DnConfigNode *sub = dn_params_node(p, "sub");
    g_assert_true(sub->consumed);
    g_assert_false(((DnConfigNode *)sub->children->pdata[0])->consumed); /* handed on unread */
    dn_config_get(sub, "a");
    g_autoptr(GError) error = NULL;
    g_assert_false(dn_config_check_consumed(root, TYPE, &error)); /* type: is another's */
    g_assert_cmpstr(error->message, ==, "p.yaml:1:2: key 'type' has no effect here");
    dn_config_get(root, "type");
    g_assert_true(dn_config_check_consumed(root, TYPE, NULL));
}

/* Remarks that the caller lets pass need no reader; other keys that it lets pass do. */
static void test_remarks(void)
{
    static const DnParamSpec none[] = {{0}};
    static const char *const ignore[] = {"type", "source", "assumed", "description", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root =
        dn_config_parse("{source: a, assumed: b, description: c, type: d}", "p.yaml", &error);
    g_autoptr(DnParams) p = dn_params_read(root, none, ignore, &error);
    g_assert_no_error(error);
    g_assert_false(dn_config_check_consumed(root, TYPE, &error));
    g_assert_cmpstr(error->message, ==, "p.yaml:1:41: key 'type' has no effect here");
    g_clear_error(&error);
    g_assert_null(dn_params_read(root, none, TYPE, &error));
    g_assert_cmpstr(error->message, ==, "p.yaml:1:2: unknown key 'source'; known: type");
}

static void refuses_with(const char *text, const DnParamSpec *specs, DnError code,
                         const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "p.yaml", &error);
    g_assert_no_error(error);
    g_assert_null(dn_params_read(root, specs, TYPE, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
}

static void params_refuses(const char *text, DnError code, const char *message)
{
    refuses_with(text, SPECS, code, message);
}

static void test_keys(void)
{
    params_refuses(
        "a: 1", DN_ERROR_UNKNOWN,
        "p.yaml:1:1: unknown key 'a'; known: type, count, any, up, share, on, title, order, "
        "size, delay, rate, messages, cable, dims, wrap, sub");
    params_refuses(
        "count: 1\ndaley: 1 ns", DN_ERROR_UNKNOWN,
        "p.yaml:2:1: unknown key 'daley'; did you mean 'delay'? known: type, count, any, up, "
        "share, on, title, order, size, delay, rate, messages, cable, dims, wrap, sub");
    /* a misspelt required key is unknown first, missing second */
    refuses_with("byte: 1 MiB", NEEDED, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'byte'; did you mean 'bytes'? known: type, bytes");
    refuses_with("{type: x}", NEEDED, DN_ERROR_MISSING,
                 "p.yaml:1:1: missing key 'bytes': message size, e.g. 1 MiB");
    refuses_with("bytes:", NEEDED, DN_ERROR_MISSING,
                 "p.yaml:1:7: bytes: a value is missing; it is: message size, e.g. 1 MiB");
    params_refuses("[1]", DN_ERROR_TYPE,
                   "p.yaml:1:1: a mapping (key: value) is wanted, not a list");
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_params_read(NULL, NEEDED, NULL, &error)); /* nowhere to point at */
    g_assert_cmpstr(error->message, ==, "missing key 'bytes': message size, e.g. 1 MiB");
}

static void test_numbers(void)
{
    params_refuses("count: 0", DN_ERROR_RANGE,
                   "p.yaml:1:8: count: '0' is out of range; allowed: 1 to 10");
    params_refuses("count: 11", DN_ERROR_RANGE,
                   "p.yaml:1:8: count: '11' is out of range; allowed: 1 to 10");
    params_refuses("count: 99999999999999999999", DN_ERROR_RANGE,
                   "p.yaml:1:8: count: '99999999999999999999' is out of range; allowed: 1 to 10");
    params_refuses("any: 99999999999999999999", DN_ERROR_RANGE,
                   "p.yaml:1:6: any: '99999999999999999999' is out of range; "
                   "allowed: -9223372036854775808 to 9223372036854775807");
    params_refuses("any: -99999999999999999999", DN_ERROR_RANGE,
                   "p.yaml:1:6: any: '-99999999999999999999' is out of range; "
                   "allowed: -9223372036854775808 to 9223372036854775807");
    params_refuses("up: 4", DN_ERROR_RANGE,
                   "p.yaml:1:5: up: '4' is out of range; allowed: at least 5");
    params_refuses("up: 9223372036854775808", DN_ERROR_RANGE,
                   "p.yaml:1:5: up: '9223372036854775808' is out of range; "
                   "allowed: 5 to 9223372036854775807");
    static const char *const NOT_WHOLE[] = {"x", "1.5", "1e3", "0x10", "1_000", "5 B", "--1", "+"};
    for (guint i = 0; i < G_N_ELEMENTS(NOT_WHOLE); i++) {
        g_autofree char *text = g_strconcat("count: ", NOT_WHOLE[i], NULL);
        g_autofree char *message =
            g_strdup_printf("p.yaml:1:8: count: a whole number is wanted, not '%s'", NOT_WHOLE[i]);
        params_refuses(text, DN_ERROR_TYPE, message);
    }
    params_refuses("count: '3'", DN_ERROR_TYPE,
                   "p.yaml:1:8: count: a whole number is wanted, not '3' in quotes");
    params_refuses("share: 1.01", DN_ERROR_RANGE,
                   "p.yaml:1:8: share: '1.01' is out of range; allowed: 0 to 1");
    params_refuses("share: 120 %", DN_ERROR_RANGE,
                   "p.yaml:1:8: share: '120 %' is out of range; allowed: 0 to 1");
    params_refuses("share: \"0.5\"", DN_ERROR_TYPE,
                   "p.yaml:1:8: share: a number is wanted, not '0.5' in quotes");
    params_refuses("share: '80 %'", DN_ERROR_TYPE,
                   "p.yaml:1:8: share: a number is wanted, not '80 %' in quotes");
    params_refuses("share: much", DN_ERROR_SYNTAX, "p.yaml:1:8: share: 'much' is not a number");
    params_refuses("share: 5 ns", DN_ERROR_UNIT,
                   "p.yaml:1:8: share: '5 ns': a plain number is wanted, without a unit");
}

static void test_words(void)
{
    params_refuses(
        "on: maybe", DN_ERROR_TYPE,
        "p.yaml:1:5: on: 'maybe' is not a truth value; allowed: true, false, yes, no, on, off");
    params_refuses("on: 'yes'", DN_ERROR_TYPE,
                   "p.yaml:1:5: on: 'yes' in quotes is not a truth value; "
                   "allowed: true, false, yes, no, on, off");
    params_refuses("order: realtive", DN_ERROR_UNKNOWN,
                   "p.yaml:1:8: unknown order 'realtive'; did you mean 'relative'? "
                   "allowed: absolute, relative, circulant");
    params_refuses("order: Absolute", DN_ERROR_UNKNOWN,
                   "p.yaml:1:8: unknown order 'Absolute'; did you mean 'absolute'? "
                   "allowed: absolute, relative, circulant");
    params_refuses("order: blue", DN_ERROR_UNKNOWN,
                   "p.yaml:1:8: unknown order 'blue'; allowed: absolute, relative, circulant");
    params_refuses("title: [a]", DN_ERROR_TYPE,
                   "p.yaml:1:8: title: a single value is wanted, not a list");
    params_refuses("title: ''", DN_ERROR_MISSING, "p.yaml:1:8: title: a value is missing");
}

static void test_quantities(void)
{
    params_refuses("size: 5", DN_ERROR_UNIT,
                   "p.yaml:1:7: size: '5' has no unit: a size is wanted; "
                   "allowed: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB");
    params_refuses("size: 2 MiB", DN_ERROR_RANGE,
                   "p.yaml:1:7: size: '2 MiB' is out of range; allowed: 1 B to 1 MiB");
    params_refuses("size: 0", DN_ERROR_RANGE,
                   "p.yaml:1:7: size: '0' is out of range; allowed: 1 B to 1 MiB");
    params_refuses("size: 1.5 B", DN_ERROR_RANGE,
                   "p.yaml:1:7: size: '1.5 B' is not a whole number of bytes");
    params_refuses("delay: 10 Gb/s", DN_ERROR_UNIT,
                   "p.yaml:1:8: delay: '10 Gb/s' is a rate where a time is wanted; "
                   "allowed: ps, ns, us, ms, s");
    params_refuses("delay: -1 ns", DN_ERROR_RANGE,
                   "p.yaml:1:8: delay: '-1 ns' is out of range; allowed: at least 0 s");
    params_refuses("delay: 1e8 s", DN_ERROR_RANGE, /* 1e20 ps > 2^63 - 1 = 9.22e18 ps */
                   "p.yaml:1:8: delay: '1e8 s' is out of range; allowed: at most 9223372 s");
    params_refuses("rate: 100 MB/s", DN_ERROR_RANGE,
                   "p.yaml:1:7: rate: '100 MB/s' is out of range; allowed: 1 Gb/s to 400 Gb/s");
    params_refuses("messages: -1 /s", DN_ERROR_RANGE,
                   "p.yaml:1:11: messages: '-1 /s' is out of range; allowed: at least 0 /s");
    params_refuses("cable: 1 km", DN_ERROR_RANGE,
                   "p.yaml:1:8: cable: '1 km' is out of range; allowed: 10 cm to 100 m");
    params_refuses("cable: {a: 1}", DN_ERROR_TYPE,
                   "p.yaml:1:8: cable: a single value is wanted, not a mapping");
}

static void test_lists(void)
{
    params_refuses("dims: 4", DN_ERROR_TYPE,
                   "p.yaml:1:7: dims: a list ([a, b]) is wanted, not '4'");
    params_refuses("dims: [4, 0]", DN_ERROR_RANGE,
                   "p.yaml:1:11: dims: '0' is out of range; allowed: 1 to 64");
    params_refuses("dims: [4, [1]]", DN_ERROR_TYPE,
                   "p.yaml:1:11: dims[1]: a single value is wanted, not a list");
    params_refuses("dims: [4, ~]", DN_ERROR_MISSING, "p.yaml:1:11: dims: a value is missing");
    params_refuses("wrap: [yes, 2]", DN_ERROR_TYPE,
                   "p.yaml:1:13: wrap: '2' is not a truth value; "
                   "allowed: true, false, yes, no, on, off");
}

/* 1.1 kB is 1100.0000000000002 in a double; a time is rounded to the picosecond. */
static void test_rounding(void)
{
    g_autoptr(DnConfigNode) root = NULL;
    g_autoptr(DnParams) p = read_text("{size: 1.1 kB, delay: 0.1234 ns}", SPECS, &root);
    g_assert_cmpint(dn_params_int(p, "size"), ==, 1100);
    g_assert_cmpint(dn_params_int(p, "delay"), ==, 123);
}

static void test_error_place(void)
{
    DnConfigNode *root = NULL;
    g_autoptr(DnParams) p = read_text("# one\ncount: 4\n", SPECS, &root);
    dn_config_free(root); /* the place outlives the tree */
    g_autoptr(GError) error = NULL;
    dn_params_error(p, "count", DN_ERROR_RANGE, &error, "%d is odd", 4);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_cmpstr(error->message, ==, "p.yaml:2:8: 4 is odd");
    g_clear_error(&error);
    dn_params_error(p, "size", DN_ERROR_RANGE, &error, "too small"); /* defaulted: the mapping */
    g_assert_cmpstr(error->message, ==, "p.yaml:2:1: too small");
    g_clear_error(&error);
    g_autoptr(DnParams) none = dn_params_read(NULL, SPECS, NULL, NULL);
    dn_params_error(none, "size", DN_ERROR_RANGE, &error, "too small");
    g_assert_cmpstr(error->message, ==, "too small");
}

static void test_single(void)
{
    static const DnParamSpec TIME = {"time", DN_PARAM_TIME, NULL, 1, 1e6, NULL, NULL};
    static const DnParamSpec CABLE = {"cable", DN_PARAM_LENGTH, NULL, 0, 0, NULL, NULL};
    gint64 whole = 0;
    double real = 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) time = dn_config_parse("5 ns", "s", NULL);
    g_assert_true(dn_param_parse(time, &TIME, &whole, NULL, NULL));
    g_assert_cmpint(whole, ==, 5000);
    g_assert_false(dn_param_parse(time, &CABLE, NULL, &real, &error));
    g_assert_cmpstr(error->message, ==,
                    "s:1:1: cable: '5 ns' is a time where a length is wanted; "
                    "allowed: mm, cm, m, km");
    g_autoptr(DnConfigNode) length = dn_config_parse("2 m", "s", NULL);
    g_assert_true(dn_param_parse(length, &CABLE, NULL, &real, NULL));
    g_assert_cmpfloat(real, ==, 2);
}

/* Bugs of ours, not input: they stop the program. */
static void test_misuse(void)
{
    if (g_test_subprocess()) {
        g_autoptr(DnParams) p = dn_params_read(NULL, SPECS, NULL, NULL);
        dn_params_real(p, "count"); /* a whole number */
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*assertion failed*");
}

/* A key of another mapping of a run file, or another tool's word. */
static void test_misplaced(void)
{
    refuses_with("nodes: 2", dn_job_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'nodes' here; a job takes `ranks`, `ranks_per_node` of a "
                 "node, where `placement` says; `nodes` at the top level leaves the machine so "
                 "many");
    refuses_with("ppn: 2", dn_job_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'ppn' here; `ranks_per_node` is that");
    refuses_with("bytes: 2 B", dn_job_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'bytes' here; it stands in `workload: {...}`");
    refuses_with("seed: 2", dn_job_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'seed' here; it is a key of the top level of the file");
    refuses_with("noise: {}", dn_run_spec_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'noise' here; it is a key of an item of `jobs:`");
    refuses_with("iteration: 2", dn_run_spec_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'iteration' here; did you mean 'iterations'? it is a key "
                 "of an item of `jobs:`");
    refuses_with("ppnn: 2", dn_job_keys, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'ppnn' here; did you mean 'ppn'? `ranks_per_node` is "
                 "that");
    refuses_with("sed: 2", NEEDED, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'sed'; known: type, bytes");
    refuses_with("seed: 2", NEEDED, DN_ERROR_UNKNOWN,
                 "p.yaml:1:1: unknown key 'seed'; known: type, bytes");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/params/defaults", test_defaults);
    g_test_add_func("/params/given", test_given);
    g_test_add_func("/params/keys", test_keys);
    g_test_add_func("/params/remarks", test_remarks);
    g_test_add_func("/params/numbers", test_numbers);
    g_test_add_func("/params/words", test_words);
    g_test_add_func("/params/quantities", test_quantities);
    g_test_add_func("/params/lists", test_lists);
    g_test_add_func("/params/rounding", test_rounding);
    g_test_add_func("/params/error-place", test_error_place);
    g_test_add_func("/params/single", test_single);
    g_test_add_func("/params/misuse", test_misuse);
    g_test_add_func("/params/misplaced", test_misplaced);
    return g_test_run();
}
