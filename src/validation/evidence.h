/* evidence.h - the evidence class of a simulated number: how far the number it is compared with
 * could have influenced it.
 *
 *   input       read from a machine file: an error of 0 only says that the file holds the number
 *   computed    from the machine's graph, without simulating
 *   calibrated  a parameter was fitted to the number, or to another from which it follows
 *   developed   no parameter was fitted to it, but the model changed after it had been seen
 *   predicted   neither: parameters and model were fixed before the number was seen
 *   observed    shown only, for a reason about the measurement: it has no error that counts */
#pragma once

typedef enum {
    DN_EVIDENCE_INPUT,
    DN_EVIDENCE_COMPUTED,
    DN_EVIDENCE_CALIBRATED,
    DN_EVIDENCE_DEVELOPED,
    DN_EVIDENCE_PREDICTED,
    DN_EVIDENCE_OBSERVED,
    DN_EVIDENCE_CLASSES,
    /* Classes of reported values only, which have nothing to compare with: */
    DN_EVIDENCE_STATED = DN_EVIDENCE_CLASSES, /* not simulated yet */
    DN_EVIDENCE_OUT,                          /* out of a simulator's scope */
    DN_EVIDENCE_ALL,
} DnEvidence;

extern const char *const dn_evidence_names[]; /* of the classes; NULL-terminated */
/* Has names for values that are no class, too: "not yet", "out of scope". */
const char *dn_evidence_name(DnEvidence evidence);
/* Models that know nothing of contention. A row or an inequality that one of the first two passes
 * as well is vacuous: it says nothing of the simulated network. */
typedef enum {
    DN_NULL_IDLE,    /* the job alone, without background: nobody else on the network */
    DN_NULL_BOUND,   /* likewise on engine `bound`: no two messages meet */
    DN_NULL_HOCKNEY, /* latency and bandwidth of a ping-pong (scripts/hockney): for comparison */
    DN_NULLS,
} DnNullModel;
/* DN_NULL_* of "idle" or "bound", which are simulated; -1: another name, or NULL. */
int dn_null_model(const char *name);
extern const char *const dn_null_names[]; /* "idle", "bound", "hockney"; NULL-terminated */

/* The class of a number that is worked out from two: the one that promises less. */
DnEvidence dn_evidence_weaker(DnEvidence a, DnEvidence b);
