/* test_run.h - one job on endpoints 0, 1, ... over the ideal network: include it in one test file
 * each.
 *
 * The network: 100 Gb/s an endpoint (80 ps a byte), latency 1 us. T = bytes * 80 ps. */
#pragma once
#include "runtime/fake_engine.h"
#include "runtime/runtime.h"

#define LATENCY_PS 1000000
#define BPS G_GINT64_CONSTANT(100000000000)
#define PS_PER_BYTE 80

#define COSTS(...)                                                                                 \
    {                                                                                              \
        .rules = { {.costs = {__VA_ARGS__}} }                                                      \
    }

typedef struct {
    DnProgram *program;
    DnMechanism mechanism;
    const guint32 *node_of;    /* [ranks]; NULL: each rank is on a node of its own */
    const guint32 *adapter_of; /* [ranks]; NULL: each rank has an adapter of its own */
    const guint32 *cpu_of;     /* [ranks]; NULL: each rank has a CPU of its own */
    const DnHostNoise *noise;
    gboolean fair;
    guint64 *pair_bytes; /* [ranks * ranks] */
    DnReplayResult result;
    guint blocked;
    GString *account;
    DnReplay *replay;
} Run;

static void test_run_observe(void *data, const DnMessage *message, gint64 sent_ps,
                             gint64 delivered_ps)
{
    Run *run = data;
    run->pair_bytes[message->src * run->program->ranks + message->dst] += (guint64)message->bytes;
    dn_replay_observe(run->replay, message, sent_ps, delivered_ps);
}

static void run_it(Run *run)
{
    guint32 ranks = run->program->ranks, n_active;
    g_autofree guint32 *endpoints = g_new(guint32, ranks);
    for (guint32 r = 0; r < ranks; r++)
        endpoints[r] = r;
    DnReplayJob job = {.name = "it",
                       .program = run->program,
                       .mechanism = run->mechanism,
                       .endpoints = endpoints,
                       .node_of = run->node_of,
                       .adapter_of = run->adapter_of,
                       .cpu_of = run->cpu_of,
                       .noise = run->noise};
    run->replay = dn_replay_new(&job, 1, ranks);
    run->pair_bytes = g_new0(guint64, ranks * ranks);
    FakeEngine fake = {.n_endpoints = ranks,
                       .latency_ps = LATENCY_PS,
                       .bps = BPS,
                       .fair = run->fair,
                       .observe = test_run_observe,
                       .observe_data = run};
    const guint32 *active = dn_replay_active(run->replay, &n_active);
    fake_run(&fake, &dn_replay_client, run->replay, active, n_active);
    run->account = g_string_new(NULL);
    run->blocked = dn_replay_client.blocked(run->replay, run->account, 3);
    dn_replay_result(run->replay, 0, &run->result);
    dn_replay_free(run->replay);
}

static void run_clear(Run *run)
{
    dn_program_free(run->program);
    dn_replay_result_clear(&run->result);
    g_free(run->pair_bytes);
    g_string_free(run->account, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

/* ---- programs written out ---- */

typedef struct {
    const DnOp *const *ops; /* [ranks], each ended by DN_OP_END */
} Script;

static gboolean script_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Script *script = program->data;
    *op = script->ops[rank][cursor->step];
    if (op->kind == DN_OP_END)
        return FALSE;
    cursor->step++;
    return TRUE;
}

static const DnProgramType script_type = {.name = "script", .next = script_next, .time_scale = 1};

static inline DnProgram *script_of(const Script *script, guint32 ranks)
{
    DnProgram *program = g_new0(DnProgram, 1);
    *program = (DnProgram){.type = &script_type,
                           .ranks = ranks,
                           .iterations = 1,
                           .streams = 1,
                           .data = (gpointer)script};
    return program;
}

/* Returns the time of the one iteration of @ops, which must end without a blocked rank. */
static inline gint64 script_ps(const DnOp *const *ops, guint32 ranks, DnMechanism mechanism)
{
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, ranks), .mechanism = mechanism};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, "");
    g_assert_cmpuint(run.result.n_iterations, ==, 1);
    return run.result.iteration_ps[0];
}

#define SEND(to, tag_, bytes_)                                                                     \
    {                                                                                              \
        .kind = DN_OP_SEND, .peer = (to), .tag = (tag_), .bytes = (bytes_)                         \
    }
#define RECV(from, tag_, request_)                                                                 \
    {                                                                                              \
        .kind = DN_OP_RECV, .peer = (from), .tag = (tag_), .request = (request_)                   \
    }
#define RECV_OF(from, tag_, request_, bytes_, flags_)                                              \
    {                                                                                              \
        .kind = DN_OP_RECV, .peer = (from), .tag = (tag_), .request = (request_),                  \
        .bytes = (bytes_), .flags = (flags_)                                                       \
    }
#define WAIT(request_)                                                                             \
    {                                                                                              \
        .kind = DN_OP_WAIT, .request = (request_)                                                  \
    }
#define COMPUTE(ps)                                                                                \
    {                                                                                              \
        .kind = DN_OP_COMPUTE, .duration_ps = (ps)                                                 \
    }
#define END                                                                                        \
    {                                                                                              \
        .kind = DN_OP_END                                                                          \
    }
