/* agreement_page.c - the agreement report as Markdown and as one HTML page, by the same functions
 * (agreement_writer.h). */
#include "validation/agreement.h"
#include "validation/agreement_writer.h"
#include "base/number.h"
#include "report/page_style.h"
#include <math.h>
#include <string.h>

/* ---- sections of the page ---- */

/* One line for each evidence class that the figures of @key have. */
static void total_rows(DnAgreementWriter *p, const DnAgreement *agreement, const char *key,
                       const char *name)
{
    for (guint evidence = 0; evidence < DN_EVIDENCE_CLASSES; evidence++) {
        DnAgreementTotal t = dn_agreement_total(agreement, key, (DnEvidence)evidence);
        if (t.n + t.bounds + t.vacuous == 0)
            continue;
        g_autofree char *n = g_strdup_printf("%u", t.n + t.bounds + t.vacuous);
        g_autofree char *vacuous = t.vacuous > 0 ? g_strdup_printf("%u", t.vacuous) : g_strdup("");
        g_autofree char *all = dn_agreement_percent(t.all_median_percent);
        g_autofree char *median = dn_agreement_percent(t.median_percent);
        g_autofree char *worst = dn_agreement_percent(t.worst_percent);
        char *within[3];
        for (guint i = 0; i < 3; i++)
            within[i] = t.n > 0 ? g_strdup_printf("%.0f", 100.0 * t.within[i] / t.n) : g_strdup("");
        g_autofree char *bounds = t.bounds > 0 ? g_strdup_printf("%u of %u", t.held, t.bounds)
                                               : g_strdup("");
        dn_agreement_row(p, (const char *const[]){name, dn_evidence_names[evidence], n, all,
                                                  vacuous, median, worst, within[0], within[1],
                                                  within[2], bounds});
        for (guint i = 0; i < 3; i++)
            g_free(within[i]);
    }
}

static void count_row(DnAgreementWriter *p, const DnAgreement *agreement, const char *key,
                      const char *name)
{
    guint stated = 0, covered = 0, rests[DN_EVIDENCE_ALL] = {0};
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (!g_str_has_prefix(f->id, key))
            continue;
        stated++;
        covered += dn_reported_value_covered(f);
        rests[f->evidence] += dn_reported_value_covered(f) || f->evidence >= DN_EVIDENCE_STATED;
    }
    guint simulated = rests[DN_EVIDENCE_CALIBRATED] + rests[DN_EVIDENCE_DEVELOPED] +
                      rests[DN_EVIDENCE_PREDICTED] + rests[DN_EVIDENCE_OBSERVED];
    const guint counts[] = {stated,
                            covered,
                            simulated,
                            rests[DN_EVIDENCE_COMPUTED],
                            rests[DN_EVIDENCE_INPUT],
                            stated - covered - rests[DN_EVIDENCE_OUT],
                            rests[DN_EVIDENCE_OUT]};
    const char *cells[G_N_ELEMENTS(counts) + 1] = {name};
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        cells[i + 1] = g_strdup_printf("%u", counts[i]);
    dn_agreement_row(p, cells);
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
        g_free((char *)cells[i + 1]);
}

/* Its authors and title, on a page to open; its short key in the README's tables. */
static const char *paper_name(const DnAgreementWriter *p, const DnPaper *paper)
{
    return p->html && *paper->name != '\0' ? paper->name : paper->key;
}

