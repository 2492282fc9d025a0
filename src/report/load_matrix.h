/* load_matrix.h - The load matrix has the traffic between the parts of a machine, for pictures of
 * it.
 *
 * Parts are the groups of a fabric; without traffic between those, its switches; else the GPUs,
 * NICs and switches of its nodes. Of more than DN_LOAD_PARTS only those with traffic.
 * LIMITATIONS: there is no matrix when more than DN_LOAD_PARTS have traffic. */
#pragma once
#include "report/json.h"
#include "experiment/simulate.h"

#define DN_LOAD_PARTS 96

/* {"parts": "group", "names": [...], "cells": [{from, to, links, bytes, busy, stalled}, ...]} under
 * "loads": cells with traffic, busy and stalled of the busiest link, as shares of the run. With
 * several lanes in use their names, "lanes", and in each cell the share of the run that the lane
 * kept its busiest link sending. Nothing when too many parts have traffic, or there is none between
 * parts. */
void dn_load_matrix_json(JsonBuilder *json, const DnRunResult *result);
