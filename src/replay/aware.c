/* aware.c - see aware.h. */
#include "replay/aware.h"

#include <math.h>
#include <string.h>

enum { ADAPTIVE, BIASED };

#define WINDOW 1024.0 /* outstanding packets of the model; Aries' own */

static const DnParamSpec KEYS[] = {
    {"adaptive", DN_PARAM_NODE, "", 0, 0, NULL, "mode for much traffic"},
    {"biased", DN_PARAM_NODE, "", 0, 0, NULL, "mode for little"},
    /* assumed: the paper says medians over benchmarks, not their values; its Fig. 7 shows the
     * biased mode with less latency and more stalls */
    {"lambda", DN_PARAM_REAL, "0.8", 0.01, 100, NULL, "latency of biased over adaptive"},
    {"sigma", DN_PARAM_REAL, "1.5", 0.01, 100, NULL, "stalls of biased over adaptive"},
    {"expiry", DN_PARAM_INT, "16", 1, 1e6, NULL, "looks until a mode's counters are forgotten"},
    {"threshold", DN_PARAM_BYTES, "4 KiB", 0, 1e15, NULL, "bytes from look to look"},
    {"t_read", DN_PARAM_TIME, "0", 0, 0, NULL, "that reading the counters keeps the rank busy"},
    {0},
};

/* A mode by the name at @key, or by @fallback. */
static gboolean find_mode(const DnParams *params, const char *key, const char *fallback,
                          const DnRouter *router, guint8 *mode, GError **error)
{
    const DnConfigNode *node = dn_params_node(params, key);
    if (node != NULL)
        return dn_router_find_mode(router, node, mode, error);
    for (guint i = 0; router->type->modes != NULL && router->type->modes[i] != NULL; i++)
        if (strcmp(router->type->modes[i], fallback) == 0) {
            *mode = (guint8)i;
            return TRUE;
        }
    dn_params_error(params, key, DN_ERROR_MISSING, error,
                    "%s: routing %s has no mode %s; name one of its own", key, router->type->name,
                    fallback);
    return FALSE;
}

gboolean dn_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                       gint64 packet_bytes, DnAwareRule *rule, GError **error)
{
    const DnHardware *hardware = &router->machine->hardware;
    g_autoptr(DnParams) params = dn_params_read(node, KEYS, NULL, error);
    if (params == NULL)
        return FALSE;
    const char *adaptive = strcmp(workload, "alltoall") == 0 ? "ADAPTIVE_1" : "ADAPTIVE_0";
    *rule = (DnAwareRule){
        .lambda = dn_params_real(params, "lambda"),
        .sigma = dn_params_real(params, "sigma"),
        .expiry = (guint32)dn_params_int(params, "expiry"),
        .threshold_bytes = dn_params_int(params, "threshold"),
        .read_ps = dn_params_int(params, "t_read"),
        .packet_bytes = packet_bytes,
        .flit_bytes = hardware->flit_bytes,
        .header_flits = hardware->header_flits,
        .clock_hz = hardware->clock_hz,
    };
    if (hardware->window_packets == 0) {
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "routing_mode: by the NIC's counters, but this machine's NICs get no "
                        "responses to count; set hardware.window");
        return FALSE;
    }
    return find_mode(params, "adaptive", adaptive, router, &rule->modes[ADAPTIVE], error) &&
           find_mode(params, "biased", "ADAPTIVE_3", router, &rule->modes[BIASED], error);
}

static gint64 packets_of(const DnAwareRule *rule, gint64 bytes)
{
    return MAX(1, (bytes + rule->packet_bytes - 1) / rule->packet_bytes);
}

double dn_aware_model(const DnAwareRule *rule, gint64 bytes, double latency, double stalls)
{
    double packets = (double)packets_of(rule, bytes);
    gint64 data_flits = (bytes + rule->flit_bytes - 1) / rule->flit_bytes;
    double flits = packets * rule->header_flits + (double)data_flits;
    return (packets + WINDOW / 2) / WINDOW * latency + flits * (stalls + 1);
}

/* What the mode not in use would count. */
static void guess(const DnAwareRule *rule, DnAwareState *state)
{
    guint8 here = state->current, there = !here;
    if (state->age[there] <= rule->expiry)
        return;
    double lambda = here == ADAPTIVE ? rule->lambda : 1 / rule->lambda;
    double sigma = here == ADAPTIVE ? rule->sigma : 1 / rule->sigma;
    state->latency[there] = state->latency[here] * lambda;
    state->stalls[there] = state->stalls[here] * sigma;
}

guint8 dn_aware_select(const DnAwareRule *rule, DnAwareState *state, gint64 bytes, gint64 now_ps)
{
    guint8 mode = BIASED;
    state->gathered_bytes += bytes;
    if (state->gathered_bytes >= rule->threshold_bytes) {
        state->gathered_bytes = 0;
        if (state->known) {
            guess(rule, state);
            double t[2];
            for (guint m = 0; m < 2; m++)
                t[m] = dn_aware_model(rule, bytes, state->latency[m], state->stalls[m]);
            state->current = t[BIASED] < t[ADAPTIVE] ? BIASED : ADAPTIVE;
        }
        mode = state->current;
        state->sent_ps = now_ps;
        state->sent_bytes = bytes;
        state->looks += state->looks < G_MAXUINT8;
    }
    state->bytes[mode] += (guint64)bytes;
    return rule->modes[mode];
}

void dn_aware_look(const DnAwareRule *rule, DnAwareState *state, const DnNicCounters *nic,
                   gint64 now_ps)
{
    if (state->looks == 0)
        return;
    gboolean alone = state->looks == 1;
    state->looks--;
    double cycles_per_ps = rule->clock_hz * 1e-12;
    double responses = (double)(nic->responses - state->seen.responses);
    double flits = (double)(nic->request_flits - state->seen.request_flits);
    if (responses <= 0 || flits <= 0)
        return;
    guint8 mode = state->current;
    double latency = (double)(nic->latency_ps_sum - state->seen.latency_ps_sum) / responses *
                     cycles_per_ps;
    double stalls = (double)(nic->stalled_ps - state->seen.stalled_ps) / flits * cycles_per_ps;
    state->seen = *nic;
    state->age[!mode] = state->known ? state->age[!mode] + (state->age[!mode] < G_MAXUINT32)
                                     : G_MAXUINT32;
    state->known = TRUE;
    state->age[mode] = 0;
    state->latency[mode] = latency;
    state->stalls[mode] = stalls;
    if (!alone)
        return;
    double x = dn_aware_model(rule, state->sent_bytes, latency, stalls);
    double y = (double)(now_ps - state->sent_ps) * cycles_per_ps;
    dn_aware_fit_add(&state->fit, &(DnAwareFit){1, x, y, x * x, y * y, x * y});
}

void dn_aware_fit_add(DnAwareFit *sum, const DnAwareFit *part)
{
    sum->n += part->n;
    sum->x += part->x;
    sum->y += part->y;
    sum->xx += part->xx;
    sum->yy += part->yy;
    sum->xy += part->xy;
}

double dn_aware_correlation(const DnAwareFit *f)
{
    double xx = f->n * f->xx - f->x * f->x, yy = f->n * f->yy - f->y * f->y;
    if (f->n < 3 || !(xx > 0) || !(yy > 0))
        return NAN;
    return (f->n * f->xy - f->x * f->y) / sqrt(xx * yy);
}
