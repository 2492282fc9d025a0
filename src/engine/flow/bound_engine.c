/* bound_engine.c - engine `bound`: what no engine can be faster than, but for the order in which
 * endpoints serve.
 *
 * The programs run as ever, with their mechanisms and dependencies, but a message takes the time it
 * would take alone, by the best of the paths that routing may choose for it (path_bounds.h): path
 * latency + bytes / narrowest link, as in LogGP (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP:
 * Incorporating Long Messages into the LogP Model", SPAA 1995) with the machine's own L and G for
 * each pair. The end of the run is moreover no earlier than the bytes that must cross any one link,
 * or leave or enter any one endpoint, allow (contention_free.c).
 * Counters of links hold what must cross them; of packet-hops those over such links.
 * LIMITATIONS: times of iterations are those without contention; only the end of the run, and
 * `darner compare`, know what links have to carry in all. A message that comes earlier than it
 * could may be served before one that more depends on, where an endpoint serves in the order of
 * arrival (its processor, its read queues): so an alltoall of 64 KiB over 14 dies of LUMI takes
 * 0.8 % longer here than by packets. The packet engine rounds each packet's time to whole ps. */
#include "engine/flow/flow.h"

static gboolean bound_run(const DnEngineRun *run, DnEngineResult *result, GError **error)
{
    DnFlowOptions options = {.paths = 1, .max_paths = 1, .alone = TRUE};
    return dn_flow_run(run, &options, result, error);
}

extern const DnEngineType dn_engine_bound;
const DnEngineType dn_engine_bound = {
    .name = "bound",
    .help = "each message as if alone",
    .least_latency_ps = 1,
    .limits = "no contention: each message takes what it would take alone; only the end of the run "
              "is held to what links and endpoints have to carry in all",
    .run = bound_run,
};
