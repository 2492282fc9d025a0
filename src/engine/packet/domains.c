/* domains.c - The machine is cut into domains, and its vertices are renumbered domain by domain. */
#include "engine/packet/domains.h"

#include "base/sparse_array.h"

#define MIN_DOMAINS 8
#define PART_DOMAINS 4     /* wanted for each thread of each process, unless that splits groups */
#define DOMAIN_LINKS 768.0 /* a domain with more does not fit into the cache */
#define DOMAIN_BYTES (64 * DOMAIN_LINKS) /* of a domain's ports */
#define MAX_DOMAIN_VERTICES 16384.0
#define TURN_PACKETS 1024.0
#define WHEEL_BYTES (G_GUINT64_CONSTANT(128) << 20)

/* Returns how many packets of the largest size all links of the machine carry in a slot. */
static double packets_a_slot(DnPacketEngine *e)
{
    double bytes_a_ps = 0;
    for (guint32 l = 0; l < e->graph->size.links; l++)
        bytes_a_ps += (1 << 20) /
                      (double)e->net.link_timings[dn_link_timing_of(e, l)].ps_per_byte_fp;
    return bytes_a_ps * (double)(G_GINT64_CONSTANT(1) << e->threads.slot_shift) /
           e->net.sizes.most_wire_bytes;
}

/* Returns the number of switches of a domain for one thread. The more there are, the less the start
 * of a slot costs, as long as the packets of a slot, TURN_PACKETS, stay in the cache; large packets
 * are few in a slot, small ones many. Where the number is close to a group, it is a whole group:
 * all links inside a group are then inside a domain, and windows as long as a global link. There
 * are at least MIN_DOMAINS domains, so that two threads can share them. */
static guint32 switches_of_domain(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    const DnObserver *observer = &e->run->observer;
    if (e->router->type->omniscient || observer->delays != NULL || observer->channel != NULL)
        return 1; /* other vertices are read, and have to be at nearly the same time */
    guint32 switches = MAX(1, g->size.switches), group = switches / MAX(1, g->size.groups);
    double wanted = TURN_PACKETS * switches / MAX(1, packets_a_slot(e));
    guint32 each = switches / MIN_DOMAINS;
    double most = MIN(each, DOMAIN_LINKS * switches / (g->size.links + 1));
    most = MIN(most, (double)MAX_DOMAIN_VERTICES * switches / (g->n_vertices + 1));
    guint32 n = (guint32)CLAMP(wanted, 1, MAX(1, most));
    if (g->size.groups < MIN_DOMAINS)
        return n;
    if (n >= group)
        return n / group * group;
    return group <= 4 * wanted && group <= MAX_DOMAIN_VERTICES * switches / g->n_vertices ? group
                                                                                          : n;
}

/* A domain is a few switches and the nodes whose first NIC hangs on one of them; without a fabric,
 * a node. */
static guint32 domain_of_node(const DnGraph *g, const guint32 *first_terminal, guint32 node)
{
    if (g->size.switches == 0)
        return node;
    guint32 t = first_terminal[node];
    return t == DN_NONE || g->terminal_switch[t] == DN_NONE ? 0 : g->terminal_switch[t];
}

static guint32 *domains_of_vertices(const DnGraph *g, guint32 switches)
{
    guint32 *domain = g_new(guint32, g->n_vertices + 1);
    g_autofree guint32 *first_terminal = g_new(guint32, g->size.nodes + 1);
    for (guint32 n = 0; n < g->size.nodes; n++)
        first_terminal[n] = DN_NONE;
    for (guint32 t = g->size.terminals; t-- > 0;)
        first_terminal[g->vertices[g->terminals[t]].node] = t;
    for (guint32 v = 0; v < g->n_vertices; v++)
        domain[v] = v < g->size.switches
                        ? v / switches
                        : domain_of_node(g, first_terminal, g->vertices[v].node) / switches;
    return domain;
}

static guint32 count_domains(const DnGraph *g, guint32 switches)
{
    return g->size.switches > 0 ? (g->size.switches + switches - 1) / switches : g->size.nodes;
}

guint32 dn_wheel_slots(const DnPacketEngine *e, guint32 domains)
{
    guint shift = e->threads.slot_shift;
    gint64 reach = 0;
    for (guint32 i = 0; i < e->net.n_link_timings; i++) {
        gint64 serial = dn_link_serial_ps(
            &e->net.link_timings[i], e->features.max_aggregation * e->net.sizes.most_wire_bytes);
        reach = MAX(reach, 2 * serial + 2 * e->net.link_timings[i].latency_ps);
    }
    guint32 slots = 16;
    while (slots < 4096 && ((gint64)slots << shift) < reach &&
           2 * (guint64)slots * domains * sizeof(guint32) <= WHEEL_BYTES)
        slots *= 2;
    return slots;
}

/* Returns the slots of a window when domains have @switches switches. */
static gint64 window_slots(DnPacketEngine *e, guint32 switches)
{
    const DnGraph *g = e->graph;
    g_autofree guint32 *domain = domains_of_vertices(g, switches);
    gint64 least = G_MAXINT64;
    for (guint32 l = 0; l < g->size.links; l++) {
        const DnLinkTiming *timing = &e->net.link_timings[dn_link_timing_of(e, l)];
        if (domain[g->links[l].src] != domain[g->links[l].dst])
            least = MIN(least, MIN(timing->latency_ps, timing->credit_latency_ps));
    }
    return MIN(least >> e->threads.slot_shift,
               (gint64)dn_wheel_slots(e, count_domains(g, switches)) / 2);
}

