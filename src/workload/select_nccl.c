/* select_nccl.c - NCCL's cost model: the least latency + bytes / bandwidth over algorithm and
 * protocol; and the chunks it then sends.
 *
 * Constants of NCCL 2.28, 2.20 or 2.18, src/graph/tuning.cc: base latencies, latencies per step by
 * hardware, what part of the bus bandwidth a protocol keeps and its limits by GPU generation, and
 * the correction
 * of trees by size. NVLink inside a node, network between nodes; ring: steps between ranks, of
 * which those between nodes cost the network's latency; tree: up and down, chains in the node,
 * log2 of the nodes above; of two nodes a tree's links count for up to twice a ring's, as half of
 * them end at another GPU (src/graph/search.cc, "increase bwIntra for trees"). Chunks
 * (src/enqueue.cc, calcCollChunking; buffers of src/init.cc in 8 steps): of Simple 4 steps, by
 * default of 512 KiB, in a ring of allreduce, allgather and reduce_scatter, else one, in trees of
 * 2.18 and RCCL less where the tree is deep for what a channel has; of LL 32 KiB (RCCL, which has
 * half as many threads, 16 KiB), of LL128 562.5 KiB, in trees less in the same way. Limits of a
 * channel hold for those of the search, half of all (src/graph/connect.cc). LL128 crosses the
 * network where GPU and adapter are near enough (`nic_path`: up to PXB, of Hopper PXN). Down a
 * ring from a root or to it LL passes data on as it comes (src/device/prims_ll.h): a line of 8 B
 * of data by each of 512 threads at a time, 4 KiB; in the other rings no channel has more for a
 * step, unless all is long. Small collectives use fewer channels (getting at least 8 B a thread,
 * with LL in rings times the ranks, with Simple 64 B).
 * Before 2.28 LL in rings had a quarter of the bus bandwidth where there are several nodes or a
 * reduction, a third otherwise; an allreduce crossed between nodes twice for each of them (later:
 * but one); and a tree's Simple began with 0 us and took 4 and 14 us a step (2.18) or 28 (2.20).
 * Only allreduce has a choice of algorithm; the others are rings, alltoall is grouped send/recv,
 * whose protocol goes by size: LL up to 16 KiB (P2P_LL_THRESHOLD; 2.28 takes that times a peer's
 * channels, src/enqueue.cc, addP2pToPlan, which is not here); between nodes 2.18 has two channels
 * for a pair above 16 KiB, 2.20 on few ranks above 128 KiB. On mi250x the times are RCCL's
 * (select_rccl.c). */
#include <math.h>

#include "workload/grouped_order.h"
#include "workload/select.h"

enum { TREE, RING };
enum { LL, LL128, SIMPLE };

const char *const dn_nccl_gpu_names[] = {"volta", "ampere", "hopper", "mi250x", NULL};

const char *const dn_nccl_protocols[DN_NCCL_PROTOCOLS] = {"LL", "LL128", "Simple"};
const char *const dn_nccl_path_names[] = {"pix", "pxb", "pxn", "phb", "sys", NULL};
const char *const dn_nccl_version_names[] = {"2.28", "2.20", "2.18", NULL};

/* By version. */
static const double base_us[3][2][3] = {{{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}},
                                        {{6.8, 14.0, 0}, {6.6, 14.0, 8.4}},
                                        {{6.8, 14.0, 0}, {6.6, 14.0, 8.4}}};
static const double nvlink_us[3][2][3] = {{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}},
                                          {{0.6, 1.25, 28.0}, {0.6, 1.9, 3.4}},
                                          {{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}}};
static const double network_us[3][2][3] = {{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}},
                                           {{5.0, 8.5, 28.0}, {2.7, 4.0, 14.0}},
                                           {{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}}};
/* GB/s; for 1, 2, more nodes; LL of several nodes goes by the processor: that of Intel. */
#define NVIDIA_GPUS DN_NCCL_MI250X
static const double ll_most_gbs[NVIDIA_GPUS][3] = {
    {39.0, 39.0, 20.4}, {87.7, 39.0, 20.4}, {141.0, 39.0, 20.4}};
#define LL128_CHUNK 576000 /* of a step: 640 threads, 120 words of 8 B each, 15 of 16 are data */
#define HOPPER_LL_GBS 87.7 /* on one node, before 2.28 */
#define NCCL_STEPS 8       /* of a buffer */
#define CHUNK_STEPS 4      /* of Simple in a ring of allreduce, allgather, reduce_scatter */
/* GB/s a channel. */
static const double ring_ll128_gbs[NVIDIA_GPUS] = {20.0, 20.0, 36.7};
static const double tree_ll128_gbs[NVIDIA_GPUS][3] = {
    {20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}};
