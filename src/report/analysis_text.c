/* analysis_text.c - an analysis for people to read. */
#include "base/rate.h"
#include "base/units.h"
#include "report/analysis_report.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *analysis_text_rate(double bps, char buf[DN_UNIT_BUF])
{
    if (!isfinite(bps)) {
        g_strlcpy(buf, "-", DN_UNIT_BUF);
        return buf;
    }
    return dn_format_rate(bps, buf);
}

static void analysis_text_line(const char *name, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void analysis_text_line(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    printf("  %-22s %s\n", name, text);
}

static const char *net_name(const DnGraph *g, const DnNet *net, guint32 v, char buf[64])
{
    guint32 local = g->vertices[net->vertex[v]].local;
    if (g->vertex_names != NULL && g->vertex_names[local] != NULL)
        g_snprintf(buf, 64, "%s", g->vertex_names[local]);
    else
        g_snprintf(buf, 64, "%u", local);
    return buf;
}

static void print_throughput(const char *name, const DnThroughput *t, double times)
{
    char low[DN_UNIT_BUF], high[DN_UNIT_BUF];
    if (t->exact)
        analysis_text_line(name, "%s exactly (linear program)",
                           analysis_text_rate(t->upper_bps * times, high));
    else
        analysis_text_line(name, "%s to %s (certified, gap %.1f %%, %u rounds)",
                           analysis_text_rate(t->lower_bps * times, low),
                           analysis_text_rate(t->upper_bps * times, high),
                           100 * fmax(0, t->upper_bps / t->lower_bps - 1), t->rounds);
}

static void print_rings(const DnGraph *g, const DnNodeAnalysis *n)
{
    const DnRings *r = n->allreduce.rings;
    char buf[DN_UNIT_BUF], name[64];
    if (r == NULL) {
        analysis_text_line("rings", "- (endpoints are joined by switches)");
        return;
    }
    if (r->count == r->most)
        analysis_text_line("rings", "%u, one direction each, and no packing has more", r->count);
    else
        analysis_text_line("rings", "at least %u, one direction each; no packing has more than %u",
                           r->count, r->most);
    for (guint32 i = 0, same; i < r->count; i += same) {
        g_autoptr(GString) text = g_string_new(NULL);
        const guint32 *ring = r->rings + i * r->n;
        for (same = 1; i + same < r->count; same++) /* equal ones stand together */
            if (memcmp(ring, ring + same * r->n, r->n * sizeof *ring) != 0)
                break;
        g_string_append_printf(text, "%u x ", same);
        for (guint32 k = 0; k <= r->n; k++)
            g_string_append_printf(text, "%s%s", k > 0 ? " > " : "",
                                   net_name(g, n->net, ring[k % r->n], name));
        analysis_text_line("", "%s", text->str);
    }
    analysis_text_line("allreduce by rings", "%s as printed (twice the buffer is sent)",
                       analysis_text_rate(n->allreduce.ring_bps, buf));
    analysis_text_line("", "%s with 2 (n - 1) / n of it",
                       analysis_text_rate(n->allreduce.ring_exact_bps, buf));
}

static void print_allreduce(const DnGraph *g, const DnNodeAnalysis *n)
{
    const DnAllreduceBounds *b = &n->allreduce;
    char buf[DN_UNIT_BUF];
    print_rings(g, n);
    if (b->trees != NULL) {
        analysis_text_line("spanning trees", "%u without a common link, and no packing has more",
                           b->trees->count);
        analysis_text_line("allreduce by trees", "%s", analysis_text_rate(b->tree_bps, buf));
    }
    if (b->complete_graph)
        analysis_text_line("allreduce as printed",
                           "%s, one pipelined tree of %u leaves: all links out of one%s",
                           analysis_text_rate(b->star_bps, buf), n->endpoints - 1,
                           b->star_bps > b->most_bps ? "; see the bound" : "");
    analysis_text_line("allreduce, any algorithm", "at most %s",
                       analysis_text_rate(b->most_bps, buf));
}

static void print_node(const DnAnalysis *a)
{
    const DnNodeAnalysis *n = &a->node;
    const DnGraph *g = a->machine->graph;
    char buf[DN_UNIT_BUF], from[64], to[64];
    printf("\ninside a node: %u endpoints%s\n", n->endpoints,
           n->direct ? ", over their own links (no processor, no adapter)" : "");
    /* the one that limits most, of those with the most paths */
    const DnIndex *index = &n->equal.index;
    double rate_load = n->net->capacity_bps[index->rate_arc] / index->rate_bps;
    guint32 arc = rate_load * (1 + 1e-9) > index->paths ? index->rate_arc : index->paths_arc;
    analysis_text_line("forwarding index",
                       "%.6g paths, on %u of %u directions, e.g. %s > %s; %.6g a link",
                       index->paths, index->paths_ties, n->net->n_arcs,
                       net_name(g, n->net, n->net->from[arc], from),
                       net_name(g, n->net, n->net->to[arc], to), index->per_link);
    analysis_text_line("  one fixed path", "%.6g paths; %.6g a link", n->fixed.index.paths,
                       n->fixed.index.per_link);
    if (n->has_best && n->best.per_link <= n->best.bound * (1 + 1e-9))
        analysis_text_line("  best single paths", "%.6g a link (search; optimal, meets its bound)",
                           n->best.per_link);
    else if (n->has_best)
        analysis_text_line("  best single paths", "%.6g a link (search; none is below %.6g)",
                           n->best.per_link, n->best.bound);
    analysis_text_line("alltoall, a pair", "%s over shortest paths",
                       analysis_text_rate(n->equal.pair_bps, buf));
    if (n->equal.as_printed)
        analysis_text_line("alltoall, an endpoint",
                           "%s as printed: least injection %s over the index",
                           analysis_text_rate(n->equal.endpoint_bps, buf),
                           analysis_text_rate(n->equal.injection_bps, from));
    analysis_text_line(n->equal.as_printed ? "" : "alltoall, an endpoint", "%s: to the %u others",
                       analysis_text_rate(n->equal.exact_endpoint_bps, buf), n->endpoints - 1);
    print_throughput("  any paths, a pair", &n->rate, 1);
    if (n->has_bisection)
        analysis_text_line("bisection", "%s (%s), %g against %g endpoints",
                           analysis_text_rate(n->bisection.cut_bps, buf),
                           n->bisection.exact ? "every halving tried" : "METIS: a heuristic",
                           n->bisection.parts[0], n->bisection.parts[1]);
    print_allreduce(g, n);
}

static void print_classes(const DnAnalysis *a)
{
    static const char *const right[] = {"links",        "nominal",     "carried, mean",
                                        "carried, max", "a unit gets", "an endpoint"};
    const DnGraph *g = a->machine->graph;
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "link", DN_ALIGN_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS(right); i++)
        dn_table_column(table, right[i], DN_ALIGN_RIGHT);
    dn_table_column(table, "fullest", DN_ALIGN_LEFT);
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnClassLoad *k = &a->loads->classes[c];
        char buf[DN_UNIT_BUF], name[160];
        dn_table_row(table);
        dn_table_cell(table, "%s", g->classes[c].name);
        dn_table_cell(table, "%" G_GUINT64_FORMAT, a->metrics.class_ports[c]);
        dn_table_cell(table, "%s", analysis_text_rate((double)g->classes[c].bandwidth_bps, buf));
        dn_table_number(table, k->per_link_mean, 5);
        dn_table_number(table, k->per_link_max, 5);
        dn_table_cell(table, "%s", analysis_text_rate(k->rate_bps, buf));
        dn_table_cell(table, "%s", analysis_text_rate(k->rate_bps * a->traffic->largest_out, buf));
        dn_table_cell(table, "%s", k->link != DN_NONE ? dn_link_name(g, k->link, name) : "");
    }
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
}

