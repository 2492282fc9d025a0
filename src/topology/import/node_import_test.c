/* node_import_test.c - importers of one server: nvidia-smi, NCCL, rocm-smi, hwloc. */
#include "topology/import/import_test.h"

/* The GPU's PCIe link, over a port of its own, to @at; and no GPU beside @at, so that the shortest
 * path between GPUs, by hops, is never the host's. */
static void assert_port(const Imported *i, const char *gpu, const char *at)
{
    g_autofree char *port = g_strdup_printf("%s-port", gpu);
    const DnGraph *g = i->machine->graph;
    guint32 v = vertex_named(i, at);
    g_assert_cmpint(links_between(i, gpu, port, "pcie"), ==, 1);
    g_assert_cmpint(links_between(i, port, at, "pcie-port"), ==, 1);
    for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++)
        g_assert_cmpuint(g->vertices[g->links[g->ports[p]].dst].kind, !=, DN_VERTEX_GPU);
}

/* The project's own server: NV18 between any two of four GPUs, 26.562 GB/s a link (machine h200x4),
 * NUMA node 0. 3 * 18 links are more than a GPU has, so there is a switch. */
static void test_h200x4(void)
{
    g_auto(Imported) i = import_sample("h200x4_topo.txt", "nvidia_topo");
    for (guint k = 0; k < 4; k++) {
        char gpu[8];
        g_snprintf(gpu, sizeof gpu, "gpu%u", k);
        g_assert_cmpint(links_between(&i, gpu, "nvswitch0", "nvlink"), ==, 18);
        assert_port(&i, gpu, "cpu0");
    }
    g_assert_cmpint(class_named(&i, "nvlink")->bandwidth_bps, ==, 212496000000);
    g_assert_cmpuint(i.machine->graph->size.endpoints, ==, 4);
    g_assert_cmpuint(i.machine->graph->n_vertices, ==, 4 + 4 + 2); /* GPUs, ports, switch, CPU */
    assert_contains(i.yaml, "CPUs 0-63");
    assert_accounted(&i);
}

