/* known_hardware.h - Known parameters of parts that descriptions name but do not measure: link
 * speeds by GPU generation, PCIe and InfiniBand rates; and the link classes made of them.
 *
 * Latencies, efficiencies and buffers are in no description: they are taken from machines of this
 * project's own (topologies/) and always `assumed:`. */
#pragma once
#include "topology/import/draft.h"

typedef struct {
    const char *name; /* a word in product names: "H100" */
    guint sm;         /* CUDA compute capability times ten; 0: none */
    const char *link; /* "nvlink" or "xgmi" */
    const char *rate; /* of one link, one direction */
    const char *source;
    guint max_links; /* of one GPU */
} DnGpuFacts;

/* Finds a GPU by product name ("NVIDIA H200"), compute capability, or PCI ids (0x10de, 0x2335);
 * NULL: it is not known. */
const DnGpuFacts *dn_gpu_by_name(const char *product);
const DnGpuFacts *dn_gpu_by_sm(guint sm);
const DnGpuFacts *dn_gpu_by_pci(guint vendor, guint device);

/* The draft's class of links between GPUs. @gpu NULL: @links a GPU is all that is known of it. */
guint32 dn_known_nvlink(DnDraft *draft, const DnGpuFacts *gpu, guint links);
guint32 dn_known_xgmi(DnDraft *draft, const DnGpuFacts *gpu);
/* @gts: per lane, @lanes; 0: not known. Classes of unequal rates get names of their own. */
guint32 dn_known_pcie(DnDraft *draft, double gts, guint lanes, const char *source);
/* A rate already in Gb/s, as hwloc gives it. */
guint32 dn_known_pcie_rate(DnDraft *draft, double gbps, const char *source);
guint32 dn_known_socket(DnDraft *draft); /* between NUMA nodes */
guint32 dn_known_bridge(DnDraft *draft); /* host bridge to its NUMA node */
guint32 dn_known_port(DnDraft *draft);   /* a PCIe port to the chip it is part of */
/* A network link of @gbps data rate; @source NULL: assumed, for @assumed. */
guint32 dn_known_network(DnDraft *draft, const char *name, double gbps, const char *source,
                         const char *assumed);
/* GB/s, Gb/s, GT/s as text that parses back: "25.6 Gb/s". (transfer full) */
char *dn_known_rate_text(double gbps);

DnDraftNumber dn_known_switch_latency(void); /* of a PCIe switch */
DnDraftNumber dn_known_nvswitch_latency(void);
DnDraftNumber dn_known_nic_latency(void);
DnDraftNumber dn_known_fabric_latency(void); /* of a network switch */

/* `hardware:` of a node graph, and of a network. */
void dn_known_node_tail(DnDraft *draft);
void dn_known_network_tail(DnDraft *draft, gboolean infiniband);
