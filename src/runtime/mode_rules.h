/* mode_rules.h - routing modes message by message, by size or by turns.
 *
 *   routing_mode: [{to: 4 KiB, mode: IN_ORDER}, {mode: ADAPTIVE_3}]
 *   routing_mode: [ADAPTIVE_0, ADAPTIVE_3, {}]
 * Modes in turn, a mode an iteration: the i-th has the mode i modulo their number, so that all meet
 * the same network (SC 2019, section 4.1: "we alternate the routing algorithm on successive"
 * iterations); a mapping without `mode` is application-aware (app_aware_routing.h).
 * Sizes rise; the last has no `to` and takes the rest. As MPI libraries choose on Aries: De Sensi,
 * Di Girolamo & Hoefler, SC 2019, section 2.2. */
#pragma once
#include "routing/routing.h"

#define DN_MODE_RULES_MAX 8
#define DN_MODE_AWARE 255 /* no mode of a router: application-aware */

typedef struct {
    guint n; /* 0: one mode for all messages */
    gint64 to_bytes[DN_MODE_RULES_MAX];
    guint8 modes[DN_MODE_RULES_MAX];
} DnModeRules;

/* Modes in turn by iteration. */
typedef struct {
    guint n; /* 0: none */
    guint8 modes[DN_MODE_RULES_MAX];
} DnModeTurns;

/* TRUE when @list holds modes in turn, not rules by size. */
gboolean dn_mode_turns_are(const DnConfigNode *list);
/* @aware: the application-aware item, of which there is at most one; or NULL. */
gboolean dn_mode_turns_read(const DnConfigNode *list, const DnRouter *router, DnModeTurns *out,
                            const DnConfigNode **aware, GError **error);

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
