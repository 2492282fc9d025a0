/* fifo.h - input buffers that packets leave in order: `hardware.input_buffers: fifo`.
 *
 * A switch with virtual output queues lets every packet of an input buffer compete for its own
 * output. A simple input-queued one looks at the first packet of each (port, lane, channel) only,
 * routes it when it becomes first, and holds up all behind it: head-of-line blocking (Karol,
 * Hluchyj, Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch", IEEE Trans.
 * Commun. 35(12), 1987). BookSim 2's input-queued router is of this kind. */
#pragma once
#include "engine/packet/core.h"

/* The packets behind the first, which is at its output. */
struct DnFifo {
    guint32 head, tail;
    guint32 taken; /* there is a first one */
};
