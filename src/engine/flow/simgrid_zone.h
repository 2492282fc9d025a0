/* simgrid_zone.h - The C interface to SimGrid's max-min solver; simgrid_zone.cpp is the one C++
 * file.
 *
 * A platform of links without latency between two hosts, in a zone that has no routes of its own:
 * for each transfer it asks the caller which links to cross. There is one platform per process,
 * which cannot be replaced: only flow/solver_child.c, in a process of its own, calls these
 * functions. SimGrid aborts on invalid input. They are a module, which simgrid_module.c loads.
 * Time is in us and sizes in bytes, so that SimGrid's absolute tolerances (1e-5 of a rate, 1e-6 of
 * a date: 1 ps) are far below any time of interest: with seconds a rate of 25 GB/s has no such
 * digits. */
#pragma once
#include <stdint.h>

typedef struct {
    void *data;
    /* A transfer ended; more may end at the same instant. */
    void (*done)(void *data, uint32_t flow);
    /* After the last end of an instant, or at the date given to wake(). Posts what
     * starts now. */
    void (*pause)(void *data, double now_us);
} DnSimgridCalls;

typedef struct {
    /* @capacity: bytes per us, [n_links]. */
    void (*open)(const double *capacity, uint32_t n_links, const DnSimgridCalls *calls);
    /* Transfers that would end within @tolerance_us of one that ends, end with it; 1e-6 at first.
     */
    void (*tolerate)(double tolerance_us);
    /* Starts a transfer of @bytes over @links, at most @cap bytes per us (0: no limit). A link that
     * is listed m times carries m times the transfer's rate. */
    void (*post)(uint32_t flow, double bytes, double cap, const uint32_t *links, uint32_t n);
    /* Calls pause() at @date_us, when nothing ends before; replaces the date given before. */
    void (*wake)(double date_us);
    double (*clock_us)(void);
    /* Runs until no transfer is in flight and no date is set. */
    void (*run)(void);
} DnSimgrid;

/* What the module exports. */
#define DN_SIMGRID_SYMBOL "dn_simgrid_functions"
#define DN_SIMGRID_MODULE "darner-simgrid.so"
