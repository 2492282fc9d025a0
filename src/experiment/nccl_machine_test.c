/* nccl_machine_test.c - NCCL's model takes rings and rates from a machine; whose costs its calls
 * have. */
#include <string.h>

#include "config/test_run_spec.h"
#include "experiment/nccl_machine.h"
#include "experiment/setup.h"
#include "experiment/simulate.h"

static DnMachine *machine_of(const char *name, guint32 nodes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(name, "test", &error);
    g_assert_no_error(error);
    DnMachine *machine = dn_machine_load(node, nodes, &error);
    g_assert_no_error(error);
    return machine;
}

/* By hand, in GB/s: four adapters of 12.5, of which NCCL's search takes 12; of 25, 24; eight rings
 * of 24 on LUMI. Inside: 12 links of 20; 18 of 20.6; four rings of 36. Channels: two a ring. */
static void test_links(void)
{
    static const struct {
        const char *name;
        gint64 bus_gbs, node_mbs;
        guint32 channels, node_channels;
    } known[] = {
        {"leonardo", 48, 240000, 8, 24}, {"alps", 96, 370800, 8, 8}, {"lumi", 192, 144000, 16, 16}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnMachine) machine = machine_of(known[i].name, 2);
        DnCollMachine found;
        g_assert_true(dn_nccl_machine_read(machine, &found, &error));
        g_assert_true(found.known);
        g_assert_cmpint(found.nccl.bus_bps, ==, known[i].bus_gbs * 8000000000);
        g_assert_cmpint(found.nccl.node_bus_bps, ==, known[i].node_mbs * 8000000);
        g_assert_cmpuint(found.channels, ==, known[i].channels);
        g_assert_cmpuint(found.node_channels, ==, known[i].node_channels);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) single = machine_of("h200x4", 0), hosts = machine_of("cori", 2);
    DnCollMachine found;
    g_assert_true(dn_nccl_machine_read(single, &found, &error));
    g_assert_cmpint(found.nccl.bus_bps, ==, found.nccl.node_bus_bps);
    g_assert_true(dn_nccl_machine_read(hosts, &found, &error));
    g_assert_false(found.known);
}

/* Ranks in blocks node by node, otherwise one a node; on one node 0. */
static void test_group(void)
{
    static const guint32 blocks[] = {5, 5, 2, 2, 7, 7}, spread[] = {0, 1, 0, 1, 0, 1};
    static const guint32 uneven[] = {0, 0, 1, 1, 1, 2}, pair[] = {2, 3};
    DnCollMachine machine = {.known = TRUE, .channels = 8, .node_channels = 24};
    DnCollChoice choice = {.machine = &machine};
    DnCollCall call = {.n = 6, .group = 9, .channels = 1};
    choice.node_of = blocks;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, NULL), ==, 2);
    call.ranks = pair;
    call.n = 2;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, NULL), ==, 0);
    dn_coll_choice_place(&choice, 0, NULL, &call);
    g_assert_cmpuint(call.channels, ==, 24);
    machine.nics = 4; /* two ranks a node: two of four adapters' rings */
    call = (DnCollCall){.n = 6};
    dn_coll_choice_place(&choice, 2, NULL, &call);
    g_assert_cmpuint(call.channels, ==, 4);
    g_assert_cmpuint(call.n_rings, ==, 2);
    machine.nics = 0;
    call = (DnCollCall){.n = 6};
    choice.node_of = spread;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, NULL), ==, 1);
    choice.node_of = uneven;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, NULL), ==, 1);
    dn_coll_choice_place(&choice, 1, NULL, &call);
    g_assert_cmpuint(call.channels, ==, 8);
    choice.group_given = choice.channels_given = TRUE;
    call.group = 3;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call, NULL), ==, 3);
    dn_coll_choice_place(&choice, 3, NULL, &call);
    g_assert_cmpuint(call.channels, ==, 8);
}

