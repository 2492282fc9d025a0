/* open_loop.h - messages sent at a given mean rate, whether or not the network keeps up.
 *
 * Every rank sends `messages` one-sided messages of `bytes`, with exponential gaps whose mean is
 * bytes * 8 / (load * rate), after a start offset uniform within one gap. Exponential gaps between
 * messages: a Poisson process, the open-loop measurement of Dally & Towles, "Principles and
 * Practices of Interconnection Networks", 2004, section 23.3. `arrivals: bernoulli`, as there: time
 * is cut into slots of one message at full rate, and in each the rank sends with probability load.
 * A run that measures steady state (experiment/measure.h) sets DnProgram.endless: then nobody
 * stops. Draws are counter-based: stream (seed, workload, rank), so a rank's traffic does not
 * depend on anything the network does. */
#pragma once
#include "workload/program.h"

/* What its types leave out. */
#define DN_OPEN_LOOP_LIMITS                                                                        \
    "a gap counts from the end of the previous send's issue cost: with a mechanism whose t_issue " \
    "is not small against the gap the offered load falls below load"

typedef struct {
    gint64 bytes;
    guint32 messages;   /* per rank and iteration */
    double mean_gap_ps; /* 0: back to back */
    double offered_bps, rate_bps;
    double log_idle; /* bernoulli: ln(1 - load) of a slot without message; 0: Poisson */
    double slot_ps;
} DnOpenLoop;

extern const char *const dn_open_loop_arrivals[];

/* `load` 0 or absent: not open loop; the caller decides what that means. */
#define DN_OPEN_LOOP_PARAMS(load_fallback)                                                         \
    {"load", DN_PARAM_REAL, load_fallback, 0, 1, NULL, "offered load as a fraction of rate"},      \
        {"rate", DN_PARAM_RATE, "", 1, 1e18, NULL, "rate of a rank at load 1"},                    \
        {"arrivals", DN_PARAM_CHOICE, "poisson", 0, 0, dn_open_loop_arrivals, "of messages"},      \
    {                                                                                              \
        "messages", DN_PARAM_INT, "1000", 1, 1e9, NULL, "messages a rank sends in an iteration"    \
    }

/* FALSE + error when `rate` is missing, or load is not above 0. */
gboolean dn_open_loop_init(DnOpenLoop *loop, const DnParams *params, GError **error);
/* The next gap or send of @rank. *@draw: 64 bits for the destination of a send. */
typedef enum {
    DN_OPEN_LOOP_GAP,
    DN_OPEN_LOOP_SEND,
    DN_OPEN_LOOP_DRAIN,
    DN_OPEN_LOOP_DONE
} DnLoopStep;
DnLoopStep dn_open_loop_next(const DnOpenLoop *loop, const DnProgram *program, guint32 rank,
                             DnCursor *cursor, DnOp *op, guint64 *draw);
