/* placement.h - which endpoint each rank of each job lives on.
 *
 * Jobs take different endpoints: jobs with a list first, the others in file order from what is
 * left. Only lists may share an endpoint, each with another job's (one rank of a job an endpoint).
 *   contiguous  the free endpoints in order
 *   random      a permutation of the free endpoints drawn from (seed, job): its first ranks
 *   spread      one rank a node in node order, then again: rank r on node r % nodes while every
 *               node has a free endpoint
 *   list        as written */
#pragma once
#include "config/scenario.h"
#include "topology/graph.h"

typedef struct {
    guint32 *endpoints; /* [ranks] */
    guint32 ranks;
} DnPlacement;

/* @placements: [scenario->n_jobs], cleared by the caller also after an error. FALSE +
 * DN_ERROR_RANGE at the job's `ranks` or list item. */
gboolean dn_place_jobs(const DnScenario *scenario, const DnGraph *graph, DnPlacement *placements,
                       GError **error);
