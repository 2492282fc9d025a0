/* hardware.h - Hardware parameters of switches and NICs that a graph cannot show: lanes,
 * arbitration, packets, the NIC's limits, congestion control. From a machine's `hardware:`.
 *
 * Lanes keep service levels apart: each has its own buffers and queues on every link and a share
 * of the link by `arbitration`. service_levels[s] is the lane of level s. */
#pragma once
#include "config/params.h"

#define DN_MAX_LANES 16
#define DN_MAX_SERVICE_LEVELS 16

typedef enum {
    DN_ARBITRATION_ROUND_ROBIN, /* lanes take turns, packet by packet */
    DN_ARBITRATION_WEIGHTED,    /* deficit round robin: bytes in proportion to lane_weights */
    DN_ARBITRATION_STRICT,      /* the highest lane with a packet that can go */
} DnArbitration;

typedef enum {
    DN_INPUT_VOQ,  /* each packet of a switch's input buffer competes for its own output */
    DN_INPUT_FIFO, /* only the first does, see engine/packet/fifo.h */
} DnInputBuffers;

typedef enum {
    DN_CONGESTION_NONE,
    DN_CONGESTION_ENDPOINT_THROTTLE, /* per destination, see engine/packet/throttle.c */
    DN_CONGESTION_INFINIBAND,        /* marks and tables, see engine/packet/infiniband.c */
} DnCongestion;

typedef enum {
    DN_RAILS_OWN,         /* each endpoint uses its own NIC */
    DN_RAILS_ROUND_ROBIN, /* an endpoint's messages take the node's NICs in turn */
    DN_RAILS_HASHED,      /* by source and destination: one NIC a pair */
    DN_RAILS_FIRST,  /* all endpoints of a node share its first NIC; parts of a message the next */
    DN_RAILS_TARGET, /* the NIC of the target's rail: rails are changed inside the node (PXN) */
} DnRails;

typedef struct {
    guint32 lanes;    /* >= 1 */
    guint32 n_levels; /* service levels known */
    guint8 level_lane[DN_MAX_SERVICE_LEVELS];
    DnArbitration arbitration;
    guint32 lane_weights[DN_MAX_LANES];
    DnInputBuffers input_buffers;
    double speedup;            /* crossbar: input port to outputs, times link rate; 0: no limit */
    gint64 header_bytes;       /* wire bytes added to each packet */
    gint64 packet_bytes;       /* the machine's own maximum payload per packet (MTU) */
    gint64 injection_bps;      /* NIC injection limit; 0: the link's */
    DnRails rails;             /* of messages to other nodes, at both ends alike */
    DnRails host_rails;        /* the same between processors */
    double message_rate_per_s; /* NIC message rate; 0: unlimited */
    guint32 window_packets;    /* requests of a NIC without response; 0: no responses modelled */
    gint64 response_bytes;     /* of a response packet on the wire */
    gint64 flit_bytes;         /* payload of a data flit, for the NIC's counters */
    guint32 header_flits;      /* flits of a request before its data */
    double clock_hz;           /* of the NIC: stalls are counted in its cycles */
    DnCongestion congestion;
    gint64
        throttle_target_ps; /* queueing delay at the last switch to which senders are throttled */
    /* infiniband, by the specification's names (engine/packet/infiniband.c) */
    guint32 cc_threshold, cc_marking_rate, ccti_increase, ccti_limit;
    gint64 cc_packet_bytes, ccti_timer_ps; /* timer 0: by cct_longest */
    double cct_longest;                    /* the last entry of its table, in packets */
} DnHardware;

/* @node: `hardware:` or NULL (defaults). FALSE + error at a key. */
gboolean dn_hardware_read(const DnConfigNode *node, DnHardware *out, GError **error);

/* Checks that the buffers of @classes (DnLinkClass) hold a response, and those that queues share a
 * whole packet: otherwise none could use them. @keys: `hardware:` or NULL; @part: `fabric:` or
 * `node:` of these classes. FALSE + error at a key. */
gboolean dn_hardware_check_buffers(const DnHardware *hardware, const DnConfigNode *keys,
                                   const DnConfigNode *part, const GArray *classes, GError **error);

/* Returns a NIC's window in packets of @packet_bytes, at least 1. Where these stand for several of
 * the machine's packets, the window has as many bytes as with the machine's own. */
guint32 dn_hardware_window(const DnHardware *hardware, gint64 packet_bytes);

/* `hardware:` of a machine. */
extern const DnParamSpec dn_hardware_keys[];
