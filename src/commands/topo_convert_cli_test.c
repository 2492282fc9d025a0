/* topo_convert_cli_test.c - `darner topo import` and `export` as a user runs them; and what SimGrid
 * itself reads from the platforms written for it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/cli_test.h"

static char *topo_convert_sample(const char *name)
{
    return g_build_filename(g_getenv("DARNER_ROOT"), "src", "topology", "import", "testdata", name,
                            NULL);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        g_error("'%s' is not in:\n%s", part, text);
}

/* Each sample becomes a machine that `topo` describes and `run` simulates. */
static void test_import_and_run(CliFolder *f, gconstpointer unused)
{
    static const char *const names[] = {"h200x4_topo.txt",     "four_gpus_topo.txt",
                                        "h200x4_nccl.xml",     "four_gpus_nccl.xml",
                                        "mi250x_showtopo.txt", "two_sockets_hwloc.xml",
                                        "slurm_tree.conf",     "slurm_block.conf",
                                        "two_level_ib.txt",    "zoo.graphml"};
    cli_write(f, "run.yaml",
              "machine: m.yaml\njobs:\n  - workload: {type: alltoall, bytes: 64 KiB}\n");
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = topo_convert_sample(names[i]);
        g_auto(CliAnswer) import = cli_run(f, "topo", "import", path, "-o", "m.yaml", NULL);
        g_assert_cmpstr(import.err, ==, "");
        g_assert_cmpint(import.status, ==, 0);
        g_auto(CliAnswer) topo = cli_run(f, "topo", "m.yaml", NULL);
        g_assert_cmpint(topo.status, ==, 0);
        assert_has(topo.out, " 0 without either");
        g_auto(CliAnswer) run = cli_run(f, "run", "run.yaml", "-o", "out", NULL);
        cli_assert_silent(&run);
        g_assert_cmpint(run.status, ==, 0);
        assert_has(run.out, "busiest link");
    }
}

/* Copies between GPUs stay on the NVLinks: the host's path must not tie with them. */
static void test_import_nvlink(CliFolder *f, gconstpointer unused)
{
    static const char *const names[] = {"h200x4_topo.txt", "h200x4_nccl.xml"};
    cli_write(f, "run.yaml",
              "machine: m.yaml\njobs:\n  - workload: {type: alltoall, bytes: 1 MiB}\n");
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = topo_convert_sample(names[i]);
        g_auto(CliAnswer) import = cli_run(f, "topo", "import", path, "-o", "m.yaml", NULL);
        g_assert_cmpint(import.status, ==, 0);
        g_auto(CliAnswer) run = cli_run(f, "run", "run.yaml", "-o", "out", NULL);
        g_assert_cmpint(run.status, ==, 0);
        g_autofree char *links = cli_read(f, "out/links.csv");
        assert_has(run.out, "nvlink");
        assert_has(links, "nvlink");
        g_assert_null(strstr(run.out, "pcie"));
    }
}

static void test_import_output(CliFolder *f, gconstpointer unused)
{
    g_autofree char *path = topo_convert_sample("slurm_tree.conf");
    g_auto(CliAnswer) out = cli_run(f, "topo", "import", path, NULL);
    g_auto(CliAnswer)
        given = cli_run(f, "topo", "import", path, "--format", "slurm", "-o", "m", NULL);
    g_autofree char *written = cli_read(f, "m");
    g_assert_cmpint(out.status, ==, 0);
    g_assert_cmpstr(out.out, ==, written);
    g_assert_cmpstr(given.out, ==, "");
}

static void topo_convert_refused(CliFolder *f, const char *start, const char *a, const char *b,
                                 const char *c, const char *d)
{
    g_auto(CliAnswer) answer = cli_run(f, "topo", a, b, c, d, NULL);
    g_assert_cmpint(answer.status, ==, 2);
    g_assert_cmpstr(answer.out, ==, "");
    if (!g_str_has_prefix(answer.err, start))
        g_error("'%s' does not begin with '%s'", answer.err, start);
}

