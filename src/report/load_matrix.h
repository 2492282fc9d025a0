/* load_matrix.h - The load matrix holds what crossed between the parts of a machine, for pictures
 * of it.
 *
 * Parts are the groups of a fabric; when nothing went from one to another, its switches; else the
 * GPUs, NICs and switches of its nodes. Of more than DN_LOAD_PARTS those alone that took part.
 * LIMITATIONS: when more than DN_LOAD_PARTS took part, finer ones would be more: none. */
#pragma once
#include "report/json.h"
#include "experiment/simulate.h"

#define DN_LOAD_PARTS 96

/* {"parts": "group", "names": [...], "cells": [{from, to, links, bytes, busy, stalled}, ...]} under
 * "loads": cells in which something moved, busy and stalled of the busiest link, as shares of the
 * run. With several lanes in use their names, "lanes", and in each cell the share of the run that
 * the lane kept its busiest link sending. Nothing when too many parts took part, or nothing went
 * from one to another. */
void dn_load_matrix_json(JsonBuilder *json, const DnRunResult *result);
