/* nic_model.h - The network time of a NIC's messages, estimated from the NIC's own counters.
 *
 * De Sensi, Di Girolamo & Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, section 2.4, equation 2: a message of p packets and f flits
 * lasts, in cycles of the NIC,
 *     T = (p + 512) / 1024 * L + f * (s + 1)
 * where 1024 packets are the NIC's window, with L the mean time from a packet to its response, and
 * s the cycles a flit waited for credit. T contains no time of the hosts: the network alone makes
 * it vary. Several messages one after the other pay the 512 each.
 * Of every iteration the counters of all ranks' NICs are added up, and T is that of the rank where
 * it is largest. A rank's NIC is read when it sends for the first time in the next iteration, so
 * that responses to the last one's packets are its own; in the last iteration when that ends.
 * LIMITATIONS: a NIC that several ranks or jobs share counts for each of them; a rank with several
 * streams is read when one begins the next iteration; responses that come after that count for the
 * next one; messages that wait for each other (of a ring, a tree) are one time of T each,
 * messages sent at once, too. */
#pragma once
#include "engine/engine.h"

/* Constants of the machine's NICs. */
typedef struct {
    gint64 packet_bytes, flit_bytes;
    guint32 header_flits;
    guint32 window; /* packets without response; 1,024 on Aries */
    double clock_hz;
} DnNicModel;

/* FALSE: its NICs get no responses, so count no latency. */
gboolean dn_nic_model_init(DnNicModel *model, const DnHardware *hardware, gint64 packet_bytes);
/* Packets and flits of a message. */
double dn_nic_model_packets(const DnNicModel *model, gint64 bytes);
double dn_nic_model_flits(const DnNicModel *model, gint64 bytes);

/* One iteration, of all ranks together. */
typedef struct {
    guint64 responses, flits;
    gint64 latency_ps, stalled_ps; /* sums */
    gint64 network_ps;             /* the largest T */
} DnNicIteration;

/* The counters of one rank's NIC at the end of its last iteration. */
typedef struct {
    DnNicCounters seen;
    guint64 sent;      /* messages since */
    gboolean ended;    /* an iteration that has not been counted yet: */
    guint32 iteration; /* its number */
} DnNicWatch;

/* The rank's iteration ended with @now on its NIC. Sums and maxima are atomic: of any order. */
void dn_nic_watch_end(const DnNicModel *model, DnNicWatch *watch, const DnNicCounters *now,
                      DnNicIteration *iteration);