static const double tree_gbs[NVIDIA_GPUS][3] = {
    {26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}};

/* Powers of two from 64 B to 256 MiB. */
static const double tree_factor[3][23] = {
    {1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5,
     0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6,
     0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1.0, 1.0},
    {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5,
     0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9},
};

typedef struct {
    guint32 n, nodes, span; /* span: 0, 1, 2 for 1, 2, more nodes */
    guint32 least;          /* ranks of the smallest node */
    guint32 channels;
    guint32 searched; /* of them found by NCCL's search, which are then doubled */
    guint32 steps;    /* of a ring */
    guint32 across;   /* of them between nodes */
    DnCollKind kind;
    gboolean rooted;       /* one step's latency counts, the others overlap */
    double bytes, bus_gbs; /* GB/s */
    const DnNcclMachine *machine;
} Model;

static double ll_most(const Model *m)
{
    double gbs = ll_most_gbs[m->machine->gpu][m->span];
    return m->machine->version != DN_NCCL_2_28 && m->span == 0 ? MIN(gbs, HOPPER_LL_GBS) : gbs;
}

/* Returns what part of the bus bandwidth LL has in a ring. */
static double ring_ll(const Model *m)
{
    if (m->machine->version == DN_NCCL_2_28)
        return 0.5;
    gboolean reduces = m->kind == DN_COLL_ALLREDUCE || m->kind == DN_COLL_REDUCE;
    return m->nodes > 1 || reduces ? 1.0 / 4 : 1.0 / 3;
}

static double ring_bandwidth(const Model *m, guint protocol)
{
    double bus = m->bus_gbs;
    if (protocol == LL)
        bus = MIN(ll_most(m), ring_ll(m) * bus);
    /* One GPU a node sends and receives through the same adapter: with less than two on average. */
    gboolean shared = m->n < 2 * m->nodes && m->machine->version != DN_NCCL_2_28;
    if (protocol == LL128)
        bus = MIN((shared ? 0.7 : 0.92) * bus, m->searched * ring_ll128_gbs[m->machine->gpu]);
    return bus * m->n / m->steps;
}

/* Returns whether each node's tree meets the network at two GPUs: not of one GPU, nor on Hopper
 * beyond PXN, where the search takes the simpler tree before farther adapters. */
static gboolean tree_balances(const Model *m)
{
    gboolean far = m->machine->gpu == DN_NCCL_HOPPER && m->machine->nic_path > DN_NCCL_PXN;
    return m->nodes == 1 || (m->least > 1 && !far);
}

