/* expected_traffic.c - see expected_traffic.h.
 *
 * LIMITATION: every endpoint of a job is taken to send to all others of it alike, and by the paths
 * of an idle network. */
#include "engine/packet/expected_traffic.h"

#include "engine/packet/domains.h"
#include "routing/path.h"

#define PATHS_A_DOMAIN 64
#define MOST_PATHS 32768

/* Endpoints that take part, job by job. */
typedef struct {
    guint32 *members; /* [n] */
    guint32 *first;   /* [n] of its job, by place in members */
    guint32 *count;   /* [n] likewise */
    guint32 n;
} Jobs;

static void jobs_of_active(const DnEngineRun *run, Jobs *jobs)
{
    guint32 n_jobs = run->active_jobs != NULL ? MAX(1, run->n_jobs) : 1;
    g_autofree guint32 *first = g_new0(guint32, n_jobs + 2);
    *jobs = (Jobs){.members = g_new(guint32, run->n_active + 1),
                   .first = g_new(guint32, run->n_active + 1),
                   .count = g_new(guint32, run->n_active + 1),
                   .n = run->n_active};
    for (guint32 i = 0; i < run->n_active; i++)
        first[(run->active_jobs != NULL ? run->active_jobs[i] : 0) + 1]++;
    for (guint32 j = 0; j < n_jobs; j++)
        first[j + 1] += first[j];
    g_autofree guint32 *at = g_memdup2(first, (n_jobs + 1) * sizeof *at);
    for (guint32 i = 0; i < run->n_active; i++) {
        guint32 job = run->active_jobs != NULL ? run->active_jobs[i] : 0;
        guint32 place = at[job]++;
        jobs->members[place] = run->active[i];
        jobs->first[place] = first[job];
        jobs->count[place] = first[job + 1] - first[job];
    }
}

/* Walks paths of random messages: counts visits by domain (@load) and hops by link (@crossed). */
static void walk_paths(const DnPacketEngine *e, guint32 *load, guint32 *crossed)
{
    Jobs jobs;
    guint64 key = dn_draw_key(1, DN_DRAW_WORKLOAD, 0), draws = 0;
    guint32 paths = MIN(PATHS_A_DOMAIN * MIN(e->net.n_domains, MOST_PATHS), MOST_PATHS);
    jobs_of_active(e->run, &jobs);
    for (guint32 i = 0; i < paths && jobs.n > 0; i++) {
        guint32 from = dn_draw_below(dn_draw(key, draws++), jobs.n);
        guint32 to = jobs.first[from] + dn_draw_below(dn_draw(key, draws++), jobs.count[from]);
        const guint32 *endpoints = e->graph->endpoints;
        DnPath path = dn_path_begin(e->router, endpoints[jobs.members[from]],
                                    endpoints[jobs.members[to]], 0, DN_RAIL_OWN);
        load[dn_domain_of(e, e->net.state_of[path.vertex])]++;
        while (dn_path_next(&path, &dn_load_idle, dn_draw(key, draws++))) {
            load[dn_domain_of(e, e->net.state_of[path.vertex])]++;
            crossed[path.link]++;
        }
    }
    g_free(jobs.members);
    g_free(jobs.first);
    g_free(jobs.count);
}

/* Lists the neighbour domains of @d with the crossings of the links to each. @vertex_of: [vertices]
 * by state. @slot: [n_domains] index of a neighbour of @d. */
static void add_neighbours(const DnPacketEngine *e, guint32 d, const guint32 *vertex_of,
                           const guint32 *crossed, guint32 *slot, DnExpectedTraffic *t)
{
    const DnGraph *g = e->graph;
    guint32 n = t->first[d];
    for (guint32 s = e->net.domain_first[d]; s < e->net.domain_first[d + 1]; s++)
        for (guint32 p = 0; p < dn_graph_degree(g, vertex_of[s]); p++) {
            guint32 l = g->ports[g->port_first[vertex_of[s]] + p];
            guint32 peer = dn_domain_of(e, e->net.state_of[g->links[l].dst]);
            if (peer == d)
                continue;
            if (slot[peer] < t->first[d] || slot[peer] >= n || t->to[slot[peer]] != peer) {
                slot[peer] = n++;
                t->to[slot[peer]] = peer;
                t->crossings[slot[peer]] = 1;
            }
            t->crossings[slot[peer]] += crossed[l] + crossed[l ^ 1];
        }
    t->first[d + 1] = n;
}

/* Idle domains weigh something, too: their ports take memory. */
static void add_ports(const DnPacketEngine *e, guint32 *load)
{
    guint64 hops = 0, ports = MAX(1, e->graph->size.links);
    g_autofree guint32 *first_port = dn_first_ports(e);
    for (guint32 d = 0; d < e->net.n_domains; d++)
        hops += load[d];
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        guint64 own = first_port[e->net.domain_first[d + 1]] - first_port[e->net.domain_first[d]];
        load[d] += (guint32)(own * (hops / 16 + e->net.n_domains) / ports);
    }
}

DnExpectedTraffic *dn_expected_traffic_new(const DnPacketEngine *e)
{
    DnExpectedTraffic *t = g_new0(DnExpectedTraffic, 1);
    gsize links = e->graph->size.links;
    g_autofree guint32 *crossed = g_new0(guint32, links + 1);
    g_autofree guint32 *slot = g_new0(guint32, e->net.n_domains + 1);
    g_autofree guint32 *vertex_of = g_new(guint32, e->graph->n_vertices + 1);
    for (guint32 v = 0; v < e->graph->n_vertices; v++)
        vertex_of[e->net.state_of[v]] = v;
    t->n_domains = e->net.n_domains;
    t->load = g_new0(guint32, e->net.n_domains + 1);
    t->first = g_new0(guint32, e->net.n_domains + 1);
    t->to = g_new(guint32, links + 1);
    t->crossings = g_new(guint32, links + 1);
    walk_paths(e, t->load, crossed);
    add_ports(e, t->load);
    for (guint32 d = 0; d < e->net.n_domains; d++)
        add_neighbours(e, d, vertex_of, crossed, slot, t);
    return t;
}

void dn_expected_traffic_free(DnExpectedTraffic *t)
{
    if (t == NULL)
        return;
    g_free(t->load);
    g_free(t->first);
    g_free(t->to);
    g_free(t->crossings);
    g_free(t);
}

guint64 dn_expected_traffic_most(const DnExpectedTraffic *t, guint n, const guint16 *part)
{
    g_autofree guint64 *sum = g_new0(guint64, n);
    guint64 most = 0;
    for (guint32 d = 0; d < t->n_domains; d++) {
        sum[part[d]] += t->load[d];
        for (guint32 i = t->first[d]; i < t->first[d + 1]; i++)
            sum[part[d]] += part[t->to[i]] != part[d] ? t->crossings[i] : 0;
    }
    for (guint p = 0; p < n; p++)
        most = MAX(most, sum[p]);
    return most;
}
