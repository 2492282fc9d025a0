/* run_spec_test.c - run files and sweeps: every key, every refusal, and what the hash covers. */
#include "config/run_spec.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define JOB "jobs: [{workload: {type: alltoall, bytes: 1 MiB}}]\n"
#define LEAST "machine: lumi\n" JOB

static const char RUN[] = "description: all of it\n"
                          "machine: {include: part.yaml, name: mine}\n"
                          "nodes: 2\n"
                          "engine: flow\n"
                          "seed: 9223372036854775807\n"
                          "threads: 256\n"
                          "packet: {size: 4 KiB, virtual_channels: 3, max_memory: 1 GiB}\n"
                          "routing: {algorithm: ugal}\n"
                          "jobs:\n"
                          "  - name: a2a\n"
                          "    workload: {type: alltoall}\n"
                          "    ranks: 8\n"
                          "    placement: spread\n"
                          "    mechanism: d2d\n"
                          "    iterations: 5\n"
                          "    service_level: 3\n"
                          "  - workload: pingpong\n"
                          "    placement: [7, 0, 3]\n"
                          "until: 100 us\n"
                          "output: elsewhere/x\n";

static void write_file(const char *name, const char *text)
{
    g_assert_true(g_file_set_contents(name, text, -1, NULL));
}

static DnRunSpec *run_spec_load(const char *text, const char *const *set)
{
    g_autoptr(GError) error = NULL;
    write_file("run.yaml", text);
    DnRunSpec *spec = dn_run_spec_load("run.yaml", set, &error);
    g_assert_no_error(error);
    return spec;
}

