/* select.h - `algorithm: auto`: which algorithm a library would take. */
#pragma once
#include "workload/collective.h"

/* Each gives a name that dn_coll_find() knows for @kind; *@chosen: the library's own word. */
const char *dn_select_ompi(const DnCollCall *call, DnCollKind kind, const char **chosen);
const char *dn_select_mpich(const DnCollCall *call, DnCollKind kind, const char **chosen);
/* @bus_bps: what a rank's ring channels carry together; call->group ranks a node (0: one node).
 * *@estimate_ps: the model's time. */
const char *dn_select_nccl(const DnCollCall *call, DnCollKind kind, gint64 bus_bps,
                           const char **chosen, gint64 *estimate_ps);
