/* select_mpich.c - MPICH's choice of algorithms by its thresholds.
 *
 * MPICH 3.3.2, MPIR_*_intra_auto in src/mpi/coll/<collective>/<collective>.c, and the defaults of
 * its control variables (src/mpi/coll/cvars.txt, the same in MPICH 5): ALLREDUCE_SHORT 2048 B,
 * REDUCE_SHORT 2048 B, BCAST_SHORT 12288 B, LONG 524288 B and MIN_PROCS 8, ALLGATHER_SHORT 81920 B
 * and LONG 524288 B (of the result), ALLTOALL_SHORT 256 B and MEDIUM 32768 B (of a block) and
 * THROTTLE 32, REDUCE_SCATTER_COMMUTATIVE_LONG 524288 B, ALLGATHERV_PIPELINE_MSG_SIZE 32768 B.
 * Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, describes the algorithms.
 * MPICH 3.4 and later choose by a tree of conditions (maint/tuning/coll/mpir/generic.json), as this
 * but for two: an allreduce of more than 8 B takes the long algorithm, and Bruck's alltoall begins
 * on 9 ranks. These are taken here; library_messages_test.c compares what is sent with the messages
 * of MPICH 4.0.2 on up to 64 ranks, each a node of its own.
 * Two levels (algorithm smp; src/workload/two_levels.h): where the communicator's ranks are on
 * several nodes and some node has more than one of them (src/mpi/comm/commutil.c,
 * MPIR_Comm_create_subcomms), MPICH 4.0.2 takes other collectives in each node and between the
 * nodes for barrier, for allreduce and reduce of an operation that commutes, for bcast up to 12 KiB
 * or, on a power of two of ranks, 512 KiB (maint/tuning/coll/ch4/generic.json), and for scan where
 * ranks follow one another by node. two_levels_test.c compares what is sent.
 *
 * Cray MPICH is closed; what it shows of its settings (MPICH_ENV_DISPLAY, version 8.1.17 on four
 * nodes of Crusher) differs in four: MPICH_BCAST_ONLY_TREE 1 with MPICH_BCAST_INTERNODE_RADIX and
 * MPICH_BCAST_INTRANODE_RADIX 4, trees of radix 4 for any size, between nodes and in each;
 * MPICH_ALLREDUCE_MAX_SMP_SIZE 262144, up to which it takes the two levels;
 * MPICH_ALLTOALL_SHORT_MSG 64-512, the largest up to which it takes Bruck's, by the number of
 * ranks, of which number is not shown: here 512 up to 64 ranks and 256 above, since from 128 to 256
 * dies of LUMI an alltoall of 512 B grows by what a message takes a process, 1.2 us a rank, as
 * messages of their own do (validation/sc24-scale); and MPICH_ALLTOALL_SYNC_FREQ 1-24, how many
 * messages of an alltoall a rank has under way (intro_mpi(3)), so that longer ones are no exchange
 * in pairs either. How many of the 24
 * for which size is not given: here all up to 32768 B, where MPICH has 32 under way, and above,
 * where MPICH has one, 8, what MPICH_ALLTOALLV_THROTTLE shows of alltoallv's. Left out are
 * its chunks (MPICH_ALLTOALL_BLK_SIZE 16384): as messages of their own a process of Alps would be
 * busy for 2.7 ms with those of 2 MiB to 12 GPUs of other nodes, which take 1.8 ms in all
 * (validation/sc24-scale/source.md). Buffers in GPU memory it reduces on the host up to
 * 128 KiB, above by kernels (assumed: what users report of its default): a mechanism can tell them
 * by protocol. Within a node the host's part is taken to combine whole buffers in shared memory
 * (MPICH_SHARED_MEM_COLL_OPT 1), as the two levels do, which its reduce takes for any size
 * (MPICH_REDUCE_NO_SMP 0); barrier and scan as MPICH. */
#include "workload/two_levels.h"

#define CRAY_HOST_BYTES (128 << 10)
#define CRAY_TWO_LEVELS_BYTES 262144
#define CRAY_ALLTOALL_WINDOW 8
#define CRAY_SHORT_ALLTOALL_WINDOW 24
#define CRAY_SHORT_ALLTOALL_RANKS 64
#define ALLTOALL_MEDIUM_BYTES 32768
#define PIPELINE_BYTES (32 << 10)

