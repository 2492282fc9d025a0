/* nic_model.c - see nic_model.h. */
#include "runtime/nic_model.h"

gboolean dn_nic_model_init(DnNicModel *model, const DnHardware *hardware, gint64 packet_bytes)
{
    *model = (DnNicModel){
        .packet_bytes = packet_bytes,
        .window = dn_hardware_window(hardware, packet_bytes),
        .flit_bytes = hardware->flit_bytes,
        .header_flits = hardware->header_flits,
        .clock_hz = hardware->clock_hz,
    };
    return hardware->window_packets > 0;
}

/* Returns equation 2 in cycles, of @messages messages with @packets and @flits together. */
static double nic_model_cycles(const DnNicModel *model, double messages, double packets,
                               double flits, double latency, double stalls)
{
    double window = model->window;
    return (packets + messages * window / 2) / window * latency + flits * (stalls + 1);
}

double dn_nic_model_packets(const DnNicModel *model, gint64 bytes)
{
    return (double)MAX(1, (bytes + model->packet_bytes - 1) / model->packet_bytes);
}

double dn_nic_model_flits(const DnNicModel *model, gint64 bytes)
{
    gint64 data_flits = (bytes + model->flit_bytes - 1) / model->flit_bytes;
    return dn_nic_model_packets(model, bytes) * model->header_flits + (double)data_flits;
}

static void keep_largest(DnNicIteration *iteration, gint64 network_ps)
{
    gint64 *largest = &iteration->network_ps;
    gint64 seen = __atomic_load_n(largest, __ATOMIC_RELAXED);
    while (seen < network_ps && !__atomic_compare_exchange_n(largest, &seen, network_ps, TRUE,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

void dn_nic_watch_end(const DnNicModel *model, DnNicWatch *watch, const DnNicCounters *now,
                      DnNicIteration *iteration)
{
    const DnNicCounters *then = &watch->seen;
    guint64 responses = now->responses - then->responses;
    guint64 flits = now->request_flits - then->request_flits;
    gint64 latency_ps = now->latency_ps_sum - then->latency_ps_sum;
    gint64 stalled_ps = now->stalled_ps - then->stalled_ps;
    if (responses > 0 && flits > 0) {
        double cycle_ps = 1e12 / model->clock_hz;
        double mean = (double)latency_ps / (double)responses / cycle_ps;
        double stalls = (double)stalled_ps / (double)flits / cycle_ps;
        double packets = (double)(now->request_packets - then->request_packets);
        double t = nic_model_cycles(model, (double)MAX(1, watch->sent), packets, (double)flits,
                                    mean, stalls);
        keep_largest(iteration, (gint64)(t * cycle_ps + 0.5));
    }
    __atomic_add_fetch(&iteration->responses, responses, __ATOMIC_RELAXED);
    __atomic_add_fetch(&iteration->flits, flits, __ATOMIC_RELAXED);
    __atomic_add_fetch(&iteration->latency_ps, latency_ps, __ATOMIC_RELAXED);
    __atomic_add_fetch(&iteration->stalled_ps, stalled_ps, __ATOMIC_RELAXED);
    watch->seen = *now;
    watch->sent = 0;
}
