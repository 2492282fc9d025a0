/* partition.c - A partition is the set of domains of a thread; remote events go through mailboxes.
 *
 * Domains are numbered group by group, so a split in their order cuts dragonflies between groups;
 * METIS (Karypis & Kumar, SIAM J. Sci. Comput. 20(1), 1998; k-way, fixed seed) makes parts of equal
 * load between which little crosses (expected_traffic.h). The better one is taken. It changes
 * nothing but speed: partitions exchange only timestamped events, and every vertex sorts its own.
 * Processes divide the domains first, the threads of each then those of it. */
#include "engine/packet/domains.h"
#include "engine/packet/expected_traffic.h"
#include "engine/packet/remote.h"

#include <metis.h>
#include <string.h>

#define MAX_PARTITIONS 64

guint32 dn_domain_of(const DnPacketEngine *e, guint32 state)
{
    guint32 low = 0, high = e->net.n_domains;
    while (high - low > 1) {
        guint32 middle = low + (high - low) / 2;
        if (e->net.domain_first[middle] <= state)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void dn_mailbox_add(DnPartition *partition, guint32 domain, gint64 when_ps, guint32 what, guint32 a,
                    guint32 b)
{
    const DnPacketThreads *threads = &partition->engine->threads;
    guint to = threads->partition_of[domain];
    DnMailbox *mailbox = to >= threads->n_partitions
                             ? &partition->remote->out[to - threads->n_partitions]
                             : &partition->mailboxes[to];
    if (G_UNLIKELY(mailbox->n == mailbox->capacity)) {
        mailbox->capacity = MAX(1024, 2 * mailbox->capacity);
        mailbox->remote_events = g_renew(DnRemoteEvent, mailbox->remote_events, mailbox->capacity);
    }
    mailbox->remote_events[mailbox->n++] =
        (DnRemoteEvent){when_ps, domain, 0, {.what = what, .a = a, .b = b}};
}

/* Splits domains (those whose @whole is @within, or all: NULL) in order into @n equal loads. */
static void split_in_order(const DnExpectedTraffic *traffic, guint n, const guint16 *whole,
                           guint16 within, guint16 *part)
{
    guint64 total = 0, seen = 0;
    for (guint32 d = 0; d < traffic->n_domains; d++)
        total += whole == NULL || whole[d] == within ? traffic->load[d] : 0;
    for (guint32 d = 0; d < traffic->n_domains; d++) {
        if (whole != NULL && whole[d] != within)
            continue;
        guint64 middle = seen + traffic->load[d] / 2;
        part[d] = (guint16)MIN(middle * n / MAX(1, total), n - 1);
        seen += traffic->load[d];
    }
}

/* FALSE when METIS finds no split. */
static gboolean split_by_metis(const DnExpectedTraffic *traffic, guint n, guint16 *part)
{
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)traffic->n_domains, constraints = 1, cut;
    idx_t partitions = (idx_t)n, edges = (idx_t)traffic->first[traffic->n_domains];
    g_autofree idx_t *first = g_new(idx_t, vertices + 1);
    g_autofree idx_t *load = g_new(idx_t, vertices);
    g_autofree idx_t *to = g_new(idx_t, edges + 1);
    g_autofree idx_t *crossings = g_new(idx_t, edges + 1);
    g_autofree idx_t *partition = g_new(idx_t, vertices);
    for (idx_t d = 0; d <= vertices; d++)
        first[d] = (idx_t)traffic->first[d];
    for (idx_t d = 0; d < vertices; d++)
        load[d] = (idx_t)traffic->load[d];
    for (idx_t i = 0; i < edges; i++) {
        to[i] = (idx_t)traffic->to[i];
        crossings[i] = (idx_t)traffic->crossings[i];
    }
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_PartGraphKway(&vertices, &constraints, first, to, load, NULL, crossings, &partitions,
                            NULL, NULL, options, &cut, partition) != METIS_OK)
        return FALSE;
    for (idx_t d = 0; d < vertices; d++)
        part[d] = (guint16)partition[d];
    return TRUE;
}

