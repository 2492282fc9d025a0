/* idle_path.c - see idle_path.h. */
#include "routing/idle_path.h"
#include "base/rng.h"
#include "routing/path.h"

gboolean dn_idle_path(gpointer data, guint32 source, guint32 target, GArray *links, GError **error)
{
    const DnRouter *router = data;
    DnPath path = dn_path_begin(router, source, target, router->mode, DN_RAIL_OWN);
    guint64 key = dn_draw_key(0, DN_DRAW_ROUTE, ((guint64)source << 32) | target);
    while (dn_path_next(&path, &dn_load_idle, dn_draw(key, path.hops)))
        g_array_append_val(links, path.link);
    return TRUE;
}
