/* simulate_test.c - a run file to results over the real engine, and what is found before it starts.
 *
 * The machine is named by DARNER_ROOT's topologies: h200x4, four GPUs behind an NVSwitch. */
#include "experiment/simulate.h"
#include "config/test_run_spec.h"

#include <math.h>
#include <string.h>

static DnRunResult *simulate_file(const char *text, DnProgressFunc progress, GError **error)
{
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, error);
    if (!spec)
        return NULL;
    const DnRunOptions options = {.progress = {.call = progress}};
    return dn_simulate(spec, &options, NULL, error);
}

static DnRunResult *simulate_well(const char *text)
{
    g_autoptr(GError) error = NULL;
    DnRunResult *result = simulate_file(text, NULL, &error);
    g_assert_no_error(error);
    return result;
}

/* Two jobs on their own pairs of GPUs: what each gets is what it asked for; a larger message takes
 * longer by its bytes at no more than the link's rate. */
static void test_jobs(void)
{
    g_autoptr(DnRunResult) s = simulate_well(
        "machine: h200x4\njobs:\n"
        " - {name: small, workload: {type: pingpong, bytes: 1 B}, ranks: 2, iterations: 4}\n"
        " - {name: large, workload: {type: pingpong, bytes: 64 MiB}, ranks: 2, iterations: 3}\n");
    g_assert_cmpuint(s->n_jobs, ==, 2);
    const DnJobResult *small = &s->jobs[0], *large = &s->jobs[1];
    g_assert_cmpstr(small->name, ==, "small");
    g_assert_cmpstr(small->workload, ==, "pingpong");
    g_assert_cmpuint(small->n_iterations, ==, 4);
    g_assert_cmpuint(large->n_iterations, ==, 3);
    g_assert_cmpuint(small->messages, ==, 8);
    g_assert_cmpuint(large->messages, ==, 6);
    g_assert_cmpuint(large->n_latency, ==, 6);
    g_assert_cmpuint(large->endpoints[0], ==, 2);
    g_assert_cmpuint(large->endpoints[1], ==, 3);
    g_assert_cmpfloat(large->goodput_bytes, ==, 64.0 * (1 << 20));
    /* 18 links of 26.562 GB/s a GPU (nvlink.txt): 64 MiB take at least 140 us. */
    gint64 wire_ps = (gint64)(64.0 * (1 << 20) / (18 * 26.562e9) * 1e12);
    g_assert_cmpint(large->iteration_ps[1] - small->iteration_ps[1], >, wire_ps);
    g_assert_cmpint(large->iteration_ps[1] - small->iteration_ps[1], <, wire_ps * 3 / 2);
    /* Nothing else moves: iterations are alike but for the rounding of half a picosecond. */
    g_assert_cmpint(ABS(large->iteration_ps[1] - large->iteration_ps[2]), <=, 1);
    g_assert_cmpuint(s->engine.messages, ==, 14);
    g_assert_cmpuint(s->warnings->len, ==, 0);
}

/* A job that starts later takes as long as one that starts at once: its first iteration begins with
 * it, on its own pair of GPUs. */
static void test_start(void)
{
    g_autoptr(DnRunResult) s = simulate_well(
        "machine: h200x4\njobs:\n"
        " - {name: a, workload: {type: pingpong, bytes: 1 MiB}, ranks: 2, iterations: 2}\n"
        " - {name: b, workload: {type: pingpong, bytes: 1 MiB}, ranks: 2, iterations: 2,"
        " start: 1 ms}\n");
    for (guint i = 0; i < 2; i++)
        g_assert_cmpint(ABS(s->jobs[0].iteration_ps[i] - s->jobs[1].iteration_ps[i]), <=, 1);
    g_assert_cmpint(s->engine.end_ps, >, 1000000000);
}

/* Two pairs over the same GPUs: a background transfer of 64 MiB, repeated for ever, halves what a
 * transfer in the foreground gets while both send, and ends with it, on each engine that shares. */
