/* engines_agree_test.c - packet against flow, and both against the bound, for every algorithm of
 * every collective on every kind of machine, 4 MiB.
 *
 * Where nothing but sharing limits a run the two are ways to one number: within 5 %, and never
 * better than the bound. The quick half is one machine; all of them: `engines_agree_test -m slow`.
 * What is further apart is listed below with how far it was found (41 of 517 runs), and held to no
 * more. All of it are pipelined trees and exchanges in steps, in which a rank's own messages meet
 * others that pass through, of unequal age: max-min sharing gives both the same, oldest first lets
 * what has queued on its way go before what is only now injected. So one engine ends a segment
 * early and another late, and whoever waits for it goes on at another time.
 * Responses are off (window: 0), since only the packet engine carries them. */
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

/* Flow over packet, less one. */
static const struct {
    const char *machine;
    guint nodes;
    DnCollKind kind;
    const char *algorithm;
    double percent; /* at most, either way */
} apart[] = {
    {"lumi", 1, DN_COLL_ALLGATHER, "bruck", 6.0},
    {"lumi", 1, DN_COLL_ALLREDUCE, "kary_tree", 25.0},
    {"lumi", 1, DN_COLL_ALLTOALL, "pairwise", 7.0},
    {"lumi", 1, DN_COLL_BCAST, "split_binary_tree", 6.0},
    {"lumi", 1, DN_COLL_SCAN, "recursive_doubling", 26.0},
    {"lumi", 2, DN_COLL_ALLGATHER, "bruck", 8.0},
    {"lumi", 2, DN_COLL_ALLREDUCE, "double_binary_tree", 12.0},
    {"lumi", 2, DN_COLL_ALLREDUCE, "kary_tree", 39.0},
    {"lumi", 2, DN_COLL_ALLREDUCE, "nccl_tree", 11.0},
    {"lumi", 2, DN_COLL_BCAST, "pipeline", 6.0},
    {"lumi", 2, DN_COLL_BCAST, "split_binary_tree", 8.0},
    {"lumi", 2, DN_COLL_REDUCE, "binary", 13.0},
    {"lumi", 2, DN_COLL_REDUCE, "pipeline", 6.0},
    {"lumi", 2, DN_COLL_SCAN, "recursive_doubling", 15.0},
    {"alps", 4, DN_COLL_ALLREDUCE, "kary_tree", 16.0},
    {"alps", 4, DN_COLL_ALLREDUCE, "nccl_tree", 15.0},
    {"leonardo", 2, DN_COLL_ALLREDUCE, "nccl_tree", 6.0},
    {"leonardo", 2, DN_COLL_REDUCE_SCATTER, "pairwise", 6.0},
    {"piz-daint", 8, DN_COLL_BCAST, "split_binary_tree", 14.0},
    {"frontier", 1, DN_COLL_ALLGATHER, "bruck", 6.0},
    {"frontier", 1, DN_COLL_ALLREDUCE, "kary_tree", 25.0},
    {"frontier", 1, DN_COLL_ALLTOALL, "pairwise", 7.0},
    {"frontier", 1, DN_COLL_BCAST, "split_binary_tree", 6.0},
    {"frontier", 1, DN_COLL_SCAN, "recursive_doubling", 26.0},
    {"tuolumne", 2, DN_COLL_ALLREDUCE, "kary_tree", 17.0},
    {"tuolumne", 2, DN_COLL_BCAST, "scatter_allgather", 6.0},
    {"tuolumne", 2, DN_COLL_SCAN, "recursive_doubling", 7.0},
    {"dgx-a100-4", 4, DN_COLL_ALLREDUCE, "nccl_tree", 8.0},
    {"dgx-a100-4", 4, DN_COLL_ALLTOALL, "linear", 70.0},
    {"dgx-a100-4", 4, DN_COLL_ALLTOALL, "pairwise", 6.0},
    {"dgx-a100-4", 4, DN_COLL_REDUCE_SCATTER, "pairwise", 9.0},
    {"cori", 8, DN_COLL_BCAST, "split_binary_tree", 14.0},
    {"apenet-4x2", 8, DN_COLL_ALLGATHER, "bruck", 8.0},
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "double_binary_tree", 9.0},
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "kary_tree", 19.0},
    {"apenet-4x2", 8, DN_COLL_ALLREDUCE, "recursive_doubling", 6.0},
    {"apenet-4x2", 8, DN_COLL_ALLTOALL, "bruck", 6.0},
    {"apenet-4x2", 8, DN_COLL_ALLTOALL, "pairwise", 11.0},
    {"apenet-4x2", 8, DN_COLL_BCAST, "pipeline", 8.0},
    {"apenet-4x2", 8, DN_COLL_REDUCE, "pipeline", 8.0},
    {"apenet-4x2", 8, DN_COLL_REDUCE_SCATTER, "pairwise", 10.0},
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
static const char *parameters_of(const DnCollAlgorithm *a)
{
    if (g_str_equal(a->name, "hierarchical"))
        return ", group: 4";
    return "";
}

static void compare_one(CliFolder *f, const Machine *m, const DnCollAlgorithm *a)
{
    if (a->kind == DN_COLL_BARRIER ||
        g_str_equal(a->name, "multi_ring")) /* no bytes; needs rings */
        return;
    g_autofree char *text = g_strdup_printf(
        "machine: {name: %s, hardware: {window: 0}}\nnodes: %u\njobs:\n  - name: a\n"
        "    workload: {type: %s, algorithm: %s, bytes: 4 MiB%s}\n",
        m->machine, m->nodes, dn_coll_kind_name(a->kind), a->name, parameters_of(a));
    g_autofree char *percent = g_strdup_printf("%.1f", allowed_percent(m, a));
    cli_write(f, "run.yaml", text);
    g_auto(CliAnswer) answer = cli_run(f, "compare", "run.yaml", "--max-percent", percent);
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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/engines/one_machine", test_quick);
    cli_test_add("/engines/all_machines", test_whole);
    return g_test_run();
}
