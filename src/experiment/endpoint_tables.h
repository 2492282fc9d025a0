/* endpoint_tables.h - What the runtime wants to know of each endpoint of a graph. */
#pragma once
#include "topology/graph.h"

/* Both (transfer full): [endpoints]. */
guint32 *dn_endpoint_nodes(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
/* The address of its NIC in the fabric, 20 bits as of Slingshot's adapters (shs-cassini-headers,
 * C_DFA_NIC_BITS): 9 of the group, 5 of the switch in it, 6 of the port, here the terminal's number
 * at its switch; how the bits are divided is assumed, from 64 ports a switch and 32 switches a
 * group. Without a fabric: the endpoint's index. */
guint32 *dn_endpoint_nic_addresses(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