static void test_refused(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "bad.conf", "SwitchName=s Nods=a\n");
    topo_convert_refused(f, "bad.conf:1:14: unknown key 'Nods'; did you mean 'Nodes'?", "import",
                         "bad.conf", NULL, NULL);
    topo_convert_refused(f, "bad.conf:1:1: not XML: ", "import", "bad.conf", "--format", "graphml");
    topo_convert_refused(f, "--format: unknown format 'x'", "import", "bad.conf", "--format", "x");
    topo_convert_refused(f, "darner topo import: 0 files given", "import", NULL, NULL, NULL);
    topo_convert_refused(f, "absent: cannot read: No such file", "import", "absent", NULL, NULL);
    topo_convert_refused(f, "unknown option '--formt'; did you mean '--format'?", "import",
                         "--formt", NULL, NULL);
    topo_convert_refused(f, "darner topo export: no --format", "export", "h200x4", NULL, NULL);
    topo_convert_refused(f, "darner topo export: 0 machines given", "export", "--format", "dot",
                         NULL);
    topo_convert_refused(f, "--format: unknown format 'dott'; did you mean 'dot'?", "export",
                         "h200x4", "--format", "dott");
    topo_convert_refused(f, "leonardo: ", "export", "leonardo", "--format", "simgrid");
    g_auto(CliAnswer)
        nodes = cli_run(f, "topo", "export", "lumi", "--format", "dot", "--nodes", "-1", NULL);
    g_assert_cmpint(nodes.status, ==, 2);
    assert_has(nodes.err, "--nodes -1; wanted: 1 or more");
    g_auto(CliAnswer)
        into = cli_run(f, "topo", "export", "h200x4", "--format", "dot", "-o", "absent/file", NULL);
    g_assert_cmpint(into.status, ==, 2);
    assert_has(into.err, "--output: ");
    g_assert_false(cli_exists(f, "absent"));
}

/* How long a message of MPI may be to leave at once: in a node, between nodes, and by its call. */
static void test_eager(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) leonardo = cli_run(f, "topo", "leonardo", NULL);
    g_auto(CliAnswer) tuolumne = cli_run(f, "topo", "tuolumne", NULL);
    g_auto(CliAnswer) fabric = cli_run(f, "topo", "dragonfly-1056", NULL);
    assert_has(leonardo.out,
               "mpi-host sends any size in a node, up to 256 KiB between nodes, before "
               "the receiver is there\n");
    assert_has(leonardo.out,
               "mpi-host sends any size in a node, up to 32 KiB between nodes, before "
               "the receiver is there, by calls that do not wait\n");
    assert_has(leonardo.out, "gpu-mpi sends up to 8.062 KiB in a node, up to 16 KiB between nodes, "
                             "before the receiver is there");
    assert_has(tuolumne.out, "gpu-mpi sends up to 16 KiB before the receiver is there");
    g_assert_null(strstr(fabric.out, "receiver"));
    g_auto(CliAnswer) alps = cli_run(f, "topo", "alps", NULL);
    g_auto(CliAnswer) frontier = cli_run(f, "topo", "frontier", NULL);
    assert_has(alps.out, "gpu-mpi sends up to 0 B in a node, up to 16 KiB between nodes, before");
    assert_has(frontier.out, "gpu-mpi sends up to 8 KiB in a node, up to 16 KiB between nodes");
}

/* Cores of CPUs are no more CPUs of a node. */
static void test_cores(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer)
        lumi = cli_run(f, "topo", "lumi", "-s", "endpoints=cpu", "-s", "cores=14", NULL);
    assert_has(lumi.out, "each 4 nic, 8 gpu, 4 cpu, 56 core\n");
}

static void test_help(CliFolder *f, gconstpointer unused)
{
    g_auto(CliAnswer) import = cli_run(f, "topo", "import", "--help", NULL);
    g_auto(CliAnswer) export = cli_run(f, "topo", "export", "--help", NULL);
    assert_has(import.out, "ibnetdiscover");
    assert_has(export.out, "simgrid");
}

/* What SimGrid says of one route. */
typedef struct {
    guint64 hosts;
    double latency_s, bandwidth_Bps;
} Seen;

