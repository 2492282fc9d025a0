/* graph_check.c - the whole-object checker: every promise of graph.h, held against a graph.
 *
 * O(V + L) for every machine whose endpoints share one forwarding fabric; else one search from each
 * endpoint. Messages name the vertex or link, because a user's node description can be at fault. */
#include "topology/graph.h"

#define REFUSE(...)                                                                                \
    do {                                                                                           \
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, __VA_ARGS__);                                 \
        return FALSE;                                                                              \
    } while (0)

static gboolean check_counts(const DnGraph *g, GError **error)
{
    const DnGraphSize *s = &g->size;
    guint64 n = s->switches + (guint64)s->nodes * s->node_vertices;
    if (n != g->n_vertices)
        REFUSE("graph: %u vertices, size says %" G_GUINT64_FORMAT, g->n_vertices, n);
    if (s->links % 2 != 0)
        REFUSE("graph: %u directed links; cables have two", s->links);
    if (s->switches > 0 && (guint64)s->groups * s->group_switches != s->switches)
        REFUSE("graph: %u groups of %u switches are not %u switches", s->groups, s->group_switches,
               s->switches);
    return TRUE;
}

static gboolean check_vertex(const DnGraph *g, guint32 v, GError **error)
{
    const DnVertex *x = &g->vertices[v];
    const DnGraphSize *s = &g->size;
    if (x->kind >= DN_VERTEX_KINDS)
        REFUSE("vertex %u: kind %u is none", v, x->kind);
    if ((x->kind == DN_VERTEX_SWITCH) != (v < s->switches))
        REFUSE("vertex %u: kind %s, but the first %u vertices are the switches", v,
               dn_vertex_kind_name(x->kind), s->switches);
    if (x->transit > 1 || x->endpoint > 1)
        REFUSE("vertex %u: transit and endpoint are 0 or 1", v);
    if (x->latency_ps < 0)
        REFUSE("vertex %u: latency %" G_GINT64_FORMAT " ps is negative", v, x->latency_ps);
    if (x->kind == DN_VERTEX_SWITCH) {
        if (x->node != DN_NONE || x->endpoint || !x->transit)
            REFUSE("switch %u: belongs to no node, holds no ranks, forwards", v);
        if (x->group >= s->groups || x->local >= s->group_switches ||
            x->group * s->group_switches + x->local != v)
            REFUSE("switch %u: group %u.%u is another switch", v, x->group, x->local);
        return TRUE;
    }
    guint32 index = v - s->switches;
    if (x->node != index / s->node_vertices || x->local != index % s->node_vertices)
        REFUSE("vertex %u: node %u, index %u is another vertex", v, x->node, x->local);
    if (x->group != DN_NONE || x->level != 0)
        REFUSE("vertex %u: only switches have group and level", v);
    return TRUE;
}

static gboolean check_classes(const DnGraph *g, GError **error)
{
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnLinkClass *k = &g->classes[c];
        if (k->name == NULL || k->name[0] == '\0')
            REFUSE("link class %u has no name", c);
        for (guint32 other = 0; other < c; other++)
            if (g_str_equal(k->name, g->classes[other].name))
                REFUSE("link class '%s' is there twice", k->name);
        if (k->bandwidth_bps <= 0)
            REFUSE("link class '%s': bandwidth %" G_GINT64_FORMAT " bit/s is not positive", k->name,
                   k->bandwidth_bps);
        if (k->latency_ps <= 0)
            REFUSE("link class '%s': latency %" G_GINT64_FORMAT " ps is not positive", k->name,
                   k->latency_ps);
        if (!(k->efficiency > 0 && k->efficiency <= 1))
            REFUSE("link class '%s': efficiency %g is not in (0, 1]", k->name, k->efficiency);
        if (k->buffer_bytes < 0)
            REFUSE("link class '%s': buffer %" G_GINT64_FORMAT " B is negative", k->name,
                   k->buffer_bytes);
        if (k->shared_buffer_bytes < 0)
            REFUSE("link class '%s': shared buffer %" G_GINT64_FORMAT " B is negative", k->name,
                   k->shared_buffer_bytes);
    }
    return TRUE;
}

static gboolean check_link(const DnGraph *g, guint32 l, GError **error)
{
    const DnLink *link = &g->links[l], *back = &g->links[l ^ 1];
    if (link->src >= g->n_vertices || link->dst >= g->n_vertices)
        REFUSE("link %u: %u -> %u, but there are %u vertices", l, link->src, link->dst,
               g->n_vertices);
    if (link->src == link->dst)
        REFUSE("link %u: from vertex %u to itself", l, link->src);
    if (link->link_class >= g->n_classes)
        REFUSE("link %u: class %u is none", l, link->link_class);
    if (link->width == 0 ||
        link->width > (guint64)(G_MAXINT64 / g->classes[link->link_class].bandwidth_bps))
        REFUSE("link %u: width %u is zero or overflows", l, link->width);
    if (back->src != link->dst || back->dst != link->src || back->width != link->width ||
        back->link_class != link->link_class)
        REFUSE("link %u: link %u is not its reverse", l, l ^ 1);
    return TRUE;
}

