/* comms.c - Communicators: their members, and whether its members call the same collectives.
 *
 * A rank's trace says that it made a communicator from a parent, not with whom. The k-th such call
 * on a parent is the same call for all of the parent's members, so communicators are resolved from
 * MPI_COMM_WORLD on: as soon as one is known, so are the calls on it. (comm_create_group is called
 * by its list only: those with the same parent and list belong together, in order.) */
#include <string.h>

#include "trace/store.h"

#define CONTEXTS 2046 /* of an 11-bit field; 0 and 1: world, self */

typedef struct {
    DnTrace *trace;
    GArray *comms;              /* DnTraceComm */
    guint32 contexts;           /* given out */
    guint32 *key_of, *color_of; /* [ranks], of the split at hand */
    gboolean ok;
    GError **error;
} Resolver;

static gboolean comms_fail(Resolver *x, guint32 rank, guint64 at, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static gboolean comms_fail(Resolver *x, guint32 rank, guint64 at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *where = dn_trace_where(x->trace, rank, at);
    g_set_error(x->error, DN_ERROR, DN_ERROR_SYNTAX, "%s: rank %u: %s", where, rank, what);
    return FALSE;
}

static guint32 comms_member(const Resolver *x, guint32 comm, guint32 i)
{
    return dn_trace_world_rank(&g_array_index(x->comms, DnTraceComm, comm), i);
}

static guint32 size_of(const Resolver *x, guint32 comm)
{
    return g_array_index(x->comms, DnTraceComm, comm).n;
}

/* Rank @rank's creation @k (from 0) on the communicator of @number; NULL: none. A rank has few. */
static DnCreation *comms_creation(const Resolver *x, guint32 rank, guint32 number, guint32 k,
                                  gboolean group)
{
    GArray *all = dn_trace_rank(x->trace->store, rank)->creations;
    for (guint i = 0; i < all->len; i++) {
        DnCreation *c = &g_array_index(all, DnCreation, i);
        if (c->parent == number && (c->call == DN_CALL_COMM_GROUP) == group && k-- == 0)
            return c;
    }
    return NULL;
}

static guint32 number_of(const Resolver *x, guint32 rank, guint32 comm)
{
    const GArray *members = dn_trace_rank(x->trace->store, rank)->members;
    for (guint i = 0; i < members->len; i++)
        if (g_array_index(members, DnMembership, i).comm == comm)
            return i;
    g_assert_not_reached();
}

/* Adds a communicator of @ranks (transfer full); each member's creation must have asked for one. */
static gboolean add_comm(Resolver *x, GArray *ranks, DnCreation **of, guint32 context)
{
    DnTraceComm comm = {.n = ranks->len, .context = context};
    comm.ranks = (guint32 *)(gpointer)g_array_free(ranks, FALSE);
    guint32 index = x->comms->len;
    g_array_append_val(x->comms, comm);
    for (guint32 i = 0; i < comm.n; i++) {
        DnCreation *c = of[comm.ranks[i]];
        if (c->made == DN_ANY)
            return comms_fail(x, comm.ranks[i], c->at,
                              "gets no communicator from a %s that others say "
                              "it is in",
                              dn_call_name(c->call));
        DnMembership *member = &g_array_index(
            dn_trace_rank(x->trace->store, comm.ranks[i])->members, DnMembership, c->made);
        if (member->comm == index)
            return comms_fail(x, comm.ranks[i], c->at, "%s with rank %u twice",
                              dn_call_name(c->call), comm.ranks[i]);
        *member = (DnMembership){index, i};
    }
    return TRUE;
}

static int by_color(gconstpointer a, gconstpointer b, gpointer data)
{
    const Resolver *x = data;
    guint32 p = *(const guint32 *)a, q = *(const guint32 *)b;
    if (x->color_of[p] != x->color_of[q])
        return x->color_of[p] < x->color_of[q] ? -1 : 1;
    return (gint32)x->key_of[p] < (gint32)x->key_of[q]   ? -1
           : (gint32)x->key_of[p] > (gint32)x->key_of[q] ? 1
                                                         : 0;
}

static gboolean comms_split(Resolver *x, guint32 parent, DnCreation **of, guint32 context)
{
    g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < size_of(x, parent); i++) {
        guint32 r = comms_member(x, parent, i);
        x->color_of[r] = of[r]->color;
        x->key_of[r] = of[r]->key;
        if (of[r]->color != DN_ANY)
            g_array_append_val(order, r);
    }
    g_array_sort_with_data(order, by_color, x); /* stable: g_array_sort is a merge sort */
    for (guint i = 0; i < order->len;) {
        GArray *group = g_array_new(FALSE, FALSE, sizeof(guint32));
        guint32 color = x->color_of[g_array_index(order, guint32, i)];
        for (; i < order->len && x->color_of[g_array_index(order, guint32, i)] == color; i++)
            g_array_append_val(group, g_array_index(order, guint32, i));
        if (!add_comm(x, group, of, context))
            return FALSE;
    }
    return TRUE;
}

