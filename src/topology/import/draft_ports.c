/* draft_ports.c - see draft_ports.h. */
#include "topology/import/draft_ports.h"

#include "topology/import/known_hardware.h"

/* Other GPUs are two fast links away: over an NVSwitch, or over GPUs that forward. */
static gboolean reaches_over(const DnDraft *d, guint32 gpu)
{
    const DnDraftVertex *v = dn_draft_at(d, gpu);
    if (v->kind != DN_DRAFT_GPU || v->forwards)
        return v->kind == DN_DRAFT_GPU;
    for (guint i = 0; i < d->edges->len; i++) {
        const DnDraftEdge *e = &g_array_index(d->edges, DnDraftEdge, i);
        guint32 other = e->a == gpu ? e->b : e->b == gpu ? e->a : gpu;
        if (dn_draft_at(d, other)->kind == DN_DRAFT_NVSWITCH)
            return TRUE;
    }
    return FALSE;
}

void dn_draft_split_ports(DnDraft *d)
{
    guint n = d->edges->len, made = 0;
    for (guint i = 0; i < n; i++) {
        DnDraftEdge *e = &g_array_index(d->edges, DnDraftEdge, i);
        guint32 gpu = dn_draft_at(d, e->a)->kind == DN_DRAFT_GPU ? e->a : e->b;
        guint32 other = gpu == e->a ? e->b : e->a;
        DnDraftKind kind = dn_draft_at(d, other)->kind;
        if (kind == DN_DRAFT_GPU || kind == DN_DRAFT_NVSWITCH || !reaches_over(d, gpu))
            continue;
        g_autofree char *name = g_strdup_printf("%s-port", dn_draft_at(d, gpu)->name);
        guint32 port = dn_draft_vertex(d, DN_DRAFT_SWITCH, name, NULL);
        e->a = gpu;
        e->b = port;
        dn_draft_edge(d, port, other, dn_known_port(d), 1);
        made++;
    }
    if (made > 0)
        dn_draft_note(
            d, "The port that a GPU hangs on at the host is a vertex of its own (gpu0-port), "
               "so that the path of fewest hops between GPUs is the one over their links.");
}
