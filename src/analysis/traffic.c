/* traffic.c - see traffic.h. */
#include "analysis/traffic.h"
#include "base/rng.h"

#include <string.h>

static const char *const traffic_names[] = {"alltoall", "shift", "random_permutation",
                                            "group_adversarial", NULL};
enum { ALLTOALL, SHIFT, RANDOM, ADVERSARIAL };

static void add_flow(GArray *flows, guint32 src, guint32 dst)
{
    DnTrafficFlow flow = {src, dst, 1};
    g_array_append_val(flows, flow);
}

static void random_permutation(guint32 n, guint64 seed, GArray *flows)
{
    guint64 key = dn_draw_key(seed, DN_DRAW_WORKLOAD, n);
    g_autofree guint32 *to = g_new(guint32, n);
    for (guint32 i = 0; i < n; i++)
        to[i] = i;
    /* Sattolo's shuffle: one cycle through all, so none stays where it is. */
    for (guint32 i = n - 1; i > 0; i--) {
        guint32 j = dn_draw_below(dn_draw(key, i), i), kept = to[i];
        to[i] = to[j];
        to[j] = kept;
    }
    for (guint32 i = 0; i < n; i++)
        add_flow(flows, i, to[i]);
}

static guint32 group_of(const DnGraph *g, guint32 endpoint)
{
    guint32 t = g->endpoint_terminal[endpoint];
    return t == DN_NONE ? 0 : g->vertices[g->terminal_switch[t]].group;
}

/* Endpoint i of a group to endpoint i (mod its size) of the next group that has endpoints. */
static void group_adversarial(const DnGraph *g, GArray *flows)
{
    guint32 n = g->size.endpoints, groups = MAX(g->size.groups, 1);
    g_autofree guint32 *count = g_new0(guint32, groups);
    g_autofree guint32 *first = g_new0(guint32, groups + 1);
    g_autofree guint32 *member = g_new(guint32, n);
    g_autofree guint32 *place = g_new(guint32, n);
    for (guint32 e = 0; e < n; e++)
        place[e] = count[group_of(g, e)]++;
    for (guint32 i = 0; i < groups; i++)
        first[i + 1] = first[i] + count[i];
    for (guint32 e = 0; e < n; e++)
        member[first[group_of(g, e)] + place[e]] = e;
    for (guint32 e = 0; e < n; e++) {
        guint32 next = (group_of(g, e) + 1) % groups;
        while (count[next] == 0)
            next = (next + 1) % groups;
        add_flow(flows, e, member[first[next] + place[e] % count[next]]);
    }
}

static guint find_name(const char *name)
{
    guint i = 0;
    while (traffic_names[i] != NULL && strcmp(traffic_names[i], name) != 0)
        i++;
    return i;
}

DnTraffic *dn_traffic_new(const DnGraph *g, const char *name, guint64 seed, GError **error)
{
    guint32 n = g->size.endpoints;
    guint kind = find_name(name);
    if (traffic_names[kind] == NULL) {
        g_autofree char *unknown = dn_unknown(name, traffic_names, "known");
        g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown traffic %s", unknown);
        return NULL;
    }
    if (n < 2) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "the machine has %u endpoint%s; traffic needs two", n, n == 1 ? "" : "s");
        return NULL;
    }
    if (kind == ALLTOALL) {
        DnTraffic *traffic = g_new0(DnTraffic, 1);
        *traffic = (DnTraffic){.name = g_strdup(name),
                               .uniform = TRUE,
                               .largest_out = n - 1.0,
                               .total = (double)n * (n - 1.0)};
        return traffic;
    }
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(DnTrafficFlow));
    if (kind == RANDOM)
        random_permutation(n, seed, flows);
    else if (kind == ADVERSARIAL && g->size.groups > 1)
        group_adversarial(g, flows);
    else
        for (guint32 i = 0; i < n; i++)
            add_flow(flows, i, (i + n / 2) % n);
    return dn_traffic_from_flows(name, flows, n);
}

DnTraffic *dn_traffic_from_flows(const char *name, GArray *flows, guint32 endpoints)
{
    DnTraffic *traffic = g_new0(DnTraffic, 1);
    g_autofree double *out = g_new0(double, endpoints);
    guint kept = 0;
    for (guint i = 0; i < flows->len; i++) {
        DnTrafficFlow flow = g_array_index(flows, DnTrafficFlow, i);
        g_assert(flow.src < endpoints && flow.dst < endpoints);
        if (flow.src == flow.dst || flow.amount <= 0)
            continue;
        out[flow.src] += flow.amount;
        traffic->largest_out = MAX(traffic->largest_out, out[flow.src]);
        traffic->total += flow.amount;
        g_array_index(flows, DnTrafficFlow, kept++) = flow;
    }
    traffic->name = g_strdup(name);
    traffic->n_flows = kept;
    traffic->flows = (DnTrafficFlow *)(void *)g_array_free(flows, FALSE);
    return traffic;
}

