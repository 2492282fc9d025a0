/* fuzz_readers.c - Every reader of files that users bring gets arbitrary bytes.
 *
 * A reader either refuses with an error that is one line of UTF-8, or hands out what it read. The
 * program knows one target a reader, by name:
 *     fuzz_readers TARGET FILE|FOLDER...   each file once: replays the corpora kept in corpus/
 * Built by clang with -Dfuzzer=true, or by GCC as fuzz_new_cases with -Dfuzzer_library=FILE, it is
 * a libFuzzer program; DARNER_FUZZ_TARGET names its target.
 * scripts/fuzz runs both.
 * A run that can be set up is simulated for a short time, a trace of few calls without time.
 * LIMITATIONS: not by the flow engine, whose solver is a process of its own and no target, as
 * SMPI's files are none. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "calibration/measurements.h"
#include "experiment/checked_machine.h"
#include "experiment/run_origin.h"
#include "experiment/simulate.h"
#include "topology/import/import.h"
#include "topology/parts.h"
#include "trace/convert.h"
#include "trace/dry_run.h"
#include "trace/trace.h"

#define MACHINE_BYTES ((guint64)64 << 20)
#define RUN_RANKS 256
#define RUN_PS 20000000 /* 20 us */
#define TRACE_RANKS 8
#define TRACE_CALLS 2000

static char *fuzz_folder; /* of this process */

static char *fuzz_file(const char *name, const guint8 *bytes, gsize n)
{
    char *path = g_build_filename(fuzz_folder, name, NULL);
    FILE *out = g_fopen(path, "wb");
    g_assert_true(out != NULL && fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
    return path;
}

/* Up to PARTS files: the parts of the input, with PART_END between them, get these @names. Returns
 * the path of the first that is not empty, else of the first. */
#define PARTS 3
#define PART_END "\n%%\n"
static char *fuzz_files(const char *const names[PARTS], const guint8 *bytes, gsize n)
{
    char *first = NULL;
    gboolean found = FALSE;
    for (guint i = 0; i < PARTS && names[i] != NULL; i++) {
        const guint8 *end = n > 0 && i + 1 < PARTS && names[i + 1] != NULL
                                ? memmem(bytes, n, PART_END, strlen(PART_END))
                                : NULL;
        gsize length = end != NULL ? (gsize)(end - bytes) : n;
        g_autofree char *path = fuzz_file(names[i], bytes, length);
        if (i > 0 && length == 0)
            g_unlink(path);
        if (!found && (i == 0 || length > 0)) {
            g_free(first);
            first = g_steal_pointer(&path);
            found = length > 0;
        }
        gsize passed = end != NULL ? length + strlen(PART_END) : length;
        bytes += passed;
        n -= passed;
    }
    return first;
}

/* An error says what is wrong; nothing else is an answer. */
static void fuzz_answer(gboolean read, const GError *error)
{
    g_assert_true(read == (error == NULL));
    g_assert_true(error == NULL || g_utf8_validate(error->message, -1, NULL));
}

/* The third part: values as after --set, one a line. */
static void fuzz_run(const guint8 *bytes, gsize n)
{
    static const char *const names[PARTS] = {"run.yaml", "two.yaml", "set"};
    g_autoptr(GError) error = NULL;
    g_free(fuzz_files(names, bytes, n));
    g_autofree char *path = g_build_filename(fuzz_folder, names[0], NULL);
    g_autofree char *list = g_build_filename(fuzz_folder, names[2], NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) set = NULL;
    if (g_file_get_contents(list, &text, NULL, NULL) && g_utf8_validate(text, -1, NULL))
        set = g_strsplit(g_strchomp(text), "\n", 8);
    g_autoptr(DnSweep) sweep = dn_sweep_load(path, (const char *const *)set, &error);
    fuzz_answer(sweep != NULL, error);
    if (error != NULL)
        g_free(dn_config_excerpt(error->message, (const char *const *)set));
    for (guint i = 0; sweep != NULL && i < MIN(sweep->n_points, 3); i++) {
        g_autoptr(GError) of_point = NULL;
        g_autoptr(DnRunSpec) spec = dn_sweep_spec(sweep, i, &of_point);
        fuzz_answer(spec != NULL, of_point);
    }
}

/* One iteration of each job, for a short time; what the run costs is estimated before, as for a
 * user. */
static void simulate_shortly(DnRunSpec *spec)
{
    g_autoptr(GError) error = NULL;
    g_auto(DnRunCheck) check = {0};
    gboolean checked = dn_simulate_check(spec, NULL, NULL, &check, &error);
    fuzz_answer(checked, error);
    if (!checked || g_str_equal(spec->engine, "flow"))
        return;
    spec->measure.node = NULL;
    spec->until_ps = RUN_PS;
    spec->threads = MIN(spec->threads, 2);
    for (guint j = 0; j < spec->n_jobs; j++)
        spec->jobs[j].iterations = 1;
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    fuzz_answer(result != NULL, error);
}

/* Workloads, placements, mechanisms, routing and the like are read when a run is set up. The second
 * part: a file that the run names, of hosts or a trace. */
static void fuzz_setup(const guint8 *bytes, gsize n)
{
    static const char *const names[PARTS] = {"run.yaml", "file"};
    g_autoptr(GError) error = NULL;
    g_free(fuzz_files(names, bytes, n));
    g_autofree char *path = g_build_filename(fuzz_folder, names[0], NULL);
    g_autoptr(DnRunSpec) spec = dn_run_spec_load(path, NULL, &error);
    guint64 ranks = 0;
    for (guint j = 0; spec != NULL && j < spec->n_jobs; j++)
        ranks += spec->jobs[j].ranks;
    if (spec == NULL || ranks > RUN_RANKS) {
        fuzz_answer(spec != NULL, error);
        return;
    }
    spec->max_memory_bytes = MACHINE_BYTES;
    simulate_shortly(spec);
}

static void fuzz_machine(const guint8 *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    static const char *const names[PARTS] = {"machine.yaml", "edges.csv", "edges.graphml"};
    g_free(fuzz_files(names, bytes, n));
    g_autofree char *path = g_build_filename(fuzz_folder, names[0], NULL);
    g_autoptr(DnConfigNode) root = dn_config_load(path, NULL, &error);
    if (root == NULL) {
        fuzz_answer(FALSE, error);
        return;
    }
    const DnMachineMemory memory = {.max_bytes = MACHINE_BYTES};
    g_autoptr(DnMachine) machine = dn_checked_machine_load(root, 0, &memory, &error);
    fuzz_answer(machine != NULL, error);
    if (machine != NULL && machine->parts != NULL) {
        g_auto(DnFabricCost) cost = dn_fabric_cost(machine);
        g_assert_nonnull(cost.cables);
    }
}

static void import_as(const char *format, const guint8 *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText) text = dn_import_text_new("fuzz", (const char *)bytes, n, &error);
    g_autofree char *yaml = text != NULL ? dn_import(text, format, NULL, &error) : NULL;
    fuzz_answer(yaml != NULL, error);
}

