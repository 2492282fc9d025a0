/* endpoint_tables.h - What the runtime wants to know of each endpoint of a graph. */
#pragma once
#include "topology/graph.h"

/* All (transfer full): [endpoints]. */
guint32 *dn_endpoint_nodes(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
/* The first endpoint of its NIC; of one without a NIC itself. */
guint32 *dn_endpoint_adapters(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
/* The first endpoint of its CPU, of which it may be a core; of others themselves. */
guint32 *dn_endpoint_cpus(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
/* The address of its NIC in the fabric, 20 bits as of Slingshot's adapters: 6 of the port
 * (shs-cxi-driver, retry_handler/main.c, switch_id_mask), 5 of the switch in its group, 9 of the
 * group (assumed: 32 switches). A node of four NICs has two neighbouring ports of each of two
 * neighbouring switches, the odd one first: addresses in public logs (open-mpi/hwloc, pull request
 * 764: 0x6863, 0x6862, 0x68a3, 0x68a2; StanfordLegion/legion, issue 1857: 0x7922, 0x7923, 0x7962 of
 * nid002316, 0x79a2, 0x79a3, 0x79e2, 0x79e3 of nid002317, 0x7930, 0x7931 of nid002320). They and
 * others show ports 3, 17, 34, 35, 48, 49 and 51: two columns of the switch's tiles, 8 by 4 of two
 * ports each. Assumed: that these are all the ports of nodes, 0 to 3, 16 to 19, 32 to 35 and 48 to
 * 51, and their order: blades two slots apart have ports 34, 35 and 48, 49 (nid002316, nid002320).
 * Without a fabric: the endpoint's index. */
guint32 *dn_endpoint_nic_addresses(const DnGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
