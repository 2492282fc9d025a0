/* simgrid_routes.c - hosts, routers, links and routes of SimGrid's <zone>s as a node graph.
 *
 * A SimGrid link has no ends, only routes that list it. Its ends follow from them: the first link
 * of a route begins at its source, the last ends at its destination, and of two in a row the head
 * of one is the tail of the next. So ends are put together (union and find) route by route; a route
 * that meets a known end crosses the link from there, and routes that meet none wait for others.
 * What is together is a vertex: a host, a router, or one without a name, a switch.
 * A link that is crossed one way only and has an equal one for the way back is half a cable; any
 * other is a cable.
 * Zones are one graph: a <zoneRoute> is a route between its gateways, which pass on what others
 * send.
 * LIMITATIONS: a link that is crossed both ways shares its rate between them in SimGrid (but for
 * SPLITDUPLEX); a cable has it each way. FATPIPE links are shared here like others. */
#include <string.h>

#include "topology/import/simgrid_routes.h"

#define MAX_VERTICES 4096
#define MAX_LINKS (1 << 20)

typedef struct {
    const DnXml *xml;
    DnPlatformLink is;
    guint32 end[2]; /* elements: tail and head */
    gboolean seen, crossed[2];
    gboolean paired; /* with one for the way back */
} Link;

typedef struct {
    const DnXml *xml;
    guint32 element, vertex;
    gboolean router, passed;
    gboolean forwards; /* its zone puts routes together from others */
} Point;

typedef struct {
    const DnXml *xml;
    guint32 from, to; /* points */
    GArray *links;    /* guint32: link * 2 + 1 for direction DOWN */
    gboolean done;
} Route;

typedef struct {
    const DnPlatform *p;
    GArray *links, *points, *routes, *up; /* Link, Point, Route, guint32: union and find */
    GHashTable *link_ids, *point_ids;     /* id -> index + 1 */
} Reader;

static void route_clear(gpointer data)
{
    g_array_unref(((Route *)data)->links);
}

static void reader_clear(Reader *r)
{
    g_array_unref(r->links);
    g_array_unref(r->points);
    g_array_unref(r->routes);
    g_array_unref(r->up);
    g_hash_table_unref(r->link_ids);
    g_hash_table_unref(r->point_ids);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

static Link *link_at(const Reader *r, guint32 i)
{
    return &g_array_index(r->links, Link, i);
}

static Point *point_at(const Reader *r, guint32 i)
{
    return &g_array_index(r->points, Point, i);
}

static guint32 new_element(Reader *r)
{
    guint32 own = r->up->len;
    g_array_append_val(r->up, own);
    return own;
}

static guint32 routes_find(const Reader *r, guint32 element)
{
    guint32 *up = (guint32 *)(void *)r->up->data;
    while (up[element] != element)
        element = up[element] = up[up[element]];
    return element;
}

static void routes_unite(const Reader *r, guint32 a, guint32 b)
{
    ((guint32 *)(void *)r->up->data)[routes_find(r, b)] = routes_find(r, a);
}

/* ---- what the zone lists ---- */

static gboolean routes_remember(Reader *r, GHashTable *ids, const DnXml *xml, guint32 index,
                                GError **error)
{
    const char *id = dn_xml_require(r->p->text, xml, "id", error);
    if (id == NULL)
        return FALSE;
    if (g_hash_table_contains(ids, id)) {
        g_autofree char *shown = dn_quote(id);
        return dn_platform_fault(r->p, xml, DN_ERROR_RANGE, error, "%s is there twice", shown);
    }
    g_hash_table_insert(ids, g_strdup(id), GUINT_TO_POINTER(index + 1));
    return TRUE;
}

static gboolean add_link(Reader *r, const DnXml *xml, GError **error)
{
    Link link = {.xml = xml};
    if (r->links->len >= MAX_LINKS)
        return dn_platform_fault(r->p, xml, DN_ERROR_RANGE, error, "more than %d links", MAX_LINKS);
    if (!dn_platform_rate(r->p, xml, "bandwidth", -1.0, &link.is.bps, error) ||
        !dn_platform_time(r->p, xml, "latency", 0.0, &link.is.latency_ps, error) ||
        !routes_remember(r, r->link_ids, xml, r->links->len, error))
        return FALSE;
    link.end[0] = new_element(r);
    link.end[1] = new_element(r);
    g_array_append_val(r->links, link);
    return TRUE;
}

static gboolean routes_composes(const DnXml *zone)
{
    const char *routing = dn_xml_attribute(zone, "routing");
    return routing != NULL &&
           (g_str_has_prefix(routing, "Dijkstra") || g_str_equal(routing, "Floyd"));
}

static gboolean add_point(Reader *r, const DnXml *xml, gboolean router, gboolean forwards,
                          GError **error)
{
    if (!routes_remember(r, r->point_ids, xml, r->points->len, error))
        return FALSE;
    Point point = {.xml = xml, .element = new_element(r), .router = router, .forwards = forwards};
    g_array_append_val(r->points, point);
    return TRUE;
}

/* The index of @xml's attribute @name among @ids, or G_MAXUINT32 + error. */
static guint32 look_up(const Reader *r, GHashTable *ids, const DnXml *xml, const char *name,
                       const char *what, GError **error)
{
    const char *id = dn_xml_require(r->p->text, xml, name, error);
    if (id == NULL)
        return G_MAXUINT32;
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(ids, id));
    g_autofree char *shown = dn_quote(id);
    if (found == 0)
        dn_platform_fault(r->p, xml, DN_ERROR_UNKNOWN, error, "<%s>: %s is no %s of this platform",
                          xml->name, shown, what);
    return found - 1;
}

