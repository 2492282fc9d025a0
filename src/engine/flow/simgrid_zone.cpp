/* simgrid_zone.cpp - see simgrid_zone.h.
 *
 * SimGrid 3.32 (Casanova et al., "Versatile, Scalable, and Accurate Simulation of Distributed
 * Applications and Platforms", JPDC 74(10), 2014). No actors: transfers are posted from its main
 * loop, between two of its steps. Measured rules: model CM02 without cross-traffic and TCP window,
 * links without latency, since it weighs shares by 1/latency and fails below 1 us. */
#include "engine/flow/simgrid_zone.h"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace s4u = simgrid::s4u;
namespace routing = simgrid::kernel::routing;
using simgrid::kernel::timer::Timer;

namespace
{

/* What is posted at the moment: the zone answers with its links. */
struct Posted {
    const uint32_t *links;
    uint32_t n;
    s4u::Link *cap; /* or nullptr */
};

struct Flow {
    uint32_t id;
    s4u::Link *cap; /* its own, or nullptr */
    s4u::CommPtr comm;
};

struct State {
    DnSimgridCalls calls;
    Posted posted;
    std::vector<simgrid::kernel::resource::StandardLinkImpl *> links;
    s4u::Host *from, *to;
    s4u::NetZone *zone;
    std::vector<s4u::Link *> caps; /* not in use */
    unsigned cap_zones;
    std::unordered_map<const s4u::Activity *, Flow> flows;
    Timer *wake;
    bool ended; /* something ended at this instant: a pause is due */
};

State *state;

class AskingZone : public routing::NetZoneImpl
{
  public:
    explicit AskingZone(const std::string &name) : NetZoneImpl(name)
    {
    }
    void get_local_route(const routing::NetPoint *, const routing::NetPoint *, routing::Route *into,
                         double *) override
    {
        for (uint32_t i = 0; i < state->posted.n; i++)
            into->link_list_.push_back(state->links[state->posted.links[i]]);
        if (state->posted.cap != nullptr)
            into->link_list_.push_back(state->posted.cap->get_impl());
    }
};

/* Comm::set_rate() is ignored by transfers between hosts (3.32), so a limit is a link of the
 * transfer's own. A sealed zone takes no more links: they come in zones of their own. */
s4u::Link *take_cap(double capacity)
{
    if (state->caps.empty()) {
        std::string name = "caps" + std::to_string(state->cap_zones++);
        s4u::NetZone *zone = (new AskingZone(name))->get_iface();
        zone->get_impl()->set_network_model(state->zone->get_impl()->get_network_model());
        for (unsigned i = 0; i < 256; i++)
            state->caps.push_back(
                zone->create_link(name + "." + std::to_string(i), 1.0)->set_latency(0.0));
        zone->seal();
    }
    s4u::Link *cap = state->caps.back();
    state->caps.pop_back();
    cap->set_bandwidth(capacity);
    return cap;
}

void pause_now()
{
    state->wake = nullptr;
    state->ended = false;
    state->calls.pause(state->calls.data, s4u::Engine::get_clock());
}

void on_completion(s4u::Activity const &activity)
{
    auto found = state->flows.find(&activity);
    if (found == state->flows.end())
        return;
    Flow flow = found->second; /* keeps the transfer until we return */
    state->flows.erase(found);
    if (flow.cap != nullptr)
        state->caps.push_back(flow.cap);
    if (!state->ended) {
        state->ended = true;
        if (state->wake != nullptr)
            state->wake->remove();
        state->wake = Timer::set(s4u::Engine::get_clock(), [] { pause_now(); });
    }
    state->calls.done(state->calls.data, flow.id);
}

void configure()
{
    static char name[] = "darner";
#if defined(__SANITIZE_ADDRESS__)
    static char factory[] = "--cfg=contexts/factory:thread";
#else
    static char factory[] = "--cfg=contexts/factory:raw";
#endif
    static char model[] = "--cfg=network/model:CM02", cross[] = "--cfg=network/crosstraffic:no",
                gamma[] = "--cfg=network/TCP-gamma:0",
                bandwidth[] = "--cfg=network/bandwidth-factor:1",
                weight[] = "--cfg=network/weight-S:0", quiet[] = "--log=root.thres:error";
    static char *argv[] = {name, factory, model, cross, gamma, bandwidth, weight, quiet, nullptr};
    static int argc = 8;
    new s4u::Engine(&argc, argv); /* lives as long as the process */
    s4u::Engine::set_config("surf/precision", 1e-6);
}

void zone_open(const double *capacity, uint32_t n_links, const DnSimgridCalls *calls)
{
    configure();
    state = new State{};
    state->calls = *calls;
    s4u::NetZone *zone = (new AskingZone("fabric"))->get_iface();
    state->from = zone->create_host("from", 1.0);
    state->to = zone->create_host("to", 1.0);
    state->links.reserve(n_links);
    for (uint32_t l = 0; l < n_links; l++)
        state->links.push_back(
            zone->create_link(std::to_string(l), capacity[l])->set_latency(0.0)->get_impl());
    zone->seal();
    state->zone = zone;
    s4u::Activity::on_completion_cb(on_completion);
}

void zone_tolerate(double tolerance_us)
{
    s4u::Engine::set_config("surf/precision", tolerance_us);
}

void zone_post(uint32_t flow, double bytes, double cap, const uint32_t *links, uint32_t n)
{
    state->posted = {links, n, cap > 0 ? take_cap(cap) : nullptr};
    s4u::CommPtr comm = s4u::Comm::sendto_init();
    comm->set_payload_size(static_cast<uint64_t>(bytes));
    comm->set_source(state->from);
    state->flows[comm.get()] = {flow, state->posted.cap, comm};
    comm->set_destination(state->to); /* which starts it */
}

void zone_wake(double date_us)
{
    if (state->wake != nullptr)
        state->wake->remove();
    state->wake = Timer::set(date_us, [] { pause_now(); });
}

double zone_clock_us()
{
    return s4u::Engine::get_clock();
}

void zone_run()
{
    s4u::Engine::get_instance()->run();
}

} // namespace

extern "C" {

extern __attribute__((visibility("default"))) const DnSimgrid dn_simgrid_functions;
const DnSimgrid dn_simgrid_functions = {zone_open, zone_tolerate, zone_post,
                                        zone_wake, zone_clock_us, zone_run};
}