static void print_traffic(const DnAnalysis *a)
{
    char low[DN_UNIT_BUF], high[DN_UNIT_BUF];
    printf("\n%s among %u endpoints, %s%s\n", a->traffic->name, a->machine->graph->size.endpoints,
           a->paths, a->bytes ? " (a unit is a byte)" : "");
    print_classes(a);
    const DnMachineRate *r = &a->rate;
    if (a->bytes) {
        analysis_text_line("no faster than", "%s on these paths",
                           dn_format_time(dn_rate_time_ps(1, a->loads->rate_bps), low));
        analysis_text_line("", "%s on any paths (%s)",
                           dn_format_time(dn_rate_time_ps(1, r->upper_bps), low), r->limit);
        return;
    }
    analysis_text_line("on these paths", "%s a pair, %s an endpoint",
                       analysis_text_rate(a->loads->rate_bps, low),
                       analysis_text_rate(a->loads->endpoint_bps, high));
    analysis_text_line("on any paths", "%s to %s a pair; the limit is the %s",
                       analysis_text_rate(r->lower_bps, low),
                       analysis_text_rate(r->upper_bps, high), r->limit);
    analysis_text_line("", "%s to %s an endpoint",
                       analysis_text_rate(r->lower_bps * a->traffic->largest_out, low),
                       analysis_text_rate(r->upper_bps * a->traffic->largest_out, high));
    if (isfinite(r->fabric.upper_bps))
        print_throughput("  the fabric alone", &r->fabric, a->traffic->largest_out);
    if (isfinite(a->mean_hops))
        analysis_text_line("switch hops, mean", "%.4g", a->mean_hops);
}