static gboolean read_hops(const Reader *r, Route *route, GError **error)
{
    for (guint i = 0; i < route->xml->children->len; i++) {
        const DnXml *c = route->xml->children->pdata[i];
        if (!g_str_equal(c->name, "link_ctn") && !g_str_equal(c->name, "link:ctn"))
            continue;
        guint32 link = look_up(r, r->link_ids, c, "id", "link", error);
        if (link == G_MAXUINT32)
            return FALSE;
        guint32 hop = 2 * link + (g_strcmp0(dn_xml_attribute(c, "direction"), "DOWN") == 0);
        g_array_append_val(route->links, hop);
    }
    if (route->links->len > 0)
        return TRUE;
    return dn_platform_fault(r->p, route->xml, DN_ERROR_MISSING, error, "a route without a link");
}

/* Between hosts or routers, or, of zones, between their gateways. */
static gboolean add_route(Reader *r, const DnXml *xml, gboolean zones, GError **error)
{
    Route route = {.xml = xml, .links = g_array_new(FALSE, FALSE, sizeof(guint32))};
    route.from = look_up(r, r->point_ids, xml, zones ? "gw_src" : "src", "host or router", error);
    route.to = route.from == G_MAXUINT32 ? G_MAXUINT32
                                         : look_up(r, r->point_ids, xml, zones ? "gw_dst" : "dst",
                                                   "host or router", error);
    if (route.to == G_MAXUINT32 || !read_hops(r, &route, error)) {
        route_clear(&route);
        return FALSE;
    }
    if (zones)
        point_at(r, route.from)->passed = point_at(r, route.to)->passed = TRUE;
    if (route.from == route.to) /* a loopback */
        route_clear(&route);
    else
        g_array_append_val(r->routes, route);
    return TRUE;
}

/* Checks that every element in @zone is of a kind that is read. */
static gboolean check_zone(const Reader *r, const DnXml *zone, GError **error)
{
    static const char *const unread[] = {"bypassRoute",   "backbone",  "bypassZoneRoute",
                                         "bypassASroute", "host_link", "peer"};
    const char *routing = dn_xml_attribute(zone, "routing");
    if (routing != NULL &&
        (g_ascii_strcasecmp(routing, "Vivaldi") == 0 || g_ascii_strcasecmp(routing, "WIFI") == 0))
        return dn_platform_fault(r->p, zone, DN_ERROR_UNKNOWN, error,
                                 "zones with routing '%s' are not read; known: Full, Floyd, "
                                 "Dijkstra, DijkstraCache, None",
                                 routing);
    for (guint i = 0; i < zone->children->len; i++) {
        const DnXml *c = zone->children->pdata[i];
        for (guint k = 0; k < G_N_ELEMENTS(unread); k++)
            if (g_str_equal(c->name, unread[k]))
                return dn_platform_fault(r->p, c, DN_ERROR_UNKNOWN, error,
                                         "<%s> is not read; known: host, router, link, route, "
                                         "zone, zoneRoute",
                                         c->name);
    }
    return TRUE;
}