static const char *for_bcast(const DnCollCall *call, gboolean cray, const char **chosen)
{
    gboolean few = call->n < 8, power = dn_is_power_of_two(call->n);
    if (dn_levels_are_two(call) &&
        (cray || few || call->bytes < 12288 || (power && call->bytes < 524288)))
        return *chosen = "smp";
    if (cray) {
        *chosen = "tree";
        return "knomial";
    }
    if (call->bytes <= 12288 || few)
        return *chosen = "binomial";
    if (call->bytes <= 524288 && power) {
        *chosen = "scatter_recursive_doubling_allgather";
        return "scatter_doubling";
    }
    *chosen = "scatter_ring_allgather";
    return "scatter_allgather";
}

static const char *for_allgather(const DnCollCall *call, const char **chosen)
{
    double total = call->starts ? (double)call->starts[call->n] : (double)call->bytes * call->n;
    gboolean nothing = call->unequal && total == 0;
    if (total < 524288 && dn_is_power_of_two(call->n) && !nothing)
        return *chosen = "recursive_doubling";
    *chosen = total < 81920 && !nothing ? "brucks" : "ring";
    if (total < 81920 && !nothing)
        return "bruck";
    return call->unequal ? "pipelined_ring" : "ring";
}

static const char *for_alltoall(const DnCollCall *call, gboolean cray, const char **chosen)
{
    if (call->form & DN_COLL_IN_PLACE) {
        *chosen = "pairwise_sendrecv_replace";
        return "sendrecv_replace";
    }
    if (call->unequal)
        return *chosen = "scattered";
    gboolean to_512 = cray && call->n <= CRAY_SHORT_ALLTOALL_RANKS;
    if (call->bytes <= (to_512 ? 512 : 256) && call->n >= (cray ? 8 : 9)) {
        *chosen = "brucks";
        return "bruck";
    }
    if (cray || call->bytes <= ALLTOALL_MEDIUM_BYTES) {
        *chosen = "scattered";
        return cray ? "linear_sync" : "scattered";
    }
    *chosen = "pairwise";
    return dn_is_power_of_two(call->n) ? "xor" : "pairwise";
}

static gboolean pieces_lack(const DnCollCall *call)
{
    return call->bytes / MAX(1, call->element) < 1 << dn_log2_floor(call->n);
}

gboolean dn_mpich_allreduces_whole(const DnCollCall *call)
{
    return call->bytes <= 2048 || pieces_lack(call);
}

static const char *for_allreduce(const DnCollCall *call, gboolean cray, const char **chosen)
{
    if (dn_levels_are_two(call) && (!cray || call->bytes <= CRAY_TWO_LEVELS_BYTES))
        return *chosen = "smp";
    if (cray && dn_coll_level_nodes(call) == 1 && call->bytes <= CRAY_HOST_BYTES)
        return *chosen = "recursive_doubling";
    if (call->bytes <= (cray ? 2048 : 8) || pieces_lack(call))
        return *chosen = "recursive_doubling";
    *chosen = "reduce_scatter_allgather";
    return "rabenseifner";
}

/* Whether all ranks get the same, which MPICH asks of the counts, not of the call. */
static gboolean shares_are_equal(const DnCollCall *call)
{
    for (guint32 i = 1; call->starts != NULL && i < call->n; i++)
        if (call->starts[i + 1] - call->starts[i] != call->starts[1] - call->starts[0])
            return FALSE;
    return call->starts != NULL || call->bytes / MAX(1, call->element) % call->n == 0;
}

/* Of an operation that does not commute; NULL: as of one that does. */
static const char *select_mpich_ordered(const DnCollCall *call, DnCollKind kind,
                                        const char **chosen)
{
    if (kind == DN_COLL_REDUCE)
        return *chosen = "binomial";
    if (kind == DN_COLL_ALLREDUCE)
        return *chosen = "recursive_doubling";
    if (kind != DN_COLL_REDUCE_SCATTER)
        return NULL;
    if (!dn_is_power_of_two(call->n) || !shares_are_equal(call))
        return *chosen = "recursive_doubling";
    *chosen = "noncommutative";
    return "butterfly";
}

