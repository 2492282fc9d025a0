/* detours_test.c - Valiant's detours spread: under a shift by one group throughput never falls when
 * links are added, and is near the most that detours over every third group can give, a linear
 * program; and where detours meet in one link, that is found. */
#include "analysis/detours.h"

#include "analysis/routing_index.h"
#include "base/rng.h"
#include "routing/test_machine.h"

#include <glpk.h>

#define MOST_STEPS G_GUINT64_CONSTANT(100000000)

typedef struct {
    guint32 groups, switches, terminals, ports;
    const char *arrangement;
} Dragonfly;

typedef struct {
    DnMachine *machine;
    DnRouter *router;
    DnNet *net;
    guint32 *target; /* [switches of a group]: place in the next group that each sends to */
} Site;

/* Every switch sends to one of the next group, to place i + @turn. */
static Site site_new(const Dragonfly *d, const char *routing, guint32 turn)
{
    g_autofree char *yaml =
        g_strdup_printf("{groups: %u, switches_per_group: %u, terminals_per_switch: %u, "
                        "global_links_per_switch: %u, arrangement: %s}",
                        d->groups, d->switches, d->terminals, d->ports, d->arrangement);
    Site x = {.machine = test_machine_new("dragonfly", yaml, 0)};
    x.router = test_router_new(x.machine, routing);
    x.net = dn_net_fabric(x.machine->graph);
    x.target = g_new(guint32, d->switches);
    for (guint32 i = 0; i < d->switches; i++)
        x.target[i] = (i + turn) % d->switches;
    return x;
}

static void site_clear(Site *x)
{
    g_free(x->target);
    dn_net_free(x->net);
    dn_router_free(x->router);
    test_machine_free(x->machine);
}

static guint32 target_of(const Site *x, const Dragonfly *d, guint32 s)
{
    guint32 group = (s / d->switches + 1) % d->groups;
    return group * d->switches + x->target[s % d->switches];
}

/* Share of its links' bandwidth that each terminal gets when all send, by the busiest link. */
static double routed_rate(const Site *x, const Dragonfly *d)
{
    guint32 r = x->net->n;
    g_autofree double *demand = g_new0(double, (gsize)r *r);
    g_autofree double *load = g_new0(double, x->net->n_arcs + 1);
    for (guint32 s = 0; s < r; s++)
        demand[(gsize)s * r + target_of(x, d, s)] = d->terminals;
    DnTrafficShares shares = {.fabric = x->net, .switches = demand};
    double hops, most = 1;
    gboolean done = dn_routing_load(x->router, &shares, MOST_STEPS, load, &hops, NULL);
    g_assert_true(done);
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        most = MAX(most, load[a] / x->net->width[a]);
    return 1 / most;
}

/* The linear program: flow f of each (source switch, third group) over arcs in three layers (the
 * source's group and the link out of it, the third group and the link out of that, the target's
 * group), any link between two groups; each third group gets an equal share. */
typedef struct {
    const Site *x;
    const Dragonfly *d;
    glp_prob *lp;
    guint32 from, via, to; /* groups of the commodity */
    int row[3][64];        /* conservation by layer and switch of the layer's group; 0: none */
} Program;

static guint32 group_of(const Program *p, guint layer)
{
    return layer == 0 ? p->from : layer == 1 ? p->via : p->to;
}

static void add_column(const Program *p, guint32 arc, int from_row, int to_row)
{
    int rows[] = {0, (int)arc + 1, from_row, to_row};
    double values[] = {0, 1, -1, 1};
    int c = glp_add_cols(p->lp, 1);
    glp_set_col_bnds(p->lp, c, GLP_LO, 0, 0);
    glp_set_mat_col(p->lp, c, 3, rows, values);
}

static void add_commodity(Program *p, guint32 s, GArray *rate_rows, GArray *rate_values)
{
    const DnNet *net = p->x->net;
    guint32 a = p->d->switches, goal = target_of(p->x, p->d, s);
    double share = (double)p->d->terminals / (p->d->groups - 2);
    for (guint layer = 0; layer < 3; layer++)
        for (guint32 i = 0; i < a; i++) {
            int row = p->row[layer][i] = glp_add_rows(p->lp, 1);
            glp_set_row_bnds(p->lp, row, GLP_FX, 0, 0);
            double value = layer == 0 && p->from * a + i == s    ? share
                           : layer == 2 && p->to * a + i == goal ? -share
                                                                 : 0;
            if (value == 0)
                continue;
            g_array_append_val(rate_rows, row);
            g_array_append_val(rate_values, value);
        }
    for (guint32 arc = 0; arc < net->n_arcs; arc++)
        for (guint layer = 0; layer < 3; layer++) {
            guint32 u = net->from[arc], v = net->to[arc];
            if (u / a != group_of(p, layer))
                continue;
            if (v / a == u / a)
                add_column(p, arc, p->row[layer][u % a], p->row[layer][v % a]);
            else if (layer < 2 && v / a == group_of(p, layer + 1))
                add_column(p, arc, p->row[layer][u % a], p->row[layer + 1][v % a]);
        }
}

