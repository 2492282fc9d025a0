/* machine_plan.h - What a machine's YAML says, read in whole before its graph is built. */
#pragma once
#include "topology/machine.h"
#include "topology/node_graph.h"

#define DN_MACHINE_MAX_CLASSES 16

typedef struct {
    DnMachine *machine;
    const DnConfigNode *asked; /* where the machine was asked for */
    const DnMachineMemory *memory;
    DnParams *top;
    const DnConfigNode *fabric_node; /* or NULL */
    DnFabricSize fabric;
    GArray *classes;                           /* DnLinkClass of the fabric */
    guint32 class_ids[DN_MACHINE_MAX_CLASSES]; /* which of them serves each of type->link_classes */
    gint64 switch_latency_ps, nic_latency_ps;
    DnNodeGraph *node; /* NULL: bare fabric */
    guint32 nics;      /* per node */
    guint32 nodes;
    /* attachment, in terminals and nodes */
    guint32 switch_terminals, group_terminals, switches_per_node, blade_nodes, block_nodes;
    guint32 *group_first; /* [groups + 1]: the first node of each group; NULL without fabric */
} DnMachinePlan;

/* @partial: nodes asked for; 0 = as the machine says. plan->machine and plan->asked are set. */
gboolean dn_machine_plan_read(DnMachinePlan *plan, guint32 partial, GError **error);
/* The switch of NIC @nic of node @n; the rule is in the head of machine.c. */
guint32 dn_machine_plan_switch(const DnMachinePlan *plan, guint32 n, guint32 nic);
void dn_machine_plan_clear(DnMachinePlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnMachinePlan, dn_machine_plan_clear)
