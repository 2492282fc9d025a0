/* agreement.h - the scoreboard: each number a paper states beside what Darner says to it.
 *
 * Plain data; validation/reported_values.c fills it. Percentages of error are of the stated value.
 * */
#pragma once
#include <glib.h>

/* Where the number beside the stated one comes from. */
typedef enum {
    DN_BASIS_CALIBRATED, /* simulated; a parameter was fitted to it */
    DN_BASIS_PREDICTED,  /* simulated; nothing was fitted to it */
    DN_BASIS_OBSERVED,   /* simulated; the case says why it does not gate */
    DN_BASIS_COMPUTED,   /* of the machine's graph, without simulating */
    DN_BASIS_INPUT,      /* read from a machine file */
    DN_BASIS_STATED,     /* nothing yet */
    DN_BASIS_OUT,        /* nothing, and never will be */
    DN_BASES,
} DnBasis;
extern const char *const dn_basis_names[]; /* NULL-terminated */

/* What the paper says of its number. */
typedef enum { DN_RELATION_EQUAL, DN_RELATION_AT_LEAST, DN_RELATION_AT_MOST } DnRelation;
extern const char *const dn_relation_names[]; /* "=", ">=", "<="; NULL-terminated */

typedef struct {
    char *id, *system, *experiment, *condition, *quantity, *value, *unit, *where;
    char *pointer; /* the formula of `found` */
    char *reason;
    char *raw; /* what the paper's public data say; NULL: not compared */
    DnRelation relation;
    DnBasis basis;
    double stated; /* NAN: the statement is no number */
    double found;  /* in the statement's unit; NAN: none, or its case did not run */
} DnFigure;

typedef struct {
    char *key;  /* "S0": how the ids of its figures begin */
    char *name; /* authors, title */
} DnPaper;

typedef struct {
    char *name, *description;
    struct {
        guint n, claims, held;                /* claims: of them, one-sided; that hold */
        double median_percent, worst_percent; /* of the others' |error|; NAN unknown */
    } roles[3];                               /* calibrated, predicted, observed */
} DnBoardCase;

typedef struct {
    char *title, *about; /* of a page of measured values; NULL: of the papers' figures */
    GPtrArray *papers;   /* DnPaper* */
    GPtrArray *figures;  /* DnFigure*, in the file's order */
    GPtrArray *cases;    /* DnBoardCase* */
} DnBoard;

DnBoard *dn_board_new(void);
void dn_board_free(DnBoard *board);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnBoard, dn_board_free)
DnFigure *dn_board_add_figure(DnBoard *board); /* (transfer none), all NULL and NAN */

/* A statement that has a number beside it. */
gboolean dn_figure_covered(const DnFigure *figure);
/* Signed, of the stated value; NAN when not covered. */
double dn_figure_error(const DnFigure *figure);
/* Of >= and <=. */
gboolean dn_figure_holds(const DnFigure *figure);

/* Of the figures whose id begins with @key ("" all) that rest on @basis; `=` only, but bounds. */
typedef struct {
    guint n, bounds, held;                /* figures with `=`; with >= or <=; of these true */
    double median_percent, worst_percent; /* of |error| of the n; NAN when n is 0 */
    guint within[3];                      /* 5, 10, 20 % */
} DnBoardTotal;
DnBoardTotal dn_board_total(const DnBoard *board, const char *key, DnBasis basis);

char *dn_board_markdown(const DnBoard *board);
/* (transfer full): the errors of what was simulated as an SVG figure for an HTML page. */
char *dn_board_picture(const DnBoard *board);
char *dn_board_html(const DnBoard *board); /* one page that needs nothing else */
