/* two_levels_test.h - the messages of MPICH's allreduce of two levels with many placements of ranks
 * on nodes, for the tests of workloads and of traces.
 *
 * two_levels.csv was recorded from Debian 12's MPICH 4.0.2 by scripts/library_messages/two_levels.
 * Cray MPICH, whose own messages are not known, takes the same two levels. */
#pragma once
#include <stdlib.h>

#include "base/csv.h"
#include "workload/select.h"

#define TWO_LEVELS_MOST 32

/* An allreduce of a communicator (NULL: all ranks). */
typedef struct {
    const DnCsvRow *row;
    DnCollMachine machine; /* of node_of, with Cray MPICH */
    guint32 node_of[TWO_LEVELS_MOST], comm[TWO_LEVELS_MOST];
    guint32 ranks, n; /* of the job, of the communicator */
    gboolean flat;    /* each rank of the communicator has a node of its own */
    gint64 bytes;
    char **messages; /* [n] of each of its ranks, `peer:bytes peer:bytes ...` */
} TwoLevels;

static inline guint32 two_levels_numbers(const char *text, guint32 *numbers)
{
    guint32 n = 0;
    char *end = NULL;
    for (const char *at = text; *at != '\0'; at = end, n++) {
        g_assert_cmpuint(n, <, TWO_LEVELS_MOST);
        numbers[n] = (guint32)strtoul(at, &end, 10);
        g_assert_true(end > at);
    }
    return n;
}

static inline gboolean two_levels_flat(const TwoLevels *t)
{
    for (guint32 i = 0; i < t->n; i++)
        for (guint32 k = 0; k < i; k++)
            if (t->node_of[t->comm[i]] == t->node_of[t->comm[k]])
                return FALSE;
    return TRUE;
}

/* Calls @check for each row. */
static inline void two_levels_rows(void (*check)(const TwoLevels *))
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path =
        g_build_filename(g_getenv("DARNER_ROOT"), "src", "workload", "two_levels.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(csv->rows->len, >=, 39);
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, i);
        TwoLevels t = {.row = row, .bytes = g_ascii_strtoll(row->cells[2], NULL, 10)};
        g_auto(GStrv) messages = g_strsplit(row->cells[3], ";", -1);
        t.messages = messages;
        t.ranks = two_levels_numbers(row->cells[0], t.node_of);
        t.n = two_levels_numbers(row->cells[1], t.comm);
        for (guint32 r = 0; row->cells[1][0] == '\0' && r < t.ranks; r++)
            t.comm[t.n++] = r;
        t.flat = two_levels_flat(&t);
        t.machine.mpi.library = dn_coll_library_find("cray_mpich");
        t.machine.node_of = t.node_of;
        g_assert_cmpuint(g_strv_length(messages), ==, t.n);
        check(&t);
    }
}

/* Adds a send to the messages of a rank. */
static inline void two_levels_add(GString *messages, const DnOp *op)
{
    g_string_append_printf(messages, "%s%u:%" G_GINT64_FORMAT, messages->len > 0 ? " " : "",
                           op->peer, op->bytes);
}
