/* nccl_machine_test.c - NCCL's model takes rings and rates from a machine; whose costs its calls
 * have. */
#include "config/test_run_spec.h"
#include "experiment/nccl_machine.h"
#include "experiment/setup.h"

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
    machine.node_of = blocks;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call), ==, 2);
    call.ranks = pair;
    call.n = 2;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call), ==, 0);
    dn_coll_choice_place(&choice, 0, &call);
    g_assert_cmpuint(call.channels, ==, 24);
    call = (DnCollCall){.n = 6};
    machine.node_of = spread;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call), ==, 1);
    machine.node_of = uneven;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call), ==, 1);
    dn_coll_choice_place(&choice, 1, &call);
    g_assert_cmpuint(call.channels, ==, 8);
    choice.group_given = choice.channels_given = TRUE;
    call.group = 3;
    g_assert_cmpuint(dn_coll_choice_group(&choice, &call), ==, 3);
    dn_coll_choice_place(&choice, 3, &call);
    g_assert_cmpuint(call.channels, ==, 8);
}

static void check_mechanism(const char *workload, const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *yaml =
        g_strdup_printf("machine: leonardo\nnodes: 2\njobs:\n - workload: %s\n", workload);
    g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
    g_assert_no_error(error);
    g_auto(DnSetup) setup = {0};
    g_assert_true(dn_setup(&setup, spec, NULL, NULL, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(setup.jobs[0].mechanism.name, ==, name);
}

/* Rates of a channel are for algorithms that have channels. */
static void test_mechanisms(void)
{
    check_mechanism("{type: allreduce, bytes: 1 MiB, library: nccl}", "ccl");
    check_mechanism("{type: allreduce, bytes: 1 MiB, algorithm: nccl_ring}", "ccl");
    check_mechanism("{type: allreduce, bytes: 1 MiB, library: nccl, algorithm: ring}", "gpu-mpi");
    check_mechanism("{type: alltoall, bytes: 1 MiB, library: nccl, algorithm: auto}", "ccl-group");
    check_mechanism("{type: alltoall, bytes: 1 MiB, library: nccl}", "gpu-mpi"); /* pairwise */
    check_mechanism("{type: gather, bytes: 1 MiB, library: nccl}", "ccl-group");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nccl_machine/links", test_links);
    g_test_add_func("/nccl_machine/group", test_group);
    g_test_add_func("/nccl_machine/mechanisms", test_mechanisms);
    return g_test_run();
}
