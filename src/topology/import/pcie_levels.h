/* pcie_levels.h - nearness of GPUs and NICs, as nvidia-smi and rocm-smi print it, to a tree of PCIe
 * switches, host bridges and NUMA nodes that shows the same nearness.
 *
 * Levels are those of nvidia-smi's legend: PIX, at most one PCIe bridge between two devices; PXB,
 * several; PHB, the host bridge; NODE, several host bridges of one NUMA node; SYS, NUMA nodes. "At
 * this level or nearer" parts the devices into sets inside sets, a tree: a set that PIX joins hangs
 * on one PCIe switch, sets that PXB joins on a switch above theirs, and so on.
 * LIMITATIONS: a switch that no two devices share leaves no trace; where the levels contradict each
 * other (A near B, B near C, A far from C) the nearer ones win and a comment says so. */
#pragma once
#include "topology/import/draft.h"

typedef enum {
    DN_LEVEL_PIX,
    DN_LEVEL_PXB,
    DN_LEVEL_PHB,
    DN_LEVEL_NODE,
    DN_LEVEL_SYS,
    DN_LEVEL_UNKNOWN,
} DnLevel;

const char *dn_level_name(DnLevel level);

typedef struct {
    guint32 n;
    guint32 *vertices; /* [n] of the draft: GPUs and NICs */
    guint8 *level;     /* [n * n] DnLevel, symmetric */
    gint64 *numa;      /* [n] NUMA node, -1: not given */
    guint32 pcie;      /* class of the devices' own links */
} DnLevels;

DnLevels *dn_levels_new(guint32 n);
void dn_levels_free(DnLevels *levels);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnLevels, dn_levels_free)
void dn_levels_set(DnLevels *levels, guint32 a, guint32 b, DnLevel level);

/* Adds the tree's vertices and links, and for each GPU and NUMA node the NIC nearest to it. */
void dn_levels_build(DnLevels *levels, DnDraft *draft);
