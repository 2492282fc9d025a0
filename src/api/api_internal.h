/* api_internal.h - Declarations shared by the files of the public interface; never installed. */
#pragma once
#include "api/darner.h"
#include "base/error.h"
#include "config/run_spec.h"
#include "topology/machine.h"

struct darner_spec {
    DnSweep *sweep;
    char *name; /* the run file's name without folder and ending */
};

struct darner_machine {
    DnMachine *machine;
};

/* Hands @problem (transfer full) to a caller who may not want it. */
void dn_api_error_give(darner_error **error, GError *problem);
/* FALSE + error where @text, the argument @what, is NULL. */
gboolean dn_api_given(const char *text, const char *what, darner_error **error);

/* An empty table; columns are added before the first row. */
darner_table *dn_api_table_new(void);
void dn_api_table_add_column(darner_table *table, const char *name);
/* Cells of a row from left to right; a row ends by itself with the last column. */
void dn_api_table_add_cell(darner_table *table, const char *text);
/* After the last row: finds out which columns are numbers. */
void dn_api_table_seal(darner_table *table);
/* (transfer full): the rows of a CSV text with a header. */
darner_table *dn_api_table_of_csv(const char *csv);
