/* app_aware_routing.c - see app_aware_routing.h. */
#include "runtime/app_aware_routing.h"
#include "workload/collective.h"

#include <math.h>
#include <string.h>

enum { ADAPTIVE, BIASED };

static const char *const memories[] = {"endpoint", "any", NULL};

const DnParamSpec dn_aware_keys[] = {
    {"adaptive", DN_PARAM_NODE, "", 0, 0, NULL, "mode for much traffic"},
    {"biased", DN_PARAM_NODE, "", 0, 0, NULL, "mode for little"},
    {"lambda", DN_PARAM_REAL, "0.833333", 0.01, 100, NULL, "latency of biased over adaptive"},
    {"sigma", DN_PARAM_REAL, "5", 0.01, 100, NULL, "stalls of biased over adaptive"},
    {"expiry", DN_PARAM_INT, "5", 1, 1e6, NULL,
     "the reading at which a mode's counters are forgotten"},
    {"memory", DN_PARAM_CHOICE, "endpoint", 0, 0, memories,
     "the other mode's counters are those read before a message to the same rank and of the same "
     "size, or before any"},
    {"threshold", DN_PARAM_BYTES, "4 KiB", 0, 1e15, NULL,
     "a new choice is made after more bytes than this"},
    {"mailbox", DN_PARAM_BYTES, "1 KiB", 0, 1e15, NULL, "messages up to this are always biased"},
    {"t_read", DN_PARAM_TIME, "0", 0, 0, NULL,
     "time for which reading the counters keeps the rank busy"},
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

gboolean dn_app_aware_read(const DnConfigNode *node, const DnRouter *router, const char *workload,
                           gint64 packet_bytes, DnAppAwareRule *rule, GError **error)
{
    g_autoptr(DnParams) params = dn_params_read(node, dn_aware_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    const char *adaptive = dn_workload_is(workload, DN_COLL_ALLTOALL) ? "ADAPTIVE_1" : "ADAPTIVE_0";
    *rule = (DnAppAwareRule){
        .lambda = dn_params_real(params, "lambda"),
        .sigma = dn_params_real(params, "sigma"),
        .expiry = (guint32)dn_params_int(params, "expiry"),
        .any_memory = dn_params_int(params, "memory") != 0,
        .threshold_bytes = dn_params_int(params, "threshold"),
        .mailbox_bytes = dn_params_int(params, "mailbox"),
        .read_ps = dn_params_int(params, "t_read"),
    };
    if (!dn_nic_model_init(&rule->nic, &router->machine->hardware, packet_bytes)) {
        dn_config_error(node, DN_ERROR_RANGE, error,
                        "routing_mode: by the NIC's counters, but this machine's NICs get no "
                        "responses to count; set hardware.window");
        return FALSE;
    }
    return find_mode(params, "adaptive", adaptive, router, &rule->modes[ADAPTIVE], error) &&
           find_mode(params, "biased", "ADAPTIVE_3", router, &rule->modes[BIASED], error);
}

/* Estimates the latency and stalls of a message to @peer in the mode that was not chosen last. */
static void app_aware_guess(const DnAppAwareRule *rule, DnAppAwareState *state, guint32 peer,
                            gint64 bytes)
{
    guint8 here = state->current, there = !here;
    gboolean alike = state->peer[there] == peer && state->size_bytes[there] == bytes;
    if (state->age[there] < rule->expiry && (alike || rule->any_memory))
        return;
    double lambda = here == ADAPTIVE ? rule->lambda : 1 / rule->lambda;
    double sigma = here == ADAPTIVE ? rule->sigma : 1 / rule->sigma;
    state->latency[there] = state->latency[here] * lambda;
    state->stalls[there] = state->stalls[here] * sigma;
}

/* Keeps the last reading as the values of the mode chosen last, before a message to @peer. */
static void app_aware_learn(DnAppAwareState *state, guint32 peer, gint64 bytes)
{
    guint8 mode = state->current, other = !mode;
    if (!state->learned)
        state->age[other] = G_MAXUINT32;
    else if (state->age[other] < G_MAXUINT32)
        state->age[other]++;
    state->learned = TRUE;
    state->age[mode] = 0;
    state->peer[mode] = peer;
    state->size_bytes[mode] = bytes;
    state->latency[mode] = state->read_latency;
    state->stalls[mode] = state->read_stalls;
}

/* Reads what was answered since the last reading; without an answer the values stay. */
static void app_aware_read(const DnAppAwareRule *rule, DnAppAwareState *state,
                           const DnNicCounters *nic)
{
    const DnNicCounters *from = &state->from;
    guint64 responses = nic->responses - from->responses;
    guint64 flits = nic->request_flits - from->request_flits;
    if (state->reading && responses > 0 && flits > 0) {
        double cycles_per_ps = rule->nic.clock_hz * 1e-12;
        double stalled_ps = (double)MAX(0, nic->stalled_ps - from->stalled_ps);
        state->read_latency = (double)(nic->latency_ps_sum - from->latency_ps_sum) /
                              (double)responses * cycles_per_ps;
        state->read_stalls = stalled_ps / (double)flits * cycles_per_ps;
        state->known = TRUE;
    }
    state->reading = TRUE;
    state->from = *nic;
}

void dn_app_aware_pause(const DnAppAwareRule *rule, DnAppAwareState *state,
                        const DnNicCounters *nic)
{
    app_aware_read(rule, state, nic);
    state->reading = FALSE;
}

/* Returns the quicker mode by equation 4, with a whole number of windows. It compares flits with a
 * quotient; where the biased mode stalls less than the adaptive one, the inequality is reversed. */
static guint8 app_aware_quicker(const DnAppAwareRule *rule, const DnAppAwareState *state,
                                gint64 bytes, gboolean get)
{
    double packets = dn_nic_model_packets(&rule->nic, bytes), window = rule->nic.window;
    double windows = ceil((packets - 1 + window / 2) / window);
    double flits = get ? packets * rule->nic.header_flits : dn_nic_model_flits(&rule->nic, bytes);
    double stalls = state->stalls[BIASED] - state->stalls[ADAPTIVE];
    double gain = windows * (state->latency[ADAPTIVE] - state->latency[BIASED]);
    double over = stalls < 0 ? gain - flits * stalls : flits * stalls - gain;
    if (over > 0)
        return ADAPTIVE;
    return over < 0 ? BIASED : state->current;
}

guint8 dn_app_aware_select(const DnAppAwareRule *rule, DnAppAwareState *state, guint32 peer,
                           gint64 bytes, gboolean get, const DnNicCounters *nic, gboolean *chosen)
{
    guint8 mode = BIASED;
    *chosen = FALSE;
    if (bytes > rule->mailbox_bytes) {
        state->gathered_bytes += bytes;
        *chosen = state->gathered_bytes > rule->threshold_bytes;
    }
    if (*chosen) {
        state->gathered_bytes = 0;
        if (state->known) {
            app_aware_learn(state, peer, bytes);
            app_aware_guess(rule, state, peer, bytes);
            state->current = app_aware_quicker(rule, state, bytes, get);
        }
        mode = state->current;
        app_aware_read(rule, state, nic);
    }
    state->bytes[mode] += (guint64)bytes;
    return rule->modes[mode];
}
