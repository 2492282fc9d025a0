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
    /* Of reported values only, which have nothing to compare with: */
    DN_EVIDENCE_STATED = DN_EVIDENCE_CLASSES, /* not simulated yet */
    DN_EVIDENCE_OUT,                          /* out of a simulator's scope */
    DN_EVIDENCE_ALL,
} DnEvidence;

extern const char *const dn_evidence_names[]; /* of the classes; NULL-terminated */
/* Also of what is no class: "not yet", "out of scope". */
const char *dn_evidence_name(DnEvidence evidence);
/* The class of a number that is worked out from two: the one that promises less. */
DnEvidence dn_evidence_weaker(DnEvidence a, DnEvidence b);
