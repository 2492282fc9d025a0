/* placement_draw.h - The nodes that a job draws; shared by placement_nodes.c (nodes by name, ranks)
 * and placement_shape.c (nodes by how many in each group). */
#pragma once
#include "experiment/placement_site.h"
#include "config/params.h"

typedef struct {
    const DnParams *params;
    DnSite *site;
    guint32 per_node; /* endpoints free of a node that is wholly free to this job */
    guint32 n_nodes;
    guint32 *free_of;              /* [n_nodes] endpoints free */
    guint32 *group_of, *switch_of; /* [n_nodes]; the switch of its last endpoint, free if any is */
    guint8 *chosen;                /* [n_nodes] */
    /* with routers_per_group, else NULL */
    guint32 *next_on_switch; /* [n_nodes] the next node with that switch; n_nodes: none */
    guint8 *first_on_switch; /* [n_nodes] no node before it has that switch */
    guint32 n_chosen;
} DnNodeDraw;

static inline void dn_draw_choose(DnNodeDraw *draw, guint32 node)
{
    draw->chosen[node] = TRUE;
    draw->n_chosen++;
}

/* Chooses as many nodes of each group as the shape in @draw->params says, by draws from @key. FALSE
 * + error at a key. */
gboolean dn_place_shape(DnNodeDraw *draw, guint64 key, GError **error);