/* First what there is, then the @routes: either of all zones, since names hold throughout. */
static gboolean read_zone(Reader *r, const DnXml *zone, gboolean routes, GError **error)
{
    if (!check_zone(r, zone, error))
        return FALSE;
    for (guint i = 0; i < zone->children->len; i++) {
        const DnXml *c = zone->children->pdata[i];
        gboolean ok = TRUE, router = g_str_equal(c->name, "router");
        if (dn_platform_is_zone(c))
            ok = read_zone(r, c, routes, error);
        else if (!routes && (router || g_str_equal(c->name, "host")))
            ok = add_point(r, c, router, routes_composes(zone), error);
        else if (!routes && g_str_equal(c->name, "link"))
            ok = add_link(r, c, error);
        else if (routes && g_str_equal(c->name, "route"))
            ok = add_route(r, c, FALSE, error);
        else if (routes && (g_str_equal(c->name, "zoneRoute") || g_str_equal(c->name, "ASroute")))
            ok = add_route(r, c, TRUE, error);
        if (!ok)
            return FALSE;
    }
    return TRUE;
}

/* ---- routes to ends ---- */

/* Returns the end by which a walk at @at, forward or @back from the route's end, enters @hop's
 * link: 0 the tail; -1: not known yet. */
static gint entered_by(const Reader *r, guint32 hop, guint32 at, gboolean back)
{
    const Link *link = link_at(r, hop / 2);
    const char *policy = dn_xml_attribute(link->xml, "sharing_policy");
    if (g_strcmp0(policy, "SPLITDUPLEX") == 0)
        return (hop % 2 != 0) != back;
    for (gint end = 0; end < 2; end++)
        if (routes_find(r, link->end[end]) == routes_find(r, at))
            return end;
    return link->seen ? -1 : back;
}

/* Crosses the link of @hop from @at, entered by @end; returns the vertex where it leads. */
static guint32 routes_cross(const Reader *r, const Route *route, guint32 hop, guint32 at, gint end,
                            gboolean back)
{
    Link *link = link_at(r, hop / 2);
    routes_unite(r, at, link->end[end]);
    link->seen = link->crossed[back ? 1 - end : end] = TRUE;
    if (g_strcmp0(dn_xml_attribute(route->xml, "symmetrical"), "NO") != 0)
        link->crossed[0] = link->crossed[1] = TRUE;
    return link->end[1 - end];
}

/* Walks the route from both ends as far as it is known; FALSE: it has to wait, unless @force. */
static gboolean routes_walk(const Reader *r, Route *route, gboolean force)
{
    guint32 head = point_at(r, route->from)->element, tail = point_at(r, route->to)->element;
    const guint32 *hops = (const guint32 *)(const void *)route->links->data;
    guint first = 0, last = route->links->len;
    gint end = 0;
    for (; first < last && (end = entered_by(r, hops[first], head, FALSE)) >= 0; first++)
        head = routes_cross(r, route, hops[first], head, end, FALSE);
    for (; first < last && (end = entered_by(r, hops[last - 1], tail, TRUE)) >= 0; last--)
        tail = routes_cross(r, route, hops[last - 1], tail, end, TRUE);
    if (first < last && !force)
        return FALSE;
    for (; first < last; first++)
        head = routes_cross(r, route, hops[first], head,
                            MAX(entered_by(r, hops[first], head, FALSE), 0), FALSE);
    routes_unite(r, head, tail);
    route->done = TRUE;
    return TRUE;
}