static gboolean comms_duplicate(Resolver *x, guint32 parent, DnCreation **of, guint32 context)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < size_of(x, parent); i++) {
        guint32 r = comms_member(x, parent, i);
        g_array_append_val(all, r);
    }
    return add_comm(x, all, of, context);
}

/* comm_create: members with different lists make different communicators. */
static gboolean create_by_list(Resolver *x, guint32 parent, DnCreation **of, guint32 context)
{
    guint32 n = size_of(x, parent);
    for (guint32 i = 0; i < n; i++) {
        guint32 r = comms_member(x, parent, i);
        const DnCreation *c = of[r];
        if (c->made == DN_ANY)
            continue;
        if (c->n_list == 0 || c->list[0] >= n)
            return comms_fail(x, r, c->at,
                              "comm_create with a list that is not of the parent's ranks");
        if (comms_member(x, parent, c->list[0]) != r)
            continue; /* the first of the list makes it for all */
        GArray *group = g_array_new(FALSE, FALSE, sizeof(guint32));
        for (guint32 k = 0; k < c->n_list; k++) {
            guint32 q = c->list[k] < n ? comms_member(x, parent, c->list[k]) : DN_ANY;
            if (q == DN_ANY || of[q]->n_list != c->n_list ||
                memcmp(of[q]->list, c->list, c->n_list * sizeof *c->list) != 0) {
                g_array_unref(group);
                return comms_fail(x, r, c->at,
                                  "comm_create with another list than its other members'");
            }
            g_array_append_val(group, q);
        }
        if (!add_comm(x, group, of, context))
            return FALSE;
    }
    return TRUE;
}

static gboolean create_one(Resolver *x, guint32 parent, DnCreation **of)
{
    guint32 context = 2 + x->contexts++ % (CONTEXTS - 2);
    const DnCreation *model = of[comms_member(x, parent, 0)];
    g_assert(model != NULL);
    switch (model->call) {
    case DN_CALL_COMM_SPLIT:
        return comms_split(x, parent, of, context);
    case DN_CALL_COMM_DUP:
        return comms_duplicate(x, parent, of, context);
    default:
        return create_by_list(x, parent, of, context);
    }
}

/* All creations that every member of @parent calls. */
static gboolean resolve_on(Resolver *x, guint32 parent)
{
    g_autofree DnCreation **of = g_new0(DnCreation *, x->trace->ranks);
    guint32 n = size_of(x, parent), first = comms_member(x, parent, 0);
    for (guint32 k = 0;; k++) {
        DnCreation *model = comms_creation(x, first, number_of(x, first, parent), k, FALSE);
        for (guint32 i = 0; i < n; i++) {
            guint32 r = comms_member(x, parent, i);
            of[r] = comms_creation(x, r, number_of(x, r, parent), k, FALSE);
            if (of[r] && (!model || of[r]->call != model->call))
                return comms_fail(x, r, of[r]->at, "%s, number %u on its communicator; rank %u %s",
                                  dn_call_name(of[r]->call), k + 1, first,
                                  model ? "calls another there" : "does not call it");
            if (!of[r] && model)
                return comms_fail(x, first, model->at,
                                  "%s, number %u on its communicator; rank %u does not call it",
                                  dn_call_name(model->call), k + 1, r);
        }
        if (!model)
            return TRUE;
        if (!create_one(x, parent, of))
            return FALSE;
    }
}

/* The k-th comm_create_group of @rank with list @like on @parent. */
static DnCreation *same_group(Resolver *x, guint32 rank, guint32 parent, const DnCreation *like,
                              guint32 k)
{
    DnCreation *c;
    guint32 number = number_of(x, rank, parent);
    for (guint32 i = 0; (c = comms_creation(x, rank, number, i, TRUE)) != NULL; i++)
        if (c->n_list == like->n_list &&
            memcmp(c->list, like->list, c->n_list * sizeof *c->list) == 0 && k-- == 0)
            return c;
    return NULL;
}

