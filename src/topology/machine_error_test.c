/* machine_error_test.c - Bad machines, and machines too large for the memory, are refused with the
 * place and the reason. */
#include "topology/machine_test.h"

typedef struct {
    const char *name, *text;
    DnError code;
    const char *message; /* a part of it */
} Bad;

#define VERTICES(v) "node: {vertices: [" v "]}\n"
#define TWO "{name: gpu, kind: gpu, count: 2}"
#define EDGE(e) "node: {vertices: [" TWO "], links: {bus: " LINK "}, edges: [" e "]}\n"

static const Bad bad[] = {
    {"unknown-machine", "leonrado", DN_ERROR_UNKNOWN,
     "run.yaml:1:1: unknown machine 'leonrado'; "
     "did you mean 'leonardo'?"},
    {"no-file", "./nowhere.yaml", DN_ERROR_FILE, "run.yaml:1:1: no machine file './nowhere.yaml'"},
    {"a-list", "[1, 2]", DN_ERROR_TYPE, "run.yaml:1:1: "},
    {"empty", "{}", DN_ERROR_MISSING, "a machine needs fabric: or node:"},
    {"unknown-key", MESH "fabirc: 1\n", DN_ERROR_UNKNOWN, "did you mean 'fabric'?"},
    {"misplaced-key", "{name: leonardo, lanes: 4}", DN_ERROR_UNKNOWN,
     "run.yaml:1:25: unknown key 'lanes' here; it is a key of the machine's `hardware:`"},
    {"misplaced-routing", "{name: leonardo, algorithm: minimal}", DN_ERROR_UNKNOWN,
     "it is a key of the machine's `routing:`"},
    {"unknown-set-key", "{name: leonardo, endpoint: cpu}", DN_ERROR_UNKNOWN,
     "did you mean 'endpoints'?"},
    {"default-unknown", "{name: h200x4, default_mechanism: {gpu: mpi}}", DN_ERROR_UNKNOWN,
     "'mpi' is none of the machine's `mechanisms:`"},
    {"default-kind", "{name: h200x4, default_mechanism: {gpus: nccl}}", DN_ERROR_UNKNOWN,
     "did you mean 'gpu'?"},
    {"none-kind", "{name: alps, no_mechanism: {gpus: none}}", DN_ERROR_UNKNOWN,
     "did you mean 'gpu'?"},
    {"none-list", "{name: alps, no_mechanism: [gpu]}", DN_ERROR_TYPE, "run.yaml:1:28: "},
    {"unknown-type", "fabric: {type: dragonfy}", DN_ERROR_UNKNOWN, "did you mean 'dragonfly'?"},
    {"no-type", "fabric: {}", DN_ERROR_MISSING, "missing key 'type'"},
    {"no-links", "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1}",
     DN_ERROR_MISSING, "missing key 'links'"},
    {"no-class",
     "fabric: {type: full_mesh, switches: 2, terminals_per_switch: 1, links: {terminal: " LINK "}}",
     DN_ERROR_MISSING, "missing key 'link'"},
    {"extra-class",
     "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1, links: {terminal: " LINK
     ", link: " LINK ", lnk: " LINK "}}",
     DN_ERROR_UNKNOWN, "unknown link class 'lnk'; did you mean 'link'?"},
    {"no-unit",
     "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1, links: {terminal: "
     "{bandwidth: 100, latency: 1 ns, buffer: 1 KiB}, link: " LINK "}}",
     DN_ERROR_UNIT, "run.yaml:1:"},
    {"efficiency", "node: {vertices: [" TWO "], links: {bus: {" LINK_KEYS ", efficiency: 120 %}}}",
     DN_ERROR_RANGE, "efficiency"},
    {"shared-buffer",
     "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1, links: {terminal: "
     "{" LINK_KEYS ", shared_buffer: 79 B}, link: " LINK "}}\n"
     "hardware: {packet: 64 B, header: 16 B}",
     DN_ERROR_RANGE, "79 B hold no packet, which has 80 B"},
    {"latency-zero",
     "node: {vertices: [" TWO "], links: {bus: {bandwidth: 1 Gb/s, latency: 0, buffer: 1 KiB}}}",
     DN_ERROR_RANGE, "latency"},
    {"endpoints-word", "{name: h200x4, endpoints: gpus}", DN_ERROR_UNKNOWN, "did you mean 'gpu'?"},
    {"endpoints-none", "{name: h200x4, endpoints: cpu}", DN_ERROR_RANGE,
     "endpoints: cpu, but the node has none"},
    {"endpoints-bare", "{name: dragonfly-1056, endpoints: gpu}", DN_ERROR_RANGE,
     "a fabric without node: has NICs only"},
    {"cores-of-gpus", "{name: h200x4, cores: 2}", DN_ERROR_RANGE, "but ranks live on gpu"},
    {"cores-bare", "{name: dragonfly-1056, cores: 2}", DN_ERROR_RANGE, "has NICs only"},
    {"cores-too-many", "{name: lumi, endpoints: cpu, cores: 1021, nodes: 1}", DN_ERROR_RANGE,
     "1021 cores of 4 CPUs; a node has at most 4096"},
    {"cores-class",
     "node:\n  vertices: [{name: a, kind: cpu, count: 2}]\n  links: {core: " LINK "}\n"
     "  edges: [{all_to_all: a, class: core}]\ncores: 2\n",
     DN_ERROR_RANGE, "link class 'core' is that of cores"},
    {"attach-without-fabric", "{name: h200x4, attach: {nodes_per_blade: 2}}", DN_ERROR_COMBINATION,
     "attach: how nodes sit on switches, but there is no fabric"},
    {"too-many-nodes", "{name: h200x4, nodes: 2}", DN_ERROR_RANGE, "no fabric: to join them"},
    {"too-many-nodes-fabric", MESH NODE "nodes: 9\n", DN_ERROR_RANGE, "at most 8"},
    {"no-nics", MESH VERTICES(TWO), DN_ERROR_MISSING, "no entry of nics: serves 'gpu0'"},
    {"nic-not-listed", MESH VERTICES("{name: nic, kind: nic}"), DN_ERROR_MISSING,
     "'nic' is not in nics:"},
    {"nic-not-listed-alone",
     "node:\n  vertices: [{name: n, kind: nic, count: 2}]\n  nics: [{nic: n0}]\n", DN_ERROR_MISSING,
     "'n1' is not in nics:"},
    {"attach-divides", MESH NODE "attach: {switches_per_node: 3}\n", DN_ERROR_RANGE,
     "does not fit"},
    {"attach-blade", MESH NODE "attach: {switches_per_node: 2, nodes_per_blade: 3}\n",
     DN_ERROR_RANGE, "nodes_per_blade: 3 nodes, each on 2 switch(es) of its own; a group has 4"},
    {"attach-other", MESH NODE "attach: {other_groups: {1: 2}}\n", DN_ERROR_RANGE,
     "groups are 0 to 0"},
    {"attach-others", MESH NODE "attach: {other_groups: {0: 9}}\n", DN_ERROR_RANGE,
     "at most 8 nodes"},
    {"attach-group", MESH NODE "attach: {nodes_per_group: 9}\n", DN_ERROR_RANGE, "at most 8 nodes"},
    {"vertex-twice", VERTICES(TWO ", {name: gpu1, kind: cpu}"), DN_ERROR_RANGE,
     "vertex 'gpu1' is there twice"},
    {"family-twice", VERTICES(TWO ", " TWO), DN_ERROR_RANGE, "vertices 'gpu' are there twice"},
    {"vertex-count", VERTICES("{name: gpu, kind: gpu, count: 5000}"), DN_ERROR_RANGE, "count"},
    {"vertex-kind", VERTICES("{name: x, kind: gpuu}"), DN_ERROR_UNKNOWN, "did you mean 'gpu'?"},
    {"many-vertices", VERTICES("{name: a, kind: gpu, count: 4096}, {name: b, kind: gpu, count: 1}"),
     DN_ERROR_RANGE, "too many vertices"},
    {"edge-vertex", EDGE("{link: [gpu0, gpu7], class: bus}"), DN_ERROR_UNKNOWN,
     "unknown vertex 'gpu7'; did you mean"},
    {"edge-family", EDGE("{all_to_all: gpx, class: bus}"), DN_ERROR_UNKNOWN, "did you mean 'gpu'?"},
    {"edge-class", EDGE("{all_to_all: gpu, class: bux}"), DN_ERROR_UNKNOWN, "did you mean 'bus'?"},
    {"edge-self", EDGE("{link: [gpu0, gpu0], class: bus}"), DN_ERROR_RANGE, "to itself"},
    {"edge-forms", EDGE("{link: [gpu0, gpu1], all_to_all: gpu, class: bus}"), DN_ERROR_MISSING,
     "wanted: one of them"},
    {"edge-three", EDGE("{link: [gpu0, gpu1, gpu0], class: bus}"), DN_ERROR_RANGE, "wanted: two"},
    {"edge-none", EDGE("{class: bus}"), DN_ERROR_MISSING, "wanted: one of them"},
    {"edge-cables",
     EDGE("{all_to_all: gpu, class: bus, count: 1000000, bundle: no}, "
          "{all_to_all: gpu, class: bus}"),
     DN_ERROR_RANGE, "too many links"},
    {"unconnected", EDGE(""), DN_ERROR_RANGE, "no path from node 0 gpu0 to node 0 gpu1"},
    {"nic-kind", MESH VERTICES(TWO "], nics: [{nic: gpu0}"), DN_ERROR_RANGE, "not of kind nic"},
    {"class-name",
     MESH "node: {vertices: [{name: nic, kind: nic}], links: {terminal: " LINK
          "}, nics: [{nic: nic}]}\n",
     DN_ERROR_RANGE, "is the fabric's name"},
    {"hardware-key", MESH "hardware: {lane: 1}\n", DN_ERROR_UNKNOWN, "did you mean 'lanes'?"},
    {"hardware-range", MESH "hardware: {lanes: 99}\n", DN_ERROR_RANGE, "lanes"},
    {"ids",
     "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1048576, " MESH_LINKS "}\n"
     "node: {vertices: [{name: gpu, kind: gpu, count: 4000}, {name: nic, kind: nic}], links: "
     "{bus: " LINK "}, edges: [{each: [gpu, nic], class: bus}], nics: [{nic: nic}]}\n"
     "endpoints: nic\n",
     DN_ERROR_RANGE, "at most 2^31 vertices"},
};

