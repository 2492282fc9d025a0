/* placement.h - Placement assigns each rank of each job to an endpoint.
 *
 * Jobs take different endpoints: jobs with a list first, then those with nodes, the others in file
 * order from what is left. Only lists may share an endpoint, each with another job's (one rank of a
 * job an endpoint). A job takes endpoints, not nodes: `ranks_per_node` leaves only so many of a
 * node's to the job, and others may take the rest. An `exclusive` job takes endpoints of nodes that
 * nobody is on, and nobody but a list comes to them later.
 *   contiguous      the free endpoints in order
 *   random          a permutation of the free endpoints drawn from (seed, job): its first ranks
 *   random_node, random_switch, random_group
 *                   a permutation of nodes, leaf switches or groups, each with its free endpoints
 *                   in order
 *   random_node_sorted
 *                   nodes as of random_node, ranks in the order of nodes: so Slurm numbers them,
 *                   whatever nodes a job gets
 *   spread, spread_switch, spread_group
 *                   round robin: one rank a node (switch, group) in order, then again
 *   [7, 2, 11]      endpoints as written
 *   {hosts: "nid[0001-0004]", first: 1}
 *                   Slurm's list of the nodes a job got; node 0 is the host with number `first`
 *   {nodes_per_group: [23, 17, 1]} or "2:23;1:17"
 *                   so many nodes in each of as many groups, groups and nodes drawn: the shape of a
 *                   measured allocation, of which the names of groups do not matter
 *   {nodes_per_group: [10, 4, 2], blades: 10, nodes_per_blade: 2}
 *                   the same on just so many blades, which are drawn; nodes of a blade have
 *                   consecutive numbers, and are as many as the machine's `attach` says, or two;
 *                   batch systems fill blades
 *   {routers_per_group: [9, 8], nodes_per_router: 4}
 *                   likewise so many switches, with that many free nodes each; without
 *                   nodes_per_router all that they have
 *   {coordinates: [[0, 0, 0], [1, 0, 0]]}
 *                   a place of a torus for each rank
 *   {torus: [8, 6, 4], onto: [[0, 3], [1, 4], [2, 5]]}
 *                   a logical torus mapped into a physical one (placement_torus.c)
 *   {file: placement.csv, run: "2024-03-19_13:17:58"}
 *                   such a shape from the column nodes_per_group of the row whose column `run` says
 *                   so */
#pragma once
#include "config/run_spec.h"
#include "topology/graph.h"

typedef struct {
    guint32 *endpoints; /* [ranks] */
    guint32 ranks;
} DnPlacement;

/* @placements: [spec->n_jobs], cleared by the caller also after an error. FALSE +
 * DN_ERROR_RANGE at the job's `ranks`, list item or key. */
gboolean dn_place_jobs(const DnRunSpec *spec, const DnGraph *graph, DnPlacement *placements,
                       GError **error);

/* Returns (transfer full) the node of each rank. */
guint32 *dn_placement_nodes(const DnPlacement *placement, const DnGraph *graph);

/* `placement:` of a job, as a mapping. */
extern const DnParamSpec dn_placement_keys[];