static void agreement_page_totals(DnAgreementWriter *p, const DnAgreement *agreement)
{
    dn_agreement_heading(p, 2, "Totals");
    dn_agreement_open_table(
        p, (const char *const[]){"paper", agreement->title != NULL ? "measured" : "numbers stated",
                                 "covered", "simulated", "computed", "inputs", "not yet",
                                 "out of scope", NULL});
    for (guint i = 0; agreement->title == NULL && i < agreement->papers->len; i++) {
        const DnPaper *paper = g_ptr_array_index(agreement->papers, i);
        count_row(p, agreement, paper->key, paper_name(p, paper));
    }
    count_row(p, agreement, "", "all");
    dn_agreement_close_table(p);
    if (agreement->title == NULL)
        dn_agreement_paragraph(
            p,
            "Errors are of the stated value, in percent of it. A bound (more than, at "
            "most) has no error: it holds or does not. Vacuous: developed or predicted, and within "
            "25 % (or holding) by a null model too, which simulates the job alone on "
            "an idle network, or on engine bound, where no two messages meet: the number "
            "tests what messages cost, not the simulated network. The totals of the "
            "others leave them out, and numbers that a paper states twice.");
    else
        dn_agreement_paragraph(p, "Errors are of the measured value, in percent of it.");
    dn_agreement_open_table(
        p, (const char *const[]){"paper", "evidence", "numbers", "median |error| %", "vacuous",
                                 "median of the others", "worst %", "within 5 %: % of them",
                                 "within 10 %", "within 20 %", "bounds that hold", NULL});
    for (guint i = 0; agreement->title == NULL && i < agreement->papers->len; i++) {
        const DnPaper *paper = g_ptr_array_index(agreement->papers, i);
        total_rows(p, agreement, paper->key, paper_name(p, paper));
    }
    total_rows(p, agreement, "", "all");
    dn_agreement_close_table(p);
}

/* (transfer full): what stands before the reason. */
static char *marks_of(const DnReportedValue *f)
{
    GString *out = g_string_new(NULL);
    if (f->duplicate_of != NULL)
        g_string_append_printf(out, "same as %s, counted there; ", f->duplicate_of);
    if (dn_figure_vacuous(f))
        g_string_append(out, "vacuous: without contention the number is as good; ");
    if (f->known_cause != NULL)
        g_string_append_printf(out, "known miss: %s; ", f->known_cause);
    return g_string_free(out, FALSE);
}

static void reported_value_row(DnAgreementWriter *p, const DnReportedValue *f)
{
    char digits[DN_NUMBER_BUF];
    g_autoptr(GString) what = g_string_new(f->system);
    g_string_append_printf(what, "; %s%s%s", f->condition, *f->condition != '\0' ? "; " : "",
                           f->quantity);
    const char *relation = f->relation == DN_RELATION_EQUAL ? "" : dn_relation_names[f->relation];
    g_autofree char *stated = g_strdup_printf("%s%s%s%s%s", relation, *relation ? " " : "",
                                              f->value, *f->unit ? " " : "", f->unit);
    gboolean covered = dn_reported_value_covered(f);
    g_autofree char *error = NULL;
    if (!covered)
        error = g_strdup("");
    else if (f->relation != DN_RELATION_EQUAL)
        error = g_strdup(dn_reported_value_holds(f) ? "holds" : "does not hold");
    else
        error = g_strdup_printf("%+.1f", dn_reported_value_error(f));
    gboolean waits = !covered && f->evidence < DN_EVIDENCE_STATED;
    gboolean doubted = f->raw != NULL && strstr(f->raw, "(contradicts)") != NULL;
    g_autofree char *marks = marks_of(f);
    g_autofree char *why = g_strconcat(marks, f->reason, doubted && *f->reason != '\0' ? "; " : "",
                                       doubted ? "in the paper's own data: " : "",
                                       doubted ? f->raw : "", NULL);
    dn_agreement_row(
        p, (const char *const[]){f->id, what->str, stated,
                                 covered ? dn_format_digits(f->found, 4, digits) : "", error,
                                 waits ? "not run" : dn_evidence_name(f->evidence), f->where, why});
}

typedef enum { ROWS_ALL, ROWS_INPUTS, ROWS_OTHERS } Rows;

static gboolean is_in_rows(const DnReportedValue *f, const DnPaper *paper, Rows rows)
{
    gboolean input = f->evidence == DN_EVIDENCE_INPUT;
    return g_str_has_prefix(f->id, paper->key) &&
           (rows == ROWS_ALL || input == (rows == ROWS_INPUTS));
}

