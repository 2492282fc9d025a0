/* machine_cost.c - see machine_cost.h. */
#include "report/machine_cost.h"
#include "analysis/bisection.h"
#include "base/units.h"
#include "report/table.h"
#include "topology/graph_metrics.h"
#include "topology/parts.h"
#include <math.h>

/* bit/s between two halves of the endpoints: the closed form, or what was found; NAN without. */
static double bisection_bps(const DnMachine *m)
{
    DnBisection found = {0};
    if (m->type == NULL || !dn_bisect_fabric(m, &found))
        return NAN;
    return isnan(found.formula_bps) ? found.cut_bps : found.formula_bps;
}

/* "996.4 thousand USD": four digits are more than prices are certain. */
static const char *price_text(double price, const char *currency, char *buf, gsize size)
{
    static const char *const words[] = {"", " thousand", " million", " billion"};
    guint i = 0;
    for (; i + 1 < G_N_ELEMENTS(words) && price >= 999.95; i++)
        price /= 1000;
    g_snprintf(buf, size, "%.4g%s %s", price, words[i], currency);
    return buf;
}

void dn_machine_cost_text(const DnMachine *m, GString *out)
{
    if (m->parts == NULL || m->type == NULL)
        return;
    g_auto(DnFabricCost) cost = dn_fabric_cost(m);
    double bisection = bisection_bps(m);
    const char *currency = m->parts->currency;
    char price[64];
    g_string_append_printf(out, "\nparts      %u switches, %u NICs", m->graph->size.switches,
                           m->graph->size.terminals);
    for (guint i = 0; i < cost.cables->len; i++) {
        const DnCableCount *c = &g_array_index(cost.cables, DnCableCount, i);
        g_string_append_printf(out, ", %" G_GUINT64_FORMAT " %s", c->cables, c->link_class);
        if (!isnan(c->length_m))
            g_string_append_printf(out, " (%s, %g m)", c->optical ? "optical" : "copper",
                                   c->length_m);
    }
    if (m->parts->switch_.ports > 0)
        g_string_append_printf(
            out, "\nunused     %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " switch ports",
            cost.unused_ports, (guint64)m->parts->switch_.ports * m->graph->size.switches);
    g_string_append_printf(out, "\ncost       %s, %.4g %s an endpoint",
                           price_text(cost.price, currency, price, sizeof price),
                           cost.price / m->graph->size.endpoints, currency);
    if (bisection > 0)
        g_string_append_printf(out, ", %.4g %s for each Gb/s of bisection",
                               cost.price / (bisection * 1e-9), currency);
    g_string_append_printf(out, "\npower      %.4g kW, %.4g W an endpoint\n", cost.power_w * 1e-3,
                           cost.power_w / m->graph->size.endpoints);
}

/* Sums of the cables of one kind; without a length they are of neither. */
static guint64 cables_of(const DnFabricCost *cost, gboolean optical)
{
    guint64 n = 0;
    for (guint i = 0; i < cost->cables->len; i++) {
        const DnCableCount *c = &g_array_index(cost->cables, DnCableCount, i);
        n += !isnan(c->length_m) && c->optical == optical ? c->cables : 0;
    }
    return n;
}

static void add_cost(DnTable *table, const DnMachine *m, double bisection)
{
    if (m->parts == NULL || m->type == NULL) {
        for (guint i = 0; i < 6; i++)
            dn_table_cell(table, "-");
        return;
    }
    g_auto(DnFabricCost) cost = dn_fabric_cost(m);
    dn_table_cell(table, "%" G_GUINT64_FORMAT, cables_of(&cost, FALSE));
    dn_table_cell(table, "%" G_GUINT64_FORMAT, cables_of(&cost, TRUE));
    dn_table_cell(table, "%" G_GUINT64_FORMAT, cost.unused_ports);
    char price[64];
    dn_table_cell(table, "%s", price_text(cost.price, m->parts->currency, price, sizeof price));
    dn_table_cell(table, "%.4g", cost.power_w * 1e-3);
    dn_table_cell(table, "%.4g %s", cost.price / (bisection * 1e-9), m->parts->currency);
}

char *dn_machines_table(DnMachine *const *machines, guint n)
{
    static const char *const heads[] = {"machine",      "fabric",
                                        "switches",     "NICs",
                                        "endpoints",    "hops, most",
                                        "mean",         "bisection",
                                        "copper",       "optical",
                                        "unused ports", "cost",
                                        "power (kW)",   "for each Gb/s of bisection"};
    g_autoptr(DnTable) table = dn_table_new();
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        dn_table_column(table, heads[i], i < 2 ? DN_ALIGN_LEFT : DN_ALIGN_RIGHT);
    for (guint i = 0; i < n; i++) {
        const DnMachine *m = machines[i];
        DnGraphMetrics metrics;
        char rate[DN_UNIT_BUF];
        double bisection = bisection_bps(m);
        dn_graph_metrics(m->graph, &metrics);
        dn_table_row(table);
        dn_table_cell(table, "%s", m->name);
        dn_table_cell(table, "%s", m->type != NULL ? m->type->name : "none");
        dn_table_cell(table, "%u", m->graph->size.switches);
        dn_table_cell(table, "%u", m->graph->size.terminals);
        dn_table_cell(table, "%u", m->graph->size.endpoints);
        dn_table_cell(table, "%u", m->type != NULL ? metrics.edge_diameter : 0);
        dn_table_cell(table, "%.3g", m->type != NULL ? metrics.edge_mean_distance : 0.0);
        dn_table_cell(table, "%s", isnan(bisection) ? "-" : dn_format_rate(bisection, rate));
        add_cost(table, m, bisection);
        dn_graph_metrics_clear(&metrics);
    }
    return dn_table_text(table);
}