static double best_rate(const Site *x, const Dragonfly *d)
{
    Program p = {.x = x, .d = d, .lp = glp_create_prob()};
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(int));
    g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
    int no_row = 0;
    double no_value = 0;
    g_array_append_val(rows, no_row);
    g_array_append_val(values, no_value);
    glp_set_obj_dir(p.lp, GLP_MAX);
    glp_add_rows(p.lp, (int)x->net->n_arcs);
    for (guint32 arc = 0; arc < x->net->n_arcs; arc++)
        glp_set_row_bnds(p.lp, (int)arc + 1, GLP_UP, 0, x->net->width[arc]);
    glp_add_cols(p.lp, 1);
    glp_set_col_bnds(p.lp, 1, GLP_DB, 0, 1); /* 1: the terminals' own links are full */
    glp_set_obj_coef(p.lp, 1, 1);
    for (guint32 s = 0; s < x->net->n; s++)
        for (p.via = 0; p.via < d->groups; p.via++) {
            p.from = s / d->switches;
            p.to = (p.from + 1) % d->groups;
            if (p.via != p.from && p.via != p.to)
                add_commodity(&p, s, rows, values);
        }
    glp_set_mat_col(p.lp, 1, (int)rows->len - 1, (int *)rows->data, (double *)values->data);
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    control.presolve = GLP_ON;
    g_assert_cmpint(glp_simplex(p.lp, &control), ==, 0);
    double rate = glp_get_obj_val(p.lp);
    glp_delete_prob(p.lp);
    return rate;
}

/* The default arrangement is within 10 % of the program, and so are the others with no more global
 * links than terminals (balanced, Kim et al., ISCA 2008), where the global links limit. Of more
 * links the program, which knows the pattern, makes more use: where a pair of groups has fewer
 * links than a group has switches, local links limit a routing that does not. */
static void check_links(Dragonfly *d, guint32 turn)
{
    double before = 0;
    gboolean circulant = g_str_equal(d->arrangement, "circulant");
    for (d->ports = (d->groups - 2) / d->switches + 1; d->ports <= 2 * d->terminals; d->ports++) {
        Site x = site_new(d, "{algorithm: valiant}", turn);
        double rate = routed_rate(&x, d), best = best_rate(&x, d);
        g_test_message("%u groups of %u switches, %u terminals, %u links, %s, turn %u: %.3f of "
                       "%.3f",
                       d->groups, d->switches, d->terminals, d->ports, d->arrangement, turn, rate,
                       best);
        g_assert_cmpfloat(rate, <=, best * (1 + 1e-6));
        g_assert_cmpfloat(rate, >=, best * (d->ports <= d->terminals || circulant ? 0.9 : 0.75));
        g_assert_cmpfloat(rate, >=, before);
        before = rate;
        site_clear(&x);
    }
}

static void test_valiant_spreads(void)
{
    static const char *const arrangements[] = {"circulant", "absolute", "relative"};
    guint64 key = dn_draw_key(11, DN_DRAW_TEST, 0);
    for (guint i = 0; i < 60; i++) {
        Dragonfly d = {4 + dn_draw_below(dn_draw(key, 4 * i), 4),
                       4 + dn_draw_below(dn_draw(key, 4 * i + 1), 2), 0, 0, arrangements[i / 20]};
        d.terminals = 1 + dn_draw_below(dn_draw(key, 4 * i + 2), d.switches / 2);
        check_links(&d, dn_draw_below(dn_draw(key, 4 * i + 3), d.switches));
    }
}

/* Every switch has a link to every group, to the switch of its own place: detours by the nearest
 * gateway (level: switch keeps to it behind its random switch) land there, drawn ones do not. */
static void test_meeting(void)
{
    static const Dragonfly wide = {6, 8, 4, 5, "absolute"};
    static const struct {
        const char *routing;
        double least, most;
    } rows[] = {{"{algorithm: valiant}", 0.05, 0.4},
                {"{algorithm: ugal_l}", 0.05, 0.4},
                {"{algorithm: valiant, level: switch}", 0.05, 0.3}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        Site x = site_new(&wide, rows[i].routing, 0);
        DnDetourMeeting meeting;
        g_assert_true(dn_detours_meet(x.router, x.net, MOST_STEPS, &meeting));
        g_test_message("%s: %.3f of the detours", rows[i].routing, meeting.share);
        g_assert_cmpfloat(meeting.share, >=, rows[i].least);
        g_assert_cmpfloat(meeting.share, <=, rows[i].most);
        site_clear(&x);
    }
}

/* Between groups 0 and 1 of four that have one link a pair there are two third groups: each leads
 * half of the detours to the switch its link ends at. Minimal routing has none; three groups have
 * one third group, which is no finding. */
static void test_few_groups(void)
{
    static const Dragonfly four = {4, 3, 1, 1, "absolute"}, three = {3, 3, 1, 1, "absolute"};
    DnDetourMeeting meeting;
    Site x = site_new(&four, "{algorithm: valiant}", 0);
    g_assert_true(dn_detours_meet(x.router, x.net, MOST_STEPS, &meeting));
    g_assert_cmpfloat_with_epsilon(meeting.share, 0.5, 1e-9);
    site_clear(&x);
    x = site_new(&four, "{algorithm: minimal}", 0);
    g_assert_false(dn_detours_meet(x.router, x.net, MOST_STEPS, &meeting));
    site_clear(&x);
    x = site_new(&three, "{algorithm: valiant}", 0);
    g_assert_false(dn_detours_meet(x.router, x.net, MOST_STEPS, &meeting));
    site_clear(&x);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/detours/valiant_spreads", test_valiant_spreads);
    g_test_add_func("/detours/meeting", test_meeting);
    g_test_add_func("/detours/few_groups", test_few_groups);
    return g_test_run();
}
