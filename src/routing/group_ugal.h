/* group_ugal.h - The comparison of UGAL on grouped fabrics, for ugal_l.c, ugal_g.c and par.c.
 *
 * Kim, Dally, Scott, Abts, ISCA 2008, section 4.2 after Singh, "Load-Balanced Routing in
 * Interconnection Networks", PhD thesis, Stanford 2005: one minimal path and one random detour are
 * compared; the packet goes minimally when
 *     bytes(minimal) * hops(minimal) <= bytes(detour) * hops(detour) + threshold.
 * Bytes are those queued for the port plus those not yet credited back; hops are switch to switch,
 * the longest there may be from that port on (group_path.h), so that they need no table of all
 * pairs: on a dragonfly of complete groups 2 or 3 minimally, 4 or 5 over a group.
 * `path_weight: double` puts 1 and 2 in their place, as BookSim 2 does (src/networks/dragonfly.cpp,
 * with a threshold of 30 flits); `intermediate_groups: any` draws them from all groups as it does,
 * where a detour over the source's or the target's own group means the minimal path, whatever the
 * queues; with `level: switch` too that is its ugal on `dragonflynew`.
 * `minimal_paths` and `non_minimal_paths` draw several of each kind, of which the least loaded are
 * compared: Slingshot weighs up to four (De Sensi et al., SC 2020, section II.C).
 * Of the bytes not yet credited only those beyond a credit round trip at the link's rate count: as
 * many are under way on a busy link when nothing waits, and a link in use but far from full would
 * divert packets. Kim et al., section 4.3.2, subtract the round trip of an idle link in the same
 * way. What is left waits at this switch or at the next one, which Slingshot's switches tell each
 * other (SC 2020, section II.C); `in_flight: counted` takes all. With `credits: delayed` of ugal_l
 * and par a gateway returns credits later the longer its global link's queue, so that those bytes
 * grow (engine/packet/delayed_credits.c). */
#pragma once
#include "routing/group_path.h"

/* Returns the bytes that measure the load of the path over @port to @via (DN_NONE: to the
 * target). */
typedef gint64 (*DnRouteBytes)(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 via,
                               const DnRouteState *state, const DnLoadView *load, guint64 draw);

gint64 dn_group_local_bytes(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 via,
                            const DnRouteState *state, const DnLoadView *load, guint64 draw);
/* Decides, sets state->via and takes the hop. */
DnHop dn_group_ugal(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw, DnRouteBytes bytes);
/* make() of a UGAL variant; the parameters are choice, level and threshold. */
DnRouter *dn_group_ugal_make(const DnRoutingType *type, const DnMachine *machine,
                             const DnParams *params, guint detour, GError **error);
extern const DnParamSpec dn_group_ugal_params[];
/* Limitations of `credits: delayed`. */
#define DN_GROUP_CREDITS_LIMITS                                                                    \
    ". Delayed credits are the packet engine's alone; a queue's delay is its bytes over the "      \
    "bandwidth, not measured by credits' round trips as in the paper; a switch with one global "   \
    "link delays none; only switches next to the gateway see them; credits of terminals are not "  \
    "delayed, so that with small buffers the gateway's own terminals get more of its links"
