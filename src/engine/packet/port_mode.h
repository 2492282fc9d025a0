/* port_mode.h - What a run asks of its ports, and code that is compiled for each case.
 *
 * Most runs use few of the features that a port may have. Their code is written once, with the mode
 * as a constant parameter, and the compiler leaves out what a mode does not need. */
#pragma once
#include "engine/packet/core.h"

/* DnPacketFeatures.port_mode: lean, no features (hooks.h) on a machine that is `plain`; bare, no
 * features; controlled, congestion control or larger packets without any other; hooked, all. */
typedef enum { DN_PORT_LEAN, DN_PORT_BARE, DN_PORT_CONTROLLED, DN_PORT_HOOKED } DnPortMode;

/* Compiles @name, whose last argument is the mode, once for each mode as a constant: each in a
 * function of its own, so that the instructions of a run are close together (port.c compiled as one
 * function missed the first cache of instructions five times as often). name##_by_mode() calls
 * that of the run of @partition, a parameter; DN_PORT_CALL() that of a mode. */
#define DN_PORT_CALL(name, mode, ...)                                                              \
    ((mode) == DN_PORT_LEAN         ? name##_lean(__VA_ARGS__)                                     \
     : (mode) == DN_PORT_BARE       ? name##_bare(__VA_ARGS__)                                     \
     : (mode) == DN_PORT_CONTROLLED ? name##_controlled(__VA_ARGS__)                               \
                                    : name##_hooked(__VA_ARGS__))
#define DN_PORT_MODES(name, parameters, ...)                                                       \
    static __attribute__((noinline)) void name##_lean parameters                                   \
    {                                                                                              \
        name(__VA_ARGS__, DN_PORT_LEAN);                                                           \
    }                                                                                              \
    static __attribute__((noinline)) void name##_bare parameters                                   \
    {                                                                                              \
        name(__VA_ARGS__, DN_PORT_BARE);                                                           \
    }                                                                                              \
    static __attribute__((noinline)) void name##_controlled parameters                             \
    {                                                                                              \
        name(__VA_ARGS__, DN_PORT_CONTROLLED);                                                     \
    }                                                                                              \
    static __attribute__((noinline)) void name##_hooked parameters                                 \
    {                                                                                              \
        name(__VA_ARGS__, DN_PORT_HOOKED);                                                         \
    }                                                                                              \
    static inline G_GNUC_UNUSED void name##_by_mode parameters                                     \
    {                                                                                              \
        DN_PORT_CALL(name, partition->engine->features.port_mode, __VA_ARGS__);                    \
    }
