/* ideal.c - see ideal.h. */
#include "replay/ideal.h"

#include <string.h>

#define TIMES_FASTER 1000000
#define PACKET_LATENCY_PS 1000

void dn_idealise(DnMachine *machine, const DnEngineType *engine, guint ideal)
{
    DnGraph *graph = machine->graph;
    gint64 latency_ps = strcmp(engine->name, "packet") == 0 ? PACKET_LATENCY_PS : 1;
    for (guint32 c = 0; c < graph->n_classes; c++) {
        DnLinkClass *class_ = &graph->classes[c];
        if (ideal & DN_IDEAL_BANDWIDTH)
            class_->bandwidth_bps = MIN(class_->bandwidth_bps, G_MAXINT64 / TIMES_FASTER / 64) *
                                    TIMES_FASTER;
        if (ideal & DN_IDEAL_LATENCY)
            class_->latency_ps = MIN(class_->latency_ps, latency_ps);
    }
    for (guint32 v = 0; (ideal & DN_IDEAL_LATENCY) && v < graph->n_vertices; v++)
        graph->vertices[v].latency_ps = 0;
}