void dn_traffic_free(DnTraffic *traffic)
{
    if (traffic == NULL)
        return;
    g_free(traffic->name);
    g_free(traffic->flows);
    g_free(traffic);
}

/* ---- parts ---- */

typedef struct {
    const DnGraph *g;
    DnTrafficShares *shares;
    guint32 m;         /* vertices of parts->node */
    guint32 *local;    /* [M] node-local vertex -> vertex of parts->node, DN_NONE */
    guint8 *connected; /* [m * m] inside a node */
} Splitter;

static guint32 net_place(const Splitter *s, guint32 vertex)
{
    return s->local[s->g->vertices[vertex].local];
}

static void splitter_init(Splitter *s, const DnGraph *g, DnTrafficShares *shares)
{
    *s = (Splitter){.g = g, .shares = shares, .m = shares->node != NULL ? shares->node->n : 0};
    s->local = g_new(guint32, g->size.node_vertices + 1);
    for (guint32 i = 0; i < g->size.node_vertices; i++)
        s->local[i] = shares->node != NULL ? dn_net_find(shares->node, g->size.switches + i)
                                           : DN_NONE;
    s->connected = g_new0(guint8, (gsize)s->m * s->m + 1);
    g_autofree guint32 *distance = g_new(guint32, s->m + 1);
    g_autofree guint32 *order = g_new(guint32, s->m + 1);
    for (guint32 a = 0; a < s->m; a++) {
        dn_net_search(shares->node, a, distance, order);
        for (guint32 b = 0; b < s->m; b++)
            s->connected[a * s->m + b] = distance[b] != G_MAXUINT32;
    }
}

static void add_inside(const Splitter *s, guint32 node, guint32 from, guint32 to, double amount)
{
    guint32 a = net_place(s, from), b = net_place(s, to);
    g_assert(a < s->m && b < s->m && s->connected[a * s->m + b]);
    s->shares->inside[((gsize)node * s->m + a) * s->m + b] += amount;
}

/* TRUE when the pair needs no NIC. */
static gboolean stays_inside(const Splitter *s, guint32 a, guint32 b)
{
    const DnGraph *g = s->g;
    if (g->vertices[a].node != g->vertices[b].node || s->m == 0)
        return FALSE;
    return s->connected[net_place(s, a) * s->m + net_place(s, b)] != 0;
}

/* Adds what endpoint @e sends (@out) or receives by terminal @t of its node. */
static void add_nic(const Splitter *s, guint32 e, guint32 t, double amount, gboolean out)
{
    const DnGraph *g = s->g;
    guint32 v = g->endpoints[e];
    g_assert(t != DN_NONE);
    (out ? s->shares->nic_out : s->shares->nic_in)[t] += amount;
    guint32 nic = g->terminals[t];
    if (nic != v)
        add_inside(s, g->vertices[v].node, out ? v : nic, out ? nic : v, amount);
}

static guint32 switch_of(const DnGraph *g, guint32 e)
{
    return g->endpoint_terminal[e] == DN_NONE ? DN_NONE
                                              : g->terminal_switch[g->endpoint_terminal[e]];
}

/* The terminal by which @src leaves its node for one whose packets come in by @enter. */
static guint32 leave_by(const DnGraph *g, guint32 src, guint32 enter)
{
    guint32 own = g->endpoint_terminal[src], nics = g->size.terminals / MAX(1, g->size.nodes);
    gboolean rails = g->size.leave_by_target && nics > 1 && enter != DN_NONE;
    return rails ? g->vertices[g->endpoints[src]].node * nics + enter % nics : own;
}

static void split_flow(const Splitter *s, const DnTrafficFlow *flow)
{
    const DnGraph *g = s->g;
    guint32 a = g->endpoints[flow->src], b = g->endpoints[flow->dst];
    if (stays_inside(s, a, b)) {
        add_inside(s, g->vertices[a].node, a, b, flow->amount);
        return;
    }
    guint32 enter = g->endpoint_terminal[flow->dst], leave = leave_by(g, flow->src, enter);
    add_nic(s, flow->src, leave, flow->amount, TRUE);
    add_nic(s, flow->dst, enter, flow->amount, FALSE);
    gsize row = (gsize)g->terminal_switch[leave] * g->size.switches;
    g_assert(s->shares->switches != NULL); /* apart: over a fabric */
    s->shares->switches[row + switch_of(g, flow->dst)] += flow->amount;
}

