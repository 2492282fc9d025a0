/* two_levels_test.h - the messages of MPICH's collectives of two levels with many placements of
 * ranks on nodes, for the tests of workloads and of traces.
 *
 * two_levels.csv was recorded from Debian 12's MPICH 4.0.2 by scripts/library_messages/two_levels.
 * Cray MPICH, whose own messages are not known, takes the same two levels in an allreduce, with
 * binomial trees in nodes. */
#pragma once
#include <stdlib.h>

#include "base/csv.h"
#include "workload/select.h"

#define TWO_LEVELS_MOST 32

/* A collective of a communicator. */
typedef struct {
    const char *library, *collective;
    const char *ranks_text; /* of the communicator; empty: all */
    guint32 root;
    DnCollMachine machine; /* of node_of, with that library */
    guint32 node_of[TWO_LEVELS_MOST], comm[TWO_LEVELS_MOST];
    guint32 ranks, n; /* of the job, of the communicator */
    gboolean smp;     /* the library takes the two levels */
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

/* By the settings of MPICH 4.0.2 (maint/tuning/coll/ch4/generic.json). */
static inline gboolean two_levels_taken(const TwoLevels *t)
{
    gboolean consecutive = TRUE;
    for (guint32 i = 1; i < t->n; i++)
        for (guint32 k = 0; k < i; k++)
            consecutive = consecutive && (t->node_of[t->comm[i]] != t->node_of[t->comm[k]] ||
                                          t->node_of[t->comm[i]] == t->node_of[t->comm[i - 1]]);
    if (two_levels_flat(t))
        return FALSE;
    if (strcmp(t->collective, "scan") == 0)
        return consecutive;
    return strcmp(t->collective, "bcast") != 0 || t->n < 8 || t->bytes < 12288 ||
           dn_is_power_of_two(t->n);
}

/* @messages with those of the library's own byte (barrier) or word (scan) without it. */
static inline char *two_levels_without_own(const TwoLevels *t, const char *messages)
{
    gboolean own = strcmp(t->collective, "barrier") == 0 || strcmp(t->collective, "scan") == 0;
    g_autoptr(GRegex) sizes = g_regex_new(":[14](?![0-9])", 0, 0, NULL);
    return own ? g_regex_replace_literal(sizes, messages, -1, 0, ":0", 0, NULL)
               : g_strdup(messages);
}

/* Calls @check for each row. */
static inline void two_levels_rows(void (*check)(const TwoLevels *))
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path =
        g_build_filename(g_getenv("DARNER_ROOT"), "src", "workload", "two_levels.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(csv->rows->len, >=, 464);
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, i);
        TwoLevels t = {.library = row->cells[0],
                       .ranks_text = row->cells[2],
                       .collective = row->cells[3],
                       .root = (guint32)g_ascii_strtoull(row->cells[4], NULL, 10),
                       .bytes = g_ascii_strtoll(row->cells[5], NULL, 10)};
        g_autofree char *text = two_levels_without_own(&t, row->cells[6]);
        g_auto(GStrv) messages = g_strsplit(text, ";", -1);
        t.messages = messages;
        t.ranks = two_levels_numbers(row->cells[1], t.node_of);
        t.n = two_levels_numbers(t.ranks_text, t.comm);
        for (guint32 r = 0; t.ranks_text[0] == '\0' && r < t.ranks; r++)
            t.comm[t.n++] = r;
        t.smp = two_levels_taken(&t);
        t.machine.mpi.library = dn_coll_library_find(t.library);
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
