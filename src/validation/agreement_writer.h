/* agreement_writer.h - Headings, paragraphs and tables of the agreement report: which of Markdown
 * and HTML is written, only these functions know. */
#pragma once
#include "validation/agreement.h"

typedef struct {
    GString *out;
    gboolean html;
    guint columns; /* of the open table */
    guint parts;   /* headings of level 2 so far */
} DnAgreementWriter;

void dn_agreement_text(DnAgreementWriter *p, const char *words);
/* Begins a section; one of level 2 gets the id "part-0", "part-1", ... */
void dn_agreement_heading(DnAgreementWriter *p, guint level, const char *words);
void dn_agreement_paragraph(DnAgreementWriter *p, const char *words);
/* @heads: NULL-terminated. */
void dn_agreement_open_table(DnAgreementWriter *p, const char *const *heads);
void dn_agreement_close_table(DnAgreementWriter *p);
/* Adds a row with as many cells as the table has columns. */
void dn_agreement_row(DnAgreementWriter *p, const char *const *cells);
/* (transfer full): three digits; "" of NAN. */
char *dn_agreement_percent(double value);

/* The errors of all compared values by kind of question: a chart and a table
 * (agreement_questions.c). */
void dn_agreement_questions(DnAgreementWriter *p, const DnAgreement *agreement);
/* The known misses of the cases by cause (agreement_misses.c). */
void dn_agreement_misses(DnAgreementWriter *p, const DnAgreement *agreement);
/* (transfer full): of a page of measured values, each series with its simulated one over what was
 * swept, and the residuals below, as SVG figures (agreement_curves.c). */
char *dn_agreement_curves(const DnAgreement *agreement);
