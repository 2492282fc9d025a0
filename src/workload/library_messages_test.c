/* library_messages_test.c - the messages of `library: ompi` and `library: mpich` against those that
 * the libraries themselves send.
 *
 * library_messages.csv was recorded from Debian 12's Open MPI 4.1.4 and MPICH 4.0.2 (every rank a
 * node of its own) by scripts/library_messages/run: for each call a digest of (peer, bytes) of
 * all messages of every rank, in the order of sending; MPI_INT and MPI_SUM.
 * gatherv, scatterv and exscan are kept for up to 32 ranks and 1 MiB; "_gaps": a third of the
 * blocks is empty. Up to 16 ranks there is also "_ordered", with an operation of the user's that
 * does not commute, and "_in_place", with MPI_IN_PLACE, which of all collectives only alltoall,
 * alltoallv and alltoallw look at.
 * DARNER_SHOW_MESSAGES=1 shows what is sent here in the calls that differ. */
#include <string.h>

#include "base/csv.h"
#include "workload/select.h"

#define ELEMENT 4

enum { LIBRARY, RANKS, COLLECTIVE, ROOT, DIGESTS };

static void add_word(guint64 *digest, guint64 word)
{
    for (guint i = 0; i < 8; i++, word >>= 8)
        *digest = (*digest ^ (word & 0xff)) * 0x100000001b3u;
}

static void add_rank(const DnCollCall *call, guint32 me, guint64 *digest, GString *shown)
{
    add_word(digest, ((guint64)1 << 63) + me);
    for (guint32 s = 0; s < dn_coll_streams(call); s++) {
        DnCursor cursor = {.stream = s};
        DnOp op;
        while (dn_coll_next(call, me, &cursor, &op)) {
            if (op.kind != DN_OP_SEND)
                continue;
            add_word(digest, op.peer);
            add_word(digest, (guint64)op.bytes);
            if (shown)
                g_string_append_printf(shown, " %u:%" G_GINT64_FORMAT, op.peer, op.bytes);
        }
    }
    if (shown)
        g_string_append(shown, " ;");
}

/* "_ordered": the operation does not commute; "_in_place": MPI_IN_PLACE. */
static guint library_messages_form(const char *name)
{
    return g_str_has_suffix(name, "_ordered")    ? DN_COLL_ORDERED
           : g_str_has_suffix(name, "_in_place") ? DN_COLL_IN_PLACE
                                                 : 0;
}

static gboolean library_messages_gaps(const char *name)
{
    return g_str_has_suffix(name, "_gaps");
}

static gboolean library_messages_unequal(const char *name)
{
    return g_str_has_suffix(name, "v") || g_str_has_suffix(name, "w") ||
           library_messages_gaps(name);
}

static gboolean library_messages_block(const char *name)
{
    return strcmp(name, "reduce_scatter_block") == 0;
}

/* "gatherv": gather of unequal blocks; an exclusive scan sends what a scan does, alltoallw is an
 * alltoallv of many datatypes; reduce_scatter_block is a reduce_scatter of equal blocks. */
static DnCollKind kind_of(const char *name)
{
    const char *suffix = library_messages_gaps(name)      ? "v_gaps"
                         : library_messages_unequal(name) ? "v"
                         : library_messages_block(name)   ? "_block"
                                                          : "";
    g_autofree char *equal = g_strndup(name, strlen(name) - strlen(suffix));
    name = strcmp(name, "exscan") == 0 ? "scan" : equal;
    for (guint k = 0; k < DN_COLL_KINDS; k++)
        if (strcmp(dn_coll_kind_name(k), name) == 0)
            return k;
    g_assert_not_reached();
}

static guint32 library_messages_number(const char *cell)
{
    return (guint32)g_ascii_strtoull(cell, NULL, 10);
}

/* Blocks as collectives.c makes them: of rank i, or from i to j, once or twice @bytes, with gaps
 * also none; of gather and scatter only the root knows all. */
