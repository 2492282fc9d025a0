/* agreement_test.c - Tests of the totals of reported values, and of the page's two forms. */
#include "validation/agreement.h"
#include <math.h>
#include <string.h>

static void agreement_add(DnAgreement *agreement, const char *id, DnEvidence evidence,
                          DnRelation relation, double stated, double found)
{
    DnReportedValue *f = dn_agreement_add_value(agreement);
    f->id = g_strdup(id);
    f->system = g_strdup("a|b");
    f->experiment = g_strdup("<latency>");
    f->condition = g_strdup("");
    f->quantity = g_strdup("time");
    f->value = g_strdup_printf("%g", stated);
    f->unit = g_strdup("us");
    f->where = g_strdup("Fig. 1");
    f->reason = g_strdup("why");
    f->pointer = g_strdup("");
    f->evidence = evidence;
    f->relation = relation;
    f->stated = stated;
    f->found = found;
}

static void agreement_ask(const DnAgreement *agreement)
{
    static const DnAgreementError errors[] = {{DN_EVIDENCE_PREDICTED, 4, (char *)"halo, a<b"},
                                              {DN_EVIDENCE_PREDICTED, -9, NULL},
                                              {DN_EVIDENCE_PREDICTED, 0, NULL}};
    DnAgreementQuestion *q = g_new0(DnAgreementQuestion, 1);
    q->name = g_strdup("latency: short");
    q->sources = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(q->sources, g_strdup("A & B"));
    q->errors = g_array_new(FALSE, FALSE, sizeof(DnAgreementError));
    g_array_append_vals(q->errors, errors, G_N_ELEMENTS(errors));
    g_ptr_array_add(agreement->questions, q);
}

/* The third statement is contradicted by the data behind it. */
static DnAgreement *agreement_example(void)
{
    DnAgreement *agreement = dn_agreement_new();
    DnPaper *paper = g_new0(DnPaper, 1);
    paper->key = g_strdup("S0");
    paper->name = g_strdup("A & B");
    g_ptr_array_add(agreement->papers, paper);
    agreement_add(agreement, "S0-1", DN_EVIDENCE_PREDICTED, DN_RELATION_EQUAL, 100,
                  104);                                                                  /* + 4 % */
    agreement_add(agreement, "S0-2", DN_EVIDENCE_PREDICTED, DN_RELATION_EQUAL, 10, 9.1); /* - 9 % */
    agreement_add(agreement, "S0-3", DN_EVIDENCE_PREDICTED, DN_RELATION_EQUAL, -2,
                  -3); /* - 50 %: of |stated| */
    agreement_add(agreement, "S0-4", DN_EVIDENCE_PREDICTED, DN_RELATION_AT_LEAST, 8, 9); /* holds */
    agreement_add(agreement, "S0-5", DN_EVIDENCE_PREDICTED, DN_RELATION_AT_MOST, 8,
                  9); /* does not */
    agreement_add(agreement, "S0-6", DN_EVIDENCE_PREDICTED, DN_RELATION_EQUAL, 8,
                  NAN); /* did not run */
    agreement_add(agreement, "S0-7", DN_EVIDENCE_STATED, DN_RELATION_EQUAL, 8, NAN);
    agreement_add(agreement, "S1-1", DN_EVIDENCE_PREDICTED, DN_RELATION_EQUAL, 8, 8);
    agreement_add(agreement, "S1-2", DN_EVIDENCE_INPUT, DN_RELATION_EQUAL, 0,
                  0); /* equal: no division by 0 */
    DnReportedValue *third = g_ptr_array_index(agreement->values, 2);
    third->raw = g_strdup("-3 (contradicts)");
    agreement_ask(agreement);
    return agreement;
}

static void test_totals(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    DnAgreementTotal t = dn_agreement_total(agreement, "S0", DN_EVIDENCE_PREDICTED);
    g_assert_cmpuint(t.n, ==, 3);
    g_assert_cmpfloat_with_epsilon(t.median_percent, 9, 1e-9);
    g_assert_cmpfloat_with_epsilon(t.worst_percent, 50, 1e-9);
    g_assert_cmpuint(t.within[0], ==, 1);
    g_assert_cmpuint(t.within[1], ==, 2);
    g_assert_cmpuint(t.within[2], ==, 2);
    g_assert_cmpuint(t.bounds, ==, 2);
    g_assert_cmpuint(t.held, ==, 1);
    t = dn_agreement_total(agreement, "", DN_EVIDENCE_PREDICTED);
    g_assert_cmpuint(t.n, ==, 4);
    g_assert_cmpfloat_with_epsilon(t.median_percent, 6.5, 1e-9); /* 0, 4, 9, 50 */
    t = dn_agreement_total(agreement, "", DN_EVIDENCE_INPUT);
    g_assert_cmpfloat(t.worst_percent, ==, 0);
    t = dn_agreement_total(agreement, "", DN_EVIDENCE_STATED);
    g_assert_cmpuint(t.n, ==, 0);
    g_assert_true(isnan(t.median_percent));
}