/* Each ring visits every rank once, node by node; where it enters the second node. */
static void check_rings(const DnCollMachine *found, guint32 n, guint32 group, guint32 channels,
                        guint rings, const guint32 *first)
{
    DnCollChoice choice = {.machine = found, .channels_given = channels > 0};
    DnCollCall call = {.n = n, .channels = channels};
    dn_coll_choice_place(&choice, group, NULL, &call);
    g_assert_cmpuint(call.n_rings, ==, rings);
    guint32 size = group == 0 ? n : group;
    for (guint32 k = 0; k < rings; k++) {
        g_assert_cmpuint(dn_coll_ring_rank(&call, k, n - size), ==, n - size + first[k]);
        guint64 seen = 0;
        for (guint32 place = 0; place < n; place++) {
            guint32 rank = dn_coll_ring_rank(&call, k, place);
            g_assert_cmpuint(rank / size, ==, place / size);
            g_assert_cmpuint(dn_coll_ring_place(&call, k, rank), ==, place);
            seen |= G_GUINT64_CONSTANT(1) << rank;
        }
        g_assert_cmpuint(seen, ==, (G_GUINT64_CONSTANT(1) << n) - 1);
    }
}

/* By hand: a ring for each adapter between nodes, RCCL's on LUMI; in a node of four all orders. */
static void test_rings(void)
{
    static const struct {
        const char *name;
        guint32 n, group, channels;
        guint rings;
        guint32 first[6];
    } known[] = {{"leonardo", 8, 4, 0, 4, {0, 1, 2, 3}},
                 {"leonardo", 8, 4, 2, 2, {0, 1}},
                 {"leonardo", 6, 2, 0, 2, {0, 1}},
                 {"leonardo", 4, 0, 0, 6, {0, 3, 0, 2, 0, 3}},
                 {"leonardo", 3, 1, 0, 1, {0}},
                 {"alps", 12, 4, 0, 4, {0, 1, 2, 3}},
                 {"lumi", 16, 8, 0, 4, {0, 2, 7, 5}},
                 {"lumi", 8, 0, 0, 4, {0, 6, 0, 2}},
                 {"h200x4", 4, 0, 0, 0, {0}}};
    for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnMachine)
            machine = machine_of(known[i].name, strcmp(known[i].name, "h200x4") == 0 ? 0 : 3);
        DnCollMachine found;
        g_assert_true(dn_nccl_machine_read(machine, &found, &error));
        check_rings(&found, known[i].n, known[i].group, known[i].channels, known[i].rings,
                    known[i].first);
    }
}

/* Returns the time of the first job of run file @yaml, ns. */
static double time_of_run_ns(const char *yaml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    return (double)result->jobs[0].iteration_ps[0] / 1000;
}

/* Returns the time of @workload on @nodes nodes of Leonardo, ns. */
static double time_by_ns(const char *workload, const char *mechanism, guint nodes)
{
    g_autofree char *yaml = g_strdup_printf("machine: leonardo\nnodes: %u\npacket: {size: 32 KiB}\n"
                                            "jobs:\n - {workload: {%s}%s}\n",
                                            nodes, workload, mechanism);
    return time_of_run_ns(yaml);
}

static double time_ns(const char *workload, guint nodes)
{
    g_autofree char *of_nccl = g_strconcat("library: nccl, ", workload, NULL);
    return time_by_ns(of_nccl, "", nodes);
}

/* Rings go through all four adapters of 12.5 GB/s: 14 of 16 MiB through three of them would take
 * longer. What a node sends does not hold up what it receives: of 15 steps of short chunks three
 * are between nodes, some 20 us each. 0.5 CPU-s. */
static void test_between_nodes(void)
{
    double long_ns = time_ns("type: allgather, algorithm: auto, bytes: 8 MiB", 2);
    g_assert_cmpfloat(long_ns, <, 7.0 * (8 << 20) / 37.5);
    g_assert_cmpfloat(long_ns, >, 7.0 * (8 << 20) / 50);
    g_assert_cmpfloat(time_ns("type: reduce, algorithm: auto, bytes: 8 MiB", 2), <, 1e6);
    double short_ns = time_ns("type: allgather, algorithm: nccl_ring, bytes: 16 KiB", 4);
    g_assert_cmpfloat(short_ns, <, 15 * 9000);
}

/* Returns the time of @workload on @ranks GPUs, placed by @placement, of @machine, ns. */
static double placed_ns(const char *machine, guint32 ranks, const char *placement,
                        const char *workload)
{
    g_autofree char *yaml = g_strdup_printf("machine: %s\nnodes: 3\npacket: {size: 32 KiB}\njobs:\n"
                                            " - {ranks: %u, placement: %s, workload: {%s}}\n",
                                            machine, ranks, placement, workload);
    return time_of_run_ns(yaml);
}

