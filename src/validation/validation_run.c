/* validation_run.c - see validation_run.h. */
#include "validation/validation_run.h"
#include "validation/case_choice.h"
#include "validation/case_pool.h"
#include "validation/cases_report.h"
#include "validation/user_measurements.h"

#include <stdio.h>

static void print_case(void *data, const DnCase *case_)
{
    const DnValidationQuery *query = data;
    g_autofree char *text = dn_case_text(case_);
    if (!query->quiet && query->null_model < 0)
        printf("%s\n", text);
    fflush(stdout);
}

/* (transfer full): DnCase*, simulated, judged and printed. */
static GPtrArray *run_cases(const DnValidationQuery *q, GError **error)
{
    if (q->measurements != NULL) {
        GPtrArray *own =
            dn_against_run(q->measurements, q->map, q->words[0], q->expected, q->yes, error);
        if (own != NULL)
            print_case((void *)q, g_ptr_array_index(own, 0));
        return own;
    }
    const DnPoolOptions pool = {.keep = q->keep,
                                .stored = q->stored,
                                .yes = q->yes,
                                .packet_bias = q->packet_bias,
                                .jobs = q->jobs,
                                .shard = q->shard,
                                .null_model = q->null_model,
                                .done = print_case,
                                .data = (void *)q};
    g_autoptr(GPtrArray) dirs = dn_case_choose(q->words, FALSE, q->full, error);
    return dirs != NULL ? dn_case_pool(dirs, &pool, error) : NULL;
}

gboolean dn_validation_run(const DnValidationQuery *q, guint *missed, GError **error)
{
    *missed = 0;
    g_autoptr(GPtrArray) cases = run_cases(q, error);
    if (cases == NULL)
        return FALSE;
    if (q->null_model >= 0)
        return TRUE;
    if (q->shard.n > 0) {
        printf("shard %u/%u: its runs are complete in %s; the same command without --shard puts "
               "them together\n",
               q->shard.i, q->shard.n, q->keep);
        return TRUE;
    }
    g_autofree char *text = dn_cases_overview(cases, missed);
    printf("%s%u case%s, %u missed\n", text, cases->len, cases->len == 1 ? "" : "s", *missed);
    guint statements;
    if (!dn_cases_write(cases, q->measurements != NULL, q->json, q->pages, &statements, error))
        return FALSE;
    if (statements > 0)
        printf("%u of the papers' numbers missed\n", statements);
    *missed += statements;
    return TRUE;
}

gboolean dn_validation_list(char **words, GError **error)
{
    g_autoptr(GPtrArray) dirs = dn_case_choose(words, TRUE, FALSE, error);
    for (guint i = 0; dirs != NULL && i < dirs->len; i++) {
        g_autofree char *name = g_path_get_basename(g_ptr_array_index(dirs, i));
        printf("%s\n", name);
    }
    return dirs != NULL;
}