/* Prints how many detours meet in one local link. Where DN_DETOURS_MEET of a pair's or more do,
 * that link limits a shift by one group, not the network. */
static void print_detours(const DnAnalysis *a)
{
    const DnDetourMeeting *d = &a->detours;
    const DnNet *net = a->shares->fabric;
    if (!a->has_detours)
        return;
    guint32 from = net->vertex[net->from[d->arc]], to = net->vertex[net->to[d->arc]];
    analysis_text_line("detours", "at most %.3g %% of those of a switch meet in one local link",
                       100 * d->share);
    if (d->share >= DN_DETOURS_MEET)
        g_printerr("warning: detours between two groups meet in one local link: %.0f %% of those "
                   "from switch %u to switch %u cross switch %u -> switch %u; more global links "
                   "will not raise what a shift by one group gets; change fabric.arrangement or "
                   "the routing's level\n",
                   100 * d->share, d->from, d->target, from, to);
}

static void print_fabric(const DnAnalysis *a)
{
    const DnGraphMetrics *m = &a->metrics;
    char buf[DN_UNIT_BUF];
    printf("\nfabric\n");
    analysis_text_line("distance", "%u switch hops at most, %.4g on the mean", m->edge_diameter,
                       m->edge_mean_distance);
    if (m->sources < a->machine->graph->size.switches)
        analysis_text_line("", "measured from %u of the switches", m->sources);
    if (a->machine->failed_cables > 0)
        analysis_text_line("failures", "cables out: %u", a->machine->failed_cables);
    if (a->has_diversity)
        analysis_text_line("shortest paths", "%.6g to %.6g between two switches, %.4g on the mean",
                           a->diversity.least, a->diversity.most, a->diversity.mean);
    if (a->has_bisection) {
        analysis_text_line("bisection", "%s (%s), %g against %g endpoints",
                           analysis_text_rate(a->bisection.cut_bps, buf),
                           a->bisection.exact ? "every halving tried" : "METIS: a heuristic",
                           a->bisection.parts[0], a->bisection.parts[1]);
        if (!isnan(a->bisection.formula_bps))
            analysis_text_line("", "%s by closed form: %s",
                               analysis_text_rate(a->bisection.formula_bps, buf),
                               a->bisection.formula);
    }
    analysis_text_line("routing", "%s, %u virtual channel%s", a->router->type->name,
                       a->router->channels, a->router->channels == 1 ? "" : "s");
    if (a->lengths.paths > 0)
        analysis_text_line("its paths", "%u to %u switch hops, minimal ones at most %u (%u drawn)",
                           a->lengths.shortest, a->lengths.longest, a->lengths.longest_minimal,
                           a->lengths.paths);
    print_detours(a);
    analysis_text_line("deadlock", "%s",
                       a->cycle != NULL ? a->cycle : "none: no cycle of channels");
}