/* On Alps a node with 4 GPUs and one with fewer share as many rings as the fewer, each over an
 * adapter of 25 GB/s: 2 (n - 1) / n of 64 MiB cross each of them once, at 90 % or more. Whole nodes
 * with ranks in turn take as long as with consecutive ranks. */
static void test_unequal_nodes(void)
{
    static const char long_sum[] = "type: allreduce, bytes: 64 MiB, library: nccl";
    for (guint32 n = 5; n <= 8; n++) {
        double least_ns = 2.0 * (n - 1) / n * (64 << 20) / ((n - 4) * 25.0);
        double ns = placed_ns("alps", n, "contiguous", long_sum);
        g_assert_cmpfloat(ns, >, least_ns);
        g_assert_cmpfloat(ns, <, least_ns / 0.9);
    }
    static const struct {
        const char *machine, *workload;
        guint32 ranks;
    } whole[] = {{"alps", "type: allreduce, bytes: 4 MiB, library: nccl", 12},
                 {"leonardo", "type: allreduce, bytes: 16 KiB, library: nccl", 12},
                 {"leonardo", "type: alltoall, bytes: 256 KiB, library: nccl, algorithm: auto", 12},
                 {"lumi", "type: allgather, bytes: 64 KiB, library: rccl, algorithm: auto", 24}};
    for (guint i = 0; i < G_N_ELEMENTS(whole); i++)
        g_assert_cmpfloat(
            placed_ns(whole[i].machine, whole[i].ranks, "spread", whole[i].workload), ==,
            placed_ns(whole[i].machine, whole[i].ranks, "contiguous", whole[i].workload));
}

/* The model of one GPU a node hopes for its adapter's 12 GB/s, not for four. */
static void test_one_a_node(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) machine = machine_of("leonardo", 2);
    DnCollMachine found;
    g_assert_true(dn_nccl_machine_read(machine, &found, &error));
    const DnCollCall call = {.n = 2, .group = 1, .bytes = 8 << 20, .channels = 2};
    DnNcclMachine one = found.nccl;
    one.nics = 0;
    one.bus_bps = G_GINT64_CONSTANT(12) * 8000000000;
    DnSelection of_four, of_one;
    dn_select_nccl(&call, DN_COLL_ALLGATHER, &found.nccl, &of_four);
    dn_select_nccl(&call, DN_COLL_ALLGATHER, &one, &of_one);
    g_assert_cmpint(of_four.estimate_ps, >, 0);
    g_assert_cmpint(of_four.estimate_ps, ==, of_one.estimate_ps);
}

