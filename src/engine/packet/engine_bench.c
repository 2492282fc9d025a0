/* engine_bench.c - A benchmark of the packet engine alone, for scripts/bench: no replay, no
 * statistics.
 *
 * Every endpoint sends messages to others drawn uniformly, at random (Poisson) times with a mean
 * rate of LOAD times GBPS. Prints one line of JSON: packet-hops (packets through a switch), CPU and
 * wall seconds of setting up and of the events, resident memory after setting up (also as pss,
 * where a page that n processes map is an n-th of one) and at most, bytes of arrays that
 * processes share, the most packets that were in flight at once, the domains, and the events of
 * the busiest thread. */
#include "base/processes_mpi.h"
#include "base/rng.h"
#include "base/shared_arrays.h"
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct {
    guint64 key;
    guint64 sent;
} Source;

typedef struct {
    Source *sources;
    guint32 n;
    guint64 messages; /* of each */
    gint64 bytes;
    double gap_ps;
    double cpu_s, wall_s; /* at the end of the set-up */
    gsize shared_bytes;   /* of arrays that processes share */
    long kib, pss_kib;    /* resident then; a page that n processes map is an n-th of one */
} Traffic;

static double engine_bench_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resident, a page that n processes map counted as an n-th; 0: the system does not tell. */
static long proportional_kib(void)
{
    g_autofree char *text = NULL;
    const char *at = g_file_get_contents("/proc/self/smaps_rollup", &text, NULL, NULL)
                         ? strstr(text, "Pss:")
                         : NULL;
    return at != NULL ? strtol(at + strlen("Pss:"), NULL, 10) : 0;
}

static long resident_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void on_start(void *data, DnContext *context, guint32 endpoint)
{
    Traffic *t = data;
    if (t->kib == 0) {
        t->cpu_s = engine_bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
        t->wall_s = engine_bench_seconds(CLOCK_MONOTONIC);
        t->kib = resident_kib();
        t->pss_kib = proportional_kib();
    }
    guint64 first = dn_draw(t->sources[endpoint].key, G_MAXUINT32);
    dn_context_timer(context, (gint64)(dn_draw_unit(first) * t->gap_ps), 0);
}

static void on_timer(void *data, DnContext *context, guint32 endpoint, guint64 cookie)
{
    const Traffic *t = data;
    Source *s = &t->sources[endpoint];
    guint64 bits = dn_draw(s->key, 2 * s->sent);
    double wait = -log(dn_draw_unit(dn_draw(s->key, 2 * s->sent + 1)));
    guint32 to = dn_draw_below(bits, t->n - 1);
    DnMessage m = {
        .src = endpoint, .dst = to + (to >= endpoint), .bytes = t->bytes, .cookie = DN_NO_COOKIE};
    dn_context_send(context, &m);
    if (++s->sent < t->messages)
        dn_context_timer(context, dn_context_now(context) + 1 + (gint64)(wait * t->gap_ps), 0);
}

static void on_sent(void *data, DnContext *context, guint32 endpoint, guint64 cookie)
{
}

static void on_delivered(void *data, DnContext *context, guint32 endpoint, const DnMessage *m)
{
}

static DnMachine *load_machine(const char *name, GError **error)
{
    g_autoptr(DnConfigNode) at = dn_config_parse(name, "machine", error);
    g_autofree char *file = at != NULL ? dn_machine_find(name, at, error) : NULL;
    if (file == NULL)
        return NULL;
    g_autoptr(DnConfigNode) node = dn_config_load(file, NULL, error);
    return node == NULL ? NULL : dn_machine_load(node, 0, error);
}

static DnRouter *make_router(const DnMachine *machine, const char *algorithm, GError **error)
{
    g_autofree char *text = g_strdup_printf("{algorithm: %s}", algorithm);
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "routing", error);
    return node == NULL ? NULL : dn_router_new(machine, node, error);
}

