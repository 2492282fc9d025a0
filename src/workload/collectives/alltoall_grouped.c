/* alltoall_grouped.c - send/recv pairs by channels, each in batches of `window`: all of a batch,
 * then a wait for all.
 *
 * As ncclSend and ncclRecv between ncclGroupStart and ncclGroupEnd, at rising distance: channel c
 * of `channels` serves the peers at distance c, c + channels, ..., in NCCL up to 8 at a time, in
 * RCCL one (NCCL_MAX_WORK_ELEMENTS_P2P 2: a send and a receive). The own block is copied at the
 * same time, by thread blocks of its own: one more stream.
 * LIMITATIONS: a pair has one channel; NCCL gives large messages between few ranks several. */
#include "workload/collective.h"

static guint32 streams(const DnCollCall *call)
{
    return call->channels + 1;
}

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    guint64 n = call->n, channels = call->channels, window = MAX(1, call->window);
    if (stream == channels) {
        if (k == 0)
            dn_round_copy(r, dn_block_from(call, me, me), dn_block_to(call, me, me));
        return k == 0;
    }
    guint64 apart = k * channels + stream + 1;
    if (apart >= n)
        return FALSE;
    guint32 from = (guint32)((me + n - apart) % n), to = (guint32)((me + apart) % n);
    dn_round_recv(r, from, (guint32)apart, 0, dn_block_from(call, me, from));
    dn_round_send(r, to, (guint32)apart, 0, dn_block_to(call, me, to));
    if ((k + 1) % window == 0 || apart + channels >= n)
        dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_grouped = {
    .kind = DN_COLL_ALLTOALL,
    .name = "grouped",
    .source = "NCCL, src/include/device.h, NCCL_MAX_DEV_WORK_P2P_PER_BATCH; src/enqueue.cc, "
              "scheduleP2pTasksToPlan; RCCL, src/include/devcomm.h",
    .streams = streams,
    .round = round_,
};
