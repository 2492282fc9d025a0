/* host_noise.c - see host_noise.h. */
#include "runtime/host_noise.h"

#include <math.h>

#include "base/rng.h"

#define PARETO_SHAPE 1.5       /* assumed: a finite mean, an infinite variance */
#define MOST_DETOURS (1 << 20) /* drawn one by one in a piece of work */
#define MOST_PS 1e18           /* of a gap, a detour, or work with its detours */

static const char *const SPREADS[] = {"fixed", "exponential", "pareto", NULL};

const DnParamSpec dn_host_noise_keys[] = {
    {"period", DN_PARAM_TIME, "0", 0, 0, NULL, "mean time from detour to detour; 0: none"},
    {"duration", DN_PARAM_TIME, "0", 0, 0, NULL, "mean length of a detour"},
    {"spread", DN_PARAM_CHOICE, "fixed", 0, 0, SPREADS, "of the lengths"},
    {"imbalance", DN_PARAM_REAL, "0", 0, 10, NULL, "largest share by which computing takes longer"},
    {0},
};

gboolean dn_host_noise_read(const DnConfigNode *node, DnHostNoise *noise, GError **error)
{
    *noise = (DnHostNoise){0};
    if (node == NULL)
        return TRUE;
    g_autoptr(DnParams) params = dn_params_read(node, dn_host_noise_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    noise->period_ps = dn_params_int(params, "period");
    noise->duration_ps = dn_params_int(params, "duration");
    noise->spread = (DnNoiseSpread)dn_params_int(params, "spread");
    noise->imbalance = dn_params_real(params, "imbalance");
    if (noise->period_ps > 0 && noise->duration_ps >= noise->period_ps) {
        dn_params_error(params, "duration", DN_ERROR_RANGE, error,
                        "duration: detours as long as their period leave no time to work; allowed: "
                        "less than `period`");
        return FALSE;
    }
    if ((noise->duration_ps > 0) == (noise->period_ps > 0))
        return TRUE;
    dn_params_error(params, noise->period_ps > 0 ? "period" : "duration", DN_ERROR_RANGE, error,
                    "noise: a period and a duration belong together");
    return FALSE;
}

static gint64 length_ps(const DnHostNoise *noise, guint64 bits)
{
    double mean = (double)noise->duration_ps, unit = dn_draw_unit(bits);
    if (noise->spread == DN_NOISE_EXPONENTIAL)
        return (gint64)MIN(-log(unit) * mean + 0.5, MOST_PS);
    if (noise->spread == DN_NOISE_PARETO) /* mean = shape x least / (shape - 1) */
        return (gint64)MIN(
            mean * (PARETO_SHAPE - 1) / PARETO_SHAPE * pow(unit, -1 / PARETO_SHAPE) + 0.5, MOST_PS);
    return noise->duration_ps;
}

/* The next detour; gaps count from the end of the last, so that the mean from begin to begin is the
 * period. */
static void next_detour(const DnHostNoise *noise, DnHostState *state)
{
    double gap_ps = (double)(noise->period_ps - noise->duration_ps);
    double unit = dn_draw_unit(dn_draw(state->key, state->n++));
    state->from_ps = state->to_ps + (gint64)MIN(-log(unit) * gap_ps + 0.5, MOST_PS);
    state->to_ps = state->from_ps + length_ps(noise, dn_draw(state->key, state->n++));
}

static void host_noise_begin(const DnHostNoise *noise, DnHostState *state, guint32 rank)
{
    if (state->key != 0)
        return;
    state->key = dn_draw_key(noise->seed, DN_DRAW_NOISE, rank) | 1;
    state->slower = 1.0 + noise->imbalance * dn_draw_unit(dn_draw(state->key, state->n++));
    if (noise->period_ps > 0)
        next_detour(noise, state);
}

gint64 dn_host_noise_compute_ps(const DnHostNoise *noise, DnHostState *state, guint32 rank,
                                gint64 work_ps)
{
    if (noise->imbalance <= 0.0)
        return work_ps;
    host_noise_begin(noise, state, rank);
    return (gint64)((double)work_ps * state->slower + 0.5);
}

/* Returns how much of @work_ps is looked at detour by detour. */
static gint64 drawn_work(const DnHostNoise *noise, gint64 work_ps)
{
    gint64 gap_ps = noise->period_ps - noise->duration_ps;
    return gap_ps < work_ps / MOST_DETOURS ? gap_ps * MOST_DETOURS : work_ps;
}

gint64 dn_host_noise_stretch(const DnHostNoise *noise, DnHostState *state, guint32 rank,
                             gint64 now_ps, gint64 work_ps)
{
    if (noise->period_ps == 0)
        return work_ps;
    host_noise_begin(noise, state, rank);
    if ((now_ps - state->to_ps) / noise->period_ps > MOST_DETOURS)
        state->to_ps = now_ps; /* gaps have no memory */
    while (state->to_ps <= now_ps)
        next_detour(noise, state);
    gint64 drawn_ps = drawn_work(noise, work_ps), rest_ps = work_ps - drawn_ps;
    gint64 end_ps = now_ps + drawn_ps;
    if (state->from_ps <= now_ps) { /* in the midst of one */
        end_ps = state->to_ps + drawn_ps;
        next_detour(noise, state);
    }
    while (state->from_ps < end_ps) {
        end_ps += state->to_ps - state->from_ps;
        next_detour(noise, state);
    }
    if (rest_ps > 0) {
        double share = 1.0 - (double)noise->duration_ps / (double)noise->period_ps;
        end_ps += (gint64)MIN((double)rest_ps / share, MOST_PS);
        state->to_ps = end_ps;
        next_detour(noise, state);
    }
    return end_ps - now_ps;
}
