/* mode_rules.h - routing modes message by message, by size.
 *
 *   routing_mode: [{to: 4 KiB, mode: IN_ORDER}, {mode: ADAPTIVE_3}]
 * Sizes rise; the last has no `to` and takes the rest. As MPI libraries choose on Aries: De Sensi,
 * Di Girolamo & Hoefler, SC 2019, section 2.2. */
#pragma once
#include "routing/routing.h"

#define DN_MODE_RULES_MAX 8

typedef struct {
    guint n; /* 0: one mode for all messages */
    gint64 to_bytes[DN_MODE_RULES_MAX];
    guint8 modes[DN_MODE_RULES_MAX];
} DnModeRules;

/* @list: a list of mappings. */
gboolean dn_mode_rules_read(const DnConfigNode *list, const DnRouter *router, DnModeRules *out,
                            GError **error);
/* The mode of a message; rules->n > 0. */
static inline guint8 dn_mode_rules_mode(const DnModeRules *rules, gint64 bytes)
{
    guint i = 0;
    while (i + 1 < rules->n && bytes > rules->to_bytes[i])
        i++;
    return rules->modes[i];
}
/* Returns the mode of a job that specifies none: routing.mode; where that is not written either and
 * the algorithm has Aries' modes, ADAPTIVE_1 for alltoall (Cray MPICH's MPICH_GNI_A2A_ROUTING_MODE;
 * SC 2019, section 2.2). */
guint8 dn_mode_default(const DnRouter *router, const DnConfigNode *routing, const char *workload);

/* An item of `routing_mode:` of a job, as a list. */
extern const DnParamSpec dn_mode_rule_keys[];