static void test_background(void)
{
    static const char *const engines[] = {"packet", "flow"};
    for (guint i = 0; i < G_N_ELEMENTS(engines); i++) {
        gint64 took[2];
        for (guint shared = 0; shared < 2; shared++) {
            g_autofree char *text = g_strdup_printf(
                "machine: h200x4\nengine: %s\njobs:\n"
                " - {name: fore, workload: {type: flows, flows: [[0, 1]], bytes: 256 MiB},"
                " placement: [0, 1]}\n%s",
                engines[i],
                shared == 0 ? ""
                            : " - {name: back, workload: {type: flows, flows: [[0, 1]], bytes: 64 "
                              "MiB}, placement: [0, 1], background: yes}\n");
            g_autoptr(DnRunResult) s = simulate_well(text);
            g_assert_cmpuint(s->jobs[0].n_iterations, ==, 1);
            took[shared] = s->jobs[0].iteration_ps[0];
            g_assert_cmpuint(s->warnings->len, ==, 0);
            if (shared == 0)
                continue;
            g_assert_cmpint(s->engine.end_ps, <, took[1] + took[1] / 10);
            /* 256 MiB at half the rate is the time of 512 MiB: four of 64 MiB go beside it. */
            g_assert_cmpuint(s->jobs[1].n_iterations, >=, 3);
            g_assert_cmpuint(s->jobs[1].n_iterations, <=, 4);
        }
        double ratio = (double)took[1] / (double)took[0];
        g_assert_cmpfloat(ratio, >, 1.9);
        g_assert_cmpfloat(ratio, <, 2.1);
    }
}

/* Two nodes of one Aries router, a message of one packet each way an iteration: a header flit and
 * four of data each, and a response. Rank 1 has ended its iteration when its message is on the way
 * to its NIC, and is read when it sends the next one: both count for their own iteration, but for
 * rank 1's last. Equation 2 with the mean L of both, which do not differ: 513 / 1024 L + 5 cycles.
 */
static void test_nic_iterations(void)
{
    g_autoptr(DnRunResult) s =
        simulate_well("machine: piz-daint\nnodes: 4\nrouting: {algorithm: aries}\njobs:\n"
                      " - {workload: {type: pingpong, bytes: 64 B}, ranks: 2, iterations: 3}\n");
    double cycle_ps = 1e12 / s->machine->hardware.clock_hz;
    g_assert_nonnull(s->jobs[0].nic);
    for (guint i = 0; i < 3; i++) {
        const DnNicIteration *nic = &s->jobs[0].nic[i];
        double latency_ps = (double)nic->latency_ps / (double)nic->responses;
        g_assert_cmpuint(nic->flits, ==, i == 2 ? 5 : 10);
        g_assert_cmpuint(nic->responses, ==, i == 2 ? 1 : 2);
        /* All messages but the first follow a response, and wait for their 80 B at 10.5 GB/s. */
        double late_ps = 80 / 10.5e-3 - 5 * cycle_ps;
        guint late = i == 1 ? 2 : 1;
        g_assert_cmpfloat(fabs((double)nic->stalled_ps - late * late_ps), <=, 2);
        double expected_ps = 513.0 / 1024.0 * latency_ps + 5 * cycle_ps + late_ps;
        g_assert_cmpfloat(fabs((double)nic->network_ps - expected_ps), <=, 1);
    }
    g_autoptr(DnRunResult) none = simulate_well(
        "machine: h200x4\njobs: [{workload: {type: pingpong, bytes: 64 B}, ranks: 2}]\n");
    g_assert_null(none->jobs[0].nic);
}

/* One-sided messages of the foreground are waited for: open-loop ranks are done sending long before
 * the last message of an overloaded link arrives. */