/* A symbol as a function, without a cast that ISO C has no word for. */
static void topo_convert_find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    g_assert_nonnull(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

/* In a child: SimGrid has one platform a process, and aborts on what it does not like. */
static void ask_simgrid(void *library, const char *file, const char *from, const char *to, int pipe)
{
    void (*init)(int *, char **), (*load)(const char *);
    gsize (*count)(void);
    void *(*by_name)(const char *);
    double (*latency)(const void *, const void *), (*bandwidth)(const void *, const void *);
    topo_convert_find(library, "simgrid_init", &init);
    topo_convert_find(library, "simgrid_load_platform", &load);
    topo_convert_find(library, "sg_host_count", &count);
    topo_convert_find(library, "sg_host_by_name", &by_name);
    topo_convert_find(library, "sg_host_get_route_latency", &latency);
    topo_convert_find(library, "sg_host_get_route_bandwidth", &bandwidth);
    char name[] = "test", model[] = "--cfg=network/model:CM02", *words[] = {name, model, NULL};
    int argc = 2;
    init(&argc, words);
    load(file);
    Seen seen = {count(), latency(by_name(from), by_name(to)),
                 bandwidth(by_name(from), by_name(to))};
    _exit(write(pipe, &seen, sizeof seen) == sizeof seen ? 0 : 1);
}

/* FALSE: there is no SimGrid here. */
static gboolean seen_by_simgrid(const CliFolder *f, const char *from, const char *to, Seen *seen)
{
    void *library = dlopen("libsimgrid.so", RTLD_NOW | RTLD_LOCAL);
    g_autofree char *file = g_build_filename(f->dir, "p.xml", NULL);
    int ends[2], status;
    if (library == NULL)
        library = dlopen("libsimgrid.so.3.32", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return FALSE;
    g_assert_cmpint(pipe(ends), ==, 0);
    pid_t child = fork();
    if (child == 0)
        ask_simgrid(library, file, from, to, ends[1]);
    close(ends[1]);
    g_assert_cmpint(read(ends[0], seen, sizeof *seen), ==, sizeof *seen);
    close(ends[0]);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    return TRUE;
}

#define SKIP "no libsimgrid here (apt install libsimgrid-dev): platforms were not loaded by SimGrid"

/* h200x4: 276 + 100 + 276 ns; 18 * 212.496 Gb/s * 83.03 % payload. */
static void test_simgrid_node(CliFolder *f, gconstpointer unused)
{
    Seen seen;
    g_auto(CliAnswer)
        out = cli_run(f, "topo", "export", "h200x4", "--format", "simgrid", "-o", "p.xml", NULL);
    g_assert_cmpint(out.status, ==, 0);
    if (!seen_by_simgrid(f, "e0", "e3", &seen)) {
        g_test_skip(SKIP);
        return;
    }
    g_assert_cmpuint(seen.hosts, ==, 4);
    g_assert_cmpfloat_with_epsilon(seen.latency_s, 652e-9, 1e-13);
    g_assert_cmpfloat_with_epsilon(seen.bandwidth_Bps, 18 * 212.496e9 * 0.8303 / 8, 1);
}

/* A bare fabric, written here: two switches of two terminals, NICs as endpoints, of whose own 50
 * ns the first takes a quarter and the last three. Between switches: 15 + 130 + 100 + 130 + 15 ns;
 * the cable between them is narrowest. */
static void test_simgrid_fabric(CliFolder *f, gconstpointer unused)
{
    Seen seen;
    cli_write(f, "two.yaml",
              "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n  links:\n"
              "    terminal: {bandwidth: 200 Gb/s, latency: 15 ns, buffer: 64 KiB}\n"
              "    link: {bandwidth: 100 Gb/s, latency: 100 ns, efficiency: 50 %, buffer: 64 KiB}\n"
              "  switch: {latency: 130 ns}\nnic: {latency: 50 ns}\n");
    g_auto(CliAnswer)
        out = cli_run(f, "topo", "export", "two.yaml", "--format", "simgrid", "-o", "p.xml", NULL);
    g_assert_cmpstr(out.err, ==, "");
    if (!seen_by_simgrid(f, "e0", "e3", &seen)) {
        g_test_skip(SKIP);
        return;
    }
    g_assert_cmpuint(seen.hosts, ==, 4);
    g_assert_cmpfloat_with_epsilon(seen.latency_s, 440e-9, 1e-13);
    g_assert_cmpfloat_with_epsilon(seen.bandwidth_Bps, 6.25e9, 1);
}

/* SVG with every vertex; none without Graphviz, none when it cannot be written. */
static void test_drawing(CliFolder *f, gconstpointer unused)
{
    g_autofree char *before = g_strdup(g_getenv("PATH"));
    g_setenv("PATH", f->dir, TRUE);
    g_auto(CliAnswer) missing = cli_run(f, "topo", "h200x4", "--svg", "m.svg", NULL);
    g_setenv("PATH", before, TRUE);
    assert_has(missing.err, "--svg needs Graphviz' `dot` in PATH");
    g_assert_cmpint(missing.status, ==, 2);
    g_assert_cmpstr(missing.out, ==, "");
    g_assert_false(cli_exists(f, "m.svg"));
    g_autofree char *dot = g_find_program_in_path("dot");
    if (dot == NULL) {
        g_test_skip("Graphviz' dot is not installed: the drawing is NOT tested");
        return;
    }
    g_auto(CliAnswer) drawn = cli_run(f, "topo", "h200x4", "--svg", "m.svg", NULL);
    g_assert_cmpstr(drawn.err, ==, "");
    g_assert_cmpint(drawn.status, ==, 0);
    g_autofree char *svg = cli_read(f, "m.svg");
    assert_has(svg, "gpu3");
    assert_has(svg, "</svg>");
    g_auto(CliAnswer) printed = cli_run(f, "topo", "h200x4", "--svg", "-", NULL);
    g_assert_cmpstr(printed.out, ==, svg);
    g_auto(CliAnswer) absent = cli_run(f, "topo", "h200x4", "--svg", "absent/m.svg", NULL);
    assert_has(absent.err, "--svg: ");
    g_assert_cmpint(absent.status, ==, 2);
    g_auto(CliAnswer) large = cli_run(f, "topo", "torus-4x4x4", "--set", "fabric.dims=[11, 11, 11]",
                                      "--svg", "l.svg", NULL);
    assert_has(large.err, "--svg draws up to 1200 switches or vertices, or 300 groups of as many "
                          "switches; this machine has 1331");
    g_assert_cmpint(large.status, ==, 2);
    g_assert_false(cli_exists(f, "l.svg"));
    g_auto(CliAnswer) switches =
        cli_run(f, "topo", "torus-4x4x4", "--set", "fabric.dims=[7, 7, 7]", "--svg", "s.svg", NULL);
    g_assert_cmpint(switches.status, ==, 0);
    g_autofree char *fabric = cli_read(f, "s.svg");
    assert_has(fabric, ">s263<");
    g_assert_null(strstr(fabric, ">n0<"));
}

/* Above 600 vertices: three drawings in one, the same each time. */
static void test_drawing_of_groups(CliFolder *f, gconstpointer unused)
{
    g_autofree char *dot = g_find_program_in_path("dot");
    if (dot == NULL) {
        g_test_skip("no Graphviz");
        return;
    }
    g_auto(CliAnswer) once = cli_run(f, "topo", "dragonfly-1056", "--svg", "-", NULL);
    g_auto(CliAnswer) again = cli_run(f, "topo", "dragonfly-1056", "--svg", "-", NULL);
    g_assert_cmpint(once.status, ==, 0);
    assert_has(once.out, "264 switches in 33 groups; links between two groups: 1<");
    assert_has(once.out, "group 0: 8 switches, each with 4 links to nodes, 7 inside the group, ");
    assert_has(once.out, "id=\"first_node_");
    g_assert_true(g_str_has_suffix(once.out, "</svg>\n</svg>\n"));
    g_assert_cmpstr(once.out, ==, again.out);
}

/* A small machine is drawn the same each time: Graphviz' fdp, which draws boxes itself, orders
 * vertices by their addresses. */
static void test_drawing_again(CliFolder *f, gconstpointer unused)
{
    static const char *const machines[] = {"apenet-ib12", "dgx-a100-4"};
    g_autofree char *dot = g_find_program_in_path("dot");
    if (dot == NULL) {
        g_test_skip("no Graphviz");
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        g_auto(CliAnswer) once = cli_run(f, "topo", machines[i], "--svg", "-", NULL);
        g_assert_cmpint(once.status, ==, 0);
        assert_has(once.out, ">node 3<");
        for (guint k = 0; k < 4; k++) {
            g_auto(CliAnswer) again = cli_run(f, "topo", machines[i], "--svg", "-", NULL);
            g_assert_cmpstr(again.out, ==, once.out);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/cli/topo/import/run", test_import_and_run);
    cli_test_add("/cli/topo/import/nvlink", test_import_nvlink);
    cli_test_add("/cli/topo/import/output", test_import_output);
    cli_test_add("/cli/topo/convert/refused", test_refused);
    cli_test_add("/cli/topo/eager", test_eager);
    cli_test_add("/cli/topo/cores", test_cores);
    cli_test_add("/cli/topo/convert/help", test_help);
    cli_test_add("/cli/topo/export/simgrid/node", test_simgrid_node);
    cli_test_add("/cli/topo/export/simgrid/fabric", test_simgrid_fabric);
    cli_test_add("/cli/topo/drawing", test_drawing);
    cli_test_add("/cli/topo/drawing/groups", test_drawing_of_groups);
    cli_test_add("/cli/topo/drawing/again", test_drawing_again);
    return g_test_run();
}
