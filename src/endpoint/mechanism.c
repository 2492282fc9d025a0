/* mechanism.c - names, rules and types of `mechanism:`; see mechanism.h. */
#include "endpoint/costs.h"
#include "base/registry.h"

#include <string.h>

#define DIRECT "direct"

/* A read in progress: the machine's entries, and whether a rule's `use` is being read. */
typedef struct {
    const DnConfigNode *known;
    gboolean in_rule;
} Reading;

static void unknown_word(const DnConfigNode *node, GPtrArray *names, const char *what,
                         GError **error)
{
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown = dn_unknown(node->scalar, (const char *const *)names->pdata, "known");
    dn_config_error(node, DN_ERROR_UNKNOWN, error, "unknown %s %s", what, unknown);
}

static const DnMechanismType *find_type(const DnConfigNode *map, GError **error)
{
    const DnConfigNode *node = map ? dn_config_get(map, "type") : NULL;
    if (!node)
        return dn_mechanism_types[0];
    if (!dn_config_expect(node, DN_CONFIG_SCALAR, error))
        return NULL;
    const DnMechanismType *type = dn_registry_find(dn_mechanism_types, node->scalar);
    if (type)
        return type;
    g_autoptr(GPtrArray) names = dn_registry_names(dn_mechanism_types);
    unknown_word(node, names, "type of mechanism", error);
    return NULL;
}

static gboolean read_mapping(const DnConfigNode *map, DnMechanismRule *rule, GError **error)
{
    static const char *const ignore[] = {"type", "description", "source", "assumed", NULL};
    if (map && !dn_config_expect(map, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; map && ignore[i]; i++)
        (void)dn_config_get(map, ignore[i]);
    rule->type = find_type(map, error);
    if (!rule->type)
        return FALSE;
    g_autoptr(DnParams) params = dn_params_read(map, rule->type->params, ignore, error);
    return params && rule->type->costs(params, &rule->costs, error);
}

/* Returns the entry that @node names; NULL: it is none, with *@direct or an error. */
static const DnConfigNode *find_entry(const DnConfigNode *node, const DnConfigNode *known,
                                      gboolean *direct, GError **error)
{
    *direct = FALSE;
    if (known && !dn_config_expect(known, DN_CONFIG_MAP, error))
        return NULL;
    const DnConfigNode *entry = known ? dn_config_get(known, node->scalar) : NULL;
    *direct = !entry && strcmp(node->scalar, DIRECT) == 0;
    if (entry || *direct)
        return entry;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; known && i < known->keys->len; i++)
        g_ptr_array_add(names, g_ptr_array_index(known->keys, i));
    g_ptr_array_add(names, (gpointer)DIRECT);
    unknown_word(node, names, "mechanism of this machine", error);
    return NULL;
}

static gboolean read_node(const Reading *reading, const DnConfigNode *node, DnMechanism *out,
                          GError **error);

static const char *const reaches[] = {"any", "node", "network", NULL};
static const char *const sends[] = {"any", "nonblocking", NULL};
static const char *const protocols[] = {"any", "LL", "LL128", "Simple", "host", "kernel", NULL};
static const char *const algorithms[] = {"any", "ring", "tree", NULL};
const DnParamSpec dn_mechanism_rule_keys[] = {
    {"to", DN_PARAM_BYTES, "", 0, 1e15, NULL,
     "messages of at most this size; of NCCL's grouped sends between nodes, blocks"},
    {"reach", DN_PARAM_CHOICE, "any", 0, 0, reaches, "inside a node, or between nodes"},
    {"send", DN_PARAM_CHOICE, "any", 0, 0, sends,
     "nonblocking sends alone (MPI_Isend, a library's own)"},
    {"protocol", DN_PARAM_CHOICE, "any", 0, 0, protocols, "that the library takes for the call"},
    {"algorithm", DN_PARAM_CHOICE, "any", 0, 0, algorithms, "likewise, of NCCL's"},
    {"use", DN_PARAM_NODE, NULL, 0, 0, NULL, "the mechanism"},
    {0},
};

