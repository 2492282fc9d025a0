/* what_if.c - see what_if.h. */
#include "experiment/what_if.h"

#include <string.h>

#define TIMES_FASTER 1000000

/* A single ideal class among others keeps finite buffers, since later links still exert
 * back-pressure on its senders; the buffers fit the faster link, and no NIC limits it. */
#define ONE_CLASS_TIMES_FASTER 1000
#define ONE_CLASS_TIMES_BUFFER 16

static void unbind_class(DnMachine *machine, DnLinkClass *class_)
{
    class_->bandwidth_bps = MIN(class_->bandwidth_bps, G_MAXINT64 / ONE_CLASS_TIMES_FASTER / 64) *
                            ONE_CLASS_TIMES_FASTER;
    class_->buffer_bytes *= ONE_CLASS_TIMES_BUFFER;
    class_->shared_buffer_bytes *= ONE_CLASS_TIMES_BUFFER;
    machine->hardware.injection_bps = 0;
}

void dn_what_if_apply_mechanism(DnMechanism *mechanism, guint unlimited)
{
    if (unlimited & DN_WHAT_IF_ENDPOINT)
        mechanism->connect_ps = 0;
    for (guint i = 0; i < MAX(1, mechanism->n_rules); i++) {
        DnCosts *c = &mechanism->rules[i].costs;
        if (unlimited & DN_WHAT_IF_INJECTION)
            c->rate_bps = 0;
        if (unlimited & DN_WHAT_IF_INJECTION && c->channel_bps > 0)
            c->channel_bps = DN_CHANNEL_FREE;
        if (unlimited & DN_WHAT_IF_COMPUTE)
            c->local.reduce_ps = c->local.copy_ps = c->local.reduce_bps = c->local.copy_bps =
                c->local.reduce_byte_bps = c->local.memory_bps = 0;
        if (!(unlimited & DN_WHAT_IF_ENDPOINT))
            continue;
        c->call_ps = c->batch_ps = c->issue_ps = c->post_ps = c->wait_ps = c->control_ps = 0;
        c->enqueue_ps = c->local.register_bps = 0;
        c->start_ps = c->setup_ps = c->path.host_ps = c->path.device_ps = c->path.host_bps =
            c->receive.recv_ps = 0;
        c->receive.proxy_post_ns = c->receive.progress_ns = c->ack_ns = 0;
        c->n_out = c->n_in = 0;
    }
}

void dn_what_if_apply(DnMachine *machine, const DnEngineType *engine, const DnWhatIf *what_if)
{
    const guint unlimited = what_if->unlimited;
    const char *link_class = what_if->link_class;
    DnGraph *graph = machine->graph;
    gint64 latency_ps = engine->least_latency_ps;
    for (guint32 c = 0; c < graph->n_classes; c++) {
        DnLinkClass *class_ = &graph->classes[c];
        if (unlimited & DN_WHAT_IF_BANDWIDTH && link_class != NULL) {
            if (strcmp(class_->name, link_class) == 0)
                unbind_class(machine, class_);
        } else if (unlimited & DN_WHAT_IF_BANDWIDTH)
            class_->bandwidth_bps = MIN(class_->bandwidth_bps, G_MAXINT64 / TIMES_FASTER / 64) *
                                    TIMES_FASTER;
        if (unlimited & DN_WHAT_IF_LATENCY)
            class_->latency_ps = MIN(class_->latency_ps, latency_ps);
    }
    for (guint32 v = 0; (unlimited & DN_WHAT_IF_LATENCY) && v < graph->n_vertices; v++)
        graph->vertices[v].latency_ps = 0;
    if (unlimited & DN_WHAT_IF_INJECTION)
        machine->hardware.message_rate_per_s = 0;
}
