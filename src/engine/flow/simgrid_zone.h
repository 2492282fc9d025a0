/* simgrid_zone.h - The C interface to SimGrid's max-min solver; simgrid_zone.cpp is the one C++
 * file.
 *
 * A platform of links without latency between two hosts, in a zone that has no routes of its own:
 * for each transfer it asks the caller which links to cross. There is one platform per process,
 * which cannot be replaced: only flow/solver_child.c, in a process of its own, calls these
 * functions. SimGrid aborts on invalid input.
 * Time is in us and sizes in bytes, so that SimGrid's absolute tolerances (1e-5 of a rate, 1e-6 of
 * a date: 1 ps) are far below any time of interest: with seconds a rate of 25 GB/s has no such
 * digits. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    void *data;
    /* A transfer ended; more may end at the same instant. */
    void (*done)(void *data, uint32_t flow);
    /* After the last end of an instant, or at the date given to dn_simgrid_wake(). Posts what
     * starts now. */
    void (*pause)(void *data, double now_us);
} DnSimgridCalls;

/* @capacity: bytes per us, [n_links]. */
void dn_simgrid_open(const double *capacity, uint32_t n_links, const DnSimgridCalls *calls);
/* Transfers that would end within @tolerance_us of one that ends, end with it; 1e-6 at first. */
void dn_simgrid_tolerate(double tolerance_us);
/* Starts a transfer of @bytes over @links, at most @cap bytes per us (0: no limit). A link that is
 * listed m times carries m times the transfer's rate. */
void dn_simgrid_post(uint32_t flow, double bytes, double cap, const uint32_t *links, uint32_t n);
/* Calls pause() at @date_us, when nothing ends before; replaces the date given before. */
void dn_simgrid_wake(double date_us);
double dn_simgrid_clock_us(void);
/* Runs until no transfer is in flight and no date is set. */
void dn_simgrid_run(void);

#ifdef __cplusplus
}
#endif
