/* placement_site.c - see placement_site.h. */
#include "experiment/placement_site.h"

guint32 dn_site_switch(const DnSite *site, guint32 endpoint)
{
    guint32 terminal = site->graph->endpoint_terminal[endpoint];
    return terminal == DN_NONE ? DN_NONE : site->graph->terminal_switch[terminal];
}

guint32 dn_site_group(const DnSite *site, guint32 endpoint)
{
    guint32 leaf = dn_site_switch(site, endpoint);
    return leaf == DN_NONE ? 0 : site->graph->vertices[leaf].group;
}
