/* partition.c - A partition is the set of domains of a thread; remote events go through mailboxes.
 *
 * Domains are numbered group by group, so a contiguous split with equal numbers of ports cuts
 * dragonflies between groups; where there are no groups METIS (Karypis & Kumar, SIAM J. Sci.
 * Comput. 20(1), 1998; k-way, fixed seed) cuts few links. The split changes nothing but speed:
 * partitions exchange only timestamped events, and every vertex sorts its own. Processes divide the
 * domains first, the threads of each then those of it. */
#include "engine/packet/remote.h"

#include <metis.h>

#define MAX_PARTITIONS 64

void dn_mailbox_add(DnPartition *partition, guint32 domain, gint64 when_ps, DnEvent event)
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
    mailbox->remote_events[mailbox->n++] = (DnRemoteEvent){when_ps, domain, 0, event};
}

static guint32 domain_ports(const DnPacketEngine *e, guint32 domain)
{
    guint32 first = e->net.domain_first[domain], last = e->net.domain_first[domain + 1], n = 0;
    for (guint32 s = first; s < last; s++)
        n += e->net.states[s].degree;
    return n;
}

/* The domains that are @whole in @part, or all (NULL): @n parts of equal numbers of ports. */
static void split_in_order(const DnPacketEngine *e, guint n, const guint16 *whole, guint16 within,
                           guint16 *part)
{
    guint64 total = 0, seen = 0;
    for (guint32 d = 0; d < e->net.n_domains; d++)
        total += whole == NULL || whole[d] == within ? domain_ports(e, d) : 0;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        if (whole != NULL && whole[d] != within)
            continue;
        guint64 middle = seen + domain_ports(e, d) / 2;
        part[d] = (guint16)MIN(middle * n / MAX(1, total), n - 1);
        seen += domain_ports(e, d);
    }
}

/* The domains' own graph in METIS' form: neighbours of d in adjacent[first[d] .. first[d + 1]). */
static void domain_graph(const DnPacketEngine *e, idx_t *first, idx_t *adjacent, idx_t *weight)
{
    const DnGraph *g = e->graph;
    idx_t n = 0;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        first[d] = n;
        weight[d] = (idx_t)domain_ports(e, d);
        for (guint32 s = e->net.domain_first[d]; s < e->net.domain_first[d + 1]; s++)
            for (guint32 p = 0; p < e->net.states[s].degree; p++) {
                guint32 l = g->ports[g->port_first[e->net.states[s].vertex] + p];
                guint32 peer = dn_domain_of(e, e->net.state_of[g->links[l].dst]);
                if (peer != d)
                    adjacent[n++] = (idx_t)peer;
            }
    }
    first[e->net.n_domains] = n;
}

/* FALSE when METIS finds no split: the other one serves. */
static gboolean split_by_metis(const DnPacketEngine *e, guint n, guint16 *part)
{
    g_autofree idx_t *first = g_new(idx_t, e->net.n_domains + 1);
    g_autofree idx_t *adjacent = g_new(idx_t, e->graph->size.links + 1);
    g_autofree idx_t *weight = g_new(idx_t, e->net.n_domains);
    g_autofree idx_t *partition = g_new(idx_t, e->net.n_domains);
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)e->net.n_domains, constraints = 1, cut;
    idx_t partitions = (idx_t)n;
    domain_graph(e, first, adjacent, weight);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_PartGraphKway(&vertices, &constraints, first, adjacent, weight, NULL, NULL,
                            &partitions, NULL, NULL, options, &cut, partition) != METIS_OK)
        return FALSE;
    for (guint32 d = 0; d < e->net.n_domains; d++)
        part[d] = (guint16)partition[d];
    return TRUE;
}

static void domains_split(const DnPacketEngine *e, guint n, guint16 *part)
{
    gboolean grouped = e->graph->size.groups > 1;
    if (n == 1 || grouped || e->net.n_domains < 4 * n || !split_by_metis(e, n, part))
        split_in_order(e, n, NULL, 0, part);
}

/* Domains of other processes get numbers that no partition has. */
static void split_processes(DnPacketEngine *e)
{
    DnPacketThreads *threads = &e->threads;
    const DnProcesses *processes = threads->processes;
    g_autofree guint16 *process = g_new0(guint16, e->net.n_domains + 1);
    domains_split(e, processes->n, process);
    split_in_order(e, threads->n_partitions, process, (guint16)processes->rank,
                   threads->partition_of);
    for (guint32 d = 0; d < e->net.n_domains; d++)
        if (process[d] != processes->rank)
            threads->partition_of[d] = (guint16)(threads->n_partitions + process[d]);
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
    if (processes > 1)
        split_processes(e);
    else
        domains_split(e, threads->n_partitions, threads->partition_of);
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
