/* draft_ports.h - The ports of GPUs become vertices of a draft where paths need them. */
#pragma once
#include "topology/import/draft.h"

/* A path inside a node is the shortest by hops (routing/node_routing.h), and GPU, CPU, GPU is as
 * short as GPU, NVSwitch, GPU. Real GPUs take the NVLinks: so the PCIe port that a GPU hangs on
 * becomes a vertex of its own where a GPU reaches others over a switch or over other GPUs. After
 * all edges. */
void dn_draft_split_ports(DnDraft *draft);