/* ports[] and link_port[] are inverse to each other, and ports of a vertex stand in link order. */
static gboolean check_ports(const DnGraph *g, GError **error)
{
    if (g->port_first[0] != 0 || g->port_first[g->n_vertices] != g->size.links)
        REFUSE("port table: covers %u..%u, not 0..%u", g->port_first[0],
               g->port_first[g->n_vertices], g->size.links);
    for (guint32 v = 0; v < g->n_vertices; v++)
        if (g->port_first[v] > g->port_first[v + 1])
            REFUSE("port table: vertex %u has a negative degree", v);
    for (guint32 v = 0; v < g->n_vertices; v++) {
        for (guint32 p = 0; p < dn_graph_degree(g, v); p++) {
            const guint32 *port = &g->ports[g->port_first[v] + p];
            if (*port >= g->size.links || g->links[*port].src != v)
                REFUSE("port %u of vertex %u: link %u does not start there", p, v, *port);
            if (g->link_port[*port] != p)
                REFUSE("link %u: is port %u of vertex %u, not %u", *port, p, v,
                       g->link_port[*port]);
            if (p > 0 && port[-1] >= *port)
                REFUSE("vertex %u: ports %u and %u are out of link order", v, p - 1, p);
        }
    }
    return TRUE;
}

static gboolean has_cable(const DnGraph *g, guint32 v, guint32 to)
{
    for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++)
        if (g->links[g->ports[i]].dst == to)
            return TRUE;
    return FALSE;
}

static gboolean check_terminals(const DnGraph *g, GError **error)
{
    for (guint32 t = 0; t < g->size.terminals; t++) {
        guint32 v = g->terminals[t], at = g->terminal_switch[t];
        if (v >= g->n_vertices || g->vertices[v].kind != DN_VERTEX_NIC)
            REFUSE("terminal %u: vertex %u is no NIC", t, v);
        if (t > 0 && g->terminals[t - 1] >= v)
            REFUSE("terminal %u: not in node order", t);
        if (g->size.switches == 0 && at != DN_NONE)
            REFUSE("terminal %u: switch %u, but there is no fabric", t, at);
        if (g->size.switches > 0 && (at >= g->size.switches || !has_cable(g, v, at)))
            REFUSE("terminal %u: no cable to its switch %u", t, at);
    }
    return TRUE;
}

static gboolean check_endpoints(const DnGraph *g, GError **error)
{
    guint32 n = 0;
    for (guint32 v = 0; v < g->n_vertices; v++) {
        guint32 e = g->endpoint_of[v];
        gboolean host = g->vertices[v].kind == DN_VERTEX_CPU && !g->vertices[v].endpoint;
        if ((e != DN_NONE && !host) != g->vertices[v].endpoint)
            REFUSE("vertex %u: endpoint flag and endpoint index disagree", v);
        if (host && (e < g->size.endpoints || e >= g->size.endpoints + g->size.hosts ||
                     g->endpoints[e] != v))
            REFUSE("vertex %u: host %u is not its index", v, e);
        if (e == DN_NONE || host)
            continue;
        if (e != n++ || e >= g->size.endpoints || g->endpoints[e] != v)
            REFUSE("vertex %u: endpoint %u is not its index in node order", v, e);
        guint32 t = g->endpoint_terminal[e];
        if (t != DN_NONE && t >= g->size.terminals)
            REFUSE("endpoint %u: terminal %u, but there are %u", e, t, g->size.terminals);
        if (t != DN_NONE && g->vertices[g->terminals[t]].node != g->vertices[v].node)
            REFUSE("endpoint %u: its terminal %u is in node %u, not %u", e, t,
                   g->vertices[g->terminals[t]].node, g->vertices[v].node);
    }
    if (n != g->size.endpoints)
        REFUSE("graph: %u endpoints, size says %u", n, g->size.endpoints);
    return TRUE;
}

/* Breadth-first from @start over vertices marked 0, passing through transit vertices only; marks
 * what it reaches with @mark. @transit_only: leaves vertices that do not forward unmarked. */
static void graph_check_flood(const DnGraph *g, guint32 start, guint32 mark, gboolean transit_only,
                              guint32 *marks, guint32 *queue)
{
    guint32 head = 0, tail = 0;
    marks[start] = mark;
    queue[tail++] = start;
    while (head < tail) {
        guint32 v = queue[head++];
        if (v != start && !g->vertices[v].transit)
            continue;
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 dst = g->links[g->ports[i]].dst;
            if (marks[dst] != 0 || (transit_only && !g->vertices[dst].transit))
                continue;
            marks[dst] = mark;
            queue[tail++] = dst;
        }
    }
}

/* TRUE when one set of forwarding vertices, connected among themselves, touches every endpoint:
 * then all reach each other. The usual case, and linear. */
