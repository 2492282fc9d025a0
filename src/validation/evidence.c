/* evidence.c - names and order of evidence classes. */
#include "validation/evidence.h"
#include <glib.h>
#include <string.h>

const char *const dn_evidence_names[] = {"input",     "computed", "calibrated", "developed",
                                         "predicted", "observed", NULL};

const char *const dn_null_names[] = {"idle", "bound", "hockney", NULL};

const char *dn_evidence_name(DnEvidence evidence)
{
    static const char *const others[] = {"not yet", "out of scope"};
    G_STATIC_ASSERT(G_N_ELEMENTS(others) == DN_EVIDENCE_ALL - DN_EVIDENCE_CLASSES);
    g_assert(evidence < DN_EVIDENCE_ALL);
    return evidence < DN_EVIDENCE_CLASSES ? dn_evidence_names[evidence]
                                          : others[evidence - DN_EVIDENCE_CLASSES];
}

/* A number that rests on a simulated one is simulated, so inputs and graph results count least. */
static int evidence_strength(DnEvidence evidence)
{
    static const int order[DN_EVIDENCE_CLASSES] = {
        [DN_EVIDENCE_OBSERVED] = 0,  [DN_EVIDENCE_CALIBRATED] = 1, [DN_EVIDENCE_DEVELOPED] = 2,
        [DN_EVIDENCE_PREDICTED] = 3, [DN_EVIDENCE_COMPUTED] = 4,   [DN_EVIDENCE_INPUT] = 5};
    return order[evidence];
}

DnEvidence dn_evidence_weaker(DnEvidence a, DnEvidence b)
{
    return evidence_strength(a) <= evidence_strength(b) ? a : b;
}

int dn_null_model(const char *name)
{
    for (int k = DN_NULL_IDLE; name != NULL && k <= DN_NULL_BOUND; k++)
        if (strcmp(name, dn_null_names[k]) == 0)
            return k;
    return -1;
}
