/* agreement.h - The agreement report compares each number that a paper states with the simulated
 * one.
 *
 * Plain data; validation/reported_values.c fills it. Percentages of error are of the stated value.
 * */
#pragma once
#include "validation/evidence.h"
#include <glib.h>

/* The relation of a stated number to the true value. */
typedef enum { DN_RELATION_EQUAL, DN_RELATION_AT_LEAST, DN_RELATION_AT_MOST } DnRelation;
extern const char *const dn_relation_names[]; /* "=", ">=", "<="; NULL-terminated */

typedef struct {
    char *id, *system, *experiment, *condition, *quantity, *value, *unit, *where;
    char *pointer; /* the formula of `found` */
    char *reason;
    char *raw; /* the value in the paper's public data; NULL: not compared */
    DnRelation relation;
    DnEvidence evidence;
    double stated;         /* NAN: the statement is no number */
    double found;          /* in the statement's unit; NAN: none, or its case did not run */
    char *known_cause;     /* of validation/known-misses.csv; NULL: not listed */
    double null[DN_NULLS]; /* `found` by the null models; NAN: not known */
    double x;              /* what was swept, of measured values: a size; NAN: no number */
    char *series;          /* the other keys, job and metric, of measured values; else NULL */
    char *duplicate_of;    /* id of an earlier figure of the same two numbers; NULL: none */
} DnReportedValue;

typedef struct {
    char *key;  /* "S0": how the ids of its figures begin */
    char *name; /* authors, title */
} DnPaper;

typedef struct {
    char *name, *description;
    struct {
        guint n, claims, held;                /* claims: of them, one-sided; that hold */
        guint vacuous, known;                 /* a null model passes too; listed as misses */
        double median_percent, worst_percent; /* of the others' |error|; NAN unknown */
    } by_evidence[DN_EVIDENCE_CLASSES];
    /* Over the developed and predicted values with `=` that a null model has too: how many,
     * and the median |error| of the simulation and of that model. */
    struct {
        guint n;
        double median_percent, null_percent;
    } skill[DN_NULLS];
    GArray *misses; /* DnAgreementMiss, in the order of the values */
} DnAgreementCase;

/* The known misses of a case that have one cause. */
typedef struct {
    char *cause;
    guint n, claims;    /* claims: of them, one-sided */
    double least, most; /* signed errors in percent of the others; NAN: none */
} DnAgreementMiss;

/* A value of a case, by how far it is off. */
typedef struct {
    DnEvidence evidence;
    double error_percent; /* signed, of the measured value */
    char *what;           /* which value, shown over its dot; NULL: not named */
} DnAgreementError;

/* Calibrated, developed and predicted values of all cases that ask the same. */
typedef struct {
    char *name;           /* "latency: messages below 64 KiB" */
    GPtrArray *sources;   /* char*: whose numbers, each once */
    GArray *errors;       /* DnAgreementError of those with a relation of `=` */
    guint vacuous, known; /* of all */
} DnAgreementQuestion;

typedef struct {
    char *title, *about;  /* of a page of measured values; NULL: of the papers' figures */
    GPtrArray *papers;    /* DnPaper* */
    GPtrArray *values;    /* DnReportedValue*, in the file's order */
    GPtrArray *cases;     /* DnAgreementCase* */
    GPtrArray *questions; /* DnAgreementQuestion*, in a fixed order; those without values too */
} DnAgreement;

DnAgreement *dn_agreement_new(void);
void dn_agreement_free(DnAgreement *agreement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnAgreement, dn_agreement_free)
DnReportedValue *
dn_agreement_add_value(DnAgreement *agreement); /* (transfer none), all NULL and NAN */
/* (transfer none): a case of @agreement. */
DnAgreementCase *dn_agreement_add_case(DnAgreement *agreement, const char *name,
                                       const char *description);
/* Counts a known miss; @error_percent: NAN of a claim. */
void dn_agreement_add_miss(DnAgreementCase *agreement_case, const char *cause,
                           double error_percent);

/* TRUE when the statement has a simulated value. */
gboolean dn_reported_value_covered(const DnReportedValue *reported);
/* Signed, of the stated value; NAN when not covered. */
double dn_reported_value_error(const DnReportedValue *reported);
/* Returns TRUE when an inequality (>= or <=) holds. */
gboolean dn_reported_value_holds(const DnReportedValue *reported);
/* A simulated figure that holds, or is off by DN_FIGURE_GATE percent at most. Others are. */
#define DN_FIGURE_GATE 25.0
gboolean dn_figure_within(const DnReportedValue *reported);
/* Within and not listed as a known miss, or beyond and listed. */
gboolean dn_figure_passed(const DnReportedValue *reported);
/* Developed, predicted or an inequality, within, and so by a null model: it tests no network. */
gboolean dn_figure_vacuous(const DnReportedValue *reported);
/* Figures that did not pass. */
guint dn_agreement_missed(const DnAgreement *agreement);

/* Totals of the values whose id begins with @key ("" all) and whose class is @evidence; errors only
 * of `=`. */
typedef struct {
    guint vacuous;                        /* left out of all that follows */
    guint n, bounds, held;                /* figures with `=`; with >= or <=; of these true */
    double median_percent, worst_percent; /* of |error| of the n; NAN when n is 0 */
    guint within[3];                      /* 5, 10, 20 % */
    double all_median_percent;            /* with the vacuous ones */
} DnAgreementTotal;
DnAgreementTotal dn_agreement_total(const DnAgreement *agreement, const char *key,
                                    DnEvidence evidence);

char *dn_agreement_markdown(const DnAgreement *agreement);
/* (transfer full): the errors of the simulated values as an SVG figure for an HTML page. */
char *dn_agreement_picture(const DnAgreement *agreement);
char *dn_agreement_html(const DnAgreement *agreement); /* one page that needs nothing else */