static const char *const endpoints[] = {"any", "gpu", "cpu", NULL}; /* as dn_endpoint_kind_name() */
const DnParamSpec dn_mechanism_list_keys[] = {
    {"rules", DN_PARAM_NODE, NULL, 0, 0, NULL, "the list"},
    {"t_connect", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,
     "for the adapter to connect (InfiniBand's DC) before each message between nodes and before a "
     "receiver's answer to a rendezvous; no process is busy meanwhile"},
    {"connect_above", DN_PARAM_INT, "0", 0, 16777216, NULL,
     "t_connect is only for jobs with more ranks than this"},
    {"initiators", DN_PARAM_INT, "0", 0, DN_INITIATORS, NULL,
     "peers to which a process sends at a time where adapters connect (t_connect); 0: all"},
    {"t_initiator", DN_PARAM_TIME, "0", 0, DN_COSTS_MOST_PS, NULL,
     "for which a message takes one of them beside t_connect: until it is acknowledged"},
    {"endpoints", DN_PARAM_CHOICE, "any", 0, 0, endpoints,
     "what ranks must live on: of GPUs' buffers, or of hosts' alone"},
    {0},
};

/* FALSE + error: the last rule of a list has conditions, but `reach: node`, or another has none. */
static gboolean rule_place_check(const DnConfigNode *item, const DnParams *params, gboolean last,
                                 GError **error)
{
    gint conditions = dn_params_has(params, "to") ? 1 : 0;
    for (guint i = 0; dn_mechanism_rule_keys[i].key != NULL; i++)
        if (dn_mechanism_rule_keys[i].type == DN_PARAM_CHOICE)
            conditions += dn_params_int(params, dn_mechanism_rule_keys[i].key) > 0;
    gboolean inside = dn_params_int(params, "reach") == DN_REACH_NODE;
    if (last ? conditions == inside : conditions > 0)
        return TRUE;
    dn_config_error(item, DN_ERROR_RANGE, error,
                    last ? "the last mechanism of a list is for all that is left: no `to`, "
                           "`reach: network`, `send`, `protocol` or `algorithm`"
                         : "a mechanism that is not the last of its list needs `to`, `reach`, "
                           "`send`, `protocol` or `algorithm`");
    return FALSE;
}

/* Takes over that @inner, the only rule of the list that an item uses, is for messages inside a
 * node. FALSE + error: the item is of those between nodes. */
static gboolean rule_reach_take(const DnConfigNode *item, const DnMechanism *inner,
                                DnMechanismRule *rule, GError **error)
{
    if (inner->rules[0].reach != DN_REACH_NODE)
        return TRUE;
    if (rule->reach == DN_REACH_NETWORK) {
        dn_config_error(item, DN_ERROR_RANGE, error,
                        "mechanism '%s' is for messages inside a node; with it `reach` is `node`",
                        inner->name);
        return FALSE;
    }
    rule->reach = DN_REACH_NODE;
    return TRUE;
}

/* Reads an item of a list: the condition, then a mechanism without conditions, but that it may be
 * for messages inside a node. */