/* Figures of one experiment stand together in the file: a table for each. */
static void paper_rows(DnAgreementWriter *p, const DnAgreement *agreement, const DnPaper *paper,
                       Rows rows)
{
    const char *experiment = NULL;
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (!is_in_rows(f, paper, rows))
            continue;
        if (g_strcmp0(experiment, f->experiment) != 0) {
            if (experiment != NULL)
                dn_agreement_close_table(p);
            dn_agreement_heading(p, 3, f->experiment);
            dn_agreement_open_table(
                p, (const char *const[]){"id", "what",
                                         agreement->title != NULL ? "measured" : "stated", "Darner",
                                         "error %", "evidence", "where", "why", NULL});
        }
        experiment = f->experiment;
        reported_value_row(p, f);
    }
    if (experiment != NULL)
        dn_agreement_close_table(p);
}

/* Rows that a click shows: a page to open begins with its totals. */
static void paper_fold(DnAgreementWriter *p, const DnAgreement *agreement, const DnPaper *paper,
                       Rows rows, const char *what)
{
    guint n = 0;
    for (guint i = 0; i < agreement->values->len; i++)
        n += is_in_rows(g_ptr_array_index(agreement->values, i), paper, rows);
    if (n == 0)
        return;
    g_string_append_printf(p->out, "<details><summary>%u %s</summary>\n", n, what);
    paper_rows(p, agreement, paper, rows);
    g_string_append(p->out, "</details>\n");
}

static void paper_part(DnAgreementWriter *p, const DnAgreement *agreement, const DnPaper *paper)
{
    g_autofree char *title =
        g_strdup_printf("%s%s%s", paper->key, *paper->key != '\0' ? ": " : "", paper->name);
    dn_agreement_heading(p, 2, title);
    if (!p->html || agreement->title != NULL) {
        paper_rows(p, agreement, paper, ROWS_ALL);
        return;
    }
    paper_fold(p, agreement, paper, ROWS_OTHERS, "numbers that are compared, or say why not");
    paper_fold(p, agreement, paper, ROWS_INPUTS, "numbers that a machine file holds");
}

static void raw_part(DnAgreementWriter *p, const DnAgreement *agreement)
{
    guint compared = 0, doubted = 0;
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        compared += f->raw != NULL;
        doubted += f->raw != NULL && strstr(f->raw, "(contradicts)") != NULL;
    }
    dn_agreement_heading(p, 2, "Statements against the papers' own public data");
    g_autofree char *words = g_strdup_printf("Of %u statements that the public data speak to, they "
                                             "contradict %u; those say so above as well.",
                                             compared, doubted);
    dn_agreement_paragraph(p, words);
    dn_agreement_open_table(p, (const char *const[]){"id", "what", "stated", "in the data", NULL});
    for (guint i = 0; i < agreement->values->len; i++) {
        const DnReportedValue *f = g_ptr_array_index(agreement->values, i);
        if (f->raw == NULL)
            continue;
        g_autofree char *what = g_strdup_printf("%s; %s; %s", f->system, f->condition, f->quantity);
        g_autofree char *stated = g_strdup_printf("%s %s", f->value, f->unit);
        dn_agreement_row(p, (const char *const[]){f->id, what, stated, f->raw});
    }
    dn_agreement_close_table(p);
}

static void case_rows(DnAgreementWriter *p, const DnAgreementCase *c)
{
    for (guint k = 0; k < DN_EVIDENCE_CLASSES; k++) {
        if (c->by_evidence[k].n == 0)
            continue;
        guint claims = c->by_evidence[k].claims;
        g_autofree char *n = g_strdup_printf("%u", c->by_evidence[k].n);
        g_autofree char *median = dn_agreement_percent(c->by_evidence[k].median_percent);
        g_autofree char *worst = dn_agreement_percent(c->by_evidence[k].worst_percent);
        g_autofree char *held =
            claims > 0 ? g_strdup_printf("%u of %u", c->by_evidence[k].held, claims) : g_strdup("");
        g_autofree char *vacuous = g_strdup_printf("%u", c->by_evidence[k].vacuous);
        g_autofree char *known = g_strdup_printf("%u", c->by_evidence[k].known);
        dn_agreement_row(p, (const char *const[]){c->name, dn_evidence_names[k], n, median, worst,
                                                  held, vacuous, known, c->description});
    }
}

