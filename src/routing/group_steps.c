/* group_steps.c - The channels of hops by phase and kind of port, as a table (group_path.h). */
#include "routing/group_path.h"

static void note_kinds(DnPortSet *sets, guint32 n, const guint8 *kinds)
{
    for (guint32 i = 0; i < n; i++)
        if (sets[i] != DN_PORT_SET_EMPTY && (sets[i] & DN_PORT_SET_SINGLE))
            sets[i] |= (DnPortSet)kinds[sets[i] & 0xffff] << DN_PORT_SET_NOTE_SHIFT;
}

void dn_group_note_kinds(DnGroupRouter *r)
{
    const DnGroupTable *t = r->table;
    for (guint32 s = 0; s < t->switches; s++) {
        const guint8 *kinds = r->port_kind + r->graph->port_first[s];
        note_kinds(t->toward_group + (gsize)s * t->groups, t->groups, kinds);
        note_kinds(t->toward_local + (gsize)s * t->group_switches, t->group_switches, kinds);
    }
}

/* The phase after a hop over a port of @kind, and its channel << 8. */
static guint16 step_of(const DnGroupRouter *r, guint phase, DnPortKind kind)
{
    guint segment = phase >> 4, inner = phase & 15;
    if (kind == DN_PORT_GLOBAL)
        return (guint16)(segment << 8 | ((segment + 1) << 4 & 255));
    guint16 after = (guint16)(segment << 4 | MIN(inner + 1, 15));
    if (r->detour & DN_DETOUR_STRETCH)
        return (guint16)(segment << 8 | after);
    if (r->tiers)
        return (guint16)((segment - (kind == DN_PORT_DOWN && segment > 0)) << 8 | after);
    if (segment >= DN_GROUP_MAX_SEGMENTS || inner >= r->inner_hops[segment])
        return DN_NO_STEP;
    return (guint16)((r->first[segment] + inner) << 8 | after);
}

void dn_group_fill_steps(DnGroupRouter *r)
{
    for (guint phase = 0; phase < G_N_ELEMENTS(r->steps); phase++)
        for (guint kind = 0; kind < DN_PORT_KINDS; kind++)
            r->steps[phase][kind] = step_of(r, phase, (DnPortKind)kind);
}
