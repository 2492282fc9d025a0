/* reported_values.h - validation/figures.csv: each number that the papers state, and the formula of
 * its simulated value.
 *
 *   id system experiment condition quantity value unit where   the statement; ids begin with the
 *             paper's key of papers.csv
 *   relation  = (also empty), >= (more than, at least) or <=
 *   kind      case | analyze | machine: what its pointer reads, in this order of rank; stated: not
 *             simulated yet; out: out of scope
 *   pointer   a formula (base/formula.h) whose names are
 *               case NAME WORD...       the simulated value of the one point that has each word as
 *                                       its run, job, metric or value of a swept key (no spaces)
 *               analyze MACHINE N PATH  a member of `darner analyze MACHINE -n N --json`
 *               machine NAME PATH       a value of the machine: "fabric.groups",
 *                                       "node.edges[0].count"; also gpus_per_node, nics_per_node
 *               paths MACHINE ROUTING shortest | longest_minimal | longest
 *                                       switch hops of paths of a routing, drawn at random
 *               run CASE/RUN PATH       an input of a run file of a case; of a list the sum
 *               default TOPIC KEY       the default of a key, as `darner help TOPIC` tells it
 *             in ps, bytes, bit/s, 1/s or a bare number; its result is shown in the row's unit
 *   reason    what the formula means, or why there is none
 *
 * raw.csv next to it: the value of a statement in the papers' public data. */
#pragma once
#include "validation/validation_case.h"
#include "validation/agreement.h"

/* (transfer full): @cases: DnCase*, those that ran or were restored; of others the points are
 * looked up and stay unknown. @folder: that of the cases. */
DnAgreement *dn_reported_values_agreement(const char *folder, const GPtrArray *cases,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* (transfer full): the points of one case, as measured and as simulated. */
DnAgreement *dn_case_agreement(const DnCase *case_);

/* ---- reported_values_links.c: what stands in braces ---- */

typedef struct DnReportedLinks DnReportedLinks;
DnReportedLinks *dn_reported_links_new(const char *folder, const GPtrArray *cases);
void dn_reported_links_free(DnReportedLinks *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnReportedLinks, dn_reported_links_free)

typedef struct {
    DnReportedLinks *names;
    DnEvidence evidence;                /* of the simulated numbers so far */
    int null_model;                     /* DnNullModel in place of the simulation; -1: none */
    gboolean nulls;                     /* it had a number */
    gboolean simulated, analyzed, read; /* sources that the formula has read so far */
} DnReportedLookup;
/* A DnFormulaLookup; @data: DnReportedLookup. */
gboolean dn_reported_links_look_up(void *data, const char *name, double *value, GError **error);