static double tree_bandwidth(const Model *m, guint protocol)
{
    const DnNcclMachine *on = m->machine;
    double most = m->nodes == 2 ? 2 * m->bus_gbs : m->bus_gbs;
    double bus = MIN(0.92 * most, m->searched * tree_gbs[on->gpu][m->span]);
    if (protocol == LL)
        bus = MIN(bus / 3.8, ll_most(m));
    if (protocol == LL128)
        bus = MIN(bus * (m->nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                  m->searched * tree_ll128_gbs[on->gpu][m->span]);
    if (!tree_balances(m))
        bus *= 0.85;
    guint log = m->bytes < 64 ? 0 : (guint)log2(m->bytes / 64);
    return 0.5 * bus * (log < 23 ? tree_factor[protocol][log] : 1);
}

static double ring_latency(const Model *m, guint protocol)
{
    double inside_us = nvlink_us[m->machine->version][RING][protocol];
    gboolean exposed = m->n == m->nodes && m->machine->version == DN_NCCL_2_28;
    double between_us = network_us[m->machine->version][exposed ? TREE : RING][protocol];
    if (m->rooted)
        return base_us[m->machine->version][RING][protocol] +
               (m->nodes > 1 ? between_us : inside_us);
    if (m->nodes > 1)
        inside_us = MAX(inside_us, protocol == SIMPLE ? 3 : 1); /* posting to the network */
    double us = base_us[m->machine->version][RING][protocol] +
                ((double)m->steps - m->across) * inside_us + m->across * between_us;
    /* "Plateau effect of ring" */
    gboolean plateau = protocol == SIMPLE && m->nodes > 1 && m->kind == DN_COLL_ALLREDUCE &&
                       m->bytes / (m->channels * (double)m->n) >= 64;
    return plateau ? us * (m->machine->gpu == DN_NCCL_VOLTA ? 1.9 : 1.4) : us;
}

static double tree_latency(const Model *m, guint protocol)
{
    guint per_node = m->n / m->nodes;
    return base_us[m->machine->version][TREE][protocol] +
           2 * ((per_node - 1) * nvlink_us[m->machine->version][TREE][protocol] +
                dn_log2_floor(m->nodes) * network_us[m->machine->version][TREE][protocol]);
}

static Model model_of(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine)
{
    const DnCollNodes *nodes = dn_coll_ring_nodes(call);
    Model m = {.n = call->n,
               .channels = call->channels,
               .searched = MAX(1, call->channels / 2),
               .nodes = nodes != NULL     ? nodes->nodes
                        : call->group > 0 ? MAX(1, call->n / call->group)
                                          : 1,
               .bytes = (double)call->bytes,
               .bus_gbs = (double)machine->bus_bps / 8e9,
               .kind = kind,
               .machine = machine};
    if (m.nodes == 1 && machine->node_bus_bps > 0)
        m.bus_gbs = (double)machine->node_bus_bps / 8e9;
    m.least = nodes != NULL ? nodes->least : m.n / m.nodes;
    if (m.nodes > 1 && m.least < machine->nics) /* a ring enters by an adapter's own GPU */
        m.bus_gbs *= (double)m.least / machine->nics;
    m.span = MIN(m.nodes, 3) - 1;
    m.steps = kind == DN_COLL_ALLREDUCE ? 2 * (m.n - 1) : m.n - 1;
    m.across = kind == DN_COLL_ALLREDUCE ? 2 * (m.nodes - 1) : m.nodes - 1;
    gboolean twice = machine->version != DN_NCCL_2_28 || machine->gpu == DN_NCCL_MI250X;
    if (kind == DN_COLL_ALLREDUCE && twice && m.nodes > 1)
        m.across = 2 * m.nodes;
    if (kind == DN_COLL_ALLGATHER)
        m.bytes *= m.n; /* of the result */
    if (kind == DN_COLL_BCAST || kind == DN_COLL_REDUCE) {
        m.steps = m.n;
        m.rooted = TRUE;
    }
    return m;
}

/* Returns whether LL128 may cross the network: its flags need that an adapter keeps the order of
 * the GPU's stores. */
static gboolean ll128_crosses(const Model *m)
{
    gboolean hopper = m->machine->gpu == DN_NCCL_HOPPER;
    return m->nodes == 1 || m->machine->nic_path <= (hopper ? DN_NCCL_PXN : DN_NCCL_PXB);
}

static double time_of(const Model *m, guint algorithm, guint protocol)
{
    if (m->machine->gpu == DN_NCCL_MI250X) {
        DnRcclCall call = {m->n, m->nodes, m->steps, m->across, m->rooted, m->bytes, m->bus_gbs};
        return dn_rccl_time_us(&call, algorithm == TREE, protocol);
    }
    if (protocol == LL128 && !ll128_crosses(m))
        return G_MAXDOUBLE;
    double us = algorithm == RING ? ring_latency(m, protocol) : tree_latency(m, protocol);
    double gbs = algorithm == RING ? ring_bandwidth(m, protocol) : tree_bandwidth(m, protocol);
    return us + m->bytes / (1000 * gbs);
}

static void least_time(const Model *m, DnNcclOnly only, guint *algorithm, guint *protocol,
                       double *time_us)
{
    *time_us = G_MAXDOUBLE;
    for (guint a = only == DN_NCCL_RING ? RING : TREE; a <= (only == DN_NCCL_TREE ? TREE : RING);
         a++)
        for (guint p = LL; p <= SIMPLE; p++) {
            double us = time_of(m, a, p);
            if (us >= *time_us)
                continue;
            *time_us = us;
            *algorithm = a;
            *protocol = p;
        }
}

/* Of 512 threads, 640 with LL128; of 256 in RCCL. */
static guint32 channels_used(const Model *m, guint algorithm, guint protocol)
{
    static const double threads[3] = {512, 640, 512};
    double per_channel = m->machine->gpu == DN_NCCL_MI250X ? 256 : threads[protocol];
    double least = per_channel * (protocol == SIMPLE ? 64 : 8);
    if (algorithm == RING && protocol == LL)
        least *= m->n;
    return (guint32)CLAMP(m->bytes / least, 1, m->channels);
}

/* Halved, though not below each least, until a tree has so many chunks for each of its levels. */
static gint64 tree_chunk(const Model *m, guint32 channels, gint64 step)
{
    static const struct {
        guint32 levels;
        gint64 least;
    } until[] = {{8, 128 << 10}, {4, 64 << 10}, {1, 32 << 10}};
    guint32 depth = m->n / m->nodes - 1 + dn_log2_floor(m->nodes);
    for (guint i = 0; i < G_N_ELEMENTS(until); i++)
        while (step > until[i].least &&
               m->bytes / ((double)channels * (double)step) < until[i].levels * depth)
            step /= 2;
    return step;
}

/* Likewise of LL128, by the levels between nodes and the ranks in one. */
static gint64 tree_ll128_chunk(const Model *m, guint32 channels)
{
    double per_node = (double)m->n / m->nodes;
    double levels = 1 + dn_log2_floor(m->nodes) + 0.1 * per_node;
    gint64 chunk = LL128_CHUNK;
    static const struct {
        guint32 loops;
        gint64 least;
    } until[] = {{64, 128 << 10}, {16, 32 << 10}};
    for (guint i = 0; i < G_N_ELEMENTS(until); i++)
        while (chunk > until[i].least && floor(m->bytes / ((double)channels * (double)chunk)) <
                                             levels * until[i].loops / per_node)
            chunk /= 2;
    return chunk;
}

static gint64 select_nccl_chunk(const Model *m, DnCollKind kind, guint algorithm, guint protocol,
                                guint32 channels)
{
    gboolean rooted = kind == DN_COLL_BCAST || kind == DN_COLL_REDUCE;
    gint64 buffer = m->machine->buffer_bytes;
    gint64 step = (buffer > 0 ? buffer : 4 << 20) / NCCL_STEPS;
    if (protocol == LL && m->machine->gpu == DN_NCCL_MI250X)
        return rooted ? 256 * 8 : 16 << 10;
    if (protocol == LL)
        return rooted ? 512 * 8 : 32 << 10;
    if (protocol == LL128)
        return algorithm == TREE ? tree_ll128_chunk(m, channels) : LL128_CHUNK;
    if (algorithm == TREE &&
        (m->machine->gpu == DN_NCCL_MI250X || m->machine->version == DN_NCCL_2_18))
        return tree_chunk(m, channels, step);
    return algorithm == TREE || rooted ? step : CHUNK_STEPS * step;
}

/* Returns of what a ring's chunks are multiples in NCCL 2.18 and RCCL (src/collectives/device/
 * all_reduce.h, minChunkSize): 8 B a thread with LL, with LL128 30 B, where NCCL's one channel left
 * has fewer threads the shorter the buffer. */
static gint64 select_nccl_grain(const Model *m, guint protocol, guint32 channels)
{
    gboolean rccl = m->machine->gpu == DN_NCCL_MI250X;
    if (m->kind != DN_COLL_ALLREDUCE || protocol == SIMPLE ||
        (!rccl && m->machine->version != DN_NCCL_2_18))
        return 0;
    gint64 threads = rccl ? 256 : protocol == LL ? 512 : 640;
    gint64 threshold = protocol == LL ? 8 * (gint64)m->n : 8; /* bytes a thread */
    while (!rccl && channels == 1 && m->bytes < (double)(threads * threshold) && threads % 128 == 0)
        threads /= 2;
    return MAX(threads, 96) * (protocol == LL ? 8 : 30);
}

/* Returns the size of a block's pieces, each of a channel; 0: it stays whole (calcP2pChunkSize, by
 * the least and the largest piece, and ncclTopoComputeP2pChannels: of two channels for a peer of
 * another node, in 2.20 while these are at most four times all). */
static gint64 block_piece(const DnCollCall *call, const DnNcclMachine *machine)
{
    gboolean old = machine->version == DN_NCCL_2_18;
    if (machine->gpu == DN_NCCL_MI250X || machine->version == DN_NCCL_2_28 || call->group == 0 ||
        call->n <= call->group)
        return 0;
    if (!old && (call->bytes <= DN_P2P_NET_CHUNK || call->n > 2 * call->channels))
        return 0;
    gint64 least = old ? DN_P2P_NET_CHUNK / 8 : DN_P2P_NET_CHUNK / 2;
    gint64 piece = (gint64)dn_segments(call->bytes, 2 * least) * least;
    return piece < call->bytes ? piece : 0;
}

/* TRUE: GPUs send by the adapter of the receiver's rail, by way of the GPU that is near it
 * (src/graph/search.cc, ncclTopoGetNetDev: no farther than PXB; with `pxn` their own are so near).
 * RCCL does so on request only (ROCm/rccl, issue 1209). */
static gboolean by_pxn(const DnCollCall *call, const DnNcclMachine *machine)
{
    return machine->gpu != DN_NCCL_MI250X && machine->nic_path <= DN_NCCL_PXN &&
           dn_coll_fits(dn_coll_find(DN_COLL_ALLTOALL, "grouped_pxn"), call);
}

static void select_other(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                         DnSelection *out)
{
    static const char *const names[DN_COLL_KINDS] = {
        [DN_COLL_ALLREDUCE] = "nccl_ring", [DN_COLL_ALLTOALL] = "grouped",
        [DN_COLL_ALLGATHER] = "nccl_ring", [DN_COLL_REDUCE_SCATTER] = "nccl_ring",
        [DN_COLL_BCAST] = "nccl_ring",     [DN_COLL_REDUCE] = "nccl_ring",
        [DN_COLL_GATHER] = "linear",       [DN_COLL_SCATTER] = "linear",
        [DN_COLL_BARRIER] = "tree",        [DN_COLL_SCAN] = "linear"};
    static const char *const words[2][2] = {
        {"grouped send/recv, LL", "grouped send/recv, Simple"},
        {"grouped send/recv by PXN, LL", "grouped send/recv by PXN, Simple"}};
    out->algorithm = out->chosen = names[kind];
    if (kind != DN_COLL_ALLTOALL)
        return;
    out->segment = block_piece(call, machine);
    if (machine->gpu == DN_NCCL_MI250X) /* a peer at a time: RCCL 5.7, src/include/devcomm.h */
        out->window = 1;
    out->protocol = call->bytes <= 16384 ? "LL" : "Simple";
    gboolean pxn = by_pxn(call, machine);
    out->algorithm = pxn ? "grouped_pxn" : "grouped";
    out->chosen = words[pxn][call->bytes > 16384];
}

void dn_select_nccl(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                    DnSelection *out)
{
    static const char *const words[2][3] = {{"tree, LL", "tree, LL128", "tree, Simple"},
                                            {"ring, LL", "ring, LL128", "ring, Simple"}};
    *out = (DnSelection){.segment = -1};
    gboolean ring = kind == DN_COLL_ALLREDUCE || kind == DN_COLL_ALLGATHER ||
                    kind == DN_COLL_REDUCE_SCATTER || kind == DN_COLL_BCAST ||
                    kind == DN_COLL_REDUCE;
    select_other(call, kind, machine, out);
    if (!ring || call->n < 2 || machine->bus_bps == 0)
        return;
    guint algorithm = RING, protocol = SIMPLE;
    double us;
    Model m = model_of(call, kind, machine);
    least_time(&m, kind == DN_COLL_ALLREDUCE ? machine->only : DN_NCCL_RING, &algorithm, &protocol,
               &us);
    if (algorithm == TREE)
        out->algorithm = machine->gpu == DN_NCCL_MI250X ? "rccl_tree" : "nccl_tree";
    out->chosen = words[algorithm][protocol];
    out->protocol = dn_nccl_protocols[protocol];
    out->estimate_ps = (gint64)(us * 1e6);
    out->channels = channels_used(&m, algorithm, protocol);
    out->segment = select_nccl_chunk(&m, kind, algorithm, protocol, out->channels);
    out->in_flight = protocol == SIMPLE && !m.rooted ? NCCL_STEPS / CHUNK_STEPS : NCCL_STEPS;
    if (algorithm == RING)
        out->grain = select_nccl_grain(&m, protocol, out->channels);
}

#define NCCL_MODELLED (1u << DN_COLL_ALLREDUCE)

const DnCollLibrary dn_coll_library_nccl = {
    .name = "nccl",
    .title = "NCCL",
    .source = "NCCL 2.28, 2.20 and 2.18, src/graph/tuning.cc, src/enqueue.cc; on mi250x as rccl",
    .limits =
        "no CollNet, NVLS or PAT; the network's own latency is 0, as NCCL's InfiniBand transport "
        "sets it; processors between nodes are Intel's",
    .modelled = NCCL_MODELLED,
    .channels = TRUE,
    .gpus = (1u << DN_NCCL_GPUS) - 1,
    .select = dn_select_nccl,
};

const DnCollLibrary dn_coll_library_rccl = {
    .name = "rccl",
    .title = "RCCL",
    .source = "RCCL 2.12 (ROCm 5.2.3), src/graph/tuning.cc, on nodes of four MI250X",
    .limits = "other nodes of AMD's and later libraries have other tables; ncclGroup's several "
              "calls count as one",
    .modelled = NCCL_MODELLED,
    .channels = TRUE,
    .gpus = 1u << DN_NCCL_MI250X,
    .select = dn_select_nccl,
};