/* Routes that can go first, then one that must guess, and so on. */
static void walk_all(const Reader *r)
{
    guint left = r->routes->len;
    for (gboolean force = FALSE; left > 0;) {
        guint before = left;
        for (guint i = 0; i < r->routes->len; i++) {
            Route *route = &g_array_index(r->routes, Route, i);
            if (route->done || !routes_walk(r, route, force))
                continue;
            left--;
            force = FALSE;
        }
        force = left == before;
    }
}

static void mark_passed(const Reader *r, GHashTable *at)
{
    for (guint i = 0; i < r->routes->len; i++) {
        const Route *route = &g_array_index(r->routes, Route, i);
        for (guint k = 0; k + 1 < route->links->len; k++) {
            const Link *one = link_at(r, g_array_index(route->links, guint32, k) / 2);
            const Link *two = link_at(r, g_array_index(route->links, guint32, k + 1) / 2);
            for (guint e = 0; e < 4; e++) {
                guint32 joint = routes_find(r, one->end[e % 2]);
                guint point = GPOINTER_TO_UINT(g_hash_table_lookup(at, GUINT_TO_POINTER(joint)));
                if (joint == routes_find(r, two->end[e / 2]) && point != 0)
                    point_at(r, point - 1)->passed = TRUE;
            }
        }
    }
}

/* ---- to the draft ---- */

static gboolean add_points(const Reader *r, GHashTable *at, GError **error)
{
    for (guint32 i = 0; i < r->points->len; i++) {
        Point *point = point_at(r, i);
        gpointer key = GUINT_TO_POINTER(routes_find(r, point->element));
        guint other = GPOINTER_TO_UINT(g_hash_table_lookup(at, key));
        const char *id = dn_xml_attribute(point->xml, "id");
        if (other != 0) {
            g_autofree char *a = dn_quote(dn_xml_attribute(point_at(r, other - 1)->xml, "id"));
            g_autofree char *b = dn_quote(id);
            return dn_platform_fault(r->p, point->xml, DN_ERROR_RANGE, error,
                                     "by their routes %s and %s would be one vertex: the links "
                                     "cannot be cables of a graph",
                                     a, b);
        }
        g_hash_table_insert(at, key, GUINT_TO_POINTER(i + 1));
    }
    mark_passed(r, at);
    for (guint32 i = 0; i < r->points->len; i++) {
        Point *point = point_at(r, i);
        point->vertex = dn_draft_vertex(r->p->draft, point->router ? DN_DRAFT_SWITCH : DN_DRAFT_CPU,
                                        dn_xml_attribute(point->xml, "id"), NULL);
        DnDraftVertex *v = dn_draft_at(r->p->draft, point->vertex);
        v->host_end = !point->router && !point->forwards && !point->passed;
        v->latency = dn_guess("0 s", "a platform has latencies of links alone");
    }
    return TRUE;
}

/* The vertex of an end; a switch of its own when none is known. */
static guint32 vertex_of(const Reader *r, GHashTable *at, GHashTable *made, guint32 element)
{
    gpointer key = GUINT_TO_POINTER(routes_find(r, element));
    guint point = GPOINTER_TO_UINT(g_hash_table_lookup(at, key));
    guint vertex = GPOINTER_TO_UINT(g_hash_table_lookup(made, key));
    if (point != 0)
        return point_at(r, point - 1)->vertex;
    if (vertex != 0)
        return vertex - 1;
    g_autofree char *name = g_strdup_printf("switch%u", g_hash_table_size(made));
    guint32 v = dn_draft_vertex(r->p->draft, DN_DRAFT_SWITCH, name, NULL);
    dn_draft_at(r->p->draft, v)->latency =
        dn_guess("0 s", "a platform has latencies of links alone");
    g_hash_table_insert(made, key, GUINT_TO_POINTER(v + 1));
    return v;
}

static guint32 class_of(const Reader *r, DnPlatformLink link)
{
    DnDraftNumber n[4];
    dn_platform_class(r->p, link, n);
    for (guint i = 1;; i++) {
        g_autofree char *name = i == 1 ? g_strdup("link") : g_strdup_printf("link-%u", i);
        guint32 found = dn_draft_find_class(r->p->draft, name);
        if (found == G_MAXUINT32)
            return dn_draft_class(r->p->draft, name, n[0], n[1], n[2], n[3]);
        const DnDraftClass *c = &g_array_index(r->p->draft->classes, DnDraftClass, found);
        if (!g_str_equal(c->bandwidth.value, n[0].value) ||
            !g_str_equal(c->latency.value, n[1].value))
            continue;
        for (guint k = 0; k < G_N_ELEMENTS(n); k++)
            dn_draft_number_clear(&n[k]);
        return found;
    }
}