/* PIX, PXB, PHB, NODE and SYS each once: what joins the two must be what the level says. */
static void test_levels(void)
{
    g_auto(Imported) i = import_sample("four_gpus_topo.txt", "nvidia_topo");
    /* PIX: gpu1 and mlx5_1 on one switch */
    g_assert_cmpint(links_between(&i, "gpu1", "pcie-switch0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "mlx5_1", "pcie-switch0", "pcie"), ==, 1);
    /* PXB: gpu0 and mlx5_0 meet below the host bridge */
    g_assert_cmpint(links_between(&i, "gpu0", "pcie-upper-switch0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "mlx5_0", "pcie-upper-switch0", "pcie"), ==, 1);
    /* NODE: the two host bridges of NUMA node 0 */
    g_assert_cmpint(links_between(&i, "host-bridge0", "cpu0", "root-complex"), ==, 1);
    g_assert_cmpint(links_between(&i, "host-bridge1", "cpu0", "root-complex"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-switch0", "host-bridge1", "pcie"), ==, 1);
    /* PHB: gpu2 and NIC2 meet at the only host bridge of NUMA node 1 */
    g_assert_cmpint(links_between(&i, "gpu2", "cpu1", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-upper-switch1", "cpu1", "pcie"), ==, 1);
    /* SYS */
    g_assert_cmpint(links_between(&i, "cpu0", "cpu1", "socket"), ==, 1);
    /* NV12 between two: 12 links are no more than a GPU has, so they are direct */
    g_assert_cmpint(links_between(&i, "gpu0", "gpu1", "nvlink"), ==, 12);
    g_assert_cmpint(links_between(&i, "gpu2", "gpu3", "nvlink"), ==, 12);
    g_assert_cmpint(links_between(&i, "gpu0", "gpu2", "nvlink"), ==, 0);
    /* nearest NICs */
    g_assert_cmpstr(nic_of(&i, "gpu0"), ==, "mlx5_0");
    g_assert_cmpstr(nic_of(&i, "gpu1"), ==, "mlx5_1");
    g_assert_cmpstr(nic_of(&i, "gpu2"), ==, "mlx5_bond_0");
    g_assert_cmpstr(nic_of(&i, "gpu3"), ==, "mlx5_bond_0");
    assert_accounted(&i);
}

/* The name of the GPU comes from nvidia-smi -L before the matrix: an A100 has 12 links, so that
 * 2 * 12 go to a switch although 24 could be two of something else. NVLink 3: 25 GB/s a link. */
static void test_named_gpu(void)
{
    g_auto(Imported) i = import_string("GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n"
                                       "\tGPU0 GPU1 GPU2 CPU Affinity NUMA Affinity\n"
                                       "GPU0 X NV12 NV12 0-3 0\n"
                                       "GPU1 NV12 X NV12 0-3 0\n"
                                       "GPU2 NV12 NV12 X 4-7 1\n",
                                       "nvidia_topo");
    g_assert_cmpint(links_between(&i, "gpu2", "nvswitch0", "nvlink"), ==, 12);
    assert_port(&i, "gpu2", "cpu1");
    g_assert_cmpint(links_between(&i, "cpu0", "cpu1", "socket"), ==, 1);
    g_assert_cmpint(class_named(&i, "nvlink")->bandwidth_bps, ==, 200000000000);
    assert_contains(i.yaml, "NVIDIA A100-SXM4-40GB");
    assert_contains(i.yaml, "source: \"NVIDIA A100 white paper");
}

/* Levels hidden behind NVLinks come from the others: gpu0 and gpu1 are NODE apart since the NICs
 * beside them are; what is not given must not bring them nearer. */
static void test_hidden_levels(void)
{
    g_auto(Imported) i = import_string("GPU0 GPU1 NIC0 NIC1\n"
                                       "GPU0 X NV4 PIX NODE\n"
                                       "GPU1 NV4 X NODE PIX\n"
                                       "NIC0 PIX NODE X NODE\n"
                                       "NIC1 NODE PIX NODE X\n",
                                       "nvidia_topo");
    g_assert_cmpint(links_between(&i, "gpu0", "pcie-switch0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "gpu1", "pcie-switch1", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-switch0", "host-bridge0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-switch1", "host-bridge1", "pcie"), ==, 1);
    g_assert_cmpstr(nic_of(&i, "gpu1"), ==, "nic1");
    g_assert_null(strstr(i.yaml, "not given; assumed: as near"));
}

static void test_p2p(void)
{
    g_auto(Imported) i = import_string(" \tGPU0\tGPU1\tGPU2\n GPU0\tX\tOK\tNS\n GPU1\tOK\tX\tNS\n"
                                       " GPU2\tNS\tNS\tX\n\nLegend:\n\n  X    = Self\n",
                                       "nvidia_topo");
    g_assert_cmpint(links_between(&i, "gpu0", "gpu1", "nvlink"), ==, 1);
    g_assert_cmpint(links_between(&i, "gpu0", "gpu2", "nvlink"), ==, 0);
    assert_contains(i.yaml, "not over how many links");
    /* both matrices in one file: the first tells the count, the second contradicts a pair */
    g_auto(Imported) both = import_string("GPU0 GPU1 GPU2\nGPU0 X NV2 NV2\nGPU1 NV2 X PHB\n"
                                          "GPU2 NV2 PHB X\n\nGPU0 GPU1 GPU2\nGPU0 X OK NS\n"
                                          "GPU1 OK X NS\nGPU2 NS NS X\n",
                                          "nvidia_topo");
    g_assert_cmpint(links_between(&both, "gpu0", "gpu2", "nvlink"), ==, 2);
    assert_contains(both.yaml, "NVLink does not serve 1 of the pairs");
}

static void test_nvidia_refused(void)
{
    assert_refused("GPU0 GPU1\nGPU0 X\n", "nvidia_topo", DN_ERROR_SYNTAX,
                   "sample:2:1: row 'GPU0' has 1 cells; wanted: 2");
    assert_refused("GPU0 GPU1\nGPU0 X FOO\nGPU1 NV1 X\n", "nvidia_topo", DN_ERROR_SYNTAX,
                   "sample:2:8: row 'GPU0', column GPU1: 'FOO'; wanted: X");
    assert_refused("GPU0 GPU1\nGPU0 NV1 NV1\n", "nvidia_topo", DN_ERROR_SYNTAX,
                   "sample:2:6: row 'GPU0', column GPU0: 'NV1'");
    assert_refused("GPU0 GPU1\nGPU7 X NV1\n", "nvidia_topo", DN_ERROR_UNKNOWN,
                   "sample:2:1: a row 'GPU7' without a column");
    assert_refused("hello\n", "nvidia_topo", DN_ERROR_MISSING,
                   "sample:1:1: no line of columns that begins with GPU0");
    assert_refused("GPU0 GPU1\nGPU0 X SYS\nGPU1 SYS X\n\nGPU0 NIC3\nGPU0 X SYS\n", "nvidia_topo",
                   DN_ERROR_RANGE, "sample:5:1: a second matrix with other columns: 'NIC3'");
}

/* The same server by NCCL: 18 links each to an NVSwitch; H200 by its PCI id; 32 GT/s, width not
 * given; a NIC of 10 Gb/s. 32 GT/s * 16 * 128/130 = 504.123 Gb/s. */
static void test_h200x4_nccl(void)
{
    g_auto(Imported) i = import_sample("h200x4_nccl.xml", "nccl_xml");
    for (guint k = 0; k < 4; k++) {
        char gpu[8];
        g_snprintf(gpu, sizeof gpu, "gpu%u", k);
        g_assert_cmpint(links_between(&i, gpu, "nvswitch", "nvlink"), ==, 18);
        assert_port(&i, gpu, "cpu0");
        g_assert_cmpstr(nic_of(&i, gpu), ==, "eth0");
    }
    g_assert_cmpint(class_named(&i, "nvlink")->bandwidth_bps, ==, 212496000000);
    g_assert_cmpint(class_named(&i, "pcie")->bandwidth_bps, ==, 504123077000);
    assert_contains(i.yaml, "how many lanes is not: 16");
    assert_contains(i.yaml, "eth0: a port of 10 Gb/s");
    assert_contains(i.yaml, "0000:00:09.0, rank 3, sm 90");
    assert_accounted(&i);
}

/* Nested switches, direct NVLinks written from both ends, and lanes given: 16 GT/s * 8 * 128/130 =
 * 126.031 Gb/s. */
static void test_nccl_tree(void)
{
    g_auto(Imported) i = import_sample("four_gpus_nccl.xml", "nccl_xml");
    g_assert_cmpint(links_between(&i, "gpu0", "gpu3", "nvlink"), ==, 4);
    g_assert_cmpint(links_between(&i, "gpu1", "gpu0", "nvlink"), ==, 4);
    g_assert_cmpint(links_between(&i, "gpu1", "pcie-switch0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "mlx5_0", "pcie-switch0", "pcie-2"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-switch1", "cpu1", "pcie"), ==, 1);
    g_assert_cmpint(class_named(&i, "pcie-2")->bandwidth_bps, ==, 126030769000);
    g_assert_cmpstr(nic_of(&i, "gpu0"), ==, "mlx5_0");
    g_assert_cmpstr(nic_of(&i, "gpu3"), ==, "mlx5_1");
    assert_accounted(&i);
}

/* Several NVSwitches a GPU are one plane with the sum of the links; C2C joins GPU and CPU: 56250
 * MB/s are 450 Gb/s. */
static void test_nccl_planes(void)
{
    g_auto(Imported) i = import_string(
        "<system version=\"1\"><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" class=\"0x030200\">"
        "<gpu dev=\"0\" sm=\"90\"><nvlink target=\"0000:a1:00.0\" count=\"10\" "
        "tclass=\"0x068000\"/>"
        "<nvlink target=\"0000:a2:00.0\" count=\"8\" tclass=\"0x068000\"/>"
        "<c2c bw=\"56250\" count=\"8\"/></gpu></pci>"
        "<pci busid=\"0000:02:00.0\" class=\"0x030200\"><gpu dev=\"1\" sm=\"90\"><nvlink "
        "target=\"0000:a1:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci></cpu></system>",
        "nccl_xml");
    g_assert_cmpint(links_between(&i, "gpu0", "nvswitch", "nvlink"), ==, 18);
    g_assert_cmpint(links_between(&i, "gpu1", "nvswitch", "nvlink"), ==, 18);
    g_assert_cmpint(class_named(&i, "c2c")->bandwidth_bps, ==, 450000000000);
}

static void test_nccl_refused(void)
{
    assert_refused("<system>\n<cpu></system>", "nccl_xml", DN_ERROR_SYNTAX, "sample:2:");
    assert_refused("<graph/>", "nccl_xml", DN_ERROR_SYNTAX,
                   "sample:1:1: root element 'graph'; wanted: <system>");
    assert_refused("<system><cpu/></system>", "nccl_xml", DN_ERROR_MISSING, "sample:1:1: no <gpu>");
    assert_refused("<system><cpu>\n<pci/></cpu></system>", "nccl_xml", DN_ERROR_MISSING,
                   "sample:2:1: <pci> has no busid");
    assert_refused("<system><cpu><pci busid=\"1\"><gpu>\n<nvlink target=\"2\" count=\"0\"/></gpu>"
                   "</pci></cpu></system>",
                   "nccl_xml", DN_ERROR_RANGE, "sample:2:1: <nvlink> with count=\"0\"");
}

/* LUMI's node (machine lumi, De Sensi et al., SC 2024, figure 2): widths by --shownodesbw. */
static void test_mi250x(void)
{
    static const struct {
        const char *a, *b;
        gint64 links;
    } wanted[] = {{"gpu0", "gpu1", 4}, {"gpu2", "gpu3", 4}, {"gpu4", "gpu5", 4},
                  {"gpu6", "gpu7", 4}, {"gpu0", "gpu6", 2}, {"gpu2", "gpu4", 2},
                  {"gpu0", "gpu2", 1}, {"gpu1", "gpu3", 1}, {"gpu1", "gpu5", 1},
                  {"gpu3", "gpu7", 1}, {"gpu4", "gpu6", 1}, {"gpu5", "gpu7", 1},
                  {"gpu0", "gpu7", 0}, {"gpu0", "gpu3", 0}};
    g_auto(Imported) i = import_sample("mi250x_showtopo.txt", "rocm_topo");
    for (guint k = 0; k < G_N_ELEMENTS(wanted); k++)
        g_assert_cmpint(links_between(&i, wanted[k].a, wanted[k].b, "xgmi"), ==, wanted[k].links);
    assert_port(&i, "gpu5", "cpu2");
    g_assert_cmpint(links_between(&i, "cpu0", "cpu3", "socket"), ==, 1);
    g_assert_true(i.machine->graph->vertices[vertex_named(&i, "gpu0")].transit);
    assert_contains(i.yaml, "gpu0-gpu3 (XGMI, hops 1, weight 30)");
    assert_accounted(&i);
}

/* Without the bandwidth table a direct link has one link, said to be assumed; PCIE pairs none. */
static void test_rocm_plain(void)
{
    g_auto(Imported) i = import_string(
        "==== Hops between two GPUs ====\n       GPU0 GPU1 GPU2\nGPU0   0 1 2\nGPU1   1 0 2\n"
        "GPU2   2 2 0\n\n==== Link Type between two GPUs ====\n       GPU0 GPU1 GPU2\n"
        "GPU0   0 XGMI PCIE\nGPU1   XGMI 0 PCIE\nGPU2   PCIE PCIE 0\n\n"
        "==== Numa Nodes ====\nGPU[0]\t: (Topology) Numa Node: 0\nGPU[1]\t: (Topology) Numa Node: "
        "0\n"
        "GPU[2]\t: (Topology) Numa Node: 3\nGPU[2]\t: (Topology) Numa Affinity: 1\n"
        "==== End of ROCm SMI Log ====\n",
        "rocm_topo");
    g_assert_cmpint(links_between(&i, "gpu0", "gpu1", "xgmi"), ==, 1);
    g_assert_cmpint(links_between(&i, "gpu0", "gpu2", "xgmi"), ==, 0);
    g_assert_cmpint(links_between(&i, "gpu2", "cpu3", "pcie"), ==, 1);
    assert_contains(i.yaml, "one link; --showtopo does not tell how many");
    assert_contains(i.yaml, "NUMA node 3, affinity 1");
}

static void test_rocm_refused(void)
{
    assert_refused("=== Hops between two GPUs ===\n GPU0 GPU1\nGPU0 0 x\n", "rocm_topo",
                   DN_ERROR_SYNTAX, "sample:3:8: 'x'; wanted: a whole number or N/A");
    assert_refused("=== Link Type between two GPUs ===\n GPU0 GPU1\nGPU0 0 NVLINK\n", "rocm_topo",
                   DN_ERROR_SYNTAX, "sample:3:8: 'NVLINK'; wanted: XGMI, PCIE or N/A");
    assert_refused("=== Bandwidth between two GPUs ===\n GPU0 GPU1\nGPU0 N/A 5\n", "rocm_topo",
                   DN_ERROR_SYNTAX, "sample:3:10: '5'; wanted: least-largest");
    assert_refused("=== Hops between two GPUs ===\n GPU0 GPU1\nGPU0 0\n", "rocm_topo",
                   DN_ERROR_SYNTAX, "sample:3:1: 'GPU0 0'; wanted: GPU0 to GPU1 and 2 cells");
    assert_refused("=== Numa Nodes ===\nGPU[0] : (Topology) Numa Node: z\n", "rocm_topo",
                   DN_ERROR_SYNTAX,
                   "sample:2:1: 'GPU[0] : (Topology) Numa Node: z'; wanted: a NUMA");
    assert_refused("nothing\n", "rocm_topo", DN_ERROR_SYNTAX,
                   "sample:1:1: 'nothing'; wanted: a table");
}

/* Two bridges in a row are a switch with a GPU and a NIC; a bridge above one device is left out; a
 * disk is no part. 63.015385 GB/s = 504.123 Gb/s, 31.507692 GB/s = 252.062 Gb/s. */
static void test_hwloc(void)
{
    g_auto(Imported) i = import_sample("two_sockets_hwloc.xml", "hwloc_xml");
    g_assert_cmpint(links_between(&i, "gpu0", "pcie-switch0", "pcie-2"), ==, 1);
    g_assert_cmpint(links_between(&i, "mlx5_0", "pcie-switch0", "pcie-2"), ==, 1);
    g_assert_cmpint(links_between(&i, "pcie-switch0", "cpu0", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "gpu1", "cpu1", "pcie-2"), ==, 1);
    g_assert_cmpint(class_named(&i, "pcie-2")->bandwidth_bps, ==, 504123080000);
    g_assert_cmpint(class_named(&i, "pcie")->bandwidth_bps, ==, 252061536000);
    g_assert_cmpuint(i.machine->graph->n_vertices, ==, 6);
    g_assert_cmpstr(nic_of(&i, "gpu0"), ==, "mlx5_0");
    assert_contains(i.yaml, "GH100 [H200 SXM 141GB]");
    assert_contains(i.yaml, "One host with 2 packages, 2 NUMA nodes, 2 GPUs and 1 NICs");
    assert_accounted(&i);
}

/* Format 1: NUMA nodes are parents. */
static void test_hwloc_format1(void)
{
    g_auto(Imported) i =
        import_string("<topology><object type=\"Machine\"><object type=\"NUMANode\" os_index=\"0\">"
                      "<object type=\"Socket\"><object type=\"Core\"/></object></object>"
                      "<object type=\"NUMANode\" os_index=\"1\"><object type=\"Socket\"/>"
                      "<object type=\"Bridge\" bridge_type=\"0-1\"><object type=\"PCIDev\" "
                      "pci_busid=\"0000:83:00.0\" pci_type=\"0302 [10de:1db1] [10de:1212] a1\" "
                      "pci_link_speed=\"15.753846\"/></object></object></object></topology>",
                      "hwloc_xml");
    g_assert_cmpint(links_between(&i, "gpu0", "cpu1", "pcie"), ==, 1);
    g_assert_cmpint(links_between(&i, "cpu0", "cpu1", "socket"), ==, 1);
}

static void test_hwloc_refused(void)
{
    assert_refused("<machine/>", "hwloc_xml", DN_ERROR_SYNTAX,
                   "sample:1:1: root element 'machine'; wanted: <topology>");
    assert_refused("<topology>\n<object", "hwloc_xml", DN_ERROR_SYNTAX, "sample:2:9: not XML: ");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import/nvidia/h200x4", test_h200x4);
    g_test_add_func("/import/nvidia/levels", test_levels);
    g_test_add_func("/import/nvidia/named-gpu", test_named_gpu);
    g_test_add_func("/import/nvidia/hidden-levels", test_hidden_levels);
    g_test_add_func("/import/nvidia/p2p", test_p2p);
    g_test_add_func("/import/nvidia/refused", test_nvidia_refused);
    g_test_add_func("/import/nccl/h200x4", test_h200x4_nccl);
    g_test_add_func("/import/nccl/tree", test_nccl_tree);
    g_test_add_func("/import/nccl/planes", test_nccl_planes);
    g_test_add_func("/import/nccl/refused", test_nccl_refused);
    g_test_add_func("/import/rocm/mi250x", test_mi250x);
    g_test_add_func("/import/rocm/plain", test_rocm_plain);
    g_test_add_func("/import/rocm/refused", test_rocm_refused);
    g_test_add_func("/import/hwloc/two-sockets", test_hwloc);
    g_test_add_func("/import/hwloc/format1", test_hwloc_format1);
    g_test_add_func("/import/hwloc/refused", test_hwloc_refused);
    return g_test_run();
}