static void dry_run(const char *path, const char *format)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = dn_trace_open_program(path, format, NULL, NULL, &error);
    fuzz_answer(program != NULL, error);
    if (program == NULL)
        return;
    DnDryRunResult result;
    DnDryRunObserver nobody = {0};
    dn_dry_run(program, &nobody, &result);
    dn_dry_run_result_clear(&result);
}

static void trace_as(const char *format, const char *const names[PARTS], const guint8 *bytes,
                     gsize n)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = fuzz_files(names, bytes, n);
    g_autoptr(DnTrace) trace = dn_trace_open(path, format, &error);
    fuzz_answer(trace != NULL, error);
    for (guint32 r = 0; trace != NULL && r < MIN(trace->ranks, 8); r++) {
        DnTraceCursor *cursor = dn_trace_cursor_new(trace, r);
        DnTraceOp op;
        while (dn_trace_cursor_next(cursor, &op))
            ;
        dn_trace_cursor_free(cursor);
    }
    if (trace != NULL && trace->ranks <= TRACE_RANKS && trace->ops <= TRACE_CALLS)
        dry_run(path, format);
}

static void fuzz_csv(const guint8 *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = fuzz_file("table.csv", bytes, n);
    g_autoptr(DnCsv) csv = dn_csv_load(path, &error);
    fuzz_answer(csv != NULL, error);
}

/* Feeds one part as a file, two parts as a folder of blink's with one run, s/r. */
static void fuzz_measurements(const guint8 *bytes, gsize n)
{
    static const char *const names[PARTS] = {"measured"};
    static const char *const inside[PARTS] = {"description.csv", "s/r/data.csv"};
    g_autoptr(GError) error = NULL;
    gboolean two = n > 0 && memmem(bytes, n, PART_END, strlen(PART_END)) != NULL;
    g_autofree char *run = g_build_filename(fuzz_folder, "s/r", NULL);
    g_assert_true(!two || g_mkdir_with_parents(run, 0700) == 0);
    g_autofree char *file = fuzz_files(two ? inside : names, bytes, n);
    g_autofree char *csv = dn_measurements_csv(two ? fuzz_folder : file, NULL, NULL, &error);
    fuzz_answer(csv != NULL, error);
}

static void fuzz_results(const guint8 *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    static const char *const names[PARTS] = {"summary.json", "timing.json", "run.yaml"};
    g_free(fuzz_files(names, bytes, n));
    g_autoptr(DnRunOrigin) origin = dn_run_origin_read(fuzz_folder, &error);
    fuzz_answer(origin != NULL, error);
    if (origin == NULL || g_strcmp0(origin->file, names[2]) != 0)
        return;
    g_free(origin->file);
    origin->file = g_build_filename(fuzz_folder, names[2], NULL);
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) of_point = NULL;
        g_autoptr(DnRunSpec) spec = dn_run_origin_spec(origin, i, &of_point);
        fuzz_answer(spec != NULL, of_point);
    }
}

