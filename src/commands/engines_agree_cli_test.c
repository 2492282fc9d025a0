/* engines_agree_cli_test.c - packet against flow, and both against the bound, for every algorithm
 * of every collective on every kind of machine, 4 MiB.
 *
 * Where nothing but sharing limits a run the two are ways to one number: within 5 %, and never
 * better than the bound. The quick half is one machine; all of them: `engines_agree_test -m slow`.
 * What is further apart is listed below, held to what was found (up to the next 0.5 %), with its
 * cause and what showed it. In all of them ranks wait for each other step by step or segment by
 * segment, and messages that meet on a link are shared out otherwise:
 *
 * SHARES: flow gives every message on a link the same, the packet engine serves the oldest packet,
 *   by which each *source* has what the buffers hold of it (Little's law, as in packet_test.c's
 *   parking lot). Beside a row: how far apart they were when a link served messages evenly instead
 *   (fair queueing by message and port, a change of the engine that was not kept).
 * BUFFERS: buffers decide, which flow has not. With those in `with` they are `shown` apart. (alps,
 *   kary_tree: 1,489 us with 8 KiB at the terminals, 1,057 with 128, 997 with 1 MiB at terminals
 *   and between switches; flow says 895 to all.)
 * DRIFT: ranks that end a step early begin the next among others' last messages, and small
 *   differences grow. With a size near 4 MiB, in `with`, they are `shown` apart: packet's time per
 *   byte moves by so much with the size alone, flow's does not.
 * Responses are off (window: 0), and congestion control with them, since only the packet engine has
 * them; paths are minimal, as adaptive ones are of each engine's own. */
#include "commands/cli_test.h"
#include "workload/collective.h"

#include <string.h>

typedef struct {
    const char *machine;
    guint nodes;
} Machine;

static const Machine machines[] = {
    {"h200x4", 1},     {"lumi", 1},      {"lumi", 2},     {"frontier", 1},
    {"alps", 4},       {"leonardo", 2},  {"tuolumne", 2}, {"dgx-a100-4", 4},
    {"apenet-4x2", 8}, {"piz-daint", 8}, {"cori", 8},
};

typedef enum { SHARES, BUFFERS, DRIFT } Cause;

#define LINKS(buffers) "fabric: {links: {" buffers "}}"
#define TERMINALS(size) LINKS("terminal: {buffer: " size "}")
#define SWITCHES(size) LINKS("terminal: {buffer: " size "}, local: {buffer: " size "}")
#define XGMI(size) "node: {links: {xgmi: {buffer: " size "}}}"
#define NVLINK(size) "node: {links: {nvlink: {buffer: " size "}}}"