static gboolean resolve_group(Resolver *x, guint32 parent, guint32 r, DnCreation *c, guint32 k,
                              DnCreation **of)
{
    GArray *group = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = 0; i < c->n_list; i++) {
        guint32 q = c->list[i] < size_of(x, parent) ? comms_member(x, parent, c->list[i]) : DN_ANY;
        of[q == DN_ANY ? r : q] = q == DN_ANY ? NULL : same_group(x, q, parent, c, k);
        if (q == DN_ANY || !of[q]) {
            g_array_unref(group);
            return comms_fail(x, r, c->at, "comm_create_group with rank %u, which does not call it",
                              c->list[i]);
        }
        g_array_append_val(group, q);
    }
    return add_comm(x, group, of, 2 + x->contexts++ % (CONTEXTS - 2));
}

/* Each is made by the first of its list. */
static gboolean resolve_groups(Resolver *x, guint32 parent)
{
    g_autofree DnCreation **of = g_new0(DnCreation *, x->trace->ranks);
    for (guint32 i = 0; i < size_of(x, parent); i++) {
        guint32 r = comms_member(x, parent, i), number = number_of(x, r, parent);
        DnCreation *c;
        for (guint32 k = 0; (c = comms_creation(x, r, number, k, TRUE)) != NULL; k++) {
            guint32 before = 0;
            if (c->n_list == 0)
                return comms_fail(x, r, c->at, "comm_create_group of nobody");
            if (c->list[0] != i)
                continue;
            for (guint32 j = 0; j < k; j++) {
                const DnCreation *d = comms_creation(x, r, number, j, TRUE);
                before += d->n_list == c->n_list &&
                          memcmp(d->list, c->list, c->n_list * sizeof *c->list) == 0;
            }
            if (!resolve_group(x, parent, r, c, before, of))
                return FALSE;
        }
    }
    return TRUE;
}

static void add_first(Resolver *x)
{
    guint32 ranks = x->trace->ranks;
    DnTraceComm world = {.n = ranks};
    g_array_append_val(x->comms, world);
    for (guint32 r = 0; r < ranks; r++) {
        DnTraceComm self = {.n = 1, .ranks = g_new(guint32, 1), .context = 1};
        self.ranks[0] = r;
        g_array_append_val(x->comms, self);
        GArray *members = dn_trace_rank(x->trace->store, r)->members;
        g_array_index(members, DnMembership, 0) = (DnMembership){0, r};
        g_array_index(members, DnMembership, 1) = (DnMembership){r + 1, 0};
    }
}

static gboolean all_resolved(Resolver *x)
{
    for (guint32 r = 0; r < x->trace->ranks; r++) {
        const DnTraceRank *rank = dn_trace_rank(x->trace->store, r);
        for (guint i = 0; i < rank->creations->len; i++) {
            const DnCreation *c = &g_array_index(rank->creations, DnCreation, i);
            if (c->made != DN_ANY &&
                g_array_index(rank->members, DnMembership, c->made).comm == DN_ANY)
                return comms_fail(x, r, c->at, "%s makes a communicator that is nobody's",
                                  dn_call_name(c->call));
        }
    }
    return TRUE;
}

gboolean dn_trace_resolve_comms(DnTrace *trace, GError **error)
{
    Resolver x = {.trace = trace, .error = error, .ok = TRUE};
    x.comms = g_array_new(FALSE, TRUE, sizeof(DnTraceComm));
    x.key_of = g_new0(guint32, trace->ranks);
    x.color_of = g_new0(guint32, trace->ranks);
    add_first(&x);
    gboolean any = FALSE;
    for (guint32 r = 0; r < trace->ranks && !any; r++)
        any = dn_trace_rank(trace->store, r)->creations->len > 0;
    for (guint32 c = 0; any && x.ok && c < x.comms->len; c++)
        x.ok = resolve_on(&x, c) && resolve_groups(&x, c);
    x.ok = x.ok && all_resolved(&x);
    g_free(x.key_of);
    g_free(x.color_of);
    trace->n_comms = x.comms->len;
    trace->comms = (DnTraceComm *)(gpointer)g_array_free(x.comms, FALSE);
    return x.ok;
}

