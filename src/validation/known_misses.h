/* known_misses.h - validation/known-misses.csv: points beyond their tolerance, each with its cause.
 *
 *   case,run,point,job,metric   the point; of a reported value: `figures` and its id as the run
 *   cause                       why the model is off there
 *
 * A listed point counts fully in every median, but does not fail its case. The list only shrinks:
 * an entry whose point has come within its tolerance fails instead. */
#pragma once
#include "validation/validation_case.h"

/* The case that stands for the papers' reported values. */
#define DN_FIGURES_CASE "figures"

/* (transfer full): of the file next to the cases in @folder; empty without one. */
GPtrArray *dn_known_misses_read(const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Marks the points of @case_ that are listed. */
void dn_known_misses_mark(const GPtrArray *misses, DnCase *case_);
/* (transfer none): the cause; NULL: the reported value @id is not listed. */
const char *dn_known_misses_of_figure(const GPtrArray *misses, const char *id);
/* (transfer full): "bytes 1 MiB, placement [0, 1]", with the keys in full. */
char *dn_known_misses_point(const DnCheckedPoint *point);