static void cases_part(DnAgreementWriter *p, const DnAgreement *agreement)
{
    dn_agreement_heading(p, 2, "Cases");
    dn_agreement_paragraph(
        p, "Every measured or published value that a case compares, also those that no "
           "paper's text states. A case that did not run is missing. A claim is one-sided (at "
           "least, at most): it holds or does not, and has no part in the errors. Known misses "
           "are beyond what the measurement allows, listed below with their cause, and count in "
           "the medians.");
    dn_agreement_open_table(
        p, (const char *const[]){"case", "evidence", "values", "median |error| %", "worst %",
                                 "claims that hold", "vacuous", "known misses", "about", NULL});
    for (guint i = 0; i < agreement->cases->len; i++)
        case_rows(p, g_ptr_array_index(agreement->cases, i));
    dn_agreement_close_table(p);
}

/* "8.3 / 41": the simulation's and the null model's. */
static char *skill_cell(const DnAgreementCase *c, DnNullModel model)
{
    if (c->skill[model].n == 0)
        return g_strdup("");
    g_autofree char *own = dn_agreement_percent(c->skill[model].median_percent);
    g_autofree char *null = dn_agreement_percent(c->skill[model].null_percent);
    return g_strdup_printf("%s / %s", own, null);
}

static void skill_part(DnAgreementWriter *p, const DnAgreement *agreement)
{
    dn_agreement_heading(p, 2, "Skill");
    dn_agreement_paragraph(
        p, "Median |error| in percent of Darner / of a model that knows less, over the developed "
           "and predicted values of a case that both have. Idle network: the job alone, without "
           "background. Bound: likewise on engine bound, where no two messages meet. "
           "Hockney: a latency and a bandwidth fitted to the ping-pong of the same "
           "mechanism, and the textbook cost of the collective's usual algorithm.");
    dn_agreement_open_table(
        p, (const char *const[]){"case", "values", "idle network", "bound", "Hockney", NULL});
    for (guint i = 0; i < agreement->cases->len; i++) {
        const DnAgreementCase *c = g_ptr_array_index(agreement->cases, i);
        guint n = MAX(c->skill[0].n, MAX(c->skill[1].n, c->skill[2].n));
        if (n == 0)
            continue;
        g_autofree char *values = g_strdup_printf("%u", n);
        g_autofree char *idle = skill_cell(c, DN_NULL_IDLE);
        g_autofree char *bound = skill_cell(c, DN_NULL_BOUND);
        g_autofree char *hockney = skill_cell(c, DN_NULL_HOCKNEY);
        dn_agreement_row(p, (const char *const[]){c->name, values, idle, bound, hockney});
    }
    dn_agreement_close_table(p);
}

/* (transfer full): "D. De Sensi et al., SC 2024", from authors, title, where. */
static char *paper_short(const DnPaper *paper)
{
    const char *first = strchr(paper->name, ','), *last = strrchr(paper->name, ',');
    if (first == NULL || first == last)
        return g_strdup(*paper->name != '\0' ? paper->name : paper->key);
    return g_strdup_printf("%.*s%s", (int)(first - paper->name), paper->name, last);
}

