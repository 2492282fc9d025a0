/* comparison_text.c - see comparison_text.h. */
#include "report/comparison_text.h"
#include "base/units.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

static DnTable *make_table(const DnEngineComparison *c)
{
    const DnSweep *sweep = c->plans[DN_COMPARED_PACKET]->sweep;
    DnTable *table = dn_table_new();
    for (guint k = 0; k < sweep->n_keys; k++) {
        const char *dot = strrchr(sweep->keys[k], '.');
        dn_table_column(table, dot != NULL ? dot + 1 : sweep->keys[k], DN_ALIGN_RIGHT);
    }
    dn_table_column(table, "job", DN_ALIGN_LEFT);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++) {
        g_autofree char *heading = g_strconcat(dn_compared_engines[e], " mean (us)", NULL);
        dn_table_column(table, heading, DN_ALIGN_RIGHT);
    }
    dn_table_column(table, "flow/packet", DN_ALIGN_RIGHT);
    dn_table_column(table, "packet/bound", DN_ALIGN_RIGHT);
    dn_table_column(table, "flow/bound", DN_ALIGN_RIGHT);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++) {
        g_autofree char *heading = g_strconcat(dn_compared_engines[e], " (Gb/s)", NULL);
        dn_table_column(table, heading, DN_ALIGN_RIGHT);
    }
    return table;
}

static DnTable *make_pairs(void)
{
    DnTable *pairs = dn_table_new();
    dn_table_column(pairs, "job", DN_ALIGN_LEFT);
    dn_table_column(pairs, "bytes a pair", DN_ALIGN_RIGHT);
    dn_table_column(pairs, "alltoall, Gb/s", DN_ALIGN_LEFT);
    dn_table_column(pairs, "of pairs", DN_ALIGN_RIGHT);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        dn_table_column(pairs, dn_compared_engines[e], DN_ALIGN_RIGHT);
    return pairs;
}

static void add_pairs(DnTable *pairs, const DnComparedJob *job)
{
    const guint32 times[] = {1, job->ranks - 1, job->node_links};
    const char *const texts[] = {"a pair", "an endpoint, to its peers", "an endpoint, its links"};
    for (guint row = 0; row < G_N_ELEMENTS(times); row++) {
        char bytes[DN_UNIT_BUF];
        dn_table_row(pairs);
        dn_table_cell(pairs, "%s", job->name);
        dn_table_cell(pairs, "%s", dn_format_bytes(job->bytes, bytes));
        dn_table_cell(pairs, "%s", texts[row]);
        dn_table_cell(pairs, "%u x", times[row]);
        for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
            dn_table_number(pairs, times[row] * (double)job->bytes * 8e-3 / job->us[e], 4);
    }
}

static void add_row(DnTable *table, const DnSweep *sweep, const DnComparedJob *job)
{
    const double *us = job->us;
    dn_table_row(table);
    for (guint k = 0; k < sweep->n_keys; k++)
        dn_table_cell(table, "%s", sweep->values[job->point][k]);
    dn_table_cell(table, "%s", job->name);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        dn_table_number(table, us[e], 4);
    dn_table_number(table, us[DN_COMPARED_FLOW] / us[DN_COMPARED_PACKET], 4);
    dn_table_number(table, us[DN_COMPARED_PACKET] / us[DN_COMPARED_BOUND], 4);
    dn_table_number(table, us[DN_COMPARED_FLOW] / us[DN_COMPARED_BOUND], 4);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        dn_table_number(table, job->goodput_bytes * 8e-3 / us[e], 4);
}

void dn_comparison_print_heading(const DnEngineComparison *c)
{
    fputs(c->plans[DN_COMPARED_PACKET]->heading, stdout);
    for (guint e = DN_COMPARED_FLOW; e < DN_COMPARED_ENGINES; e++)
        printf("engine   %s; limits: %s\n", dn_compared_engines[e],
               dn_engine_find(dn_compared_engines[e])->limits);
    putchar('\n');
    fflush(stdout);
}

void dn_comparison_print(const DnEngineComparison *c)
{
    g_autoptr(DnTable) table = make_table(c);
    g_autoptr(DnTable) pairs = NULL;
    for (guint i = 0; i < c->jobs->len; i++) {
        const DnComparedJob *job = &g_array_index(c->jobs, DnComparedJob, i);
        add_row(table, c->plans[DN_COMPARED_PACKET]->sweep, job);
        if (job->node_links > 0 && pairs == NULL)
            pairs = make_pairs();
        if (job->node_links > 0)
            add_pairs(pairs, job);
    }
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
    if (pairs != NULL) {
        g_autofree char *more = dn_table_text(pairs);
        printf("\n%s\n", more);
    }
    if (c->compared == 0) {
        printf("no iteration is complete on every engine: nothing to compare\n");
        return;
    }
    printf("flow against packet: at most %.2f %% apart; ", c->apart_percent);
    if (c->better_percent > DN_COMPARISON_BETTER_PERCENT)
        printf("better than the bound by %.2f %%\n", c->better_percent);
    else
        printf("none is better than the bound\n");
}