/* Returns the number of switches of a domain: @alone as for one thread, or fewer where many threads
 * and processes share the domains, so that each gets about as much. Windows stay as long: else
 * threads would meet more often, and a run that its client ends would end at another time. */
static guint32 switches_of_shared_domain(DnPacketEngine *e, guint32 alone)
{
    const DnGraphSize *size = &e->graph->size;
    guint32 group = size->groups < MIN_DOMAINS ? 1 : MAX(1, size->switches / size->groups);
    guint parts = MAX(1, e->run->threads) * (e->run->processes != NULL ? e->run->processes->n : 1);
    guint32 each = (guint32)(size->switches / (PART_DOMAINS * (guint64)parts));
    guint32 fewer = MAX(group, each / group * group);
    if (parts == 1 || fewer >= alone)
        return alone;
    return window_slots(e, fewer) == window_slots(e, alone) ? fewer : alone;
}

gsize dn_port_bytes(const DnPacketEngine *e)
{
    gsize bytes = 64,
          least = G_STRUCT_OFFSET(DnPort, credit_bytes) + e->net.queues * sizeof(gint32);
    while (bytes < least)
        bytes *= 2;
    return bytes;
}

/* Returns the number of switches of a domain: @shared, unless one thread serves all domains and the
 * ports of @shared switches take more than twice DOMAIN_BYTES; then as many as fit. Windows stay as
 * long as with @shared, so that the run ends at the same time, and the thread passes through each
 * in steps (windows.c). */
static guint32 switches_of_cached_domain(DnPacketEngine *e, guint32 shared)
{
    const DnGraph *g = e->graph;
    double links = DOMAIN_BYTES / (double)dn_port_bytes(e);
    guint32 most = (guint32)MAX(1, links * g->size.switches / (g->size.links + 1));
    if (e->run->threads > 1 || e->run->processes != NULL || shared <= 2 * most)
        return shared;
    e->threads.lookahead_slots = (guint32)window_slots(e, shared);
    return most;
}

void dn_domains_init(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    guint32 switches = switches_of_shared_domain(e, switches_of_domain(e));
    switches = switches_of_cached_domain(e, switches);
    while (count_domains(g, switches) > DN_MAX_DOMAINS)
        switches++;
    g_autofree guint32 *domain = domains_of_vertices(g, switches);
    e->net.n_domains = count_domains(g, switches);
    e->net.domain_first = g_new0(guint32, e->net.n_domains + 2);
    e->net.state_of = g_new(guint32, g->n_vertices + 1);
    for (guint32 v = 0; v < g->n_vertices; v++)
        e->net.domain_first[domain[v] + 1]++;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        g_assert(e->net.domain_first[d + 1] <= G_MAXUINT16);
        e->net.domain_first[d + 1] += e->net.domain_first[d];
    }
    g_autofree guint32 *at = g_memdup2(e->net.domain_first, e->net.n_domains * sizeof *at);
    for (guint32 v = 0; v < g->n_vertices; v++)
        e->net.state_of[v] = at[domain[v]]++;
}

guint32 *dn_domains_sort(DnPacketEngine *e, const guint16 *part, guint n)
{
    guint32 domains = e->net.n_domains, next = 0;
    guint32 *number = g_new0(guint32, domains + 1);
    guint32 *first = g_new0(guint32, domains + 2);
    for (guint p = 0; p < n; p++)
        for (guint32 d = 0; d < domains; d++) {
            if (part[d] != p)
                continue;
            guint32 vertices = e->net.domain_first[d + 1] - e->net.domain_first[d];
            first[next + 1] = first[next] + vertices;
            number[d] = next++;
        }
    for (guint32 v = 0; v < e->graph->n_vertices; v++) {
        guint32 d = dn_domain_of(e, e->net.state_of[v]);
        e->net.state_of[v] += first[number[d]] - e->net.domain_first[d];
    }
    g_free(e->net.domain_first);
    e->net.domain_first = first;
    return number;
}

guint32 *dn_first_ports(const DnPacketEngine *e)
{
    guint32 vertices = e->graph->n_vertices;
    guint32 *first = g_new0(guint32, vertices + 1);
    for (guint32 v = 0; v < vertices; v++)
        first[e->net.state_of[v] + 1] = dn_graph_degree(e->graph, v);
    for (guint32 s = 0; s < vertices; s++)
        first[s + 1] += first[s];
    return first;
}

void dn_vertices_init(DnPacketEngine *e, const guint32 *first_port)
{
    const DnGraph *g = e->graph;
    e->net.states = dn_sparse_of(DnVertexState, g->n_vertices + 1);
    for (guint32 v = 0; v < g->n_vertices; v++) {
        guint32 s = e->net.state_of[v], d = dn_domain_of(e, s);
        if (!dn_is_own(e, d))
            continue;
        e->net.states[s] = (DnVertexState){
            .draw_key = dn_draw_key(e->run->seed, DN_DRAW_ROUTE, v),
            .vertex = v,
            .first_port = first_port[s],
            .degree = (guint16)dn_graph_degree(g, v),
            .slot = (guint16)(s - e->net.domain_first[d]),
            .endpoint = g->endpoint_of[v],
            .nic = DN_NONE,
        };
    }
    for (guint32 d = 0; d < e->net.n_domains; d++) /* where a domain's ports end */
        if (dn_is_own(e, d))
            e->net.states[e->net.domain_first[d + 1]].first_port =
                first_port[e->net.domain_first[d + 1]];
}