static const char *by_thresholds(const DnCollCall *call, DnCollKind kind, gboolean cray,
                                 const char **chosen)
{
    switch (kind) {
    case DN_COLL_ALLREDUCE:
        return for_allreduce(call, cray, chosen);
    case DN_COLL_ALLTOALL:
        return for_alltoall(call, cray, chosen);
    case DN_COLL_ALLGATHER:
        return for_allgather(call, chosen);
    case DN_COLL_REDUCE_SCATTER:
        return *chosen = call->bytes < 524288 ? "recursive_halving" : "pairwise";
    case DN_COLL_BCAST:
        return for_bcast(call, cray, chosen);
    case DN_COLL_REDUCE:
        if (dn_levels_are_two(call))
            return *chosen = "smp";
        *chosen = dn_mpich_allreduces_whole(call) ? "binomial" : "reduce_scatter_gather";
        return dn_mpich_allreduces_whole(call) ? "binomial" : "rabenseifner";
    case DN_COLL_GATHER:
    case DN_COLL_SCATTER:
        return *chosen = call->unequal ? "linear" : "binomial";
    case DN_COLL_BARRIER:
        return *chosen = dn_levels_are_two(call) ? "smp" : "dissemination";
    case DN_COLL_SCAN:
        if (dn_levels_are_two(call) && dn_levels_are_consecutive(call) &&
            !(call->form & DN_COLL_EXCLUSIVE))
            return *chosen = "smp";
        return *chosen = "recursive_doubling";
    case DN_COLL_KINDS:
        break;
    }
    g_assert_not_reached();
}

/* Where a block is longer than that, all are passed on in pieces of whole elements; else 0. */
static gint64 pipeline_segment(const DnCollCall *call)
{
    gint64 element = MAX(1, call->element), longest = call->bytes;
    for (guint32 i = 0; call->starts && i < call->n; i++)
        longest = MAX(longest, dn_blocks(call, DN_AREA_DATA, i, 1).bytes);
    return longest > PIPELINE_BYTES ? MAX(1, PIPELINE_BYTES / element) * element : 0;
}

/* Returns how many exchanges of an alltoall are under way. */
static guint32 alltoall_window(const DnCollCall *call, gboolean cray)
{
    if (!cray)
        return 32;
    return call->unequal || call->bytes > ALLTOALL_MEDIUM_BYTES ? CRAY_ALLTOALL_WINDOW
                                                                : CRAY_SHORT_ALLTOALL_WINDOW;
}

void dn_select_mpich(const DnCollCall *call, DnCollKind kind, gboolean cray, DnSelection *out)
{
    *out = (DnSelection){.segment = -1,
                         .style = cray ? DN_STYLE_CRAY_MPICH : DN_STYLE_MPICH,
                         .window = alltoall_window(call, cray)};
    if (call->form & DN_COLL_ORDERED)
        out->algorithm = select_mpich_ordered(call, kind, &out->chosen);
    if (out->algorithm == NULL)
        out->algorithm = by_thresholds(call, kind, cray, &out->chosen);
    if (kind == DN_COLL_ALLGATHER && call->unequal)
        out->segment = pipeline_segment(call);
    if (cray && dn_coll_kind_reduces(kind))
        out->protocol = call->bytes <= CRAY_HOST_BYTES ? "host" : "kernel";
}

static void select_mpich(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                         DnSelection *out)
{
    dn_select_mpich(call, kind, FALSE, out);
}

static void select_cray(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                        DnSelection *out)
{
    dn_select_mpich(call, kind, TRUE, out);
}

const DnCollLibrary dn_coll_library_mpich = {
    .name = "mpich",
    .title = "MPICH",
    .source = "MPICH 4.0.2, maint/tuning/coll/mpir/generic.json; compared with its messages",
    .limits = "through shared memory MPICH may combine and broadcast within nodes by trees of its "
              "own (ch4's posix module); here by messages, as where it has no such module",
    .two_levels = TRUE,
    .style = DN_STYLE_MPICH,
    .select = select_mpich,
};

const DnCollLibrary dn_coll_library_cray_mpich = {
    .name = "cray_mpich",
    .title = "Cray MPICH",
    .source = "as mpich, with what MPICH_ENV_DISPLAY of version 8.1.17 shows; intro_mpi(3)",
    .limits = "closed: what its settings do not show is as in MPICH; its chunks of an alltoall "
              "(MPICH_ALLTOALL_BLK_SIZE)",
    .two_levels = TRUE,
    .style = DN_STYLE_CRAY_MPICH,
    .select = select_cray,
};
