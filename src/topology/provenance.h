/* provenance.h - Provenance names the source or assumption behind each number of a machine's tree.
 * */
#pragma once
#include "topology/machine.h"

/* (transfer full): DnProvenance* for every number below @root, in file order. The rule is beside
 * DnProvenance in machine.h. Keys `description` and `name` hold no numbers. */
GPtrArray *dn_provenance_collect(const DnConfigNode *root);
