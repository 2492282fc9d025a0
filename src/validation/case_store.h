/* case_store.h - The case store keeps the results of a case in a file: hours are not simulated
 * twice.
 *
 * A file is CSV: run, point ("bytes 1 MiB"; keys in full), job, metric, simulated, bytes. Its first
 * line says of which inputs (case_inputs.h) and of which program it is. */
#pragma once
#include "validation/validation_case.h"

typedef enum {
    DN_STORED_NONE,  /* no file */
    DN_STORED_STALE, /* of other inputs */
    DN_STORED_OLD,   /* of these inputs, by another build of the program */
    DN_STORED_SAME,
} DnStored;

/* By the first line of @file. */
DnStored dn_case_stored_age(const DnCase *case_, const char *file);
/* Fills and judges the points that @file has, whatever its age; stale when it lacks one of @run
 * (NULL: of the case). FALSE + error: not such a file. */
gboolean dn_case_restore(DnCase *case_, const char *run, const char *file, DnStored *stored,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full): where below @folder the results of null model @null_model are kept. */
char *dn_case_null_file(const DnCase *case_, const char *folder, int null_model);
/* Fills in the results of the null models, from the folders of their names below @folder. */
gboolean dn_case_restore_nulls(DnCase *case_, const char *folder,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @run: only the points of this run, with every digit; NULL: of all. */
gboolean dn_case_store(const DnCase *case_, const char *run, const char *file,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