static void test_background_one_sided(void)
{
    g_autoptr(DnRunResult) s = simulate_well(
        "machine: h200x4\njobs:\n"
        " - {name: fore, workload: {type: uniform, bytes: 64 KiB, load: 0.5, rate: 3 Tb/s,"
        " messages: 50}, placement: [0, 1, 2, 3]}\n"
        " - {name: back, workload: {type: ring, bytes: 1 MiB}, placement: [0, 1, 2, 3],"
        " background: yes}\n");
    g_assert_cmpuint(s->jobs[0].one_sided_messages, ==, 200);
    g_assert_cmpuint(s->jobs[0].n_iterations, ==, 1);
}

/* Equal seeds, equal results; another seed, other traffic; two equal jobs do not send in step. */
static void test_seed(void)
{
    gint64 end[3], first[3][2];
    for (guint i = 0; i < 3; i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: h200x4\nseed: %u\njobs:\n"
            " - {name: a, workload: {type: uniform, bytes: 64 KiB, load: 0.5, rate: 3 Tb/s,"
            " messages: 50}, placement: [0, 1, 2, 3]}\n"
            " - {name: b, workload: {type: uniform, bytes: 64 KiB, load: 0.5, rate: 3 Tb/s,"
            " messages: 50}, placement: [0, 1, 2, 3]}\n",
            i == 2 ? 9u : 8u);
        g_autoptr(DnRunResult) s = simulate_well(text);
        g_assert_cmpuint(s->jobs[0].one_sided_messages, ==, 200);
        end[i] = s->engine.end_ps;
        first[i][0] = s->jobs[0].iteration_ps[0];
        first[i][1] = s->jobs[1].iteration_ps[0];
    }
    g_assert_cmpint(end[0], ==, end[1]);
    g_assert_cmpint(first[0][0], ==, first[1][0]);
    g_assert_cmpint(first[0][1], ==, first[1][1]);
    g_assert_cmpint(end[0], !=, end[2]);
    g_assert_cmpint(first[0][0], !=, first[0][1]);
}

static void test_until(void)
{
    g_autoptr(DnRunResult)
        s = simulate_well("machine: h200x4\nuntil: 100 us\njobs:\n"
                          " - {workload: {type: ring, bytes: 16 MiB}, iterations: 50}\n");
    g_assert_cmpuint(s->jobs[0].n_iterations, >=, 1);
    g_assert_cmpuint(s->jobs[0].n_iterations, <, 5);
    g_assert_cmpuint(s->warnings->len, ==, 1);
    g_assert_nonnull(
        strstr(g_ptr_array_index(s->warnings, 0), "of 50 iterations before the clock stopped"));
}

/* Two NICs on one switch that send to each other: a message of 1,000 B takes 80 ns on a link of
 * 100 Gb/s, and then 10 + 30 + 10 ns to be there. */
#define PAIR                                                                                       \
    "machine:\n"                                                                                   \
    "  fabric:\n"                                                                                  \
    "    type: full_mesh\n    switches: 1\n    terminals_per_switch: 2\n"                          \
    "    links:\n      terminal: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"          \
    "      link: {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                          \
    "    switch: {latency: 30 ns}\n"                                                               \
    "  hardware: {packet: 1 kB}\n"
#define PAIR_JOBS(load, rate, more)                                                                \
    "jobs:\n - {name: pair, workload: {type: permutation, pattern: neighbour, bytes: 1 kB, "       \
    "load: " load ", rate: " rate more "}}\n"

/* A source with Poisson arrivals and equal messages is an M/D/1 queue (Pollaczek & Khinchine): the
 * mean wait is S rho / (2 (1 - rho)), so at half load half a message, 40 ns. Bernoulli arrivals, at
 * most one message a slot, never wait. */
