/* partition.c - which thread runs which domains, and the mail between threads.
 *
 * Domains are numbered group by group, so a contiguous split with equal numbers of ports cuts
 * dragonflies between groups; where there are no groups METIS (Karypis & Kumar, SIAM J. Sci.
 * Comput. 20(1), 1998; k-way, fixed seed) cuts few links. The split changes nothing but
 * speed: parts exchange only timestamped events, and every vertex sorts its own. */
#include "engine/packet/core.h"

#include <metis.h>

#define MAX_PARTS 64

void dn_outbox_add(DnPart *part, guint32 domain, gint64 when_ps, DnEvent event)
{
    DnOutbox *outbox = &part->outboxes[part->engine->threads.part_of[domain]];
    if (G_UNLIKELY(outbox->n == outbox->capacity)) {
        outbox->capacity = MAX(1024, 2 * outbox->capacity);
        outbox->parcels = g_renew(DnParcel, outbox->parcels, outbox->capacity);
    }
    outbox->parcels[outbox->n++] = (DnParcel){when_ps, domain, 0, event};
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
        e->threads.part_of[d] =
            (guint8)MIN(middle * e->threads.n_parts / total, e->threads.n_parts - 1);
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
    g_autofree idx_t *part = g_new(idx_t, e->net.n_domains);
    idx_t options[METIS_NOPTIONS], vertices = (idx_t)e->net.n_domains, constraints = 1, cut;
    idx_t parts = (idx_t)e->threads.n_parts;
    domain_graph(e, first, adjacent, weight);
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (METIS_PartGraphKway(&vertices, &constraints, first, adjacent, weight, NULL, NULL, &parts,
                            NULL, NULL, options, &cut, part) != METIS_OK)
        return FALSE;
    for (guint32 d = 0; d < e->net.n_domains; d++)
        e->threads.part_of[d] = (guint8)part[d];
    return TRUE;
}

void dn_partition(DnPacketEngine *e, guint threads)
{
    e->threads.n_parts = MAX(1, MIN(MIN(threads, MAX_PARTS), e->net.n_domains));
    e->threads.parts = g_new0(DnPart, e->threads.n_parts);
    e->threads.part_of = g_new0(guint8, e->net.n_domains + 1);
    e->threads.barrier.n = e->threads.n_parts;
    e->threads.barrier.patience = e->threads.n_parts <= g_get_num_processors() ? 1000 : 0;
    gboolean grouped = e->graph->size.groups > 1;
    if (e->threads.n_parts == 1 || grouped || e->net.n_domains < 4 * e->threads.n_parts ||
        !split_by_metis(e))
        split_in_order(e);
    for (guint i = 0; i < e->threads.n_parts; i++) {
        e->threads.parts[i].engine = e;
        e->threads.parts[i].index = i;
        e->threads.parts[i].job_packets = g_new0(DnJobPackets, e->run->n_jobs + 1);
        if (e->threads.n_parts > 1)
            e->threads.parts[i].outboxes = g_new0(DnOutbox, e->threads.n_parts);
    }
}

void dn_part_receive(DnPart *part)
{
    DnPacketEngine *e = part->engine;
    for (guint from = 0; from < e->threads.n_parts && e->threads.n_parts > 1; from++) {
        DnOutbox *mail = &e->threads.parts[from].outboxes[part->index];
        for (gsize i = 0; i < mail->n; i++)
            dn_wheel_add(&part->wheel, mail->parcels[i].domain, mail->parcels[i].when_ps,
                         mail->parcels[i].event);
        mail->n = 0;
    }
}

static void part_clear(DnPart *part, guint n_parts)
{
    for (guint i = 0; i < n_parts && part->outboxes != NULL; i++)
        g_free(part->outboxes[i].parcels);
    g_free(part->outboxes);
    dn_wheel_clear(&part->wheel);
    dn_batch_clear(&part->batch);
    g_free(part->self.events);
    dn_sort_clear(&part->sort);
    g_free(part->free_packets.ids);
    g_free(part->free_flights.ids);
    g_free(part->job_packets);
}

void dn_parts_clear(DnPacketEngine *e)
{
    for (guint i = 0; i < e->threads.n_parts; i++)
        part_clear(&e->threads.parts[i], e->threads.n_parts);
    g_free(e->threads.parts);
    g_free(e->threads.part_of);
}