/* Splits the domains in their order, or as METIS does where that lowers the largest load. */
static void domains_split(const DnExpectedTraffic *traffic, guint n, guint16 *part)
{
    g_autofree guint16 *other = g_new0(guint16, traffic->n_domains + 1);
    split_in_order(traffic, n, NULL, 0, part);
    if (traffic->n_domains >= 4 * n && split_by_metis(traffic, n, other) &&
        dn_expected_traffic_most(traffic, n, other) < dn_expected_traffic_most(traffic, n, part))
        memcpy(part, other, traffic->n_domains * sizeof *part);
}

/* Gives domains of other processes numbers that no partition has, and makes the domains of each
 * process consecutive. */
static void split_processes(DnPacketEngine *e, const DnExpectedTraffic *traffic)
{
    DnPacketThreads *threads = &e->threads;
    const DnProcesses *processes = threads->processes;
    g_autofree guint16 *process = g_new0(guint16, e->net.n_domains + 1);
    g_autofree guint16 *part = g_new0(guint16, e->net.n_domains + 1);
    domains_split(traffic, processes->n, process);
    split_in_order(traffic, threads->n_partitions, process, (guint16)processes->rank, part);
    g_autofree guint32 *number = dn_domains_sort(e, process, processes->n);
    for (guint32 d = 0; d < e->net.n_domains; d++)
        threads->partition_of[number[d]] =
            process[d] == processes->rank ? part[d] : (guint16)(threads->n_partitions + process[d]);
}

void dn_partition(DnPacketEngine *e, guint n_threads)
{
    DnPacketThreads *threads = &e->threads;
    threads->processes = e->run->processes;
    guint processes = threads->processes != NULL ? threads->processes->n : 1;
    guint most = MIN(MAX_PARTITIONS, e->net.n_domains / processes);
    threads->n_partitions = MAX(1, MIN(n_threads, most));
    threads->partitions = g_new0(DnPartition, threads->n_partitions);
    threads->partition_of = g_new0(guint16, e->net.n_domains + 1);
    threads->barrier.n = threads->n_partitions;
    threads->barrier.patience = threads->n_partitions <= g_get_num_processors() ? 1000 : 0;
    if (processes > 1 || threads->n_partitions > 1) {
        g_autoptr(DnExpectedTraffic) traffic = dn_expected_traffic_new(e);
        if (processes > 1)
            split_processes(e, traffic);
        else
            domains_split(traffic, threads->n_partitions, threads->partition_of);
    }
    for (guint i = 0; i < threads->n_partitions; i++) {
        threads->partitions[i].engine = e;
        threads->partitions[i].index = i;
        threads->partitions[i].job_packets = g_new0(DnJobPackets, e->run->n_jobs + 1);
        if (threads->n_partitions > 1 || processes > 1)
            threads->partitions[i].mailboxes = g_new0(DnMailbox, threads->n_partitions);
    }
}

void dn_partition_receive(DnPartition *partition)
{
    DnPacketEngine *e = partition->engine;
    for (guint from = 0; from < e->threads.n_partitions && e->threads.n_partitions > 1; from++) {
        DnMailbox *mailbox = &e->threads.partitions[from].mailboxes[partition->index];
        for (gsize i = 0; i < mailbox->n; i++)
            dn_wheel_add(&partition->wheel, mailbox->remote_events[i].domain,
                         mailbox->remote_events[i].when_ps, mailbox->remote_events[i].event);
        mailbox->n = 0;
    }
}

static void partition_clear(DnPartition *partition, guint n_partitions)
{
    for (guint i = 0; i < n_partitions && partition->mailboxes != NULL; i++)
        g_free(partition->mailboxes[i].remote_events);
    g_free(partition->mailboxes);
    dn_wheel_clear(&partition->wheel);
    dn_batch_clear(&partition->batch);
    g_free(partition->self.events);
    dn_sort_clear(&partition->sort);
    g_free(partition->free_packets.ids);
    g_free(partition->free_message_states.ids);
    g_free(partition->job_packets);
}

void dn_partitions_clear(DnPacketEngine *e)
{
    dn_remote_clear(e);
    for (guint i = 0; i < e->threads.n_partitions; i++)
        partition_clear(&e->threads.partitions[i], e->threads.n_partitions);
    g_free(e->threads.partitions);
    g_free(e->threads.partition_of);
}