#define IMPORT(format)                                                                             \
    static void fuzz_##format(const guint8 *bytes, gsize n)                                        \
    {                                                                                              \
        import_as(#format, bytes, n);                                                              \
    }
IMPORT(graphml)
IMPORT(hwloc_xml)
IMPORT(ibnetdiscover)
IMPORT(nccl_xml)
IMPORT(nvidia_topo)
IMPORT(rocm_topo)
IMPORT(simgrid)
IMPORT(slurm)
#define TRACE(format, ...)                                                                         \
    static void fuzz_##format(const guint8 *bytes, gsize n)                                        \
    {                                                                                              \
        static const char *const names[PARTS] = {__VA_ARGS__};                                     \
        trace_as(#format, names, bytes, n);                                                        \
    }
TRACE(ti, "t.txt", "a0", "a1")
TRACE(goal, "t.goal")
TRACE(goal_binary, "t.bin")
TRACE(dumpi, "t.meta", "t-0000.bin", "t-0001.bin")
TRACE(chakra, "t.0.et", "t.1.et", "t.json")
TRACE(darner, "t.drn")

static const struct {
    const char *name;
    void (*read)(const guint8 *bytes, gsize n);
} targets[] = {
    {"run", fuzz_run},
    {"setup", fuzz_setup},
    {"machine", fuzz_machine},
    {"graphml", fuzz_graphml},
    {"hwloc_xml", fuzz_hwloc_xml},
    {"ibnetdiscover", fuzz_ibnetdiscover},
    {"nccl_xml", fuzz_nccl_xml},
    {"nvidia_topo", fuzz_nvidia_topo},
    {"rocm_topo", fuzz_rocm_topo},
    {"simgrid", fuzz_simgrid},
    {"slurm", fuzz_slurm},
    {"ti", fuzz_ti},
    {"goal", fuzz_goal},
    {"goal_binary", fuzz_goal_binary},
    {"dumpi", fuzz_dumpi},
    {"chakra", fuzz_chakra},
    {"darner", fuzz_darner},
    {"csv", fuzz_csv},
    {"measurements", fuzz_measurements},
    {"results", fuzz_results},
};

static guint target_find(const char *name)
{
    for (guint i = 0; name != NULL && i < G_N_ELEMENTS(targets); i++)
        if (strcmp(targets[i].name, name) == 0)
            return i;
    fprintf(stderr, "fuzz_readers: no such target; known:");
    for (guint i = 0; i < G_N_ELEMENTS(targets); i++)
        fprintf(stderr, " %s", targets[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static void remove_all(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir != NULL && (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_unlink(path) != 0)
            remove_all(path);
    }
    if (dir != NULL)
        g_dir_close(dir);
    g_rmdir(folder);
}

static void folder_remove(void)
{
    remove_all(fuzz_folder);
}

static void folder_make(void)
{
    fuzz_folder = g_dir_make_tmp("darner-fuzz-XXXXXX", NULL);
    g_assert_nonnull(fuzz_folder);
    atexit(folder_remove);
}

#ifdef DN_LIBFUZZER
/* libFuzzer looks for leaks after each case. LeakSanitizer's own look at the end is left out: GLib
 * never frees a table of interned strings (names of files and mechanisms) that became too small. */
static void end_without_leak_check(int status, void *unused)
{
    (void)unused;
    folder_remove();
    _exit(status);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n);
int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    static guint target = G_MAXUINT;
    if (target == G_MAXUINT) {
        target = target_find(g_getenv("DARNER_FUZZ_TARGET"));
        folder_make();
        on_exit(end_without_leak_check, NULL);
    }
    targets[target].read(bytes, n);
    return 0;
}
#else
static guint replay_file(guint target, const char *path)
{
    g_autofree char *bytes = NULL;
    gsize n = 0;
    if (!g_file_get_contents(path, &bytes, &n, NULL))
        return 0;
    g_autofree guint8 *exact = g_memdup2(bytes, n); /* no byte behind it: sanitizers look */
    targets[target].read(exact, n);
    return 1;
}

int main(int argc, char **argv)
{
    guint target = target_find(argc > 1 ? argv[1] : NULL), n = 0;
    folder_make();
    for (int i = 2; i < argc; i++) {
        g_autoptr(GDir) dir = g_dir_open(argv[i], 0, NULL);
        if (dir == NULL)
            n += replay_file(target, argv[i]);
        for (const char *name; dir != NULL && (name = g_dir_read_name(dir)) != NULL;) {
            g_autofree char *path = g_build_filename(argv[i], name, NULL);
            n += replay_file(target, path);
        }
    }
    printf("%s: %u files\n", targets[target].name, n);
    return 0;
}
#endif