static void print_expectations(const DnAnalysis *a)
{
    const DnExpectations *e = &a->expectations;
    char buf[DN_UNIT_BUF];
    g_autoptr(DnTable) table = dn_table_new();
    printf("\nexpected alltoall goodput an endpoint (asymptotically %s between nodes),\n"
           "by NICs alone, and its part for itself counts, as in De Sensi et al., SC 2024, V.C\n",
           analysis_text_rate(e->inter_node_bps, buf));
    dn_table_column(table, "endpoints", DN_ALIGN_RIGHT);
    dn_table_column(table, "pairs in a node", DN_ALIGN_RIGHT);
    dn_table_column(table, "goodput", DN_ALIGN_RIGHT);
    guint32 all = a->machine->graph->size.endpoints;
    for (guint32 n = e->node_endpoints; n <= all; n *= 2) {
        double bps = dn_expected_alltoall_bps(e, n);
        dn_table_row(table);
        dn_table_cell(table, "%u", n);
        dn_table_cell(table, "%.3g %%", 100 * dn_pairs_inside(e, n));
        dn_table_cell(table, "%s", bps > 0 ? analysis_text_rate(bps, buf) : "-");
        if (n > G_MAXUINT32 / 2)
            break;
    }
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
}

/* Least times of collectives on all endpoints. */
static void print_collectives(const DnAnalysis *a)
{
    DnCollectiveBound bounds[DN_COLLECTIVES];
    guint32 n = a->machine->graph->size.endpoints;
    char buf[DN_UNIT_BUF];
    double bps = a->expectations.inter_node_bps;
    g_autoptr(DnTable) table = dn_table_new();
    dn_collective_bounds(n, a->expectations.node_endpoints, bounds);
    printf("\nleast time of a collective among all %u, %s out of its node for each\n", n,
           analysis_text_rate(bps, buf));
    dn_table_column(table, "collective", DN_ALIGN_LEFT);
    dn_table_column(table, "latencies", DN_ALIGN_RIGHT);
    dn_table_column(table, "buffers sent", DN_ALIGN_RIGHT);
    dn_table_column(table, "1 MiB", DN_ALIGN_RIGHT);
    dn_table_column(table, "1 GiB", DN_ALIGN_RIGHT);
    dn_table_column(table, "buffer", DN_ALIGN_LEFT);
    for (guint i = 0; i < DN_COLLECTIVES; i++) {
        dn_table_row(table);
        dn_table_cell(table, "%s", bounds[i].name);
        dn_table_cell(table, "%u", bounds[i].rounds);
        dn_table_number(table, bounds[i].send_factor, 5);
        for (guint power = 20; power <= 30; power += 10)
            dn_table_cell(
                table, "%s",
                dn_format_time(
                    (gint64)dn_collective_time_ps(&bounds[i], (double)(1 << power), 0, bps), buf));
        dn_table_cell(table, "%s", bounds[i].buffer);
    }
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
}

void dn_analysis_print(const DnAnalysis *a)
{
    const DnGraphSize *s = &a->machine->graph->size;
    char buf[DN_UNIT_BUF];
    printf("%s: %u of %u nodes, %u endpoints (%s), %u switches\n", a->machine->name, s->nodes,
           a->machine->whole_nodes, s->endpoints,
           dn_vertex_kind_name(
               (DnVertexKind)a->machine->graph->vertices[a->machine->graph->endpoints[0]].kind),
           s->switches);
    printf("Rates are nominal: what wires carry, with no protocol, no contention of other jobs.\n");
    if (a->has_node)
        print_node(a);
    if (s->nodes > 1 || !a->has_node || !a->traffic->uniform)
        print_traffic(a);
    if (a->shares->fabric != NULL && s->switches > 1 && s->nodes > 1)
        print_fabric(a);
    if (a->has_expectations && s->nodes > 1) {
        print_expectations(a);
        print_collectives(a);
    }
    printf("\n%.2f s, %s of memory\n", a->seconds, dn_format_bytes(a->peak_bytes, buf));
}