static void test_measure(void)
{
    static const struct {
        const char *jobs;
        double mean_ns, tolerance;
    } cases[] = {
        {PAIR_JOBS("0.5", "100 Gb/s", ""), 130 + 40, 0.02},
        {PAIR_JOBS("0.8", "100 Gb/s", ""), 130 + 160, 0.05},
        {PAIR_JOBS("0.8", "100 Gb/s", ", arrivals: bernoulli"), 130, 1e-5},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strconcat(PAIR "measure: {window: 2 ms}\n", cases[i].jobs, NULL);
        g_autoptr(DnRunResult) s = simulate_well(text);
        const DnJobResult *job = &s->jobs[0];
        double load = i == 0 ? 0.5 : 0.8, sum = 0;
        for (guint64 n = 0; n < job->n_latency; n++)
            sum += (double)job->latency_ps[n];
        g_assert_true(job->load.measured && job->load.steady);
        g_assert_cmpfloat_with_epsilon(job->load.offered, load, 0.01);
        g_assert_cmpfloat_with_epsilon(job->load.accepted, job->load.offered, 0.001);
        /* two windows of 2 ms: as many slots of 80 ns, from both ranks */
        g_assert_cmpfloat_with_epsilon((double)job->n_latency, load * 1e5, 1.5e3);
        g_assert_cmpfloat(fabs(sum / (double)job->n_latency / (cases[i].mean_ns * 1e3) - 1), <,
                          cases[i].tolerance);
        g_assert_cmpuint(s->warnings->len, ==, 0);
    }
}

/* 80 % of 200 Gb/s over a link of 100: what arrives is half of the rate, and the queue grows. */
static void test_measure_saturated(void)
{
    g_autoptr(DnRunResult)
        s = simulate_well(PAIR "measure: {}\n" PAIR_JOBS("80 %", "200 Gb/s", ""));
    const DnJobResult *job = &s->jobs[0];
    g_assert_true(job->load.measured && !job->load.steady);
    g_assert_cmpfloat_with_epsilon(job->load.offered, 0.8, 0.03);
    g_assert_cmpfloat_with_epsilon(job->load.accepted, 0.5, 1e-3);
    g_assert_cmpfloat_with_epsilon(job->load.accepted_bps, 100e9, 2e8);
    g_assert_cmpuint(s->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(s->warnings, 0), "job pair is not steady: load 0."));
}

/* Wire and back 20 ns, half the NIC's latency (0), the switch's 30 ns: 50 ns at 12.5 B/ns are 625
 * B, and the packet of 1,000 B: 1,625 B. Of packets that stand for several of those, too. */
static void test_small_buffers(void)
{
    for (guint i = 0; i < 4; i++) {
        guint small = i % 2;
        g_auto(GStrv) parts = g_strsplit(PAIR, "64 KiB", 2);
        g_autofree char *text = g_strconcat(parts[0], small ? "1624 B" : "1625 B", parts[1],
                                            i < 2 ? "" : "packet: {size: 8000 B}\n",
                                            "jobs: [{workload: {type: ring, bytes: 1 B}}]\n", NULL);
        g_autoptr(DnRunResult) s = simulate_well(text);
        g_assert_cmpuint(s->warnings->len, ==, small);
        if (small)
            g_assert_nonnull(strstr(
                g_ptr_array_index(s->warnings, 0),
                "class 'terminal' have 1.586 KiB of buffer, less than the 1.587 KiB of a round"));
    }
}

/* A message of 4 MiB has the link's rate whatever the packets: 335.5 us and 50 ns of path, heads
 * cut through; 2 % is what the sizes may differ by. */
static void test_packet_sizes(void)
{
    static const char *const sizes[] = {"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB"};
    g_auto(GStrv) parts = g_strsplit(PAIR, "64 KiB", -1);
    g_autofree char *machine = g_strjoinv("256 KiB", parts);
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        g_autofree char *text = g_strconcat(machine, "packet: {size: ", sizes[i],
                                            "}\njobs: [{workload: {type: ring, bytes: 4 MiB}}]\n",
                                            NULL);
        g_autoptr(DnRunResult) s = simulate_well(text);
        double expected_ps = 4 * 1048576.0 * 80 + 50000;
        g_assert_cmpfloat(fabs((double)s->jobs[0].iteration_ps[0] / expected_ps - 1), <, 0.02);
    }
}

