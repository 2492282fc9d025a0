/* read_queues.h - The queues in which an adapter fetches messages that are read.
 *
 * Cassini (Slingshot 11) matches a rendezvous by itself and asks for its data. A request waits in
 * one of a few queues, which a hash of the source's fabric address chooses; each asks for one
 * packet after the other, with at most so many under way. HPE's driver shows it (shs-cxi-driver,
 * drivers/net/ethernet/hpe/ss1): four queues in the class best effort (cxi_qos_profiles.c,
 * lpe_settings; cass_tc.c, cass_tc_lpe_fq_cfg()), 64 packets each (cass_core.h,
 * CASS1_MAX_PACKETS_INFLIGHT) of 2 KiB, and the hash's three masks of 20 bits
 * (shs-cassini-headers, csr_defs.json, c1_lpe_cfg_get_fq_hash). Assumed: that a queue asks for all
 * of a message before the next one, as its name (first in, first out) says; that each mask gives
 * one bit, the parity of the address under it.
 * The queues are the adapter's: the messages of all processes that use it, of two dies of a GPU for
 * instance, stand in them in the order in which they were matched. So an adapter fetches from few
 * sources at a time, and sources that several fetch from share what they send, while others wait.
 * A message longer than half of what may be under way comes in parts (read_parts.h): when the
 * first is there, all has been asked for, and the queue goes on with the next message. NCCL and
 * RCCL send each chunk as a message, so that peers take turns by the chunk (`read_chunk_kib`).
 * `read_peers`: UCX's transport of dynamic connections (DC) has a few initiators, 8 up to UCX 1.17
 * (src/uct/ib/dc/dc_mlx5.c, NUM_DCI), each of which is one peer's until all that it asked for has
 * come; requests to further peers wait in the order of asking. UCX takes DC where the job has more
 * ranks than the nanoseconds by which it rates DC's latency above that of a connection a peer (RC):
 * 60, and RC's 1 ns a rank (dc_mlx5.c, rc_mlx5_iface.c: latency.c, latency.m;
 * src/ucp/wireup/select.c; Open MPI gives the number of ranks, ompi/mca/pml/ucx/pml_ucx.c).
 * LIMITATIONS: the latency counted of a message in parts is that of its first part; messages
 * longer than 4 GiB come whole, and only then the next is asked for; chunks are asked for one after
 * another, each when the one before has been served; read_peers counts messages, not peers, and
 * those that are sent have as many initiators of their own (service_stages.h). */
#pragma once
#include "runtime/runtime_internal.h"

/* Makes the queues of the adapter of @endpoint, unless they are there. */
void dn_read_queues_start(DnReplay *replay, guint32 endpoint, const DnReplayJob *job);
/* Frees the queues of the adapter whose first endpoint is @adapter. */
void dn_read_queues_clear(DnReplayEndpoint *adapter);
/* TRUE: the receive in @record may ask for its data now; FALSE: it waits in its queue. */
gboolean dn_read_begins(DnRankContext *s, guint32 record);
/* TRUE: what comes from @peer is under way until all of it is here (`read_peers`). */
gboolean dn_reads_whole(const DnRankContext *s, guint32 peer, guint32 tag);
/* All data of @receive have been asked for. */
void dn_read_asked(DnRankContext *s, const DnRecord *receive);
/* Takes a receive that may now ask for its data, of this or another rank, from the queue of
 * @receive; FALSE: there is none. */
gboolean dn_read_next(const DnRankContext *s, const DnRecord *receive, DnReadWaiting *next);