/* One for the way back that is equal to @i; they are one cable. */
static void pair_up(const Reader *r, GHashTable *one_way, guint32 i)
{
    Link *link = link_at(r, i);
    if (link->crossed[0] && link->crossed[1])
        return;
    guint32 tail = routes_find(r, link->end[link->crossed[1]]),
            head = routes_find(r, link->end[!link->crossed[1]]);
    g_autofree char *back =
        g_strdup_printf("%u %u %.17g %.17g", head, tail, link->is.bps, link->is.latency_ps);
    GArray *waiting = g_hash_table_lookup(one_way, back);
    if (waiting != NULL && waiting->len > 0) {
        link->paired = TRUE;
        g_array_set_size(waiting, waiting->len - 1);
        return;
    }
    char *forth =
        g_strdup_printf("%u %u %.17g %.17g", tail, head, link->is.bps, link->is.latency_ps);
    waiting = g_hash_table_lookup(one_way, forth);
    if (waiting == NULL) {
        waiting = g_array_new(FALSE, FALSE, sizeof(guint32));
        g_hash_table_insert(one_way, forth, waiting);
    } else {
        g_free(forth);
    }
    g_array_append_val(waiting, i);
}

static gboolean add_cables(const Reader *r, GHashTable *at, GError **error)
{
    g_autoptr(GHashTable) made = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) one_way =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
    guint unused = 0;
    for (guint32 i = 0; i < r->links->len; i++) {
        Link *link = link_at(r, i);
        unused += !link->seen;
        if (link->seen)
            pair_up(r, one_way, i);
        if (!link->seen || link->paired)
            continue;
        guint32 a = vertex_of(r, at, made, link->end[0]), b = vertex_of(r, at, made, link->end[1]);
        if (a == b || r->p->draft->vertices->len > MAX_VERTICES)
            return dn_platform_fault(r->p, link->xml, DN_ERROR_RANGE, error,
                                     a == b ? "by its routes the link would end where it begins"
                                            : "more than 4096 vertices");
        DnDraftEdge *edge = dn_draft_edge(r->p->draft, a, b, class_of(r, link->is), 1);
        edge->separate = TRUE;
        edge->label = g_strdup(dn_xml_attribute(link->xml, "id"));
    }
    if (unused > 0)
        dn_draft_note(r->p->draft, "%u links are on no route between two hosts; left out.", unused);
    return TRUE;
}

gboolean dn_platform_routes(const DnPlatform *p, const DnXml *top, GError **error)
{
    g_auto(Reader) r = {
        .p = p,
        .links = g_array_new(FALSE, FALSE, sizeof(Link)),
        .points = g_array_new(FALSE, FALSE, sizeof(Point)),
        .routes = g_array_new(FALSE, FALSE, sizeof(Route)),
        .up = g_array_new(FALSE, FALSE, sizeof(guint32)),
        .link_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .point_ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    g_array_set_clear_func(r.routes, route_clear);
    g_autoptr(GHashTable) at = g_hash_table_new(NULL, NULL); /* element found -> point + 1 */
    if (!read_zone(&r, top, FALSE, error) || !read_zone(&r, top, TRUE, error))
        return FALSE;
    walk_all(&r);
    if (!add_points(&r, at, error) || !add_cables(&r, at, error))
        return FALSE;
    p->draft->endpoints = g_strdup("cpu");
    p->draft->description =
        g_strdup_printf("SimGrid zone of %u links, from %s", r.links->len, p->draft->source);
    dn_draft_note(p->draft, "A cable carries its rate each way; a link of a platform shares it "
                            "between both, but for SPLITDUPLEX.");
    dn_draft_note(p->draft, "Paths between hosts are those of this project's routing, not the "
                            "platform's routes.");
    return TRUE;
}