/* @named: the mechanism that the run names, or NULL. @warns: a part of its warning, or NULL. */
static void check_named(const char *workload, const char *named, const char *name,
                        const char *warns)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *yaml =
        g_strdup_printf("machine: leonardo\nnodes: 2\njobs:\n - {workload: %s%s%s}\n", workload,
                        named != NULL ? ", mechanism: " : "", named != NULL ? named : "");
    g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
    g_assert_no_error(error);
    g_auto(DnSetup) setup = {0};
    g_assert_true(dn_setup(&setup, spec, NULL, NULL, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(setup.jobs[0].mechanism.name, ==, name);
    gboolean found = FALSE;
    for (guint w = 0; w < setup.result->warnings->len; w++) {
        const char *warning = g_ptr_array_index(setup.result->warnings, w);
        gboolean says = warns != NULL && strstr(warning, warns) != NULL;
        g_assert_true(says || strstr(warning, "of one channel") == NULL);
        found |= says;
    }
    g_assert_cmpint(found, ==, warns != NULL);
}

/* Rings in the order of ranks leave a node by one of its adapters: nothing says more of a machine
 * without `nccl:`. */
static void test_one_adapter(void)
{
    static const struct {
        const char *keys, *workload;
        gboolean warns;
    } rows[] = {{"", ", algorithm: nccl_ring", TRUE},
                {"", ", algorithm: nccl_ring, group: 2, rings: by_node", FALSE},
                {"", ", algorithm: ring", FALSE},
                {", nccl: {gpu: hopper, node_channels: 4}", ", algorithm: nccl_ring", FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *yaml = g_strdup_printf(
            "machine: {fabric: {type: full_mesh, switches: 1, terminals_per_switch: 4, links: "
            "{terminal: &link {bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}}}, node: "
            "{vertices: [{name: gpu, kind: gpu, count: 2}, {name: nic, kind: nic, count: 2}], "
            "links: {wire: *link}, edges: [{all_to_all: gpu, class: wire}, {pairwise: [gpu, nic], "
            "class: wire}], nics: [{nic: nic0, serves: [gpu0]}, {nic: nic1, serves: [gpu1]}]}%s}\n"
            "jobs: [{workload: {type: allreduce, bytes: 1 KiB%s}}]\n",
            rows[i].keys, rows[i].workload);
        g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
        g_assert_no_error(error);
        g_auto(DnSetup) setup = {0};
        dn_setup(&setup, spec, NULL, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpint(test_warned(setup.result->warnings, "by one of its 2 adapters"), ==,
                        rows[i].warns);
    }
}

static void check_mechanism(const char *workload, const char *name)
{
    check_named(workload, NULL, name, NULL);
}

/* Rates of a channel are for algorithms that have channels. */
static void test_mechanisms(void)
{
    check_mechanism("{type: allreduce, bytes: 1 MiB, library: nccl}", "ccl");
    check_mechanism("{type: allreduce, bytes: 1 MiB, algorithm: nccl_ring}", "ccl");
    check_mechanism("{type: allreduce, bytes: 1 MiB, library: nccl, algorithm: ring}", "gpu-mpi");
    check_mechanism("{type: alltoall, bytes: 1 MiB, library: nccl, algorithm: auto}", "ccl-group");
    check_mechanism("{type: alltoall, bytes: 1 MiB, library: nccl}", "ccl-group");
    check_mechanism("{type: alltoall, bytes: 1 MiB}", "gpu-mpi-all");
    check_mechanism("{type: bcast, bytes: 1 MiB}", "gpu-mpi");
    check_mechanism("{type: allreduce, bytes: 1 MiB}", "mpi-host-staged");
    check_mechanism("{type: allreduce, bytes: 1 MiB, algorithm: ring}", "gpu-mpi");
    check_mechanism("{type: alltoall, bytes: 1 MiB, library: nccl, algorithm: pairwise}",
                    "gpu-mpi-all");
    check_mechanism("{type: reduce, bytes: 1 MiB, library: nccl, algorithm: auto}", "ccl");
    check_mechanism("{type: gather, bytes: 1 MiB, library: nccl}", "ccl-group");
}

/* A run that names the mechanism of channels gets one of whole messages for what has none. */
static void test_without_channels(void)
{
    static const struct {
        const char *workload, *named, *used, *warns;
    } runs[] = {
        {"{type: allreduce, bytes: 1 MiB, library: nccl}", "ccl", "ccl", NULL},
        {"{type: allreduce, bytes: 1 MiB, algorithm: rabenseifner}", "ccl", "ccl-p2p",
         "allreduce has none, so that its messages go by `ccl-p2p`"},
        {"{type: pingpong, bytes: 1 MiB, between: [0, 4]}", "ccl", "ccl-p2p", "pingpong has none"},
        {"{type: alltoall, bytes: 1 MiB, algorithm: grouped}", "ccl", "ccl-group",
         "go by `ccl-group`"},
        {"{type: alltoall, bytes: 1 MiB, algorithm: grouped}", "ccl-group", "ccl-group", NULL},
        {"{type: allreduce, bytes: 1 MiB, algorithm: ring}", "direct", "direct", NULL},
        {"{type: allreduce, bytes: 1 MiB, algorithm: ring}", "ccl-group", "ccl-group", NULL},
        {"{type: allreduce, bytes: 1 MiB, algorithm: ring}",
         "[{protocol: LL, use: {type: ccl, rate: 3 GB/s}}, {use: {type: ccl, rate: 9 GB/s}}]",
         "inline|inline", "allreduce has none, and gets that rate for whole messages"},
        {"{type: allreduce, bytes: 1 MiB, algorithm: nccl_ring}",
         "[{protocol: LL, use: {type: ccl, rate: 3 GB/s}}, {use: {type: ccl, rate: 9 GB/s}}]",
         "inline|inline", NULL},
        {"{type: allreduce, bytes: 1 MiB, algorithm: ring}",
         "[{protocol: LL, use: {type: ccl, t_start: 3 us}}, {use: {type: ccl}}]", "inline|inline",
         NULL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++)
        check_named(runs[i].workload, runs[i].named, runs[i].used, runs[i].warns);
}

/* Rabenseifner's messages leave at the rate of all channels, in a node at that of four links:
 * 1.9 ms by one channel of 9.8 GB/s. */
static void test_whole_messages(void)
{
    static const char workload[] = "type: allreduce, bytes: 16 MiB, algorithm: rabenseifner";
    double direct_ns = time_by_ns(workload, ", mechanism: direct", 1);
    double ccl_ns = time_by_ns(workload, ", mechanism: ccl", 1);
    g_assert_cmpfloat(ccl_ns, >, direct_ns);
    g_assert_cmpfloat(ccl_ns, <, 2 * direct_ns);
}

/* A call costs what its communicator's ranks make it, whatever others its job has: the queue before
 * the kernel on LUMI, the thread blocks that peers share on h200x4. */
static void test_communicator(void)
{
    static const struct {
        const char *machine, *workload, *list;
        guint32 ranks, job;
    } calls[] = {
        {"lumi\nnodes: 3", "type: alltoall, library: rccl, bytes: 8 B", "0, 1, 2, 3", 4, 24},
        {"h200x4", "type: alltoall, library: nccl, bytes: 1 MiB", "0, 1", 2, 4},
    };
    static const char run[] = "machine: %s\njobs:\n - {ranks: %u, workload: {%s%s%s}}\n";
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *own =
            g_strdup_printf(run, calls[i].machine, calls[i].ranks, calls[i].workload, "", "");
        g_autofree char *list = g_strdup_printf("[%s]", calls[i].list);
        g_autofree char *part = g_strdup_printf(run, calls[i].machine, calls[i].job,
                                                calls[i].workload, ", communicator: ", list);
        g_assert_cmpfloat(time_of_run_ns(part), ==, time_of_run_ns(own));
    }
}

/* What NCCL moves to all GPUs of a node of Leonardo, 235 GB/s, is divided by those of the node on
 * which most ranks are, on one node and on several: three, at most 88.8 for the one of two. */
static void test_group_rate(void)
{
    static const struct {
        guint32 ranks;
        const char *placement;
        double gbytes;
    } jobs[] = {{4, "contiguous", 235.0 / 3},
                {16, "contiguous", 235.0 / 3},
                {5, "contiguous", 235.0 / 3},
                {8, "spread", 88.8}};
    for (guint i = 0; i < G_N_ELEMENTS(jobs); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "machine: leonardo\nnodes: 4\njobs:\n - {ranks: %u, placement: %s, workload: {type: "
            "alltoall, bytes: 4 MiB, library: nccl}}\n",
            jobs[i].ranks, jobs[i].placement);
        g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
        g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
        g_assert_no_error(error);
        const DnCosts *inside = dn_mechanism_costs(result->jobs[0].mechanism, 4 << 20, TRUE);
        g_assert_cmpfloat_with_epsilon((double)inside->rate_bps, jobs[i].gbytes * 8e9, 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nccl_machine/links", test_links);
    g_test_add_func("/nccl_machine/group", test_group);
    g_test_add_func("/nccl_machine/rings", test_rings);
    g_test_add_func("/nccl_machine/one_a_node", test_one_a_node);
    g_test_add_func("/nccl_machine/between_nodes", test_between_nodes);
    g_test_add_func("/nccl_machine/unequal_nodes", test_unequal_nodes);
    g_test_add_func("/nccl_machine/mechanisms", test_mechanisms);
    g_test_add_func("/nccl_machine/without_channels", test_without_channels);
    g_test_add_func("/nccl_machine/whole_messages", test_whole_messages);
    g_test_add_func("/nccl_machine/one_adapter", test_one_adapter);
    g_test_add_func("/nccl_machine/communicator", test_communicator);
    g_test_add_func("/nccl_machine/group_rate", test_group_rate);
    return g_test_run();
}