static void test_bad(gconstpointer data)
{
    const Bad *b = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = load_text(b->text, 0, &error);
    g_assert_null(m);
    g_assert_error(error, DN_ERROR, (gint)b->code);
    if (strstr(error->message, b->message) == NULL)
        g_error("'%s' does not say '%s'", error->message, b->message);
    g_assert_null(strchr(error->message, '\n'));
    g_assert_nonnull(strstr(error->message, ".yaml:")); /* where */
}

/* 2^20 terminals with 1000 GPUs each: 2^30 vertices are some 40 GB, with their links 90 GB. */
static void test_memory(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    guint64 available = 0;
    if (g_file_get_contents("/proc/meminfo", &text, NULL, NULL))
        available = g_ascii_strtoull(strstr(text, "MemAvailable:") + 13, NULL, 10) >> 20;
    if (available == 0 || available > 80) {
        g_test_skip("this computer has the memory");
        return;
    }
    g_autoptr(DnMachine) m = load_text(
        "fabric: {type: full_mesh, switches: 1, terminals_per_switch: 1048576, " MESH_LINKS "}\n"
        "node: {vertices: [{name: gpu, kind: gpu, count: 1000}, {name: nic, kind: nic}], links: "
        "{bus: " LINK "}, edges: [{each: [gpu, nic], class: bus}], nics: [{nic: nic}]}\n"
        "endpoints: nic\n"
        "nodes: 1000000\n",
        0, &error);
    g_assert_null(m);
    g_assert_error(error, DN_ERROR, DN_ERROR_MEMORY);
    g_assert_true(g_str_has_prefix(error->message, "run.yaml:4:8: the machine takes at least "));
}

static void test_partial_too_many(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = load_text("lumi", 2979, &error);
    g_assert_null(m);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_cmpstr(error->message, ==, "run.yaml:1:1: 2979 nodes of lumi; it has 2978");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *path = g_strconcat("/machine/bad/", bad[i].name, NULL);
        g_test_add_data_func(path, &bad[i], test_bad);
    }
    g_test_add_func("/machine/partial-too-many", test_partial_too_many);
    g_test_add_func("/machine/memory", test_memory);
    return g_test_run();
}
