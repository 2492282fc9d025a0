/* cases_report.c - see cases_report.h. */
#include "validation/cases_report.h"
#include "base/file.h"
#include "base/version.h"
#include "report/json.h"
#include "report/table.h"
#include "validation/case_choice.h"
#include "validation/reported_values.h"

char *dn_cases_overview(const GPtrArray *cases, guint *missed)
{
    g_autoptr(DnTable) table = dn_table_new();
    static const char *const heads[] = {"points", "median %", "worst %", "claims", "known misses"};
    dn_table_column(table, "case", DN_ALIGN_LEFT);
    dn_table_column(table, "evidence", DN_ALIGN_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        dn_table_column(table, heads[i], DN_ALIGN_RIGHT);
    dn_table_column(table, "", DN_ALIGN_LEFT);
    for (guint i = 0; i < cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(cases, i);
        *missed += !case_->passed;
        for (guint k = 0; k < DN_EVIDENCE_CLASSES; k++) {
            const DnEvidenceResult *r = &case_->by_evidence[k];
            if (r->n == 0)
                continue;
            dn_table_row(table);
            dn_table_cell(table, "%s", case_->name);
            dn_table_cell(table, "%s", dn_evidence_names[k]);
            dn_table_cell(table, "%u", r->n);
            dn_table_number(table, r->median_percent, 3);
            dn_table_number(table, r->worst_percent, 3);
            if (r->claims > 0)
                dn_table_cell(table, "%u of %u", r->held, r->claims);
            else
                dn_table_cell(table, " ");
            if (r->known > 0)
                dn_table_cell(table, "%u", r->known);
            else
                dn_table_cell(table, " ");
            const char *good = k == DN_EVIDENCE_OBSERVED ? "" : "ok";
            dn_table_cell(table, "%s", r->passed ? good : "MISSED");
        }
    }
    return dn_table_text(table);
}

/* Writes the list of reported values that have a simulated one. */
static void add_figures(JsonBuilder *json, const DnAgreement *agreement)
{
    dn_json_list(json, "figures");
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (!dn_reported_value_covered(f))
            continue;
        json_builder_begin_object(json);
        dn_json_string(json, "id", f->id);
        dn_json_string(json, "evidence", dn_evidence_name(f->evidence));
        dn_json_number(json, "stated", f->stated);
        dn_json_number(json, "found", f->found);
        dn_json_flag(json, "within", dn_figure_within(f));
        dn_json_flag(json, "passed", dn_figure_passed(f));
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}

static gboolean write_json(const char *file, const GPtrArray *cases, const DnAgreement *agreement,
                           GError **error)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    gboolean passed = TRUE;
    json_builder_begin_object(json);
    dn_json_string(json, "darner", dn_version);
    dn_json_list(json, "cases");
    for (guint i = 0; i < cases->len; i++) {
        const DnCase *case_ = g_ptr_array_index(cases, i);
        dn_case_json(json, case_);
        passed = passed && case_->passed;
    }
    json_builder_end_array(json);
    if (agreement != NULL)
        add_figures(json, agreement);
    dn_json_flag(json, "passed",
                 passed && (agreement == NULL || dn_agreement_missed(agreement) == 0));
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    g_autofree char *text = dn_json_text(root);
    return dn_file_write(file, text, error);
}

static gboolean write_pages(const DnAgreement *agreement, char **files, GError **error)
{
    for (; *files != NULL; files++) {
        gboolean html = g_str_has_suffix(*files, ".html");
        g_autofree char *text = html ? dn_agreement_html(agreement)
                                     : dn_agreement_markdown(agreement);
        if (!dn_file_write(*files, text, error))
            return FALSE;
    }
    return TRUE;
}

/* (transfer full): NULL + error. */
static DnAgreement *make_agreement(const GPtrArray *cases, gboolean own_case, GError **error)
{
    if (own_case)
        return dn_case_agreement(g_ptr_array_index(cases, 0));
    g_autofree char *folder = dn_case_folder(NULL, error);
    return folder != NULL ? dn_reported_values_agreement(folder, cases, error) : NULL;
}

gboolean dn_cases_write(const GPtrArray *cases, gboolean own_case, const char *json, char **pages,
                        guint *missed, GError **error)
{
    g_autoptr(DnAgreement) agreement = NULL;
    *missed = 0;
    if (pages != NULL && ((agreement = make_agreement(cases, own_case, error)) == NULL ||
                          !write_pages(agreement, pages, error)))
        return FALSE;
    if (json != NULL && !write_json(json, cases, agreement, error))
        return FALSE;
    *missed = agreement != NULL && !own_case ? dn_agreement_missed(agreement) : 0;
    return TRUE;
}
