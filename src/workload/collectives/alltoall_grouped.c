/* alltoall_grouped.c - send/recv pairs in groups of `window`: all of a group, then a wait for all.
 *
 * As ncclSend and ncclRecv between ncclGroupStart and ncclGroupEnd, which NCCL runs in batches of 8
 * peers at rising distance. The own block is copied at the same time, by thread blocks of its own:
 * a second stream. */
#include "workload/collective.h"

static guint32 streams(const DnCollCall *call)
{
    return 2;
}

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    guint64 n = call->n, window = MAX(1, call->window);
    if (k >= (stream == 0 ? n : 1))
        return FALSE;
    if (stream == 1) {
        dn_round_copy(r, dn_block_from(call, me, me), dn_block_to(call, me, me));
        return TRUE;
    }
    if (k == 0)
        return TRUE;
    guint32 from = (guint32)((me + n - k) % n), to = (guint32)((me + k) % n);
    dn_round_recv(r, from, (guint32)k, 0, dn_block_from(call, me, from));
    dn_round_send(r, to, (guint32)k, 0, dn_block_to(call, me, to));
    if (k % window == 0 || k == n - 1)
        dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_grouped = {
    .kind = DN_COLL_ALLTOALL,
    .name = "grouped",
    .source = "NCCL, src/include/device.h, NCCL_MAX_DEV_WORK_P2P_PER_BATCH; src/enqueue.cc, "
              "scheduleP2pTasksToPlan",
    .streams = streams,
    .round = round_,
};