/* ---- the order of collectives ---- */

/* Reads on to the next collective on communicator @number. */
static gboolean next_collective(DnTraceCursor *cursor, guint32 number, DnTraceOp *op)
{
    while (dn_trace_cursor_next(cursor, op))
        if (op->comm == number &&
            (dn_call_is_collective(op->call) ||
             (op->call >= DN_CALL_COMM_DUP && op->call <= DN_CALL_COMM_CREATE)))
            return TRUE;
    return FALSE;
}

static char *call_text(const DnTraceOp *op)
{
    return g_strdup_printf("%s (root %u, %" G_GINT64_FORMAT " B)", dn_call_name(op->call), op->root,
                           op->bytes);
}

/* FALSE + error, but where the one that has no more collectives was killed before its next. */
static gboolean name_difference(const DnTrace *trace, guint32 a, guint32 number_a, guint32 b,
                                guint32 number_b, GError **error)
{
    g_autoptr(DnTraceCursor) at_a = dn_trace_cursor_new(trace, a);
    g_autoptr(DnTraceCursor) at_b = dn_trace_cursor_new(trace, b);
    DnTraceOp x, y;
    gboolean has_x, has_y;
    guint64 k = 0;
    do {
        has_x = next_collective(at_a, number_a, &x);
        has_y = next_collective(at_b, number_b, &y);
        k++;
    } while (has_x && has_y && dn_trace_agreed(&x) == dn_trace_agreed(&y));
    g_assert(has_x || has_y);
    if (trace->reader->killed && has_x != has_y &&
        !dn_trace_rank(trace->store, has_x ? b : a)->finalized)
        return TRUE;
    guint32 rank = has_y ? b : a, other = has_y ? a : b;
    const DnTraceOp *here = has_y ? &y : &x;
    g_autofree char *calls = call_text(here);
    g_autofree char *where = dn_trace_where(trace, rank, here->at);
    g_autofree char *there = has_x && has_y ? dn_trace_where(trace, other, x.at)
                                            : g_strdup("its end");
    g_autofree char *instead = has_x && has_y ? call_text(&x) : g_strdup("none");
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                "%s: rank %u calls %s as collective %" G_GUINT64_FORMAT
                " of a communicator; rank %u, at %s, calls %s",
                where, rank, calls, k, other, there, instead);
    return FALSE;
}

/* No rank outside a communicator is named on it, and sizes are for all of it. */
static gboolean check_reach(const DnTrace *trace, GError **error)
{
    for (guint32 r = 0; r < trace->ranks; r++) {
        const DnTraceRank *rank = dn_trace_rank(trace->store, r);
        for (guint i = 0; i < rank->order->len; i++) {
            const DnCommUse *use = &g_array_index(rank->order, DnCommUse, i);
            guint32 n = dn_trace_comm(trace, r, i, NULL)->n;
            gboolean far = use->most_at > 0 && use->most >= n;
            if (!far && (use->parts == 0 || use->parts == n))
                continue;
            g_autofree char *where =
                dn_trace_where(trace, r, far ? use->most_at - 1 : use->parts_at);
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                        far ? "%s: rank %u names rank %u of a communicator of %u"
                            : "%s: rank %u lists sizes for %u ranks, its communicator has %u",
                        where, r, far ? use->most : use->parts, n);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean dn_trace_check_order(const DnTrace *trace, GError **error)
{
    if (!check_reach(trace, error))
        return FALSE;
    for (guint32 c = 0; c < trace->n_comms; c++) {
        const DnTraceComm *comm = &trace->comms[c];
        guint32 first = 0, first_number = 0;
        for (guint32 i = 0; comm->n > 1 && i < comm->n; i++) {
            guint32 r = dn_trace_world_rank(comm, i), number = 0;
            const DnTraceRank *rank = dn_trace_rank(trace->store, r);
            while (g_array_index(rank->members, DnMembership, number).comm != c)
                number++;
            const DnCommUse *order = &g_array_index(rank->order, DnCommUse, number);
            if (i == 0) {
                first = r;
                first_number = number;
                continue;
            }
            const DnCommUse *model =
                &g_array_index(dn_trace_rank(trace->store, first)->order, DnCommUse, first_number);
            if ((order->count != model->count || order->hash != model->hash) &&
                !name_difference(trace, first, first_number, r, number, error))
                return FALSE;
        }
    }
    return TRUE;
}