/* Flow over packet, less one. */
static const struct {
    const char *machine;
    guint nodes;
    DnCollKind kind;
    const char *algorithm;
    double percent; /* at most, either way */
    Cause cause;
    const char *with; /* keys of the machine, or a size */
    double shown;     /* percent */
} apart[] = {
    {"h200x4", 1, DN_COLL_ALLREDUCE, "nccl_tree", 9.5, SHARES, NULL, 0}, /* eight chunks at once */
    {"h200x4", 1, DN_COLL_ALLTOALL, "sendrecv_replace", 7.5, BUFFERS, NVLINK("256 KiB"), 0.6},
    {"lumi", 1, DN_COLL_BCAST, "split_binary_tree", 5.5, SHARES, NULL, 0}, /* 0.0 */
    {"lumi", 1, DN_COLL_REDUCE_SCATTER, "pairwise", 8.0, BUFFERS, XGMI("64 KiB"), 4.1},
    {"lumi", 2, DN_COLL_ALLREDUCE, "kary_tree", 10.0, BUFFERS, SWITCHES("1 MiB"), 19.8},
    {"lumi", 2, DN_COLL_ALLREDUCE, "nccl_tree", 10.5, SHARES, NULL, 0}, /* 1.2 */
    {"lumi", 2, DN_COLL_ALLTOALL, "grouped_pxn", 11.5, BUFFERS, SWITCHES("1 MiB"), 4.6},
    {"lumi", 2, DN_COLL_BCAST, "pipeline", 6.0, SHARES, NULL, 0},              /* 2.0 */
    {"lumi", 2, DN_COLL_BCAST, "split_binary_tree", 7.5, SHARES, NULL, 0},     /* 0.4 */
    {"lumi", 2, DN_COLL_REDUCE, "pipeline", 5.5, SHARES, NULL, 0},             /* 0.7 */
    {"frontier", 1, DN_COLL_BCAST, "split_binary_tree", 5.5, SHARES, NULL, 0}, /* 0.0 */
    {"frontier", 1, DN_COLL_REDUCE_SCATTER, "pairwise", 8.0, BUFFERS, XGMI("64 KiB"), 4.1},
    {"alps", 4, DN_COLL_ALLREDUCE, "kary_tree", 15.5, BUFFERS, SWITCHES("1 MiB"), 10.2},
    {"alps", 4, DN_COLL_ALLREDUCE, "nccl_tree", 14.5, DRIFT, "4016 KiB", 3.2},
    {"leonardo", 2, DN_COLL_ALLREDUCE, "nccl_tree", 5.5, SHARES, NULL, 0}, /* 1.1 */
    {"leonardo", 2, DN_COLL_REDUCE_SCATTER, "pairwise", 5.5, BUFFERS, TERMINALS("16 KiB"), 0.6},
    {"tuolumne", 2, DN_COLL_ALLREDUCE, "kary_tree", 16.0, BUFFERS, SWITCHES("1 MiB"), 13.1},
    {"tuolumne", 2, DN_COLL_BCAST, "scatter_allgather", 5.5, BUFFERS, TERMINALS("1 MiB"), 0.0},
    {"tuolumne", 2, DN_COLL_SCAN, "recursive_doubling", 6.5, SHARES, NULL, 0}, /* 2.4 */
    {"dgx-a100-4", 4, DN_COLL_ALLREDUCE, "nccl_tree", 7.5, SHARES, NULL, 0},   /* 2.6 */
    {"dgx-a100-4", 4, DN_COLL_ALLTOALL, "pairwise", 5.5, DRIFT, "4160 KiB", 3.0},
    {"dgx-a100-4", 4, DN_COLL_REDUCE_SCATTER, "pairwise", 8.0, SHARES, NULL, 0}, /* 4.7 */
    {"apenet-4x2", 8, DN_COLL_ALLGATHER, "bruck", 7.5, SHARES, NULL, 0},         /* 2.7 */
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "double_binary_tree", 8.0, BUFFERS,
     LINKS("link: {buffer: 1 MiB}"), 5.8},
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "kary_tree", 18.0, BUFFERS, TERMINALS("8 KiB"), 44.8},
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "recursive_doubling", 5.5, DRIFT, "4112 KiB", 2.3},
    {"apenet-4x2", 8, DN_COLL_ALLTOALL, "bruck", 5.5, SHARES, NULL, 0},     /* 2.4 */
    {"apenet-4x2", 8, DN_COLL_ALLTOALL, "pairwise", 10.5, SHARES, NULL, 0}, /* 3.5 */
    {"apenet-4x2", 8, DN_COLL_ALLTOALL, "xor", 10.0, SHARES, NULL, 0},      /* 6.5 */
    {"apenet-4x2", 8, DN_COLL_BCAST, "pipeline", 7.5, SHARES, NULL, 0},     /* 2.2 */
    {"apenet-4x2", 8, DN_COLL_REDUCE, "pipeline", 7.5, SHARES, NULL, 0},    /* 2.2 */
    {"apenet-4x2", 8, DN_COLL_REDUCE_SCATTER, "pairwise", 9.0, DRIFT, "4128 KiB", 5.1},
    {"piz-daint", 8, DN_COLL_BCAST, "split_binary_tree", 13.5, SHARES, NULL, 0}, /* 0.2 */
    {"cori", 8, DN_COLL_BCAST, "split_binary_tree", 13.5, SHARES, NULL, 0},      /* 0.2 */
};

static double allowed_percent(const Machine *m, const DnCollAlgorithm *a)
{
    for (guint i = 0; i < G_N_ELEMENTS(apart); i++)
        if (g_str_equal(apart[i].machine, m->machine) && apart[i].nodes == m->nodes &&
            apart[i].kind == a->kind && g_str_equal(apart[i].algorithm, a->name))
            return apart[i].percent;
    return 5.0;
}

