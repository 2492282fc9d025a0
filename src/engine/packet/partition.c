/* partition.c - A partition is the set of domains of a thread; remote events go through mailboxes.
 *
 * Domains are numbered group by group, so a contiguous split with equal numbers of ports cuts
 * dragonflies between groups; where there are no groups METIS (Karypis & Kumar, SIAM J. Sci.
 * Comput. 20(1), 1998; k-way, fixed seed) cuts few links. The split changes nothing but speed:
 * partitions exchange only timestamped events, and every vertex sorts its own. */
#include "engine/packet/core.h"

#include <metis.h>

#define MAX_PARTITIONS 64

void dn_mailbox_add(DnPartition *partition, guint32 domain, gint64 when_ps, DnEvent event)
{
    DnMailbox *mailbox = &partition->mailboxes[partition->engine->threads.partition_of[domain]];
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

static void split_in_order(DnPacketEngine *e)
{
    guint64 total = MAX(1, e->graph->size.links), seen = 0;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        guint64 middle = seen + domain_ports(e, d) / 2;
        e->threads.partition_of[d] =
            (guint8)MIN(middle * e->threads.n_partitions / total, e->threads.n_partitions - 1);
        seen += domain_ports(e, d);
    }
}

/* The domains' own graph in METIS' form: neighbours of d in adjacent[first[d] .. first[d + 1]). */
static void domain_graph(const DnPacketEngine *e, idx_t *first, idx_t *adjacent, idx_t *weight)
{
    idx_t n = 0;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        first[d] = n;
        weight[d] = (idx_t)domain_ports(e, d);
        guint32 low = e->net.states[e->net.domain_first[d]].first_port;
        for (guint32 p = low; p < low + domain_ports(e, d); p++)
            if (dn_port(e, p)->peer_domain != d)
                adjacent[n++] = (idx_t)dn_port(e, p)->peer_domain;
    }
    first[e->net.n_domains] = n;
}

/* FALSE when METIS finds no split: the other one serves. */
static gboolean split_by_metis(DnPacketEngine *e)
{
    g_autofree idx_t *first = g_new(idx_t, e->net.n_domains + 1);
    g_autofree idx_t *adjacent = g_new(idx_t, e->graph->size.links + 1);
    g_autofree idx_t *weight = g_new(idx_t, e->net.n_domains);
    g_autofree idx_t *partition = g_new(idx_t, e->net.n_domains);
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)e->net.n_domains, constraints = 1, cut;
    idx_t partitions = (idx_t)e->threads.n_partitions;
    domain_graph(e, first, adjacent, weight);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_PartGraphKway(&vertices, &constraints, first, adjacent, weight, NULL, NULL,
                            &partitions, NULL, NULL, options, &cut, partition) != METIS_OK)
        return FALSE;
    for (guint32 d = 0; d < e->net.n_domains; d++)
        e->threads.partition_of[d] = (guint8)partition[d];
    return TRUE;
}

void dn_partition(DnPacketEngine *e, guint threads)
{
    e->threads.n_partitions = MAX(1, MIN(MIN(threads, MAX_PARTITIONS), e->net.n_domains));
    e->threads.partitions = g_new0(DnPartition, e->threads.n_partitions);
    e->threads.partition_of = g_new0(guint8, e->net.n_domains + 1);
    e->threads.barrier.n = e->threads.n_partitions;
    e->threads.barrier.patience = e->threads.n_partitions <= g_get_num_processors() ? 1000 : 0;
    gboolean grouped = e->graph->size.groups > 1;
    if (e->threads.n_partitions == 1 || grouped || e->net.n_domains < 4 * e->threads.n_partitions ||
        !split_by_metis(e))
        split_in_order(e);
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        e->threads.partitions[i].engine = e;
        e->threads.partitions[i].index = i;
        e->threads.partitions[i].job_packets = g_new0(DnJobPackets, e->run->n_jobs + 1);
        if (e->threads.n_partitions > 1)
            e->threads.partitions[i].mailboxes = g_new0(DnMailbox, e->threads.n_partitions);
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
    for (guint i = 0; i < e->threads.n_partitions; i++)
        partition_clear(&e->threads.partitions[i], e->threads.n_partitions);
    g_free(e->threads.partitions);
    g_free(e->threads.partition_of);
}
