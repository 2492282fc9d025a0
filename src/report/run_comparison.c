/* run_comparison.c - see run_comparison.h. */
#include "report/run_comparison.h"
#include "base/csv.h"
#include "report/file_columns.h"
#include "report/table.h"
#include <math.h>
#include <string.h>

static DnRunDifference compare_groups(const DnSampleGroup *a, const DnSampleGroup *b)
{
    DnSample x = dn_sample_group_sample(a), y = dn_sample_group_sample(b);
    DnRunDifference d = {.key = a->key, .n_a = x.n, .n_b = y.n};
    g_autofree double *units_a = dn_sample_units(&x, &d.units_a);
    g_autofree double *units_b = dn_sample_units(&y, &d.units_b);
    d.median_a_s = dn_summary(x.values, x.n).median;
    d.median_b_s = dn_summary(y.values, y.n).median;
    d.difference_s = dn_bootstrap_difference(&x, &y, FALSE);
    d.ratio = dn_bootstrap_ratio(&x, &y, FALSE);
    d.rank_test = dn_mann_whitney(units_a, d.units_a, units_b, d.units_b);
    d.permutation_p = dn_permutation_p(units_a, d.units_a, units_b, d.units_b);
    return d;
}

static const DnSampleGroup *find_group(const DnSampleFile *file, const char *key)
{
    for (guint i = 0; i < file->groups->len; i++) {
        const DnSampleGroup *group = file->groups->pdata[i];
        if (strcmp(group->key, key) == 0)
            return group;
    }
    return NULL;
}

DnRunComparison *dn_run_comparison_new(const DnSampleFile *a, const DnSampleFile *b, GError **error)
{
    g_autoptr(DnRunComparison) c = g_new0(DnRunComparison, 1);
    c->rows = g_array_new(FALSE, TRUE, sizeof(DnRunDifference));
    for (guint i = 0; i < a->groups->len; i++) {
        const DnSampleGroup *one = a->groups->pdata[i], *other = find_group(b, one->key);
        if (other == NULL) {
            c->only_a++;
            continue;
        }
        DnRunDifference d = compare_groups(one, other);
        g_array_append_val(c->rows, d);
    }
    c->only_b = b->groups->len - c->rows->len;
    if (c->rows->len > 0)
        return g_steal_pointer(&c);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "the runs have no job at equal swept values in common (%s; %s); allowed: runs of "
                "one run file, or of files with the same jobs and sweep",
                a->swept[0] != '\0' ? a->swept : "no sweep",
                b->swept[0] != '\0' ? b->swept : "no sweep");
    return NULL;
}

void dn_run_comparison_free(DnRunComparison *comparison)
{
    if (comparison == NULL)
        return;
    g_array_unref(comparison->rows);
    g_free(comparison);
}

static char *interval_text(const DnEstimate *e, double scale)
{
    if (isnan(e->low))
        return g_strdup("-");
    return g_strdup_printf("%.4g to %.4g", e->low * scale, e->high * scale);
}

static void add_row(DnTable *table, const DnRunDifference *d)
{
    g_autofree char *interval = interval_text(&d->difference_s, 1e6);
    g_autofree char *ratio = interval_text(&d->ratio, 1.0);
    dn_table_row(table);
    dn_table_cell(table, "%s", d->key);
    dn_table_cell(table, "%" G_GSIZE_FORMAT " / %" G_GSIZE_FORMAT, d->units_a, d->units_b);
    dn_table_number(table, d->median_a_s * 1e6, 4);
    dn_table_number(table, d->median_b_s * 1e6, 4);
    dn_table_number(table, d->difference_s.estimate * 1e6, 4);
    dn_table_cell(table, "%s", interval);
    dn_table_number(table, d->ratio.estimate, 4);
    dn_table_cell(table, "%s", ratio);
    dn_table_cell(table, "%.3g", d->rank_test.p);
    dn_table_cell(table, "%.3g", d->permutation_p);
}

/* TRUE: the rank test's least p, 2 over the number of orders of a + b values, is not below 5 %. */
static gboolean is_few(gsize a, gsize b)
{
    double orders = 1;
    for (gsize i = 1; i <= MIN(a, b) && orders <= 40; i++)
        orders *= (double)(MAX(a, b) + i) / (double)i;
    return 2 / orders >= 0.05;
}

char *dn_run_comparison_text(const DnRunComparison *c)
{
    static const char *const heads[] = {
        "job and point", "n a / b", "median a (us)", "median b (us)", "b - a (us)",
        "95 % (us)",     "b / a",   "95 %",          "p (ranks)",     "p (permuted)"};
    g_autoptr(DnTable) table = dn_table_new();
    guint differ = 0, n_few = 0;
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        dn_table_column(table, heads[i], i == 0 ? DN_ALIGN_LEFT : DN_ALIGN_RIGHT);
    for (guint i = 0; i < c->rows->len; i++) {
        const DnRunDifference *d = &g_array_index(c->rows, DnRunDifference, i);
        add_row(table, d);
        differ += d->rank_test.p < 0.05;
        n_few += is_few(d->units_a, d->units_b);
    }
    g_autofree char *text = dn_table_text(table);
    GString *out = g_string_new(text);
    g_string_append_printf(out,
                           "%u of %u differ by the rank test at the 5 %% level; one of 20 does so "
                           "by chance\n",
                           differ, c->rows->len);
    if (n_few > 0)
        g_string_append_printf(out,
                               "%u of them cannot: so few values have no p below 5 %%; a larger "
                               "`repeat` has (4 against 4 at least)\n",
                               n_few);
    if (c->only_a + c->only_b > 0)
        g_string_append_printf(out, "left out: %u only in a, %u only in b\n", c->only_a, c->only_b);
    return g_string_free(out, FALSE);
}

char *dn_run_comparison_csv(const DnRunComparison *c)
{
    static const char *const columns[] = {
        "job_and_point", "samples_a",      "samples_b",      "units_a",
        "units_b",       "median_a_s",     "median_b_s",     "difference_s",
        "ci_low_s",      "ci_high_s",      "ratio",          "ratio_ci_low",
        "ratio_ci_high", "mann_whitney_u", "mann_whitney_p", "permutation_p"};
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
        dn_csv_cell(out, columns[i]);
    dn_csv_end_row(out);
    for (guint i = 0; i < c->rows->len; i++) {
        const DnRunDifference *d = &g_array_index(c->rows, DnRunDifference, i);
        const gsize counts[] = {d->n_a, d->n_b, d->units_a, d->units_b};
        const double times[] = {d->median_a_s, d->median_b_s, d->difference_s.estimate,
                                d->difference_s.low, d->difference_s.high};
        const double ratios[] = {d->ratio.estimate, d->ratio.low,   d->ratio.high,
                                 d->rank_test.u,    d->rank_test.p, d->permutation_p};
        dn_csv_cell(out, d->key);
        for (guint k = 0; k < G_N_ELEMENTS(counts); k++)
            dn_csv_int(out, (gint64)counts[k]);
        for (guint k = 0; k < G_N_ELEMENTS(times); k++)
            dn_csv_number(out, times[k], DN_TIME_DECIMALS);
        for (guint k = 0; k < G_N_ELEMENTS(ratios); k++)
            dn_csv_number(out, ratios[k], 6);
        dn_csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}