static gboolean simulate_stop(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    return FALSE;
}

static void test_interrupted(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(simulate_file("machine: h200x4\njobs:\n"
                                " - {workload: {type: ring, bytes: 1 GiB}, iterations: 1000}\n",
                                simulate_stop, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_INTERRUPTED);
}

static void expect_error(const char *text, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(simulate_file(text, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (!strstr(error->message, in_message))
        g_error("'%s' lacks '%s'", error->message, in_message);
}

static void test_errors(void)
{
#define RING "jobs:\n - {workload: {type: ring, bytes: 1 B}"
    expect_error("machine: h200x4\nengine: pocket\n" RING "}\n", DN_ERROR_UNKNOWN,
                 ":2:9: unknown engine 'pocket'; did you mean 'packet'");
    expect_error("machine: h200x5\n" RING "}\n", DN_ERROR_UNKNOWN, "h200x4");
    expect_error("machine: h200x4\n" RING ", ranks: 5}\n", DN_ERROR_RANGE, ":3:48: ");
    expect_error("machine: h200x4\n" RING ", service_level: 15}\n", DN_ERROR_RANGE,
                 "service level 15");
    expect_error("machine: h200x4\n" RING ", mechanism: d2e}\n", DN_ERROR_UNKNOWN,
                 "did you mean 'd2d'");
    expect_error("machine: h200x4\nrouting: {algorithm: minimal, colour: red}\n" RING "}\n",
                 DN_ERROR_UNKNOWN, "colour");
    expect_error("machine: h200x4\njobs:\n - {workload: alltoal}\n", DN_ERROR_UNKNOWN,
                 "unknown workload 'alltoal'");
    expect_error("machine: h200x4\npacket: {max_memory: 1 MiB}\njobs:\n"
                 " - {workload: {type: ring, bytes: 1 B}, iterations: 1000000}\n",
                 DN_ERROR_MEMORY, "packet.max_memory allows 1 MiB");
    expect_error("machine: h200x4\nmeasure: {}\n" RING "}\n", DN_ERROR_RANGE,
                 ":2:10: measure: no job has a steady state");
}

/* The result keeps the mechanism that ran: without the rules for other protocols than that chosen,
 * with what each rank adds, and with what was made ideal. */
static void test_mechanism_that_ran(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec)
        spec = test_run_spec("machine: h200x4\njobs:\n - workload: {type: allreduce, bytes: 1 KiB, "
                             "library: nccl, bus_bandwidth: 200 GB/s}\n"
                             "   mechanism: [{protocol: LL, use: {type: ccl, assumed: any, "
                             "t_launch: 4 us, t_pair: 1 us}}, {protocol: LL128, use: d2d}, "
                             "{use: d2d}]\n",
                             NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    const DnMechanism *m = result->jobs[0].mechanism;
    g_assert_cmpuint(m->n_rules, ==, 2);
    g_assert_cmpstr(m->rules[0].protocol, ==, "LL");
    g_assert_cmpint(m->rules[0].costs.call_ps, ==, 8000000); /* four ranks */
    const DnRunOptions unlimited = {.what_if = {.unlimited = DN_WHAT_IF_ENDPOINT}};
    g_autoptr(DnRunResult) without = dn_simulate(spec, &unlimited, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpint(without->jobs[0].mechanism->rules[0].costs.call_ps, ==, 0);
}

/* Options are of one run: the specification stays as it was read, and the next run is as if there
 * had been none. */
static void test_options(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec)
        spec = test_run_spec("machine: h200x4\njobs:\n"
                             " - {name: a, workload: {type: pingpong, bytes: 1 MiB}, ranks: 2}\n"
                             " - {name: b, workload: {type: pingpong, bytes: 1 MiB}, ranks: 2}\n",
                             NULL, &error);
    g_assert_no_error(error);
    const guint32 iterations[] = {3, 5};
    const DnRunOptions options = {.engine = "flow", .isolated_job = 2, .iterations = iterations};
    g_autoptr(DnRunResult) before = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnRunResult) result = dn_simulate(spec, &options, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(result->engine_type->name, ==, "flow");
    g_assert_cmpuint(result->jobs[0].n_iterations, ==, 0);
    g_assert_cmpuint(result->jobs[1].n_iterations, ==, 5);
    g_assert_cmpuint(result->jobs[1].iterations, ==, 5);
    g_autoptr(DnRunResult) after = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(after->engine_type->name, ==, "packet");
    g_assert_cmpuint(after->engine.events, ==, before->engine.events);
    g_assert_cmpuint(after->jobs[0].n_iterations, ==, 1);
    const DnRunOptions unknown = {.engine = "flwo"};
    g_assert_null(dn_simulate(spec, &unknown, NULL, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_UNKNOWN);
    g_assert_true(g_str_has_prefix(error->message, "unknown engine 'flwo'; did you mean 'flow'"));
}

/* Modes in turn: on an idle Piz Daint a ping-pong of 64 KiB in a group takes twice as long over the
 * one link that high bias leaves it; eager ones, which leave when their process is in its next
 * iteration, as well. */
static void test_mode_turns(void)
{
    g_autoptr(DnRunResult) s = simulate_well(
        "machine: {name: piz-daint, nodes: 384}\nrouting: {algorithm: aries}\njobs:\n"
        " - {workload: {type: pingpong, bytes: 64 KiB}, placement: [0, 70], iterations: "
        "4, routing_mode: [ADAPTIVE_0, ADAPTIVE_3],\n    mechanism: {type: host_mpi, "
        "eager_threshold: 1 MiB, t_start: 100 ns}}\n");
    const gint64 *t = s->jobs[0].iteration_ps;
    for (guint i = 0; i < 4; i += 2)
        g_assert_cmpfloat((double)t[i + 1] / (double)t[i], >, 1.7);
}

/* 64 KiB from node 0 to node 8 by a rendezvous: with `read` 1,024 data packets of five flits leave
 * the sender's NIC, with `get` 1,024 requests of one flit the receiver's; a few more are RTS, CTS
 * and word of the end. As data, either takes the same links. */
static void test_rendezvous_get(void)
{
    static const char *const names[] = {"read", "get"};
    gint64 took_ps[2];
    for (guint i = 0; i < 2; i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: {name: piz-daint, nodes: 384}\nrouting: {algorithm: aries}\njobs:\n"
            " - {workload: {type: incast, bytes: 64 KiB}, placement: [0, 8], iterations: 1,\n"
            "    mechanism: {type: host_mpi, rendezvous: %s, eager_threshold: 8 KiB}}\n",
            names[i]);
        g_autoptr(DnRunResult) s = simulate_well(text);
        guint64 sender = s->engine.nics[8].request_flits,
                receiver = s->engine.nics[0].request_flits;
        g_assert_cmpuint(sender, >=, i == 0 ? 5120 : 2);
        g_assert_cmpuint(sender, <=, i == 0 ? 5130 : 12);
        g_assert_cmpuint(receiver, >=, i == 0 ? 2 : 1024);
        g_assert_cmpuint(receiver, <=, i == 0 ? 12 : 1036);
        g_assert_cmpuint(s->jobs[0].messages, ==, 1);
        took_ps[i] = s->jobs[0].iteration_ps[0];
    }
    g_assert_cmpfloat_with_epsilon((double)took_ps[1] / (double)took_ps[0], 1, 0.05);
}

/* Bursts: a ping-pong of some 1 us is silent for 100 us after each ten. */
static void test_bursts(void)
{
    g_autoptr(DnRunResult) s = simulate_well(
        "machine: {name: piz-daint, nodes: 384}\njobs:\n"
        " - {workload: {type: pingpong, bytes: 8 B}, placement: [0, 70], iterations: 40, "
        "mechanism: direct, burst: 10, pause: 100 us}\n");
    const gint64 *t = s->jobs[0].iteration_ps; /* half the round trip */
    for (guint i = 0; i < 40; i++) {
        g_assert_cmpint(2 * t[i], >, i > 0 && i % 10 == 0 ? 100000000 : 1000000);
        g_assert_cmpint(2 * t[i], <, i> 0 && i % 10 == 0 ? 103000000 : 3000000);
    }
}

/* Reads come back in responses: of an engine and NICs that have them. */
static void test_reads(void)
{
    static const struct {
        const char *hardware, *engine, *problem;
    } cases[] = {{", window: 16", "packet", NULL},
                 {"", "packet", "reads remote memory"},
                 {", window: 16", "flow", "reads remote memory"}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "machine:\n  fabric:\n    type: full_mesh\n    switches: 2\n    "
            "terminals_per_switch: 4\n    links:\n      terminal: {bandwidth: 80 Gb/s, latency: 10 "
            "ns, buffer: 16 KiB}\n      link: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 16 "
            "KiB}\n"
            "    switch: {latency: 100 ns}\n  hardware: {packet: 1 KiB, header: 0 B%s}\n"
            "jobs:\n  - name: reader\n    workload: {type: tenant, rate: 80 Gb/s, bytes: 4 KiB, "
            "stores: 1, io: 1, alltoall: 0, halo: 0, incast: 0, intensity: {90 %%: 1}}\n    ranks: "
            "6\n"
            "    background: yes\n  - {workload: {type: pingpong, bytes: 4 KiB}, ranks: 2, "
            "iterations: 99}\n",
            cases[i].hardware);
        g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
        g_assert_no_error(error);
        const DnRunOptions options = {.engine = cases[i].engine};
        g_autoptr(DnRunResult) result = dn_simulate(spec, &options, NULL, &error);
        if (cases[i].problem == NULL) {
            g_assert_no_error(error);
            g_assert_cmpuint(result->engine.payload_bytes, >, 3 * 99 * 4096); /* and what is read */
        } else {
            g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
            g_assert_nonnull(strstr(error->message, cases[i].problem));
        }
        const DnRunOptions alone = {.engine = cases[i].engine, .isolated_job = 2};
        g_autoptr(DnRunResult) other = dn_simulate(spec, &alone, NULL, NULL);
        g_assert_nonnull(other); /* the reader is muted */
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simulate/jobs", test_jobs);
    g_test_add_func("/simulate/rendezvous-get", test_rendezvous_get);
    g_test_add_func("/simulate/bursts", test_bursts);
    g_test_add_func("/simulate/reads", test_reads);
    g_test_add_func("/simulate/mode-turns", test_mode_turns);
    g_test_add_func("/simulate/start", test_start);
    g_test_add_func("/simulate/background", test_background);
    g_test_add_func("/simulate/background-one-sided", test_background_one_sided);
    g_test_add_func("/simulate/nic-iterations", test_nic_iterations);
    g_test_add_func("/simulate/seed", test_seed);
    g_test_add_func("/simulate/until", test_until);
    g_test_add_func("/simulate/measure", test_measure);
    g_test_add_func("/simulate/measure-saturated", test_measure_saturated);
    g_test_add_func("/simulate/small-buffers", test_small_buffers);
    g_test_add_func("/simulate/packet-sizes", test_packet_sizes);
    g_test_add_func("/simulate/interrupted", test_interrupted);
    g_test_add_func("/simulate/mechanism-that-ran", test_mechanism_that_ran);
    g_test_add_func("/simulate/options", test_options);
    g_test_add_func("/simulate/errors", test_errors);
    return g_test_run();
}
