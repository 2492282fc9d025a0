/* ml_step.c - one training step of a large model, in three kinds of parallelism.
 *
 * ranks = data * tensor * pipeline; tensor ranks are neighbours, then data, then pipeline stages.
 * GPipe's schedule: all microbatches forward through the stages, then all backward. A stage takes a
 * microbatch's activations from its neighbour, computes, combines them `allreduces` times among its
 * tensor ranks, and sends them on. At the end data ranks combine gradients. Rings.
 * goodput counts a rank's gradients, of at least two replicas.
 * Huang et al., GPipe, NeurIPS 2019; Narayanan et al., Efficient Large-Scale Language Model
 * Training on GPU Clusters Using Megatron-LM, SC 2021, sections 2.2 and 2.3. */
#include "workload/collective.h"

extern const DnCollAlgorithm dn_coll_allreduce_ring;

static const DnParamSpec params_[] = {
    {"bytes", DN_PARAM_BYTES, NULL, 0, 1e15, NULL, "gradients of a rank"},
    {"activation_bytes", DN_PARAM_BYTES, "0", 0, 1e15, NULL, "of a microbatch between stages"},
    {"tensor", DN_PARAM_INT, "1", 1, 1e6, NULL, "ranks that share a layer"},
    {"pipeline", DN_PARAM_INT, "1", 1, 1e6, NULL, "stages"},
    {"microbatches", DN_PARAM_INT, "1", 1, 1e6, NULL, "of a step"},
    {"allreduces", DN_PARAM_INT, "2", 0, 1e6, NULL, "among tensor ranks, a pass of a stage"},
    {"forward", DN_PARAM_TIME, "0", 0, 1e15, NULL, "compute of a microbatch in a stage"},
    {"backward", DN_PARAM_TIME, "0", 0, 1e15, NULL, "likewise"},
    {0},
};

typedef struct {
    guint32 tensor, data, pipeline, microbatches, allreduces;
    gint64 activation_bytes, forward_ps, backward_ps;
} Step;

static gboolean ml_step_init(DnProgram *program, const DnParams *params, GError **error)
{
    Step *s = g_new0(Step, 1);
    program->data = s;
    gint64 stage = dn_params_int(params, "tensor") * dn_params_int(params, "pipeline");
    if (program->ranks % stage != 0) {
        dn_params_error(params, "tensor", DN_ERROR_RANGE, error,
                        "tensor x pipeline = %" G_GINT64_FORMAT " does not divide the %u ranks",
                        stage, program->ranks);
        return FALSE;
    }
    s->tensor = (guint32)dn_params_int(params, "tensor");
    s->pipeline = (guint32)dn_params_int(params, "pipeline");
    s->data = program->ranks / (guint32)stage;
    s->microbatches = (guint32)dn_params_int(params, "microbatches");
    s->allreduces = s->tensor > 1 ? (guint32)dn_params_int(params, "allreduces") : 0;
    s->activation_bytes = dn_params_int(params, "activation_bytes");
    s->forward_ps = dn_params_int(params, "forward");
    s->backward_ps = dn_params_int(params, "backward");
    program->bytes = dn_params_int(params, "bytes");
    guint64 parts = 2 * (guint64)s->microbatches * (s->allreduces + 2);
    if (parts < G_MAXUINT32)
        return TRUE;
    dn_params_error(params, "microbatches", DN_ERROR_RANGE, error,
                    "2 x microbatches x (allreduces + 2) = %" G_GUINT64_FORMAT
                    " parts of a step; at most %u",
                    parts, G_MAXUINT32 - 1);
    return FALSE;
}

/* A pass is take, compute, allreduces, hand on; this gives its first and last part. */
static void pass_round(const Step *s, guint32 rank, gboolean back, gboolean end, DnRound *r)
{
    guint32 of_stage = s->tensor * s->data, stage = rank / of_stage;
    gboolean first = stage == 0, last = stage == s->pipeline - 1;
    DnSpan span = dn_scratch(0, s->activation_bytes);
    if (!end) {
        if (back ? !last : !first) {
            dn_round_recv(r, back ? rank + of_stage : rank - of_stage, back, 1, span);
            dn_round_wait(r, 1);
        }
        dn_round_compute(r, back ? s->backward_ps : s->forward_ps);
    } else if (back ? !first : !last) {
        dn_round_isend(r, back ? rank - of_stage : rank + of_stage, back, 2, span);
    }
}

static gboolean one_op(const Step *s, guint32 rank, gboolean back, gboolean end, DnCursor *cursor,
                       DnOp *op)
{
    static const DnCollCall everyone = {.stride = 1};
    DnRound round = {.call = &everyone, .wanted = (guint32)cursor->b++};
    pass_round(s, rank, back, end, &round);
    *op = round.op;
    if (round.count > round.wanted)
        return TRUE;
    cursor->b = 0;
    return FALSE;
}

/* cursor->step: (2 microbatches) x (2 + allreduces) parts, then the gradients, then a wait. */
static gboolean ml_step_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const Step *s = program->data;
    guint32 parts = s->allreduces + 2, passes = 2 * s->microbatches;
    guint32 of_stage = s->tensor * s->data, at = rank % of_stage;
    for (; cursor->step < passes * parts; cursor->step++) {
        gboolean back = cursor->step / parts >= s->microbatches;
        guint32 part = cursor->step % parts;
        DnCollCall call = {.algorithm = &dn_coll_allreduce_ring,
                           .own_in_place = TRUE,
                           .n = s->tensor,
                           .bytes = s->activation_bytes,
                           .first = rank - at % s->tensor,
                           .stride = 1,
                           .tag = 1000};
        if (part == 0 || part == parts - 1) {
            if (one_op(s, rank, back, part > 0, cursor, op))
                return TRUE;
        } else if (dn_coll_next(&call, at % s->tensor, cursor, op)) {
            return TRUE;
        }
    }
    DnCollCall gradients = {.algorithm = &dn_coll_allreduce_ring,
                            .own_in_place = TRUE,
                            .n = s->data,
                            .bytes = program->bytes,
                            .first = rank - at + at % s->tensor,
                            .stride = s->tensor,
                            .tag = 2000000};
    if (cursor->step == passes * parts) {
        if (dn_coll_next(&gradients, at / s->tensor, cursor, op))
            return TRUE;
        cursor->step++;
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
        return TRUE;
    }
    return FALSE;
}

static double goodput_bytes(const DnProgram *program)
{
    const Step *s = program->data;
    return s->data > 1 ? (double)program->bytes : 0;
}

const DnProgramType dn_program_ml_step = {
    .name = "ml_step",
    .help = "a training step: pipeline stages, allreduces of tensor ranks, then of gradients",
    .goodput = "bytes (a rank's gradients), if any are combined",
    .limits = "gradients are not combined while backward runs",
    .source = "Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters "
              "Using Megatron-LM, SC 2021",
    .params = params_,
    .min_ranks = 1,
    .init = ml_step_init,
    .free = dn_program_free_data,
    .next = ml_step_next,
    .bytes_moved = dn_program_count_bytes,
    .goodput_bytes = goodput_bytes,
    .time_scale = 1,
};
