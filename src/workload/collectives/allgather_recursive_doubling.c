/* allgather_recursive_doubling.c - log2 n exchanges of all that is there with ranks 1, 2, 4, ...
 * away. */
#include "workload/collective.h"

static const char *recursive_doubling_needs(const DnCollCall *call)
{
    return dn_is_power_of_two(call->n) ? NULL : "a power of two of ranks";
}

static gboolean recursive_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    if (k >= dn_log2_floor(call->n))
        return FALSE;
    guint32 peer = me ^ 1u << k;
    dn_round_exchange(r, peer, dn_blocks(call, DN_AREA_DATA, me >> k << k, (guint64)1 << k), peer,
                      dn_blocks(call, DN_AREA_DATA, peer >> k << k, (guint64)1 << k), (guint32)k);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_recursive_doubling = {
    .kind = DN_COLL_ALLGATHER,
    .name = "recursive_doubling",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
              "MPICH, IJHPCA 19(1), 2005, 3.1",
    .needs = recursive_doubling_needs,
    .round = recursive_doubling_round,
    .copy_first = DN_COLL_COPY_BLOCK,
    .otherwise = "bruck",
};