static gboolean read_rule(const Reading *reading, const DnConfigNode *item, gboolean last,
                          DnMechanism *out, GError **error)
{
    static const char *const notes[] = {"source", "assumed", NULL}; /* of the condition */
    if (!dn_config_expect(item, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; notes[i]; i++)
        (void)dn_config_get(item, notes[i]);
    g_autoptr(DnParams) params = dn_params_read(item, dn_mechanism_rule_keys, notes, error);
    if (!params)
        return FALSE;
    if (!rule_place_check(item, params, last, error))
        return FALSE;
    Reading inner = {.known = reading->known, .in_rule = TRUE};
    DnMechanism one = {0};
    if (!read_node(&inner, dn_params_node(params, "use"), &one, error))
        return FALSE;
    DnMechanismRule *rule = &out->rules[out->n_rules++];
    *rule = one.rules[0];
    rule->to_bytes = dn_params_has(params, "to") ? dn_params_int(params, "to") : G_MAXINT64;
    rule->reach = (guint8)dn_params_int(params, "reach");
    rule->nonblocking = dn_params_int(params, "send") > 0;
    if (!rule_reach_take(item, &one, rule, error))
        return FALSE;
    out->by_send |= rule->nonblocking;
    if (dn_params_int(params, "protocol") > 0)
        rule->protocol = protocols[dn_params_int(params, "protocol")];
    if (dn_params_int(params, "algorithm") > 0)
        rule->algorithm = algorithms[dn_params_int(params, "algorithm")];
    g_autofree char *names =
        g_strconcat(out->name ? out->name : "", out->name ? "|" : "", one.name, NULL);
    out->name = g_intern_string(names);
    return TRUE;
}

static gboolean read_list(const Reading *reading, const DnConfigNode *list, DnMechanism *out,
                          GError **error)
{
    guint n = list->children->len;
    if (n == 0 || n > DN_MECHANISM_RULES) {
        dn_config_error(list, DN_ERROR_RANGE, error, "a list of 1 to %d mechanisms is needed",
                        DN_MECHANISM_RULES);
        return FALSE;
    }
    for (guint i = 0; i < n; i++)
        if (!read_rule(reading, g_ptr_array_index(list->children, i), i == n - 1, out, error))
            return FALSE;
    for (guint i = 0; i < n && out->by_send; i++)
        if (out->rules[i].costs.path.via_host) {
            dn_config_error(list, DN_ERROR_RANGE, error,
                            "a list with `send` has no mechanism by way of the memory of the hosts "
                            "(staging)");
            return FALSE;
        }
    return TRUE;
}

/* FALSE + error: @key, which says @what, is there without t_connect. */
static gboolean list_connects(const DnParams *params, const char *key, const char *what,
                              GError **error)
{
    if (!dn_params_given(params, key) || dn_params_given(params, "t_connect"))
        return TRUE;
    dn_params_error(params, key, DN_ERROR_MISSING, error,
                    "%s: says %s; `t_connect`, how long that takes, is missing", key, what);
    return FALSE;
}

/* Returns the list that @node is, or has with what holds of all its messages; NULL: neither, or an
 * error. */
static const DnConfigNode *list_of(const DnConfigNode *node, DnMechanism *out, GError **error)
{
    static const char *const notes[] = {"description", "source", "assumed", NULL};
    if (node->kind == DN_CONFIG_LIST)
        return node;
    if (node->kind != DN_CONFIG_MAP || dn_config_get(node, "rules") == NULL)
        return NULL;
    for (guint i = 0; notes[i]; i++)
        (void)dn_config_get(node, notes[i]);
    g_autoptr(DnParams) params = dn_params_read(node, dn_mechanism_list_keys, notes, error);
    if (params == NULL)
        return NULL;
    const DnConfigNode *list = dn_params_node(params, "rules");
    out->connect_ps = dn_params_int(params, "t_connect");
    out->connect_above = (guint32)dn_params_int(params, "connect_above");
    out->initiators = (guint32)dn_params_int(params, "initiators");
    out->initiator_ps = dn_params_int(params, "t_initiator");
    gint64 kind = dn_params_int(params, "endpoints");
    out->endpoints = kind > 0 ? endpoints[kind] : NULL;
    if (!list_connects(params, "connect_above", "when messages wait for a connection", error) ||
        !list_connects(params, "initiators", "how many peers may be connected", error) ||
        !list_connects(params, "t_initiator", "how long a peer stays connected", error))
        return NULL;
    return dn_config_expect(list, DN_CONFIG_LIST, error) ? list : NULL;
}

/* Returns whether @list has one rule, for messages inside a node, and so is a mechanism with its
 * reach: an item of a list may use it. */
static gboolean list_is_inside_only(const DnConfigNode *list)
{
    const DnConfigNode *item = list->children->len == 1 ? list->children->pdata[0] : NULL;
    if (item == NULL || item->kind != DN_CONFIG_MAP)
        return FALSE;
    const DnConfigNode *reach = dn_config_get(item, "reach");
    return reach != NULL && reach->kind == DN_CONFIG_SCALAR && strcmp(reach->scalar, "node") == 0;
}

static gboolean read_node(const Reading *reading, const DnConfigNode *node, DnMechanism *out,
                          GError **error)
{
    const DnConfigNode *named = node;
    gboolean direct = FALSE;
    GError *wrong = NULL;
    out->name = node->kind == DN_CONFIG_SCALAR ? g_intern_string(node->scalar) : "inline";
    if (node->kind == DN_CONFIG_SCALAR) {
        node = find_entry(node, reading->known, &direct, error);
        if (!node)
            return direct;
    }
    const DnConfigNode *list = list_of(node, out, &wrong);
    if (wrong != NULL) {
        g_propagate_error(error, wrong);
        return FALSE;
    }
    if (list != NULL && reading->in_rule && (list != node || !list_is_inside_only(list))) {
        dn_config_error(named, DN_ERROR_RANGE, error,
                        "%s is a list, which an item of a list cannot be", out->name);
        return FALSE;
    }
    if (list != NULL) {
        const char *name = out->name;
        out->name = NULL;
        gboolean ok = read_list(reading, list, out, error);
        out->name = node != named || !ok ? name : out->name;
        return ok;
    }
    out->n_rules = 1;
    out->rules[0].to_bytes = G_MAXINT64;
    return read_mapping(node, &out->rules[0], error);
}

gboolean dn_mechanism_read(const DnConfigNode *node, const DnConfigNode *known, DnMechanism *out,
                           GError **error)
{
    const Reading reading = {.known = known};
    *out = (DnMechanism){.name = DIRECT};
    return !node || read_node(&reading, node, out, error);
}

gboolean dn_mechanisms_check(const DnConfigNode *known, GError **error)
{
    if (known != NULL && !dn_config_expect(known, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; known != NULL && i < known->children->len; i++) {
        DnMechanism m;
        if (!dn_mechanism_read(known->children->pdata[i], known, &m, error))
            return FALSE;
    }
    return TRUE;
}

/* Returns what a message of 0 bytes takes beside its path. */
static gint64 empty_ps(const DnCosts *c)
{
    gint64 ps = c->call_ps + c->batch_ps + c->issue_ps + c->start_ps + c->receive.recv_ps +
                c->receive.progress_ns * G_GINT64_CONSTANT(1000);
    for (guint i = 0; i < c->n_out; i++)
        ps += c->out[i].message_ps + c->out[i].latency_ps;
    for (guint i = 0; i < c->n_in; i++)
        ps += c->in[i].message_ps + c->in[i].latency_ps;
    return ps;
}

void dn_mechanism_empty_by_host(DnMechanism *m, const DnMechanism *host)
{
    static const DnReach reach[DN_MECHANISM_EMPTY_RULES] = {DN_REACH_NODE, DN_REACH_NETWORK};
    gboolean gpu_buffers = FALSE, occupies = FALSE;
    for (guint i = 0; i < m->n_rules; i++) {
        occupies |= m->rules[i].costs.receive.progress_ns > 0;
        gpu_buffers |= m->rules[i].type != NULL && m->rules[i].type->gpu_buffers;
    }
    if (!gpu_buffers)
        return;
    for (guint i = 0; i < DN_MECHANISM_EMPTY_RULES; i++) {
        gboolean inside = reach[i] == DN_REACH_NODE;
        DnMechanismRule rule = host->rules[dn_mechanism_rule(host, 0, inside, FALSE)];
        if (empty_ps(&rule.costs) >= empty_ps(dn_mechanism_costs(m, 0, inside)))
            continue;
        DnReceiveCosts *receive = &rule.costs.receive;
        if (!occupies) { /* its process is on no processor: none has to be free */
            receive->recv_ps += receive->progress_ns * G_GINT64_CONSTANT(1000);
            receive->progress_ns = 0;
        }
        rule.to_bytes = 0;
        rule.reach = (guint8)reach[i];
        memmove(m->rules + 1, m->rules, m->n_rules * sizeof m->rules[0]);
        m->rules[0] = rule;
        m->n_rules++;
    }
}

guint dn_mechanism_rule_of_arrival(const DnMechanism *m, gint64 bytes, gboolean inside,
                                   gboolean rendezvous)
{
    for (guint i = 0; m->by_send && i < m->n_rules; i++)
        if (dn_mechanism_rule_fits(&m->rules[i], bytes, inside) &&
            dn_costs_by_rendezvous(&m->rules[i].costs, bytes) == rendezvous)
            return i;
    return dn_mechanism_rule(m, bytes, inside, FALSE);
}

static gboolean rule_agrees(const char *rule, const char *choice)
{
    return rule == NULL || g_strcmp0(rule, choice) == 0;
}

void dn_mechanism_keep(DnMechanism *m, const char *protocol, const char *algorithm)
{
    guint n = 0;
    for (guint i = 0; i < m->n_rules; i++)
        if (rule_agrees(m->rules[i].protocol, protocol) &&
            rule_agrees(m->rules[i].algorithm, algorithm))
            m->rules[n++] = m->rules[i];
    m->n_rules = n;
}

gboolean dn_mechanism_inside_only(const DnMechanism *m)
{
    return m->n_rules > 0 && m->rules[m->n_rules - 1].reach == DN_REACH_NODE;
}

gboolean dn_mechanism_by_channel(const DnMechanism *m)
{
    gboolean chooses = FALSE, limits = FALSE;
    for (guint i = 0; i < m->n_rules; i++) {
        const DnMechanismRule *rule = &m->rules[i];
        limits |= rule->costs.rate_bps > 0;
        chooses |= rule->algorithm != NULL;
        for (guint p = 1; p <= 3; p++) /* LL, LL128, Simple */
            chooses |= g_strcmp0(rule->protocol, protocols[p]) == 0;
    }
    return chooses && limits;
}

/* Returns @ps + @n * @each_ps, or the longest time that a key allows if that is less. */
static gint64 with_each(gint64 ps, gint64 each_ps, guint32 n)
{
    return each_ps <= ((gint64)DN_COSTS_MOST_PS - ps) / MAX(1, (gint64)n)
               ? ps + each_ps * n
               : MAX(ps, (gint64)DN_COSTS_MOST_PS);
}

static void add_peers(DnStage *stages, guint32 n, guint32 peers)
{
    for (guint32 i = 0; i < n; i++) {
        stages[i].piece_ps = with_each(stages[i].piece_ps, stages[i].peer_ps, peers);
        stages[i].peer_ps = 0;
    }
}

/* Limits a message to @bps, and a stream of a channel with it. */
static void limit_rate(DnCosts *costs, gint64 bps)
{
    if (costs->rate_bps == 0 || bps < costs->rate_bps)
        costs->rate_bps = MAX(1, bps);
    if (costs->channel_bps != 0)
        costs->channel_bps = costs->rate_bps;
}

static void divide_group_rate(DnCosts *costs, guint32 peers)
{
    if (costs->receive.group_bps > 0)
        limit_rate(costs, costs->receive.group_bps / peers);
    costs->receive.group_bps = 0;
}

static void share_rate(DnCosts *costs, guint32 peers)
{
    if (!costs->shared)
        return;
    if (costs->rate_bps > 0)
        limit_rate(costs, costs->rate_bps / peers);
    costs->receive.recv_ps = with_each(0, costs->receive.recv_ps, peers);
    costs->shared = FALSE;
}

/* A thread block's warps are divided evenly among @peers sends and as many receives, each number
 * rounded up to a power of two, also while some have nothing to do (NCCL 2.18, src/enqueue.cc,
 * finishWorkP2p). */
static void share_thread_block(DnCosts *costs, guint32 peers, guint32 blocks)
{
    guint32 parts = 1;
    while (parts < peers)
        parts *= 2;
    costs->start_ps = with_each(costs->start_ps, costs->receive.batch_peer_ps, parts - 1);
    costs->receive.recv_ps =
        with_each(costs->receive.recv_ps, costs->receive.batch_peer_ps, parts - 1);
    if (costs->receive.batch_bps > 0)
        limit_rate(costs, costs->receive.batch_bps / (2 * parts) * blocks);
}

void dn_mechanism_batch(DnMechanism *m, guint32 peers, guint32 blocks, guint32 pieces)
{
    for (guint i = 0; i < m->n_rules; i++) {
        DnMechanismRule *rule = &m->rules[i];
        DnCosts *costs = &rule->costs;
        if (blocks > 0 && rule->to_bytes != G_MAXINT64)
            rule->to_bytes_between = rule->to_bytes * blocks / MAX(1, pieces);
        if (peers > 0)
            share_thread_block(costs, peers, rule->reach == DN_REACH_NODE ? 1 : MAX(1, blocks));
        costs->receive.batch_peer_ps = costs->receive.batch_bps = 0;
    }
}

void dn_mechanism_peers(DnMechanism *m, DnRankCounts ranks)
{
    guint32 peers = MAX(1, ranks.communicator - 1);
    guint32 in_node = CLAMP(ranks.in_node - 1, 1, peers);
    if (ranks.job <= m->connect_above)
        m->connect_ps = 0;
    for (guint i = 0; i < m->n_rules; i++) {
        DnCosts *costs = &m->rules[i].costs;
        costs->call_ps = with_each(costs->call_ps, costs->call_rank_ps, ranks.communicator);
        costs->call_rank_ps = 0;
        share_rate(costs, peers);
        divide_group_rate(costs, m->rules[i].reach == DN_REACH_NODE ? in_node : peers);
        add_peers(costs->out, costs->n_out, ranks.job - 1);
        add_peers(costs->in, costs->n_in, ranks.job - 1);
    }
}