static gboolean share_one_fabric(const DnGraph *g, guint32 *marks, guint32 *queue)
{
    guint32 n_sets = 0;
    memset(marks, 0, g->n_vertices * sizeof *marks);
    for (guint32 v = 0; v < g->n_vertices; v++)
        if (marks[v] == 0 && g->vertices[v].transit)
            graph_check_flood(g, v, ++n_sets, TRUE, marks, queue);
    g_autofree guint32 *touched = g_new0(guint32, n_sets + 1);
    g_autofree guint32 *last = g_new0(guint32, n_sets + 1); /* endpoint + 1 that touched it last */
    gboolean found = FALSE;
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        guint32 v = g->endpoints[e];
        guint32 degree = dn_graph_degree(g, v);
        for (guint32 p = 0; p <= degree; p++) {
            guint32 at = p == degree ? v : g->links[g->ports[g->port_first[v] + p]].dst;
            guint32 set = marks[at];
            if (set == 0 || last[set] == e + 1)
                continue;
            last[set] = e + 1;
            found |= ++touched[set] == g->size.endpoints;
        }
    }
    return found;
}

/* TRUE when two endpoints need not reach each other: of two nodes, in two planes of the fabric. */
static gboolean in_two_planes(const DnGraph *g, guint32 a, guint32 b)
{
    guint32 at = g->endpoint_terminal[a], to = g->endpoint_terminal[b];
    return at != DN_NONE && to != DN_NONE &&
           g->vertices[g->endpoints[a]].node != g->vertices[g->endpoints[b]].node &&
           !dn_same_plane(g, g->terminal_switch[at], g->terminal_switch[to]);
}

static gboolean check_connected(const DnGraph *g, GError **error)
{
    g_autofree guint32 *marks = g_new(guint32, g->n_vertices);
    g_autofree guint32 *queue = g_new(guint32, g->n_vertices);
    if (g->size.endpoints < 2 || share_one_fabric(g, marks, queue))
        return TRUE;
    /* Directly wired GPUs need no vertex that forwards; cables run both ways, so does reach. */
    guint32 sources = g->size.endpoints;
    if (g->size.planes > 1) /* node 0 stands for all, as nodes and planes are alike */
        sources /= g->size.nodes;
    for (guint32 e = 0; e < sources; e++) {
        memset(marks, 0, g->n_vertices * sizeof *marks);
        graph_check_flood(g, g->endpoints[e], 1, FALSE, marks, queue);
        for (guint32 other = e + 1; other < g->size.endpoints; other++) {
            char from[64], to[64];
            if (marks[g->endpoints[other]] == 0 && !in_two_planes(g, e, other))
                REFUSE("graph: no path from %s to %s; wanted: links, or `transit: true` of "
                       "vertices between them, which GPUs do not have by default",
                       dn_vertex_name(g, g->endpoints[e], from),
                       dn_vertex_name(g, g->endpoints[other], to));
        }
    }
    return TRUE;
}

/* Refuses @to, which endpoint @v has no path to inside their node. */
static gboolean refuse_apart(const DnGraph *g, guint32 v, guint32 to, GError **error)
{
    char from[64], there[64];
    REFUSE("graph: no path inside the node from %s to %s; wanted: links, or `transit: true` of "
           "vertices between them",
           dn_vertex_name(g, v, from), dn_vertex_name(g, to, there));
}

/* Checks that each endpoint has a path inside its node to the NIC that serves it and to the node's
 * other endpoints. All nodes are alike. */
static gboolean check_insides(const DnGraph *g, GError **error)
{
    guint32 own = g->size.nodes > 0 ? g->size.endpoints / g->size.nodes : 0;
    guint32 inside = g->size.node_vertices, outside = g->size.switches;
    g_autofree guint32 *marks = g_new(guint32, outside + inside + 1);
    g_autofree guint32 *queue = g_new(guint32, inside + 1);
    for (guint32 i = 0; i < outside; i++)
        marks[i] = 2; /* not over the fabric */
    for (guint32 e = 0; e < own; e++) {
        guint32 terminal = g->endpoint_terminal[e], v = g->endpoints[e];
        memset(marks + outside, 0, inside * sizeof *marks);
        graph_check_flood(g, v, 1, FALSE, marks, queue);
        if (terminal != DN_NONE && marks[g->terminals[terminal]] == 0)
            return refuse_apart(g, v, g->terminals[terminal], error);
        for (guint32 other = 0; other < own; other++)
            if (marks[g->endpoints[other]] == 0)
                return refuse_apart(g, v, g->endpoints[other], error);
    }
    return TRUE;
}

gboolean dn_graph_check(const DnGraph *g, GError **error)
{
    if (!check_counts(g, error) || !check_classes(g, error))
        return FALSE;
    for (guint32 v = 0; v < g->n_vertices; v++)
        if (!check_vertex(g, v, error))
            return FALSE;
    for (guint32 l = 0; l < g->size.links; l++)
        if (!check_link(g, l, error))
            return FALSE;
    return check_ports(g, error) && check_terminals(g, error) && check_endpoints(g, error) &&
           check_connected(g, error) && check_insides(g, error);
}
