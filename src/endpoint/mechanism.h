/* mechanism.h - how a message leaves and arrives: the costs and rules between a program's send and
 * the wires.
 *
 * A mechanism is a set of numbers, each from a machine file or a run (`mechanism:`), read through
 * one DnParamSpec table, applied by replay/. It is a property of the copy mechanism, never of a
 * pattern. First form; staged and GPU-initiated mechanisms build on it.
 *
 *   t_issue  the host (or rank) is busy this long per send, one after another
 *   t_start  from issue (or from the engine's turn) to the first byte on the wire
 *   t_recv   from the last byte to completion at the receiver
 *   t_setup  extra start-up of a large transfer (>= setup_threshold bytes)
 *   serial   sends of one source run one after another in issue order (copy engine)
 *   eager_threshold  longer messages go by rendezvous: a request to send (RTS) of control_bytes,
 *            answered with a clear to send (CTS) once a receive agrees, then the data (serial and
 *            t_start are the data's). Control messages cross the network like any other.
 *   t_control  from an RTS that has its receive to its CTS, and from the CTS to the data's turn
 *   rate     cap per message (bit/s); efficiency is a property of links */
#pragma once
#include "config/params.h"

typedef struct {
    const char *name; /* e.g. "d2d", "mpi-host" */
    gint64 issue_ps;
    gint64 start_ps;
    gint64 recv_ps;
    gint64 setup_ps;
    gint64 setup_threshold_bytes;
    gboolean serial;
    gint64 rate_bps;
    gint64 rendezvous_from_bytes; /* messages of at least this size; 0: none */
    gint64 control_bytes;
    gint64 control_ps;
    gint64 reduce_bps; /* local reduction rate, bytes*8/s; 0: free */
    gint64 copy_bps;   /* local copy rate; 0: free */
} DnMechanism;

extern const DnParamSpec dn_mechanism_params[];

/* @node: a scalar naming an entry of the machine's `mechanisms:` (@known), an inline mapping, or
 * NULL: `direct`, all zeros. */
gboolean dn_mechanism_read(const DnConfigNode *node, const DnConfigNode *known, DnMechanism *out,
                           GError **error);