static void set_blocks(DnCollCall *call, DnCollKind kind, gboolean gaps, guint32 me, gint64 bytes,
                       gint64 *sizes)
{
    gboolean pairs = kind == DN_COLL_ALLTOALL, rooted = kind != DN_COLL_ALLGATHER && !pairs;
    sizes[0] = 0;
    for (guint32 i = 0; i < call->n; i++) {
        guint32 place = pairs ? me + i : i;
        gint64 block = bytes * (gaps ? place % 3 : 1 + place % 2);
        sizes[pairs ? i : i + 1] = pairs ? block : sizes[i] + block;
    }
    call->bytes = bytes * (1 + me % 2);
    if (pairs)
        call->send_bytes = call->recv_bytes = sizes;
    else if (!rooted || me == call->root)
        call->starts = sizes;
    if (!rooted && !pairs)
        call->bytes = sizes[call->n] / call->n;
}

static void library_messages_choose(const char *library, DnCollKind kind, DnCollCall *call,
                                    DnSelection *selection)
{
    if (strcmp(library, "ompi") == 0)
        dn_select_ompi(call, kind, selection);
    else
        dn_select_mpich(call, kind, FALSE, selection);
    dn_selection_apply(selection, kind, FALSE, call);
}

/* The collective of a row without its form. */
static char *library_messages_name(const char *name)
{
    guint form = library_messages_form(name);
    const char *suffix = form == DN_COLL_ORDERED ? "_ordered" : form ? "_in_place" : "";
    return g_strndup(name, strlen(name) - strlen(suffix));
}

static gboolean library_messages_same(const DnCsvRow *row, gint64 bytes, const char *digest,
                                      GString *shown)
{
    g_autofree char *name = library_messages_name(row->cells[COLLECTIVE]);
    DnCollKind kind = kind_of(name);
    DnSelection selection;
    DnCollCall call = {.n = library_messages_number(row->cells[RANKS]),
                       .root = library_messages_number(row->cells[ROOT]),
                       .bytes = bytes,
                       .element = ELEMENT,
                       .radix = 4,
                       .stride = 1,
                       .form = library_messages_form(row->cells[COLLECTIVE])};
    call.unequal = library_messages_unequal(name);
    gboolean gaps = library_messages_gaps(name);
    call.many_types = g_str_has_suffix(name, "w");
    if (library_messages_block(name)) {
        call.one_count = TRUE;
        call.bytes *= call.n;
    }
    g_autofree gint64 *sizes = g_new(gint64, call.n + 1);
    const DnCollCall common = call;
    if (call.unequal)
        set_blocks(&call, kind, gaps, 0, bytes, sizes);
    library_messages_choose(row->cells[LIBRARY], kind, &call, &selection);
    guint64 value = 0xcbf29ce484222325u;
    g_string_printf(shown, "%s, %u ranks, %s of %" G_GINT64_FORMAT " B, root %u: %s, run as %s;",
                    row->cells[LIBRARY], call.n, row->cells[COLLECTIVE], bytes, call.root,
                    selection.chosen, call.algorithm->name);
    for (guint32 me = 0; me < call.n; me++) {
        if (call.unequal) {
            call = common;
            set_blocks(&call, kind, gaps, me, bytes, sizes);
            library_messages_choose(row->cells[LIBRARY], kind, &call, &selection);
        }
        call.me = me;
        add_rank(&call, me, &value, g_getenv("DARNER_SHOW_MESSAGES") ? shown : NULL);
    }
    g_autofree char *found = g_strdup_printf("%08x", (guint32)(value >> 32));
    return strcmp(found, digest) == 0;
}

static void test_library(gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) shown = g_string_new(NULL);
    g_autofree char *path =
        g_build_filename(g_getenv("DARNER_ROOT"), "src", "workload", "library_messages.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(path, &error);
    g_assert_no_error(error);
    guint cells = 0, equal = 0;
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, i);
        if (strcmp(row->cells[LIBRARY], data) != 0)
            continue;
        g_auto(GStrv) digests = g_strsplit(row->cells[DIGESTS], " ", -1);
        gboolean sized = strcmp(row->cells[COLLECTIVE], "barrier") != 0;
        for (guint k = 0; digests[k]; k++, cells++) {
            if (library_messages_same(row, sized ? (gint64)ELEMENT << k : 0, digests[k], shown))
                equal++;
            else
                g_test_message("%s", shown->str);
        }
    }
    g_test_message("%s: %u of %u calls send the same messages", (const char *)data, equal, cells);
    g_assert_cmpuint(cells, >, 4000);
    g_assert_cmpuint(equal, ==, cells);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/library_messages/ompi", "ompi", test_library);
    g_test_add_data_func("/library_messages/mpich", "mpich", test_library);
    return g_test_run();
}
