/* sample_file.h - samples.csv of a run's folder, or samples.csv.gz, read back: the times of the
 * iterations of each job at each point. */
#pragma once
#include "base/error.h"
#include "stats/bootstrap.h"

typedef struct {
    char *key;          /* the swept values and the job: what identifies it in another run */
    GArray *times_s;    /* double, of all repetitions one after the other */
    GArray *repetition; /* guint32: how many of them are of each */
} DnSampleGroup;

typedef struct {
    char *swept;       /* the names of the swept keys */
    GPtrArray *groups; /* DnSampleGroup*, in the order of the file */
} DnSampleFile;

/* (transfer full): iterations of runs without the other jobs are left out. NULL + DN_ERROR_FILE,
 * DN_ERROR_SYNTAX. */
DnSampleFile *dn_sample_file_read(const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_sample_file_free(DnSampleFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnSampleFile, dn_sample_file_free)
/* Borrows the group's arrays. */
DnSample dn_sample_group_sample(const DnSampleGroup *group);
/* Compresses @folder's samples.csv to samples.csv.gz, in its place. */
gboolean dn_sample_file_compress(const char *folder, GError **error);
