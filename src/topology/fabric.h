/* fabric.h - Declarations shared by the fabric types: counts that cannot overflow, parallel links,
 * and the global links of the grouped types (dragonfly, dragonfly_plus).
 *
 * Global links. Each group has N = (g-1) * K slots, K links for each other group. Slot
 * n = c * (g-1) + port is copy c (0..K-1) of the link on logical port 0..g-2; the slots are
 * spread in order and evenly over the group's `carriers` (all switches of a dragonfly group, the
 * spines of a dragonfly+ group): slot n sits on carrier floor(n * carriers / N). With N = carriers
 * * h that is the usual floor(n / h); with fewer links no carrier has more than ceil(N / carriers),
 * and the K links of a pair of groups lie far apart.
 * Which group a logical port leads to is the arrangement: Hastings, Rincon-Cruz, Spehlmann, Meyers,
 * Xu, Bunde, Leung, "Comparing Global Link Arrangements for Dragonfly Networks", IEEE CLUSTER 2015,
 * section II. From group i, port k (0..g-2):
 *   absolute   group k when k < i, else k + 1 (also called "consecutive")
 *   relative   group (i + k + 1) mod g ("palm tree" up to the direction of counting)
 *   circulant  ports in pairs: i + 1, i - 1, i + 2, i - 2, ... mod g; when g is even the last port
 *              is alone and leads to i + g/2
 * The default is circulant: a link between two groups begins and ends on ports of almost equal
 * index, whichever the groups, so that the links of a switch spread best over the others' switches;
 * under a shift by one group Valiant's detours reach 0.93 to 1 of the closed form, absolute 0.75 to
 * 1 (analysis/detours_test.c has exact bounds).
 * Each is its own inverse: the cable's far end is the port of group j that leads back to i. */
#pragma once
#include "topology/topology.h"

/* Limits of 32-bit ids, with space for doubling: a cable is two links. */
#define DN_MAX_SWITCHES (1u << 24)
#define DN_MAX_TERMINALS (1u << 28)
#define DN_MAX_CABLES (1u << 30)

typedef enum { DN_PARALLEL_SEPARATE, DN_PARALLEL_BUNDLED } DnParallel;
extern const char *const dn_parallel_choices[];

/* a * b, or G_MAXUINT64 when that overflows. */
guint64 dn_count_mul(guint64 a, guint64 b);
/* Fills @size unless a limit above is passed: then FALSE + DN_ERROR_RANGE at @key. */
gboolean dn_fabric_size_set(const DnParams *params, const char *key, guint64 switches,
                            guint64 terminals, guint64 cables, guint64 groups, DnFabricSize *size,
                            GError **error);
/* @n parallel links: @n cables, or one of width @n. */
void dn_add_parallel(DnGraphBuilder *graph, guint32 a, guint32 b, guint32 link_class, guint32 n,
                     DnParallel parallel);
static inline guint64 dn_parallel_cables(guint32 n, DnParallel parallel)
{
    return parallel == DN_PARALLEL_BUNDLED ? 1 : n;
}

typedef enum { DN_ARRANGE_ABSOLUTE, DN_ARRANGE_RELATIVE, DN_ARRANGE_CIRCULANT } DnArrangement;
extern const char *const dn_arrangement_choices[];

typedef struct {
    DnArrangement arrangement;
    DnParallel parallel;
    guint32 groups, group_switches;
    guint32 first, carriers; /* local indices first .. first + carriers - 1 have global ports */
    guint32 copies;          /* K, links per pair of groups; 0 when groups is 1 */
} DnGlobalLinks;

/* Fills copies: @wanted, or (0) as many as fit evenly on @ports global ports a carrier. FALSE +
 * DN_ERROR_RANGE at @copies_key or @groups_key when they do not fit. */
gboolean dn_global_links_fit(DnGlobalLinks *links, guint32 ports, guint32 wanted,
                             const DnParams *params, const char *copies_key, const char *groups_key,
                             GError **error);
extern const char *const dn_global_link_classes[]; /* "terminal", "local", "global" */
/* DnTopologyType.classes_used of fabrics in groups: one group has no global links. */
guint dn_global_classes_used(const DnParams *params);
/* Cables between groups: O(1) when separate, O(links) when bundled. */
guint64 dn_global_cables(const DnGlobalLinks *links);
void dn_global_build(const DnGlobalLinks *links, DnGraphBuilder *graph, guint32 link_class);
/* Shortest hops a -> b, given the hops inside a group by local index (at most 2, so that no path
 * through another group is shorter). Exact: also finds paths over a third group, which can beat
 * local-global-local. Depth-first over the remaining hops; for set-up and tests, not per packet. */
typedef guint (*DnLocalDistance)(const void *shape, guint32 x, guint32 y);
guint dn_global_distance(const DnGlobalLinks *links, DnLocalDistance local, const void *shape,
                         guint32 a, guint32 b);