/* Pairs of endpoint @e inside its node (endpoints stand in node order); returns how many. */
static guint32 split_own_node(const Splitter *s, guint32 e, double *switches)
{
    const DnGraph *g = s->g;
    guint32 v = g->endpoints[e], node = g->vertices[v].node, low = e, inside = 0;
    while (low > 0 && g->vertices[g->endpoints[low - 1]].node == node)
        low--;
    for (guint32 o = low; o < g->size.endpoints; o++) {
        guint32 u = g->endpoints[o];
        if (g->vertices[u].node != node)
            break;
        gboolean stays = u != v && stays_inside(s, v, u);
        if (stays)
            add_inside(s, node, v, u, 1);
        inside += stays;
        if (switches != NULL && (stays || u == v))
            switches[(gsize)switch_of(g, e) * g->size.switches + switch_of(g, o)] -= 1;
    }
    return inside;
}

static void split_uniform(const Splitter *s)
{
    const DnGraph *g = s->g;
    guint32 n = g->size.endpoints, r = g->size.switches;
    double *d = s->shares->switches;
    g_autofree double *weight = g_new0(double, r + 1);
    for (guint32 e = 0; e < n && d != NULL; e++)
        weight[switch_of(g, e)] += 1;
    for (guint32 a = 0; a < r && d != NULL; a++)
        for (guint32 b = 0; b < r; b++)
            d[(gsize)a * r + b] = weight[a] * weight[b];
    for (guint32 e = 0; e < n; e++) {
        guint32 away = n - 1 - split_own_node(s, e, d);
        if (away == 0)
            continue;
        add_nic(s, e, g->endpoint_terminal[e], away, TRUE);
        add_nic(s, e, g->endpoint_terminal[e], away, FALSE);
    }
}

/* Does what split_uniform() does, for machines where the NIC depends on the target. */
static void split_pairs(const Splitter *s)
{
    guint32 n = s->g->size.endpoints;
    for (guint32 a = 0; a < n; a++)
        for (guint32 b = 0; b < n; b++) {
            DnTrafficFlow flow = {a, b, 1};
            if (a != b)
                split_flow(s, &flow);
        }
}

static gsize bytes_needed(const DnGraph *g, guint32 m)
{
    gsize r = g->size.switches, nodes = g->size.nodes;
    return sizeof(double) * (r * r + nodes * (gsize)m * m);
}

DnTrafficShares *dn_traffic_shares(const DnGraph *g, const DnTraffic *traffic, gsize max_bytes,
                                   GError **error)
{
    guint32 m = g->size.node_vertices > 1 ? g->size.node_vertices : 0;
    if (bytes_needed(g, m) > max_bytes) {
        g_set_error(error, DN_ERROR, DN_ERROR_MEMORY,
                    "%u switches and %u nodes need %.1f GiB of traffic matrices, more than %.1f "
                    "GiB; take a part of the machine with --nodes",
                    g->size.switches, g->size.nodes, (double)bytes_needed(g, m) / 0x1p30,
                    (double)max_bytes / 0x1p30);
        return NULL;
    }
    DnTrafficShares *shares = g_new0(DnTrafficShares, 1);
    shares->fabric = dn_net_fabric(g);
    shares->direct = g->size.nodes == 1;
    if (m > 0) {
        shares->node = dn_net_node(g, 0, shares->direct);
        m = shares->node->n;
        shares->inside = g_new0(double, (gsize)g->size.nodes *m *m);
    }
    gsize r = g->size.switches;
    shares->switches = r > 0 ? g_new0(double, r *r) : NULL;
    shares->nic_out = g_new0(double, g->size.terminals + 1);
    shares->nic_in = g_new0(double, g->size.terminals + 1);
    Splitter s;
    splitter_init(&s, g, shares);
    if (traffic->uniform && g->size.leave_by_target)
        split_pairs(&s);
    else if (traffic->uniform)
        split_uniform(&s);
    for (guint32 i = 0; i < traffic->n_flows; i++)
        split_flow(&s, &traffic->flows[i]);
    g_free(s.local);
    g_free(s.connected);
    return shares;
}

void dn_traffic_shares_free(DnTrafficShares *shares)
{
    if (shares == NULL)
        return;
    dn_net_free(shares->fabric);
    dn_net_free(shares->node);
    g_free(shares->switches);
    g_free(shares->inside);
    g_free(shares->nic_out);
    g_free(shares->nic_in);
    g_free(shares);
}