/* The targets of keyboard navigation and screen readers: the headings of level 2, in order. */
static void agreement_page_menu(DnAgreementWriter *p, const DnAgreement *agreement)
{
    guint n = 0;
    if (!p->html)
        return;
    g_string_append(p->out, "<nav aria-label=\"Parts\"><ul>");
    if (agreement->title == NULL)
        g_string_append_printf(p->out, "<li><a href=\"#part-%u\">By kind of question</a></li>",
                               n++);
    g_string_append_printf(p->out, "<li><a href=\"#part-%u\">Totals</a></li>", n++);
    for (guint i = 0; i < agreement->papers->len; i++) {
        const DnPaper *paper = g_ptr_array_index(agreement->papers, i);
        g_string_append_printf(p->out, "<li><a href=\"#part-%u\">", n++);
        g_autofree char *name = paper_short(paper);
        dn_agreement_text(p, name);
        g_string_append(p->out, "</a></li>");
    }
    if (agreement->title == NULL)
        g_string_append_printf(p->out,
                               "<li><a href=\"#part-%u\">Public data</a></li>"
                               "<li><a href=\"#part-%u\">Cases</a></li>"
                               "<li><a href=\"#part-%u\">Skill</a></li>",
                               n, n + 1, n + 2);
    g_string_append(p->out, "</ul></nav>\n");
}

/* The figure that only a page to open has. */
static void agreement_page_picture(DnAgreementWriter *p, const DnAgreement *agreement)
{
    g_autofree char *svg = p->html ? dn_agreement_picture(agreement) : NULL;
    g_string_append(p->out, svg != NULL ? svg : "");
}

static void agreement_page_curves(DnAgreementWriter *p, const DnAgreement *agreement)
{
    g_autofree char *svg = p->html ? dn_agreement_curves(agreement) : NULL;
    g_string_append(p->out, svg != NULL ? svg : "");
}

static void agreement_page_body(DnAgreementWriter *p, const DnAgreement *agreement)
{
    if (agreement->title != NULL) {
        dn_agreement_heading(p, 1, agreement->title);
        agreement_page_menu(p, agreement);
        dn_agreement_paragraph(p, agreement->about);
        agreement_page_curves(p, agreement);
        agreement_page_totals(p, agreement);
        agreement_page_picture(p, agreement);
        for (guint i = 0; i < agreement->papers->len; i++)
            paper_part(p, agreement, g_ptr_array_index(agreement->papers, i));
        return;
    }
    dn_agreement_heading(p, 1, "Agreement report");
    agreement_page_menu(p, agreement);
    dn_agreement_questions(p, agreement);
    dn_agreement_paragraph(
        p, "Each number that five papers state, beside what Darner says to it. This page is "
           "written by darner validate --page, never by hand; HOWTO.md says how cases "
           "work, figures.csv which formula stands behind each number.");
    dn_agreement_paragraph(
        p, "Evidence: calibrated, a parameter was fitted to the number, or to another from "
           "which it follows; developed, the model was changed after the number had been "
           "seen; predicted, neither; observed, simulated and shown only, for a reason about "
           "the measurement; computed, from the machine's graph, without simulating; input, "
           "read from a machine file, so that an error of 0 says only that the file holds "
           "what the paper says. A number that is worked out from several simulated ones "
           "has the weakest class among them: observed, calibrated, developed, predicted.");
    agreement_page_totals(p, agreement);
    for (guint i = 0; i < agreement->papers->len; i++)
        paper_part(p, agreement, g_ptr_array_index(agreement->papers, i));
    raw_part(p, agreement);
    cases_part(p, agreement);
    dn_agreement_misses(p, agreement);
    skill_part(p, agreement);
}

char *dn_agreement_markdown(const DnAgreement *agreement)
{
    DnAgreementWriter page = {.out = g_string_new(NULL)};
    agreement_page_body(&page, agreement);
    g_string_erase(page.out, 0, 1); /* the line before the first heading */
    return g_string_free(page.out, FALSE);
}

char *dn_agreement_html(const DnAgreement *agreement)
{
    DnAgreementWriter page = {.out = g_string_new(NULL), .html = TRUE};
    g_string_append_printf(
        page.out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
        "<title>darner: agreement report</title>\n<style>\n%s</style>\n</head>\n"
        "<body>\n<a class=\"skip\" href=\"#part-0\">Skip to the totals</a>\n<main>\n",
        dn_page_style);
    agreement_page_body(&page, agreement);
    g_string_append(page.out, "</main>\n</body>\n</html>\n");
    return g_string_free(page.out, FALSE);
}
