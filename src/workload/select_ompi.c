/* select_ompi.c - The choice of Open MPI's tuned component by its fixed decisions.
 *
 * The fixed decisions pass a segment size of 0 (whole buffers: a segmented ring is then a ring, a
 * pipeline one hop after the other), a fan-out of 0 (one chain, radix 4 of the k-nomial tree) and
 * no limit of requests (coll_tuned_alltoall_max_requests 0) to every algorithm. What an algorithm
 * does where it does not fit stands in select_ompi_fallback(). library_messages_test.c compares
 * what is sent with the library's own messages on up to 64 ranks. */
#include "workload/select_ompi.h"

#include "workload/select.h"

#include <string.h>

/* What the chosen algorithm does itself when it does not fit: coll_base_<collective>.c. */
static const char *select_ompi_fallback(const DnCollCall *call, DnCollKind kind, const char *name)
{
    guint64 count = (guint64)(call->bytes / MAX(1, call->element));
    guint32 n = call->n;
    if (kind == DN_COLL_ALLREDUCE && g_str_has_suffix(name, "ring"))
        return count < n ? "recursive_doubling" : "ring"; /* segments of 0: whole pieces */
    if (kind == DN_COLL_ALLREDUCE && strcmp(name, "rabenseifner") == 0)
        return count < 1u << dn_log2_floor(n) ? "linear" : name;
    if (kind == DN_COLL_REDUCE && strcmp(name, "rabenseifner") == 0)
        return count < 1u << dn_log2_floor(n) ? "linear" : name;
    if (kind == DN_COLL_BCAST && g_str_has_prefix(name, "scatter_"))
        return count < n ? "linear" : name;
    if (kind == DN_COLL_ALLGATHER && strcmp(name, "recursive_doubling") == 0)
        return dn_is_power_of_two(n) ? name : "bruck";
    if (kind == DN_COLL_ALLGATHER && strcmp(name, "neighbor") == 0)
        return n % 2 ? "ring" : name;
    return name;
}

/* A reduce_scatter has a list of blocks whether they are equal or not. */
static gboolean has_unequal_rows(DnCollKind kind)
{
    return kind == DN_COLL_GATHER || kind == DN_COLL_SCATTER || kind == DN_COLL_ALLGATHER ||
           kind == DN_COLL_ALLTOALL;
}

static gboolean is_ordered(const DnCollCall *call, DnCollKind kind)
{
    return call->form & DN_COLL_ORDERED && dn_coll_kind_reduces(kind);
}

/* The table that decides, by *@bytes. */
static const DnOmpiRow *rows_for(const DnCollCall *call, DnCollKind kind, gint64 *bytes)
{
    if (is_ordered(call, kind))
        return dn_ompi_ordered_table;
    if (call->unequal && has_unequal_rows(kind))
        return dn_ompi_unequal_table;
    if (!call->one_count || kind != DN_COLL_REDUCE_SCATTER)
        return dn_ompi_table;
    *bytes /= call->n;
    return dn_ompi_one_count_table;
}

static gboolean row_fits(const DnOmpiRow *row, DnCollKind kind, guint32 n, gint64 bytes)
{
    return row->kind == kind && n >= row->ranks_from && n < row->ranks_below &&
           bytes >= row->bytes_from && bytes < row->bytes_below;
}

void dn_select_ompi(const DnCollCall *call, DnCollKind kind, DnSelection *out)
{
    *out = (DnSelection){.algorithm = "linear", /* scan, alltoallw, and what no row covers */
                         .chosen = "linear",
                         .style = DN_STYLE_OMPI,
                         .window = MAX(1, call->n)};
    if (call->form & DN_COLL_IN_PLACE && kind == DN_COLL_ALLTOALL) {
        out->algorithm = out->chosen = "basic_inplace";
        return;
    }
    if (call->many_types) /* coll/basic's: the tuned component has none */
        return;
    gint64 bytes = call->bytes;
    const DnOmpiRow *row = rows_for(call, kind, &bytes);
    while (row->chosen != NULL && !row_fits(row, kind, call->n, bytes))
        row++;
    if (row->chosen == NULL)
        return;
    out->chosen = row->chosen;
    out->algorithm = select_ompi_fallback(call, kind, row->here);
    out->falls_back = strcmp(out->algorithm, row->here) != 0;
    if (call->one_count && is_ordered(call, kind))
        out->chosen = "basic_linear"; /* of all rows: reduce_scatter_block's is its own name */
}

static void select_ompi(const DnCollCall *call, DnCollKind kind, const DnNcclMachine *machine,
                        DnSelection *out)
{
    dn_select_ompi(call, kind, out);
}

const DnCollLibrary dn_coll_library_ompi = {
    .name = "ompi",
    .title = "Open MPI",
    .source = "Open MPI 4.1, ompi/mca/coll/tuned/coll_tuned_decision_fixed.c",
    .limits = "a user's own rules; other components (han, ucc, hcoll)",
    .style = DN_STYLE_OMPI,
    .select = select_ompi,
};