/* Parameters that have no default. */
static const char *parameters_of(const char *algorithm)
{
    if (g_str_equal(algorithm, "hierarchical") || g_str_equal(algorithm, "smp"))
        return ", group: 4";
    if (g_str_equal(algorithm, "grouped_pxn"))
        return ", group: 2";
    return "";
}

/* @keys: more of the machine; @bytes: "4 MiB". */
static CliAnswer agree_compare(const CliFolder *f, const Machine *m, const char *keys,
                               DnCollKind kind, const char *algorithm, const char *bytes,
                               double most_percent)
{
    g_autofree char *text = g_strdup_printf(
        "machine: {name: %s, hardware: {window: 0, congestion_control: none}%s%s}\n"
        "nodes: %u\n%sjobs:\n  - name: a\n"
        "    mechanism: direct\n"
        "    workload: {type: %s, algorithm: %s, bytes: %s%s}\n",
        m->machine, *keys != '\0' ? ", " : "", keys, m->nodes,
        g_str_has_prefix(m->machine, "apenet") ? "" : "routing: {algorithm: minimal}\n",
        dn_coll_kind_name(kind), algorithm, bytes, parameters_of(algorithm));
    g_autofree char *percent = g_strdup_printf("%.1f", most_percent);
    cli_write(f, "run.yaml", text);
    return cli_run(f, "compare", "run.yaml", "--max-percent", percent);
}

static void compare_one(CliFolder *f, const Machine *m, const DnCollAlgorithm *a)
{
    if (a->kind == DN_COLL_BARRIER ||
        g_str_equal(a->name, "multi_ring")) /* no bytes; needs rings */
        return;
    g_auto(CliAnswer)
        answer = agree_compare(f, m, "", a->kind, a->name, "4 MiB", allowed_percent(m, a));
    const char *verdict = strstr(answer.out, "flow against packet");
    g_test_message("%s %u %s %s: %s", m->machine, m->nodes, dn_coll_kind_name(a->kind), a->name,
                   verdict != NULL ? verdict : answer.err);
    if (answer.status == 0)
        return;
    g_test_message("%s%s", answer.out, answer.err);
    g_test_fail();
}

static void compare_all(CliFolder *f, guint first, guint n)
{
    for (guint i = first; i < first + n; i++)
        for (guint k = 0; dn_coll_algorithms[k] != NULL; k++)
            compare_one(f, &machines[i], dn_coll_algorithms[k]);
}

static void test_quick(CliFolder *f, gconstpointer unused)
{
    compare_all(f, 0, 1);
}

static void test_whole(CliFolder *f, gconstpointer unused)
{
    if (!g_test_slow()) {
        g_test_skip("takes minutes; -m slow");
        return;
    }
    compare_all(f, 1, G_N_ELEMENTS(machines) - 1);
}

/* What is named as the cause of a row changes how far the two are apart as it says. */
static void test_causes(CliFolder *f, gconstpointer unused)
{
    static const char said[] = "flow against packet: at most ";
    if (!g_test_slow()) {
        g_test_skip("of rows that only -m slow looks at");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(apart); i++) {
        const Machine m = {apart[i].machine, apart[i].nodes};
        gboolean size = apart[i].cause == DRIFT;
        if (apart[i].with == NULL)
            continue;
        g_auto(CliAnswer)
            answer = agree_compare(f, &m, size ? "" : apart[i].with, apart[i].kind,
                                   apart[i].algorithm, size ? apart[i].with : "4 MiB", 100.0);
        const char *at = strstr(answer.out, said);
        g_test_message("%s %s, %s: %s", m.machine, apart[i].algorithm, apart[i].with,
                       at != NULL ? at : answer.err);
        g_assert_nonnull(at);
        g_assert_cmpfloat_with_epsilon(g_ascii_strtod(at + strlen(said), NULL), apart[i].shown,
                                       0.1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/engines/one_machine", test_quick);
    cli_test_add("/engines/all_machines", test_whole);
    cli_test_add("/engines/causes", test_causes);
    return g_test_run();
}