static void print_result(const Traffic *t, const DnEngineResult *r)
{
    double cpu = engine_bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - t->cpu_s;
    printf("{\"packet_hops\": %" G_GUINT64_FORMAT ", \"packets\": %" G_GUINT64_FORMAT
           ", \"events\": %" G_GUINT64_FORMAT ", \"peak_packets\": %" G_GUINT64_FORMAT
           ", \"setup_cpu_s\": %.6f, \"setup_kib\": %ld, \"setup_pss_kib\": %ld, \"shared_bytes\": "
           "%" G_GSIZE_FORMAT ", "
           "\"peak_kib\": %ld, \"cpu_s\": %.6f, "
           "\"wall_s\": %.6f, \"end_ps\": %" G_GINT64_FORMAT ", \"windows\": %" G_GUINT64_FORMAT
           ", \"remote_events\": %" G_GUINT64_FORMAT ", \"remote_bytes\": %" G_GUINT64_FORMAT
           ", \"exchange_s\": %.6f, \"least_exchange_s\": %.9f, \"work_s\": %.6f"
           ", \"domains\": %u, \"busiest_events\": %" G_GUINT64_FORMAT "}\n",
           r->packet_hops, r->packets, r->events, r->peak_packets, t->cpu_s, t->kib, t->pss_kib,
           t->shared_bytes, resident_kib(), cpu, engine_bench_seconds(CLOCK_MONOTONIC) - t->wall_s,
           r->end_ps, r->exchanges.windows, r->exchanges.events, r->exchanges.bytes,
           r->exchanges.wall_s, r->exchanges.least_s, r->exchanges.work_s, r->domains,
           r->busiest_events);
}

static gboolean engine_bench_simulate(char **argv, GError **error)
{
    g_autoptr(DnMachine) machine = load_machine(argv[1], error);
    g_autoptr(DnRouter) router = machine != NULL ? make_router(machine, argv[2], error) : NULL;
    if (router == NULL)
        return FALSE;
    static const DnClient client = {
        .start = on_start, .sent = on_sent, .delivered = on_delivered, .timer = on_timer};
    /* its own packets have this size, and stand for none smaller */
    machine->hardware.packet_bytes = g_ascii_strtoll(argv[5], NULL, 10);
    guint32 n = machine->graph->size.endpoints;
    g_autofree Source *sources = g_new0(Source, n);
    g_autofree guint32 *active = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++) {
        active[i] = i;
        sources[i].key = dn_draw_key(1, DN_DRAW_WORKLOAD, i);
    }
    double load = g_ascii_strtod(argv[3], NULL);
    Traffic traffic = {.sources = sources,
                       .n = n,
                       .bytes = g_ascii_strtoll(argv[6], NULL, 10),
                       .messages = g_ascii_strtoull(argv[7], NULL, 10)};
    traffic.gap_ps = (double)traffic.bytes * 8e3 / (load * g_ascii_strtod(argv[4], NULL));
    DnEngineRun run = {.router = router,
                       .packet_bytes = machine->hardware.packet_bytes,
                       .seed = 1,
                       .threads = (guint)g_ascii_strtoull(argv[8], NULL, 10),
                       .active = active,
                       .n_active = n,
                       .processes = dn_processes(),
                       .client = &client,
                       .client_data = &traffic};
    DnEngineResult result;
    if (run.processes != NULL)
        traffic.shared_bytes = dn_arrays_share(run.processes);
    if (!dn_engine_find("packet")->run(&run, &result, error))
        return FALSE;
    print_result(&traffic, &result);
    dn_engine_result_clear(&result);
    return TRUE;
}

int main(int argc, char **argv)
{
    if (argc != 9) {
        fprintf(stderr, "usage: engine_bench MACHINE ROUTING LOAD GBPS PACKET_BYTES MESSAGE_BYTES "
                        "MESSAGES THREADS\n");
        return 2;
    }
    g_autoptr(GError) error = NULL;
#ifdef DN_HAVE_MPI
    guint rank;
    if (dn_processes_launched(&rank) > 1 && !dn_mpi_start(&argc, &argv))
        return 2;
#endif
    int status = engine_bench_simulate(argv, &error) ? 0 : 2;
    if (status != 0)
        fprintf(stderr, "engine_bench: %s\n", error->message);
#ifdef DN_HAVE_MPI
    dn_mpi_finish(status);
#endif
    return status;
}
