/* packet_test.h - Fabrics of the packet engine's tests. */
#pragma once
#include "engine/packet/packet_bench.h"

/* 80 Gb/s: 100 ps a byte. Wires 10, 20 and 70 ns, switches 100 ns. */
#define DRAGONFLY                                                                                  \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 5\n  switches_per_group: 4\n  terminals_per_switch: 2\n"         \
    "  global_links_per_switch: 1\n"                                                               \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n"
