/* topology.h - A topology type builds the switches and cables of a fabric from checked parameters.
 *
 * One file per type (torus.c, dragonfly.c, ...) ends in its `dn_topology_<name>`; the list is in
 * src/topology/meson.build. No state, no random draws: equal parameters give a bit-identical
 * graph. Not modelled here: routing, queues, failures.
 * Shapes: switches 0..R-1, terminals 0..T-1, directed links 0..L-1 (a cable is two links).
 * Units:  bandwidth bit/s (_bps), time ps (_ps). */
#pragma once
#include "config/params.h"
#include "topology/graph.h"

/* Description of a fabric type; the machine (machine.h) adds nodes and NICs. */
typedef struct {
    guint32 switches, terminals, cables; /* cables: between switches only */
    guint32 groups, group_switches;
    guint32 planes;                    /* parts that no cable joins; 0 or 1: one */
    guint32 n_dims, dims[DN_MAX_DIMS]; /* of a torus */
} DnFabricSize;

/* Shapes for which there are closed forms. */
typedef enum {
    DN_SHAPE_OTHER,
    DN_SHAPE_TORUS,
    DN_SHAPE_GROUPS,   /* every two groups linked alike */
    DN_SHAPE_COMPLETE, /* every two switches linked alike */
} DnShape;

typedef struct {
    const char *name;   /* `fabric.type` in YAML, e.g. "dragonfly" */
    const char *help;   /* what it is, a phrase */
    const char *limits; /* what it cannot express */
    const char *source; /* "Kim et al., Technology-Driven ... Dragonfly, ISCA 2008" */
    DnShape shape;
    const DnParamSpec *params;       /* key, unit, range, default; a NULL key ends it */
    const char *const *link_classes; /* names the type uses, NULL-terminated: "terminal" first */
    /* Returns how many link classes, from the first, these parameters need (a two-level tree has no
     * links of a third level); the others may be DN_NONE in build(). NULL: all. */
    guint (*classes_used)(const DnParams *params);
    /* Exact counts in O(1); FALSE + DN_ERROR_RANGE at the offending key's file:line:col. */
    gboolean (*size)(const DnParams *params, DnFabricSize *size, GError **error);
    /* Adds exactly size.cables cables; sets group, local, level of the switches.
     * @classes: graph class id of each of .link_classes. Runs only after size(): cannot fail. */
    void (*build)(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes);
    /* Switch of terminal @t (t in 0..T-1). */
    guint32 (*terminal_switch)(const DnParams *params, guint32 t);
    /* Returns the hops of the shortest path from switch @a to @b, by the closed form of .source;
     * the tests compare it with a breadth-first search. */
    guint (*distance)(const DnParams *params, guint32 a, guint32 b);
} DnTopologyType;

extern const DnTopologyType *const dn_topology_types[]; /* NULL-terminated, generated */
const DnTopologyType *dn_topology_find(const char *name);
