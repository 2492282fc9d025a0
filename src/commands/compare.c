/* compare.c - `darner compare RUN.yaml`: the same run on every engine, side by side.
 *
 * Times are means over the iterations of a job. The bound is the larger of the job's time without
 * contention and, for a run of one job, the time its busiest link needs for the bytes that must
 * cross it (engine/flow/contention_free.c).
 * An alltoall inside a node has a table of its own, since what an endpoint gets is counted in two
 * ways: bytes to all others over the time; and, as by De Sensi et al., SC 2024, section IV.A, what
 * a pair gets times the links to others of the endpoint with the fewest ("600 Gb/s" on LUMI, of 6).
 * LIMITATIONS: with several jobs no link bound is shared out among them. */
#include "base/units.h"
#include "validation/baseline.h"
#include "commands/commands.h"
#include "base/interrupt.h"
#include "experiment/sweep_plan.h"
#include "experiment/experiment.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PACKET, FLOW, BOUND, ENGINES };
static const char *const NAMES[ENGINES] = {"packet", "flow", "bound"};

/* Times are rounded to ps at every message, in each engine on its own. */
#define BETTER_PERCENT 0.1

typedef struct {
    char **set;
    double max_percent;
    int threads;
} Options;

static void options_clear(Options *options)
{
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

typedef struct {
    DnPlan *plans[ENGINES];
    DnTable *table, *pairs;               /* pairs: of alltoalls inside a node; or NULL */
    double apart_percent, better_percent; /* worst of all rows */
    guint compared;                       /* rows with a time of every engine */
    double cpu_s[ENGINES];
} Comparison;

static void comparison_clear(Comparison *c)
{
    for (guint e = 0; e < ENGINES; e++)
        g_clear_pointer(&c->plans[e], dn_plan_free);
    g_clear_pointer(&c->table, dn_table_free);
    g_clear_pointer(&c->pairs, dn_table_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Comparison, comparison_clear)

static gboolean make_plans(Comparison *c, const char *file, const Options *options, GError **error)
{
    for (guint e = 0; e < ENGINES; e++) {
        g_autoptr(GPtrArray) set = g_ptr_array_new_with_free_func(g_free);
        for (guint i = 0; options->set != NULL && options->set[i] != NULL; i++)
            g_ptr_array_add(set, g_strdup(options->set[i]));
        g_ptr_array_add(set, g_strconcat("engine=", NAMES[e], NULL));
        g_ptr_array_add(set, NULL);
        c->plans[e] = dn_plan_new(file, (const char *const *)set->pdata, error);
        if (c->plans[e] == NULL)
            return FALSE;
    }
    return TRUE;
}

static void make_table(Comparison *c)
{
    const DnSweep *sweep = c->plans[PACKET]->sweep;
    c->table = dn_table_new();
    for (guint k = 0; k < sweep->n_keys; k++) {
        const char *dot = strrchr(sweep->keys[k], '.');
        dn_table_column(c->table, dot != NULL ? dot + 1 : sweep->keys[k], DN_ALIGN_RIGHT);
    }
    dn_table_column(c->table, "job", DN_ALIGN_LEFT);
    for (guint e = 0; e < ENGINES; e++) {
        g_autofree char *heading = g_strconcat(NAMES[e], " (us)", NULL);
        dn_table_column(c->table, heading, DN_ALIGN_RIGHT);
    }
    dn_table_column(c->table, "flow/packet", DN_ALIGN_RIGHT);
    dn_table_column(c->table, "packet/bound", DN_ALIGN_RIGHT);
    dn_table_column(c->table, "flow/bound", DN_ALIGN_RIGHT);
    for (guint e = 0; e < ENGINES; e++) {
        g_autofree char *heading = g_strconcat(NAMES[e], " (Gb/s)", NULL);
        dn_table_column(c->table, heading, DN_ALIGN_RIGHT);
    }
}

/* How far flow and packet are apart, and either below the bound. */
static void compare_judge(Comparison *c, const double *us)
{
    if (isnan(us[PACKET]) || isnan(us[FLOW]) || isnan(us[BOUND]) || us[PACKET] <= 0.0)
        return;
    c->compared++;
    c->apart_percent = MAX(c->apart_percent, 100.0 * fabs(us[FLOW] / us[PACKET] - 1.0));
    if (us[BOUND] <= 0.0)
        return;
    double least = MIN(us[PACKET], us[FLOW]);
    c->better_percent = MAX(c->better_percent, 100.0 * (1.0 - least / us[BOUND]));
}

/* Of the job's GPUs, if they are one node's: the fewest links that one has to others; else 0. */
static guint32 fewest_links(const DnGraph *g, const DnJobResult *job)
{
    guint32 fewest = G_MAXUINT32;
    for (guint32 i = 0; i < job->ranks; i++) {
        guint32 v = g->endpoints[job->endpoints[i]], links = 0;
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            const DnLink *link = &g->links[g->ports[p]];
            links += g->vertices[link->dst].endpoint ? link->width : 0;
        }
        fewest = MIN(fewest, links);
        if (g->vertices[v].node != g->vertices[g->endpoints[job->endpoints[0]]].node)
            return 0;
    }
    return fewest;
}

static void make_pairs(Comparison *c)
{
    c->pairs = dn_table_new();
    dn_table_column(c->pairs, "job", DN_ALIGN_LEFT);
    dn_table_column(c->pairs, "bytes a pair", DN_ALIGN_RIGHT);
    dn_table_column(c->pairs, "alltoall, Gb/s", DN_ALIGN_LEFT);
    dn_table_column(c->pairs, "of pairs", DN_ALIGN_RIGHT);
    for (guint e = 0; e < ENGINES; e++)
        dn_table_column(c->pairs, NAMES[e], DN_ALIGN_RIGHT);
}

static void add_pairs(Comparison *c, const DnGraph *g, const DnJobResult *job, const double *us)
{
    guint32 links = strcmp(job->workload, "alltoall") == 0 ? fewest_links(g, job) : 0;
    if (links == 0 || job->ranks < 2)
        return;
    if (c->pairs == NULL)
        make_pairs(c);
    const guint32 times[] = {1, job->ranks - 1, links};
    const char *const texts[] = {"a pair", "an endpoint, to its peers", "an endpoint, its links"};
    for (guint row = 0; row < G_N_ELEMENTS(times); row++) {
        char bytes[DN_UNIT_BUF];
        dn_table_row(c->pairs);
        dn_table_cell(c->pairs, "%s", job->name);
        dn_table_cell(c->pairs, "%s", dn_format_bytes(job->bytes, bytes));
        dn_table_cell(c->pairs, "%s", texts[row]);
        dn_table_cell(c->pairs, "%u x", times[row]);
        for (guint e = 0; e < ENGINES; e++)
            dn_table_number(c->pairs, times[row] * (double)job->bytes * 8e-3 / us[e], 4);
    }
}

static void add_row(Comparison *c, guint point, DnRunResult *const *results, guint j)
{
    const DnSweep *sweep = c->plans[PACKET]->sweep;
    const DnJobResult *job = &results[PACKET]->jobs[j];
    double us[ENGINES] = {dn_mean_us(job), dn_mean_us(&results[FLOW]->jobs[j]),
                          dn_bound_us(results[BOUND], j)};
    dn_table_row(c->table);
    for (guint k = 0; k < sweep->n_keys; k++)
        dn_table_cell(c->table, "%s", sweep->values[point][k]);
    dn_table_cell(c->table, "%s", job->name);
    for (guint e = 0; e < ENGINES; e++)
        dn_table_number(c->table, us[e], 4);
    dn_table_number(c->table, us[FLOW] / us[PACKET], 4);
    dn_table_number(c->table, us[PACKET] / us[BOUND], 4);
    dn_table_number(c->table, us[FLOW] / us[BOUND], 4);
    for (guint e = 0; e < ENGINES; e++)
        dn_table_number(c->table, job->goodput_bytes * 8e-3 / us[e], 4);
    add_pairs(c, results[PACKET]->machine->graph, job, us);
    compare_judge(c, us);
}

static gboolean compare_point(Comparison *c, guint point, const DnRunOptions *options,
                              GError **error)
{
    DnRunResult *results[ENGINES] = {NULL};
    gboolean ok = TRUE;
    for (guint e = 0; ok && e < ENGINES; e++) {
        g_autoptr(DnRunSpec) spec = dn_plan_spec(c->plans[e], point, error);
        if (spec != NULL)
            results[e] = dn_experiment_run(spec, options, c->plans[e]->networks, error);
        ok = results[e] != NULL;
        if (ok)
            c->cpu_s[e] += results[e]->engine.cpu_s;
        else
            g_prefix_error(error, "engine %s, point %u: ", NAMES[e], point + 1);
    }
    for (guint j = 0; ok && j < results[PACKET]->n_jobs; j++)
        add_row(c, point, results, j);
    for (guint e = 0; e < ENGINES; e++)
        dn_run_result_free(results[e]);
    return ok;
}

static void print_heading(const Comparison *c)
{
    fputs(c->plans[PACKET]->heading, stdout);
    for (guint e = FLOW; e < ENGINES; e++)
        printf("engine   %s; limits: %s\n", NAMES[e], dn_engine_find(NAMES[e])->limits);
    putchar('\n');
    fflush(stdout);
}

/* Exit status. */
static int print_verdict(const Comparison *c, double max_percent)
{
    g_autofree char *text = dn_table_text(c->table);
    fputs(text, stdout);
    if (c->pairs != NULL) {
        g_autofree char *pairs = dn_table_text(c->pairs);
        printf("\n%s\n", pairs);
    }
    if (c->compared == 0) {
        printf("no iteration is complete on every engine: nothing to compare\n");
        return max_percent >= 0.0 ? DN_EXIT_MISSED : DN_EXIT_OK;
    }
    printf("flow against packet: at most %.2f %% apart; ", c->apart_percent);
    if (c->better_percent > BETTER_PERCENT)
        printf("better than the bound by %.2f %%\n", c->better_percent);
    else
        printf("none is better than the bound\n");
    if (isatty(STDERR_FILENO))
        g_printerr("CPU time: packet %.2f s, flow %.2f s, bound %.2f s\n", c->cpu_s[PACKET],
                   c->cpu_s[FLOW], c->cpu_s[BOUND]);
    if (max_percent < 0.0)
        return DN_EXIT_OK;
    gboolean missed = c->apart_percent > max_percent || c->better_percent > BETTER_PERCENT;
    return missed ? DN_EXIT_MISSED : DN_EXIT_OK;
}

static gboolean check_arguments(int argc, const Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = argc < 2 ? "no run file given; usage: darner compare RUN.yaml"
                         : "one run file at a time; usage: darner compare RUN.yaml";
    else if (options->threads < 0 || options->threads > 256)
        wrong = "--threads is out of range; allowed: 1 to 256";
    else if (options->max_percent < 0.0 && options->max_percent != -1.0)
        wrong = "--max-percent is out of range; allowed: 0 or more";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

static gboolean compare_points(Comparison *c, guint threads, GError **error)
{
    const DnRunOptions options = {.threads = threads, .progress = {.call = dn_interrupt_progress}};
    for (guint p = 0; p < c->plans[PACKET]->sweep->n_points; p++)
        if (!compare_point(c, p, &options, error))
            return FALSE;
    return TRUE;
}

int dn_command_compare(int argc, char **argv)
{
    g_auto(Options) options = {.max_percent = -1.0};
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set any key of the run, e.g. jobs[0].workload.bytes=1MiB; may be repeated", "KEY=VALUE"},
        {"max-percent", 'm', 0, G_OPTION_ARG_DOUBLE, &options.max_percent,
         "fail when flow and packet are further apart, or one is better than the bound", "P"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads, "threads of the packet engine",
         "N"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "RUN.yaml",
                            "Runs every point on the engines packet, flow and bound; writes no "
                            "files. Rates of an alltoall inside a node are told by pair as well.\n"
                            "Exit status: 0 done, 1 --max-percent is exceeded, 2 wrong "
                            "input, 130 interrupted.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    g_auto(Comparison) c = {.table = NULL};
    if (!check_arguments(argc, &options, &error) || !make_plans(&c, argv[1], &options, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    print_heading(&c);
    make_table(&c);
    if (!compare_points(&c, (guint)options.threads, &error))
        return dn_command_fail(error);
    return print_verdict(&c, options.max_percent);
}