static void test_markdown(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    g_autofree char *text = dn_agreement_markdown(agreement);
    /* stated 7, covered 5 of them simulated, 2 not yet: one that did not run, one without a case */
    g_assert_nonnull(strstr(text, "| S0 | 7 | 5 | 5 | 0 | 0 | 2 | 0 |\n"));
    g_assert_nonnull(strstr(text, "| all | 9 | 7 | 6 | 0 | 1 | 2 | 0 |\n"));
    g_assert_nonnull(strstr(text, "| S0-1 | a\\|b; time | 100 us | 104.0 | +4.0 | predicted |"));
    g_assert_nonnull(strstr(text, "| >= 8 us | 9.000 | holds | predicted |"));
    g_assert_nonnull(strstr(text, "| \\<= 8 us | 9.000 | does not hold |"));
    g_assert_nonnull(strstr(text, "|  |  | not run |"));
    g_assert_nonnull(strstr(text, "|  |  | not yet | Fig. 1 | why |"));
    g_assert_nonnull(strstr(text, "### \\<latency>"));
    g_assert_nonnull(strstr(text, "| Fig. 1 | why; in the paper's own data: -3 (contradicts) |"));
    g_assert_nonnull(
        strstr(text, "Of 1 statements that the public data speak to, they contradict 1;"));
}

/* One row for each cause; claims have no error. */
static void test_misses(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    DnAgreementCase *c = dn_agreement_add_case(agreement, "halo", NULL);
    dn_agreement_add_miss(c, "blocks | waits", -12.4);
    dn_agreement_add_miss(c, "one claim", NAN);
    dn_agreement_add_miss(c, "blocks | waits", 8);
    dn_agreement_add_miss(c, "blocks | waits", NAN);
    g_autofree char *text = dn_agreement_markdown(agreement);
    g_assert_nonnull(strstr(text, "| halo | 3 | 1 | -12 to +8 | blocks \\| waits |\n"
                                  "| halo | 1 | 1 |  | one claim |\n"));
}

static void test_html(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    g_autofree char *text = dn_agreement_html(agreement);
    g_assert_nonnull(strstr(text, "<h2 id=\"part-0\">By kind of question</h2>"));
    g_assert_nonnull(strstr(text, "<h2 id=\"part-2\">S0: A &amp; B</h2>"));
    g_assert_nonnull(strstr(text, "<h3>&lt;latency&gt;</h3>"));
    g_assert_nonnull(strstr(text, "prefers-color-scheme: dark"));
    g_assert_null(strstr(text, "http")); /* nothing from elsewhere */
    g_assert_nonnull(strstr(text, "<a href=\"#part-2\">A &amp; B</a>"));
    g_assert_nonnull(strstr(text,
                            "<th scope=\"row\">latency: short</th><td class=\"text\">A &amp; B</td>"
                            "<td class=\"text\"></td><td class=\"text\"></td>"
                            "<td class=\"text\">3: 4.0 %</td>"));
}

/* A dot for each of the three errors of the question; that of 0 % stands in the middle. */
static void test_picture(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    g_autofree char *svg = dn_agreement_picture(agreement);
    g_auto(GStrv) dots = g_strsplit(svg, "r=\"3\"", -1);
    g_assert_cmpuint(g_strv_length(dots), ==, 3 + 1);
    g_assert_nonnull(strstr(svg, "<circle cx=\"542.5\""));
    g_assert_nonnull(strstr(svg, ">latency</text>"));
    g_assert_nonnull(strstr(svg, "<title>halo, a&lt;b: +4.0 %, predicted</title></circle>"));
    g_assert_nonnull(strstr(svg, "<title>-9.0 %, predicted</title></circle>"));
    g_assert_nonnull(strstr(svg, "aria-label"));
}

/* A page of one's own values: its title, no papers. */
static void test_own(void)
{
    g_autoptr(DnAgreement) agreement = agreement_example();
    agreement->title = g_strdup("Mine");
    agreement->about = g_strdup("About it.");
    g_autofree char *text = dn_agreement_markdown(agreement);
    g_assert_true(g_str_has_prefix(text, "# Mine\n\nAbout it.\n"));
    g_assert_nonnull(strstr(text, "| id | what | measured | Darner |"));
    g_assert_null(strstr(text, "| S0 |"));
    g_assert_null(strstr(text, "public data"));
    g_assert_null(strstr(text, "stated"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/board/totals", test_totals);
    g_test_add_func("/report/board/markdown", test_markdown);
    g_test_add_func("/agreement/misses", test_misses);
    g_test_add_func("/report/board/html", test_html);
    g_test_add_func("/report/board/picture", test_picture);
    g_test_add_func("/report/board/own", test_own);
    return g_test_run();
}