static void run_spec_refuses(const char *text, DnError code, const char *message)
{
    g_autoptr(GError) error = NULL;
    write_file("run.yaml", text);
    g_assert_null(dn_run_spec_load("run.yaml", NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_all_keys(void)
{
    write_file("part.yaml", "fabric: {type: torus}\n");
    g_autoptr(DnRunSpec) s = run_spec_load(RUN, NULL);
    g_assert_cmpstr(dn_config_get(s->machine, "name")->scalar, ==, "mine");
    g_assert_nonnull(dn_config_get(s->machine, "fabric"));
    g_assert_cmpuint(s->nodes, ==, 2);
    g_assert_cmpstr(s->engine, ==, "flow");
    g_assert_cmpuint(s->seed, ==, G_MAXINT64);
    g_assert_cmpuint(s->threads, ==, 256);
    g_assert_cmpint(s->packet_bytes, ==, 4096);
    g_assert_cmpuint(s->virtual_channels, ==, 3);
    g_assert_cmpint(s->max_memory_bytes, ==, 1 << 30);
    g_assert_cmpstr(dn_config_get(s->routing, "algorithm")->scalar, ==, "ugal");
    g_assert_cmpint(s->until_ps, ==, 100000000);
    g_assert_cmpstr(s->output, ==, "elsewhere/x");
    g_assert_cmpuint(s->n_jobs, ==, 2);
    const DnJobSpec *job = &s->jobs[0];
    g_assert_cmpstr(job->name, ==, "a2a");
    g_assert_cmpuint(job->ranks, ==, 8);
    g_assert_cmpint(job->placement, ==, DN_PLACE_SPREAD);
    g_assert_cmpstr(job->mechanism->scalar, ==, "d2d");
    g_assert_cmpuint(job->iterations, ==, 5);
    g_assert_cmpuint(job->service_level, ==, 3);
    job = &s->jobs[1];
    g_assert_cmpstr(job->name, ==, "job1");
    g_assert_cmpstr(job->workload->scalar, ==, "pingpong");
    g_assert_cmpint(job->placement, ==, DN_PLACE_LIST);
    g_assert_cmpuint(job->ranks, ==, 3); /* as many as are listed */
    g_assert_cmpuint(job->placement_list[0], ==, 7);
    g_assert_cmpuint(job->placement_list[2], ==, 3);
    /* what is handed on is unread: its keys are left for others to consume */
    g_assert_false(dn_config_check_consumed(s->root, NULL, NULL));
}

static void test_defaults(void)
{
    g_autoptr(DnRunSpec) s = run_spec_load(LEAST, NULL);
    g_assert_cmpstr(s->machine->scalar, ==, "lumi");
    g_assert_null(s->routing);
    g_assert_cmpuint(s->nodes, ==, 0);
    g_assert_cmpstr(s->engine, ==, "packet");
    g_assert_cmpuint(s->seed, ==, 1);
    g_assert_cmpuint(s->threads, ==, 1);
    g_assert_cmpint(s->packet_bytes, ==, 0);
    g_assert_cmpuint(s->virtual_channels, ==, 0);
    g_assert_cmpint(s->max_memory_bytes, ==, 0); /* of what the host has */
    g_assert_cmpint(s->until_ps, ==, 0);
    g_assert_cmpstr(s->output, ==, "out/run");
    g_assert_cmpstr(s->jobs[0].name, ==, "job0");
    g_assert_cmpuint(s->jobs[0].ranks, ==, 0);
    g_assert_cmpint(s->jobs[0].placement, ==, DN_PLACE_CONTIGUOUS);
    g_assert_null(s->jobs[0].placement_list);
    g_assert_null(s->jobs[0].mechanism);
    g_assert_cmpuint(s->jobs[0].iterations, ==, 1);
}

static void test_top_errors(void)
{
    run_spec_refuses(
        LEAST "sede: 1\n", DN_ERROR_UNKNOWN,
        "run.yaml:3:1: unknown key 'sede'; did you mean 'seed'? known: machine, jobs, nodes, "
        "engine, seed, repeat, threads, packet, flow, routing, until, measure, background, "
        "slowdown, "
        "bound, measured, output, description, sweep");
    run_spec_refuses(JOB, DN_ERROR_MISSING,
                     "run.yaml:1:1: missing key 'machine': a name in topologies/, a path, a "
                     "mapping, or {name: x, "
                     "key: value}");
    run_spec_refuses("machine: lumi\n", DN_ERROR_MISSING,
                     "run.yaml:1:1: missing key 'jobs': a list of what runs");
    run_spec_refuses("machine:\n" JOB, DN_ERROR_TYPE,
                     "run.yaml:1:9: machine: a name or a mapping is wanted, not nothing");
    run_spec_refuses("machine: [a]\n" JOB, DN_ERROR_TYPE,
                     "run.yaml:1:10: machine: a name or a mapping is wanted, not a list");
    run_spec_refuses(LEAST "seed: -1\n", DN_ERROR_RANGE,
                     "run.yaml:3:7: seed: '-1' is out of range; allowed: 0 to 9223372036854775807");
    run_spec_refuses(LEAST "threads: 0\n", DN_ERROR_RANGE,
                     "run.yaml:3:10: threads: '0' is out of range; allowed: 1 to 256");
    run_spec_refuses(LEAST "threads: 257\n", DN_ERROR_RANGE,
                     "run.yaml:3:10: threads: '257' is out of range; allowed: 1 to 256");
    run_spec_refuses(LEAST "nodes: 0\n", DN_ERROR_RANGE,
                     "run.yaml:3:8: nodes: '0' is out of range; allowed: 1 to 16777216");
    run_spec_refuses(LEAST "until: 0\n", DN_ERROR_RANGE,
                     "run.yaml:3:8: until: '0' is out of range; allowed: 1 ps to 1000000 s");
    run_spec_refuses(LEAST "until: 5\n", DN_ERROR_UNIT,
                     "run.yaml:3:8: until: '5' has no unit: a time is wanted; "
                     "allowed: ps, ns, us, ms, s");
    run_spec_refuses(LEAST "packet: {size: 2 MiB}\n", DN_ERROR_RANGE,
                     "run.yaml:3:16: size: '2 MiB' is out of range; allowed: 1 B to 1 MiB");
    run_spec_refuses(LEAST "packet: {sise: 2 KiB}\n", DN_ERROR_UNKNOWN,
                     "run.yaml:3:10: unknown key 'sise'; did you mean 'size'? "
                     "known: size, virtual_channels, max_memory");
    run_spec_refuses(LEAST "packet: big\n", DN_ERROR_TYPE,
                     "run.yaml:3:9: packet: a mapping (key: value) is wanted, not 'big'");
    run_spec_refuses(LEAST "engine: {a: 1}\n", DN_ERROR_TYPE,
                     "run.yaml:3:9: engine: a single value is wanted, not a mapping");
}

static void refuses_job(const char *job, DnError code, const char *message)
{
    g_autofree char *text = g_strdup_printf("machine: lumi\njobs:\n- %s\n", job);
    run_spec_refuses(text, code, message);
}

static void test_measure(void)
{
    g_autoptr(DnRunSpec) without = run_spec_load(LEAST, NULL),
                         bare = run_spec_load(LEAST "measure: {}\n", NULL);
    g_assert_null(without->measure.node);
    g_assert_nonnull(bare->measure.node);
    g_assert_cmpint(bare->measure.warmup_ps, ==, 0);
    g_assert_cmpint(bare->measure.window_ps, ==, 0);
    g_assert_cmpfloat(bare->measure.tolerance, ==, 0.05);
    g_autoptr(DnRunSpec) full =
        run_spec_load(LEAST "measure: {warmup: 20 us, window: auto, tolerance: 2 %}\n", NULL);
    g_assert_cmpint(full->measure.warmup_ps, ==, 20000000);
    g_assert_cmpint(full->measure.window_ps, ==, 0);
    g_assert_cmpfloat(full->measure.tolerance, ==, 0.02);
    run_spec_refuses(LEAST "measure: {tolerance: 60 %}\n", DN_ERROR_RANGE,
                     "run.yaml:3:22: tolerance: '60 %' is out of range; allowed: 0.001 to 0.5");
    run_spec_refuses(
        LEAST "until: 1 us\nmeasure: {}\n", DN_ERROR_RANGE,
        "run.yaml:4:10: measure: ends the run by itself; allowed: `measure` or `until`, not "
        "both");
    run_spec_refuses(
        LEAST "measure: {windows: 3}\n", DN_ERROR_UNKNOWN,
        "run.yaml:3:11: unknown key 'windows'; did you mean 'window'? known: warmup, window, "
        "tolerance");
    run_spec_refuses(LEAST "measure: {warmup: 0}\n", DN_ERROR_RANGE,
                     "run.yaml:3:19: warmup: '0' is out of range; allowed: 1 ps to 1000000 s");
}

static void test_job_errors(void)
{
    run_spec_refuses("machine: lumi\njobs: []\n", DN_ERROR_RANGE,
                     "run.yaml:2:7: jobs: 0 jobs; allowed: 1 to 4096");
    run_spec_refuses("machine: lumi\njobs: {a: 1}\n", DN_ERROR_TYPE,
                     "run.yaml:2:7: jobs: a list ([a, b]) is wanted, not a mapping");
    refuses_job("alltoall", DN_ERROR_TYPE,
                "run.yaml:3:3: jobs[0]: a mapping (key: value) is wanted, not 'alltoall'");
    refuses_job("{name: a}", DN_ERROR_MISSING,
                "run.yaml:3:3: missing key 'workload': a name in workloads/, or {type: ...}");
    refuses_job("{workload: [x]}", DN_ERROR_TYPE,
                "run.yaml:3:14: workload: a name or a mapping is wanted, not a list");
    refuses_job("{workload: x, mechanism: ''}", DN_ERROR_TYPE,
                "run.yaml:3:28: mechanism: a name or a mapping is wanted, not ''");
    refuses_job(
        "{workload: x, rank: 3}", DN_ERROR_UNKNOWN,
        "run.yaml:3:17: unknown key 'rank'; did you mean 'ranks'? known: name, workload, "
        "ranks, placement, ranks_per_node, exclusive, mechanism, iterations, start, background, "
        "service_level, packet_aggregation, routing_mode, noise, burst, pause");
    refuses_job("{workload: x, burst: 0}", DN_ERROR_RANGE,
                "run.yaml:3:24: burst: '0' is out of range; allowed: 1 to 1000000000");
    refuses_job("{workload: x, iterations: 0}", DN_ERROR_RANGE,
                "run.yaml:3:29: iterations: '0' is out of range; allowed: 1 to 1000000");
    refuses_job("{workload: x, iterations: 1000001}", DN_ERROR_RANGE,
                "run.yaml:3:29: iterations: '1000001' is out of range; allowed: 1 to 1000000");
    refuses_job("{workload: x, ranks: 0}", DN_ERROR_RANGE,
                "run.yaml:3:24: ranks: '0' is out of range; allowed: 1 to 16777216");
    refuses_job("{workload: x, service_level: 16}", DN_ERROR_RANGE,
                "run.yaml:3:32: service_level: '16' is out of range; allowed: 0 to 15");
    refuses_job("{workload: x, name: a/b}", DN_ERROR_RANGE,
                "run.yaml:3:23: name: 'a/b' cannot name a job; allowed: 1 to 64 bytes without "
                "/ , \\ quotes, control characters or a leading dot");
    refuses_job("{workload: x, name: a}\n- {workload: y, name: a}", DN_ERROR_RANGE,
                "run.yaml:4:23: name: 'a' names jobs[0] too; each job needs its own");
    /* a name given twice by giving one that a nameless job has */
    refuses_job("{workload: x, name: job1}\n- {workload: y}", DN_ERROR_RANGE,
                "run.yaml:4:3: name: 'job1' names jobs[0] too; each job needs its own");
}

static void test_placement_errors(void)
{
    refuses_job("{workload: x, placement: contigous}", DN_ERROR_UNKNOWN,
                "run.yaml:3:28: unknown placement 'contigous'; did you mean 'contiguous'? "
                "allowed: contiguous, random, random_node, random_switch, random_group, "
                "random_node_sorted, spread, "
                "spread_switch, spread_group");
    refuses_job("{workload: x, background: yes}", DN_ERROR_RANGE,
                "run.yaml:3:1: jobs: all of them are background; at least one job must come to an "
                "end");
    refuses_job("{workload: x, placement: []}", DN_ERROR_RANGE,
                "run.yaml:3:28: placement: no endpoints are listed; allowed: one a rank");
    refuses_job("{workload: x, ranks: 3, placement: [0, 1]}", DN_ERROR_RANGE,
                "run.yaml:3:38: placement: 2 endpoints for 3 ranks; allowed: one a rank");
    refuses_job("{workload: x, placement: [0, 1, 0]}", DN_ERROR_RANGE,
                "run.yaml:3:35: placement: endpoint 0 is listed twice; allowed: one rank each");
    refuses_job("{workload: x, placement: [-1]}", DN_ERROR_RANGE,
                "run.yaml:3:29: placement: '-1' is out of range; allowed: 0 to 4294967294");
    refuses_job("{workload: x, placement: [gpu0]}", DN_ERROR_TYPE,
                "run.yaml:3:29: placement: a whole number is wanted, not 'gpu0'");
}

static void test_overrides(void)
{
    static const char *const SET[] = {"routing.algorithm=valiant", "jobs[0].workload.bytes=2 MiB",
                                      "nodes=4", NULL};
    g_autoptr(DnRunSpec) s = run_spec_load(LEAST, SET);
    g_assert_cmpstr(dn_config_get(s->routing, "algorithm")->scalar, ==, "valiant");
    g_assert_cmpstr(dn_config_get(s->jobs[0].workload, "bytes")->scalar, ==, "2 MiB");
    g_assert_cmpuint(s->nodes, ==, 4);
    static const char *const BAD[] = {"threads=1000", NULL};
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_run_spec_load("run.yaml", BAD, &error));
    g_assert_cmpstr(error->message, ==,
                    "--set threads: threads: '1000' is out of range; allowed: 1 to 256");
}

static char *hash_with(const char *text, const char *set)
{
    const char *const sets[] = {set, NULL};
    g_autoptr(DnRunSpec) s = run_spec_load(text, sets);
    return g_strdup(s->hash);
}

static void test_hash(void)
{
    g_autofree char *plain = hash_with(LEAST, NULL);
    /* `printf 'machine: lumi\njobs: [{workload: {type: alltoall, bytes: 1 MiB}}]\n' | sha256sum` */
    g_assert_cmpstr(plain, ==, "540768b30dba");
    g_autofree char *spaced = hash_with("# c\nmachine:   lumi\n\n" JOB, NULL);
    g_assert_cmpstr(spaced, ==, plain);
    g_autofree char *elsewhere = hash_with(LEAST, "output=b");
    g_assert_cmpstr(elsewhere, ==, plain);
    g_autofree char *threads = hash_with(LEAST, "threads=2");
    g_assert_cmpstr(threads, ==, plain);
    g_autofree char *seed = hash_with(LEAST, "seed=2");
    g_assert_cmpstr(seed, !=, plain);
    g_autofree char *bytes = hash_with(LEAST, "jobs[0].workload.bytes=2 MiB");
    g_assert_cmpstr(bytes, !=, plain);
}

static const char SWEEP[] = "sweep:\n"
                            "  jobs[0].workload.bytes: [1 B, 4 B, 16 B]\n"
                            "  routing.algorithm: [minimal, 'ugal']\n";

static void test_sweep(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat(LEAST, SWEEP, NULL);
    write_file("run.yaml", text);
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(sweep->n_keys, ==, 2);
    g_assert_cmpuint(sweep->n_points, ==, 6);
    g_assert_cmpstr(sweep->keys[0], ==, "jobs[0].workload.bytes");
    static const char *const FIRST[] = {"1 B", "1 B", "4 B", "4 B", "16 B", "16 B"};
    for (guint p = 0; p < 6; p++) { /* the first key is slowest */
        g_assert_cmpstr(sweep->values[p][0], ==, FIRST[p]);
        g_assert_cmpstr(sweep->values[p][1], ==, p % 2 == 0 ? "minimal" : "\"ugal\"");
        g_autoptr(DnRunSpec) s = dn_sweep_spec(sweep, p, &error);
        g_assert_no_error(error);
        const DnConfigNode *bytes = dn_config_get(s->jobs[0].workload, "bytes");
        g_assert_cmpstr(bytes->scalar, ==, FIRST[p]);
        g_assert_cmpstr(bytes->file, ==, "run.yaml"); /* an error would stand in the list */
        g_assert_cmpuint(bytes->line, ==, 4);
        g_assert_cmpstr(dn_config_get(s->routing, "algorithm")->scalar, ==,
                        p % 2 == 0 ? "minimal" : "ugal");
    }
    g_autoptr(DnRunSpec) base = dn_run_spec_load("run.yaml", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(dn_config_get(base->jobs[0].workload, "bytes")->scalar, ==, "1 MiB");
}

/* All points come from what was read once: what becomes of the file later does not matter. */
static void test_sweep_read_once(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat(LEAST, SWEEP, NULL);
    write_file("run.yaml", text);
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(g_remove("run.yaml"), ==, 0);
    for (guint again = 0; again < 2; again++) {
        g_autoptr(DnRunSpec) s = dn_sweep_spec(sweep, 5, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(dn_config_get(s->jobs[0].workload, "bytes")->scalar, ==, "16 B");
        g_assert_cmpstr(dn_config_get(s->routing, "algorithm")->scalar, ==, "ugal");
        g_assert_cmpstr(s->output, ==, "out/run");
    }
}

/* A point is the run that says the same without a sweep. */
static void test_sweep_hash(void)
{
    write_file("run.yaml", LEAST "sweep:\n  jobs[0].workload.bytes: [1 B, 2 MiB]\n");
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", NULL, NULL);
    g_autoptr(DnRunSpec) point = dn_sweep_spec(sweep, 1, NULL);
    g_autofree char *alone = hash_with(LEAST, "jobs[0].workload.bytes=2 MiB");
    g_assert_cmpstr(point->hash, ==, alone);
}

static void test_no_sweep(void)
{
    static const char *const TEXTS[] = {LEAST, LEAST "sweep: {}\n"};
    for (guint i = 0; i < G_N_ELEMENTS(TEXTS); i++) {
        write_file("run.yaml", TEXTS[i]);
        g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", NULL, NULL);
        g_assert_cmpuint(sweep->n_keys, ==, 0);
        g_assert_cmpuint(sweep->n_points, ==, 1);
        g_autoptr(DnRunSpec) s = dn_sweep_spec(sweep, 0, NULL);
        g_assert_nonnull(s);
    }
}

static void test_sweep_pinned(void)
{
    g_autofree char *text = g_strconcat(LEAST, SWEEP, NULL);
    write_file("run.yaml", text);
    static const char *const SET[] = {"jobs[0].workload.bytes=8 B", NULL};
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", SET, NULL);
    g_assert_cmpuint(sweep->n_points, ==, 2);
    g_assert_cmpstr(sweep->keys[0], ==, "routing.algorithm");
    g_autoptr(DnRunSpec) s = dn_sweep_spec(sweep, 1, NULL);
    g_assert_cmpstr(dn_config_get(s->jobs[0].workload, "bytes")->scalar, ==, "8 B");
}

/* Below a key swept by name what is set by hand holds at each point; below one written out the
 * message stands at the value that has the key itself. */
static void test_sweep_set_below(void)
{
    static const char *const SET[] = {"machine.nodes=2", NULL};
    g_autoptr(GError) error = NULL;
    g_autofree char *names = g_strconcat(LEAST, "sweep: {machine: [lumi, alps]}\n", NULL);
    write_file("run.yaml", names);
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", SET, NULL);
    for (guint point = 0; point < 2; point++) {
        g_autoptr(DnRunSpec) s = dn_sweep_spec(sweep, point, NULL);
        g_assert_cmpstr(dn_config_get(s->machine, "name")->scalar, ==, point ? "alps" : "lumi");
        g_assert_cmpstr(dn_config_get(s->machine, "nodes")->scalar, ==, "2");
    }
    g_autofree char *whole = g_strconcat(LEAST, "sweep: {machine: [{name: lumi}]}\n", NULL);
    write_file("run.yaml", whole);
    g_assert_null(dn_sweep_load("run.yaml", SET, &error));
    g_assert_cmpstr(error->message, ==,
                    "run.yaml:3:19: --set machine.nodes has no effect on this value of the sweep "
                    "over machine; change the value here, or set machine whole, which ends the "
                    "sweep over it");
}

static void refuses_sweep(const char *sweep, DnError code, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat(LEAST, sweep, "\n", NULL);
    write_file("run.yaml", text);
    g_assert_null(dn_sweep_load("run.yaml", NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_sweep_errors(void)
{
    refuses_sweep("sweep: [1]", DN_ERROR_TYPE,
                  "run.yaml:3:8: sweep: a mapping (key: value) is wanted, not a list");
    refuses_sweep("sweep: {seed: 3}", DN_ERROR_TYPE,
                  "run.yaml:3:15: sweep.seed: a list ([a, b]) is wanted, not '3'");
    refuses_sweep("sweep: {seed: []}", DN_ERROR_RANGE,
                  "run.yaml:3:15: seed: no values to sweep over");
    refuses_sweep("sweep: {seed: [1, 2, 1]}", DN_ERROR_RANGE,
                  "run.yaml:3:22: seed: '1' stands twice among the values to sweep over; allowed: "
                  "each value once (`repeat: 2` runs each point with two seeds)");
    refuses_sweep("sweep: {packet.size: [2 KiB, 1 KiB, 1024 B]}", DN_ERROR_RANGE,
                  "run.yaml:3:37: packet.size: '1024 B' is the same value as '1 KiB' at "
                  "run.yaml:3:30; allowed: each value once (`repeat: 2` runs each point with two "
                  "seeds)");
    refuses_sweep("sweep: {bound: [yes, no, true]}", DN_ERROR_RANGE,
                  "run.yaml:3:26: bound: 'true' is the same value as 'yes' at run.yaml:3:17; "
                  "allowed: each value once (`repeat: 2` runs each point with two seeds)");
    refuses_sweep("sweep: {packet: [{size: 1 kB, header: 1 B}, {header: 1 B, size: \"1000 B\"}]}",
                  DN_ERROR_RANGE,
                  "run.yaml:3:45: packet: '{header: 1 B, size: \"1000 B\"}' is the same value as "
                  "'{size: 1 kB, header: 1 B}' at run.yaml:3:18; allowed: each value once "
                  "(`repeat: 2` runs each point with two seeds)");
    refuses_sweep("sweep:\n  jobs[1].ranks: [1]", DN_ERROR_RANGE,
                  "run.yaml:4:3: cannot set 'jobs[1].ranks': jobs has 1 item, counted from 0");
    refuses_sweep(
        "sweep: {packet..b: [1]}", DN_ERROR_SYNTAX,
        "run.yaml:3:9: 'packet..b' is not a key path; wanted: like jobs[0].workload.bytes");
    refuses_sweep("sweep: {sweep.seed: [1]}", DN_ERROR_RANGE,
                  "run.yaml:3:9: sweep: a sweep does not sweep itself");
    refuses_sweep("sweep: {sweep: [1]}", DN_ERROR_RANGE,
                  "run.yaml:3:9: sweep: a sweep does not sweep itself");
    refuses_sweep("sweep: {sede: [1]}", DN_ERROR_UNKNOWN,
                  "run.yaml:3:9: unknown key 'sede'; did you mean 'seed'? known: machine, jobs, "
                  "nodes, engine, seed, repeat, threads, packet, flow, routing, until, measure, "
                  "background, slowdown, bound, measured, output, description");
}

static char *run_spec_numbers(guint n)
{
    GString *out = g_string_new("[");
    for (guint i = 0; i < n; i++)
        g_string_append_printf(out, "%u,", i);
    g_string_append_c(out, ']');
    return g_string_free(out, FALSE);
}

/* 10 x 10,000 points are allowed, 10 x 10,001 are not. */
static void test_sweep_limit(void)
{
    g_autofree char *ten = run_spec_numbers(10);
    g_autofree char *most = run_spec_numbers(10000);
    g_autofree char *more = run_spec_numbers(10001);
    g_autofree char *fits = g_strdup_printf(LEAST "sweep: {nodes: %s, seed: %s}\n", ten, most);
    write_file("run.yaml", fits);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnSweep) sweep = dn_sweep_load("run.yaml", NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(sweep->n_points, ==, 100000);
    g_assert_cmpstr(sweep->values[99999][0], ==, "9");
    g_assert_cmpstr(sweep->values[99999][1], ==, "9999");
    g_assert_cmpstr(sweep->values[10000][0], ==, "1");
    g_assert_cmpstr(sweep->values[10000][1], ==, "0");
    g_autofree char *bursts = g_strdup_printf("sweep: {nodes: %s, seed: %s}", ten, more);
    refuses_sweep(bursts, DN_ERROR_RANGE,
                  "run.yaml:3:46: seed: makes 100010 points of the sweep; allowed: 100000");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *folder = g_dir_make_tmp("darner-run-spec-XXXXXX", NULL);
    g_assert_cmpint(chdir(folder), ==, 0);
    g_test_add_func("/run_spec/all-keys", test_all_keys);
    g_test_add_func("/run_spec/defaults", test_defaults);
    g_test_add_func("/run_spec/top-errors", test_top_errors);
    g_test_add_func("/run_spec/measure", test_measure);
    g_test_add_func("/run_spec/job-errors", test_job_errors);
    g_test_add_func("/run_spec/placement-errors", test_placement_errors);
    g_test_add_func("/run_spec/overrides", test_overrides);
    g_test_add_func("/run_spec/hash", test_hash);
    g_test_add_func("/run_spec/sweep", test_sweep);
    g_test_add_func("/run_spec/sweep-read-once", test_sweep_read_once);
    g_test_add_func("/run_spec/sweep-hash", test_sweep_hash);
    g_test_add_func("/run_spec/no-sweep", test_no_sweep);
    g_test_add_func("/run_spec/sweep-pinned", test_sweep_pinned);
    g_test_add_func("/run_spec/sweep-set-below", test_sweep_set_below);
    g_test_add_func("/run_spec/sweep-errors", test_sweep_errors);
    g_test_add_func("/run_spec/sweep-limit", test_sweep_limit);
    int status = g_test_run();
    g_remove("run.yaml");
    g_remove("part.yaml");
    g_rmdir(folder);
    return status;
}
